package broker

import (
	"context"
	"strconv"
	"time"

	"bordero/jobs"
)

// wake tells the worker that runs a key that another job of the key waits. The message is only a
// hint: every run looks for more jobs before it ends.
func (c *Client) wake(ctx context.Context, t jobs.Ticket) error {
	channel, err := c.Key(ctx, "wake", t.Queue)
	if err != nil {
		return err
	}
	return c.pipelined.Publish(ctx, channel, t.Key).Err()
}

// Wakes calls woken with the key of each wake-up that any process sends for a run of the
// queue, until ctx is done. Messages sent while Redis is not connected are lost.
func (c *Client) Wakes(ctx context.Context, queue string, woken func(key string)) {
	channel, err := c.Key(ctx, "wake", queue)
	for ; err != nil; channel, err = c.Key(ctx, "wake", queue) { // the database is down
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return
		}
	}
	subscription := c.redis.Subscribe(ctx, channel)
	defer subscription.Close()
	for {
		select {
		case m, open := <-subscription.Channel():
			if !open {
				return
			}
			woken(m.Payload)
		case <-ctx.Done():
			return
		}
	}
}

// WakesOfSealer calls unsealed when a transaction has written changes, and followed when a request waits for
// changes, until ctx is done.
func (c *Client) WakesOfSealer(ctx context.Context, unsealed, followed func()) {
	c.Wakes(ctx, jobs.UnsealedQueue, func(key string) {
		if key == jobs.Followed.Key {
			followed()
		} else {
			unsealed()
		}
	})
}

// WakesOfReaders calls woken with each account that has new changes, until ctx is done.
func (c *Client) WakesOfReaders(ctx context.Context, woken func(account int64)) {
	c.Wakes(ctx, jobs.SealedQueue, func(key string) {
		if account, err := strconv.ParseInt(key, 10, 64); err == nil {
			woken(account)
		}
	})
}
