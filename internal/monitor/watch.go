package monitor

import (
	"context"
	"time"

	"bordero/internal/metrics"
)

// Watch reads what only PostgreSQL knows, for the overview. Each function reads a bounded
// part, newest or most urgent first.
type Watch struct {
	Jobs     func(context.Context) ([]metrics.JobCount, error)
	Failed   func(context.Context) ([]FailedJob, error)
	Imports  func(context.Context) ([]Import, error)
	Webhooks func(context.Context) ([]Webhook, error)
	// Deletions are those in progress.
	Deletions func(context.Context) ([]Deletion, error)
	// Retry makes a failed job due again. It returns false if there is none of that id.
	Retry func(ctx context.Context, id int64) (bool, error)
}

// FailedJob is a dead job: only Retry makes it run again.
type FailedJob struct {
	ID, AccountID int64
	Kind, Error   string
	Attempts      int
	FailedAt      time.Time
}

// Import is an import of a statement that has not ended.
type Import struct {
	AccountID, BankStatementID int64
	Status                     string
	Bytes                      int64
	Since                      time.Time
}

// Webhook is a webhook that has deliveries to make, or is in error.
type Webhook struct {
	AccountID, WebhookID             int64
	Status                           string
	Pending, Held, Failed, Delivered int64
}

// Deletion is a cascade in progress.
type Deletion struct {
	AccountID, ID int64
	Root          string // what is deleted: entities, deposit_accounts, …
	Removed, Left int64  // rows removed so far, and roughly those left
	Since         time.Time
}
