package jobs

import "time"

// DeleteCascade removes a record that is gone, or going, for clients, with
// everything that belongs to it: children first, in chunks that commit. Running
// it twice is harmless: it removes what is left.
type DeleteCascade struct {
	AccountID int64  `json:"account_id"`
	Root      string `json:"root"` // the record's table: entities, deposit_accounts, webhooks, …
	ID        int64  `json:"id"`
}

// DeleteCascadeKind is the kind of DeleteCascade. Who has been told that something
// is deleted is not told otherwise: it is tried daily in the end, and what something
// still refers to, which begins anew, each second.
var DeleteCascadeKind = Kind{
	Name:     "delete_cascade",
	Queue:    "deletions",
	Attempts: 100,
	Delay:    Backoff(time.Second, 24*time.Hour),
}

// Kind implements Args.
func (DeleteCascade) Kind() Kind { return DeleteCascadeKind }
