package monitor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"bordero/storage"
)

// auditPage is the data of audit.html, which has no script.
type auditPage struct {
	header
	Fields   []field
	Events   []string
	Wrong    []string // the faults of the search
	Broken   string   // why the changes could not be read
	Searched bool
	Account  string
	Rows     []changeRow
	Newest   string // URL of the first page; empty on the first page
	Older    string // URL of the next page; empty on the last
	Zone     string
}

// field is an input of the search.
type field struct{ Name, Label, Type, Value, Hint, List string }

type link struct{ Text, URL string }

type changeRow struct {
	Sequence    int64
	Time, Event string
	Records     []link
	Others      int // records beyond the first shownRecords
	Of          string
	By          string
	User        link
	Request     link
	Values      []changedValue
}

type changedValue struct{ Name, Old, New string }

// showAudit serves the changes of an account that a search finds.
func (m *Monitor) showAudit(w http.ResponseWriter, r *http.Request, s session) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	asked := r.URL.Query()
	p := auditPage{
		header: headerOf(audit, s), Fields: auditFields(asked), Events: changeEvents, Zone: m.zone.String(),
		Searched: len(asked) > 0,
	}
	status := http.StatusOK
	if p.Searched {
		status = m.fillAudit(ctx, &p, asked, s)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = templates.ExecuteTemplate(w, "audit.html", p) // the client may be gone
}

// fillAudit searches, and returns the status of the answer.
func (m *Monitor) fillAudit(ctx context.Context, p *auditPage, asked url.Values, s session) int {
	search, wrong := m.changeSearch(asked)
	if p.Wrong = wrong; len(wrong) > 0 {
		return http.StatusUnprocessableEntity
	}
	m.log.Info("audit searched", "user", s.user.Name, "account_id", search.account)
	found, err := m.searchChanges(ctx, search)
	var refused refusal
	switch {
	case errors.As(err, &refused):
		p.Wrong = []string{refused.Error()}
		return http.StatusUnprocessableEntity
	case err != nil:
		m.log.Warn("search of the audit failed", "error", err)
		p.Broken = searchBroken
		return http.StatusServiceUnavailable
	}
	p.Account = fmt.Sprintf("account %d, %s", search.account, found.account)
	for _, c := range found.Changes {
		p.Rows = append(p.Rows, m.changeRow(c, found.emails))
	}
	if search.Before != 0 {
		p.Newest = searchURL(audit, p.Fields, "")
	}
	if found.Next != 0 {
		p.Older = searchURL(audit, p.Fields, fmt.Sprint(found.Next))
	}
	return http.StatusOK
}

// auditFields returns the inputs of the search, with the values that were entered.
func auditFields(asked url.Values) []field {
	return filled(asked, []field{
		{Name: "account_id", Label: "Account", Hint: "1"},
		{Name: "event", Label: "Event", Hint: "people.*", List: "events"},
		{Name: "record_id", Label: "Record", Hint: "the id of a record"},
		{Name: "user", Label: "User", Hint: "an id or e-mail"},
		{Name: "request_id", Label: "Request", Hint: "an X-Request-Id"},
		{Name: "entity_id", Label: "Entity", Hint: "an id"},
		{Name: "since", Label: "Since", Type: "datetime-local"},
		{Name: "until", Label: "Until", Type: "datetime-local"},
	})
}

const (
	shownRecords = 10   // of one change
	shownText    = 1000 // characters of a value
)

// changeRow returns the row of a change. emails has the members' e-mails by the user's id.
func (m *Monitor) changeRow(c storage.Change, emails map[int64]string) changeRow {
	of := func(pairs ...string) string {
		asked := url.Values{"account_id": {fmt.Sprint(c.AccountID)}}
		for i := 0; i < len(pairs); i += 2 {
			asked.Set(pairs[i], pairs[i+1])
		}
		return audit + "?" + asked.Encode()
	}
	row := changeRow{
		Sequence: c.Sequence, Time: c.OccurredAt.In(m.zone).Format("2 Jan 2006 15:04:05"),
		Event:  string(c.Family) + "." + string(c.Action),
		Others: max(0, len(c.RecordIDs)-shownRecords), By: "command", Values: changedValues(c.Attributes),
	}
	for _, id := range c.RecordIDs[:min(len(c.RecordIDs), shownRecords)] {
		url := of("event", string(c.Family)+".*", "record_id", fmt.Sprint(id))
		row.Records = append(row.Records, link{fmt.Sprint(id), url})
	}
	var above []string
	if c.EntityID != nil {
		above = append(above, fmt.Sprint("entity ", *c.EntityID))
	}
	if c.ParentID != nil {
		above = append(above, fmt.Sprint("parent ", *c.ParentID))
	}
	row.Of = strings.Join(above, ", ")
	switch {
	case c.Job != nil:
		row.By = "job " + *c.Job
	case c.UserID != nil:
		user := fmt.Sprint(*c.UserID)
		row.By, row.User = "", link{cmp.Or(emails[*c.UserID], "user "+user), of("user", user)}
		if c.Token != nil {
			row.By = "token " + *c.Token + "…"
		}
	}
	if c.RequestID != nil {
		row.Request = link{*c.RequestID, of("request_id", *c.RequestID)}
	}
	return row
}

// changedValues returns the attributes by name, with their values in JSON as the API shows them.
func changedValues(attributes *string) (values []changedValue) {
	var changed map[string][2]json.RawMessage
	if attributes == nil || json.Unmarshal([]byte(*attributes), &changed) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		values = append(values, changedValue{name, shownValue(changed[name][0]), shownValue(changed[name][1])})
	}
	return values
}

// shownValue returns the beginning of a long value.
func shownValue(value json.RawMessage) string {
	if text := []rune(string(value)); len(text) > shownText {
		return string(text[:shownText]) + "…"
	}
	return string(value)
}
