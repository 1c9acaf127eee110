package e2e

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// Clients make changes, endpoints respond unreliably, processes are killed and Redis loses its
// data. At the end, each notification of an accepted change has been delivered or has had its
// five attempts. Each duplicate is explained.
func TestNotificationsSurviveASoak(t *testing.T) {
	t.Parallel()
	lasting := tier.Set(t, "BORDERO_SOAK", 0, 20*time.Second)
	if lasting == 0 {
		tier.NeedsLong(t, "a soak of 20 s; one kill and one flush under deliveries stay")
	}
	s := e2etest.New(t, short, e2etest.Delivering("200ms"))
	s.Serve()
	store := openStore(t, s)
	r := e2etest.NewReceiver(t)
	var webhooks []int64
	for n := range 4 {
		path := fmt.Sprintf("/%d", n)
		r.Answers(path, e2etest.Moody)
		webhooks = append(webhooks, subscribe(t, s, r.URL+path))
	}
	workers := couriers(s, 2)

	over := make(chan struct{})
	var clients sync.WaitGroup
	var accepted atomic.Int64
	for range 3 {
		clients.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				if newPerson(s) == nil {
					accepted.Add(1)
				}
				time.Sleep(50 * time.Millisecond) // four slow endpoints must keep up
			}
		})
	}
	var kills, flushes, verifications int
	verify := func() {
		for _, id := range webhooks {
			if e2etest.Value[string](t, s.DB, `SELECT status FROM webhooks WHERE id = $1`, id) == "error" {
				verified(t, s, store, id)
				verifications++
			}
		}
	}
	for end := time.Now().Add(lasting); time.Now().Before(end); {
		time.Sleep(time.Duration(500+rand.N(1500)) * time.Millisecond)
		if rand.N(3) == 0 {
			s.Flush()
			flushes++
		} else {
			victim := rand.N(len(workers))
			workers[victim].Kill()
			workers[victim] = s.Start("work", "webhooks")
			kills++
		}
		verify()
	}
	close(over)
	clients.Wait()
	testkit.Eventually(t, "all is sent", func() bool {
		verify()
		return e2etest.Value[bool](t, s.DB, `SELECT NOT EXISTS (
			SELECT FROM deliveries WHERE status IN ('pending', 'held')) AND `+e2etest.NoJobLeft)
	})
	s.Settled()

	told := s.Notified(r)
	if int64(told.Notifications) < accepted.Load()*int64(len(webhooks)) {
		t.Errorf("%d changes accepted, %d notifications", accepted.Load(), told.Notifications)
	}
	t.Logf("%v, %d kills, %d flushes, %d verifications: %d changes, %v", lasting, kills, flushes, verifications,
		accepted.Load(), told)
}
