package api

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/members"
)

const (
	maxChanges  = 500  // in one answer
	lookedAt    = 5000 // changes that one request looks at
	longestWait = 30   // seconds
)

// feedQuery is a request for changes.
type feedQuery struct {
	after   int64
	through int64 // the last number that is looked at; 0: the latest
	limit   int
	wait    time.Duration
	filter  storage.ChangeFilter
}

// feedPage is its answer.
type feedPage struct {
	Changes      []storage.Change
	Next, Latest int64
}

// listChanges returns the changes of the account after a number, oldest first (decision 0031).
// Without such changes it waits for one, as long as the client asks.
func (a *API) listChanges(c *call) error {
	q, err := c.feedQuery()
	if err := c.withStray(err); err != nil {
		return err
	}
	if c.sheet != nil {
		return a.sendChangesSheet(c, q)
	}
	ctx := c.ctx()
	if q.wait > 0 {
		leave, err := a.feed.enter(members.TokenSum(c.token), c.access.AccountID)
		if err != nil {
			return err
		}
		defer leave()
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.wait)
		defer cancel()
	}
	var p feedPage
	for {
		var w *feedWait
		if q.wait > 0 {
			w = a.feed.of(c.access.AccountID)
		}
		if p, err = a.changes(c, q); err != nil {
			return err
		}
		if len(p.Changes) > 0 || p.Next < p.Latest || q.wait == 0 {
			break
		}
		c.leave() // while it waits
		if !a.feed.wait(ctx, w, p.Latest) {
			break
		}
		if err := c.enterAgain(); err != nil {
			return err
		}
		q.after = p.Next
		if err := a.authorizeAgain(c); err != nil {
			return err
		}
	}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.Document(func() { showFeed(c, w, &p) })
	}))
}

// sendChangesSheet answers with the changes after a number as a sheet: 200. It ends with the change that is the latest
// at first, or before the latest: its link then leads to the sheet that continues it, and the name of the file says so
// to people, who do not see headers. Unlike lists, a sheet with too many rows is not refused: no filter bounds the
// numbers from above, so that old changes could not be had at all.
func (a *API) sendChangesSheet(c *call, q feedQuery) error {
	if err := c.refuseInSheet(c.inBody, "limit", "wait"); err != nil {
		return err
	}
	if err := c.enterSheet(); err != nil {
		return err
	}
	name := "changes"
	switch whole, err := a.boundSheet(c, &q); {
	case err != nil:
		return err
	case !whole:
		c.sendLinks([]string{c.nextSheet(&q)})
		name = fmt.Sprintf("changes-%d-to-%d-incomplete", q.after+1, q.through)
	}
	s := c.newSheet(name, listColumns()["Change"])
	for {
		c.holding.Reuse()
		p, err := a.changes(c, q)
		if err != nil {
			return err
		}
		if err := s.send(len(p.Changes), func(w *wire.Writer, i int) {
			showChange(c, w, &p.Changes[i])
			p.Changes[i] = storage.Change{}
		}); err != nil {
			return err
		}
		if q.after = p.Next; q.after >= q.through || c.head {
			return s.end()
		}
		if err := a.renewRights(c); err != nil {
			return err
		}
	}
}

// countedWindows is how many counts boundSheet makes, of about 0.1 s each: clients wait so long for the first byte.
const countedWindows = 50

// boundSheet sets the last number that a sheet looks at, and reports whether it is the latest. It is not if there are
// more changes than rows or too many to count. Only a count tells before the first byte.
func (a *API) boundSheet(c *call, q *feedQuery) (whole bool, err error) {
	span, err := a.changeSpan(c, q.after)
	if err != nil {
		return false, err
	}
	if span.Latest-q.after <= a.SheetRows {
		q.through = span.Latest
		return true, nil
	}
	v, err := a.viewer(c)
	if err != nil {
		return false, err
	}
	left := a.SheetRows
	q.through = q.after
	for range countedWindows {
		from := q.through
		q.through = min(from+a.SheetRows, span.Latest) // one statement for all could take too long
		found, next, err := a.Store.CountChanges(c.ctx(), c.access.AccountID, from, q.through, q.filter, v, left+1)
		switch {
		case err != nil:
			return false, err
		case next > 0: // of the first change that has no row
			q.through = next - 1
			return false, nil
		}
		if left -= found; q.through == span.Latest {
			return true, nil
		}
	}
	return false, nil
}

