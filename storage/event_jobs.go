package storage

import (
	"context"

	"bordero/finance"
)

// EventJobs is a part of the statement of an event: it enqueues the jobs that look at the changed
// records.
type EventJobs struct {
	Name string // in the names of the statements
	// Insert returns a statement with the parameters of emit, from a query of the ids of the records. It
	// returns the rows of the jobs' tickets: id, claims, kind, queue, key, running.
	Insert func(records string) string
}

// following are the jobs that follow from changes of records.
var following struct {
	event  func(finance.Event) *EventJobs
	person func(ctx context.Context, tx *Tx, account, person int64) error
}

// Follow registers the jobs that follow from changes, once at start: event returns the jobs of an event,
// or nil; person enqueues the jobs after a change of the name or number of a person. Storage knows events
// alone; the package whose jobs they are is above it.
func Follow(event func(finance.Event) *EventJobs,
	person func(ctx context.Context, tx *Tx, account, person int64) error) {
	following.event, following.person = event, person
	for _, e := range emissions {
		e.bind()
	}
}
