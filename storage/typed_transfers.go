package storage

import (
	"cmp"
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
)

// transferAttribute is the name of the other deposit account in messages.
const transferAttribute = "transfer_deposit_account"

// ShareTransfer is ShareTransfers for one new or changed transaction. A change of the other account of a stored
// transfer is a finance.Invalid. A client need not know that its transaction became a side of a pair: no other account
// is no change then.
func (tx *Tx) ShareTransfer(ctx context.Context, s Scope, t *finance.FinancialTransaction,
	before finance.FinancialTransaction) error {
	if finance.SameID(t.TransferDepositAccountID, before.TransferDepositAccountID) ||
		before.PairID != nil && t.TransferDepositAccountID == nil {
		return nil
	}
	if t.ID != 0 {
		return finance.Refuse(transferAttribute, messages.Unchangeable)
	}
	faults, err := tx.ShareTransfers(ctx, s, []*finance.FinancialTransaction{t})
	return cmp.Or(err, faults[0])
}

// ShareTransfers locks the other deposit accounts of new transfers from one deposit account FOR KEY SHARE until the
// transaction ends. It returns the fault of each transaction: an account that the entity does not have or that is in
// another currency is a finance.Invalid.
func (tx *Tx) ShareTransfers(ctx context.Context, s Scope, all []*finance.FinancialTransaction) ([]error, error) {
	faults := make([]error, len(all))
	var others []int64
	for _, t := range all {
		if t.TransferDepositAccountID != nil {
			others = append(others, *t.TransferDepositAccountID)
		}
	}
	if len(others) == 0 {
		return faults, nil
	}
	held, err := db.Many[struct {
		ID           int64
		SameCurrency bool
	}](ctx, tx.DB, `
		SELECT o.id, o.currency_id = d.currency_id AS same_currency FROM deposit_accounts o JOIN deposit_accounts d
			ON d.account_id = o.account_id AND d.id = $4
		WHERE o.account_id = $1 AND o.entity_id = $2 AND o.id = ANY($3) AND o.deleted_at IS NULL
		ORDER BY o.id FOR KEY SHARE OF o`, s.AccountID, s.EntityID, others, all[0].DepositAccountID)
	if err != nil {
		return faults, err
	}
	same := map[int64]bool{}
	for _, o := range held {
		same[o.ID] = o.SameCurrency
	}
	for i, t := range all {
		if t.TransferDepositAccountID == nil {
			continue
		}
		switch sameCurrency, exists := same[*t.TransferDepositAccountID]; {
		case !exists:
			faults[i] = finance.Refuse(transferAttribute, messages.NotExisting)
		case !sameCurrency:
			faults[i] = finance.Refuse(transferAttribute, messages.OtherCurrency)
		}
	}
	return faults, nil
}

var (
	typedTransferColumns = db.ColumnsOf[finance.FinancialTransaction](
		`external_id, amount, transfer_deposit_account_id, ` + sharedBySides)
	// insertTypedTransfers stores transactions with the other sides of those that are transfers. It stores both sides
	// in one statement, because each refers to the other. The other side begins as OtherSide.
	insertTypedTransfers = db.Named("transfers.insert_typed", `
		WITH n AS (
			SELECT nextval('financial_transactions_id_seq') AS here, CASE WHEN transfer_deposit_account_id IS NOT NULL
				THEN nextval('financial_transactions_id_seq') END AS there, `+typedTransferColumns.List("")+`
			FROM json_populate_recordset(NULL::financial_transactions, @transactions))
		INSERT INTO financial_transactions AS t (id, account_id, deposit_account_id, currency_id, amount, external_id,
			transfer_id, transfer_deposit_account_id, `+sharedBySides+`)
		SELECT side.id, d.account_id, d.id, d.currency_id, side.amount, side.external_id,
			side.transfer_id, side.other_account, `+sharedBySides+`
		FROM n
		CROSS JOIN LATERAL (VALUES
			(here, @deposit_account::bigint, amount, external_id, there, transfer_deposit_account_id),
			(there, transfer_deposit_account_id, -amount, NULL, here, @deposit_account)
		) AS side (id, account, amount, external_id, transfer_id, other_account)
		JOIN deposit_accounts d ON d.account_id = @account AND d.id = side.account
		ORDER BY side.id
		RETURNING `+BareTransactionColumns)
)

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
