package jobs

import "strconv"

// The queues of the change feed's tickets (decision 0031), which no worker serves. Their tickets are hints:
// the sealer, and a request that waits for changes, look for changes without a ticket too.
const (
	UnsealedQueue = "unsealed" // a transaction has written changes
	SealedQueue   = "sealed"   // an account has new changes to read
)

// Unsealed is the ticket of a transaction that wrote changes: it wakes the sealer.
var Unsealed = Ticket{Queue: UnsealedQueue, Key: UnsealedQueue, Running: true}

// Followed is the ticket of a request that waits for changes: the sealer lets no changes gather.
var Followed = Ticket{Queue: UnsealedQueue, Key: "followed", Running: true}

// Sealed is the ticket that wakes the requests that wait for changes of the account.
func Sealed(account int64) Ticket {
	return Ticket{Queue: SealedQueue, Key: strconv.FormatInt(account, 10), Running: true}
}
