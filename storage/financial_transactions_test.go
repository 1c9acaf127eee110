package storage_test

import (
	"testing"

	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// A plan for an unknown limit would cost so much that PostgreSQL plans each request.
func TestThePlanOfAFirstPageIsReused(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s := storagetest.Open(t, url, storage.Options{Connections: 1}) // statements are prepared by connection
	scope := storagetest.NewTenant(t, s).Scope
	into, owner := storagetest.NewDepositAccount(t, s, scope), storagetest.DB(t, url)
	_, err := owner.Exec(`
		INSERT INTO financial_transactions (account_id, deposit_account_id, currency_id, amount, occurred_at)
		SELECT $1, $2, 1, n, date '2026-01-01' + n % 100 FROM generate_series(1, 20000) n`, into.AccountID, into.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := owner.Exec(`VACUUM ANALYZE financial_transactions`); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{20, 50, 500} { // the defaults of lists, and the largest
		for range 10 {
			page, err := s.FinancialTransactions(t.Context(), scope, into.ID, storage.List{Number: 1, Size: size})
			if err != nil || len(page.Items) != size {
				t.Fatal(len(page.Items), err)
			}
		}
	}
	made, err := db.Many[struct{ Own, Reused int }](t.Context(), s.DB, `
		SELECT custom_plans AS own, generic_plans AS reused FROM pg_prepared_statements WHERE statement LIKE '%FROM financial_transactions t%'`)
	if err != nil || len(made) != 3 {
		t.Fatal(made, err)
	}
	for _, m := range made {
		if m.Own != 5 || m.Reused != 5 {
			t.Errorf("of ten requests, %d were planned, and %d had the plan of others: %v", m.Own, m.Reused, made)
		}
	}
}
