package imports

import (
	"context"
	"fmt"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
)

// PreviewStaged stores the staged items with the outcomes that an import would give them now. It
// changes nothing else and waits for no import. Items with a sum beyond an Amount are a
// finance.Invalid, as in StoreStaged.
func PreviewStaged(ctx context.Context, tx *storage.Tx, i storage.StatementImport) (imported Imported, err error) {
	if imported, err = placeStaged(ctx, tx, i, true); err != nil {
		return imported, fmt.Errorf("preview: %w", err)
	}
	if _, err = db.Exec(ctx, tx.DB, insertPreviewed, i.BankStatement.AccountID, i.BankStatement.ID); err != nil {
		return imported, fmt.Errorf("preview: %w", err)
	}
	if imported.Doubts, err = db.Many[finance.SuspectedDuplicate](ctx, tx.DB, selectSuspectedDuplicates); err != nil {
		return imported, fmt.Errorf("preview: %w", err)
	}
	_, _, err = countPlaced(ctx, tx, &imported)
	return imported, err
}

const insertPreviewed = `
	INSERT INTO previewed_items (account_id, bank_statement_id, number, line, day, amount, mark, outcome, fitid,
		document, description, suspect, replaces)
	SELECT $1, $2, i.*
	FROM (
		SELECT number, line, day, amount, mark, CASE WHEN fresh THEN 'imported' ELSE 'duplicate' END, fitid, document,
			description, suspect, CAST(NULL AS bigint) FROM placed
		UNION ALL ` + stagedIgnored + ` FROM staged WHERE ignored IS NOT NULL) i`

// comparePreview counts the items of an import with another outcome than in their preview. It reads
// nothing for a statement without a preview. It joins no tables, because they have no statistics:
// the planner might choose a nested loop over all items.
var comparePreview = db.Named("bank_statements.compare_preview", `
	WITH both_of AS (
		SELECT number, outcome AS previewed, NULL AS outcome FROM previewed_items WHERE `+ofPreview+`
		UNION ALL SELECT number, NULL, CASE WHEN fresh THEN 'imported' ELSE 'duplicate' END FROM placed
			WHERE EXISTS (SELECT FROM previewed_items WHERE `+ofPreview+`)
		UNION ALL SELECT number, NULL, ignored FROM staged WHERE ignored IS NOT NULL
			AND EXISTS (SELECT FROM previewed_items WHERE `+ofPreview+`)
	), items AS (SELECT max(previewed) AS previewed, max(outcome) AS outcome FROM both_of GROUP BY number)
	SELECT previewed, outcome, count(*) AS count FROM items WHERE previewed <> outcome GROUP BY 1, 2 ORDER BY 1, 2`)

const ofPreview = `account_id = @account AND bank_statement_id = @statement`

// LockBankStatement locks one statement of the deposit account FOR NO KEY UPDATE and reads it.
func LockBankStatement(ctx context.Context, tx *storage.Tx, s storage.Scope, depositAccount, id int64) (
	*finance.BankStatement,
	error) {
	b, err := db.One[finance.BankStatement](ctx, tx.DB, `SELECT `+storage.StatementColumns+`
		FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
		WHERE b.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND b.deposit_account_id = $3
			AND b.id = $4
		AND `+storage.StatementStays+` FOR NO KEY UPDATE OF b`, s.AccountID, s.EntityID, depositAccount, id)
	return &b, err
}

// ConfirmPreview makes an ordinary statement of a locked preview, as if its file had been uploaded
// now with the same choices, and enqueues its import. Its previewed items stay until the import
// ends.
func ConfirmPreview(ctx context.Context, tx *storage.Tx, b *finance.BankStatement) (err error) {
	*b, err = db.One[finance.BankStatement](ctx, tx.DB, `
		UPDATE bank_statements b
		SET preview_until = NULL, event_status = 'queued', event_output = NULL, event_started_at = NULL,
			event_finished_at = NULL,
			event_warnings = '[]', accept = $3, imported_items_count = 0,
			future_items_ignored_count = 0, amount_zero_items_ignored_count = 0, invalid_date_items_ignored_count = 0,
			pending_items_ignored_count = 0, balance_items_ignored_count = 0,
			duplicate_items_ignored_count = 0, other_account_items_ignored_count = 0,
				items_count = NULL,
			file_format = NULL, file_account_number = NULL, ledger_balance = NULL, ledger_balance_on = NULL,
				period_start = NULL, period_end = NULL,
			period_broken = false, first_item_on = NULL, last_item_on = NULL, updated_at = now()
		WHERE account_id = $1 AND id = $2 RETURNING `+storage.StatementColumns, b.AccountID, b.ID, b.Accept)
	if err != nil {
		return err
	}
	return tx.Enqueue(ctx, b.AccountID, jobs.ImportStatement{AccountID: b.AccountID, BankStatementID: b.ID,
		DepositAccountID: b.DepositAccountID})
}

// RemovePreviews deletes the expired previews, 100 in each transaction, and returns their number:
// it hides them, and jobs remove them with their files. A preview that is still being read is left
// until its end. It may run twice at once.
func RemovePreviews(ctx context.Context, s *storage.Store) (removed int64, err error) {
	const some = 100
	for n := int64(some); n == some; removed += n {
		err := s.InTx(ctx, func(tx *storage.Tx) error {
			over, err := db.Many[struct{ ID, AccountID int64 }](ctx, tx.DB, `
				WITH over AS MATERIALIZED (
					SELECT account_id, id FROM bank_statements
					WHERE preview_until <= now() AND event_status IN ('previewed', 'error') AND deleted_at IS NULL
					ORDER BY preview_until LIMIT $1 FOR UPDATE SKIP LOCKED)
				UPDATE bank_statements b SET deleted_at = now(), updated_at = now()
				FROM over o WHERE b.account_id = o.account_id AND b.id = o.id RETURNING b.id, b.account_id`, some)
			if err != nil {
				return err
			}
			n = int64(len(over))
			for _, b := range over {
				if err := tx.Enqueue(ctx, b.AccountID, jobs.DeleteBankStatement{
					AccountID: b.AccountID, BankStatementID: b.ID}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}
