package imports

import (
	"context"
	"encoding/json"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
)

// ImportedNumber is an account number that an imported file names.
type ImportedNumber struct {
	Number   string
	Accepted bool // with WarnOtherAccount
}

// ImportedNumbers returns the account numbers that the statements of a deposit account name, as
// their files write them; the first is the suggested one. An import into the deposit account calls
// it after takeTurn.
func ImportedNumbers(ctx context.Context, tx *storage.Tx, account, depositAccount int64) ([]ImportedNumber, error) {
	return db.Many[ImportedNumber](ctx, tx.DB, `
		SELECT file_account_number AS number, bool_or(accept @> jsonb_build_array($3::text)) AS accepted
		FROM bank_statements
		WHERE account_id = $1 AND deposit_account_id = $2 AND deleted_at IS NULL AND event_status = 'success'
			AND file_account_number IS NOT NULL
		GROUP BY 1 ORDER BY min(id)`, account, depositAccount, finance.WarnOtherAccount)
}

// TakeTurn waits until no other import into the deposit account is running, and keeps them waiting until
// the transaction ends.
func TakeTurn(ctx context.Context, tx *storage.Tx, depositAccount int64) error {
	_, err := db.Exec(ctx, tx.DB, takeTurn, depositAccount)
	return err
}

// NumberSuggested emits a change of the deposit account of a statement that was imported or deleted
// in this transaction, if that changed the suggested account number. It locks the row of the
// deposit account, so that of two such transactions the second sees the first.
func NumberSuggested(ctx context.Context, tx *storage.Tx, b *finance.BankStatement, imported bool) error {
	if b.FileAccountNumber == nil {
		return nil
	}
	_, err := db.Exec(ctx, tx.DB, `SELECT FROM deposit_accounts WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`,
		b.AccountID, b.DepositAccountID)
	if err != nil {
		return err
	}
	d, err := db.One[struct {
		EntityID        int64
		Present, Absent *string // the suggested number with and without the statement
	}](ctx, tx.DB, `
		SELECT entity_id, CASE WHEN account_number IS NULL THEN (
				SELECT b.file_account_number FROM bank_statements b
				WHERE `+storage.NamesNumber+` AND (b.deleted_at IS NULL OR b.id = $3) ORDER BY b.id
					LIMIT 1) END AS present,
			CASE WHEN account_number IS NULL THEN (
				SELECT b.file_account_number FROM bank_statements b
				WHERE `+storage.NamesNumber+` AND b.deleted_at IS NULL AND b.id <> $3 ORDER BY b.id
					LIMIT 1) END AS absent
		FROM deposit_accounts WHERE account_id = $1 AND id = $2`, b.AccountID, b.DepositAccountID, b.ID)
	if err != nil || finance.OrZero(d.Present) == finance.OrZero(d.Absent) {
		return err
	}
	change := []*string{d.Absent, d.Present}
	if !imported {
		change = []*string{d.Present, d.Absent}
	}
	attributes, err := json.Marshal(map[string][]*string{"suggested_account_number": change})
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `UPDATE deposit_accounts SET updated_at = now() WHERE account_id = $1 AND id = $2`,
		b.AccountID, b.DepositAccountID)
	if err != nil {
		return err
	}
	return tx.Emit(ctx, finance.Event{
		Family: finance.DepositAccountsFamily, Action: finance.Updated,
		AccountID: b.AccountID, EntityID: d.EntityID, IDs: []int64{b.DepositAccountID}, Attributes: string(attributes),
	})
}
