package jobs

import "strconv"

// The queues of the change feed's tickets (decision 0031), which no worker serves. Their tickets are hints:
// the sealer looks by itself, and so does a request that waits for changes.
const (
	UnsealedQueue = "unsealed" // a transaction has written changes
	SealedQueue   = "sealed"   // an account has new changes to read
)

// Unsealed is the ticket of a transaction that wrote changes: it wakes the sealer.
var Unsealed = Ticket{Queue: UnsealedQueue, Key: UnsealedQueue, Running: true}

// Sealed is the ticket that wakes what waits for changes of the account.
func Sealed(account int64) Ticket {
	return Ticket{Queue: SealedQueue, Key: strconv.FormatInt(account, 10), Running: true}
}
