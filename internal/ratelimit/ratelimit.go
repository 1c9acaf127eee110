// Package ratelimit counts the requests of accounts per calendar minute in Redis, for all processes
// together. No answer of the API may depend on it: without Redis there is no limit.
package ratelimit

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// rest is how long Redis is not used after it did not answer.
const rest = time.Second

// Limiter limits the requests of each account per calendar minute: whole minutes, because
// that is the API's contract (decision 0013).
//
// Redis counts requests in blocks, of a thousandth of the limit: a process takes a block and serves its requests
// without asking again. What is left of the blocks of other processes counts as used, so that the limit is never
// exceeded, and a limit below 2,000 is exact. A block serves the limit for which it was taken: under another, what is
// left of it goes back with the next question.
type Limiter struct {
	redis     redis.Cmdable
	key       Key
	now       func() time.Time
	patience  time.Duration // how long a request waits for Redis
	restUntil atomic.Pointer[time.Time]

	mu     sync.Mutex
	minute int64           // of the blocks
	blocks map[int64]block // by account
}

// block is what a process may still serve without asking Redis.
type block struct {
	limit  int64 // under which it was taken
	left   int64
	beyond int64 // requests of the minute that no block has
}

// Patience is how long a request of the service waits for Redis.
const Patience = 100 * time.Millisecond

// Key returns a key of the installation, made of the parts: accounts of another installation that was given the same
// Redis have the same ids.
type Key func(ctx context.Context, parts ...string) (string, error)

// New returns a limiter. now is the clock. A request passes when Redis does not answer within
// patience.
func New(r redis.Cmdable, key Key, patience time.Duration, now func() time.Time) *Limiter {
	return &Limiter{redis: r, key: key, now: now, patience: patience, blocks: map[int64]block{}}
}

// Window is the number of requests that an account may still make in the current minute.
type Window struct {
	Limit, Remaining int64
	Reset            time.Time // the next full minute, in UTC
	Wait             time.Duration
	Exceeded         bool
}

// Take counts a request of the account, which has the limit. Without Redis there is neither a window nor a limit,
// and ok is false.
func (l *Limiter) Take(ctx context.Context, account, limit int64) (w Window, ok bool) {
	now := l.now()
	minute := now.UTC().Truncate(time.Minute)
	w = Window{Limit: limit, Reset: minute.Add(time.Minute)}
	w.Wait = w.Reset.Sub(now)
	b, dropped, spent := l.spend(minute.Unix()/60, account, block{limit: limit})
	if spent {
		w.Remaining = min(b.beyond+b.left, limit)
		return w, true
	}
	if l.rests() {
		return Window{}, false
	}
	patient, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	key, err := l.keyOf(patient, account, minute)
	if err != nil {
		return Window{}, false
	}
	size := max(1, limit/1000)
	pipe := l.redis.Pipeline()
	used := pipe.IncrBy(patient, key, size-dropped)
	pipe.Expire(patient, key, 2*time.Minute)
	if _, err := pipe.Exec(patient); err != nil {
		l.unanswered(ctx)
		return Window{}, false
	}
	granted := min(size, limit-(used.Val()-size))
	if more := size - max(granted, 0); more > 0 { // else refused requests count against a limit that is raised
		l.redis.DecrBy(patient, key, more)
	}
	if granted <= 0 {
		w.Exceeded = true
		return w, true
	}
	b, _, _ = l.spend(minute.Unix()/60, account, block{limit, granted, max(limit-used.Val(), 0)})
	w.Remaining = min(b.beyond+b.left, limit)
	return w, true
}

// spend adds a block to what the process has of the account, if the block is not empty, and takes one request of it.
// What is left from another limit is dropped, and returned.
func (l *Limiter) spend(minute, account int64, more block) (b block, dropped int64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if minute != l.minute {
		clear(l.blocks)
		l.minute = minute
	}
	if b = l.blocks[account]; b.limit != more.limit {
		dropped, b = b.left, block{limit: more.limit}
		l.blocks[account] = b
	}
	if more.left > 0 {
		b.left += more.left
		b.beyond = more.beyond
	}
	if b.left <= 0 {
		return b, dropped, false
	}
	b.left--
	l.blocks[account] = b
	return b, dropped, true
}

// Used returns how many requests the account has made in the current minute; what is left of the blocks of other
// processes counts. Without Redis it is not known, and ok is false.
func (l *Limiter) Used(ctx context.Context, account int64) (used int64, ok bool) {
	minute := l.now().UTC().Truncate(time.Minute)
	if l.rests() {
		return 0, false
	}
	patient, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	key, err := l.keyOf(patient, account, minute)
	if err != nil {
		return 0, false
	}
	used, err = l.redis.Get(patient, key).Int64()
	if err != nil && !errors.Is(err, redis.Nil) {
		l.unanswered(ctx)
		return 0, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.minute == minute.Unix()/60 {
		used -= l.blocks[account].left
	}
	return max(used, 0), true
}

func (l *Limiter) keyOf(ctx context.Context, account int64, minute time.Time) (string, error) {
	return l.key(ctx, "rate", strconv.FormatInt(account, 10), strconv.FormatInt(minute.Unix()/60, 10))
}

// unanswered lets Redis rest, unless the client of the request has left: that says nothing about Redis.
func (l *Limiter) unanswered(ctx context.Context) {
	if ctx.Err() == nil {
		until := time.Now().Add(rest)
		l.restUntil.Store(&until)
	}
}

// rests reports whether Redis rests, for as long as it should, also if the clock is set back.
func (l *Limiter) rests() bool {
	until := l.restUntil.Load()
	return until != nil && time.Now().Before(*until)
}
