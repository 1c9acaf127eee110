package workers

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/storagetest"

	"github.com/hibiken/asynq"
)

// Ten files wait at one deposit account whose first import does not end. They occupy one
// place in all and no further connection, and a tiny file of another tenant is imported
// meanwhile.
func TestWaitingImportsOccupyNothing(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t, func(c *Config) { c.Concurrency = 2 })
	tenant := storagetest.NewTenant(t, d.store)
	other := storagetest.NewDepositAccount(t, d.store, tenant.Scope)
	tiny := func() string {
		key, _, err := d.files.Put(context.WithoutCancel(t.Context()), strings.NewReader("<OFX><STMTTRN><DTPOSTED>20260102<TRNAMT>1</STMTTRN>"))
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	turn, err := d.db.BeginTx(t.Context(), nil) // locks the deposit account's turn, as UndoImport does
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = turn.Rollback() }()
	if _, err := turn.ExecContext(t.Context(), `SELECT pg_advisory_xact_lock(hashtextextended('import:' || $1::bigint, 0))`, d.into.ID); err != nil {
		t.Fatal(err)
	}
	waiting := func() int {
		return d.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`)
	}
	for range 10 {
		d.enqueue(d.into, tiny())
	}
	d.eventually("the first import", func() bool { return waiting() > 0 })
	d.enqueue(other, tiny())
	ended := func(into finance.DepositAccount) int {
		return d.count(`SELECT count(*) FROM bank_statements WHERE deposit_account_id = $1 AND event_status = 'success'`, into.ID)
	}
	d.eventually("the tiny import", func() bool { return ended(other) == 1 })
	d.eventually("the tasks that wait", func() bool {
		return len(d.tasks(asynq.TaskStatePending)) == 0 && len(d.tasks(asynq.TaskStateActive)) == 1
	})
	if n := waiting(); n != 1 {
		t.Errorf("%d connections wait for the turn", n)
	}
	if n := d.store.PoolStats().InUse; n != 1 {
		t.Errorf("%d connections are in use", n)
	}
	if err := turn.Rollback(); err != nil {
		t.Fatal(err)
	}
	d.eventually("the others", func() bool { return ended(d.into) == 10 }) // each begins when the one before it ends
}

// fairnessHarness is a harness whose imports only begin, and end when the test lets them.
type fairnessHarness struct {
	*harness
	mu      sync.Mutex
	running map[int64]int // by account
	most    map[int64]int
	keys    map[string]bool // of the running imports
	order   map[string][]int64

	began chan int64    // ids of statements
	end   chan struct{} // closed: all imports end
	fails func(*Job) error
}

func newFairnessHarness(t *testing.T) *fairnessHarness {
	l := &fairnessHarness{harness: newHarness(t), running: map[int64]int{}, most: map[int64]int{}, keys: map[string]bool{}, order: map[string][]int64{},
		began: make(chan int64, 1000), end: make(chan struct{}), fails: func(*Job) error { return nil }}
	l.queue = jobs.ImportStatementKind.Queue
	return l
}

func (l *fairnessHarness) entry() Entry {
	k := jobs.ImportStatementKind
	k.Attempts, k.Delay = 3, func(int) time.Duration { return 0 }
	return Entry{Kind: k, Run: l.run}
}

func (l *fairnessHarness) run(ctx context.Context, job *Job) error {
	var args jobs.ImportStatement
	if err := job.Decode(&args); err != nil {
		return err
	}
	if err := l.begin(job, args.BankStatementID); err != nil {
		return err
	}
	l.began <- args.BankStatementID
	select {
	case <-l.end:
	case <-ctx.Done():
	}
	l.mu.Lock()
	l.running[job.AccountID]--
	delete(l.keys, job.Key)
	l.mu.Unlock()
	return l.complete(ctx, job)
}

func (l *fairnessHarness) begin(job *Job, statement int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.fails(job); err != nil {
		return err
	}
	if l.keys[job.Key] {
		l.t.Errorf("two imports of %s at once", job.Key)
	}
	l.keys[job.Key] = true
	l.order[job.Key] = append(l.order[job.Key], statement)
	l.running[job.AccountID]++
	l.most[job.AccountID] = max(l.most[job.AccountID], l.running[job.AccountID])
	return nil
}

// enqueue stores imports of an account, one for each of the deposit accounts.
func (l *fairnessHarness) enqueue(account, statement int64, depositAccounts ...int64) {
	l.t.Helper()
	err := l.store.InTx(l.t.Context(), func(tx *storage.Tx) error {
		for i, id := range depositAccounts {
			err := tx.Enqueue(l.t.Context(), account, jobs.ImportStatement{AccountID: account, BankStatementID: statement + int64(i), DepositAccountID: id})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// quiet waits until the given number of tasks is active and none waits.
func (l *fairnessHarness) quiet(active int) {
	l.t.Helper()
	l.eventually("the tasks that wait", func() bool {
		return len(l.tasks(asynq.TaskStatePending, asynq.TaskStateRetry)) == 0 && len(l.tasks(asynq.TaskStateActive)) == active
	})
}

func TestAnAccountHasHalfOfThePlaces(t *testing.T) {
	t.Parallel()
	for places, half := range map[int]int{2: 1, 5: 3, 8: 4} {
		t.Run(strconv.Itoa(places), func(t *testing.T) {
			t.Parallel()
			l := newFairnessHarness(t)
			l.start(func(c *Config) { c.Concurrency = places }, l.entry())
			l.enqueue(1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
			for range half {
				receive(l.harness, "the imports of the first", l.began)
			}
			l.offer() // in vain
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
	l.start(func(c *Config) { c.Concurrency = 2 }, l.entry())
	l.enqueue(1, 1, 1, 2)
	receive(l.harness, "the first", l.began)
	l.quiet(1)
	l.exec(`INSERT INTO jobs (kind, queue, account_id, key, args) VALUES ('import_statement', 'statements', 2, 'deposit_account:3', '{"bank_statement_id":3}')`)
	l.client.Offer(jobs.Ticket{ID: 2, Kind: jobs.ImportStatementKind.Name, Queue: l.queue, After: "before"})
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
	l.start(nil, l.entry())
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

// Each import fails, dies or ends when it is next, and delays no other.
func TestFailedTurnsDelayNoOthers(t *testing.T) {
	t.Parallel()
	l := newFairnessHarness(t)
	close(l.end)
	l.fails = func(job *Job) error {
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
	l.start(nil, l.entry())
	l.eventually("the end", func() bool {
		l.offer() // the relay offers jobs that wait for a retry
		return l.count(`SELECT count(*) FROM jobs WHERE failed_at IS NULL`) == 0
	})
	if done, dead := l.count(`SELECT count(DISTINCT job) FROM effects`), l.count(`SELECT count(*) FROM jobs`); done != 18 || dead != 2 {
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
	dead, err := l.store.ClaimTurn(t.Context(), time.Hour, 0, nil)
	if err != nil || dead == nil {
		t.Fatal(dead, err)
	}
	l.start(nil, l.entry())
	l.offer()
	if id := receive(l.harness, "the other account's", l.began); id != 4 {
		t.Errorf("%d begins", id)
	}
	l.quiet(0)
	l.exec(`UPDATE jobs SET leased_until = now() - interval '1 second' WHERE id = $1`, dead.ID)
	l.offer()
	l.effects(4)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.order["deposit_account:1"], []int64{1, 2, 3}) {
		t.Errorf("the order is %v", l.order)
	}
	if err := l.store.Complete(t.Context(), *dead, func(*storage.Tx) error { return nil }); !errors.Is(err, storage.ErrFenced) {
		t.Errorf("the dead one completes: %v", err)
	}
}

// Imports that waited behind a run go to another worker when the process ends.
func TestAShutdownHandsItsTurnsOver(t *testing.T) {
	t.Parallel()
	l := newFairnessHarness(t)
	l.enqueue(1, 1, 1, 1)
	e := l.entry()
	e.Run = func(ctx context.Context, job *Job) error {
		l.began <- job.ID
		l.eventually("the shutdown", job.Stopping)
		return l.complete(ctx, job)
	}
	stop := l.start(nil, e)
	receive(l.harness, "the first", l.began)
	l.quiet(1)
	stop()
	if n := l.count(`SELECT count(*) FROM jobs WHERE claims = 0`); n != 1 || len(l.began) > 0 {
		t.Errorf("%d jobs are left, and %d more have begun", n, len(l.began))
	}
	close(l.end)
	l.start(nil, l.entry())
	l.effects(2)
}
