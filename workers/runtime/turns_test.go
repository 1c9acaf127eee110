package runtime_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
	"bordero/workers/runtime"

	"github.com/hibiken/asynq"
)

type importJob = runtime.Job[jobs.ImportStatement]

// fairnessHarness is a harness whose imports only begin, and end when the test lets them.
type fairnessHarness struct {
	harness
	mu      sync.Mutex
	running map[int64]int // by account
	most    map[int64]int
	keys    map[string]bool // of the running imports
	order   map[string][]int64

	began chan int64    // ids of statements
	end   chan struct{} // closed: all imports end
	fails func(*importJob) error
}

func newFairnessHarness(t *testing.T) *fairnessHarness {
	l := &fairnessHarness{harness: newHarnessOf(t, jobs.ImportStatementKind.Queue), running: map[int64]int{},
		most: map[int64]int{}, keys: map[string]bool{}, order: map[string][]int64{},
		began: make(chan int64, 1000), end: make(chan struct{}), fails: func(*importJob) error { return nil }}
	return l
}

func (l *fairnessHarness) handler() runtime.Handler {
	k := jobs.ImportStatementKind
	k.Attempts, k.Delay = 3, func(int) time.Duration { return 0 }
	h := handler(l.run)
	h.Kind = k
	return h
}

func (l *fairnessHarness) run(ctx context.Context, job *importJob) error {
	if err := l.begin(job, job.Args.BankStatementID); err != nil {
		return err
	}
	l.began <- job.Args.BankStatementID
	select {
	case <-l.end:
	case <-ctx.Done():
	}
	l.mu.Lock()
	l.running[job.AccountID]--
	delete(l.keys, job.Key)
	l.mu.Unlock()
	return l.complete(ctx, job.Job)
}

func (l *fairnessHarness) begin(job *importJob, statement int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.fails(job); err != nil {
		return err
	}
	if l.keys[job.Key] {
		l.T.Errorf("two imports of %s at once", job.Key)
	}
	l.keys[job.Key] = true
	l.order[job.Key] = append(l.order[job.Key], statement)
	l.running[job.AccountID]++
	l.most[job.AccountID] = max(l.most[job.AccountID], l.running[job.AccountID])
	return nil
}

