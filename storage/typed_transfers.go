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
// transaction ends. An account that the entity does not have or that is in another currency, and a
// change of the other account of a stored transfer, are a finance.Invalid.
func (tx *Tx) ShareTransfer(ctx context.Context, s Scope, t *finance.FinancialTransaction,
	before finance.FinancialTransaction) error {
	if finance.SameID(t.TransferDepositAccountID, before.TransferDepositAccountID) {
		return nil
	}
	if t.ID != 0 {
		return finance.Refuse(transferAttribute, messages.Unchangeable)
	}
	same, err := db.One[bool](ctx, tx.DB, `
		SELECT o.currency_id = d.currency_id FROM deposit_accounts o JOIN deposit_accounts d
			ON d.account_id = o.account_id AND d.id = $4
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
	sides, err := db.Many[finance.FinancialTransaction](ctx, tx.DB, insertTransferSides.SQL,
		insertTransferSides.Args(db.Args{
			"account": t.AccountID, "deposit_account": t.DepositAccountID,
			"other_deposit_account": t.TransferDepositAccountID,
			"amount":                t.Amount, "day": t.OccurredAt, "document": t.Document,
			"description": t.UserDescription, "external_id": t.ExternalID,
			"observation": t.Observation,
			"category":    t.CategoryID, "person": t.PersonID, "center": t.ClassificationCenterID,
		})...)
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

var insertTransferSides = db.Named("transfers.insert_typed", `
	WITH ids AS (SELECT nextval(s) AS here, nextval(s) AS there
		FROM CAST(pg_get_serial_sequence('financial_transactions', 'id') AS regclass) s)
	INSERT INTO financial_transactions AS t (id, account_id, deposit_account_id, amount, occurred_at, document,
		user_description, external_id,
		observation, category_id, person_id, classification_center_id, transfer_id, transfer_deposit_account_id,
			currency_id)
	SELECT s.id, d.account_id, d.id, s.amount, @day, @document, @description,
		CASE s.id WHEN here THEN @external_id::text END, @observation, @category, @person, @center,
		s.other_id, s.other_account, d.currency_id
	FROM ids, LATERAL (VALUES (here, @deposit_account::bigint, @amount::numeric, there, @other_deposit_account::bigint),
			(there, @other_deposit_account, -@amount, here, @deposit_account))
		AS s (id, deposit_account, amount, other_id, other_account)
	JOIN deposit_accounts d ON d.account_id = @account AND d.id = s.deposit_account
	RETURNING `+BareTransactionColumns)

// moveOtherSide updates the other side of a changed transaction, if it is a typed transfer.
func (tx *Tx) moveOtherSide(ctx context.Context, t *finance.FinancialTransaction) error {
	other := t.OtherSide()
	if other == nil {
		return nil
	}
	_, err := db.Exec(ctx, tx.DB, `
		UPDATE financial_transactions SET amount = $3, occurred_at = $4, updated_at = now() WHERE account_id = $1
			AND id = $2`,
		t.AccountID, other.ID, other.Amount, other.OccurredAt)
	return err
}

// moveSides adds a movement of the transaction to the balance of its deposit account,
// and the opposite to that of the other account of a typed transfer.
func (tx *Tx) moveSides(t *finance.FinancialTransaction, m BalanceChange) {
	tx.Move(t.AccountID, t.DepositAccountID, m)
	if other := t.OtherSide(); other != nil {
		m.Sum = -m.Sum
		tx.Move(t.AccountID, other.DepositAccountID, m)
	}
}
