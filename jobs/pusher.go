package jobs

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	buffered = 10_000                 // tickets that wait for a pusher
	pushers  = 64                     // goroutines; they share one connection
	rest     = time.Second            // between tries while Redis is down
	fresh    = 200 * time.Millisecond // how long a queue's depth is believed
)

// Offer hands tickets of committed jobs to the pushers. It never blocks and
// never fails: what finds no room, in the buffer or in the queue's window, or no
// Redis, is left to the relay.
func (c *Client) Offer(tickets ...Ticket) {
	for _, t := range tickets {
		select {
		case c.tickets <- t:
		default:
			c.dropped.Add(1)
		}
	}
}

// Stats counts the tickets that went to Redis and those that were dropped since
// the client was opened.
func (c *Client) Stats() (pushed, dropped uint64) { return c.pushed.Load(), c.dropped.Load() }

func (c *Client) push() {
	for {
		select {
		case t := <-c.tickets:
			c.pushOne(t)
		case <-c.closing:
			for {
				select {
				case t := <-c.tickets:
					c.pushOne(t)
				default:
					return
				}
			}
		}
	}
}

func (c *Client) pushOne(t Ticket) {
	if time.Now().UnixNano() < c.restUntil.Load() {
		c.dropped.Add(1)
		return
	}
	ctx, cancel := context.WithTimeout(c.ctx, time.Second)
	defer cancel()
	d, err := c.depth(ctx, t.Queue)
	if err == nil && d.pending.Add(1) > Window {
		c.dropped.Add(1)
		return
	}
	if err == nil {
		err = c.enqueue(ctx, task{t.Name(), t})
	}
	if err != nil {
		c.dropped.Add(1)
		c.down(err)
		return
	}
	c.pushed.Add(1)
}

// down rests the pushers, and says why at most every ten seconds.
func (c *Client) down(err error) {
	now := time.Now()
	c.restUntil.Store(now.Add(rest).UnixNano())
	last := c.loggedAt.Load()
	if now.UnixNano()-last > int64(10*time.Second) && c.loggedAt.CompareAndSwap(last, now.UnixNano()) {
		c.logger.Warn("jobs are not offered to Redis; the relay will", "error", err, "dropped", c.dropped.Load())
	}
}

// depth is how many tasks of a queue wait in Redis, as of a moment ago.
type depth struct {
	readAt         atomic.Int64 // Unix nanoseconds
	pending, retry atomic.Int64
}

func (c *Client) depth(ctx context.Context, queue string) (*depth, error) {
	v, _ := c.depths.LoadOrStore(queue, &depth{})
	d := v.(*depth)
	now, last := time.Now().UnixNano(), d.readAt.Load()
	if now-last < int64(fresh) || !d.readAt.CompareAndSwap(last, now) {
		return d, nil // fresh, or someone else is reading it
	}
	pipe := c.redis.Pipeline()
	pending, retry := pipe.LLen(ctx, pendingKey(queue)), pipe.ZCard(ctx, retryKey(queue))
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, err
	}
	d.pending.Store(pending.Val())
	d.retry.Store(retry.Val())
	return d, nil
}

// Crowded tells whether a window of tasks waits in Redis to be retried: then a
// failure is not shown there too, because the relay brings it back without.
func (c *Client) Crowded(ctx context.Context, queue string) bool {
	d, err := c.depth(ctx, queue)
	return err != nil || d.retry.Load() >= Window
}
