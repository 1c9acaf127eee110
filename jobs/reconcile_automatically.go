package jobs

import (
	"fmt"
	"time"
)

// ReconcileAutomatically reconciles the unambiguous records of an entity, and the records that a
// rule decides. All jobs of one entity coalesce: a bill may be paid from any deposit account of the
// entity, so only a look at all deposit accounts shows whether a record has a rival. Running it
// twice is harmless: reconciled records are not looked at again.
type ReconcileAutomatically struct {
	AccountID int64 `json:"account_id"`
	EntityID  int64 `json:"entity_id"`
	// The first and last day of the new records, as YYYY-MM-DD; "" for all days. A run looks at the
	// days of all its jobs, and at the days around them.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// ReconcileAutomaticallyKind is the kind of ReconcileAutomatically.
var ReconcileAutomaticallyKind = Kind{
	Name:     "reconcile_automatically",
	Queue:    "reconciliation",
	Attempts: 10,
	Delay:    Backoff(time.Second, time.Minute),
	Keyed:    true,
}

// Kind implements Args.
func (ReconcileAutomatically) Kind() Kind { return ReconcileAutomaticallyKind }

// Key implements Keyed.
func (a ReconcileAutomatically) Key() string { return fmt.Sprintf("%d:%d", a.AccountID, a.EntityID) }
