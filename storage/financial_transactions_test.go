package storage_test

import (
	"testing"

	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// A plan for an unknown limit would cost so much that PostgreSQL plans each request.
func TestThePlanOfTheFirstPageIsReused(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s := storagetest.Open(t, url, storage.Options{Connections: 1}) // statements are prepared by connection
	owner := storagetest.NewTenant(t, storagetest.Open(t, url, storage.Options{}))
	scope := storage.Scope{AccountID: owner.AccountID, EntityID: owner.EntityID}
	into := storagetest.NewDepositAccount(t, s, scope)
	_, err := storagetest.DB(t, url).Exec(`
		INSERT INTO financial_transactions (account_id, deposit_account_id, currency_id, amount, occurred_at)
		SELECT $1, $2, 1, n, date '2026-01-01' + n % 100 FROM generate_series(1, 5000) n`, into.AccountID, into.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := storagetest.DB(t, url).Exec(`VACUUM ANALYZE financial_transactions`); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		page, err := s.FinancialTransactions(t.Context(), scope, into.ID, storage.List{Number: 1, Size: storage.DefaultPageSize})
		if err != nil || len(page.Items) != storage.DefaultPageSize {
			t.Fatal(len(page.Items), err)
		}
	}
	made, err := db.One[struct{ Own, Reused int }](t.Context(), s.DB, `
		SELECT custom_plans AS own, generic_plans AS reused FROM pg_prepared_statements WHERE statement LIKE '%FROM financial_transactions t%'`)
	if err != nil || made.Own != 5 || made.Reused != 5 {
		t.Errorf("of ten requests, the first five and the last five: %+v, %v", made, err)
	}
}
