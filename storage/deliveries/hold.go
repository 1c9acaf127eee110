package deliveries

import (
	"context"
	"errors"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
)

// This file holds the deliveries of a webhook that is in error, and frees them when it is active.

// lockWebhookForDelete locks a webhook FOR UPDATE, against events, which read its status. A deleted
// webhook is ErrNotFound.
func lockWebhookForDelete(ctx context.Context, tx *storage.Tx, account, webhook int64) (finance.Webhook, error) {
	return db.One[finance.Webhook](ctx, tx.DB,
		`SELECT `+webhookColumns+` FROM webhooks WHERE account_id = $1 AND id = $2
		AND deleted_at IS NULL FOR UPDATE`,
		account, webhook)
}

// FailWebhook marks a webhook in error because a delivery of it failed, with the status that
// answered its last attempt, holds its pending deliveries until the webhook is verified, emits the
// event, and enqueues a mail to the administrators. It reports whether it changed the webhook; a
// webhook that is deleted or already in error stays as it is.
func FailWebhook(ctx context.Context, tx *storage.Tx, account, webhook, delivery int64) (bool, error) {
	w, err := lockWebhookForDelete(ctx, tx, account, webhook)
	if errors.Is(err, storage.ErrNotFound) || err == nil && w.Status == finance.WebhookInError {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = changeWebhook(ctx, tx, &w, `status = 'error', error_since = now(), error_delivery_id = @delivery,
		healthy_check_code = (
			SELECT nullif(response_code, 200) FROM delivery_attempts -- a 200 that failed was cut off
			WHERE account_id = @account AND delivery_id = @delivery ORDER BY number DESC LIMIT 1)`,
		db.Args{"delivery": delivery})
	if err != nil {
		return false, err
	}
	w.Status = finance.WebhookInError
	if err := Align(ctx, tx, &w, StatusesAtOnce); err != nil {
		return false, err
	}
	last, err := db.One[int](ctx, tx.DB, `SELECT coalesce(max(attempts_count), 0) FROM deliveries
		WHERE account_id = $1 AND id = $2`, account, delivery)
	if err != nil {
		return false, err
	}
	return true, tx.Enqueue(ctx, account, jobs.MailWebhookFailure{AccountID: account, WebhookID: webhook,
		DeliveryID: delivery, Attempt: last})
}

// ActivateWebhook marks a webhook active after it answered a test with the code, and emits the
// event. Its held deliveries become pending, and keep their remaining attempts. One transaction
// changes StatusesAtOnce of them, the oldest first, and a job does the rest. It may run twice. A
// deleted webhook is ErrNotFound.
func ActivateWebhook(ctx context.Context, tx *storage.Tx, account, id int64, code int) error {
	w, err := lockWebhookForDelete(ctx, tx, account, id)
	if err != nil {
		return err
	}
	err = changeWebhook(ctx, tx, &w, `status = 'active', error_since = NULL, error_delivery_id = NULL, `+
		`healthy_check_code = @code`, db.Args{"code": code})
	if err != nil {
		return err
	}
	w.Status = finance.WebhookActive
	return Align(ctx, tx, &w, StatusesAtOnce)
}

// StatusesAtOnce is how many deliveries Align should change in a transaction: it takes
// some 50 ms, for which events of the account may wait.
const StatusesAtOnce = 1000

// Align gives up to limit waiting deliveries of a locked webhook the status that follows
// from the webhook: held while the webhook is in error, otherwise pending and due, the oldest
// first, with an enqueued run. If more may be left, it enqueues the job that aligns them. It may
// run twice.
func Align(ctx context.Context, tx *storage.Tx, w *finance.Webhook, limit int) error {
	align := `
		UPDATE deliveries SET status = 'held' WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT id FROM deliveries d CROSS JOIN (SELECT $1::bigint AS account_id) w
			WHERE webhook_id = $2 AND` + sameAccount + `AND status = 'pending' ORDER BY next_at,
				id LIMIT $3 FOR NO KEY UPDATE OF d))`
	if w.Status == finance.WebhookActive {
		// Due five seconds ago, a freed delivery goes out before deliveries of later events, and is still within
		// Turn.Since of a run that continues.
		align = `
			UPDATE deliveries SET status = 'pending', next_at = greatest(created_at, now() - interval '5 seconds')
			WHERE account_id = $1 AND id = ANY(ARRAY(
				SELECT id FROM deliveries WHERE account_id = $1 AND webhook_id = $2 AND status = 'held' ORDER BY id
					LIMIT $3 FOR NO KEY UPDATE))`
		if err := tx.Enqueue(ctx, w.AccountID, jobs.DeliverWebhook{
			AccountID: w.AccountID, WebhookID: w.ID}); err != nil {
			return err
		}
	}
	n, err := db.Exec(ctx, tx.DB, align, w.AccountID, w.ID, limit)
	if err != nil || n < int64(limit) {
		return err
	}
	return tx.Enqueue(ctx, w.AccountID, jobs.AlignDeliveries{AccountID: w.AccountID, WebhookID: w.ID})
}