// nextSheet returns the link to the sheet of the changes after q.through. Of the parameters of the request it has only
// the filters, so that the header stays short.
func (c *call) nextSheet(q *feedQuery) string {
	query := url.Values{"after": {strconv.FormatInt(q.through, 10)}}
	if f := q.filter; f.Family != "" {
		query.Set("event", string(f.Family)+"."+cmp.Or(string(f.Action), "*"))
	}
	if id := q.filter.EntityID; id != 0 {
		query.Set("entity_id", strconv.FormatInt(id, 10))
	}
	if id := q.filter.RecordID; id != 0 {
		query.Set("record_id", strconv.FormatInt(id, 10))
	}
	return fmt.Sprintf(`<%s%s?%s>; rel="next"`, c.url(c.Request.URL.EscapedPath()), c.sheet.suffix, query.Encode())
}

// changes reads a page of the feed.
func (a *API) changes(c *call, q feedQuery) (p feedPage, err error) {
	span, err := a.changeSpan(c, q.after)
	if err != nil {
		return p, err
	}
	v, err := a.viewer(c)
	if err != nil {
		return p, err
	}
	p.Latest, p.Next = span.Latest, min(q.after+lookedAt, cmp.Or(q.through, span.Latest))
	if p.Next == q.after {
		return p, nil
	}
	p.Changes, p.Next, err = a.Store.Changes(c.ctx(), c.access.AccountID, q.after, p.Next, q.filter, v, q.limit)
	if err == nil { // changes may have been dropped before the page was read: the page would hide the gap
		_, err = a.changeSpan(c, q.after)
	}
	return p, err
}

// changeSpan reads the numbers of the stored changes. It refuses a number after which there was no change yet, and one
// after which some are no longer stored.
func (a *API) changeSpan(c *call, after int64) (storage.ChangeSpan, error) {
	span, err := a.Store.ChangeSpan(c.ctx(), c.access.AccountID)
	switch {
	case err != nil:
		return span, err
	case after > span.Latest:
		return span, finance.Refuse("after", messages.AfterLatest.With(span.Latest))
	case after < span.Dropped:
		return span, expired{messages.ChangesExpired, span}
	}
	return span, nil
}

// viewer returns the rights of the user to see changes of the feed.
func (a *API) viewer(c *call) (v storage.Viewer, err error) {
	if c.access.Administrator {
		return storage.Viewer{All: true}, nil
	}
	v.Families = c.access.Families()
	if !c.access.AllEntities {
		v.Entities, err = a.Store.EntitiesThatExist(c.ctx(), c.access.AccountID, c.access.EntityIDs)
	}
	return v, err
}

// feedQuery reads the parameters. A filter is a parameter or, as in lists, search[…].
func (c *call) feedQuery() (q feedQuery, err error) {
	in, err := c.readBody()
	if err != nil {
		return q, err
	}
	search, err := c.search(in)
	if err != nil {
		return q, err
	}
	known := []string{"event", "entity_id", "record_id"}
	var invalid finance.Invalid
	for _, name := range known { // which has three spellings
		values := []string{c.parameter(name), search[name], search[name+"_equals"]}
		values = slices.DeleteFunc(values, func(v string) bool { return v == "" })
		delete(search, name+"_equals")
		if len(values) > 0 {
			search[name] = values[0]
		}
		if differ(values) {
			invalid.Add(name, messages.FilterTwice)
		}
	}
	whole := func(name, text string, least, most int64) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		switch {
		case text == "":
			return 0
		case err != nil:
			invalid.Add(name, messages.NotInteger)
		case n < least || n > most:
			invalid.Add(name, messages.NotBetween.With(least, most))
		}
		return n
	}
	const largest = 1<<63 - 1
	q.after = whole("after", c.parameter("after"), 0, largest)
	q.wait = time.Duration(whole("wait", c.parameter("wait"), 0, longestWait)) * time.Second
	q.limit = maxChanges
	if n, sized := number(c.parameter("limit")); sized {
		q.limit = min(max(n, 1), maxChanges)
	}
	if event := search["event"]; event != "" {
		if q.filter, err = storage.ParseChangeEvent(event); err != nil {
			invalid.Add("event", messages.FaultOf(err).Of(changeEvents()))
		}
	}
	q.filter.EntityID = whole("entity_id", search["entity_id"], 1, largest)
	q.filter.RecordID = whole("record_id", search["record_id"], 1, largest)
	for name := range search {
		if !slices.Contains(known, name) {
			invalid.Add(name, messages.UnknownFilter.With(strings.Join(known, ", ")).Of(known))
		}
	}
	return q, invalid.Err()
}

