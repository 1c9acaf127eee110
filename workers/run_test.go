package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/jobs"
	"bordero/storage"

	"github.com/hibiken/asynq"
)

// complete is a run that does nothing but its effect.
func (h *house) complete(ctx context.Context, job *Job) error {
	return h.store.Complete(ctx, job.Job, effect(ctx, job.Job))
}

func TestAJobIsDoneOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.start(nil, Entry{Kind: singleKind, Run: func(ctx context.Context, job *Job) error {
		var args single
		if err := job.Decode(&args); err != nil || job.Stopping() {
			t.Errorf("%v, stopping %v", err, job.Stopping())
		}
		if jobs.RequestID(ctx) != "r-1" {
			t.Errorf("request id %q", jobs.RequestID(ctx))
		}
		return h.complete(ctx, job)
	}})
	for n := range 200 {
		h.enqueue(single{n})
		h.offer() // again and again, under second names too
	}
	h.effects(200)
	if strings.Contains(h.log.String(), "level=ERROR") {
		t.Error(h.log)
	}
}

func TestAFailureIsTriedAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.start(nil, Entry{Kind: singleKind, Run: func(ctx context.Context, job *Job) error {
		if job.Attempt < 3 {
			return errors.New("not yet")
		}
		return h.complete(ctx, job)
	}})
	h.enqueue(single{1})
	h.effects(1)
}

func TestThePlaceToSeeFailures(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.start(nil, Entry{Kind: singleKind, Run: func(context.Context, *Job) error { return errors.New("cause of it") },
		Dead: func(ctx context.Context, tx *storage.Tx, job storage.Job, cause error) error {
			if cause.Error() != "cause of it" || job.Attempt != 3 {
				t.Errorf("dead of %v after %d attempts", cause, job.Attempt)
			}
			return effect(ctx, job)(tx)
		}})
	h.enqueue(single{1})
	h.soon("the archived task", func() bool { return len(h.tasks(asynq.TaskStateArchived)) == 1 })
	if task := h.tasks(asynq.TaskStateArchived)[0]; !strings.Contains(task.LastErr, "cause of it") {
		t.Errorf("the dashboard shows %q", task.LastErr)
	}
	rows, err := h.store.Jobs(t.Context(), true)
	if err != nil || len(rows) != 1 || *rows[0].Error != "cause of it" || rows[0].Attempts != 3 {
		t.Errorf("failed jobs: %+v, %v", rows, err)
	}
	if n := h.count(`SELECT count(*) FROM effects`); n != 1 {
		t.Errorf("its death had %d effects", n)
	}
	if _, err := h.store.RetryJob(t.Context(), rows[0].ID); err != nil { // whose task is still archived
		t.Fatal(err)
	}
	h.soon("its second death", func() bool { return h.count(`SELECT count(*) FROM effects`) == 2 })
}

func TestAJobThatNeverEndsDies(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.enqueue(single{1}, bulk{2})
	h.exec(`UPDATE jobs SET attempts = 3, claims = 3, leased_until = now() - interval '1 second'`) // three crashes
	died := make(chan error, 2)
	dead := func(_ context.Context, _ *storage.Tx, _ storage.Job, cause error) error { died <- cause; return nil }
	h.start(nil,
		Entry{Kind: singleKind, Dead: dead, Run: func(context.Context, *Job) error { t.Error("it ran"); return nil }},
		Entry{Kind: bulkKind, Dead: dead, Bulk: func(context.Context, *storage.Tx, []storage.Job) error { t.Error("it ran"); return nil }})
	h.offer()
	for range 2 {
		if cause := await(h, "its death", died); !strings.Contains(cause.Error(), "never ended") {
			t.Error(cause)
		}
	}
	h.soon("the failed rows", func() bool { return h.count(`SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL`) == 2 })
}

// What its death means could not be kept: it is not dead then, and not lost.
func TestADeathThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var deaths atomic.Int32
	h.start(func(c *Config) { c.Lease = 300 * time.Millisecond }, Entry{Kind: singleKind,
		Run: func(context.Context, *Job) error { return errors.New("oops") },
		Dead: func(context.Context, *storage.Tx, storage.Job, error) error {
			if deaths.Add(1) == 1 {
				panic("at first")
			}
			return nil
		}})
	h.enqueue(single{1})
	h.soon("its death", func() bool {
		h.offer()
		return h.count(`SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL`) == 1
	})
}

func TestAPanicIsAFailure(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.start(nil, Entry{Kind: singleKind, Run: func(ctx context.Context, job *Job) error {
		if job.Attempt == 1 {
			panic("at the disco")
		}
		return h.complete(ctx, job)
	}})
	h.enqueue(single{123456789})
	h.effects(1)
	log := h.log.String()
	if !strings.Contains(log, "at the disco") || !strings.Contains(log, "run_test.go") || !strings.Contains(log, "request_id=r-1") {
		t.Errorf("the log has no stack:\n%s", log)
	}
	if strings.Contains(log, "123456789") {
		t.Errorf("arguments are in the log:\n%s", log)
	}
}

func TestAnUnknownKindIsLeftAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.enqueue(bulk{1})
	h.start(nil, Entry{Kind: singleKind, Run: h.complete})
	h.soon("the task to be shown", func() bool { return len(h.tasks(asynq.TaskStateRetry)) == 1 })
	if n := h.count(`SELECT count(*) FROM jobs WHERE claims = 0 AND attempts = 0 AND error IS NULL AND failed_at IS NULL`); n != 1 {
		t.Error("the row was touched")
	}
}

func TestALostClaimEndsSilently(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ended := make(chan error, 10)
	h.start(nil, Entry{Kind: singleKind, Run: func(ctx context.Context, job *Job) error {
		h.exec(`UPDATE jobs SET claims = claims + 1, leased_until = now() + interval '1 hour'`) // another worker's
		err := h.complete(ctx, job)
		ended <- err
		return err
	}})
	h.enqueue(single{1})
	if err := await(h, "its end", ended); !errors.Is(err, storage.ErrFenced) {
		t.Error(err)
	}
	h.soon("the task's end", func() bool {
		return len(h.tasks(asynq.TaskStateActive, asynq.TaskStatePending, asynq.TaskStateRetry)) == 0
	})
	if n := h.count(`SELECT count(*) FROM jobs WHERE error IS NULL AND attempts = 1 AND leased_until > now()`); n != 1 {
		t.Error("the row of the new holder was touched")
	}
}

func TestAClaimThatFailsIsNotLost(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.start(nil,
		Entry{Kind: singleKind, Run: h.complete},
		Entry{Kind: keyedKind, Run: h.complete},
		Entry{Kind: bulkKind, Bulk: h.completeAll})
	h.exec(`ALTER TABLE jobs RENAME TO gone`)
	for id, k := range []jobs.Kind{singleKind, keyedKind, bulkKind} {
		h.client.Offer(jobs.Ticket{ID: int64(id + 1), Kind: k.Name, Queue: queue})
	}
	h.soon("the retries", func() bool { return len(h.tasks(asynq.TaskStateRetry)) == 3 })
	for _, task := range h.tasks(asynq.TaskStateRetry) {
		if task.Retried > 0 {
			t.Error("an outage of the database is charged to the task")
		}
	}
	h.exec(`ALTER TABLE gone RENAME TO jobs`)
	h.exec(`INSERT INTO jobs (id, kind, queue, key) VALUES (1, 'single', $1, NULL), (2, 'keyed', $1, 'a'), (3, 'bulk', $1, NULL)`, queue)
	h.effects(3)
}

func TestTheHeartbeatKeepsALongJob(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const lease = 3 * time.Second
	began, finish := make(chan int, 10), make(chan bool)
	h.start(func(c *Config) { c.Lease = lease }, Entry{Kind: singleKind, Run: func(ctx context.Context, job *Job) error {
		began <- job.Attempt
		<-finish
		return h.complete(ctx, job)
	}})
	h.enqueue(single{1})
	await(h, "the job", began)
	for until := time.Now().Add(2 * lease); time.Now().Before(until); {
		h.offer()
		if n := h.count(`SELECT claims FROM jobs`); n != 1 {
			t.Fatalf("it was claimed %d times", n)
		}
	}
	close(finish)
	h.effects(1)
}

