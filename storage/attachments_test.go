package storage_test

import (
	"context"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// An upload shares its account, which does not conflict with the lock of an account that changes. What
// it attaches goes with the account.
func TestAnUploadToAnAccountThatGoesLeavesNoAttachment(t *testing.T) {
	t.Parallel()
	for name, removal := range map[string]func(testing.TB, *pricingHarness) func(context.Context, *storage.Tx) error{
		"with its sale": func(t testing.TB, s *pricingHarness) func(context.Context, *storage.Tx) error {
			s.rule(t, "pix", nil)
			id := s.sale(t, "pix", 1000, 1)
			s.price(t, 100)
			return func(ctx context.Context, tx *storage.Tx) error {
				return tx.WithdrawSales(ctx, s.AccountID, []int64{id})
			}
		},
		"with its invoice": func(t testing.TB, s *pricingHarness) func(context.Context, *storage.Tx) error {
			k := &finance.CreditCard{
				AccountID: s.AccountID, EntityID: s.EntityID, Name: "Loja", Flag: "Visa", ClosingDay: ptr(int64(5)), ExpirationDay: ptr(int64(15)),
			}
			p := &finance.CreditCardTransaction{AccountID: s.AccountID, Amount: 1000}
			p.OccurredAt, _ = finance.NewDate(2026, 3, 1)
			s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
				if err := tx.InsertCreditCard(ctx, k); err != nil {
					return err
				}
				p.CreditCardID = k.ID
				return tx.InsertCreditCardTransaction(ctx, p)
			})
			return func(ctx context.Context, tx *storage.Tx) error {
				held, err := tx.LockCreditCardTransaction(ctx, s.scope(), k.ID, p.ID)
				if err != nil {
					return err
				}
				return tx.RemoveCreditCardTransaction(ctx, held)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPricingHarness(t, true)
			remove := removal(t, s)
			upload, err := s.db.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer upload.Rollback()
			_, err = upload.ExecContext(t.Context(), `
				WITH f AS (SELECT id FROM financial_accounts FOR KEY SHARE),
				a AS (INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name, attachment_content_type, attachment_file_size)
					VALUES ($1, $2, 'k', 'a.txt', 'text/plain', 1) RETURNING id)
				INSERT INTO financial_account_attachments (account_id, financial_account_id, attachment_id) SELECT $1, f.id, a.id FROM f, a`,
				s.AccountID, s.EntityID)
			if err != nil {
				t.Fatal(err)
			}
			removed := make(chan error, 1)
			go func() {
				removed <- s.InTx(t.Context(), func(tx *storage.Tx) error { return remove(t.Context(), tx) })
			}()
			storagetest.AwaitLock(t, s.db, 1)
			if err := upload.Commit(); err != nil {
				t.Fatal(err)
			}
			if err := <-removed; err != nil {
				t.Fatal(err)
			}
			var accounts, attachments int
			err = s.db.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM financial_accounts), (SELECT count(*) FROM attachments)`).
				Scan(&accounts, &attachments)
			if err != nil || accounts != 0 || attachments != 0 {
				t.Errorf("%d accounts and %d attachments are left, %v", accounts, attachments, err)
			}
		})
	}
}
