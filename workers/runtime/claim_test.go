package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
	"bordero/workers/runtime"

	"github.com/hibiken/asynq"
)

func TestJobsOfAKeyCoalesce(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Exec(`CREATE TABLE counters (key text PRIMARY KEY, asked int NOT NULL, seen int NOT NULL)`)
	h.Exec(`INSERT INTO counters VALUES ('a', 0, 0), ('b', 0, 0)`)
	var runs atomic.Int32
	var running [2]atomic.Int32
	run := func(ctx context.Context, job *runtime.Job[keyed]) error {
		runs.Add(1)
		mine := &running[job.Key[0]-'a']
		if mine.Add(1) > 1 {
			t.Error("two runs of a key at once")
		}
		var asked int
		err := h.DB.QueryRowContext(ctx, `SELECT asked FROM counters WHERE key = $1`, job.Key).Scan(&asked)
		mine.Add(-1)
		if err != nil {
			return err
		}
		return h.Store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
			_, err := db.Exec(ctx, tx.DB, `UPDATE counters SET seen = $2 WHERE key = $1`, job.Key, asked)
			return err
		})
	}
	const asks = 1000
	var askers sync.WaitGroup
	for i := range 8 {
		askers.Go(func() {
			for range asks / 8 {
				key := string(rune('a' + i%2))
				err := h.Store.InTx(t.Context(), func(tx *storage.Tx) error {
					_, err := db.Exec(t.Context(), tx.DB, `UPDATE counters SET asked = asked + 1 WHERE key = $1`, key)
					return errors.Join(err, tx.Enqueue(t.Context(), 1, keyed{key}))
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	h.Start(nil, handler(run))
	h.Start(nil, handler(run))
	askers.Wait()
	h.Eventually("the last run", func() bool {
		if h.settled()[1] > 0 { // a starved Redis dropped some
			h.Offer()
		}
		return h.Count(`SELECT count(*) FROM jobs`) == 0
	})
	if n := h.Count(`SELECT count(*) FROM counters WHERE asked = $1 AND seen = asked`, asks/2); n != 2 {
		t.Error("a change was missed")
	}
	if n := runs.Load(); n > asks/2 {
		t.Errorf("%d runs of %d jobs: they do not coalesce", n, asks)
	}
	t.Logf("%d runs of %d jobs", runs.Load(), asks)
}

// Redis only hints at jobs: its data may be wrong, or written by another program.
func TestTasksOfAnotherKindDoNothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	otherKeyed := kind("other keyed")
	otherKeyed.Keyed = true
	var kinds runtime.Table
	for _, k := range []jobs.Kind{singleKind, kind("other"), keyedKind, otherKeyed, jobs.ImportStatementKind} {
		e := handler(func(_ context.Context, job *runtime.Job[single]) error {
			t.Errorf("%s %d runs", job.Kind, job.ID)
			return nil
		})
		e.Kind = k
		kinds = append(kinds, e)
		h.Exec(`INSERT INTO jobs (kind, queue, key, args) VALUES ($1, $2, CASE WHEN $3 THEN 'a' END, '{}')`,
			e.Kind.Name, queueName, e.Kind.Keyed)
	}
	opt, err := asynq.ParseRedisURI(h.RedisURL)
	if err != nil {
		t.Fatal(err)
	}
	client := asynq.NewClient(opt)
	defer client.Close()
	n := 0
	for _, e := range kinds {
		for id, of := range kinds {
			if e.Kind.Name == of.Kind.Name {
				continue
			}
			n++
			if _, err := client.Enqueue(asynq.NewTask(e.Kind.Name, fmt.Appendf(nil, `{"id":%d}`, id+1)),
				asynq.Queue(queueName)); err != nil {
				t.Fatal(err)
			}
		}
	}
	h.Start(nil, kinds...)
	h.Eventually("the end of the tasks", func() bool {
		return len(h.Tasks(asynq.TaskStatePending, asynq.TaskStateActive, asynq.TaskStateRetry)) == 0
	})
	if kept := h.Count(`SELECT count(*) FROM jobs WHERE claims = 0 AND leased_until IS NULL`); kept != len(kinds) {
		t.Errorf("%d of %d jobs are as they were", kept, len(kinds))
	}
	h.Eventually("a log line for each task", func() bool {
		return strings.Count(h.Log.String(), "names a job of another kind") == n
	})
}

// Its job has the id of one of ours.
func TestATaskOfAnotherInstallationDoesNothing(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Exec(`INSERT INTO jobs (kind, queue, args) VALUES ('single', $1, '{}')`, queueName)
	opt, err := asynq.ParseRedisURI(h.RedisURL)
	if err != nil {
		t.Fatal(err)
	}
	client := asynq.NewClient(opt)
	defer client.Close()
	if _, err := client.Enqueue(asynq.NewTask("single", []byte(`{"id":1}`)), asynq.Queue(queueName),
		asynq.TaskID("ba9876543210.1.0")); err != nil {
		t.Fatal(err)
	}
	h.Start(nil, handler(func(context.Context, *runtime.Job[single]) error {
		t.Error("the job runs")
		return nil
	}))
	h.Eventually("the end of the task", func() bool {
		return len(h.Tasks(asynq.TaskStatePending, asynq.TaskStateActive, asynq.TaskStateRetry)) == 0
	})
	if kept := h.Count(`SELECT count(*) FROM jobs WHERE claims = 0`); kept != 1 {
		t.Errorf("%d jobs are as they were", kept)
	}
	if !strings.Contains(h.Log.String(), "task of another installation") {
		t.Errorf("the log says %s", h.Log.String())
	}
}
