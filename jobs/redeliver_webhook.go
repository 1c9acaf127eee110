package jobs

import "time"

// RedeliverWebhook gives new attempts to a batch of the deliveries of one webhook that match the
// filters, in the order of their ids. The transaction that ends the job enqueues the job of the
// next batch, so no delivery is given attempts twice.
type RedeliverWebhook struct {
	AccountID int64             `json:"account_id"`
	WebhookID int64             `json:"webhook_id"`
	Search    map[string]string `json:"search"` // filters of the list of deliveries
	After     int64             `json:"after"`  // the last delivery of the previous batch
	UpTo      int64             `json:"up_to"`  // the last delivery that matched at the time of the request
}

// RedeliverWebhookKind is the kind of RedeliverWebhook.
var RedeliverWebhookKind = Kind{
	Name:     "redeliver_webhook",
	Queue:    "webhooks",
	Attempts: 20,
	Delay:    Backoff(time.Second, 10*time.Minute),
}

// Kind implements Args.
func (RedeliverWebhook) Kind() Kind { return RedeliverWebhookKind }
