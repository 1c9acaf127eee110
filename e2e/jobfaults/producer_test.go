package jobfaults

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
)

const (
	rate    = 150  // transactions per second that enqueue jobs
	backlog = 2000 // unfinished jobs at which the producer pauses: a busy machine does fewer than come
)

// produce enqueues jobs at a steady rate until ctx ends. It prints a dot for each job that it
// knows to be committed.
func produce(ctx context.Context, store *storage.Store) {
	tick := time.NewTicker(time.Second / rate)
	defer tick.Stop()
	var full atomic.Bool
	go watch(ctx, store, &full)
	var askers sync.WaitGroup
	defer askers.Wait()
	for range 8 {
		askers.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				if full.Load() {
					continue
				}
				// The table wanted shows whether a failed commit took effect.
				if n, err := ask(context.WithoutCancel(ctx), store); err == nil {
					os.Stdout.WriteString(strings.Repeat(".", n))
				}
			}
		})
	}
}

// watch stores in full whether the backlog is reached, until ctx ends.
func watch(ctx context.Context, store *storage.Store, full *atomic.Bool) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for ctx.Err() == nil {
		n, err := db.One[int](ctx, store.DB, `SELECT count(*) FROM jobs`)
		full.Store(err == nil && n >= backlog)
		<-tick.C
	}
}

// errChangedMind rolls back a transaction that has enqueued jobs.
var errChangedMind = errors.New("changed its mind")

// ask stores some jobs, and their wanted effects, in one transaction.
func ask(ctx context.Context, store *storage.Store) (n int, err error) {
	all, due := draw()
	return len(all), store.InTx(ctx, func(tx *storage.Tx) error {
		for _, a := range all {
			if err := want(ctx, tx, a, due); err != nil {
				return err
			}
		}
		if chance(0.02) {
			return errChangedMind
		}
		return nil
	})
}

func want(ctx context.Context, tx *storage.Tx, a asked, due sql.NullTime) error {
	if a.kind.Keyed {
		byKey := askedByKey{a}
		_, err := db.Exec(ctx, tx.DB, `
			WITH counted AS (UPDATE counters SET n = n + 1 WHERE key = $2 RETURNING n)
			INSERT INTO wanted (id, key, n, pause, at) SELECT $1, $2, n, $3, clock_timestamp() FROM counted`,
			a.ID, byKey.Key(), a.Pause.Seconds())
		if err != nil {
			return err
		}
		return tx.Enqueue(ctx, 1, byKey)
	}
	_, err := db.Exec(ctx, tx.DB, `INSERT INTO wanted (id, parts, pause, at)
		VALUES ($1, $2, $3, coalesce($4, clock_timestamp()))`,
		a.ID, a.Parts, a.Pause.Seconds(), due)
	if err != nil {
		return err
	}
	if a.kind.Fair {
		return tx.EnqueueAt(ctx, 1+a.ID%keys%3, askedByKey{a}, due.Time)
	}
	return tx.EnqueueAt(ctx, 1, a, due.Time)
}

// draw draws the jobs of one transaction, and when they are due.
func draw() (all []asked, due sql.NullTime) {
	one := func(k jobs.Kind, parts int, pause time.Duration) asked {
		return asked{rand.Int64(), parts, pause, k}
	}
	switch {
	case chance(0.01): // works longer than a lease
		return []asked{one(single, 1, lease*3/2)}, due
	case chance(0.01): // as long, in chunks
		return []asked{one(chunked, 90, 50*time.Millisecond)}, due
	case chance(0.05):
		return []asked{one(chunked, 10, moment())}, due
	case chance(0.15):
		return []asked{one(single, 1, 0), one(single, 1, 0), one(single, 1, 0), one(single, 1, 0)}, due
	case chance(0.1):
		return []asked{one(fair, 1, moment()), one(fair, 1, moment())}, due
	case chance(0.2):
		return []asked{one(keyed, 1, 4*moment())}, due
	case chance(0.1): // later
		due = sql.NullTime{Time: time.Now().Add(rand.N(2 * time.Second)), Valid: true}
	}
	return []asked{one(single, 1, moment())}, due
}

func chance(p float64) bool { return rand.Float64() < p }
