package storage_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/cards"
	"bordero/storage/storagetest"
)

// An upload of release 0.1.0 shares its account, which does not conflict with the lock of an account that
// changes. What it attaches goes with the account.
func TestAnUploadToAnAccountThatGoesLeavesNoAttachment(t *testing.T) {
	t.Parallel()
	for name, removal := range map[string]func(testing.TB, *pricingHarness) func(context.Context, *storage.Tx) error{
		"with its sale": func(t testing.TB, s *pricingHarness) func(context.Context, *storage.Tx) error {
			s.rule(t, "pix", nil)
			id := s.sale(t, "pix", 1000, 1)
			s.price(t, 100)
			return func(ctx context.Context, tx *storage.Tx) error {
				return tx.WithdrawSales(ctx, s.AccountID, []int64{id}, tx.RemoveEmptied)
			}
		},
		"with its invoice": func(t testing.TB, s *pricingHarness) func(context.Context, *storage.Tx) error {
			k := &finance.CreditCard{
				AccountID: s.AccountID, EntityID: s.EntityID, Name: "Loja", Flag: "Visa", ClosingDay: ptr(int64(5)),
				ExpirationDay: ptr(int64(15)),
			}
			p := &finance.CreditCardTransaction{AccountID: s.AccountID, Amount: 1000}
			p.OccurredAt, _ = finance.NewDate(2026, 3, 1)
			s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
				if err := cards.Insert(ctx, tx, k); err != nil {
					return err
				}
				p.CreditCardID = k.ID
				return cards.InsertTransaction(ctx, tx, p)
			})
			return func(ctx context.Context, tx *storage.Tx) error {
				held, err := cards.LockTransaction(ctx, tx, s.scope(), k.ID, p.ID)
				if err != nil {
					return err
				}
				return cards.RemoveTransaction(ctx, tx, held)
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
				a AS (INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name,
					attachment_content_type, attachment_file_size)
					VALUES ($1, $2, 'k', 'a.txt', 'text/plain', 1) RETURNING id)
				INSERT INTO financial_account_attachments (account_id, financial_account_id, attachment_id) SELECT $1,
					f.id, a.id FROM f, a`,
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
			err = s.db.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM financial_accounts),
				(SELECT count(*) FROM attachments)`).
				Scan(&accounts, &attachments)
			if err != nil || accounts != 0 || attachments != 0 {
				t.Errorf("%d accounts and %d attachments are left, %v", accounts, attachments, err)
			}
		})
	}
}

