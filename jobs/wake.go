package jobs

import "context"

// wakeChannel is the channel of the wake-ups of a queue's runs.
func wakeChannel(queue string) string { return "bordero:wake:" + queue }

// wake tells the worker that runs a key that there is more to do. It is a hint: a run
// looks for more before it ends, whether or not it was woken.
func (c *Client) wake(ctx context.Context, t Ticket) error {
	return c.pipelined.Publish(ctx, wakeChannel(t.Queue), t.Key).Err()
}

// Wakes calls woken with the key of each run of a queue that is to be woken, in any
// process, until ctx is done. What is sent while Redis is not connected is lost.
func (c *Client) Wakes(ctx context.Context, queue string, woken func(key string)) {
	subscription := c.redis.Subscribe(ctx, wakeChannel(queue))
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
