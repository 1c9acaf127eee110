package storage

import (
	"context"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage/list"
)

// StatementColumns are the columns of a bank statement b.
const StatementColumns = `b.id, b.account_id, b.deposit_account_id, b.file_key, b.file_file_name, b.file_content_type,
	b.file_file_size,
	b.file_updated_at, b.event_id, b.event_status, b.event_output, b.event_started_at, b.event_finished_at, ` +
	`b.event_warnings, b.accept, b.statement_mapping,
	b.imported_items_count,
	b.future_items_ignored_count, b.amount_zero_items_ignored_count, b.invalid_date_items_ignored_count,
	b.pending_items_ignored_count, b.balance_items_ignored_count, b.duplicate_items_ignored_count,
	b.other_account_items_ignored_count, ` +
	`b.items_count, b.file_account_number,
	b.ledger_balance, b.ledger_balance_on, ` + PeriodStart + ` AS period_start, ` + PeriodEnd +
	` AS period_end, b.period_broken,
	b.created_at, b.updated_at, b.preview_until IS NOT NULL AS preview`

// The period of a statement b. Releases until 0.1.0 store it as the file states it: some begin with
// the last day.
const (
	PeriodStart = `CASE WHEN b.period_start > b.period_end THEN b.period_end ELSE b.period_start END`
	PeriodEnd   = `CASE WHEN b.period_start > b.period_end THEN b.period_start ELSE b.period_end END`
)

// StatementStays is the condition for statements b that are neither deleted nor expired previews.
const StatementStays = `b.deleted_at IS NULL AND coalesce(b.preview_until > now(), true)`

var statementFilters = list.Table("BankStatement", map[string]list.Filter{
	"updated_at_gte": list.ChangedSince("b."),
})

// BankStatements reads one page of the statements of a deposit account of the entity, newest
// first.
func (q Queries) BankStatements(ctx context.Context, s Scope, depositAccount int64,
	l list.Query) (list.Page[finance.BankStatement], error) {
	return list.Read[finance.BankStatement](ctx, q.DB, l, statementFilters, StatementColumns,
		`bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
		WHERE b.account_id = @account AND d.entity_id = @entity AND d.deleted_at IS NULL
			AND b.deposit_account_id = @deposit_account AND `+StatementStays,
		list.By("b.id").Down(), db.Args{
			"account": s.AccountID, "entity": s.EntityID, "deposit_account": depositAccount,
		})
}

// BankStatement reads one statement of a deposit account of the entity.
func (q Queries) BankStatement(ctx context.Context, s Scope, depositAccount, id int64) (*finance.BankStatement, error) {
	b, err := db.One[finance.BankStatement](ctx, q.DB, `SELECT `+StatementColumns+`
		FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
		WHERE b.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND b.deposit_account_id = $3
			AND b.id = $4 AND `+StatementStays,
		s.AccountID, s.EntityID, depositAccount, id)
	return &b, err
}

// uploadedColumns are the columns that the upload of a file sets.
var uploadedColumns = db.ColumnsOf[finance.BankStatement](`file_key, file_file_name, file_content_type, ` +
	`file_file_size, accept, statement_mapping`)

var insertStatement = db.Named("bank_statements.insert", `
	INSERT INTO bank_statements AS b (account_id, deposit_account_id, `+uploadedColumns.List("")+`, preview_until)
	VALUES (@account, @deposit_account, `+uploadedColumns.Parameters()+`,
		CASE WHEN @preview THEN now() + make_interval(secs => @seconds) END) RETURNING `+StatementColumns)

// InsertBankStatement inserts the row of an uploaded file, with the status queued. A preview lasts
// for finance.PreviewLasts.
func (tx *Tx) InsertBankStatement(ctx context.Context, b *finance.BankStatement) (err error) {
	*b, err = db.OneNamed[finance.BankStatement](ctx, tx.DB, insertStatement, uploadedColumns.Args(b), db.Args{
		"account": b.AccountID, "deposit_account": b.DepositAccountID, "preview": b.Preview,
		"seconds": finance.PreviewLasts.Seconds(),
	})
	return err
}

// StatementImport has the data that the statements worker needs to read a file.
type StatementImport struct {
	BankStatement finance.BankStatement
	Into          finance.DepositAccount
	SameFile      *int64 // a statement with the same file, byte by byte, if an earlier release read it
}

