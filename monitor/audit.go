package monitor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ChangeSearch is what is looked for in the changes of an account. Zero values select all.
type ChangeSearch struct {
	AccountID          int64
	Event              string // sales.* or sales.updated
	EntityID, RecordID int64
	User               string // the id of a user, or the e-mail of a member
	RequestID          string
	Since, Until       *time.Time // the end is not included
	Before             int64      // only changes with lower numbers
}

// Changes is a page of what a search finds, newest first.
type Changes struct {
	Account string // its name
	List    []Change
	Next    int64 // the next page's Before; 0 for none. A page may be empty and have a next one
}

// Change is a change of a record, or of up to 1,000 of one family.
type Change struct {
	Sequence           int64
	Event              string
	EntityID, ParentID int64 // 0 for none
	RecordIDs          []int64
	OccurredAt         time.Time
	RequestID          string
	UserID             int64  // 0 for none
	Email              string // of the user; empty if no member
	Token, Job         string
	Attributes         string // JSON: {"name": [old, new]}; empty for none
}

// Refusal is the error of a search that cannot be made. It says what would be right.
type Refusal string

// Error returns what the page shows.
func (r Refusal) Error() string { return string(r) }

// auditPage is the data of audit.html, which has no script.
type auditPage struct {
	header
	Fields   []field
	Events   []string
	Wrong    []string // what is wrong with the search
	Broken   string   // why it could not be made
	Searched bool
	Account  string
	Rows     []changeRow
	Newest   string // URL of the first page; empty on it
	Older    string // URL of the next page; empty if there is none
	Zone     string
}

// field is an input of the search.
type field struct{ Name, Label, Type, Value, Hint, List string }

type link struct{ Text, URL string }

type changeRow struct {
	Sequence    int64
	Time, Event string
	Records     []link
	Others      int // records that are not among them
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
	p := auditPage{header: headerOf(audit, s), Fields: auditFields(asked), Events: m.events, Zone: m.zone.String(), Searched: len(asked) > 0}
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
	m.log.Info("audit searched", "user", s.user.Name, "account_id", search.AccountID)
	found, err := m.watch.Changes(ctx, search)
	var refusal Refusal
	switch {
	case errors.As(err, &refusal):
		p.Wrong = []string{refusal.Error()}
		return http.StatusUnprocessableEntity
	case err != nil:
		m.log.Warn("search of the audit failed", "error", err)
		p.Broken = "PostgreSQL did not answer in time. Search for less, such as one record or a shorter time, or try again."
		return http.StatusServiceUnavailable
	}
	p.Account = fmt.Sprintf("account %d, %s", search.AccountID, found.Account)
	for _, c := range found.List {
		p.Rows = append(p.Rows, m.changeRow(search.AccountID, c))
	}
	if search.Before != 0 {
		p.Newest = auditURL(asked, "before", "")
	}
	if found.Next != 0 {
		p.Older = auditURL(asked, "before", fmt.Sprint(found.Next))
	}
	return http.StatusOK
}

// auditFields are the inputs of the search, with what was entered.
func auditFields(asked url.Values) []field {
	fields := []field{
		{Name: "account_id", Label: "Account", Hint: "1"},
		{Name: "event", Label: "Event", Hint: "people.*", List: "events"},
		{Name: "record_id", Label: "Record", Hint: "the id of a record"},
		{Name: "user", Label: "User", Hint: "an id or e-mail"},
		{Name: "request_id", Label: "Request", Hint: "an X-Request-Id"},
		{Name: "entity_id", Label: "Entity", Hint: "an id"},
		{Name: "since", Label: "Since", Type: "datetime-local"},
		{Name: "until", Label: "Until", Type: "datetime-local"},
	}
	for i := range fields {
		fields[i].Value = strings.TrimSpace(asked.Get(fields[i].Name))
	}
	return fields
}

