package storage

import (
	"context"
	"fmt"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
)

// recordsOf returns an array of the ids of the records that the attachment $2 of the account $1 belongs to.
func (o attached) recordsOf() string {
	return fmt.Sprintf(`ARRAY(SELECT %[1]s_id FROM %[1]s_attachments WHERE account_id = $1 AND attachment_id = $2)`, o)
}

// LockAttachables locks the records of a new attachment FOR NO KEY UPDATE. Records that the entity
// does not have, or that the user may not see, are a finance.Invalid.
func (tx *Tx) LockAttachables(ctx context.Context, s Scope, sees finance.Access, a *finance.Attachment) error {
	accounts, err := db.Many[int64](ctx, tx.DB, `SELECT f.id FROM financial_accounts f
		WHERE f.account_id = $1 AND f.entity_id = $2 AND f.id = ANY($3) AND f.kind = ANY($4) AND `+remains("financial_accounts", "f")+` ORDER BY f.id FOR NO KEY UPDATE OF f`,
		s.AccountID, s.EntityID, []int64(a.AccountIDs), sees.AccountKinds())
	if err != nil {
		return err
	}
	transactions, err := db.Many[int64](ctx, tx.DB, `
		SELECT t.id FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.id = ANY($3) AND $4 ORDER BY t.id FOR NO KEY UPDATE OF t`,
		s.AccountID, s.EntityID, []int64(a.TransactionIDs), sees.Allows(finance.FinancialTransactions))
	if err != nil {
		return err
	}
	var invalid finance.Invalid
	addUnknown(&invalid, finance.AssociatedTransactions, without(a.TransactionIDs, transactions))
	addUnknown(&invalid, finance.AssociatedAccounts, without(a.AccountIDs, accounts))
	return invalid.Err()
}

// LockAttachmentWithRecordsForDelete is LockAttachmentForDelete for the removal of the attachment, which
// changes its records: they are locked FOR NO KEY UPDATE before it, in the order of docs/locking.md. If
// it was attached to others while it waited, it gives up its locks and begins again.
func (tx *Tx) LockAttachmentWithRecordsForDelete(ctx context.Context, s Scope, sees finance.Access, id int64) (*finance.Attachment, error) {
	if _, err := db.Exec(ctx, tx.DB, `SAVEPOINT unlocked`); err != nil {
		return nil, err
	}
	for {
		held, err := tx.lockRecordsOf(ctx, s.AccountID, id)
		if err != nil {
			return nil, err
		}
		a, err := tx.LockAttachmentForDelete(ctx, s, sees, id)
		if err != nil {
			return nil, err
		}
		var others []string
		for i, o := range attachedKinds {
			others = append(others, fmt.Sprintf(`EXISTS (SELECT FROM %[1]s_attachments WHERE account_id = $1 AND attachment_id = $2 AND %[1]s_id <> ALL($%[2]d))`, o, i+3))
		}
		late, err := db.One[bool](ctx, tx.DB, `SELECT `+strings.Join(others, ` OR `), append([]any{s.AccountID, id}, held...)...)
		if err != nil || !late {
			return a, err
		}
		if _, err := db.Exec(ctx, tx.DB, `ROLLBACK TO SAVEPOINT unlocked`); err != nil {
			return nil, err
		}
	}
}

// lockRecordsOf locks the records of an attachment FOR NO KEY UPDATE, and returns the ids of each of attachedKinds.
func (tx *Tx) lockRecordsOf(ctx context.Context, account, id int64) (held []any, err error) {
	for _, o := range attachedKinds {
		ids, err := db.Many[int64](ctx, tx.DB, fmt.Sprintf(`
			SELECT id FROM %[1]ss WHERE account_id = $1 AND id = ANY(%[2]s) ORDER BY id FOR NO KEY UPDATE`, o, o.recordsOf()), account, id)
		if err != nil {
			return nil, err
		}
		held = append(held, ids)
	}
	return held, nil
}

// changeRecords sets updated_at of the records of an attachment, which are locked, and emits their events,
// as a change of their lists of attachments does.
func (tx *Tx) changeRecords(ctx context.Context, a *finance.Attachment) error {
	for _, o := range attachedKinds {
		update := fmt.Sprintf(`UPDATE %[1]ss SET updated_at = now() WHERE account_id = $1 AND id = ANY(%[2]s) RETURNING`, o, o.recordsOf())
		if o != attachedTransaction {
			if err := tx.Changed(ctx, string(o)+"s", update, finance.Updated, a.AccountID, a.ID); err != nil {
				return err
			}
			continue
		}
		// Changed would emit an event for each deposit account.
		ids, err := db.Many[int64](ctx, tx.DB, update+` id`, a.AccountID, a.ID)
		if err == nil && len(ids) > 0 {
			err = tx.emitTransactions(ctx, finance.Event{
				Family: finance.FinancialTransactionsFamily, Action: finance.Updated, AccountID: a.AccountID, EntityID: a.EntityID, IDs: ids,
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
