package imports

import (
	"context"
	"fmt"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
)

// RestoreSigns makes the staged items of a statement credits, as its file writes them, if the
// stated balance of the statement proves it: our balance before the first item plus the items with
// their written signs is the stated balance, and with their present signs, which follow from their
// types, it is not. RestoreSigns reports whether it changed the items. Our balance is a proof only
// if the account has an initial balance, or if our balance agreed with the bank's at the end of an
// earlier statement.
func RestoreSigns(ctx context.Context, tx *storage.Tx, b *finance.BankStatement) (bool, error) {
	if b.LedgerBalance == nil || b.LedgerBalanceOn == nil {
		return false, nil
	}
	if !b.Preview {
		if _, err := db.Exec(ctx, tx.DB, takeTurn, b.DepositAccountID); err != nil {
			return false, fmt.Errorf("import: %w", err)
		}
	}
	wrong, err := db.One[bool](ctx, tx.DB, contradictTypes, b.AccountID, b.DepositAccountID, *b.LedgerBalance,
		*b.LedgerBalanceOn)
	if err != nil || !wrong {
		return false, err
	}
	_, err = db.Exec(ctx, tx.DB, `UPDATE staged SET amount = abs(amount) WHERE ignored IS NULL AND amount < 0`)
	return true, err
}

const contradictTypes = `
	SELECT known AND ours + written = $3 AND ours + typed <> $3
	FROM deposit_accounts d, LATERAL (
		SELECT min(day) AS first, coalesce(sum(amount) FILTER (WHERE day <= $4), 0) AS typed,
			coalesce(sum(abs(amount)) FILTER (WHERE day <= $4), 0) AS written
		FROM staged WHERE ignored IS NULL) s, LATERAL (
		SELECT coalesce(d.initial_balance, 0) + coalesce(sum(amount), 0) AS ours FROM financial_transactions
		WHERE account_id = $1 AND deposit_account_id = $2 AND occurred_at < s.first) t, LATERAL (
		SELECT d.initial_balance IS NOT NULL OR coalesce((
			SELECT b.ledger_balance = coalesce((SELECT sum(amount) FROM financial_transactions
				WHERE account_id = $1 AND deposit_account_id = $2 AND occurred_at <= b.ledger_balance_on), 0)
			FROM bank_statements b
			WHERE b.account_id = $1 AND b.deposit_account_id = $2 AND b.deleted_at IS NULL
				AND b.event_status = 'success'
				AND b.ledger_balance IS NOT NULL AND b.ledger_balance_on <= $4
			ORDER BY b.ledger_balance_on DESC, b.id DESC LIMIT 1), false) AS known) k
	WHERE d.account_id = $1 AND d.id = $2`
