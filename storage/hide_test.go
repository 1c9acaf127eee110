package storage_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/cards"
	"bordero/storage/storagetest"
)

// Of a payment or a reconciliation, and the deletion of the credit card or sale account that the
// account would go with, the one that comes second is refused.
func TestWhatGoesWithItsOwnerIsPaidBeforeOrNever(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind, liquidated, reconciled string
		fill                         string // the owner 1 of the financial account 1
		remove                       func(*testing.T, *storage.Tx, storage.Scope) error
	}{
		"a credit card": {
			"payable", finance.ErrInvoicePaid.Error(), finance.ErrInvoiceReconciled.Error(), `
			INSERT INTO credit_cards (account_id, entity_id, name, flag) VALUES (1, 1, 'c', 'Visa');
			INSERT INTO credit_card_billings (account_id, credit_card_id, starts_on, first_month, closing_day,
				expiration_day)
			VALUES (1, 1, '0001-01-01', '0001-01-01', 5, 15);
			INSERT INTO credit_card_invoices (account_id, credit_card_id, start_date, end_date, due_date, balance,
				transactions_count)
			VALUES (1, 1, '2026-02-06', '2026-03-05', '2026-03-15', 10, 1);
			INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month,
				credit_card_invoice_id)
			VALUES (1, 1, 'payable', '2026-03-15', 10, '2026-03-01', 1)`,
			func(t *testing.T, tx *storage.Tx, s storage.Scope) error {
				k, err := cards.LockAndRead(t.Context(), tx, s, 1)
				if err != nil {
					return err
				}
				return cards.Remove(t.Context(), tx, k)
			},
		},
		"a sale account": {
			"receivable", "Há vendas liquidadas", "Há vendas conciliadas", `
			INSERT INTO sale_accounts (account_id, entity_id, name, provider, payment_methods)
				VALUES (1, 1, 's', 'cielo', 'pix');
			INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month,
				sale_account_id, sales_count)
			VALUES (1, 1, 'receivable', '2026-03-15', 10, '2026-03-01', 1, 1)`,
			func(t *testing.T, tx *storage.Tx, s storage.Scope) error {
				a, err := tx.LockSaleAccount(t.Context(), finance.Access{AccountID: s.AccountID, Administrator: true},
					1)
				if err != nil {
					return err
				}
				return tx.RemoveSaleAccount(t.Context(), a)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := storagetest.Borrow(t)
			s, owner := database.Store, database.Owner
			scope := storagetest.NewTenant(t, s).Scope
			into := storagetest.NewDepositAccount(t, s, scope)
			ctx, kind := t.Context(), finance.AccountKind(c.kind)
			exec := func(statement string) {
				t.Helper()
				if _, err := owner.ExecContext(ctx, statement); err != nil {
					t.Fatal(err)
				}
			}
			exec(c.fill)
			day, _ := finance.NewDate(2026, 3, 15)
			amount := finance.Amount(10_00)
			if kind == finance.Payable {
				amount = -amount
			}
			moved := finance.FinancialTransaction{AccountID: scope.AccountID, DepositAccountID: into.ID, Amount: amount,
				OccurredAt: day}
			if err := s.InTx(ctx, func(tx *storage.Tx) error {
				return tx.InsertFinancialTransactions(ctx, []*finance.FinancialTransaction{&moved})
			}); err != nil {
				t.Fatal(err)
			}
			pay := func(tx *storage.Tx) error {
				f, err := tx.LockFinancialAccountForDelete(ctx, scope, kind, 1)
				if err != nil {
					return err
				}
				f.OccurredAt, f.TotalAmount = &day, &f.Amount
				if err := f.Settle(); err != nil {
					return err
				}
				return tx.UpdateFinancialAccount(ctx, f)
			}
			reconcile := func(tx *storage.Tx) error {
				q := finance.Reconciling{AccountIDs: []int64{1}, TransactionIDs: []int64{moved.ID}, SettleOpen: true}
				r, err := tx.LockReconcilable(ctx, finance.Access{AccountID: scope.AccountID, UserID: 1,
					Administrator: true}, scope, q.AccountIDs, q.TransactionIDs)
				if err != nil {
					return err
				}
				if err := errors.Join(q.Apply(r), r.Validate()); err != nil {
					return err
				}
				return tx.InsertReconcile(ctx, r)
			}
			remove := func(tx *storage.Tx) error { return c.remove(t, tx, scope) }
			// meet runs the second function while the first one's transaction is open, until it waits for a lock.
			meet := func(first, second func(*storage.Tx) error) (error, error) {
				waited := make(chan error, 1)
				err := s.InTx(ctx, func(tx *storage.Tx) error {
					err := first(tx)
					go func() { waited <- s.InTx(ctx, second) }()
					storagetest.AwaitLock(t, owner, 1)
					return err
				})
				return err, <-waited
			}

			for _, m := range []struct {
				name, refused string
				first, second func(*storage.Tx) error
			}{
				{"paid, then removed", c.liquidated, pay, remove},
				{"reconciled, then removed", c.reconciled, reconcile, remove},
				{"removed, then paid", storage.ErrNotFound.Error(), remove, pay},
				{"removed, then reconciled", "não existe: 1", remove, reconcile},
			} {
				if err, refused := meet(m.first, m.second); err != nil || refused == nil ||
					!strings.Contains(refused.Error(), m.refused) {
					t.Errorf("%s: %v, %v", m.name, err, refused)
				}
				exec(`UPDATE credit_cards SET deleted_at = NULL; UPDATE sale_accounts
					SET deleted_at = NULL; UPDATE financial_transactions SET reconcile_id = NULL;
					UPDATE financial_accounts SET status = 1, occurred_at = NULL, total_amount = NULL,
						reconcile_id = NULL, before_reconcile = NULL; DELETE FROM reconciles`)
			}
		})
	}
}