func TestJobsOfAKeyCoalesce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.exec(`CREATE TABLE counters (key text PRIMARY KEY, asked int NOT NULL, seen int NOT NULL)`)
	h.exec(`INSERT INTO counters VALUES ('a', 0, 0), ('b', 0, 0)`)
	var runs atomic.Int32
	var running [2]atomic.Int32
	run := func(ctx context.Context, job *Job) error {
		runs.Add(1)
		mine := &running[job.Key[0]-'a']
		if mine.Add(1) > 1 {
			t.Error("two runs of a key at once")
		}
		var asked int
		err := h.db.QueryRowContext(ctx, `SELECT asked FROM counters WHERE key = $1`, job.Key).Scan(&asked)
		mine.Add(-1)
		if err != nil {
			return err
		}
		return h.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
			_, err := tx.Raw(ctx, `UPDATE counters SET seen = $2 WHERE key = $1`, job.Key, asked)
			return err
		})
	}
	const asks = 1000
	var askers sync.WaitGroup
	for i := range 8 {
		askers.Go(func() {
			for range asks / 8 {
				key := string(rune('a' + i%2))
				err := h.store.InTx(t.Context(), func(tx *storage.Tx) error {
					_, err := tx.Raw(t.Context(), `UPDATE counters SET asked = asked + 1 WHERE key = $1`, key)
					return errors.Join(err, tx.Enqueue(t.Context(), 1, keyed{key}))
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	h.start(nil, Entry{Kind: keyedKind, Run: run})
	h.start(nil, Entry{Kind: keyedKind, Run: run})
	askers.Wait()
	h.soon("the last run", func() bool { return h.count(`SELECT count(*) FROM jobs`) == 0 })
	if n := h.count(`SELECT count(*) FROM counters WHERE asked = $1 AND seen = asked`, asks/2); n != 2 {
		t.Error("a change was missed")
	}
	if n := runs.Load(); n > asks/2 {
		t.Errorf("%d runs of %d jobs: they do not coalesce", n, asks)
	}
	t.Logf("%d runs of %d jobs", runs.Load(), asks)
}

// completeAll is the effect of a bulk kind.
func (h *house) completeAll(ctx context.Context, tx *storage.Tx, all []storage.Job) error {
	for _, job := range all {
		if err := effect(ctx, job)(tx); err != nil {
			return err
		}
	}
	return nil
}

func TestABulkKindRunsAsSets(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var sets, largest atomic.Int64
	h.start(func(c *Config) { c.Concurrency = 50 }, Entry{Kind: bulkKind, Bulk: func(ctx context.Context, tx *storage.Tx, all []storage.Job) error {
		sets.Add(1)
		largest.Store(max(largest.Load(), int64(len(all))))
		return h.completeAll(ctx, tx, all)
	}})
	h.enqueue(slices.Repeat([]jobs.Args{bulk{}}, 500)...)
	h.effects(500)
	if largest.Load() < 2 || sets.Load() > 400 {
		t.Errorf("%d sets, the largest of %d", sets.Load(), largest.Load())
	}
}

func TestAPoisonedJobOfASetFailsAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var largest atomic.Int64
	died := make(chan storage.Job, 10)
	h.start(func(c *Config) { c.Concurrency = 50 }, Entry{
		Kind: bulkKind,
		Bulk: func(ctx context.Context, tx *storage.Tx, all []storage.Job) error {
			largest.Store(max(largest.Load(), int64(len(all))))
			for _, job := range all {
				var args bulk
				if err := job.Decode(&args); err != nil {
					return err
				}
				switch args.N {
				case 13:
					return errors.New("poison")
				case 113:
					panic("poison")
				}
			}
			return h.completeAll(ctx, tx, all)
		},
		Dead: func(_ context.Context, _ *storage.Tx, job storage.Job, _ error) error { died <- job; return nil },
	})
	all := make([]jobs.Args, 200)
	for i := range all {
		all[i] = bulk{i}
	}
	h.enqueue(all...)
	h.soon("the others", func() bool { return h.count(`SELECT count(*) FROM effects`) == 198 })
	for range 2 {
		h.soon("the death", func() bool { h.offer(); return len(died) > 0 })
		if job := <-died; !strings.Contains(job.Args, "13") || job.Attempt != 3 {
			t.Errorf("dead is %s after %d attempts", job.Args, job.Attempt)
		}
	}
	h.soon("the rows", func() bool { return h.count(`SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL`) == 2 })
	if n := h.count(`SELECT count(*) FROM jobs`); n != 2 || largest.Load() < 2 {
		t.Errorf("%d rows are left; the largest set had %d", n, largest.Load())
	}
}

// chunks is a long job: 1,000 chunks unless it is told to stop.
func (h *house) chunks(began chan<- string, step func()) func(context.Context, *Job) error {
	return func(ctx context.Context, job *Job) error {
		began <- job.Cursor
		n, _ := strconv.Atoi(job.Cursor)
		for n++; n <= 1000; n++ {
			if job.Stopping() {
				return errStopping
			}
			if err := h.store.Chunk(ctx, job.Job, strconv.Itoa(n), effect(ctx, job.Job)); err != nil {
				return err
			}
			step()
		}
		return h.store.Complete(ctx, job.Job, func(*storage.Tx) error { return nil })
	}
}

func TestAShutdownHandsOver(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	begunFirst, begunSecond := make(chan string, 10), make(chan string, 10)
	chunked := make(chan bool, 2000)
	stop := h.start(nil, Entry{Kind: singleKind, Run: h.chunks(begunFirst, func() { chunked <- true })})
	h.enqueue(single{1})
	await(h, "the beginning", begunFirst)
	for range 5 {
		await(h, "a chunk", chunked)
	}
	h.start(nil, Entry{Kind: singleKind, Run: h.chunks(begunSecond, func() {})})
	began := time.Now()
	go stop()
	at := await(h, "the next worker", begunSecond)
	if took := time.Since(began); took > time.Second {
		t.Errorf("taken over after %v", took)
	}
	if n, _ := strconv.Atoi(at); n < 5 {
		t.Errorf("begun again at %q", at)
	}
	if n := h.count(`SELECT attempts FROM jobs`); n != 1 {
		t.Errorf("the shutdown was charged: attempt %d", n)
	}
	h.soon("the end", func() bool { return h.count(`SELECT count(*) FROM jobs`) == 0 })
	if n := h.count(`SELECT count(*) FROM effects`); n != 1000 {
		t.Errorf("%d chunks were kept", n)
	}
}

// A job that does not ask gets the grace, and ends well in it or is cut off.
func TestAShutdownGivesGrace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		external bool
		ignores  bool // its context as well
		attempts int  // of what is handed over
	}{
		{name: "cut off", attempts: 0},
		{name: "cut off outside of the house", external: true, attempts: 1},
		{name: "ignores the cut", ignores: true, attempts: 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			began, finish, late := make(chan bool, 2), make(chan bool), make(chan error, 1)
			stop := h.start(func(c *Config) { c.Grace = 300 * time.Millisecond },
				Entry{Kind: singleKind, External: c.external, Run: func(ctx context.Context, job *Job) error {
					var args single
					if err := job.Decode(&args); err != nil {
						return err
					}
					began <- true
					if args.N == 1 { // ends within the grace
						h.soon("the shutdown", job.Stopping)
						return h.complete(ctx, job)
					}
					if c.ignores {
						<-finish
						late <- h.complete(context.WithoutCancel(ctx), job)
						return nil
					}
					<-ctx.Done()
					return fmt.Errorf("something else: %w", ctx.Err())
				}})
			h.enqueue(single{1}, single{2})
			await(h, "the first", began)
			await(h, "the second", began)
			stop()
			if n := h.count(`SELECT count(*) FROM jobs WHERE leased_until IS NULL AND attempts = $1 AND error IS NULL`, c.attempts); n != 1 {
				t.Error("it was not handed over")
			}
			h.start(nil, Entry{Kind: singleKind, Run: h.complete})
			h.effects(2)
			close(finish)
			if c.ignores {
				if err := await(h, "the late one", late); !errors.Is(err, storage.ErrFenced) {
					t.Errorf("the one that was cut off completes: %v", err)
				}
			}
			h.effects(2)
		})
	}
}

func TestAShutdownWithoutRedisEnds(t *testing.T) {
	t.Parallel()
	h, redis := newHouse(t), ownRedis(t, "noeviction")
	client, err := jobs.Open(redis.URL(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	began := make(chan bool, 1)
	stop := h.start(func(c *Config) { c.Client, c.Grace = client, 100*time.Millisecond },
		Entry{Kind: singleKind, Run: func(ctx context.Context, _ *Job) error {
			began <- true
			<-ctx.Done()
			return ctx.Err()
		}})
	h.enqueue(single{1})
	client.Offer(jobs.Ticket{ID: int64(h.count(`SELECT id FROM jobs`)), Kind: "single", Queue: queue})
	await(h, "the job", began)
	redis.Kill()
	at := time.Now()
	stop()
	if took := time.Since(at); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
	if n := h.count(`SELECT count(*) FROM jobs WHERE leased_until IS NULL AND attempts = 0`); n != 1 {
		t.Error("it was not handed over")
	}
}

func ownRedis(t *testing.T, policy string) *private.Redis {
	t.Helper()
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	r, err := private.StartRedis(t.Context(), dir, private.Options{Settings: map[string]string{"maxmemory-policy": policy}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Kill)
	return r
}

func TestAnEvictingRedisIsRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	client, err := jobs.Open(ownRedis(t, "allkeys-lru").URL(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := Run(t.Context(), Config{Store: h.store, Client: client}); !errors.Is(err, jobs.ErrEvicts) {
		t.Error(err)
	}
}

func TestATableThatCannotWorkIsRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	dead := func(context.Context, *storage.Tx, storage.Job, error) error { return nil }
	good := Entry{Kind: singleKind, Run: h.complete, Dead: dead}
	for name, table := range map[string]Table{
		"twice":         {good, good},
		"no dead":       {{Kind: singleKind, Run: h.complete}},
		"nothing to do": {{Kind: singleKind, Dead: dead}},
		"two things":    {{Kind: singleKind, Dead: dead, Run: h.complete, Bulk: h.completeAll}},
		"keyed bulk":    {{Kind: keyedKind, Dead: dead, Bulk: h.completeAll}},
		"no delay":      {{Kind: jobs.Kind{Name: "x", Attempts: 1}, Dead: dead, Run: h.complete}},
		"no attempts":   {{Kind: jobs.Kind{Name: "x", Delay: singleKind.Delay}, Dead: dead, Run: h.complete}},
	} {
		if err := Run(t.Context(), Config{Client: h.client, Table: table}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Kinds(Deps{}).byName(); err != nil {
		t.Errorf("the table of this release: %v", err)
	}
}