// enqueue stores imports of an account, one for each of the deposit accounts.
func (l *fairnessHarness) enqueue(account, statement int64, depositAccounts ...int64) {
	l.T.Helper()
	err := l.Store.InTx(l.T.Context(), func(tx *storage.Tx) error {
		for i, id := range depositAccounts {
			err := tx.Enqueue(l.T.Context(), account, jobs.ImportStatement{
				AccountID: account, BankStatementID: statement + int64(i), DepositAccountID: id})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		l.T.Fatal(err)
	}
}

// quiet waits until the given number of tasks is active and none waits.
func (l *fairnessHarness) quiet(active int) {
	l.T.Helper()
	l.Eventually("the tasks that wait", func() bool {
		return len(l.Tasks(asynq.TaskStatePending, asynq.TaskStateRetry)) == 0 &&
			len(l.Tasks(asynq.TaskStateActive)) == active
	})
}

func TestAnAccountHasHalfOfThePlaces(t *testing.T) {
	t.Parallel()
	for places, half := range map[int]int{2: 1, 5: 3, 8: 4} {
		t.Run(strconv.Itoa(places), func(t *testing.T) {
			t.Parallel()
			l := newFairnessHarness(t)
			l.Start(func(c *runtime.Config) { c.Concurrency = places }, l.handler())
			l.enqueue(1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
			for range half {
				receive(l.harness, "the imports of the first", l.began)
			}
			l.Offer() // in vain
			l.quiet(half)
			l.enqueue(2, 11, 11)
			if id := receive(l.harness, "the other account's", l.began); id != 11 {
				t.Errorf("%d begins", id)
			}
			close(l.end)
			l.effects(11)
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.most[1] != half {
				t.Errorf("of %d places an account had %d", places, l.most[1])
			}
		})
	}
}

// A task of an account that has its half of the places runs another account's import, so
// that a window full of such tasks delays no other account.
func TestATaskSaysOnlyThatThereIsWork(t *testing.T) {
	t.Parallel()
	l := newFairnessHarness(t)
	l.Start(func(c *runtime.Config) { c.Concurrency = 2 }, l.handler())
	l.enqueue(1, 1, 1, 2)
	receive(l.harness, "the first", l.began)
	l.quiet(1)
	l.Exec(`INSERT INTO jobs (kind, queue, account_id, key, args) VALUES ('import_statement', 'statements', 2,
		'deposit_account:3', '{"bank_statement_id":3}')`)
	l.Client.Offer(jobs.Ticket{ID: 2, Kind: jobs.ImportStatementKind.Name, Queue: l.Queue, After: "before"})
	if id := receive(l.harness, "the other account's", l.began); id != 3 {
		t.Errorf("%d begins", id)
	}
	close(l.end)
	l.effects(3)
}

// An import that waits for a run begins when that ends, without another task.
func TestTheNextTurnBeginsByItself(t *testing.T) {
	t.Parallel()
	l := newFairnessHarness(t)
	l.enqueue(1, 1, slices.Repeat([]int64{1}, 30)...)
	l.enqueue(1, 31, slices.Repeat([]int64{2}, 30)...)
	l.Start(nil, l.handler())
	for range 2 {
		receive(l.harness, "a run of each", l.began)
	}
	l.quiet(2)
	close(l.end)
	l.effects(60)
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, all := range l.order {
		if len(all) != 30 || !slices.IsSorted(all) {
			t.Errorf("%s: %v is not the order of the uploads", key, all)
		}
	}
}

// A backlog of imports leaves places to the other kinds of the queue.
func TestTurnsEnd(t *testing.T) {
	t.Parallel()
	l := newFairnessHarness(t)
	before := make(chan int, 1)
	other := handler(func(ctx context.Context, job *runtime.Job[jobs.ProveBalance]) error {
		before <- len(l.began)
		return l.complete(ctx, job.Job)
	})
	l.Start(func(c *runtime.Config) { c.Concurrency, c.Turn = 2, time.Nanosecond }, l.handler(), other)
	for _, account := range []int64{1, 2} {
		l.enqueue(account, account, account)
		receive(l.harness, "an import of each account", l.began)
	}
	l.harness.enqueue(jobs.ProveBalance{AccountID: 1, DepositAccountID: 1})
	const backlog = 20
	for _, account := range []int64{1, 2} {
		l.enqueue(account, 10, slices.Repeat([]int64{account}, backlog)...)
	}
	close(l.end)
	if n := receive(l.harness, "the proof", before); n == 2*backlog {
		t.Error("the proof waits for all imports")
	}
	l.effects(2*backlog + 3)
}

// Each import fails, dies or ends when it is next, and delays no other.
func TestFailedTurnsDelayNoOthers(t *testing.T) {
	t.Parallel()
	l := newFairnessHarness(t)
	close(l.end)
	l.fails = func(job *importJob) error {
		switch {
		case job.ID%3 == 0 && job.Attempt == 1:
			return errors.New("at first")
		case job.ID%7 == 0:
			panic("always")
		}
		return nil
	}
	l.enqueue(1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3)
	l.enqueue(2, 16, 4, 4, 5, 5, 5)
	l.Start(nil, l.handler())
	l.Eventually("the end", func() bool {
		l.Offer() // the relay offers jobs that wait for a retry
		return l.Count(`SELECT count(*) FROM jobs WHERE failed_at IS NULL`) == 0
	})
	if done, dead := l.Count(`SELECT count(DISTINCT job) FROM effects`),
		l.Count(`SELECT count(*) FROM jobs`); done != 18 || dead != 2 {
		t.Errorf("%d are done and %d dead", done, dead)
	}
}

// A dead worker blocks the deposit account that it was importing until its lease has run
// out, and the others not even that long.
func TestTheTurnOfADeadWorker(t *testing.T) {
	t.Parallel()
	l := newFairnessHarness(t)
	close(l.end)
	l.enqueue(1, 1, 1, 1, 1)
	l.enqueue(2, 4, 2)
	dead, err := l.Store.ClaimTurn(t.Context(), time.Hour, 0, nil)
	if err != nil || dead == nil {
		t.Fatal(dead, err)
	}
	l.Start(nil, l.handler())
	l.Offer()
	if id := receive(l.harness, "the other account's", l.began); id != 4 {
		t.Errorf("%d begins", id)
	}
	l.quiet(0)
	l.Exec(`UPDATE jobs SET leased_until = now() - interval '1 second' WHERE id = $1`, dead.ID)
	l.Offer()
	l.effects(4)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.order["deposit_account:1"], []int64{1, 2, 3}) {
		t.Errorf("the order is %v", l.order)
	}
	if err := l.Store.Complete(t.Context(), *dead, func(*storage.Tx) error { return nil }); !errors.Is(err,
		queue.ErrFenced) {
		t.Errorf("the dead one completes: %v", err)
	}
}

// Imports that waited behind a run go to another worker when the process ends.
func TestAShutdownHandsItsTurnsOver(t *testing.T) {
	t.Parallel()
	l := newFairnessHarness(t)
	l.enqueue(1, 1, 1, 1)
	h := handler(func(ctx context.Context, job *importJob) error {
		l.began <- job.ID
		l.Eventually("the shutdown", job.Stopping)
		return l.complete(ctx, job.Job)
	})
	h.Kind = l.handler().Kind
	stop := l.Start(nil, h)
	receive(l.harness, "the first", l.began)
	l.quiet(1)
	stop()
	if n := l.Count(`SELECT count(*) FROM jobs WHERE claims = 0`); n != 1 || len(l.began) > 0 {
		t.Errorf("%d jobs are left, and %d more have begun", n, len(l.began))
	}
	close(l.end)
	l.Start(nil, l.handler())
	l.effects(2)
}
