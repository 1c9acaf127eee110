package cli

import (
	"errors"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/jobs"
	"bordero/monitor"
	"bordero/storage"
	"bordero/storage/storagetest"

	"github.com/google/go-cmp/cmp"
)

// The audit finds what it is asked for in one account, and names its members.
func TestTheAuditSearchesOneAccount(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	ana, other := storagetest.NewTenant(t, s), storagetest.NewTenant(t, s)
	for _, tenant := range []storagetest.Tenant{ana, other} {
		ctx := jobs.WithAuthor(jobs.WithRequestID(t.Context(), "r-1"), jobs.By{UserID: tenant.UserID, Token: "abcdef"})
		err := s.InTx(ctx, func(tx *storage.Tx) error {
			return tx.Emit(ctx, finance.Event{Family: finance.SalesFamily, Action: finance.Updated, AccountID: tenant.AccountID, EntityID: tenant.EntityID, ParentID: 5,
				IDs: []int64{7}, Attributes: `{"name":["A","B"]}`})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		ctx := jobs.WithAuthor(t.Context(), jobs.By{Job: "price_sales"})
		return tx.Emit(ctx, finance.Event{Family: finance.SalesFamily, Action: finance.Updated, AccountID: ana.AccountID, EntityID: ana.EntityID, IDs: []int64{7, 8}})
	})
	if err != nil {
		t.Fatal(err)
	}
	storagetest.Seal(t, s)
	p := &process{store: s}
	emails, err := s.MemberEmails(t.Context(), ana.AccountID, []int64{ana.UserID, other.UserID})
	if err != nil || len(emails) != 1 {
		t.Fatalf("%v, %v", emails, err)
	}
	email := emails[ana.UserID]
	for name, c := range map[string]struct {
		search monitor.ChangeSearch
		want   int
	}{
		"a record": {monitor.ChangeSearch{Event: "sales.*", RecordID: 7}, 2}, "a record with another": {monitor.ChangeSearch{Event: "sales.updated", RecordID: 8}, 1},
		"a request": {monitor.ChangeSearch{RequestID: "r-1"}, 1}, "an e-mail": {monitor.ChangeSearch{User: strings.ToUpper(email)}, 1},
		"no event": {monitor.ChangeSearch{Event: "sales.destroyed"}, 0}, "another entity": {monitor.ChangeSearch{EntityID: other.EntityID}, 0},
	} {
		c.search.AccountID = ana.AccountID
		if page, err := p.searchChanges(t.Context(), c.search); err != nil || len(page.List) != c.want || page.Next != 0 {
			t.Errorf("%s: %+v, %v", name, page, err)
		}
	}
	page, err := p.searchChanges(t.Context(), monitor.ChangeSearch{AccountID: ana.AccountID, Event: "sales.updated"})
	if err != nil || len(page.List) != 2 || page.Account == "" {
		t.Fatalf("%+v, %v", page, err)
	}
	want := []monitor.Change{
		{Event: "sales.updated", EntityID: ana.EntityID, RecordIDs: []int64{7, 8}, Job: "price_sales"},
		{Event: "sales.updated", EntityID: ana.EntityID, ParentID: 5, RecordIDs: []int64{7}, RequestID: "r-1", UserID: ana.UserID, Email: email, Token: "abcdef", Attributes: `{"name":["A","B"]}`},
	}
	for i := range want {
		want[i].Sequence, want[i].OccurredAt = page.List[i].Sequence, page.List[i].OccurredAt
	}
	if d := cmp.Diff(want, page.List); d != "" || page.List[0].Sequence != page.List[1].Sequence+1 || page.List[0].OccurredAt.IsZero() {
		t.Errorf("%d after %d: %s", page.List[0].Sequence, page.List[1].Sequence, d)
	}
	for want, search := range map[string]monitor.ChangeSearch{
		"there is no account 99.":          {AccountID: 99},
		`has no member "eve@example.com".`: {AccountID: ana.AccountID, User: "eve@example.com"},
		`there is no event "sale.*".`:      {AccountID: ana.AccountID, Event: "sale.*"},
	} {
		var refusal monitor.Refusal
		if _, err := p.searchChanges(t.Context(), search); !errors.As(err, &refusal) || !strings.Contains(string(refusal), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
	for _, event := range changeEvents() {
		if _, err := storage.ParseChangeEvent(event); err != nil {
			t.Errorf("%s is proposed, and refused", event)
		}
	}
}
