package imports

import (
	"context"
	"fmt"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/jobs"
	"bordero/storage"
)

// LockBankStatementForDelete locks one bank statement of the entity FOR UPDATE and reads it, to
// delete it. A statement with an unfinished import is returned without a lock: its deletion is
// refused in any case, and its worker may have it locked for long.
func LockBankStatementForDelete(ctx context.Context, tx *storage.Tx, s storage.Scope, depositAccount, id int64) (
	*finance.BankStatement, error) {
	b, err := tx.BankStatement(ctx, s, depositAccount, id)
	if err != nil || b.Removable() != nil {
		return b, err
	}
	// FOR UPDATE also waits for reconciliations, which lock it FOR KEY SHARE.
	if _, err := db.Exec(ctx, tx.DB, `SELECT FROM bank_statements WHERE account_id = $1 AND id = $2 FOR UPDATE`,
		s.AccountID, id); err != nil {
		return nil, err
	}
	return tx.BankStatement(ctx, s, depositAccount, id)
}

// StatementReconciledBeyond reports whether the deletion of a locked statement would undo an automatic
// reconciliation with financial accounts of a kind that the user may not see.
func StatementReconciledBeyond(ctx context.Context, tx *storage.Tx, a finance.Access, b *finance.BankStatement) (bool,
	error) {
	return tx.SelectedReconciledBeyond(ctx, a, `t.bank_statement_id = @id AND r.made_by = 'automatic'`, b.AccountID,
		b.ID)
}

// namedAtMost is the largest number of records that an error names.
const namedAtMost = 20

// DeleteBankStatement hides a locked statement and enqueues the job that undoes its import and its
// automatic reconciliations. It refuses a statement with transactions that a person reconciled.
// From then on the statement's transactions cannot be reconciled, and the next import forgets its
// items. If it states a balance, it may be the newest one that does: a job looks at the proof of the deposit account,
// since the deletion of a statement without transactions of its own changes no balance.
func DeleteBankStatement(ctx context.Context, tx *storage.Tx, b *finance.BankStatement) error {
	reconciled, err := db.Many[struct{ ID, Count int64 }](ctx, tx.DB, `
		SELECT t.id, count(*) OVER () AS count FROM financial_transactions t JOIN reconciles r
			ON r.account_id = t.account_id AND r.id = t.reconcile_id
		WHERE t.account_id = $1 AND t.bank_statement_id = $2 AND r.made_by = 'user' ORDER BY t.id LIMIT $3`,
		b.AccountID, b.ID, namedAtMost)
	if err != nil {
		return err
	}
	if len(reconciled) > 0 {
		ids := make([]int64, len(reconciled))
		for i, r := range reconciled {
			ids[i] = r.ID
		}
		named := finance.ListIDs(ids)
		if more := reconciled[0].Count - int64(len(ids)); more > 0 {
			named = fmt.Sprintf(messages.AndMoreIDsf, named, more)
		}
		return finance.Refuse(finance.Base, messages.TransactionsReconciled.With(named))
	}
	_, err = db.Exec(ctx, tx.DB, `UPDATE bank_statements SET deleted_at = now(), updated_at = now()
		WHERE account_id = $1 AND id = $2`, b.AccountID, b.ID)
	if err != nil {
		return err
	}
	if err := NumberSuggested(ctx, tx, b, false); err != nil {
		return err
	}
	if b.LedgerBalance != nil && b.EventStatus == finance.ImportSuccess {
		if err := tx.Enqueue(ctx, b.AccountID, jobs.ProveBalance{AccountID: b.AccountID,
			DepositAccountID: b.DepositAccountID}); err != nil {
			return err
		}
	}
	return tx.Enqueue(ctx, b.AccountID, jobs.DeleteBankStatement{AccountID: b.AccountID, BankStatementID: b.ID})
}

// DeletedStatement is the part of a statement that the deletions worker needs.
type DeletedStatement struct {
	ID, AccountID, DepositAccountID, EntityID int64
	FileKey                                   string
}

// ReadDeletedStatement reads a statement that is being deleted. Any other is ErrNotFound.
func ReadDeletedStatement(ctx context.Context, q storage.Queries, account, id int64) (DeletedStatement, error) {
	return db.One[DeletedStatement](ctx, q.DB, `
		SELECT b.id, b.account_id, b.deposit_account_id, d.entity_id, b.file_key
		FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
		WHERE b.account_id = $1 AND b.id = $2 AND b.deleted_at IS NOT NULL`, account, id)
}

// undoChunk is the number of rows of a table that one transaction removes: about 100 ms.
const undoChunk = 5000

// unreconcileChunk is the number of automatic reconciliations that one transaction undoes, as fast.
const unreconcileChunk = 500

