package finance

import "time"

// DeliveryStatus tells how far a notification of one webhook has come.
type DeliveryStatus string

// The statuses of a delivery.
const (
	DeliveryPending   DeliveryStatus = "pending"   // its next attempt has a time
	DeliveryDelivered DeliveryStatus = "delivered" // answered with 200
	DeliveryFailed    DeliveryStatus = "failed"    // its attempts are used up
	DeliveryHeld      DeliveryStatus = "held"      // its webhook is in error
	DeliveryExpired   DeliveryStatus = "expired"   // held for too long
)

// DeliveryStatuses are all of them.
var DeliveryStatuses = []DeliveryStatus{DeliveryPending, DeliveryDelivered, DeliveryFailed, DeliveryHeld, DeliveryExpired}

// AttemptsPerDelivery is how many attempts a notification has, and how many more
// each redelivery gives it.
const AttemptsPerDelivery = 5

// WebhookDelivery is one notification of one webhook and what became of it.
type WebhookDelivery struct {
	ID            int64
	Event         string // sales.created
	Status        DeliveryStatus
	AttemptsCount int64
	NextAttemptAt *time.Time // nil unless pending
	CreatedAt     time.Time
	DeliveredAt   *time.Time
	Attempts      []WebhookAttempt // of one alone; nil in lists
}

// WebhookAttempt is one POST of a notification.
type WebhookAttempt struct {
	Number          int64
	StartedAt       time.Time
	FinishedAt      *time.Time // nil while it runs
	ResponseCode    *int64     // nil when no answer came
	Error           *string    // why none came
	ResponseExcerpt *string    // the first 4 KiB of the answer
}