// changeSearch reads a search, and says what is wrong with it.
func (m *Monitor) changeSearch(asked url.Values) (s ChangeSearch, wrong []string) {
	text := func(name string) string { return strings.TrimSpace(asked.Get(name)) }
	word := func(name, label string) string {
		s := text(name)
		if strings.ContainsRune(s, 0) || !utf8.ValidString(s) { // PostgreSQL stores no such text
			wrong = append(wrong, fmt.Sprintf("%s: %q is not a text.", label, s))
		}
		return s
	}
	id := func(name, label string) int64 {
		n, err := strconv.ParseInt(text(name), 10, 64)
		if text(name) != "" && (err != nil || n < 1) {
			wrong = append(wrong, fmt.Sprintf("%s: %q is not an id. An id is a number, such as 7.", label, text(name)))
		}
		return n
	}
	when := func(name, label string) *time.Time {
		if text(name) == "" {
			return nil
		}
		begin, end, err := parseTime(text(name), m.zone)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%s: %q is not a time. Write 2026-03-31 or 2026-03-31T15:04.", label, text(name)))
		}
		if name == "until" {
			return &end
		}
		return &begin
	}
	s = ChangeSearch{
		AccountID: id("account_id", "Account"), Event: word("event", "Event"), EntityID: id("entity_id", "Entity"), RecordID: id("record_id", "Record"),
		User: word("user", "User"), RequestID: word("request_id", "Request"), Since: when("since", "Since"), Until: when("until", "Until"), Before: id("before", "Before"),
	}
	if text("account_id") == "" {
		wrong = append(wrong, "Account: enter its id. bordero account list shows the ids.")
	}
	if s.Event != "" && !strings.Contains(s.Event, ".") {
		s.Event += ".*"
	}
	return s, wrong
}

// parseTime returns the beginning of a day, minute or second, and its end.
func parseTime(text string, zone *time.Location) (begin, end time.Time, err error) {
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if begin, err = time.ParseInLocation(layout, text, zone); err != nil {
			continue
		}
		switch layout {
		case time.DateOnly:
			return begin, begin.AddDate(0, 0, 1), nil
		case "2006-01-02T15:04":
			return begin, begin.Add(time.Minute), nil
		}
		return begin, begin.Add(time.Second), nil
	}
	return begin, end, err
}

// auditURL returns the page of a search with one parameter changed.
func auditURL(asked url.Values, name, value string) string {
	changed := url.Values{}
	for _, f := range auditFields(asked) {
		changed.Set(f.Name, f.Value)
	}
	changed.Set(name, value)
	maps.DeleteFunc(changed, func(_ string, values []string) bool { return values[0] == "" })
	return audit + "?" + changed.Encode()
}

const (
	shownRecords = 10   // of one change
	shownText    = 1000 // characters of a value
)

func (m *Monitor) changeRow(account int64, c Change) changeRow {
	of := func(pairs ...string) string {
		asked := url.Values{"account_id": {fmt.Sprint(account)}}
		for i := 0; i < len(pairs); i += 2 {
			asked.Set(pairs[i], pairs[i+1])
		}
		return audit + "?" + asked.Encode()
	}
	row := changeRow{
		Sequence: c.Sequence, Time: c.OccurredAt.In(m.zone).Format("2 Jan 2006 15:04:05"), Event: c.Event,
		Others: max(0, len(c.RecordIDs)-shownRecords), By: "command", Values: changedValues(c.Attributes),
	}
	family, _, _ := strings.Cut(c.Event, ".")
	for _, id := range c.RecordIDs[:min(len(c.RecordIDs), shownRecords)] {
		row.Records = append(row.Records, link{fmt.Sprint(id), of("event", family+".*", "record_id", fmt.Sprint(id))})
	}
	var above []string
	if c.EntityID != 0 {
		above = append(above, fmt.Sprint("entity ", c.EntityID))
	}
	if c.ParentID != 0 {
		above = append(above, fmt.Sprint("parent ", c.ParentID))
	}
	row.Of = strings.Join(above, ", ")
	switch {
	case c.Job != "":
		row.By = "job " + c.Job
	case c.UserID != 0:
		row.By, row.User = "", link{fmt.Sprint("user ", c.UserID), of("user", fmt.Sprint(c.UserID))}
		if c.Email != "" {
			row.User.Text = c.Email
		}
		if c.Token != "" {
			row.By = "token " + c.Token + "…"
		}
	}
	if c.RequestID != "" {
		row.Request = link{c.RequestID, of("request_id", c.RequestID)}
	}
	return row
}

// changedValues returns the attributes by name, with their values in JSON as the API shows them.
func changedValues(attributes string) (values []changedValue) {
	var changed map[string][2]json.RawMessage
	if json.Unmarshal([]byte(attributes), &changed) != nil {
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
