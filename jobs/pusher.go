package jobs

import (
	"context"
	"errors"
	"sync"
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
		if wait := t.Wait; wait > 0 {
			t.Wait = 0
			time.AfterFunc(wait, func() { c.Offer(t) })
		} else if !c.joins(t) {
			c.buffer(t)
		}
	}
}

func (c *Client) buffer(t Ticket) {
	select {
	case c.tickets <- t:
	default:
		c.dropped.Add(1)
	}
}

type sameKey struct {
	kind, key string
	running   bool
}

// apart is between two names of a key: all its due jobs are one run, whichever of
// them is named, and a busy webhook has a thousand a second. One that is named late,
// when it was run before another was kept, leaves that one to the relay.
const apart = 5 * time.Millisecond

// joins tells whether the ticket's key was offered a moment ago: the newest that
// comes meanwhile is offered when that is over. What a crash loses is the relay's.
func (c *Client) joins(t Ticket) bool {
	if t.Key == "" {
		return false
	}
	k := sameKey{t.Kind, t.Key, t.Running}
	c.heldMu.Lock()
	defer c.heldMu.Unlock()
	if before, recent := c.held[k]; recent {
		if before != nil {
			c.pushed.Add(1) // by the newer one's name
		}
		c.held[k] = &t
		return true
	}
	c.open(k)
	return false
}

// open begins the moment in which other tickets of the key join. Hints get a longer one
// while many keys are busy: a run that finds several deliveries at once costs less than
// one that is woken for each. The lock is held.
func (c *Client) open(k sameKey) {
	c.held[k] = nil
	moment := apart
	if k.running {
		moment *= time.Duration(min(len(c.held), 4))
	}
	time.AfterFunc(moment, func() {
		c.heldMu.Lock()
		defer c.heldMu.Unlock()
		last := c.held[k]
		delete(c.held, k)
		if last != nil {
			c.open(k)
			c.buffer(*last) // does not block
		}
	})
}

// release offers what is held back, at the end.
func (c *Client) release() {
	c.heldMu.Lock()
	defer c.heldMu.Unlock()
	for _, t := range c.held {
		if t != nil {
			c.buffer(*t)
		}
	}
	clear(c.held)
}

// Stats counts the tickets that went to Redis, by their names or that of a newer one
// of their key, and those that were dropped since the client was opened.
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
	err := c.pushTo(ctx, t)
	if errors.Is(err, errFull) || err != nil && t.Running { // a hint, which an ACL may forbid
		c.dropped.Add(1)
		return
	}
	if err != nil {
		c.dropped.Add(1)
		c.down(err)
		return
	}
	c.pushed.Add(1)
}

func (c *Client) pushTo(ctx context.Context, t Ticket) error {
	if err := c.ours(ctx); err != nil {
		return err
	}
	if t.Running {
		return c.wake(ctx, t)
	}
	room, err := c.depth(t.Queue).take(ctx, c, t.Queue)
	if err == nil && !room {
		err = errFull
	}
	if err != nil {
		return err
	}
	name, err := c.name(ctx, t)
	if err != nil {
		return err
	}
	return c.enqueue(ctx, task{name, t})
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
	mu             sync.Mutex
	readAt         time.Time
	pending, retry int64
}

func (c *Client) depth(queue string) *depth {
	d, _ := c.depths.LoadOrStore(queue, &depth{})
	return d.(*depth)
}

// take takes one place in the window, if there is one.
func (d *depth) take(ctx context.Context, c *Client, queue string) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.refresh(ctx, c, queue); err != nil || d.pending >= Window {
		return false, err
	}
	d.pending++
	return true, nil
}

func (d *depth) refresh(ctx context.Context, c *Client, queue string) error {
	if time.Since(d.readAt) < fresh {
		return nil
	}
	pipe := c.redis.Pipeline()
	pending, retry := pipe.LLen(ctx, pendingKey(queue)), pipe.ZCard(ctx, retryKey(queue))
	if _, err := pipe.Exec(ctx); err != nil {
		return err
	}
	d.pending, d.retry, d.readAt = pending.Val(), retry.Val(), time.Now()
	return nil
}

// Crowded tells whether a window of tasks waits in Redis to be retried: then a
// failure is not shown there too, because the relay brings it back without.
func (c *Client) Crowded(ctx context.Context, queue string) bool {
	d := c.depth(queue)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.refresh(ctx, c, queue) != nil || d.retry >= Window
}
