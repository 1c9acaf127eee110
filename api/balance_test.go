package api_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"bordero/finance"
	"bordero/internal/tier"
)

// Fifty clients write while others read: the balance is exact at every moment, and so are the
// count and last date stored with it.
func TestTheBalanceIsExactWhileManyWrite(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t, func(d *finance.DepositAccount) {
		initial := finance.Amount(1_00)
		d.InitialBalance = &initial
	})
	const below = "/entities/1/deposit_accounts/1/financial_transactions"

	var writers, readers sync.WaitGroup
	var done atomic.Bool
	n := tier.Size(16, 50)
	for i := range n {
		writers.Go(func() {
			// Each deletes a third of its transactions and changes another third.
			for j := range 6 {
				kind := []string{"Debit", "Credit"}[(i+j)%2]
				a := s.must(t, 201, "POST", below, document(fmt.Sprintf(
					`{"financial_transaction":{"type":%q,"amount":"%d.%02d","occurred_at":"2026-01-%02d"}}`, kind, i+1,
					j, j+1+i%20)))
				if a.status != 201 {
					return
				}
				path := a.header.Get("Location")[len(publicURL):]
				switch j % 3 {
				case 0:
					s.must(t, 200, "DELETE", path)
				case 1:
					s.must(t, 200, "PUT", path,
						document(fmt.Sprintf(`{"financial_transaction":{"amount":"%d.5","occurred_at":"2025-12-%02d",`+
							`"type":"Credit"}}`, j+i, i%28+1)))
				}
			}
		})
	}
	for range 2 {
		readers.Go(func() {
			for !done.Load() {
				s.must(t, 200, "GET", account)
				if off := s.discrepancy(t); off != "" {
					t.Error(off)
					return
				}
			}
		})
	}
	writers.Wait()
	done.Store(true)
	readers.Wait()

	if off := s.discrepancy(t); off != "" {
		t.Error(off)
	}
	equal(t, query[int](t, s, `SELECT transactions_count FROM deposit_accounts`), n*4)
	equal(t, s.call(t, "GET", account).at(t, "deposit_account.calculated_balance"),
		query[string](t, s, `SELECT trim_scale(1 + sum(amount)) || CASE WHEN scale(trim_scale(1 + sum(amount))) = 0
		THEN '.0' ELSE '' END FROM financial_transactions`))
}

// discrepancy describes how the deposit account differs from its transactions, in one snapshot. It
// is empty if they agree.
func (s *service) discrepancy(t *testing.T) (off string) {
	t.Helper()
	err := s.db.QueryRowContext(t.Context(), `
		SELECT CASE WHEN d.transactions_sum = t.sum AND d.transactions_count = t.count
			AND d.last_transaction_date IS NOT DISTINCT FROM t.last THEN ''
			ELSE format('the account has %s, %s, %s, its transactions %s', d.transactions_sum, d.transactions_count,
				d.last_transaction_date, t) END
		FROM deposit_accounts d, (SELECT coalesce(sum(amount), 0) AS sum, count(*) AS count, max(occurred_at) AS last
			FROM financial_transactions) t`).Scan(&off)
	if err != nil {
		return err.Error()
	}
	return off
}

// must is call for goroutines, which must not call FailNow.
func (s *service) must(t *testing.T, status int, method, path string, options ...option) answer {
	a, err := s.send(context.WithoutCancel(t.Context()), method, path, options...)
	if err == nil {
		err = openAPI().check(method, path, a)
	}
	if err != nil || a.status != status {
		t.Errorf("%s %s: %d, want %d: %v %s", method, path, a.status, status, err, a.body)
	}
	return a
}
