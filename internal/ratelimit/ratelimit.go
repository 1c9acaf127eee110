// Package ratelimit counts requests per calendar minute in Redis, for all processes
// together. No answer of the API may depend on it: without Redis there is no limit.
package ratelimit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// rest is how long Redis is not used after it did not answer.
const rest = time.Second

// Limiter limits the requests of each token per calendar minute: whole minutes, because
// that is the API's contract (decision 0013).
type Limiter struct {
	redis     redis.Cmdable
	limit     int64
	now       func() time.Time
	patience  time.Duration // how long a request waits for Redis
	restUntil atomic.Int64  // Unix nanoseconds
}

// Patience is how long a request of the service waits for Redis.
const Patience = 100 * time.Millisecond

// New returns a limiter. now is the clock. A request passes when Redis does not answer within
// patience.
func New(r redis.Cmdable, limit int64, patience time.Duration, now func() time.Time) *Limiter {
	return &Limiter{redis: r, limit: limit, now: now, patience: patience}
}

// Window is the number of requests that a token may still make in the current minute.
type Window struct {
	Limit, Remaining int64
	Reset            time.Time // the next full minute, in UTC
	Wait             time.Duration
	Exceeded         bool
}

// Take counts a request of the token. Without Redis there is neither a window nor a limit,
// and ok is false.
func (l *Limiter) Take(ctx context.Context, token string) (w Window, ok bool) {
	now := l.now()
	if time.Now().UnixNano() < l.restUntil.Load() {
		return Window{}, false
	}
	patient, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	minute := now.UTC().Truncate(time.Minute)
	sum := sha256.Sum256([]byte(token))
	key := fmt.Sprintf("bordero:rate:%s:%d", hex.EncodeToString(sum[:12]), minute.Unix()/60)
	pipe := l.redis.Pipeline()
	used := pipe.Incr(patient, key)
	pipe.Expire(patient, key, 2*time.Minute)
	if _, err := pipe.Exec(patient); err != nil {
		if ctx.Err() == nil { // a client that left says nothing about Redis
			l.restUntil.Store(time.Now().Add(rest).UnixNano())
		}
		return Window{}, false
	}
	w = Window{Limit: l.limit, Remaining: max(l.limit-used.Val(), 0), Reset: minute.Add(time.Minute),
		Exceeded: used.Val() > l.limit}
	w.Wait = w.Reset.Sub(now)
	return w, true
}
