package jobs

import (
	"context"
	"strconv"
)

// The channels of the change feed (decision 0031). What they carry are hints: the sealer looks by
// itself, and so does a request that waits for changes.
const (
	unsealed = "unsealed" // a transaction has written changes
	sealed   = "sealed"   // an account has new changes to read
)

// Unsealed is the ticket of a transaction that wrote changes: it wakes the sealer.
var Unsealed = Ticket{Queue: unsealed, Key: unsealed, Running: true}

// Sealed is the ticket that wakes what waits for changes of the account.
func Sealed(account int64) Ticket {
	return Ticket{Queue: sealed, Key: strconv.FormatInt(account, 10), Running: true}
}

// WakesOfSealer calls woken when a transaction has written changes, until ctx is done.
func (c *Client) WakesOfSealer(ctx context.Context, woken func()) {
	c.Wakes(ctx, unsealed, func(string) { woken() })
}

// WakesOfReaders calls woken with each account that has new changes, until ctx is done.
func (c *Client) WakesOfReaders(ctx context.Context, woken func(account int64)) {
	c.Wakes(ctx, sealed, func(key string) {
		if account, err := strconv.ParseInt(key, 10, 64); err == nil {
			woken(account)
		}
	})
}