// Of a change of a record below a sale account or a deposit account, and the deletion of its parent, the change comes
// first
// and is deleted with it, or finds nothing.
func TestWhatIsBelowAParentChangesBeforeItsDeletionOrNever(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		table, parents string
		// the record 1, of the parent 1, and a parent 2
		fill   string
		change func(context.Context, *storage.Tx, storage.Scope) error // to the parent 2
		remove func(context.Context, *storage.Tx, storage.Scope) error
	}{
		"a sale": {
			"sales", "sale_accounts", `
			INSERT INTO sale_accounts (account_id, entity_id, name, provider, payment_methods)
			SELECT 1, 1, 's', 'cielo', 'pix' FROM generate_series(1, 2);
			INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month,
				nominal_amount, total_amount)
			VALUES (1, 1, 1, 'pix', '2026-03-04', '2026-03-01', 10, 10)`,
			func(ctx context.Context, tx *storage.Tx, s storage.Scope) error {
				v, err := tx.LockSaleForDelete(ctx, s, 1)
				if err != nil {
					return err
				}
				v.SaleAccountID = 2
				return tx.UpdateSale(ctx, v)
			},
			func(ctx context.Context, tx *storage.Tx, s storage.Scope) error {
				a, err := tx.LockSaleAccount(ctx, finance.Access{AccountID: s.AccountID, Administrator: true}, 1)
				if err != nil {
					return err
				}
				return tx.RemoveSaleAccount(ctx, a)
			},
		},
		"a budget": {
			"budgets", "classification_centers", `
			INSERT INTO classification_centers (account_id, entity_id, name, cost_center, revenue_center)
			SELECT 1, 1, 'c', true, true FROM generate_series(1, 2);
			INSERT INTO budgets (account_id, entity_id, month, category_id, classification_center_id, amount)
			VALUES (1, 1, '2026-08-01', 1, 1, 10)`,
			func(ctx context.Context, tx *storage.Tx, s storage.Scope) error {
				b, err := tx.LockBudget(ctx, s, 1)
				if err != nil {
					return err
				}
				other := int64(2)
				b.ClassificationCenterID = &other
				return tx.UpdateBudget(ctx, b)
			},
			func(ctx context.Context, tx *storage.Tx, s storage.Scope) error {
				return tx.RemoveClassificationCenter(ctx, &finance.ClassificationCenter{AccountID: s.AccountID, ID: 1})
			},
		},
		"a reconciliation rule": {
			"reconciliation_rules", "deposit_accounts", `
			INSERT INTO deposit_accounts (account_id, entity_id, name, deposit_account_type_id, currency_id)
			SELECT 1, 1, 'd', 1, 1 FROM generate_series(1, 2);
			INSERT INTO reconciliation_rules (account_id, entity_id, position, name, deposit_account_id, text_contains,
				new_account, match)
			VALUES (1, 1, 1, 'r', 1, '["a"]', false, true)`,
			func(ctx context.Context, tx *storage.Tx, s storage.Scope) error {
				r, err := tx.LockReconciliationRule(ctx, s, 1)
				if err != nil {
					return err
				}
				other := int64(2)
				r.DepositAccountID = &other
				return tx.UpdateReconciliationRule(ctx, r)
			},
			func(ctx context.Context, tx *storage.Tx, s storage.Scope) error {
				d, err := tx.LockDepositAccountForDelete(ctx, s, 1)
				if err != nil {
					return err
				}
				return tx.RemoveDepositAccount(ctx, d)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := storagetest.Borrow(t)
			s, owner := database.Store, database.Owner
			scope := storagetest.NewTenant(t, s).Scope
			ctx := t.Context()
			if _, err := owner.ExecContext(ctx, c.fill); err != nil {
				t.Fatal(err)
			}
			column := strings.TrimSuffix(c.parents, "s") + "_id"
			for _, m := range []struct {
				first, second func(context.Context, *storage.Tx, storage.Scope) error
				refused       error
				of            int64 // its parent in the end
			}{
				{c.change, c.remove, nil, 2},
				{c.remove, c.change, storage.ErrNotFound, 1},
			} {
				waited := make(chan error, 1)
				err := s.InTx(ctx, func(tx *storage.Tx) error {
					err := m.first(ctx, tx, scope)
					go func() {
						waited <- s.InTx(ctx, func(tx *storage.Tx) error {
							return m.second(ctx, tx, scope)
						})
					}()
					storagetest.AwaitLock(t, owner, 1)
					return err
				})
				if second := <-waited; err != nil || !errors.Is(second, m.refused) {
					t.Errorf("%v, then %v, not %v", err, second, m.refused)
				}
				var of int64
				if err := owner.QueryRowContext(ctx, `SELECT `+column+` FROM `+c.table).Scan(&of); err != nil ||
					of != m.of {
					t.Errorf("it is below %d, not %d: %v", of, m.of, err)
				}
				for _, again := range []string{`UPDATE ` + c.parents + ` SET deleted_at = NULL`, `UPDATE ` + c.table +
					` SET ` + column + ` = 1`} {
					if _, err := owner.ExecContext(ctx, again); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}
