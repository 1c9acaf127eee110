package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"bordero/finance"
	"bordero/monitor"
	"bordero/storage"
)

// changeEvents lists the events of the feed, as a search names them.
func changeEvents() (all []string) {
	for _, family := range finance.ChangeFamilies {
		all = append(all, string(family)+".*")
		for _, action := range finance.Actions {
			all = append(all, string(family)+"."+string(action))
		}
	}
	return all
}

// searchChanges reads a page of changes for the monitor.
func (p *process) searchChanges(ctx context.Context, s monitor.ChangeSearch) (page monitor.Changes, err error) {
	page.Account, err = p.store.AccountName(ctx, s.AccountID)
	if errors.Is(err, storage.ErrNotFound) {
		return page, monitor.Refusal(fmt.Sprintf("Account: there is no account %d. bordero account list shows the ids.", s.AccountID))
	}
	if err != nil {
		return page, err
	}
	search := storage.ChangeSearch{RequestID: s.RequestID, Since: s.Since, Until: s.Until, Before: s.Before}
	if s.Event != "" {
		if search.ChangeFilter, err = storage.ParseChangeEvent(s.Event); err != nil {
			return page, monitor.Refusal(fmt.Sprintf("Event: there is no event %q. Name a family, such as sales.*, or one event, such as sales.updated; the field proposes all.", s.Event))
		}
	}
	search.EntityID, search.RecordID = s.EntityID, s.RecordID
	if search.UserID, err = p.searchedUser(ctx, s.AccountID, s.User); err != nil {
		return page, err
	}
	found, err := p.store.SearchChanges(ctx, s.AccountID, search, watched)
	if err != nil {
		return page, err
	}
	var users []int64
	for _, c := range found.Changes {
		users = append(users, *cmp.Or(c.UserID, new(int64)))
	}
	emails, err := p.store.MemberEmails(ctx, s.AccountID, users)
	page.List = each(found.Changes, func(c storage.Change) monitor.Change { return shownChange(c, emails) })
	page.Next = found.Next
	return page, err
}

// searchedUser returns the id of a user, given as such or as a member's e-mail; 0 for "".
func (p *process) searchedUser(ctx context.Context, account int64, user string) (int64, error) {
	if user == "" {
		return 0, nil
	}
	if id, err := strconv.ParseInt(user, 10, 64); err == nil && id > 0 {
		return id, nil
	}
	id, err := p.store.MemberByEmail(ctx, account, user)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, monitor.Refusal(fmt.Sprintf("User: account %d has no member %q. Enter an id, such as 7, or the e-mail of a member; someone who is a member no longer is found by id alone.", account, user))
	}
	return id, err
}

func shownChange(c storage.Change, emails map[int64]string) monitor.Change {
	zero, empty := new(int64), new(string)
	user := *cmp.Or(c.UserID, zero)
	return monitor.Change{
		Sequence: c.Sequence, Event: string(c.Family) + "." + string(c.Action), EntityID: *cmp.Or(c.EntityID, zero), ParentID: *cmp.Or(c.ParentID, zero),
		RecordIDs: c.RecordIDs, OccurredAt: c.OccurredAt, RequestID: *cmp.Or(c.RequestID, empty), UserID: user, Email: emails[user],
		Token: *cmp.Or(c.Token, empty), Job: *cmp.Or(c.Job, empty), Attributes: *cmp.Or(c.Attributes, empty),
	}
}
