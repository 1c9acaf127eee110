package storage_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/storagetest"
)

// sides are the books of a race: transaction 1, imported into deposit account 1, 2 of account 2 and 3
// of account 3 are sides of a transfer of 10.00; payable account 1 is of 10.00.
func sides(t testing.TB) importing {
	i := newImports(t)
	second, third := storagetest.NewDepositAccount(t, i.Store, i.scope()), storagetest.NewDepositAccount(t, i.Store,
		i.scope())
	if _, _, err := i.run(t.Context(), []imports.StagedItem{item(1, -1000, "", "TED")}); err != nil {
		t.Fatal(err)
	}
	day, _ := finance.NewDate(2026, 3, 3)
	err := i.InTx(t.Context(), func(tx *storage.Tx) error {
		for _, account := range []int64{second.ID, third.ID} {
			err := tx.InsertFinancialTransactions(t.Context(), []*finance.FinancialTransaction{{
				AccountID: i.into.AccountID, DepositAccountID: account, Amount: 1000, OccurredAt: day}})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	i.exec(t, `
		UPDATE bank_statements SET event_status = 'success', event_finished_at = now(), imported_items_count = 1,
			items_count = 1;
		INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at, amount,
			total_amount, competency_month)
		VALUES (1, 1, 'payable', 2, '2026-03-01', '2026-03-01', 10, 10, '2026-03-01')`)
	return i
}

// pair pairs transaction 1 with another.
func (i importing) pair(ctx context.Context, tx *storage.Tx, credit int64) error {
	p := finance.Transfer{AccountID: 1, EntityID: 1, DebitTransactionID: 1, CreditTransactionID: credit}
	if err := tx.LockPairable(ctx, i.scope(), &p); err != nil {
		return err
	}
	return tx.InsertTransfers(ctx, []*finance.Transfer{&p})
}

// Of a pair and whatever else wants one of its transactions at the same time, each may be first. The
// second waits, sees what the first did, and is refused or undoes the pair; neither is repeated.
func TestAPairAndWhatComesBesideIt(t *testing.T) {
	t.Parallel()
	type request func(context.Context, importing, *storage.Tx) error
	pair := func(ctx context.Context, i importing, tx *storage.Tx) error { return i.pair(ctx, tx, 2) }
	for name, c := range map[string]struct {
		other         request
		after, before string // what is refused: of the other after the pair, of the pair after the other
	}{
		"a pair with another": {func(ctx context.Context, i importing, tx *storage.Tx) error {
			return i.pair(ctx, tx, 3)
		}, "base", "base"},
		"a reconcile": {func(ctx context.Context, i importing, tx *storage.Tx) error {
			r, err := tx.LockReconcilable(ctx, finance.Access{UserID: 1, AccountID: 1, Administrator: true}, i.scope(),
				[]int64{1}, []int64{1})
			if err == nil {
				err = r.Validate()
			}
			if err != nil {
				return err
			}
			return tx.InsertReconcile(ctx, r)
		}, "base", "base"},
		"a change of the amount": {func(ctx context.Context, i importing, tx *storage.Tx) error {
			held, err := tx.LockFinancialTransactionForDelete(ctx, i.scope(), 2, 2)
			if err != nil {
				return err
			}
			before := *held
			held.Amount = 900
			if err := held.ValidateChange(before); err != nil {
				return err
			}
			return tx.UpdateFinancialTransaction(ctx, held)
		}, "base", "amount"},
		"a deletion": {func(ctx context.Context, i importing, tx *storage.Tx) error {
			held, err := tx.LockFinancialTransactionForDelete(ctx, i.scope(), 1, 1)
			if err != nil {
				return err
			}
			return tx.DeleteFinancialTransaction(ctx, held)
		}, "", "debit_transaction"},
		"a deletion of many": {func(ctx context.Context, i importing, tx *storage.Tx) error {
			return tx.RemoveFinancialTransactions(ctx, i.scope(), 1, []int64{1})
		}, "", "debit_transaction"},
		"a deletion of the statement": {func(ctx context.Context, i importing, tx *storage.Tx) error {
			b, err := imports.LockBankStatementForDelete(ctx, tx, i.scope(), 1, 1)
			if err != nil {
				return err
			}
			return imports.DeleteBankStatement(ctx, tx, b)
		}, "", "debit_transaction"},
		"a deletion of the deposit account": {func(ctx context.Context, i importing, tx *storage.Tx) error {
			d, err := tx.LockDepositAccountForDelete(ctx, i.scope(), 1)
			if err != nil {
				return err
			}
			return tx.RemoveDepositAccount(ctx, d)
		}, "", "debit_transaction"},
	} {
		for order, o := range map[string]struct {
			first, second request
			refused       string
		}{"after": {pair, c.other, c.after}, "before": {c.other, pair, c.before}} {
			t.Run(name+" "+order, func(t *testing.T) {
				t.Parallel()
				i := sides(t)
				ctx, db := t.Context(), i.owner
				var runs atomic.Int64
				second := make(chan error, 1)
				err := i.InTx(ctx, func(tx *storage.Tx) error {
					if err := o.first(ctx, i, tx); err != nil {
						return err
					}
					if runs.Add(1) == 1 {
						go func() {
							second <- i.InTx(ctx, func(tx *storage.Tx) error {
								runs.Add(1)
								return o.second(ctx, i, tx)
							})
						}()
						storagetest.AwaitLock(t, db, 1)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				err = <-second
				var invalid *finance.Invalid
				if errors.As(err, &invalid) != (o.refused != "") || err != nil &&
					(invalid == nil || invalid.Messages[0].Attribute != o.refused) {
					t.Errorf("the second: %v, want it refused for %q", err, o.refused)
				}
				if n := runs.Load(); n != 2 {
					t.Errorf("both were run %d times together", n)
				}
				i.agree(t)
				if i.value(t, `SELECT count(*) FROM bank_statements WHERE deleted_at IS NOT NULL`) > 0 {
					if _, err := i.work(ctx, 10); err != nil {
						t.Fatal(err)
					}
					i.agree(t)
				}
				if n := i.value(t, `SELECT count(*) FROM financial_transactions WHERE id = 2`); n != 1 {
					t.Error("the other side is gone")
				}
			})
		}
	}
}

// A chunk of an undone import locks the other sides of its pairs, undoes these, and leaves the other
// sides with their balance.
func TestAnUndoneImportUndoesItsPairs(t *testing.T) {
	t.Parallel()
	i := sides(t)
	if err := i.InTx(t.Context(), func(tx *storage.Tx) error { return i.pair(t.Context(), tx, 2) }); err != nil {
		t.Fatal(err)
	}
	if err := i.delete(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	i.agree(t) // until the worker comes they stay paired
	if n := i.value(t, `SELECT count(*) FROM transfers`); n != 1 {
		t.Errorf("%d pairs", n)
	}
	if done, err := i.work(t.Context(), 10); err != nil || !done {
		t.Fatal(done, err)
	}
	i.agree(t)
	if n := i.value(t,
		`SELECT count(*) FROM financial_transactions WHERE transfer_id IS NULL AND pair_id IS NULL`); n != 2 {
		t.Errorf("%d transactions remain on their own, want 2", n)
	}
	if n := i.value(t, `SELECT count(*) FROM transfers`); n != 0 {
		t.Errorf("%d pairs", n)
	}
}
