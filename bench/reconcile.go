package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"bordero/finance"
	"bordero/storage"

	"github.com/lib/pq"
)

// matched is how many accounts, and transactions, one request reconciles.
const matched = 500

// matching is the API over an entity with paid accounts and the transactions that paid them.
type matching struct {
	lease
	tenant
	addr    string
	account int64 // the deposit account
}

func newMatching(ctx context.Context, h *harness) (m matching, err error) {
	if m.lease, err = h.lease(ctx); err != nil {
		return m, err
	}
	store, err := storage.Open(m.databaseURL, storage.Options{Timezone: zone})
	if err != nil {
		return m, err
	}
	defer store.Close()
	if m.tenant, err = newTenant(ctx, store, "0123456789abcdef"); err != nil {
		return m, err
	}
	if m.account, err = newDepositAccount(ctx, store, m.tenant); err != nil {
		return m, err
	}
	m.addr = freeAddr()
	return m, h.bordero(ctx, m.lease, m.addr, "api")
}

// records creates n accounts and as many transactions over a year. Four in five are pairs a day
// or two apart; the rest match nothing.
func (m matching) records(ctx context.Context, n int) error {
	for _, query := range []string{`
		INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at, amount,
			total_amount, competency_month, description, document)
		SELECT $1, $2, 'payable', 2, day, day, cents / 100.0, cents / 100.0, date_trunc('month', day),
			'Fornecedor ' || n % 300, 'NF ' || n
		FROM (SELECT n, date '2025-01-01' + n * 7 % 365 AS day, 1000 + n * 7919 % 400000 AS cents
			FROM generate_series(1, $3::int) n) a`, `
		INSERT INTO financial_transactions (account_id, deposit_account_id, currency_id, amount, occurred_at,
			original_description)
		SELECT $1, $2, 1, -(CASE WHEN n % 5 = 0 THEN 1000 + n * 6007 % 400000
			ELSE 1000 + n * 7919 % 400000 END) / 100.0,
			date '2025-01-01' + n * 7 % 365 + n % 3, 'PIX ENVIADO FORNECEDOR ' || n % 300
		FROM generate_series(1, $3::int) n`} {
		of := m.EntityID
		if bytes.Contains([]byte(query), []byte("financial_transactions")) {
			of = m.account
		}
		if _, err := m.db.ExecContext(ctx, query, m.AccountID, of, n); err != nil {
			return err
		}
	}
	_, err := m.db.ExecContext(ctx, `VACUUM ANALYZE`)
	return err
}

// ask sends a request and returns how long the whole answer took.
func (m matching) ask(ctx context.Context, method, path, document string) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+m.addr+path, bytes.NewReader([]byte(document)))
	if err != nil {
		return 0, err
	}
	req.SetBasicAuth(m.token, "x")
	req.Header.Set("ACCOUNT_ID", strconv.FormatInt(m.AccountID, 10)) // needed where a path's user has several
	req.Header.Set("Content-Type", "application/json")
	began := time.Now()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s", res.Status, body)
	}
	return time.Since(began), err
}

// newMatched is the API over 500 paid accounts and the transactions, of the same ids, that paid
// them.
func newMatched(ctx context.Context, h *harness) (m matching, ids []int64, err error) {
	if m, err = newMatching(ctx, h); err != nil {
		return m, nil, err
	}
	if err := m.records(ctx, matched); err != nil {
		return m, nil, err
	}
	for i := range int64(matched) {
		ids = append(ids, i+1)
	}
	_, err = m.db.ExecContext(ctx, `UPDATE financial_transactions SET amount = -f.amount FROM financial_accounts f
		WHERE f.id = financial_transactions.id`)
	return m, ids, err
}

// requests measures the request that reconciles the records, with adjustments of the accounts.
func (m matching) requests(ids []int64, adjustments ...map[string]any) (figure, error) {
	document, err := json.Marshal(map[string]any{
		finance.SelectedAccounts: ids, finance.SelectedTransactions: ids, finance.AdjustmentList: adjustments,
	})
	path := fmt.Sprintf("/entities/%d/reconciles", m.EntityID)
	return m.again(func(ctx context.Context) (time.Duration, error) {
		return m.ask(ctx, http.MethodPost, path, string(document))
	}), err
}

