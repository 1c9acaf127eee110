package storage

import (
	"context"

	"bordero/finance"
	"bordero/jobs"
)

// Emit says that something happened to records, in the transaction of the
// change: one delivery per record and webhook of the entity (of the account for
// account-level records), held while the webhook is in error, and one job per
// webhook that is not. Without a subscriber it writes nothing.
func (tx *Tx) Emit(ctx context.Context, e finance.Event) error {
	return tx.emit(ctx, e, `SELECT unnest($6::bigint[]) AS id, NULL::bigint AS parent_id`, e.IDs)
}

// EmitTransactions is Emit for transactions of several deposit accounts: each has
// its own as parent.
func (tx *Tx) EmitTransactions(ctx context.Context, e finance.Event) error {
	return tx.emit(ctx, e, `SELECT id, deposit_account_id AS parent_id FROM financial_transactions
		WHERE account_id = $1 AND id = ANY($6::bigint[])`, e.IDs)
}

// emitImported is Emit for the transactions that a statement brought: set-based,
// their ids never leave the database.
func (tx *Tx) emitImported(ctx context.Context, e finance.Event, statement int64) error {
	return tx.emit(ctx, e, `SELECT id, NULL::bigint AS parent_id FROM financial_transactions WHERE bank_statement_id = $6`, statement)
}

// emit writes the deliveries of the records that the query gives, whose
// parameter is $6, each with its parent where that is not the event's.
func (tx *Tx) emit(ctx context.Context, e finance.Event, records string, arg any) error {
	webhooks, err := many[int64](ctx, tx.q, `
		WITH told AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, parent_id, status)
			SELECT $1, w.id, $2, $3, r.id, nullif($4::bigint, 0), coalesce(r.parent_id, nullif($5::bigint, 0)),
				CASE w.status WHEN 'error' THEN 'held' ELSE 'pending' END
			FROM webhooks w, (`+records+`) r
			WHERE w.account_id = $1 AND w.deleted_at IS NULL AND ($4 = 0 OR w.entity_id = $4)
			RETURNING webhook_id, status)
		SELECT DISTINCT webhook_id FROM told WHERE status = 'pending'`,
		e.AccountID, e.Family, e.Action, e.EntityID, e.ParentID, arg)
	if err != nil {
		return err
	}
	for _, id := range webhooks {
		if err := tx.Enqueue(ctx, e.AccountID, jobs.DeliverWebhook{AccountID: e.AccountID, WebhookID: id}); err != nil {
			return err
		}
	}
	return nil
}
