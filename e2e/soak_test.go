package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bordero/e2e/e2etest"
)

// soaking is for how long things go wrong: BORDERO_SOAK, else as long as all of
// them happen.
func soaking(t *testing.T) time.Duration {
	if d, err := time.ParseDuration(os.Getenv("BORDERO_SOAK")); err == nil {
		return d
	}
	if testing.Short() {
		t.Skip("a soak")
	}
	return 20 * time.Second
}

// moody answers as endpoints do on a bad day.
func moody(w http.ResponseWriter, request *http.Request) {
	switch n := rand.N(100); {
	case n < 60:
	case n < 70:
		time.Sleep(time.Duration(rand.N(200)) * time.Millisecond)
	case n < 80:
		w.WriteHeader(http.StatusInternalServerError)
	case n < 87:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	case n < 94:
		hangUp("")(w, request)
	default:
		hangUp("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")(w, request)
	}
}

// Clients make changes, endpoints answer as they like, processes are killed and
// Redis forgets. At the end each notification of each change that was accepted has
// been delivered, or has had its five attempts; and what came twice is explained.
func TestNotificationsSurviveASoak(t *testing.T) {
	t.Parallel()
	lasting := soaking(t)
	s := e2etest.New(t, short, delivering("200ms"))
	s.Serve()
	store := openStore(t, s)
	r := newReceiver(t)
	var webhooks []int64
	for n := range 4 {
		path := fmt.Sprintf("/%d", n)
		r.answers(path, moody)
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
				time.Sleep(10 * time.Millisecond)
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
	e2etest.Await(t, "all is sent", func() bool {
		verify()
		return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM jobs`) == 0 &&
			e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries WHERE status IN ('pending', 'held')`) == 0
	})
	s.Settled()

	told := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries`)
	delivered := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries WHERE status = 'delivered'`)
	spent := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries WHERE status = 'failed' AND attempts_count = 5`)
	if int64(told) < accepted.Load()*int64(len(webhooks)) || delivered+spent != told {
		t.Errorf("%d changes accepted, %d notifications: %d delivered, %d at five attempts", accepted.Load(), told, delivered, spent)
	}
	interrupted := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM delivery_attempts WHERE response_code IS NULL AND finished_at > started_at AND error LIKE '%interrompida%'`)
	posts, _ := r.together()
	again := 0
	rows, err := s.DB.QueryContext(t.Context(), `
		SELECT 'msg_' || d.id, d.status, d.attempts_count, count(*) FILTER (WHERE error LIKE '%interrompida%')
		FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id GROUP BY d.id, d.status, d.attempts_count`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, status string
		var made, cut int
		if err := rows.Scan(&id, &status, &made, &cut); err != nil {
			t.Fatal(err)
		}
		if r.posts[id] > made || made > 5 {
			t.Errorf("%s: %d POSTs in %d attempts", id, r.posts[id], made)
		}
		if status == "delivered" && r.taken[id] == 0 {
			t.Errorf("%s: delivered, and never taken", id)
		}
		if twice := r.taken[id] - 1; twice > 0 {
			again += twice
			if twice > cut {
				t.Errorf("%s: taken %d times, with %d attempts interrupted", id, r.taken[id], cut)
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v, %d kills, %d flushes, %d verifications: %d changes, %d notifications, %d delivered, %d at five attempts, %d POSTs; %d attempts interrupted, by which %d notifications came twice",
		lasting, kills, flushes, verifications, accepted.Load(), told, delivered, spent, posts, interrupted, again)
}