// changeEvents lists the families, as a filter names them.
func changeEvents() (all []string) {
	for _, f := range finance.ChangeFamilies {
		all = append(all, string(f)+".*")
	}
	return all
}

// expired is the 410 of a client that asks for changes that are no longer stored.
type expired struct {
	*messages.Fault
	span storage.ChangeSpan
}

func (e expired) Unwrap() error { return e.Fault }

func (e expired) body(w *wire.Writer) {
	m := e.members()
	w.Error(e.Error(), func() {
		w.Int("oldest", m.Oldest)
		w.Int("latest", m.Latest)
	})
}

func (e expired) members() problemMembers {
	return problemMembers{Oldest: e.span.Dropped + 1, Latest: e.span.Latest}
}

func showFeed(c *call, w *wire.Writer, p *feedPage) {
	c.holding.Reuse()
	w.List("change", "changes", len(p.Changes), func(i int) {
		showChange(c, w, &p.Changes[i])
		p.Changes[i] = storage.Change{} // as sendList does
	})
	w.Int("next", p.Next)
	w.Int("latest", p.Latest)
}

// ChangePath returns the path of the record of a change; nil if the change has several records, or
// its record is destroyed or has no path.
func ChangePath(h *storage.Change) *string {
	if len(h.RecordIDs) != 1 || h.Action == finance.Destroyed {
		return nil
	}
	zero := int64(0)
	path, has := paths.Record(string(h.Family), *cmp.Or(h.EntityID, &zero), *cmp.Or(h.ParentID, &zero), h.RecordIDs[0])
	if !has {
		return nil
	}
	return &path
}

func showChange(c *call, w *wire.Writer, h *storage.Change) {
	w.Int("id", h.ID)
	w.Int("sequence", h.Sequence)
	w.String("event", string(h.Family)+"."+string(h.Action))
	w.IntPtr("entity_id", h.EntityID)
	w.IntPtr("parent_id", h.ParentID)
	w.IntArray("record_ids", "record_id", h.RecordIDs)
	w.StringPtr("path", ChangePath(h))
	w.Time("occurred_at", h.OccurredAt)
	w.StringPtr("request_id", h.RequestID)
	w.Object("by", func() {
		token := h.Token
		if !c.access.Administrator {
			token = nil
		}
		w.IntPtr("user_id", h.UserID)
		w.StringPtr("token", token)
		w.StringPtr("job", h.Job)
	})
	var attributes json.RawMessage
	if h.Attributes != nil {
		attributes = json.RawMessage(*h.Attributes)
	}
	w.JSON("attributes", attributes)
	w.String("hash", hex.EncodeToString(h.Hash))
}

var changeFields = openapi.Fields{
	"id":        {Doc: "The change's id, which its notifications name as change_id."},
	"sequence":  {Doc: "The number of the change in its account: 1, 2, 3, without a gap."},
	"event":     {Doc: "The family of the record and the action.", Example: "people.updated"},
	"entity_id": {Doc: "The entity of the records; null for records of the account itself."},
	"parent_id": {Doc: "The parent of the records: the deposit account of a transaction, statement or session, the " +
		"card of a purchase, " +
		"the sale account of a rule, the classifier of a value."},
	"record_ids": {Doc: "The ids of the records, up to 1,000."},
	"path": {Doc: "The path of the record; null if there are several records, or the record is destroyed or " +
		"has no path."},
	"occurred_at": {Doc: "When the transaction of the change began."},
	"request_id":  {Doc: "The X-Request-Id of the request that led to the change."},
	"by":          {Doc: "The author of the change. All three fields are null for an operator's command."},
	"by.user_id":  {Doc: "The user."},
	"by.token":    {Doc: "The first six characters of the token; for administrators alone."},
	"by.job":      {Doc: "The kind of the job."},
	"attributes": {Doc: "For an update of one record, the changed attributes, each with the old and the new value. " +
		"Null for creations, deletions and work that may change many records, even if it changes one: reconciling " +
		"and its undoing, attaching a file to records, pricing, liquidation."},
	"hash": {Doc: "SHA-256 of the previous change's hash and of this change, in hex."},
}
