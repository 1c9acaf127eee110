package api

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"time"

	"bordero/internal/messages"
	"bordero/internal/share"
)

// A request works in a place of its account (decision 0037). It takes the place once its document
// was read, and gives the place back before the answer is sent, so that a slow client delays no
// other request.

const (
	// defaultPatience is how long a request waits for a place.
	defaultPatience = 10 * time.Second
	// queueLength is how many requests of an account wait for a place.
	queueLength = 100
	// costlyPlaces is how many costly reads of an account run at once.
	costlyPlaces = 2
	// sheetPlaces is how many sheets of an account are sent at once.
	sheetPlaces = 4
	// longList is the number of records from which a list is long.
	longList = 101
)

// places are the places of the requests of each account. Long lists and costly reads have places of
// their own, so that other requests of the account do not wait for them. The long lists of an
// account use half of the processors at most: more of them at once would be no faster, but would
// take the processors from other accounts. A sheet keeps its place until its client has read it.
type places struct{ ordinary, lists, costly, sheets *share.Places }

func newPlaces(ordinary int) places {
	if ordinary == 0 {
		ordinary = math.MaxInt32
	}
	lists := max(1, runtime.GOMAXPROCS(0)/2)
	return places{share.NewQueued(ordinary, queueLength), share.NewQueued(lists, queueLength),
		share.NewQueued(costlyPlaces, queueLength), share.NewQueued(sheetPlaces, queueLength)}
}

// enter takes a place for the call, unless it has one.
func (c *call) enter() error {
	switch {
	case c.place != nil, c.urgent:
		return nil
	case c.route.needs.costly:
		return c.enterOne(c.api.places.costly)
	}
	return c.enterOne(c.api.places.ordinary)
}

// enterList exchanges the place for the place of a list with size records; 0 is a complete list.
func (c *call) enterList(size int) error {
	if c.route.needs.costly || c.urgent || size > 0 && size < longList {
		return nil
	}
	c.leave()
	return c.enterOne(c.api.places.lists)
}

// enterSheet counts an export, and exchanges the place for the place of a sheet. A costly request keeps its place
// beside it.
func (c *call) enterSheet() error {
	if err := c.beginExport(); err != nil {
		return err
	}
	before := c.place
	c.place = nil
	if before != nil && !c.route.needs.costly {
		before()
		before = nil
	}
	err := c.enterOne(c.api.places.sheets)
	if before == nil {
		return err
	}
	after := c.place
	c.place = func() {
		before()
		if after != nil {
			after()
		}
	}
	return err
}

// enterOne waits for a place. With too many requests before it, or after its patience, the call is refused.
func (c *call) enterOne(of *share.Places) error { return c.enterBy(of.Take) }

// enterAgain waits for an ordinary place after the call has left its place to wait for changes. It is not refused for
// the calls before it: the number of calls that wait for changes is limited, and a change wakes all of them.
func (c *call) enterAgain() error { return c.enterBy(c.api.places.ordinary.TakeAgain) }

func (c *call) enterBy(take func(context.Context, int64) (func(), error)) (err error) {
	ctx, cancel := context.WithTimeout(c.ctx(), cmp.Or(c.api.Patience, defaultPatience))
	defer cancel()
	began := time.Now()
	defer func() { requestMetaFrom(c.ctx()).logged.waited += time.Since(began) }()
	c.place, err = take(ctx, c.tenant())
	if err != nil && c.ctx().Err() == nil {
		return messages.TooManyAtOnce
	}
	return err
}

// leave gives the place of the call back, if it has one.
func (c *call) leave() {
	if c.place != nil {
		c.place()
		c.place = nil
	}
}

// tenant returns the account of the call. A request without an account counts for its user, under a
// negative number.
func (c *call) tenant() int64 {
	if c.access.AccountID == 0 {
		return -c.userID
	}
	return c.access.AccountID
}

// overMemory returns the fault of a request without enough memory; nil for another error.
func (c *call) overMemory(err error) *messages.Fault {
	switch {
	case errors.Is(err, share.ErrNoRoom):
		return messages.NoRoom
	case errors.Is(err, share.ErrTooLarge) && c.Request.Method == get:
		return messages.AnswerTooLarge.With(c.mostMiB())
	case errors.Is(err, share.ErrTooLarge):
		return messages.RequestTooLarge.With(c.mostMiB())
	}
	return nil
}

// mostMiB returns the maximum size of an answer, in MiB.
func (c *call) mostMiB() int64 {
	most := int64(largestAnswer)
	if c.api.Memory != nil {
		most = min(most, c.api.Memory.Each())
	}
	return most >> 20
}
