package api

import (
	"context"
	"errors"
	"time"

	"bordero/internal/messages"
	"bordero/internal/quota"
)

// A request works in a place of its account (decision 0037). It takes the place once its document was read, and
// gives it back before the answer is sent, so that a slow client keeps no other request waiting.

const (
	// patience is how long a request waits for a place.
	patience = 10 * time.Second
	// queueLength is how many requests of an account wait for one.
	queueLength = 100
	// costlyPlaces is how many costly reads of an account run at once.
	costlyPlaces = 2
)

// places are the places of the requests of each account. Costly reads have their own: each of them may use a
// processor for a second, and the other requests of the account do not wait for them.
type places struct {
	all    *quota.Quota // nil for no limit
	costly *quota.Quota
}

func newPlaces(perAccount int) places {
	p := places{costly: quota.NewQueued(costlyPlaces, queueLength)}
	if perAccount > 0 {
		p.all = quota.NewQueued(perAccount, queueLength)
	}
	return p
}

// enter takes a place for the call, unless it has one. It waits for its turn; with too many requests before it, or
// after patience, it is refused.
func (c *call) enter() error {
	of := c.api.places.all
	if c.route.needs.costly {
		of = c.api.places.costly
	}
	if of == nil || c.place != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.ctx(), patience)
	defer cancel()
	place, err := of.Take(ctx, c.tenant())
	if err != nil {
		if c.ctx().Err() != nil {
			return err
		}
		return messages.TooManyAtOnce
	}
	c.place = place
	return nil
}

// leave gives the place of the call back, if it has one.
func (c *call) leave() {
	if c.place != nil {
		c.place()
		c.place = nil
	}
}

// tenant returns the account of the call. A request that needs none counts for its user, under a negative number.
func (c *call) tenant() int64 {
	if c.access.AccountID == 0 {
		return -c.userID
	}
	return c.access.AccountID
}

// overMemory returns the fault of a request that cannot hold the memory that it needs; nil for another error.
func (c *call) overMemory(err error) *messages.Fault {
	switch {
	case errors.Is(err, quota.ErrNoRoom):
		return messages.NoRoom
	case errors.Is(err, quota.ErrTooLarge) && c.Request.Method == get:
		return messages.AnswerTooLarge.With(c.mostMiB())
	case errors.Is(err, quota.ErrTooLarge):
		return messages.RequestTooLarge.With(c.mostMiB())
	}
	return nil
}

// mostMiB returns the size, in MiB, that no answer exceeds.
func (c *call) mostMiB() int64 {
	most := int64(largestAnswer)
	if c.api.Memory != nil {
		most = min(most, c.api.Memory.Each())
	}
	return most >> 20
}
