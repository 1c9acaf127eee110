package jobs

import "time"

// DeleteCascade removes a record that clients see as deleted, or being deleted, with
// everything that belongs to it: children first, in chunks that commit. Running it twice is
// harmless: it removes what is left.
type DeleteCascade struct {
	AccountID int64  `json:"account_id"`
	Root      string `json:"root"` // the record's table: entities, deposit_accounts, webhooks, …
	ID        int64  `json:"id"`
}

// DeleteCascadeKind is the kind of DeleteCascade. Clients have been answered that the
// record is deleted, so retries go on, daily in the end. A record that something still
// refers to begins again, a second later.
var DeleteCascadeKind = Kind{
	Name:     "delete_cascade",
	Queue:    "deletions",
	Attempts: 100,
	Delay:    Backoff(time.Second, 24*time.Hour),
}

// Kind implements Args.
func (DeleteCascade) Kind() Kind { return DeleteCascadeKind }
