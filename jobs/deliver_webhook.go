package jobs

import (
	"strconv"
	"time"
)

// DeliverWebhook sends the due deliveries of one webhook. All jobs of one webhook coalesce,
// so that one worker at a time posts to an endpoint.
type DeliverWebhook struct {
	AccountID int64 `json:"account_id"`
	WebhookID int64 `json:"webhook_id"`
}

// DeliverWebhookKind is the kind of DeliverWebhook. Its attempts count only failures of the
// job, which are our own faults. Each delivery counts its own five attempts
// (finance.AttemptsPerDelivery).
var DeliverWebhookKind = Kind{
	Name:     "deliver_webhook",
	Queue:    "webhooks",
	Attempts: 100,
	Delay:    Backoff(time.Second, 10*time.Minute),
	Keyed:    true,
}

// Kind implements Args.
func (DeliverWebhook) Kind() Kind { return DeliverWebhookKind }

// Key implements Keyed.
func (a DeliverWebhook) Key() string { return "webhook:" + strconv.FormatInt(a.WebhookID, 10) }
