package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/db"
	"bordero/internal/tier"
	"bordero/storage"
)

// follower is a client that copies a list by its changes alone. It stores, for each record, when
// it changed.
type follower struct {
	list  string
	mark  string
	known map[int64]string
}

// pass reads all changes since the mark, and takes the next mark.
func (f *follower) pass(s *e2etest.Site) error {
	next := ""
	for page := 1; ; page++ {
		a, err := s.Do(http.MethodGet, fmt.Sprintf("%s?per_page=500&page=%d&search[updated_at_gte]=%s", f.list, page,
			f.mark), "", nil)
		if err != nil || a.Status != http.StatusOK {
			return fmt.Errorf("%v %v", err, e2etest.Refused{Answer: a})
		}
		if page == 1 {
			next = a.Header.Get("X-Changes-Until")
		}
		var records []map[string]struct {
			ID        int64
			UpdatedAt string `json:"updated_at"`
		}
		if err := json.Unmarshal(a.Body, &records); err != nil {
			return err
		}
		for _, record := range records {
			for _, r := range record {
				f.known[r.ID] = r.UpdatedAt
			}
		}
		if len(records) < 500 {
			f.mark = next
			return nil
		}
	}
}

// Changes of imports, pricings and slow transactions become visible when they commit, with the
// time at which they began.
func TestAFollowerMissesNothing(t *testing.T) {
	t.Parallel()
	items, slow := tier.Size(2000, 40_000), tier.Size(0.8, 2.5)
	s := e2etest.New(t, e2etest.Set("BORDERO_MAX_STATEMENT_BYTES=100000000"))
	s.Serve()
	s.Worker()
	s.Start("work", "sales").Ready()
	into := s.NewDepositAccount(t, "")
	transactions := fmt.Sprintf("/entities/%d/deposit_accounts/%d/financial_transactions", s.Entity, into)
	sales := fmt.Sprintf("/entities/%d/sales", s.Entity)
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	var account struct {
		SaleAccount struct{ ID int64 } `json:"sale_account"`
	}
	must(s.Post("/sale_accounts", map[string]any{"sale_account": map[string]any{
		"entity_id": s.Entity, "name": "Cielo", "provider": "cielo", "payment_methods": "pix"}}, &account))
	must(s.Post(fmt.Sprintf("/sale_accounts/%d/rules", account.SaleAccount.ID), map[string]any{
		"sale_rule": map[string]any{
			"payment_method": "pix", "fee_percentage": "2", "days_to_liquidation": 30}}, &struct{}{}))

	var changes sync.WaitGroup
	typed := map[string]any{
		"financial_transaction": map[string]any{"type": "Debit", "amount": 1, "occurred_at": "2026-03-04"}}
	must(s.Post(transactions, typed, &struct{}{}))
	s.MustUpload(t, into, statementtest.OFX(items))
	changes.Go(func() {
		for range 30 {
			must(s.Post(transactions, typed, &struct{}{}))
			must(s.Post(sales, map[string]any{"sale": map[string]any{
				"sale_account_id": account.SaleAccount.ID, "payment_method": "pix", "nominal_amount": "1",
				"occurred_at": "2026-03-01"}}, &struct{}{}))
		}
	})
	store := openStore(t, s)
	changes.Go(func() { // slowly
		ctx := context.WithoutCancel(t.Context())
		for round := range 3 {
			must(store.InTx(ctx, func(tx *storage.Tx) error {
				n, err := db.Exec(ctx, tx.DB, `
					UPDATE financial_transactions SET observation = $1, updated_at = now()
						WHERE id IN (SELECT max(id) FROM financial_transactions)`, fmt.Sprint("slow ", round))
				if err != nil {
					return err
				}
				if n != 1 {
					t.Errorf("a slow transaction changes %d records", n)
				}
				_, err = db.Exec(ctx, tx.DB, `SELECT pg_sleep($1)`, slow)
				return err
			}))
		}
	})
	ended := make(chan struct{})
	go func() { changes.Wait(); close(ended) }()

	followers := []*follower{{transactions, "2020-01-01", map[int64]string{}},
		{sales, "2020-01-01", map[int64]string{}}}
	for last := false; !last; {
		select {
		case <-ended:
			last = e2etest.Value[bool](t, s.DB, `SELECT event_status = $1 FROM bank_statements`,
				finance.ImportSuccess) && e2etest.Value[int](t, s.DB, `SELECT count(*) FROM jobs`) == 0
		default:
		}
		for _, f := range followers {
			if err := f.pass(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, f := range followers {
		all := &follower{f.list, "2020-01-01", map[int64]string{}}
		must(all.pass(s))
		if len(all.known) < 30 || !maps.Equal(f.known, all.known) {
			missed := 0
			for id, at := range all.known {
				if f.known[id] != at {
					missed++
				}
			}
			t.Errorf("%s: of %d records %d were missed", f.list, len(all.known), missed)
		}
	}
	if n := len(followers[0].known); n != items+31 {
		t.Errorf("%d transactions", n)
	}
}
