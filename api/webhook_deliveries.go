package api

import (
	"context"
	"net/http"
	"time"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/storage/list"
)

// webhookDeliveries are listed without their bodies and attempts; show includes both.
var webhookDeliveries = resource[finance.WebhookDelivery]{
	root: "webhook_delivery", plural: "webhook_deliveries",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (
		list.Page[finance.WebhookDelivery], error) {
		return deliveries.List(ctx, q, c.access.AccountID, c.pathID("webhook_id"), l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.WebhookDelivery, error) {
		return deliveries.Read(ctx, q, c.access.AccountID, c.pathID("webhook_id"), id)
	},
	parent: parent{
		check: func(ctx context.Context, q storage.Queries, c *call) error {
			webhook := c.pathID("webhook_id")
			_, err := deliveries.Webhook(ctx, q, c.access.AccountID, webhook)
			return found(err, "webhook", webhook)
		},
	},
	show: func(_ *call, w *wire.Writer, d *finance.WebhookDelivery) {
		w.Int("id", d.ID)
		w.String("webhook_id", finance.NotificationID(d.ID))
		w.String("event", string(d.Family)+"."+string(d.Action))
		w.Int("record_id", d.RecordID)
		w.String("path", recordPath(d))
		w.String("status", string(d.Status))
		w.Int("attempts_count", d.AttemptsCount)
		w.TimePtr("next_attempt_at", d.NextAttemptAt)
		w.Time("created_at", d.CreatedAt)
		w.TimePtr("delivered_at", d.DeliveredAt)
		if d.Attempts != nil {
			w.StringPtr("body", d.Body)
			showAttempts(w, d.Attempts)
		}
	},
	path: func(c *call, d *finance.WebhookDelivery) string {
		return paths.WebhookDelivery(c.pathID("webhook_id"), d.ID)
	},
}

// recordPath returns the path of the record of a delivery; "" if a later release wrote the delivery
// and this one does not know its family.
func recordPath(d *finance.WebhookDelivery) string {
	of, known := paths.Families[string(d.Family)]
	if !known {
		return ""
	}
	return of.Path(d.EntityID, d.ParentID, d.RecordID)
}

func showAttempts(w *wire.Writer, attempts []finance.WebhookAttempt) {
	w.Objects("attempts", "attempt", len(attempts), func(i int) {
		w.Int("number", attempts[i].Number)
		w.Time("started_at", attempts[i].StartedAt)
		w.TimePtr("finished_at", attempts[i].FinishedAt)
		w.IntPtr("response_code", attempts[i].ResponseCode)
		w.StringPtr("error", attempts[i].Error)
		w.StringPtr("response_excerpt", attempts[i].ResponseExcerpt)
	})
}

// redeliver allows five more attempts of a delivery: 202 with its Location and the delivery.
func (a *API) redeliver(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
		webhook, id := c.pathID("webhook_id"), c.id()
		w, err := webhooks.lock(ctx, tx, c, webhook)
		if err != nil {
			return answer{}, found(err, webhooks.root, webhook)
		}
		d, err := deliveries.Redeliver(ctx, tx, w, id)
		if err != nil {
			return answer{}, found(err, webhookDeliveries.root, id)
		}
		out := webhookDeliveries.document(c, http.StatusAccepted, d)
		out.location = c.url(webhookDeliveries.path(c, d))
		return out, nil
	})
}

// recentFailures is the age up to which failed deliveries are delivered again if no filter is sent.
const recentFailures = 14 * 24 * time.Hour

// redeliverMany enqueues a job that allows five more attempts of each delivery that matches the
// filters: 202 with their number.
func (a *API) redeliverMany(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		webhook := c.pathID("webhook_id")
		search, err := c.search(withoutHash(in))
		if err != nil {
			return answer{}, err
		}
		if len(search) == 0 {
			search = map[string]string{"status": string(finance.DeliveryFailed),
				"since": a.now().Add(-recentFailures).Format(time.RFC3339)}
		}
		w, err := webhooks.lock(ctx, tx, c, webhook)
		if err != nil {
			return answer{}, found(err, webhooks.root, webhook)
		}
		n, err := deliveries.EnqueueRedelivery(ctx, tx, w, search)
		if err != nil {
			return answer{}, err
		}
		return rootless(c, http.StatusAccepted, showRedelivery, &n), nil
	})
}

func showRedelivery(_ *call, w *wire.Writer, n *int64) { w.Int("count", *n) }

var redeliveryFields = openapi.Fields{"count": {Doc: "The number of deliveries that are sent again."}}

var webhookDeliveryFields = openapi.Fields{
	"webhook_id": {Doc: "The id of the notification: the header `webhook-id` of each attempt.", Example: "msg_417"},
	"event":      {Doc: "The event.", Example: "sales.created"},
	"record_id":  {Doc: "The id of the record."},
	"path":       {Doc: "The path of the record, for reading its current state.", Example: "/entities/1/sales/7"},
	"body":       {Doc: "The body of the notification; null until an attempt has ended that was not interrupted."},
	"status": {
		Doc: "`pending` until it is answered with 200 (`delivered`) or has used up its attempts (`failed`); `held` " +
			"while the webhook is " +
			"`Com erro`, and `expired` when that took too long.",
		Enum: openapi.Enum{Name: "WebhookDeliveryStatus", Values: finance.DeliveryStatuses},
	},
	"attempts_count":            {Doc: "The number of attempts made."},
	"next_attempt_at":           {Doc: "When the next attempt is due; null unless pending."},
	"delivered_at":              {Doc: "When the receiver answered with 200."},
	"attempts":                  {Doc: "Each POST, in order."},
	"attempts.number":           {Doc: "The number of the attempt, from 1."},
	"attempts.finished_at":      {Doc: "When the attempt ended; null while it runs."},
	"attempts.response_code":    {Doc: "The status of the answer; null if no answer came."},
	"attempts.error":            {Doc: "Why no answer came."},
	"attempts.response_excerpt": {Doc: "The first 4 KiB of the answer."},
}