// The removal of an attachment locks its records before it. It comes between two changes of a record, of
// which none has to be repeated, and no record keeps its former updated_at.
func TestARemovedAttachmentChangesItsRecords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		// change begins a change of an account, calls meanwhile, and ends it.
		change func(ctx context.Context, tx *storage.Tx, s storage.Scope, meanwhile func()) error
		want   string // the accounts that the removal changes
	}{
		"of a record that has it": {func(ctx context.Context, tx *storage.Tx, s storage.Scope, meanwhile func()) error {
			f, err := tx.LockFinancialAccountForDelete(ctx, s, finance.Payable, 1)
			if err != nil {
				return err
			}
			meanwhile()
			if err := tx.Share(ctx, s, finance.Access{Administrator: true}, storage.RefersTo(f),
				storage.Refers{References: &f.References}); err != nil {
				return err
			}
			return tx.UpdateFinancialAccount(ctx, f)
		}, "{1}"},
		"of one that gets it": {func(ctx context.Context, tx *storage.Tx, s storage.Scope, meanwhile func()) error {
			f, err := tx.LockFinancialAccountForDelete(ctx, s, finance.Payable, 2)
			if err != nil {
				return err
			}
			f.AttachmentIDs = finance.IDs{1}
			if err := tx.Share(ctx, s, finance.Access{Administrator: true}, storage.RefersTo(f),
				storage.Refers{References: &f.References}); err != nil {
				return err
			}
			meanwhile()
			return tx.UpdateFinancialAccount(ctx, f)
		}, "{1,2}"},
		"of one that loses it": {func(ctx context.Context, tx *storage.Tx, s storage.Scope, meanwhile func()) error {
			f, err := tx.LockFinancialAccountForDelete(ctx, s, finance.Payable, 1)
			if err != nil {
				return err
			}
			f.AttachmentIDs = nil
			meanwhile()
			return tx.UpdateFinancialAccount(ctx, f)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPricingHarness(t, true)
			_, err := s.db.ExecContext(t.Context(), `
				INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, amount, competency_month)
					SELECT 1, 1, 'payable', 1, '2026-03-01', 10, '2026-03-01' FROM generate_series(1, 2);
				INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name,
					attachment_content_type, attachment_file_size)
					VALUES (1, 1, 'k', 'a.txt', 'text/plain', 1);
				INSERT INTO financial_account_attachments (account_id, financial_account_id, attachment_id)
					VALUES (1, 1, 1);
				TRUNCATE unsealed_changes`)
			if err != nil {
				t.Fatal(err)
			}
			var runs atomic.Int32
			ended := make(chan error, 2)
			run := func(ctx context.Context, do func(*storage.Tx) error) {
				ended <- s.InTx(ctx, func(tx *storage.Tx) error {
					runs.Add(1)
					return do(tx)
				})
			}
			s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
				runs.Add(1)
				return c.change(ctx, tx, s.scope(), func() {
					go run(ctx, func(tx *storage.Tx) error {
						a, err := tx.LockAttachmentWithRecordsForDelete(ctx, s.scope(), finance.Access{
							Administrator: true}, 1)
						if err != nil {
							return err
						}
						return tx.RemoveAttachment(ctx, a)
					})
					storagetest.AwaitLock(t, s.db, 1)
					go run(ctx, func(tx *storage.Tx) error { return c.change(ctx, tx, s.scope(), func() {}) })
					storagetest.AwaitLock(t, s.db, 2)
				})
			})
			for range 2 {
				if err := <-ended; err != nil {
					t.Fatal(err)
				}
			}
			var left int
			var got string
			err = s.db.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM attachments),
				coalesce((SELECT string_agg(record_ids::text, ' ') FROM unsealed_changes), '')`).
				Scan(&left, &got)
			if err != nil || left != 0 || got != c.want || runs.Load() != 3 {
				t.Errorf("%d attachments are left, the accounts %q have changed, not %q, in %d transactions, %v", left,
					got, c.want, runs.Load(), err)
			}
		})
	}
}

// An attachment that a user detaches from its last record that is not hidden stays, although the removal of a hidden
// record waits for it.
func TestADetachedAttachmentOutlivesAHiddenRecord(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	d := storagetest.NewDepositAccount(t, s.Store, s.scope())
	if _, err := s.db.ExecContext(t.Context(), `
		INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, amount, competency_month)
			VALUES (1, 1, 'payable', 1, '2026-03-01', 10, '2026-03-01')`); err != nil {
		t.Fatal(err)
	}
	of := finance.FinancialTransaction{
		AccountID: s.AccountID, DepositAccountID: d.ID, Type: finance.Credit, Amount: 100,
		OccurredAt: finance.DateOf(time.Now()),
	}
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		if err := tx.InsertFinancialTransactions(ctx, []*finance.FinancialTransaction{&of}); err != nil {
			return err
		}
		if err := tx.InsertAttachment(ctx, finance.Access{Administrator: true}, &finance.Attachment{
			AccountID: s.AccountID, EntityID: s.EntityID, FileKey: "k", AttachmentFileName: "a.txt",
			AttachmentContentType: "text/plain", AttachmentFileSize: 1, TransactionIDs: finance.IDs{of.ID},
			AccountIDs: finance.IDs{1},
		}); err != nil {
			return err
		}
		return tx.Hide(ctx, "deposit_accounts", s.AccountID, d.ID)
	})
	removed := make(chan error, 1)
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		f, err := tx.LockFinancialAccountForDelete(ctx, s.scope(), finance.Payable, 1)
		if err != nil {
			return err
		}
		f.AttachmentIDs = nil
		if err := tx.UpdateFinancialAccount(ctx, f); err != nil {
			return err
		}
		go func() {
			removed <- s.InTx(t.Context(), func(tx *storage.Tx) error {
				return tx.RemoveAttachmentsOf(t.Context(), storage.AttachedTransaction, s.AccountID, []int64{of.ID})
			})
		}()
		storagetest.AwaitLock(t, s.db, 1)
		return nil
	})
	if err := <-removed; err != nil {
		t.Fatal(err)
	}
	var left int
	err := s.db.QueryRowContext(t.Context(), `SELECT count(*) FROM attachments`).Scan(&left)
	if err != nil || left != 1 {
		t.Errorf("%d attachments are left, %v", left, err)
	}
}

// An upload does not lock the deposit account of its transactions, which may be removed before the attachment is read
// back.
func TestAnUploadWhoseRecordsGoMeanwhileIsRefused(t *testing.T) {
	t.Parallel()
	s := storagetest.Borrow(t).Store
	scope := storagetest.NewTenant(t, s).Scope
	d := storagetest.NewDepositAccount(t, s, scope)
	sees := finance.Access{Administrator: true}
	of := finance.FinancialTransaction{
		AccountID: scope.AccountID, DepositAccountID: d.ID, Type: finance.Credit, Amount: 100,
		OccurredAt: finance.DateOf(time.Now()),
	}
	ctx := t.Context()
	if err := s.InTx(ctx, func(tx *storage.Tx) error {
		return tx.InsertFinancialTransactions(ctx, []*finance.FinancialTransaction{&of})
	}); err != nil {
		t.Fatal(err)
	}
	err := s.InTx(ctx, func(tx *storage.Tx) error {
		a := finance.Attachment{
			AccountID: scope.AccountID, EntityID: scope.EntityID, FileKey: "k", AttachmentFileName: "a.txt",
			AttachmentContentType: "text/plain", AttachmentFileSize: 1, TransactionIDs: finance.IDs{of.ID},
		}
		if err := tx.LockAttachables(ctx, scope, sees, &a); err != nil {
			t.Error(err)
		}
		if err := s.InTx(ctx, func(tx *storage.Tx) error {
			held, err := tx.LockDepositAccountForDelete(ctx, scope, d.ID)
			if err != nil {
				return err
			}
			return tx.RemoveDepositAccount(ctx, held)
		}); err != nil {
			t.Error(err)
		}
		return tx.InsertAttachment(ctx, sees, &a)
	})
	if invalid := (*finance.Invalid)(nil); !errors.As(err, &invalid) {
		t.Errorf("%v, want a refusal of the transaction", err)
	}
}
