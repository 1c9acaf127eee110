package ratelimit

import (
	"context"
	"testing"
	"time"

	"bordero/jobs/broker"
	"bordero/storage/storagetest"
)

func TestMain(m *testing.M) { storagetest.Main(m) }

func TestTokensHaveWindowsOfTheirOwn(t *testing.T) {
	t.Parallel()
	r, err := broker.OpenRedis(storagetest.RedisURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	now := time.Date(2026, 3, 4, 10, 20, 45, 0, time.FixedZone("", -3*3600))
	limiter := func() *Limiter {
		l := New(r, 2, time.Minute, func() time.Time { return now }) // patient even on a starved machine
		return l
	}
	// Two processes share their counts.
	one, other := limiter(), limiter()
	take := func(l *Limiter, token string, remaining int64, exceeded bool) {
		t.Helper()
		w, ok := l.Take(t.Context(), token)
		if !ok || w.Limit != 2 || w.Remaining != remaining || w.Exceeded != exceeded {
			t.Errorf("%+v, %v; want %d remaining, exceeded %v", w, ok, remaining, exceeded)
		}
		if want := "2026-03-04T13:21:00Z"; w.Reset.Format(time.RFC3339) != want || w.Wait != 15*time.Second {
			t.Errorf("reset %v in %v, want %s", w.Reset, w.Wait, want)
		}
	}
	take(one, "a", 1, false)
	take(other, "a", 0, false)
	take(one, "a", 0, true)
	take(one, "b", 1, false)
	now = now.Add(time.Minute)
	w, ok := other.Take(t.Context(), "a")
	if !ok || w.Remaining != 1 || w.Exceeded {
		t.Errorf("the next minute: %+v, %v", w, ok)
	}
}

func TestAWriterToRedisSetsWhatIsLeftOfAMinute(t *testing.T) {
	t.Parallel()
	r, err := broker.OpenRedis(storagetest.RedisURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	now := time.Date(2026, 3, 4, 10, 20, 45, 0, time.UTC)
	l := New(r, 2, time.Minute, func() time.Time { return now }) // patient even on a starved machine
	const key = "bordero:rate:ca978112ca1bbdcafac231b3:29543660" // the SHA-256 of "a", and the minute
	for used, exceeded := range map[int]bool{-1000: false, 1000: true} {
		if err := r.Set(t.Context(), key, used, time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
		if w, ok := l.Take(t.Context(), "a"); !ok || w.Exceeded != exceeded {
			t.Errorf("%d used: %+v, %v", used, w, ok)
		}
	}
}

func TestAClientThatLeavesSwitchesNoLimitOff(t *testing.T) {
	t.Parallel()
	r, err := broker.OpenRedis(storagetest.RedisURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	l := New(r, 2, time.Minute, time.Now) // patient even on a starved machine
	gone, leave := context.WithCancel(t.Context())
	leave()
	l.Take(gone, "a")
	if w, ok := l.Take(t.Context(), "b"); !ok || w.Remaining != 1 {
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
	l := New(r, 1, Patience, time.Now)
	for range 3 {
		if w, ok := l.Take(t.Context(), "a"); ok || w.Exceeded {
			t.Errorf("%+v, %v", w, ok)
		}
	}
}
