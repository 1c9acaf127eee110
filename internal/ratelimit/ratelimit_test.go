package ratelimit

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bordero/jobs/broker"
	"bordero/storage/storagetest"

	"github.com/redis/go-redis/v9"
)

// key is a Key without an installation.
func key(_ context.Context, parts ...string) (string, error) { return strings.Join(parts, ":"), nil }

func TestMain(m *testing.M) { storagetest.Main(m) }

// openRedis returns a client of a Redis database for the test alone.
func openRedis(t *testing.T) redis.UniversalClient {
	t.Helper()
	r, err := broker.OpenRedis(storagetest.RedisURL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func TestAccountsHaveWindowsOfTheirOwn(t *testing.T) {
	t.Parallel()
	r := openRedis(t)
	now := time.Date(2026, 3, 4, 10, 20, 45, 0, time.FixedZone("", -3*3600))
	limiter := func() *Limiter {
		l := New(r, key, time.Minute, func() time.Time { return now }) // patient even on a starved machine
		return l
	}
	// Two processes share their counts.
	one, other := limiter(), limiter()
	take := func(l *Limiter, account int64, remaining int64, exceeded bool) {
		t.Helper()
		w, ok := l.Take(t.Context(), account, 2)
		if !ok || w.Limit != 2 || w.Remaining != remaining || w.Exceeded != exceeded {
			t.Errorf("%+v, %v; want %d remaining, exceeded %v", w, ok, remaining, exceeded)
		}
		if want := "2026-03-04T13:21:00Z"; w.Reset.Format(time.RFC3339) != want || w.Wait != 15*time.Second {
			t.Errorf("reset %v in %v, want %s", w.Reset, w.Wait, want)
		}
	}
	take(one, 1, 1, false)
	take(other, 1, 0, false)
	take(one, 1, 0, true)
	take(one, 2, 1, false)
	now = now.Add(time.Minute)
	w, ok := other.Take(t.Context(), 1, 2)
	if !ok || w.Remaining != 1 || w.Exceeded {
		t.Errorf("the next minute: %+v, %v", w, ok)
	}
}

func TestAWriterToRedisSetsWhatIsLeftOfAMinute(t *testing.T) {
	t.Parallel()
	r := openRedis(t)
	now := time.Date(2026, 3, 4, 10, 20, 45, 0, time.UTC)
	l := New(r, key, time.Minute, func() time.Time { return now }) // patient even on a starved machine
	const stored = "rate:1:29543660"                               // the account and the minute
	for used, exceeded := range map[int]bool{-1000: false, 1000: true} {
		if err := r.Set(t.Context(), stored, used, time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
		if w, ok := l.Take(t.Context(), 1, 2); !ok || w.Exceeded != exceeded {
			t.Errorf("%d used: %+v, %v", used, w, ok)
		}
	}
}

func TestAClientThatLeavesSwitchesNoLimitOff(t *testing.T) {
	t.Parallel()
	r := openRedis(t)
	l := New(r, key, time.Minute, time.Now) // patient even on a starved machine
	gone, leave := context.WithCancel(t.Context())
	leave()
	l.Take(gone, 1, 2)
	if w, ok := l.Take(t.Context(), 2, 2); !ok || w.Remaining != 1 {
		t.Errorf("%+v, %v", w, ok)
	}
}

func TestWithoutRedisThereIsNoLimit(t *testing.T) {
	t.Parallel()
	r, err := broker.OpenRedis("redis://127.0.0.1:1/0")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	l := New(r, key, Patience, time.Now)
	for range 3 {
		if w, ok := l.Take(t.Context(), 1, 2); ok || w.Exceeded {
			t.Errorf("%+v, %v", w, ok)
		}
	}
}

// A process asks Redis once for many requests, and all processes together serve the limit and no more.
func TestRequestsAreCountedInBlocks(t *testing.T) {
	t.Parallel()
	r := openRedis(t)
	const limit = 5000
	now := time.Date(2026, 3, 4, 10, 20, 45, 0, time.UTC)
	clock := func() time.Time { return now }
	one, other := New(r, key, time.Minute, clock), New(r, key, time.Minute, clock)
	for i := range int64(7) { // two blocks of five
		w, ok := one.Take(t.Context(), 1, limit)
		if used, known := one.Used(t.Context(), 1); !ok || w.Remaining != limit-1-i || used != i+1 || !known {
			t.Fatalf("%+v, %d used", w, used)
		}
	}
	if stored := r.Get(t.Context(), "rate:1:29543660").Val(); stored != "10" {
		t.Errorf("Redis counts %s", stored)
	}
	if used, known := other.Used(t.Context(), 1); used != 10 || !known {
		t.Errorf("another process sees %d", used)
	}
	var served atomic.Int64
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			for w, ok := []*Limiter{one, other}[i%2].Take(t.Context(), 1, limit); !w.Exceeded; {
				if !ok {
					t.Error("Redis does not answer")
					return
				}
				served.Add(1)
				w, ok = []*Limiter{one, other}[i%2].Take(t.Context(), 1, limit)
			}
		})
	}
	clients.Wait()
	if n := served.Load() + 7; n != limit {
		t.Errorf("%d of %d were served", n, limit)
	}
	now = now.Add(time.Minute)
	if w, ok := one.Take(t.Context(), 1, limit); !ok || w.Exceeded || w.Remaining != limit-1 {
		t.Errorf("the next minute: %+v, %v", w, ok)
	}
}

// A block of the earlier limit serves no request of a lower one, and what is left of it is not lost.
func TestALoweredLimitCountsFromTheNextRequestOn(t *testing.T) {
	t.Parallel()
	r := openRedis(t)
	now := time.Date(2026, 3, 4, 10, 20, 45, 0, time.UTC)
	l := New(r, key, time.Minute, func() time.Time { return now })
	for range 3 {
		l.Take(t.Context(), 1, 60000)
	}
	for _, remaining := range []int64{4, 3, 2, 1, 0} {
		if w, ok := l.Take(t.Context(), 1, 8); !ok || w.Exceeded || w.Remaining != remaining || w.Limit != 8 {
			t.Errorf("%+v, %v; want %d remaining", w, ok, remaining)
		}
	}
	if w, ok := l.Take(t.Context(), 1, 8); !ok || !w.Exceeded {
		t.Errorf("beyond the lower limit: %+v, %v", w, ok)
	}
	if w, ok := l.Take(t.Context(), 1, 60000); !ok || w.Exceeded {
		t.Errorf("raised again: %+v, %v", w, ok)
	}
}

// Requests that were refused do not count against a limit that is raised.
func TestARaisedLimitCountsFromTheNextRequestOn(t *testing.T) {
	t.Parallel()
	r := openRedis(t)
	now := time.Date(2026, 3, 4, 10, 20, 45, 0, time.UTC)
	l := New(r, key, time.Minute, func() time.Time { return now })
	for range 4000 { // a thousand too many
		l.Take(t.Context(), 1, 3000)
	}
	if w, ok := l.Take(t.Context(), 1, 3100); !ok || w.Exceeded || w.Remaining > 100 {
		t.Errorf("raised by a hundred: %+v, %v", w, ok)
	}
}
