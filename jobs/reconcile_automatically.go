package jobs

import (
	"fmt"
	"time"
)

// ReconcileAutomatically reconciles what is unmistakable among the records of an entity, or what a
// rule decides. All jobs of one entity coalesce: a bill may be paid from any of its deposit
// accounts, so that only a look at all of them shows whether a record has a rival. Running it
// twice is harmless: what is reconciled is not looked at again.
type ReconcileAutomatically struct {
	AccountID int64 `json:"account_id"`
	EntityID  int64 `json:"entity_id"`
	// The days of the records that are new, as YYYY-MM-DD; "" for all. A run looks at the days of
	// all its jobs, and those about them.
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
