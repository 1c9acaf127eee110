// Package jobs defines the kinds of jobs, one file per kind with its arguments, queue,
// attempts and delays, and the tickets of jobs. It imports the standard library alone, so that
// storage can enqueue and workers can run without importing each other. jobs/broker carries
// tickets through Redis.
package jobs

import (
	"strconv"
	"time"
)

// Kind is a sort of job. Its name and the JSON of its arguments are contracts between
// releases: neither is ever renamed.
type Kind struct {
	Name     string
	Queue    string
	Attempts int                             // runs before the job is dead
	Delay    func(attempt int) time.Duration // wait after the attempt that failed, counted from 1
	// Keyed kinds have Keyed arguments, and their jobs coalesce. Like the name, it never changes.
	Keyed bool
	// Fair kinds have Keyed arguments, but their jobs do not coalesce: the jobs of one key run one
	// after the other, the oldest first, and accounts share the workers. A task of the kind reports
	// only that there is work. Only imports are fair: another fair kind needs the indexes of
	// migration 44.
	Fair bool
}

// Owed are the kinds of jobs that delete hidden records, price or deliver. `bordero verify` reports a record that waits
// for such a job if the job is missing. So a dismissed job of these kinds stays until it is retried.
var Owed = []Kind{
	DeleteCascadeKind, DeleteBankStatementKind, PriceSalesKind, SettleSalesKind, ApplyCardDaysKind,
	DeliverWebhookKind, AlignDeliveriesKind,
}

// Args are the arguments of one job: ids, never records. They are stored as JSON.
type Args interface{ Kind() Kind }

// Keyed are arguments with a key. Two runs of one key never overlap, and all due jobs of a
// key are one run, unless the kind is Fair (decision 0004).
type Keyed interface {
	Args
	Key() string
}

// Ticket identifies one job that can be claimed.
type Ticket struct {
	ID    int64
	Fence int `db:"claims"` // of the job's last claim; 0 if it was never claimed
	Kind  string
	Queue string
	After string // the run that had the job's key until now; empty if the key was free
	Key   string // key of a job just enqueued, if jobs of the key run one at a time; otherwise empty

	// Running means that no job was enqueued, because a job of the key is running: the ticket wakes
	// that run instead.
	Running bool

	// Wait is the time until the job is due, after which the client offers the ticket. A job due
	// later than SoonDue has no ticket: the relay offers it.
	Wait time.Duration
}

// SoonDue is the longest time that a process remembers a job that is not due yet. It exceeds the
// relay's rest, because the relay may find a job that is due sooner too late.
const SoonDue = 1500 * time.Millisecond

// Name returns the name of the job's task, without the id of the installation. A job offered
// twice is one task. The name changes with each claim of the job, and when the job's key becomes
// free: the task of an earlier offer may not have ended yet.
func (t Ticket) Name() string {
	name := strconv.FormatInt(t.ID, 10) + "." + strconv.Itoa(t.Fence)
	if t.After != "" {
		name += ".after." + t.After
	}
	return name
}

// Backoff returns delays that double from first with every attempt, up to most.
func Backoff(first, most time.Duration) func(attempt int) time.Duration {
	return func(attempt int) time.Duration {
		d := first
		for ; attempt > 1 && d < most; attempt-- {
			d *= 2
		}
		return min(d, most)
	}
}
