package jobs

import (
	"context"
	"time"
)

// wake tells the worker that runs a key that there is more to do. It is a hint: a run
// looks for more before it ends, whether or not it was woken.
func (c *Client) wake(ctx context.Context, t Ticket) error {
	channel, err := c.key(ctx, "wake", t.Queue)
	if err != nil {
		return err
	}
	return c.pipelined.Publish(ctx, channel, t.Key).Err()
}

// Wakes calls woken with the key of each run of a queue that is to be woken, in any
// process, until ctx is done. What is sent while Redis is not connected is lost.
func (c *Client) Wakes(ctx context.Context, queue string, woken func(key string)) {
	channel, err := c.key(ctx, "wake", queue)
	for ; err != nil; channel, err = c.key(ctx, "wake", queue) { // the database is away
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
