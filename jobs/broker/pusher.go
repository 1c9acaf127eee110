package broker

import (
	"context"
	"errors"
	"sync"
	"time"

	"bordero/jobs"
)

const (
	ticketBuffer  = 10_000                 // tickets that wait for a pusher
	pushers       = 64                     // goroutines; they share one connection
	outageBackoff = time.Second            // between tries while Redis is down
	depthAge      = 200 * time.Millisecond // how long a queue's depth is reused
)

// Offer hands tickets of committed jobs to the pushers. It never blocks and never fails. If the
// buffer or the queue's window is full, or Redis does not answer, it leaves the job to the relay.
func (c *Client) Offer(tickets ...jobs.Ticket) {
	for _, t := range tickets {
		if wait := t.Wait; wait > 0 {
			t.Wait = 0
			time.AfterFunc(wait, func() { c.Offer(t) })
		} else if !c.coalesce(t) {
			c.buffer(t)
		}
	}
}

func (c *Client) buffer(t jobs.Ticket) {
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

// coalesceWindow is the least time between two tasks of a key. All due jobs of a key are one run,
// whichever job is offered, and a busy webhook has a thousand jobs a second. If the job that is
// offered at the end of the window has run before a later job was enqueued, the relay offers the
// later job.
const coalesceWindow = 5 * time.Millisecond

// coalesce reports whether a ticket of the same key was offered within the coalescing window. The
// newest ticket that arrives within the window is offered at its end. If a crash loses the ticket,
// the relay offers the job.
func (c *Client) coalesce(t jobs.Ticket) bool {
	if t.Key == "" {
		return false
	}
	k := sameKey{t.Kind, t.Key, t.Running}
	c.heldMu.Lock()
	defer c.heldMu.Unlock()
	if before, recent := c.held[k]; recent {
		if before != nil {
			c.pushed.Add(1) // by the task of the newer ticket
		}
		c.held[k] = &t
		return true
	}
	c.open(k)
	return false
}

// open begins the window in which other tickets of the key wait. The window is longer for hints
// while many keys are busy: a run that finds several deliveries at once costs less than a run that
// is woken for each delivery. The caller has locked heldMu.
func (c *Client) open(k sameKey) {
	c.held[k] = nil
	moment := coalesceWindow
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

// release offers the delayed tickets when the client closes.
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

// Stats returns the numbers of tickets pushed to Redis and of tickets dropped since the client was
// opened. A ticket counts as pushed if a newer ticket of its key was pushed.
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

func (c *Client) pushOne(t jobs.Ticket) {
	if until := c.restUntil.Load(); until != nil && time.Now().Before(*until) {
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

func (c *Client) pushTo(ctx context.Context, t jobs.Ticket) error {
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

// down pauses the pushers, and logs why at most every ten seconds.
func (c *Client) down(err error) {
	now := time.Now()
	until := now.Add(outageBackoff)
	c.restUntil.Store(&until)
	last := c.loggedAt.Load()
	if (last == nil || now.Sub(*last) > 10*time.Second) && c.loggedAt.CompareAndSwap(last, &now) {
		c.logger.Warn("jobs not offered in Redis, the relay will offer them", "error", err, "dropped", c.dropped.Load())
	}
}

// depth is the number of tasks of a queue that wait in Redis.
type depth struct {
	mu             sync.Mutex
	readAt         time.Time
	pending, retry int64
	reading        bool // by readLater
}

func (c *Client) depth(queue string) *depth {
	d, _ := c.depths.LoadOrStore(queue, &depth{})
	return d.(*depth)
}

// take takes a place in the window and reports whether there was one. While less than half of the window was
// full, it does not wait for the present number: the first task after a rest would arrive later.
func (d *depth) take(ctx context.Context, c *Client, queue string) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.readAt.IsZero() && d.pending < Window/2 {
		d.readLater(c, queue)
	} else if err := d.refresh(ctx, c, queue); err != nil || d.pending >= Window {
		return false, err
	}
	d.pending++
	return true, nil
}

// readLater refreshes the depth after the caller has unlocked it, once for all callers meanwhile. A failure is left
// to the pushes, which fail too.
func (d *depth) readLater(c *Client, queue string) {
	if d.reading || time.Since(d.readAt) < depthAge {
		return
	}
	d.reading = true
	c.pushers.Go(func() {
		ctx, cancel := context.WithTimeout(c.ctx, time.Second)
		defer cancel()
		pending, retry, err := c.waiting(ctx, queue)
		d.mu.Lock()
		defer d.mu.Unlock()
		d.reading = false
		if err == nil {
			d.set(pending, retry)
		}
	})
}

var errFull = errors.New("a window of tasks waits already")

// CheckRoom returns nil if the queue takes one more task: Redis is this installation's, and fewer
// tasks than a window wait. If another goroutine is reading the number of tasks, CheckRoom does not
// wait for the answer: Redis may be hanging.
func (c *Client) CheckRoom(ctx context.Context, queue string) error {
	if err := c.ours(ctx); err != nil {
		return err
	}
	d := c.depth(queue)
	if !d.mu.TryLock() {
		return nil
	}
	defer d.mu.Unlock()
	if err := d.refresh(ctx, c, queue); err != nil {
		return err
	}
	if d.pending >= Window {
		return errFull
	}
	return nil
}

// refresh makes the depth at most depthAge old.
func (d *depth) refresh(ctx context.Context, c *Client, queue string) error {
	if time.Since(d.readAt) < depthAge {
		return nil
	}
	pending, retry, err := c.waiting(ctx, queue)
	if err == nil {
		d.set(pending, retry)
	}
	return err
}

func (d *depth) set(pending, retry int64) { d.pending, d.retry, d.readAt = pending, retry, time.Now() }

// waiting returns the numbers of tasks of the queue that wait in Redis, pending and to be retried.
func (c *Client) waiting(ctx context.Context, queue string) (pending, retry int64, err error) {
	pipe := c.redis.Pipeline()
	p, r := pipe.LLen(ctx, pendingKey(queue)), pipe.ZCard(ctx, retryKey(queue))
	if _, err := pipe.Exec(ctx); err != nil {
		return 0, 0, err
	}
	return p.Val(), r.Val(), nil
}

// RetryWindowFull reports whether a whole window of tasks waits in Redis to be retried. In that case
// a failure is not reported to Asynq: the relay offers the job again without the report.
func (c *Client) RetryWindowFull(ctx context.Context, queue string) bool {
	d := c.depth(queue)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.refresh(ctx, c, queue) != nil || d.retry >= Window
}