// measureReconcile compares a request that reconciles 500 accounts with 500 transactions with
// the same statements, run by the driver alone.
func measureReconcile(ctx context.Context, h *harness) (ours, floor figure, err error) {
	m, ids, err := newMatched(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	ours, err = m.requests(ids)
	return ours, m.again(func(ctx context.Context) (time.Duration, error) { return m.bare(ctx, ids) }), err
}

// again reconciles repeatedly, and undoes it outside the measured time.
func (m matching) again(reconcile func(context.Context) (time.Duration, error)) figure {
	return func(ctx context.Context, d time.Duration) (sample, error) {
		var took time.Duration
		n := 0
		for ; n == 0 || took < d; n++ {
			once, err := reconcile(ctx)
			if err != nil {
				return sample{}, err
			}
			took += once
			if err := m.undo(ctx); err != nil {
				return sample{}, err
			}
		}
		return sample{value: float64(n) / took.Seconds()}, nil
	}
}

// undo checks that all were reconciled, and undoes it.
func (m matching) undo(ctx context.Context) error {
	var all [2]int64
	for i, query := range []string{
		`UPDATE financial_accounts SET status = 2, reconcile_id = NULL, before_reconcile = NULL,
			interest_amount = NULL, discount_amount = NULL WHERE status = 3`,
		`UPDATE financial_transactions SET reconcile_id = NULL WHERE reconcile_id IS NOT NULL`,
	} {
		done, err := m.db.ExecContext(ctx, query)
		if err != nil {
			return err
		}
		if all[i], err = done.RowsAffected(); err != nil {
			return err
		}
	}
	if all != [2]int64{matched, matched} {
		return fmt.Errorf("%d were reconciled", all)
	}
	for _, query := range []string{`DELETE FROM reconciles`, `VACUUM financial_accounts`,
		`VACUUM financial_transactions`} {
		if _, err := m.db.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

// bare runs the statements of storage.LockReconcilable, InsertReconcile and Emit.
func (m matching) bare(ctx context.Context, ids []int64) (time.Duration, error) {
	began := time.Now()
	tx, err := m.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() // no-op after a commit
	all := pq.Array(ids)
	var id int64
	err = tx.QueryRowContext(ctx, `INSERT INTO reconciles (account_id, entity_id, kind) VALUES ($1, $2, 'payable')
		RETURNING id`, m.AccountID, m.EntityID).Scan(&id)
	if err != nil {
		return 0, err
	}
	const told = `
		WITH changed AS (
			INSERT INTO unsealed_changes (account_id, family, action, entity_id, record_ids) VALUES ($1, $4, 'updated',
				$2, $3::bigint[]) RETURNING id)
		INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, status, change_id)
		SELECT $1, w.id, $4, 'updated', r.id, $2, 'pending', c.id FROM changed c, webhooks w,
			unnest($3::bigint[]) AS r (id)
		WHERE w.account_id = $1 AND w.entity_id = $2 RETURNING webhook_id`
	for _, s := range []struct {
		query string
		args  []any
	}{
		{`SELECT id FROM entities WHERE account_id = $1 AND id = $2 FOR KEY SHARE`, []any{m.AccountID, m.EntityID}},
		{`SELECT id, kind, status, occurred_at, amount, ticket_amount, interest_amount, discount_amount, total_amount
			FROM financial_accounts
			WHERE account_id = $1 AND entity_id = $2 AND id = ANY($3) ORDER BY id FOR NO KEY UPDATE`,
			[]any{m.AccountID, m.EntityID, all}},
		{`SELECT t.id, t.deposit_account_id, t.amount, t.reconcile_id
			FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
				AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND t.id = ANY($3) ORDER BY t.id FOR NO KEY UPDATE OF t`,
			[]any{m.AccountID, m.EntityID, all}},
		{`UPDATE financial_transactions t SET reconcile_id = $3, updated_at = now() WHERE t.account_id = $1
			AND t.id = ANY($2) RETURNING t.*,
			(SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]')
				FROM financial_transaction_attachments x
				WHERE x.account_id = t.account_id AND x.financial_transaction_id = t.id)`,
			[]any{m.AccountID, all, id}},
		{`UPDATE financial_accounts f SET reconcile_id = $3, status = 3, expected_deposit_account_id = $4,
			updated_at = now(),
			before_reconcile = (SELECT to_jsonb(b) FROM (SELECT f.status, f.occurred_at, f.total_amount,
				f.ticket_amount, f.interest_amount,
				f.discount_amount, f.withheld_tax_amount, f.fee_amount, f.expected_deposit_account_id) b)
			WHERE f.account_id = $1 AND f.id = ANY($2) RETURNING f.*,
			(SELECT max(p.id) FROM financial_accounts p WHERE p.account_id = f.account_id
				AND p.recurrence_id = f.recurrence_id AND p.id < f.id),
			(SELECT min(n.id) FROM financial_accounts n WHERE n.account_id = f.account_id
				AND n.recurrence_id = f.recurrence_id AND n.id > f.id),
			(SELECT coalesce(json_agg(json_build_object('TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.line),
				'[]')
				FROM financial_account_taxes x WHERE x.account_id = f.account_id AND x.financial_account_id = f.id),
			CASE WHEN f.sale_account_id IS NULL THEN '[]'
				ELSE (SELECT coalesce(json_agg(json_build_object('ID', m.id)), '[]') FROM (
				SELECT id FROM sales WHERE account_id = f.account_id AND financial_account_id = f.id ORDER BY id
					LIMIT 20) m) END,
			(SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]')
				FROM financial_account_attachments x
				WHERE x.account_id = f.account_id AND x.financial_account_id = f.id),
			(SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName',
				k.name, 'ValueID', v.id,
				'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
				FROM financial_account_custom_classifications x
				JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
					AND v.deleted_at IS NULL
				JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
				WHERE x.account_id = f.account_id AND x.financial_account_id = f.id),
			(SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CenterID', z.id, 'Name', z.name, 'Amount',
				x.amount::text,
				'Percentage', x.percentage::text) ORDER BY x.id), '[]')
				FROM financial_account_center_classifications x
				JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id
					AND z.deleted_at IS NULL
				WHERE x.account_id = f.account_id AND x.financial_account_id = f.id)`,
			[]any{m.AccountID, all, id, m.account}},
		{told, []any{m.AccountID, m.EntityID, all, "payable_accounts"}},
		{told, []any{m.AccountID, m.EntityID, all, "financial_transactions"}},
	} {
		if err := drain(tx.QueryContext(ctx, s.query, s.args...)); err != nil {
			return 0, err
		}
	}
	err = tx.Commit()
	return time.Since(began), err
}

// drain reads all rows, as bytes.
func drain(rows *sql.Rows, err error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(columns))
	for i := range values {
		values[i] = new(sql.RawBytes)
	}
	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			return err
		}
	}
	return rows.Err()
}
