package storage

import (
	"context"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/jobs"
)

const deliveryLogColumns = `id, family, action, record_id, coalesce(entity_id, 0) AS entity_id, coalesce(parent_id, 0) AS parent_id, status, attempts_count, CASE status WHEN 'pending' THEN next_at END AS next_attempt_at,
	created_at, delivered_at`

// deliveryLog selects the deliveries of one webhook, unless it is deleted.
const deliveryLog = `deliveries WHERE account_id = $1
	AND webhook_id = (SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL)`

// None of these filters has an index of its own: every event would have to write it, and the
// retention period limits the deliveries of a webhook.
var deliveryLogFilters = map[string]filter{
	"status": {"status = ?", deliveryStatus},
	"event":  {"family || '.' || action = ?", text},
	"since":  {"created_at >= CAST(? AS timestamptz)", moment},
}

func deliveryStatus(s string) (any, error) {
	if !slices.Contains(finance.DeliveryStatuses, finance.DeliveryStatus(s)) {
		return nil, messages.NotOneOf(finance.DeliveryStatuses)
	}
	return s, nil
}

// WebhookDeliveries lists the deliveries of a webhook, the newest first, without their attempts and bodies.
// The list of a missing webhook is empty.
func (q Queries) WebhookDeliveries(ctx context.Context, account, webhook int64, l List) (Listed[finance.WebhookDelivery], error) {
	return list[finance.WebhookDelivery](ctx, q.DB, l, deliveryLogFilters, deliveryLogColumns, deliveryLog, "id DESC", account, webhook)
}

// WebhookDelivery reads one delivery of a webhook with its body and its attempts, by number.
func (q Queries) WebhookDelivery(ctx context.Context, account, webhook, id int64) (*finance.WebhookDelivery, error) {
	d, err := db.One[finance.WebhookDelivery](ctx, q.DB, `SELECT `+deliveryLogColumns+`, body FROM `+deliveryLog+` AND id = $3`, account, webhook, id)
	if err != nil {
		return nil, err
	}
	d.Attempts, err = db.Many[finance.WebhookAttempt](ctx, q.DB, `
		SELECT number, started_at, finished_at, response_code, error, response_excerpt FROM delivery_attempts
		WHERE account_id = $1 AND delivery_id = $2 ORDER BY number`, account, id)
	return &d, err
}

// Redeliver gives a delivery of a locked webhook AttemptsPerDelivery new attempts, the first at
// once, whatever its status. While the webhook is in error, the delivery is held. An attempt in
// progress continues.
func (tx *Tx) Redeliver(ctx context.Context, w *finance.Webhook, id int64) (*finance.WebhookDelivery, error) {
	status := finance.DeliveryPending
	if w.Status == finance.WebhookInError {
		status = finance.DeliveryHeld
	}
	_, err := db.One[int64](ctx, tx.DB, `
		UPDATE deliveries d SET status = $4, attempts_allowed = attempts_count + $5, delivered_at = NULL,
			next_at = CASE WHEN status = 'pending' AND EXISTS (SELECT FROM delivery_attempts a
				WHERE a.account_id = d.account_id AND a.delivery_id = d.id AND a.finished_at IS NULL) THEN next_at ELSE now() END
		WHERE account_id = $1 AND webhook_id = $2 AND id = $3 RETURNING id`, w.AccountID, w.ID, id, status, finance.AttemptsPerDelivery)
	if err != nil {
		return nil, err
	}
	if status == finance.DeliveryPending {
		if err := tx.Enqueue(ctx, w.AccountID, jobs.DeliverWebhook{AccountID: w.AccountID, WebhookID: w.ID}); err != nil {
			return nil, err
		}
	}
	return tx.WebhookDelivery(ctx, w.AccountID, w.ID, id)
}

// RedeliverFailed is Redeliver for the failed deliveries of a locked webhook, up to limit of
// them, the oldest first. It returns their number.
func (tx *Tx) RedeliverFailed(ctx context.Context, w *finance.Webhook, limit int) (int64, error) {
	status := finance.DeliveryPending
	if w.Status == finance.WebhookInError {
		status = finance.DeliveryHeld
	}
	n, err := db.Exec(ctx, tx.DB, `
		UPDATE deliveries SET status = $3, attempts_allowed = attempts_count + $4, delivered_at = NULL, next_at = created_at
		WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT id FROM deliveries WHERE account_id = $1 AND webhook_id = $2 AND status = 'failed' ORDER BY id LIMIT $5 FOR NO KEY UPDATE))`,
		w.AccountID, w.ID, status, finance.AttemptsPerDelivery, limit)
	if err != nil || n == 0 || status == finance.DeliveryHeld {
		return n, err
	}
	return n, tx.Enqueue(ctx, w.AccountID, jobs.DeliverWebhook{AccountID: w.AccountID, WebhookID: w.ID})
}
