package storage

import (
	"context"

	"bordero/finance"
)

// transactionColumns are read with the alias t.
const transactionColumns = `t.id, t.account_id, t.deposit_account_id, CASE WHEN t.amount < 0 THEN 'Debit' ELSE 'Credit' END AS type, t.amount,
	t.occurred_at, t.guid, t.document, t.original_description, t.user_description, t.observation, t.bank_statement_id,
	t.currency_id, t.created_at, t.updated_at`

var transactionFilters = map[string]filter{
	"updated_at_gte": {"t.updated_at >= CAST(? AS timestamptz)", moment},
}

// FinancialTransactions is one page of the transactions of a deposit account of
// the entity, newest first. How many there are is a column of the account, so
// that without a filter the first page costs the same whatever the account holds.
func (q Queries) FinancialTransactions(ctx context.Context, s Scope, depositAccount int64, l List) (Listed[finance.FinancialTransaction], error) {
	const newestFirst = "t.occurred_at DESC, t.id DESC"
	if len(l.Search) > 0 {
		return list[finance.FinancialTransaction](ctx, q.q, l, transactionFilters, transactionColumns,
			`financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND t.deposit_account_id = $3`, newestFirst, s.AccountID, s.EntityID, depositAccount)
	}
	var listed Listed[finance.FinancialTransaction]
	var err error
	listed.Total, err = one[int64](ctx, q.q, `
		SELECT transactions_count FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3`,
		s.AccountID, s.EntityID, depositAccount)
	if err != nil {
		return listed, err
	}
	listed.Items, err = many[finance.FinancialTransaction](ctx, q.q, `SELECT `+transactionColumns+`
		FROM financial_transactions t WHERE t.account_id = $1 AND t.deposit_account_id = $2
		ORDER BY `+newestFirst+` LIMIT $3 OFFSET $4`, s.AccountID, depositAccount, l.Size, l.offset())
	return listed, err
}

// FinancialTransaction reads one transaction of a deposit account of the entity.
func (q Queries) FinancialTransaction(ctx context.Context, s Scope, depositAccount, id int64) (*finance.FinancialTransaction, error) {
	t, err := one[finance.FinancialTransaction](ctx, q.q, `SELECT `+transactionColumns+`
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND t.deposit_account_id = $3 AND t.id = $4`,
		s.AccountID, s.EntityID, depositAccount, id)
	return &t, err
}

// LockFinancialTransaction reads one transaction to change it.
func (tx *Tx) LockFinancialTransaction(ctx context.Context, s Scope, depositAccount, id int64) (*finance.FinancialTransaction, error) {
	t, err := one[finance.FinancialTransaction](ctx, tx.q, `SELECT `+transactionColumns+`
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND t.deposit_account_id = $3 AND t.id = $4 FOR UPDATE OF t`,
		s.AccountID, s.EntityID, depositAccount, id)
	return &t, err
}

// InsertFinancialTransaction keeps a new transaction in the currency of its
// deposit account, and the account's new balance.
func (tx *Tx) InsertFinancialTransaction(ctx context.Context, t *finance.FinancialTransaction) (err error) {
	*t, err = one[finance.FinancialTransaction](ctx, tx.q, `
		INSERT INTO financial_transactions AS t (account_id, deposit_account_id, amount, occurred_at, document, user_description, observation, currency_id)
		SELECT account_id, id, $3, $4, $5, $6, $7, currency_id FROM deposit_accounts WHERE account_id = $1 AND id = $2
		RETURNING `+transactionColumns,
		t.AccountID, t.DepositAccountID, t.Amount, t.OccurredAt, t.Document, t.UserDescription, t.Observation)
	if err != nil {
		return err
	}
	return tx.settle(ctx, t.AccountID, t.DepositAccountID, movement{sum: t.Amount, count: 1, newest: t.OccurredAt})
}

// UpdateFinancialTransaction keeps what has changed of a transaction that was
// locked, and the account's new balance.
func (tx *Tx) UpdateFinancialTransaction(ctx context.Context, t *finance.FinancialTransaction) error {
	before, err := one[finance.FinancialTransaction](ctx, tx.q, `SELECT `+transactionColumns+`
		FROM financial_transactions t WHERE t.account_id = $1 AND t.id = $2`, t.AccountID, t.ID)
	if err != nil {
		return err
	}
	*t, err = one[finance.FinancialTransaction](ctx, tx.q, `
		UPDATE financial_transactions AS t
		SET amount = $3, occurred_at = $4, document = $5, user_description = $6, observation = $7, updated_at = now()
		WHERE t.account_id = $1 AND t.id = $2 RETURNING `+transactionColumns,
		t.AccountID, t.ID, t.Amount, t.OccurredAt, t.Document, t.UserDescription, t.Observation)
	if err != nil {
		return err
	}
	m := movement{sum: t.Amount - before.Amount, settled: t.OccurredAt != before.OccurredAt}
	if m == (movement{}) {
		return nil
	}
	return tx.settle(ctx, t.AccountID, t.DepositAccountID, m)
}

// DeleteFinancialTransaction removes a transaction that was locked. What was
// imported stays remembered, so that the same file does not bring it back.
func (tx *Tx) DeleteFinancialTransaction(ctx context.Context, t *finance.FinancialTransaction) error {
	_, err := exec(ctx, tx.q, `DELETE FROM financial_transactions WHERE account_id = $1 AND id = $2`, t.AccountID, t.ID)
	if err != nil {
		return err
	}
	return tx.settle(ctx, t.AccountID, t.DepositAccountID, movement{sum: -t.Amount, count: -1, settled: true})
}
