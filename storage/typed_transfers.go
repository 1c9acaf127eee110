package storage

import (
	"context"
	"errors"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
)

// transferAttribute is the name of the other deposit account in messages.
const transferAttribute = "transfer_deposit_account"

// ShareTransfer locks the other deposit account of a new transfer FOR KEY SHARE until the
// transaction ends. One that the entity does not have or that is in another currency, and a change
// of the other account of a stored transfer, are a finance.Invalid.
func (tx *Tx) ShareTransfer(ctx context.Context, s Scope, t *finance.FinancialTransaction, before finance.FinancialTransaction) error {
	if finance.SameID(t.TransferDepositAccountID, before.TransferDepositAccountID) {
		return nil
	}
	if t.ID != 0 {
		return finance.Refuse(transferAttribute, messages.Unchangeable)
	}
	same, err := db.One[bool](ctx, tx.DB, `
		SELECT o.currency_id = d.currency_id FROM deposit_accounts o JOIN deposit_accounts d ON d.account_id = o.account_id AND d.id = $4
		WHERE o.account_id = $1 AND o.entity_id = $2 AND o.id = $3 AND o.deleted_at IS NULL FOR KEY SHARE OF o`,
		s.AccountID, s.EntityID, *t.TransferDepositAccountID, t.DepositAccountID)
	switch {
	case errors.Is(err, ErrNotFound):
		return finance.Refuse(transferAttribute, messages.NotExisting)
	case err == nil && !same:
		return finance.Refuse(transferAttribute, messages.OtherCurrency)
	}
	return err
}

// insertTransfer stores both sides of a new transfer in one statement, because each refers
// to the other. The other side begins as OtherSide.
func (tx *Tx) insertTransfer(ctx context.Context, t *finance.FinancialTransaction) error {
	sides, err := db.Many[finance.FinancialTransaction](ctx, tx.DB, `
		WITH ids AS (SELECT nextval(s) AS here, nextval(s) AS there
			FROM CAST(pg_get_serial_sequence('financial_transactions', 'id') AS regclass) s)
		INSERT INTO financial_transactions AS t (id, account_id, deposit_account_id, amount, occurred_at, document, user_description,
			observation, category_id, person_id, classification_center_id, transfer_id, transfer_deposit_account_id, currency_id)
		SELECT s.id, d.account_id, d.id, s.amount, $4, $5, $6, $7, $8, $9, $10, s.other_id, s.other_account, d.currency_id
		FROM ids, LATERAL (VALUES (here, $2::bigint, $3::numeric, there, $11::bigint), (there, $11, -$3, here, $2))
			AS s (id, deposit_account, amount, other_id, other_account)
		JOIN deposit_accounts d ON d.account_id = $1 AND d.id = s.deposit_account
		RETURNING `+bareTransactionColumns,
		t.AccountID, t.DepositAccountID, t.Amount, t.OccurredAt, t.Document, t.UserDescription, t.Observation,
		t.CategoryID, t.PersonID, t.ClassificationCenterID, t.TransferDepositAccountID)
	if err != nil {
		return err
	}
	for _, side := range sides {
		if side.DepositAccountID == t.DepositAccountID {
			*t = side
			return nil
		}
	}
	return ErrNotFound
}

// moveOtherSide updates the other side of a changed transaction, if it is a typed transfer.
func (tx *Tx) moveOtherSide(ctx context.Context, t *finance.FinancialTransaction) error {
	other := t.OtherSide()
	if other == nil {
		return nil
	}
	_, err := db.Exec(ctx, tx.DB, `
		UPDATE financial_transactions SET amount = $3, occurred_at = $4, updated_at = now() WHERE account_id = $1 AND id = $2`,
		t.AccountID, other.ID, other.Amount, other.OccurredAt)
	return err
}

// moveSides adds a movement of the transaction to the balance of its deposit account,
// and the opposite to that of the other account of a typed transfer.
func (tx *Tx) moveSides(t *finance.FinancialTransaction, m movement) {
	tx.move(t.AccountID, t.DepositAccountID, m)
	if other := t.OtherSide(); other != nil {
		m.sum = -m.sum
		tx.move(t.AccountID, other.DepositAccountID, m)
	}
}
