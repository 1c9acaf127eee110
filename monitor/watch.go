package monitor

import (
	"context"
	"time"

	"bordero/internal/metrics"
)

// Watch is what the overview and the audit show beside charts, and what its buttons do. Each read is of
// a bounded part, newest or most urgent first.
type Watch struct {
	// Queues are from Redis, whose absence is an error.
	Queues   func(context.Context) ([]Queue, error)
	Jobs     func(context.Context) ([]metrics.JobCount, error)
	Unsealed func(context.Context) (metrics.Unsealed, error)
	Proofs   func(context.Context) ([]metrics.ProofCount, error)
	Failed   func(context.Context) ([]FailedJob, error)
	Imports  func(context.Context) ([]Import, error)
	Webhooks func(context.Context) ([]Webhook, error)
	// Deletions are those in progress.
	Deletions func(context.Context) ([]Deletion, error)
	// Changes searches the changes of an account. A Refusal is about the search.
	Changes func(context.Context, ChangeSearch) (Changes, error)

	// Retry makes a failed job due again. It returns false if there is none of that id.
	Retry func(ctx context.Context, id int64) (bool, error)
	// RetryAll is Retry for the jobs of a kind that had failed at a time. It returns their
	// number.
	RetryAll func(ctx context.Context, kind string, until time.Time) (int64, error)
	// Dismiss makes a failed job count as failed no longer, in the name of a user. It returns
	// false if there is none of that id.
	Dismiss func(ctx context.Context, id int64, user string) (bool, error)
	// DismissAll is Dismiss for the jobs of a kind that had failed at a time. It returns
	// their number.
	DismissAll func(ctx context.Context, kind string, until time.Time, user string) (int64, error)
	// Verify tests the address of a webhook. If it answers 200, the webhook becomes active
	// and its held deliveries are sent. The code is 0 if no answer came. It returns false if
	// there is no such webhook.
	Verify func(ctx context.Context, account, webhook int64) (code int, found bool, err error)
	// Redeliver sends the failed deliveries of a webhook again, and returns their number. It
	// returns false if there is no such webhook.
	Redeliver func(ctx context.Context, account, webhook int64) (n int64, found bool, err error)
}

// Queue is what Redis knows of a queue and its workers.
type Queue struct {
	Name    string
	Paused  bool
	Workers []Worker // the live ones
}

// Worker is a process that takes tasks of a queue.
type Worker struct {
	Version string
	Beat    time.Duration // since it last announced itself
}

// FailedJob is a dead job that nobody has dismissed: only Retry makes it run again.
type FailedJob struct {
	ID, AccountID int64
	Kind, Error   string
	Account       string // its name; empty if it no longer exists
	About         string // the record that it is about: statement 230; empty if it names none
	Name          string // of that record, or its file's
	RequestID     string
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

// Webhook is a webhook that has deliveries to make, or failed ones, or is in error.
type Webhook struct {
	AccountID, WebhookID             int64
	Address, Description             string // Address without anything that may be a secret
	Status                           string
	ErrorSince                       *time.Time // nil unless in error, or if not known
	Pending, Held, Failed, Delivered int64

	// Its last attempt; AnsweredAt is nil if none is known.
	AnsweredAt *time.Time
	Code       int64  // 0 if no answer came
	Reason     string // why it counts as failed; empty if it does not
}

// Deletion is a cascade in progress.
type Deletion struct {
	AccountID, ID int64
	Root          string // what is deleted: entities, deposit_accounts, …
	Removed, Left int64  // rows removed so far, and roughly those left
	Since         time.Time
}
