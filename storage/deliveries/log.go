package deliveries

import (
	"context"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/list"
)

const deliveryLogColumns = `id, family, action, record_id, coalesce(entity_id, 0) AS entity_id,
	coalesce(parent_id, 0) AS parent_id, status, attempts_count, CASE status WHEN 'pending'
		THEN next_at END AS next_attempt_at,
	created_at, delivered_at`

// deliveryLog selects the deliveries of one webhook, unless it is deleted.
const deliveryLog = `deliveries WHERE account_id = @account
	AND webhook_id = (SELECT id FROM webhooks WHERE account_id = @account AND id = @webhook AND deleted_at IS NULL)`

var readDelivery = db.Named("deliveries.read",
	`SELECT `+deliveryLogColumns+`, body FROM `+deliveryLog+` AND id = @id`)

// The filters have no indexes of their own: every event would have to write to them, and the
// retention period limits the deliveries of a webhook.
var deliveryLogFilters = list.Table("WebhookDelivery", map[string]list.Filter{
	"status": list.Where("status = ?", list.OneOf(finance.DeliveryStatuses), "With this status."),
	"event":  list.Where("family || '.' || action = ?", list.Text, "Of this event, such as `sales.created`."),
	"since": list.Where("created_at >= CAST(? AS timestamptz)", list.Moment,
		"Created at this moment or date or later."),
})

// List lists the deliveries of a webhook, the newest first, without their attempts and bodies.
// The list of a missing webhook is empty.
func List(ctx context.Context, q storage.Queries, account, webhook int64,
	l list.Query) (list.Page[finance.WebhookDelivery], error) {
	return list.Read[finance.WebhookDelivery](ctx, q.DB, l, deliveryLogFilters, deliveryLogColumns, deliveryLog,
		list.By("id").Down(), db.Args{"account": account, "webhook": webhook})
}

// Read reads one delivery of a webhook with its body and its attempts, by number.
func Read(ctx context.Context, q storage.Queries, account, webhook, id int64) (*finance.WebhookDelivery,
	error) {
	d, err := db.OneNamed[finance.WebhookDelivery](ctx, q.DB, readDelivery,
		db.Args{"account": account, "webhook": webhook, "id": id})
	if err != nil {
		return nil, err
	}
	d.Attempts, err = db.Many[finance.WebhookAttempt](ctx, q.DB, `
		SELECT number, started_at, finished_at, response_code, error, response_excerpt FROM delivery_attempts
		WHERE account_id = $1 AND delivery_id = $2 ORDER BY number`, account, id)
	return &d, err
}

// redelivered begins a statement that gives deliveries of a webhook new @attempts (AttemptsPerDelivery)
// and a @status. The first is due at once; an attempt in progress continues.
const redelivered = `
	UPDATE deliveries d SET status = @status, attempts_allowed = attempts_count + @attempts, delivered_at = NULL,
		next_at = CASE WHEN status = 'pending' AND EXISTS (SELECT FROM delivery_attempts a
			WHERE a.account_id = d.account_id AND a.delivery_id = d.id AND a.finished_at IS NULL) THEN next_at
				ELSE now() END
	WHERE account_id = @account AND webhook_id = @webhook AND `

var redeliverOne = db.Named("deliveries.redeliver", redelivered+`id = @id RETURNING id`)

// redelivery returns the parameters of redelivered. While the webhook is in error, its deliveries are held.
func redelivery(w *finance.Webhook) db.Args {
	status := finance.DeliveryPending
	if w.Status == finance.WebhookInError {
		status = finance.DeliveryHeld
	}
	return db.Args{"account": w.AccountID, "webhook": w.ID, "status": status, "attempts": finance.AttemptsPerDelivery}
}

// redeliver runs a statement that begins with redelivered for a locked webhook, enqueues a run, and
// returns the ids of the deliveries, ascending. more has the other parameters of the statement.
func redeliver(ctx context.Context, tx *storage.Tx, w *finance.Webhook, statement db.Statement, more ...db.Args) (
	[]int64, error) {
	ids, err := db.ManyNamed[int64](ctx, tx.DB, statement, append(more, redelivery(w))...)
	slices.Sort(ids)
	if err != nil || len(ids) == 0 || w.Status == finance.WebhookInError {
		return ids, err
	}
	return ids, tx.Enqueue(ctx, w.AccountID, jobs.DeliverWebhook{AccountID: w.AccountID, WebhookID: w.ID})
}

// Redeliver gives a delivery of a locked webhook new attempts, whatever its status, and returns it.
func Redeliver(ctx context.Context, tx *storage.Tx, w *finance.Webhook, id int64) (*finance.WebhookDelivery, error) {
	if _, err := redeliver(ctx, tx, w, redeliverOne, db.Args{"id": id}); err != nil {
		return nil, err
	}
	return Read(ctx, tx.Queries, w.AccountID, w.ID, id)
}

// EnqueueRedelivery enqueues the job that gives the deliveries of a locked webhook that match the
// filters new attempts, and returns their number. An unknown filter is a finance.Invalid.
func EnqueueRedelivery(ctx context.Context, tx *storage.Tx, w *finance.Webhook, search map[string]string) (int64,
	error) {
	conditions, filtered, err := list.Conditions(deliveryLogFilters, "id", search)
	if err != nil {
		return 0, err
	}
	count := db.Bind(db.PlanEach + `SELECT count(*), coalesce(max(id), 0) AS last FROM deliveries
		WHERE account_id = @account AND webhook_id = @webhook` + conditions)
	found, err := db.OneNamed[struct{ Count, Last int64 }](ctx, tx.DB, count,
		filtered, db.Args{"account": w.AccountID, "webhook": w.ID})
	if err != nil || found.Count == 0 {
		return 0, err
	}
	return found.Count, tx.Enqueue(ctx, w.AccountID, jobs.RedeliverWebhook{AccountID: w.AccountID, WebhookID: w.ID,
		Search: search, UpTo: found.Last})
}

// RedeliverNext gives the first deliveries of a locked webhook that match the search of the
// job's arguments new attempts, up to limit, and returns their ids, ascending. It is planned for each
// status, because a status may have an index of its own.
func RedeliverNext(ctx context.Context, tx *storage.Tx, w *finance.Webhook, of jobs.RedeliverWebhook, limit int) (
	[]int64, error) {
	conditions, filtered, err := list.Conditions(deliveryLogFilters, "id", of.Search)
	if err != nil {
		return nil, err
	}
	next := db.Bind(db.PlanEach + redelivered + `id = ANY(ARRAY(
		SELECT id FROM deliveries WHERE account_id = @account AND webhook_id = @webhook AND id > @after
			AND id <= @up_to` + conditions + `
		ORDER BY id LIMIT @limit FOR NO KEY UPDATE)) RETURNING id`)
	return redeliver(ctx, tx, w, next, filtered, db.Args{"after": of.After, "up_to": of.UpTo, "limit": limit})
}
