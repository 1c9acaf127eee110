// Package jobs holds what is asked: one file per kind of background work with
// its arguments, queue, attempts and delays, and the client that carries names
// of jobs to Redis. It is a leaf, so that storage can enqueue and workers can
// run without knowing each other.
package jobs

import (
	"strconv"
	"time"
)

// Kind is a sort of background work. Its name, and the JSON of its arguments,
// are contracts between releases: neither is ever renamed.
type Kind struct {
	Name     string
	Queue    string
	Attempts int                             // tries before the job is dead
	Delay    func(attempt int) time.Duration // wait after the attempt that failed, counted from 1
	Keyed    bool                            // its arguments are Keyed, and its jobs coalesce; this, too, never changes
	// Fair says that its arguments are Keyed, and its jobs do not coalesce but take turns:
	// those of one key run one after the other, the oldest first, and accounts share the
	// workers. A task of it says that there is work, and not which. It has its queue to
	// itself, and the indexes of migration 44: only imports are fair.
	Fair bool
}

// Args are the arguments of one job: ids, never records. They are kept as JSON.
type Args interface{ Kind() Kind }

// Keyed are arguments of a kind of whose jobs no two of one key run at once. All due
// jobs of a key are one run, unless the kind is Fair (decision 0004).
type Keyed interface {
	Args
	Key() string
}

// Ticket names one claimable job to Redis.
type Ticket struct {
	ID     int64
	Claims int
	Kind   string
	Queue  string
	After  string // the run that held the job's key until now; empty when none did
	Key    string // of a job that was just kept, of whose key one is claimed at a time; else empty

	// Running says that no job was kept, because one of the key is running: its run is
	// woken.
	Running bool

	// Wait is how long the job is not due yet: it is offered after that. What is not
	// due for longer than SoonDue has no ticket, but the relay.
	Wait time.Duration
}

// SoonDue is the longest that a process remembers a job that is not due yet. It is
// longer than the rest of a relay, which may not see such a job in time.
const SoonDue = 1500 * time.Millisecond

// Name is the name of the job's task, after the id of the installation. A job offered twice is one task. A job that
// was claimed since, and is free again, is another one, and so is one whose key
// has become free: the task that came too early may not have ended yet.
func (t Ticket) Name() string {
	name := strconv.FormatInt(t.ID, 10) + "." + strconv.Itoa(t.Claims)
	if t.After != "" {
		name += ".after." + t.After
	}
	return name
}

// Backoff doubles from first with every attempt, up to most.
func Backoff(first, most time.Duration) func(attempt int) time.Duration {
	return func(attempt int) time.Duration {
		d := first
		for ; attempt > 1 && d < most; attempt-- {
			d *= 2
		}
		return min(d, most)
	}
}