// StatementForImport reads a statement and its deposit account for the worker, which has no
// user. It returns ErrNotFound if the statement, the deposit account or the entity is deleted
// or being deleted.
func (q Queries) StatementForImport(ctx context.Context, account, id int64) (StatementImport, error) {
	var s StatementImport
	var err error
	s.BankStatement, err = db.One[finance.BankStatement](ctx, q.DB, `SELECT `+StatementColumns+`
		FROM bank_statements b WHERE b.account_id = $1 AND b.id = $2 AND b.deleted_at IS NULL`, account, id)
	if err != nil {
		return s, err
	}
	s.Into, err = db.One[finance.DepositAccount](ctx, q.DB, `SELECT `+depositAccountColumns+`
		FROM deposit_accounts WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL
		AND EXISTS (SELECT FROM entities e WHERE e.account_id = $1 AND e.id = deposit_accounts.entity_id
			AND e.deleted_at IS NULL)`,
		account, s.BankStatement.DepositAccountID)
	return s, err
}

// EarlierFile is the file of a statement that an earlier release imported.
type EarlierFile struct {
	ID      int64 // of the statement
	FileKey string
}

// FilesOfEarlierReleases lists the files, of the size of the statement's file, that an earlier
// release imported into the deposit account, the first one first.
func (q Queries) FilesOfEarlierReleases(ctx context.Context, b *finance.BankStatement) ([]EarlierFile, error) {
	const most = 10
	return db.Many[EarlierFile](ctx, q.DB, `
		SELECT b.id, b.file_key FROM bank_statements b
		WHERE b.account_id = $1 AND b.deposit_account_id = $2 AND b.deleted_at IS NULL AND b.event_status = 'success'
			AND b.id <> $3 AND b.file_file_size = $4
			AND EXISTS (SELECT FROM imported_items i WHERE i.account_id = b.account_id AND i.bank_statement_id = b.id
				AND i.card IS NULL)
		ORDER BY b.id LIMIT $5`, b.AccountID, b.DepositAccountID, b.ID, b.FileFileSize, most)
}

// SetImportStatus sets the status of an import that has not succeeded to queued or processing,
// which also prevents the deletion of its statement, and, unless it is nil, when the attempt began.
// It returns ErrNotFound if the import or the preview has succeeded or the statement is deleted.
func (tx *Tx) SetImportStatus(ctx context.Context, account, id int64, status string, started *time.Time) error {
	n, err := db.Exec(ctx, tx.DB, `
		UPDATE bank_statements SET event_status = $3, event_started_at = coalesce($4, event_started_at),
			event_output = NULL,
			event_finished_at = NULL, event_warnings = '[]', updated_at = now()
		WHERE account_id = $1 AND id = $2 AND event_status NOT IN ('success', 'previewed') AND deleted_at IS NULL`,
		account, id, status, started)
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

// importedColumns are the columns that an import stores at its end.
var importedColumns = db.ColumnsOf[finance.BankStatement](
	`event_status, event_output, event_finished_at, imported_items_count,
	future_items_ignored_count, amount_zero_items_ignored_count, invalid_date_items_ignored_count, ` +
		`pending_items_ignored_count, balance_items_ignored_count,
	duplicate_items_ignored_count, other_account_items_ignored_count, ledger_balance, ledger_balance_on, ` +
		`period_start, period_end,
	items_count, file_account_number, period_broken, first_item_on, last_item_on, event_warnings, file_format`)

var finishImport = db.Named("bank_statements.finish", `UPDATE bank_statements
	SET `+importedColumns.Assignments()+`, updated_at = now() WHERE account_id = @account AND id = @id`)

// FinishImport ends an import or a preview. It stores the status, output, warnings, end and counts
// of b, and the balance and period that the file states. An import has no further use for the items
// of its preview.
func (tx *Tx) FinishImport(ctx context.Context, b *finance.BankStatement) error {
	_, err := db.ExecNamed(ctx, tx.DB, finishImport,
		importedColumns.Args(b), db.Args{"account": b.AccountID, "id": b.ID})
	if err != nil || b.Preview {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `DELETE FROM previewed_items WHERE account_id = $1 AND bank_statement_id = $2`,
		b.AccountID, b.ID)
	return err
}
