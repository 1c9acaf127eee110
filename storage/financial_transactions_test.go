package storage_test

import (
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/list"
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
			page, err := s.FinancialTransactions(t.Context(), scope, into.ID, list.Query{Number: 1, Size: size})
			if err != nil || len(page.Items) != size {
				t.Fatal(len(page.Items), err)
			}
		}
	}
	made, err := db.Many[struct{ Own, Reused int }](t.Context(), s.DB, `
		SELECT custom_plans AS own, generic_plans AS reused FROM pg_prepared_statements
			WHERE statement LIKE '%FROM financial_transactions t%'`)
	if err != nil || len(made) != 3 {
		t.Fatal(made, err)
	}
	for _, m := range made {
		if m.Own != 5 || m.Reused != 5 {
			t.Errorf("of ten requests, %d were planned, and %d had the plan of others: %v", m.Own, m.Reused, made)
		}
	}
}

func TestALockThatWaitedForAnUploadSeesIt(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	x := finance.FinancialTransaction{AccountID: b.into.AccountID, DepositAccountID: b.into.ID, Amount: 100}
	x.OccurredAt, _ = finance.NewDate(2026, time.March, 4)
	if err := b.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.InsertFinancialTransactions(t.Context(), []*finance.FinancialTransaction{&x})
	}); err != nil {
		t.Fatal(err)
	}
	upload, err := b.owner.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer upload.Rollback()
	_, err = upload.ExecContext(t.Context(), `
		WITH a AS (INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name,
			attachment_content_type, attachment_file_size)
			VALUES ($1, $2, 'k', 'a.txt', 'text/plain', 1) RETURNING id)
		INSERT INTO financial_transaction_attachments (account_id, financial_transaction_id, attachment_id) SELECT $1,
			$3, id FROM a`,
		b.into.AccountID, b.into.EntityID, x.ID)
	if err != nil {
		t.Fatal(err)
	}
	var held *finance.FinancialTransaction
	done := make(chan error, 1)
	go func() {
		done <- b.InTx(t.Context(), func(tx *storage.Tx) (err error) {
			held, err = tx.LockFinancialTransactionForDelete(t.Context(), b.scope(), b.into.ID, x.ID)
			return err
		})
	}()
	storagetest.AwaitLock(t, b.owner, 1)
	if err := upload.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if len(held.AttachmentIDs) != 1 {
		t.Errorf("the transaction has the attachments %v", held.AttachmentIDs)
	}
}
