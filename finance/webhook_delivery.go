package finance

import (
	"strconv"
	"time"
)

// DeliveryStatus is the progress of a delivery: one event for one webhook.
type DeliveryStatus string

// The statuses of a delivery.
const (
	DeliveryPending   DeliveryStatus = "pending"   // its next attempt is scheduled
	DeliveryDelivered DeliveryStatus = "delivered" // the receiver answered 200
	DeliveryFailed    DeliveryStatus = "failed"    // all attempts failed
	DeliveryHeld      DeliveryStatus = "held"      // its webhook is in error
	DeliveryExpired   DeliveryStatus = "expired"   // held for too long
)

// DeliveryStatuses lists all statuses.
var DeliveryStatuses = []DeliveryStatus{DeliveryPending, DeliveryDelivered, DeliveryFailed, DeliveryHeld,
	DeliveryExpired}

// AttemptsPerDelivery is the number of attempts of a delivery, and of the further attempts that
// each redelivery adds.
const AttemptsPerDelivery = 5

// WebhookDelivery is the delivery of one event to one webhook.
type WebhookDelivery struct {
	ID            int64
	Family        Family
	Action        Action
	RecordID      int64
	EntityID      int64 // of the record; 0 for a record of the account
	ParentID      int64 // the record above it; 0 if absent
	Status        DeliveryStatus
	AttemptsCount int64
	NextAttemptAt *time.Time // nil unless pending
	CreatedAt     time.Time
	DeliveredAt   *time.Time
	Body          *string          // nil before the first attempt, and in lists
	Attempts      []WebhookAttempt // nil in lists
}

// NotificationID returns the id of a delivery's notification for its receiver, the same on every
// attempt (docs/webhooks.md: webhook-id).
func NotificationID(delivery int64) string { return "msg_" + strconv.FormatInt(delivery, 10) }

// WebhookAttempt is one POST of a delivery.
type WebhookAttempt struct {
	Number          int64
	StartedAt       time.Time
	FinishedAt      *time.Time // nil while it runs
	ResponseCode    *int64     // nil if there was no answer
	Error           *string    // why there was no answer
	ResponseExcerpt *string    // the first 4 KiB of the answer
}
