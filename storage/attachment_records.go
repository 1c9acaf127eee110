package storage

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
)

// recordsOf returns an array of the ids of the records that an attachment belongs to, by its @id.
func (o attached) recordsOf() string {
	return fmt.Sprintf(`ARRAY(
		SELECT %[1]s_id FROM %[1]s_attachments WHERE account_id = @account AND attachment_id = @id)`, o)
}

// LockAttachables locks the records of a new attachment FOR NO KEY UPDATE. Records that the entity
// does not have, or that the user may not see, are a finance.Invalid.
func (tx *Tx) LockAttachables(ctx context.Context, s Scope, sees finance.Access, a *finance.Attachment) error {
	accounts, err := db.Many[int64](ctx, tx.DB, `SELECT f.id FROM financial_accounts f
		WHERE f.account_id = $1 AND f.entity_id = $2 AND f.id = ANY($3) AND f.kind = ANY($4) AND `+
		OwnerVisible("financial_accounts", "f")+` ORDER BY f.id FOR NO KEY UPDATE OF f`,
		s.AccountID, s.EntityID, []int64(a.AccountIDs), sees.AccountKinds())
	if err != nil {
		return err
	}
	transactions, err := db.Many[int64](ctx, tx.DB, `
		SELECT t.id FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND t.id = ANY($3)
			AND $4 AND `+ImportStays("t")+` ORDER BY t.id FOR NO KEY UPDATE OF t`,
		s.AccountID, s.EntityID, []int64(a.TransactionIDs), sees.Allows(finance.FinancialTransactions))
	if err != nil {
		return err
	}
	return unattachable(Without(a.TransactionIDs, transactions), Without(a.AccountIDs, accounts))
}

// unattachable returns the finance.Invalid of records to which an attachment cannot belong, or nil if there are none.
func unattachable(transactions, accounts []int64) error {
	var invalid finance.Invalid
	addUnknown(&invalid, finance.AssociatedTransactions, transactions)
	addUnknown(&invalid, finance.AssociatedAccounts, accounts)
	return invalid.Err()
}

// attachedLate reports whether an attachment belongs to records other than the locked ones.
var attachedLate = db.Named("attachments.attached_late", `SELECT `+eachAttached(` OR `,
	`EXISTS (SELECT FROM {kind}_attachments WHERE account_id = @account AND attachment_id = @id
	AND {kind}_id <> ALL(@{kind}_ids))`))

// LockAttachmentWithRecordsForDelete is LockAttachmentForDelete for the removal of an attachment.
// The removal changes the records of the attachment, so they are locked FOR NO KEY UPDATE before
// the attachment, in the order of docs/locking.md. If the attachment was attached to other records
// meanwhile, the method gives up its locks and begins again.
func (tx *Tx) LockAttachmentWithRecordsForDelete(ctx context.Context, s Scope, sees finance.Access, id int64) (
	*finance.Attachment, error) {
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
		late, err := db.OneNamed[bool](ctx, tx.DB, attachedLate, held, db.Args{"account": s.AccountID, "id": id})
		if err != nil || !late {
			return a, err
		}
		if _, err := db.Exec(ctx, tx.DB, `ROLLBACK TO SAVEPOINT unlocked`); err != nil {
			return nil, err
		}
	}
}

// lockRecordsOf locks the records of an attachment FOR NO KEY UPDATE, and returns the ids of each
// of attachedKinds as attachedLate has them.
func (tx *Tx) lockRecordsOf(ctx context.Context, account, id int64) (held db.Args, err error) {
	held = db.Args{}
	for _, o := range attachedKinds {
		lock := db.Bind(fmt.Sprintf(`
			SELECT id FROM %[1]ss WHERE account_id = @account AND id = ANY(%[2]s) ORDER BY id FOR NO KEY UPDATE`, o,
			o.recordsOf()))
		ids, err := db.ManyNamed[int64](ctx, tx.DB, lock, db.Args{"account": account, "id": id})
		if err != nil {
			return nil, err
		}
		held[string(o)+"_ids"] = ids
	}
	return held, nil
}

