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
			const refused = "%s: %q is not a time. Write 2026-03-31 or 2026-03-31T15:04."
			wrong = append(wrong, fmt.Sprintf(refused, label, text(name)))
		}
		if name == "until" {
			return &end
		}
		return &begin
	}
	s.account, s.event = id("account_id", "Account"), word("event", "Event")
	s.EntityID, s.RecordID = id("entity_id", "Entity"), id("record_id", "Record")
	s.user, s.RequestID = word("user", "User"), word("request_id", "Request")
	s.Since, s.Until, s.Before = when("since", "Since"), when("until", "Until"), id("before", "Before")
	if text("account_id") == "" {
		wrong = append(wrong, "Account: enter its id. bordero account list shows the ids.")
	}
	if s.event != "" && !strings.Contains(s.event, ".") {
		s.event += ".*"
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
