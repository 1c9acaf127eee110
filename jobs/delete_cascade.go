package jobs

import "time"

// DeleteCascade removes a record that clients see as deleted, or being deleted, with all its
// children: children first, in chunks that commit. Running it twice is harmless: the second run
// removes the remaining rows.
type DeleteCascade struct {
	AccountID int64  `json:"account_id"`
	Root      string `json:"root"` // the record's table: entities, webhooks, …; sandboxes for a reset
	ID        int64  `json:"id"`
}

// DeleteCascadeKind is the kind of DeleteCascade. The API has answered that the record is
// deleted, so retries go on, daily in the end. If another row still refers to the record, the
// job begins again a second later.
var DeleteCascadeKind = Kind{
	Name:     "delete_cascade",
	Queue:    "deletions",
	Attempts: 100,
	Delay:    Backoff(time.Second, 24*time.Hour),
}

// Kind implements Args.
func (DeleteCascade) Kind() Kind { return DeleteCascadeKind }
