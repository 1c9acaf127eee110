package monitor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/operators"
)

// auditSearch is a search in the changes of an account. Zero values select all.
type auditSearch struct {
	operators.ChangeSearch
	account int64
	event   string // sales.* or sales.updated
	user    string // the id of a user, or the e-mail of a member
}

// auditResult is a page of the changes that a search finds. A page may be empty and have a next one.
type auditResult struct {
	operators.FoundChanges
	account string           // name of the account
	emails  map[int64]string // e-mails of the members among the users, by id
}

// refusal is the error of a search that cannot be made. Its sentence names the fault and a correct value.
type refusal string

// Error returns the sentence that the page shows.
func (r refusal) Error() string { return string(r) }

// changeEvents are the events of the feed by their names in a search.
var changeEvents = func() (all []string) {
	for _, family := range finance.ChangeFamilies {
		all = append(all, string(family)+".*")
		for _, action := range finance.Actions {
			all = append(all, string(family)+"."+string(action))
		}
	}
	return all
}()

// changeSearch reads a search, and returns its faults.
func (m *Monitor) changeSearch(asked url.Values) (s auditSearch, wrong []string) {
	in := m.inputs(asked)
	s.account, s.event = in.account(), in.word("event", "Event")
	s.EntityID, s.RecordID = in.id("entity_id", "Entity"), in.id("record_id", "Record")
	s.user, s.RequestID = in.word("user", "User"), in.word("request_id", "Request")
	s.Since, s.Until, s.Before = in.when("since", "Since"), in.when("until", "Until"), in.id("before", "Before")
	if s.event != "" && !strings.Contains(s.event, ".") {
		s.event += ".*"
	}
	return s, in.wrong
}

// filled returns the inputs of a search with the values that were entered.
func filled(asked url.Values, fields []field) []field {
	for i := range fields {
		fields[i].Value = strings.TrimSpace(asked.Get(fields[i].Name))
	}
	return fields
}

// searchBroken is the text of a page whose search failed.
const searchBroken = "PostgreSQL did not answer in time. Search for less, such as one record or a shorter time, or " +
	"try again."

// searchURL returns the address of a page with the same search that begins at a place; its first page if before is
// empty.
func searchURL(page string, fields []field, before string) string {
	query := url.Values{}
	if before != "" {
		query.Set("before", before)
	}
	for _, f := range fields {
		if f.Value != "" {
			query.Set(f.Name, f.Value)
		}
	}
	return page + "?" + query.Encode()
}

// inputs reads the inputs of a search, and collects their faults.
type inputs struct {
	asked url.Values
	zone  *time.Location
	wrong []string
}

func (m *Monitor) inputs(asked url.Values) *inputs { return &inputs{asked: asked, zone: m.zone} }

func (in *inputs) fault(format string, args ...any) {
	in.wrong = append(in.wrong, fmt.Sprintf(format, args...))
}

func (in *inputs) text(name string) string { return strings.TrimSpace(in.asked.Get(name)) }

// word returns a text that PostgreSQL can store.
func (in *inputs) word(name, label string) string {
	s := in.text(name)
	if strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
		in.fault("%s: %q is not a text.", label, s)
	}
	return s
}

func (in *inputs) id(name, label string) int64 {
	n, err := strconv.ParseInt(in.text(name), 10, 64)
	if in.text(name) != "" && (err != nil || n < 1) {
		in.fault("%s: %q is not an id. An id is a number, such as 7.", label, in.text(name))
	}
	return n
}

// account returns the id of the account, which each search needs.
func (in *inputs) account() int64 {
	if in.text("account_id") == "" {
		in.fault("Account: enter its id. bordero account list shows the ids.")
	}
	return in.id("account_id", "Account")
}

// when returns the beginning of a time; of the input until, its end.
func (in *inputs) when(name, label string) *time.Time {
	if in.text(name) == "" {
		return nil
	}
	begin, end, err := parseTime(in.text(name), in.zone)
	if err != nil {
		in.fault("%s: %q is not a time. Write 2026-03-31 or 2026-03-31T15:04.", label, in.text(name))
	}
	if name == "until" {
		return &end
	}
	return &begin
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

// searchChanges reads a page of changes. The error is a refusal if the account, event or member is unknown.
func (m *Monitor) searchChanges(ctx context.Context, s auditSearch) (page auditResult, err error) {
	page.account, err = operators.AccountName(ctx, m.store.Queries, s.account)
	if errors.Is(err, storage.ErrNotFound) {
		return page, refusal(fmt.Sprintf("Account: there is no account %d. bordero account list shows the ids.",
			s.account))
	}
	if err != nil {
		return page, err
	}
	if s.event != "" {
		filter, err := storage.ParseChangeEvent(s.event)
		if err != nil {
			return page, refusal(fmt.Sprintf("Event: there is no event %q."+
				" Name a family, such as sales.*, or one event, such as sales.updated; the field proposes all.",
				s.event))
		}
		s.Family, s.Action = filter.Family, filter.Action
	}
	if s.UserID, err = m.searchedUser(ctx, s.account, s.user); err != nil {
		return page, err
	}
	if page.FoundChanges, err = operators.SearchChanges(ctx, m.store.Queries, s.account, s.ChangeSearch,
		listed); err != nil {
		return page, err
	}
	var users []int64
	for _, c := range page.Changes {
		users = append(users, *cmp.Or(c.UserID, new(int64)))
	}
	page.emails, err = operators.MemberEmails(ctx, m.store.Queries, s.account, users)
	return page, err
}

// searchedUser returns the id of a user, given as such or as a member's e-mail; 0 for "".
func (m *Monitor) searchedUser(ctx context.Context, account int64, user string) (int64, error) {
	if user == "" {
		return 0, nil
	}
	if id, err := strconv.ParseInt(user, 10, 64); err == nil && id > 0 {
		return id, nil
	}
	id, err := operators.MemberByEmail(ctx, m.store.Queries, account, user)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, refusal(fmt.Sprintf("User: account %d has no member %q. Enter an id, such as 7, or the e-mail of a "+
			"member;"+
			" someone who is a member no longer is found by id alone.", account, user))
	}
	return id, err
}
