package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// measureLag measures the time from the answer to a change, which is after its commit, until a
// request that waits for it is answered.
func measureLag(ctx context.Context, h *harness) (ours, floor figure, err error) {
	i, err := newImports(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	f := follow(i)
	h.atEnd(f.stop)
	floor, err = barePickup(ctx, h, i.lease, 50)
	return h.latency(50, f.change), floor, err
}

// follower reads the changes of a tenant as they come.
type follower struct {
	imports
	came chan arrivedChange
	stop func()
}

type arrivedChange struct {
	person int64
	at     time.Time
	err    error
}

func follow(i imports) *follower {
	f := &follower{imports: i, came: make(chan arrivedChange, 1000)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan bool)
	f.stop = func() { cancel(); <-ended }
	go func() {
		defer close(ended)
		for next := int64(0); ctx.Err() == nil; {
			var err error
			if next, err = f.read(ctx, next); err != nil && ctx.Err() == nil {
				f.came <- arrivedChange{err: err}
				return
			}
		}
	}()
	return f
}

// read sends the people that the changes after a number name, and returns the next number.
func (f *follower) read(ctx context.Context, after int64) (next int64, err error) {
	res, err := f.do(ctx, http.MethodGet, fmt.Sprintf("%s/changes?event=people.*&wait=30&after=%d", f.url, after), nil,
		"")
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	var page struct {
		Changes []struct {
			Change struct {
				RecordIDs []int64 `json:"record_ids"`
			}
		}
		Next int64
	}
	err = json.NewDecoder(res.Body).Decode(&page)
	at := time.Now()
	if err == nil && res.StatusCode != http.StatusOK {
		err = errors.New(res.Status)
	}
	for _, c := range page.Changes {
		for _, id := range c.Change.RecordIDs {
			f.came <- arrivedChange{person: id, at: at}
		}
	}
	return page.Next, err
}

// change creates a person and returns how long after the answer its change was read.
func (f *follower) change(ctx context.Context, _ int) (time.Duration, error) {
	res, err := f.do(ctx, http.MethodPost, f.url+"/people", strings.NewReader(newPerson), "application/json")
	if err != nil {
		return 0, err
	}
	accepted := time.Now()
	defer res.Body.Close()
	var created struct{ Person struct{ ID int64 } }
	if err := json.NewDecoder(res.Body).Decode(&created); err != nil {
		return 0, err
	}
	for {
		c, err := await(f.came, "a change")
		if err != nil || c.err != nil {
			return 0, errors.Join(err, c.err)
		}
		if c.person == created.Person.ID {
			return max(0, c.at.Sub(accepted)), nil
		}
	}
}
