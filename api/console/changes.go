package console

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// change is a change of the feed: who did what, and when.
type change struct {
	Sequence   int64
	Event      string
	EntityID   int64   `json:"entity_id"`
	RecordIDs  []int64 `json:"record_ids"`
	Path       string
	OccurredAt string `json:"occurred_at"`
	By         struct {
		UserID int64 `json:"user_id"`
		Token  string
		Job    string
	}
	Attributes map[string]json.RawMessage
	Href       string `json:"-"` // of the record's page
	Entity     string `json:"-"`
	Email      string `json:"-"` // of the user
}

// IDs are the ids of the first records.
func (c change) IDs() []int64 { return c.RecordIDs[:min(len(c.RecordIDs), 5)] }

// More is how many further records there are.
func (c change) More() int { return len(c.RecordIDs) - len(c.IDs()) }

// Changed lists the attributes that changed, with their values before and after.
func (c change) Changed() (all []changed) {
	for _, name := range slices.Sorted(maps.Keys(c.Attributes)) {
		var values []json.RawMessage
		if json.Unmarshal(c.Attributes[name], &values) != nil || len(values) != 2 {
			all = append(all, changed{Name: name})
			continue
		}
		all = append(all, changed{name, plainly(values[0]), plainly(values[1])})
	}
	return all
}

// changed is an attribute with its values before and after a change.
type changed struct{ Name, Before, After string }

// plainly writes a value of JSON for people.
func plainly(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// changesPage has the changes of a window of numbers, the newest first.
type changesPage struct {
	Changes      []change
	From, To     int64  // the numbers that were looked at
	Older, Newer string // addresses
	Event        string
	RecordID     string
}

// At once, a page looks at as many changes as it shows or, with a filter, as the API looks at; if the filter finds more
// of these than the API sends, the page looks at as many as that.
const changesShown, changesLookedAt, changesSent = 100, 5000, 500

// changes shows the changes of the account up to a number, by default the last, the newest first. The feed is sorted
// by time, so the page asks for a window of it.
func (v *visit) changes() error {
	query := v.r.URL.Query()
	p := &changesPage{Event: query.Get("event"), RecordID: query.Get("record_id")}
	oldest, latest, err := v.feedSpan()
	if err != nil {
		return err
	}
	size := int64(changesShown)
	if p.Event != "" || p.RecordID != "" {
		size = changesLookedAt
	}
	p.To = latest
	if until, err := strconv.ParseInt(query.Get("until"), 10, 64); err == nil {
		p.To = min(max(until, 0), latest)
	}
	p.From = max(p.To-size, oldest-1)
	if err := v.readChanges(p); err != nil {
		return v.again(err, func(v *visit) error { return v.show(v.status(), "changes", p) })
	}
	if p.From > oldest-1 {
		p.Older = p.at(p.From)
	}
	if p.To-p.From == changesSent { // the window was made smaller, and so are those around it
		size = changesSent
	}
	if p.To < latest {
		p.Newer = p.at(min(p.To+size, latest))
	}
	return v.show(http.StatusOK, "changes", p)
}

// at returns the address of the page with the changes up to a number.
func (p *changesPage) at(until int64) string {
	query := url.Values{"until": {strconv.FormatInt(until, 10)}}
	p.addFilter(query)
	return "?" + query.Encode()
}

// addFilter adds the filter of the page to a query, under the names of the API's parameters.
func (p *changesPage) addFilter(query url.Values) {
	for name, value := range map[string]string{"event": p.Event, "record_id": p.RecordID} {
		if value != "" {
			query.Set(name, value)
		}
	}
}

// feedSpan returns the numbers of the oldest and of the last change that the API still has.
func (v *visit) feedSpan() (oldest, latest int64, err error) {
	a, err := v.ask(http.MethodGet, "/changes?after=0&limit=1", nil, nil)
	if no := refusedWith(err, http.StatusGone); no != nil {
		return no.Oldest, no.Latest, nil
	}
	if err != nil {
		return 0, 0, err
	}
	var head struct{ Latest int64 }
	err = json.Unmarshal(a.body.Bytes(), &head)
	return 1, head.Latest, err
}

// readChanges adds the changes of the page's window of numbers. It makes the window smaller if the API does not send
// all of them.
func (v *visit) readChanges(p *changesPage) error {
	if p.To <= p.From {
		return nil
	}
	query := url.Values{"after": {strconv.FormatInt(p.From, 10)},
		"limit": {strconv.FormatInt(min(p.To-p.From, changesSent), 10)}}
	p.addFilter(query)
	var feed struct {
		Changes []struct{ Change change }
		Next    int64
	}
	if _, err := v.get("/changes", query, &feed); err != nil || len(feed.Changes) == 0 {
		return err
	}
	if feed.Next < p.To && p.To-p.From > changesSent {
		p.From = p.To - changesSent
		return v.readChanges(p)
	}
	emails, err := v.emails()
	if err != nil {
		return err
	}
	for _, c := range slices.Backward(feed.Changes) {
		if c.Change.Sequence > p.To {
			continue
		}
		c.Change.Entity, c.Change.Email = v.entityName(c.Change.EntityID), emails[c.Change.By.UserID]
		family, _, _ := strings.Cut(c.Change.Event, ".")
		if c.Change.Path != "" && slices.Contains(withPages, family) {
			c.Change.Href = v.Root() + strings.TrimPrefix(c.Change.Path, "/integrations")
		}
		p.Changes = append(p.Changes, c.Change)
	}
	return nil
}

// withPages lists the families of records with pages.
var withPages = []string{"financial_transactions", "bank_statements", "payable_accounts", "receivable_accounts",
	"sales", "entities", "webhooks", "tokens", "members"}

// history has the changes of a record, the newest first.
type history struct {
	Changes []change
	Whole   bool   // whether it begins with the first change that the API still has
	Href    string // of the audit, which has the others
}

// historyWindows is in how many windows of the last changes of the account the history of a record is looked for.
const historyWindows = 3

// history reads the last changes of a record of a family.
func (v *visit) history(family string, id int64) (*history, error) {
	p := &changesPage{Event: family + ".*", RecordID: strconv.FormatInt(id, 10)}
	oldest, latest, err := v.feedSpan()
	if err != nil {
		return nil, err
	}
	h := &history{Href: v.Root() + "/changes" + p.at(latest)}
	p.From = latest
	for range historyWindows {
		p.To, p.From = p.From, max(p.From-changesLookedAt, oldest-1)
		if err := v.readChanges(p); err != nil {
			return nil, err
		}
		n := len(p.Changes)
		if h.Whole = p.From == oldest-1 || n > 0 && p.Changes[n-1].Event == family+".created"; h.Whole {
			break
		}
	}
	h.Changes = p.Changes
	return h, nil
}
