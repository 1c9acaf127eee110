package cascade_test

import (
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// A reconciliation that commits after a cascade searched for reconciliations, but before it
// has its locks, is undone as well: none remains that has lost one side.
func TestAReconcileThatCommitsBesideACascadeIsUndone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fill        string // after deposit accounts 'gone' ($2) and 'kept' ($3)
		root, id    string
		account, tx string
		first       bool // the reconciliation takes its locks before the record is hidden
	}{
		"a transaction of a deposit account": {
			root: "deposit_accounts", id: `SELECT min(id) FROM deposit_accounts`, first: true,
			account: `SELECT id FROM financial_accounts WHERE description = 'r'`,
			tx:      `SELECT id FROM financial_transactions WHERE document = 'plain'`,
		},
		"the other side of a transfer": {
			root: "deposit_accounts", id: `SELECT min(id) FROM deposit_accounts`,
			account: `SELECT id FROM financial_accounts WHERE description = 'r'`,
			tx:      `SELECT id FROM financial_transactions WHERE document = 'there'`,
		},
		"the payable account of an invoice": {
			root: "credit_cards", id: `SELECT min(id) FROM credit_cards`, first: true,
			account: `SELECT id FROM financial_accounts WHERE description = 'i'`,
			tx:      `SELECT id FROM financial_transactions WHERE document = 'debit'`,
		},
		"the receivable account of a sale": {
			root: "sale_accounts", id: `SELECT min(id) FROM sale_accounts`, first: true,
			account: `SELECT id FROM financial_accounts WHERE description = 's'`,
			tx:      `SELECT id FROM financial_transactions WHERE document = 'plain2'`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDeletions(t)
			ctx := t.Context()
			gone, kept := storagetest.NewDepositAccount(t, d.Store, d.Scope), storagetest.NewDepositAccount(t, d.Store,
				d.Scope)
			d.exec(t, `INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at,
				currency_id, document)
				VALUES ($1, $2, 10, '2026-01-01', 1, 'plain'), ($1, $3, 10, '2026-01-01', 1, 'plain2'),
					($1, $3, -10, '2026-01-01', 1, 'debit')`, d.AccountID, gone.ID, kept.ID)
			d.exec(t, `WITH i AS (SELECT nextval('financial_transactions_id_seq') a,
				nextval('financial_transactions_id_seq') b)
				INSERT INTO financial_transactions (id, account_id, deposit_account_id, amount, occurred_at,
					currency_id, document, transfer_id, transfer_deposit_account_id)
				SELECT a, $1::bigint, $2::bigint, -10, date '2026-01-01', 1, 'here', b, $3::bigint FROM i UNION ALL
					SELECT b, $1, $3, 10, '2026-01-01', 1, 'there', a, $2 FROM i`,
				d.AccountID, gone.ID, kept.ID)
			d.exec(t, `UPDATE deposit_accounts d SET (transactions_sum, transactions_count, last_transaction_date) = (
				SELECT coalesce(sum(amount), 0), count(*), max(occurred_at) FROM financial_transactions t
					WHERE t.deposit_account_id = d.id)`)
			d.exec(t, `INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at,
				amount, total_amount, competency_month, description)
				VALUES ($1, $2, 'receivable', 2, '2026-01-01', '2026-01-01', 10, 10, '2026-01-01', 'r')`, d.AccountID,
				d.EntityID)
			d.exec(t, `INSERT INTO credit_cards (account_id, entity_id, name, flag) VALUES ($1, $2, 'c', 'Visa')`,
				d.AccountID, d.EntityID)
			d.exec(t, `INSERT INTO credit_card_billings (account_id, credit_card_id, starts_on, first_month,
				closing_day, expiration_day)
				SELECT account_id, id, '0001-01-01', '0001-01-01', 5, 15 FROM credit_cards`)
			d.exec(t, `INSERT INTO credit_card_invoices (account_id, credit_card_id, start_date, end_date, due_date,
				balance, transactions_count)
				SELECT account_id, id, '2026-02-06', '2026-03-05', '2026-03-15', 10, 1 FROM credit_cards`)
			d.exec(t, `INSERT INTO credit_card_transactions (account_id, credit_card_id, credit_card_invoice_id,
				amount, occurred_at)
				SELECT account_id, credit_card_id, id, 10, '2026-02-06' FROM credit_card_invoices`)
			d.exec(t, `INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at,
				amount, total_amount, competency_month, description, credit_card_invoice_id)
				SELECT account_id, $1, 'payable', 2, '2026-03-15', '2026-03-15', 10, 10, '2026-03-01', 'i', id
					FROM credit_card_invoices`, d.EntityID)
			d.exec(t, `INSERT INTO sale_accounts (account_id, entity_id, name, provider, payment_methods)
				VALUES ($1, $2, 's', 'cielo', 'pix')`, d.AccountID, d.EntityID)
			d.exec(t, `INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at,
				amount, total_amount, competency_month, description, sale_account_id, sales_count)
				SELECT account_id, entity_id, 'receivable', 2, '2026-01-01', '2026-01-01', 10, 10, '2026-01-01', 's',
					id, 1 FROM sale_accounts`)
			d.exec(t, `INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at,
				competency_month, nominal_amount, total_amount,
				status, awaiting_pricing, financial_account_id, receivable_amount, estimated_liquidated_at,
					liquidated_at)
				SELECT account_id, entity_id, sale_account_id, 'pix', '2026-01-01', '2026-01-01', 10, 10, 2, false, id,
					10, '2026-01-01', '2026-01-01'
				FROM financial_accounts WHERE description = 's'`)
			d.agree(t)
			root, account, transaction := d.number(t, c.id), d.number(t, c.account), d.number(t, c.tx)
			hide := func() { // as the API does
				d.exec(t, `UPDATE `+c.root+` SET deleted_at = now() WHERE id = $1`, root)
				d.exec(t, `INSERT INTO jobs (account_id, queue, kind, args) VALUES ($1, 'deletions', 'delete_cascade',
					json_build_object('account_id', $1::bigint, 'root', $2::text, 'id', $3::bigint))`, d.AccountID,
					c.root, root)
			}
			if !c.first {
				hide()
			}
			worked := make(chan error, 1)
			err := d.InTx(ctx, func(tx *storage.Tx) error {
				r, err := tx.LockReconcilable(ctx, finance.Access{UserID: d.UserID, AccountID: d.AccountID,
					Administrator: true}, d.Scope, []int64{account}, []int64{transaction})
				if err != nil {
					return err
				}
				if err := r.Validate(); err != nil {
					return err
				}
				if c.first {
					hide()
				}
				go func() { worked <- d.work(ctx, straight) }()
				storagetest.AwaitLock(t, d.db, 1) // the cascade has searched, and waits for our lock
				return tx.InsertReconcile(ctx, r)
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := <-worked; err != nil {
				t.Fatal(err)
			}
			d.agree(t)
			if n := d.number(t, `SELECT count(*) FROM reconciles`); n != 0 {
				t.Errorf("%d reconciles are left; accounts reconciled: %d, transactions reconciled: %d", n,
					d.number(t, `SELECT count(*) FROM financial_accounts WHERE reconcile_id IS NOT NULL`),
					d.number(t, `SELECT count(*) FROM financial_transactions WHERE reconcile_id IS NOT NULL`))
			}
		})
	}
}
