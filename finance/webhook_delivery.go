package finance

import "time"

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
var DeliveryStatuses = []DeliveryStatus{DeliveryPending, DeliveryDelivered, DeliveryFailed, DeliveryHeld, DeliveryExpired}

// AttemptsPerDelivery is the number of attempts of a delivery, and of the further attempts that
// each redelivery adds.
const AttemptsPerDelivery = 5

// WebhookDelivery is the delivery of one event to one webhook.
type WebhookDelivery struct {
	ID            int64
	Event         string // sales.created
	Status        DeliveryStatus
	AttemptsCount int64
	NextAttemptAt *time.Time // nil unless pending
	CreatedAt     time.Time
	DeliveredAt   *time.Time
	Attempts      []WebhookAttempt // nil in lists
}

// WebhookAttempt is one POST of a delivery.
type WebhookAttempt struct {
	Number          int64
	StartedAt       time.Time
	FinishedAt      *time.Time // nil while it runs
	ResponseCode    *int64     // nil if there was no answer
	Error           *string    // why there was no answer
	ResponseExcerpt *string    // the first 4 KiB of the answer
}
