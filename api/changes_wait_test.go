package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"bordero/api"
	"bordero/internal/messages"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/members"
)

func TestARequestWaitsForAChange(t *testing.T) {
	t.Parallel()
	woken := make(chan func(int64), 1)
	s, seal := newFeed(t, func(c *api.Config) {
		c.Wakes = func(_ context.Context, wake func(int64)) { woken <- wake }
	})
	answers := make(chan feed, 1)
	go func() { answers <- s.feed(t, "?wait=30") }()
	wake := <-woken
	s.newPerson(t, `{"name":"Ana"}`)
	seal()
	wake(s.AccountID)
	if got := (<-answers).events(); !slices.Equal(got, []string{"people.created 1"}) {
		t.Errorf("%v", got)
	}
	// Without Redis, too.
	go func() { answers <- s.feed(t, "?wait=30&after=1") }()
	s.newPerson(t, `{"name":"Bia"}`)
	seal()
	if got := (<-answers).events(); !slices.Equal(got, []string{"people.created 2"}) {
		t.Errorf("%v", got)
	}
	if f := s.feed(t, "?wait=1&after=2"); len(f.Changes) > 0 || f.Next != 2 {
		t.Errorf("%+v", f)
	}
}

// The revocation is a change itself, which the revoked token does not see.
func TestARequestThatWaitsLosesItsRights(t *testing.T) {
	t.Parallel()
	woken := make(chan func(int64), 1)
	s, seal := newFeed(t, func(c *api.Config) {
		c.Wakes = func(_ context.Context, wake func(int64)) { woken <- wake }
	})
	answers := make(chan answer, 1)
	go func() { answers <- s.call(t, "GET", "/changes?wait=30") }()
	wake := <-woken
	if err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
		return members.RevokeToken(t.Context(), tx, s.Token)
	}); err != nil {
		t.Fatal(err)
	}
	seal()
	wake(s.AccountID)
	(<-answers).want(t, http.StatusUnauthorized)
}

func TestWaitsAreLimitedAndEndWithTheProcess(t *testing.T) {
	t.Parallel()
	stopping := make(chan struct{})
	waiting := make(chan bool, 1)
	s, _ := newFeed(t, func(c *api.Config) {
		c.Stopping = stopping
		c.Wakes = func(context.Context, func(int64)) { waiting <- true }
	})
	done := make(chan feed, 8)
	refused := make(chan answer, 8)
	for range 8 {
		go func() {
			a := s.call(t, "GET", "/changes?wait=30")
			if a.status == http.StatusTooManyRequests {
				refused <- a
				return
			}
			var f feed
			_ = json.Unmarshal([]byte(a.body), &f)
			done <- f
		}()
	}
	for range 4 {
		select {
		case a := <-refused:
			if code := a.header.Get("X-Error-Code"); code != "too_many_waits" {
				t.Errorf("the code is %s", code)
			}
		case <-time.After(testkit.Patience):
			t.Fatal("more than four requests of a token wait")
		}
	}
	<-waiting
	close(stopping)
	for range 4 {
		<-done
	}
}

// An account with many tokens leaves waits to the others.
func TestTheWaitsOfAnAccountAndOfTheProcessAreLimited(t *testing.T) {
	t.Parallel()
	enter := api.NewFeedWaits()
	var leave func()
	for account := range int64(4) {
		for i := range 250 {
			var err error
			if leave, err = enter(byte(i), account); err != nil {
				t.Fatal(account, i, err)
			}
		}
		_, err := enter(250, account)
		equal(t, err, error(messages.TooManyWaits))
		leave()
		leave, err = enter(250, account)
		equal(t, err, nil)
	}
	_, err := enter(251, 5)
	equal(t, err, error(messages.TooManyWaits))
	leave()
	_, err = enter(251, 5)
	equal(t, err, nil)
}

// A PostgreSQL that takes over may have lost changes. A request that then waits reads once more, and waits.
func TestAWaitBehindLostChangesWaits(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	wait := api.NewFeedWait(stop)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	equal(t, wait(over, 100), false)
	equal(t, wait(over, 98), true)
	equal(t, wait(over, 98), false)
}

// While a request waits, the sealer is told so at least every five seconds (scheduler/sealer.go).
func TestTheSealerIsToldOfWaitingRequests(t *testing.T) {
	t.Parallel()
	var told atomic.Int64
	s, seal := newFeed(t, func(c *api.Config) { c.Follows = func() { told.Add(1) } })
	s.feed(t, "")
	if told.Load() > 0 {
		t.Error("told of a request that does not wait")
	}
	answers := make(chan feed, 1)
	go func() { answers <- s.feed(t, "?wait=30") }()
	testkit.Eventually(t, "the sealer is told again", func() bool { return told.Load() > 1 })
	s.newPerson(t, `{"name":"Ana"}`)
	seal()
	<-answers
}
