package jobs

import (
	"fmt"
	"time"
)

// AlignDeliveries gives the waiting deliveries of one webhook the status that follows from the status
// of the webhook: held while the webhook is in error, otherwise pending. The transaction that changed
// the webhook left these deliveries to the job, which updates them a batch at a time. All jobs of one
// webhook coalesce. Running it twice is harmless: the deliveries end in the same state.
type AlignDeliveries struct {
	AccountID int64 `json:"account_id"`
	WebhookID int64 `json:"webhook_id"`
}

// AlignDeliveriesKind is the kind of AlignDeliveries.
var AlignDeliveriesKind = Kind{
	Name:     "align_deliveries",
	Queue:    "webhooks",
	Attempts: 20,
	Delay:    Backoff(time.Second, 10*time.Minute),
	Keyed:    true,
}

// Kind implements Args.
func (AlignDeliveries) Kind() Kind { return AlignDeliveriesKind }

// Key implements Keyed.
func (a AlignDeliveries) Key() string { return fmt.Sprintf("webhook:%d", a.WebhookID) }
