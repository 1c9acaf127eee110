package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"bordero/jobs/broker"

	"github.com/redis/go-redis/v9"
)

// latency measures the percentile, in milliseconds, of effort's number of samples, and the 99th.
// The intervals between them are random.
func (h *harness) latency(percent float64, one func(ctx context.Context, i int) (time.Duration, error)) figure {
	return func(ctx context.Context, _ time.Duration) (sample, error) {
		waits := make([]time.Duration, h.samples)
		for i := range waits {
			time.Sleep(time.Duration(rand.N(20)) * time.Millisecond)
			var err error
			if waits[i], err = one(ctx, i); err != nil {
				return sample{}, err
			}
		}
		return sample{percentile(waits, percent).Seconds() * 1000, map[string]float64{
			"p99": percentile(waits, 99).Seconds() * 1000}}, nil
	}
}

// await receives a value within ten seconds.
func await[T any](from <-chan T, what string) (v T, err error) {
	select {
	case v = <-from:
		return v, nil
	case <-time.After(10 * time.Second):
		return v, fmt.Errorf("%s did not come within 10 s", what)
	}
}

// barePickup is the floor of everything that goes through a queue. The id of a committed job is
// pushed to a list, and a bare loop pops and claims it, each by the least code.
func barePickup(ctx context.Context, h *harness, l lease, percent float64) (figure, error) {
	client, err := broker.OpenRedis(l.redisURL)
	if err != nil {
		return nil, err
	}
	insert, err := l.db.PrepareContext(ctx, `INSERT INTO jobs (kind, queue, args, account_id) VALUES ('bare', 'bare',
		'{}', 1) RETURNING id`)
	if err != nil {
		return nil, err
	}
	claim, err := l.db.PrepareContext(ctx, `
		UPDATE jobs SET claims = claims + 1, leased_until = now() + interval '15 seconds' WHERE id = $1
			AND leased_until IS NULL RETURNING id`)
	if err != nil {
		return nil, err
	}
	looping, stop := context.WithCancel(context.WithoutCancel(ctx))
	claimed, ended := make(chan claimedAt, 1), make(chan bool)
	go func() {
		defer close(ended)
		popAndClaim(looping, client, claim, claimed)
	}()
	h.atEnd(func() {
		stop()
		_ = client.Close() // ends the pop
		<-ended
	})
	return h.latency(percent, func(ctx context.Context, _ int) (time.Duration, error) {
		var id int64
		if err := insert.QueryRowContext(ctx).Scan(&id); err != nil {
			return 0, err
		}
		committed := time.Now()
		if err := client.RPush(ctx, "bench:bare", id).Err(); err != nil {
			return 0, err
		}
		got, err := await(claimed, "a claim")
		if err == nil {
			err = got.err
		}
		if err == nil {
			_, err = l.db.ExecContext(ctx, `DELETE FROM jobs WHERE id = $1`, id)
		}
		return got.at.Sub(committed), err
	}), nil
}

// claimedAt is when a job was claimed.
type claimedAt struct {
	at  time.Time
	err error
}

func popAndClaim(ctx context.Context, client redis.UniversalClient, claim *sql.Stmt, claimed chan<- claimedAt) {
	for ctx.Err() == nil {
		popped, err := client.BLPop(ctx, time.Second, "bench:bare").Result()
		if errors.Is(err, redis.Nil) {
			continue
		}
		if err == nil {
			var id int64
			err = claim.QueryRowContext(ctx, popped[1]).Scan(&id)
		}
		if ctx.Err() == nil {
			claimed <- claimedAt{time.Now(), err}
		}
	}
}