// changeRecords sets updated_at of the records of an attachment, which are locked, and emits their events,
// as a change of their lists of attachments does.
func (tx *Tx) changeRecords(ctx context.Context, a *finance.Attachment) error {
	for _, o := range attachedKinds {
		update := fmt.Sprintf(
			`UPDATE %[1]ss SET updated_at = now() WHERE account_id = @account AND id = ANY(%[2]s) RETURNING`, o,
			o.recordsOf())
		if o != AttachedTransaction {
			err := tx.ExecEmitting(ctx, string(o)+"s", update, finance.Updated, a.AccountID, db.Args{"id": a.ID})
			if err != nil {
				return err
			}
			continue
		}
		// ExecEmitting would emit an event for each deposit account.
		transactions := db.Bind(update + ` id`)
		ids, err := db.ManyNamed[int64](ctx, tx.DB, transactions, db.Args{"account": a.AccountID, "id": a.ID})
		if err == nil && len(ids) > 0 {
			err = tx.emitTransactions(ctx, finance.Event{
				Family: finance.FinancialTransactionsFamily, Action: finance.Updated, AccountID: a.AccountID,
				EntityID: a.EntityID, IDs: ids,
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removeAttachments removes attachments that belong only to the given records of one kind. An attachment that was
// detached from all of them before it was locked stays.
var removeAttachments = db.Named("attachments.remove",
	`DELETE FROM attachments a WHERE a.account_id = @account AND a.id = ANY(@ids)`+
		eachAttached(``, `
	AND NOT EXISTS (SELECT FROM {kind}_attachments x
		WHERE x.account_id = @account AND x.attachment_id = a.id
			AND NOT ('{kind}' = @kind AND x.{kind}_id = ANY(@records)))`)+`
	AND (`+eachAttached(`
		OR `, `EXISTS (SELECT FROM {kind}_attachments x
			WHERE '{kind}' = @kind AND x.account_id = @account AND x.attachment_id = a.id
				AND x.{kind}_id = ANY(@records))`)+`)
	RETURNING a.id, a.entity_id, `+attachmentConcerns+` AS visible_to`)

// RemoveAttachmentsOf removes the attachments that belong to these records only, and emits
// their events. The records are locked and about to be removed. The sweep removes the files.
// Attachments are locked after records, by id.
func (tx *Tx) RemoveAttachmentsOf(ctx context.Context, o attached, account int64, records []int64) error {
	if len(records) == 0 {
		return nil
	}
	held, err := db.Many[int64](ctx, tx.DB, fmt.Sprintf(`
		SELECT id FROM attachments WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT attachment_id FROM %[1]s_attachments WHERE account_id = $1 AND %[1]s_id = ANY($2)))
		ORDER BY id FOR UPDATE`, o), account, records)
	if err != nil || len(held) == 0 {
		return err
	}
	gone, err := db.ManyNamed[finance.Attachment](ctx, tx.DB, removeAttachments, db.Args{
		"account": account, "ids": held, "kind": string(o), "records": records,
	})
	if err != nil {
		return err
	}
	// The two sides of a transfer may belong to two entities, and payables and receivables have
	// other permissions.
	events := map[string]finance.Event{}
	for _, a := range gone {
		key := fmt.Sprint(a.EntityID, a.VisibleTo)
		events[key] = finance.Event{
			Family: finance.AttachmentsFamily, Action: finance.Destroyed, AccountID: account, EntityID: a.EntityID,
			IDs: append(events[key].IDs, a.ID), VisibleTo: a.VisibleTo,
		}
	}
	for _, key := range slices.Sorted(maps.Keys(events)) {
		if err := tx.Emit(ctx, events[key]); err != nil {
			return err
		}
	}
	return nil
}

// DetachFiles makes the attachments of locked financial accounts files of the entity, which stay. The accounts are
// about to be removed, though no user removed a record (decision 0025). kind is the permission for the accounts.
func (tx *Tx) DetachFiles(ctx context.Context, kind finance.Permission, account int64, accounts []int64) error {
	if len(accounts) == 0 {
		return nil
	}
	if err := tx.lockAccountsForDelete(ctx, account, accounts); err != nil {
		return err
	}
	detached, err := db.Many[int64](ctx, tx.DB, `
		UPDATE attachments SET detached_from = $3 WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT id FROM attachments WHERE account_id = $1 AND id IN (
				SELECT attachment_id FROM financial_account_attachments WHERE account_id = $1
					AND financial_account_id = ANY($2)) ORDER BY id FOR NO KEY UPDATE))
		RETURNING id`, account, accounts, kind)
	if err != nil || len(detached) == 0 {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `DELETE FROM financial_account_attachments WHERE account_id = $1
		AND financial_account_id = ANY($2)`, account, accounts)
	if err != nil {
		return err
	}
	return tx.detachHidden(ctx, account, detached)
}
