package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"bordero/finance"

	"github.com/lib/pq"
)

// matched is how many accounts, and transactions, one request reconciles.
const matched = 500

// reconciling is the API over an entity with paid accounts and the transactions, of the same ids, that
// paid them.
type reconciling struct {
	*service
	account int64 // the deposit account
	ids     []int64
}

// measureReconcile compares a request that reconciles 500 accounts with 500 transactions with
// statements that do the same, run by the driver alone.
func measureReconcile(ctx context.Context, h *harness) (ours, floor figure) {
	r := reconciling{service: h.service(ctx, "api")}
	r.account = r.newDepositAccount(ctx)
	r.exec(ctx, `
		INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at, amount,
			total_amount, competency_month, description, document)
		SELECT $1, $2, 'payable', 2, day, day, cents / 100.0, cents / 100.0, date_trunc('month', day),
			'Fornecedor ' || n % 300, 'NF ' || n
		FROM (SELECT n, date '2025-01-01' + n * 7 % 365 AS day, 1000 + n * 7919 % 400000 AS cents
			FROM generate_series(1, $3::int) n) a`, r.AccountID, r.EntityID, matched)
	r.exec(ctx, `
		INSERT INTO financial_transactions (account_id, deposit_account_id, currency_id, amount, occurred_at,
			original_description)
		SELECT account_id, $1, 1, -amount, occurred_at + (id % 3)::int, 'PIX ENVIADO ' || upper(description)
		FROM financial_accounts ORDER BY id`, r.account)
	r.vacuum(ctx)
	for id := range int64(matched) {
		r.ids = append(r.ids, id+1)
	}
	document := string(must(json.Marshal(map[string]any{
		finance.SelectedAccounts: r.ids, finance.SelectedTransactions: r.ids,
	})))
	return r.again(func(ctx context.Context) {
		r.ask(ctx, http.MethodPost, r.path("/reconciles"), document, nil)
	}), r.again(r.bare)
}

// again reconciles repeatedly. It checks that all were reconciled, and undoes it, outside the measured
// time.
func (r reconciling) again(reconcile func(context.Context)) figure {
	return repeated(1, func(ctx context.Context) time.Duration {
		took := timed(func() { reconcile(ctx) })
		for _, query := range []string{
			`UPDATE financial_accounts SET status = 2, reconcile_id = NULL, before_reconcile = NULL WHERE status = 3`,
			`UPDATE financial_transactions SET reconcile_id = NULL WHERE reconcile_id IS NOT NULL`,
		} {
			if n := must(must(r.db.ExecContext(ctx, query)).RowsAffected()); n != matched {
				check(fmt.Errorf("%d records of %d were reconciled", n, matched))
			}
		}
		r.exec(ctx, `DELETE FROM reconciles`)
		r.vacuum(ctx, "financial_accounts", "financial_transactions")
		return took
	})
}

// bare reconciles with the driver alone: it locks, reads and updates the records, emits the events and
// encodes the answer. It reads the records before they are reconciled, when none refers to the others.
func (r reconciling) bare(ctx context.Context) {
	inTx(ctx, r.db, func(tx *sql.Tx) {
		ids := pq.Array(r.ids)
		must(tx.ExecContext(ctx, `SELECT id FROM financial_accounts WHERE account_id = $1 AND id = ANY($2)
			ORDER BY id FOR NO KEY UPDATE`, r.AccountID, ids))
		must(tx.ExecContext(ctx, `SELECT id FROM financial_transactions WHERE account_id = $1 AND id = ANY($2)
			ORDER BY id FOR NO KEY UPDATE`, r.AccountID, ids))
		answer := [][]any{readGolden("list.FinancialAccounts").rows(ctx, tx, r.AccountID, ids),
			readGolden("list.FinancialTransactions").rows(ctx, tx, r.AccountID, r.EntityID, r.account, "9999-12-31", 0,
				matched)}
		id := one[int64](ctx, tx, `INSERT INTO reconciles (account_id, entity_id, kind) VALUES ($1, $2, 'payable')
			RETURNING id`, r.AccountID, r.EntityID)
		must(tx.ExecContext(ctx, `UPDATE financial_transactions SET reconcile_id = $3, updated_at = now()
			WHERE account_id = $1 AND id = ANY($2)`, r.AccountID, ids, id))
		must(tx.ExecContext(ctx, `UPDATE financial_accounts f SET reconcile_id = $3, status = 3, updated_at = now(),
				before_reconcile = (SELECT to_jsonb(b) FROM (SELECT f.status, f.occurred_at, f.total_amount) b)
			WHERE account_id = $1 AND id = ANY($2)`, r.AccountID, ids, id))
		for name, values := range map[string]map[string]any{
			"emit":                    {"family": "reconciles", "action": "created", "ids": pq.Array([]int64{id})},
			"emit.reconcile_accounts": {"family": "payable_accounts", "action": "updated", "ids": ids},
			"emit.transactions.reconcile_transactions": {"family": "financial_transactions", "action": "updated",
				"ids": ids},
		} {
			readGolden(name).emit(ctx, tx, r.AccountID, r.EntityID, values)
		}
		must(json.Marshal(answer))
	})
}