// UndoImport removes the next chunk of an import: its automatic reconciliations, then its
// transactions and their remembered items, then its ignored and previewed items. It emits their
// events, and reports whether it removed anything. It takes turns with imports into the deposit
// account. The only transfer that an imported transaction can belong to is a pair, which is undone,
// so only one balance changes.
func UndoImport(ctx context.Context, tx *storage.Tx, d DeletedStatement) (more bool, err error) {
	if _, err := db.Exec(ctx, tx.DB, takeTurn, d.DepositAccountID); err != nil {
		return false, err
	}
	chunk := db.Args{"account": d.AccountID, "statement": d.ID, "limit": undoChunk}
	reconciled, err := db.ManyNamed[int64](ctx, tx.DB, selectReconciled, chunk, db.Args{"most": unreconcileChunk})
	if err != nil {
		return false, err
	}
	if len(reconciled) > 0 {
		return true, tx.UndoReconciles(ctx, d.AccountID, storage.OfTransactions, reconciled)
	}
	locked, err := db.ManyNamed[struct {
		ID       int64
		Amount   finance.Amount
		Imported bool
	}](ctx, tx.DB, lockTransactions, chunk)
	if err != nil {
		return false, err
	}
	var ids []int64
	var sum finance.Amount
	for _, t := range locked {
		if t.Imported {
			ids, sum = append(ids, t.ID), sum+t.Amount
		}
	}
	if err := tx.Unpair(ctx, d.AccountID, ids, ids); err != nil {
		return false, err
	}
	if err := tx.RemoveAttachmentsOf(ctx, storage.AttachedTransaction, d.AccountID, ids); err != nil {
		return false, err
	}
	if _, err := db.Exec(ctx, tx.DB, `DELETE FROM financial_transactions WHERE account_id = $1 AND id = ANY($2)`,
		d.AccountID, ids); err != nil {
		return false, err
	}
	for _, statement := range []string{deleteRemembered, deleteIgnored, deleteFolded, deletePreviewed} {
		n, err := db.Exec(ctx, tx.DB, statement, d.AccountID, d.ID, undoChunk)
		if err != nil {
			return false, err
		}
		more = more || n > 0
	}
	if len(ids) == 0 {
		return more, nil
	}
	e := finance.Event{
		Family: finance.FinancialTransactionsFamily, Action: finance.Destroyed,
		AccountID: d.AccountID, EntityID: d.EntityID, ParentID: d.DepositAccountID, IDs: ids,
	}
	if err := tx.Emit(ctx, e); err != nil {
		return false, err
	}
	tx.Move(d.AccountID, d.DepositAccountID, storage.BalanceChange{Sum: -sum, Count: -int64(len(ids)),
		LastDayUnknown: true})
	return true, nil
}

// lockTransactions locks the next chunk's transactions, and the other sides of their pairs, in the
// order of ids (docs/locking.md).
var lockTransactions = db.Named("bank_statements.lock_transactions", `
	SELECT id, amount, bank_statement_id IS NOT DISTINCT FROM @statement AS imported FROM financial_transactions
	WHERE account_id = @account AND reconcile_id IS NULL AND id = ANY(ARRAY(
		SELECT unnest(ARRAY[id, transfer_id]) FROM financial_transactions
		WHERE account_id = @account AND id = ANY(`+nextOfStatement+`)))
	ORDER BY id FOR UPDATE`)

// selectReconciled selects the next chunk's reconciled transactions.
var selectReconciled = db.Named("bank_statements.select_reconciled", `
	SELECT id FROM financial_transactions
	WHERE account_id = @account AND reconcile_id IS NOT NULL AND id = ANY(`+nextOfStatement+`) LIMIT @most`)

const nextOfStatement = `ARRAY(SELECT id FROM financial_transactions WHERE account_id = @account
	AND bank_statement_id = @statement LIMIT @limit)`

// deleteRemembered deletes by ctid: items imported by an earlier release have no number.
const deleteRemembered = `
	DELETE FROM imported_items WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM imported_items WHERE account_id = $1 AND bank_statement_id = $2 LIMIT $3))`

const deleteIgnored = `
	DELETE FROM ignored_items WHERE account_id = $1 AND bank_statement_id = $2 AND number = ANY(ARRAY(
		SELECT number FROM ignored_items WHERE account_id = $1 AND bank_statement_id = $2 LIMIT $3))`

const deleteFolded = `
	DELETE FROM folded_items WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM folded_items WHERE account_id = $1 AND bank_statement_id = $2 LIMIT $3))`

const deletePreviewed = `
	DELETE FROM previewed_items WHERE account_id = $1 AND bank_statement_id = $2 AND number = ANY(ARRAY(
		SELECT number FROM previewed_items WHERE account_id = $1 AND bank_statement_id = $2 LIMIT $3))`

// RemoveBankStatement removes the row of a statement after its import has been undone.
func RemoveBankStatement(ctx context.Context, tx *storage.Tx, d DeletedStatement) error {
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM bank_statements WHERE account_id = $1 AND id = $2
		AND deleted_at IS NOT NULL`, d.AccountID, d.ID)
	return err
}
