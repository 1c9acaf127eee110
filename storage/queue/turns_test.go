package queue_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
)

// line are imports that wait, in a database without statements.
type line struct {
	*offered
	enqueued int64
}

func newLine(t testing.TB) *line { return &line{offered: newOffered(t, storage.Options{})} }

// wait stores an import of a deposit account, each with its own number as its statement,
// and returns the number.
func (l *line) wait(account, depositAccount int64) int64 {
	l.t.Helper()
	l.enqueued++
	l.tx(func(tx *storage.Tx) error {
		return tx.Enqueue(l.t.Context(), account, jobs.ImportStatement{AccountID: account, BankStatementID: l.enqueued,
			DepositAccountID: depositAccount})
	})
	return l.enqueued
}

// turn claims the import whose turn it is.
func (l *line) turn(lease time.Duration, after int64, full ...int64) *queue.Job {
	l.t.Helper()
	job, err := l.ClaimTurn(l.t.Context(), lease, after, full)
	if err != nil {
		l.t.Fatal(err)
	}
	return job
}

// gets checks the statements of the next turns; 0 is none.
func (l *line) gets(full []int64, want ...int64) (last *queue.Job) {
	l.t.Helper()
	for _, id := range want {
		got := int64(0)
		if last = l.turn(lease, 0, full...); last != nil {
			got = statementOf(l.t, *last)
		}
		if got != id {
			l.t.Errorf("it is the turn of %d, not of %d", got, id)
		}
	}
	return last
}

func statementOf(t testing.TB, job queue.Job) int64 {
	t.Helper()
	var args jobs.ImportStatement
	if err := json.Unmarshal([]byte(job.Args), &args); err != nil {
		t.Fatal(err)
	}
	return args.BankStatementID
}

func (l *line) exec(query string, args ...any) {
	l.t.Helper()
	l.tx(func(tx *storage.Tx) error { _, err := db.Exec(l.t.Context(), tx.DB, query, args...); return err })
}

func TestImportsTakeTurns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wait [][2]int64 // account and deposit account, in the order of their upload
		also string     // what is different
		full []int64
		want []int64
	}{
		"those of a deposit account one by one": {wait: [][2]int64{{1, 1}, {1, 1}, {1, 2}}, want: []int64{
			1, 3, 0}},
		"who has fewer running comes first": {wait: [][2]int64{{1, 1}, {1, 2}, {1, 3}, {2, 4}, {2, 5}},
			want: []int64{1, 4, 2, 5, 3, 0}},
		"of those who have as many the oldest": {wait: [][2]int64{{9, 1}, {3, 2}, {5, 3}}, want: []int64{
			1, 2, 3}},
		"not those of an account that is full": {wait: [][2]int64{{1, 1}, {2, 2}, {1, 3}}, full: []int64{
			1, 7}, want: []int64{2, 0}},
		"not one that is not due": {wait: [][2]int64{{1, 1}, {1, 2}},
			also: `UPDATE jobs SET due_at = now() + interval '1 hour' WHERE id = 1`, want: []int64{2, 0}},
		"not one that is given up": {wait: [][2]int64{{1, 1}, {1, 1}},
			also: `UPDATE jobs SET failed_at = now() WHERE id = 1`, want: []int64{2, 0}},
		"one that is tried again after those that waited": {wait: [][2]int64{{1, 1}, {1, 1}},
			also: `UPDATE jobs SET due_at = now() WHERE id = 1`, want: []int64{2, 0}},
		"one whose worker has died": {wait: [][2]int64{{1, 1}, {1, 1}},
			also: `UPDATE jobs SET claims = 1, running = true, leased_until = now() - interval '1 second' WHERE id = 1`,
			want: []int64{1, 0}},
		"not one that an earlier release runs": {wait: [][2]int64{{1, 1}, {1, 2}},
			also: `UPDATE jobs SET claims = 1, leased_until = now() + interval '1 hour' WHERE id = 1`, want: []int64{
				2, 0}},
		"those that an earlier release has kept": {wait: [][2]int64{{1, 1}, {1, 2}, {2, 3}},
			also: `UPDATE jobs SET key = NULL`, want: []int64{1, 3, 0}},
		"as many of an account as its quota": {wait: [][2]int64{{1, 1}, {1, 2}, {1, 3}, {2, 4}},
			also: `INSERT INTO accounts (id, name) VALUES (1, 'a');
				INSERT INTO account_quotas (account_id, running_imports) VALUES (1, 2)`, want: []int64{1, 4, 2, 0}},
		"no other kind": {wait: [][2]int64{{1, 1}}, also: `UPDATE jobs SET kind = 'note'`, want: []int64{0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLine(t)
			for _, w := range c.wait {
				l.wait(w[0], w[1])
			}
			if c.also != "" {
				l.exec(c.also)
			}
			l.gets(c.full, c.want...)
		})
	}
}

// An account runs as many imports as its quota, which are more than the deposit accounts that a claim looks at.
func TestAnAccountFillsItsQuota(t *testing.T) {
	t.Parallel()
	l, most := newLine(t), int(finance.DefaultQuotas[finance.RunningImports])
	for i := range most + 6 {
		l.wait(1, int64(i))
	}
	for i := range most {
		if l.turn(lease, 0) == nil {
			t.Fatalf("%d imports are running of %d", i, most)
		}
	}
	l.gets(nil, 0)
}

// However a run ends, the next import of its deposit account gets its turn.
func TestATurnEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*line, queue.Job) error{
		"done": func(l *line, job queue.Job) error { return l.Complete(l.t.Context(), job, l.effect(job)) },
		"dead": func(l *line, job queue.Job) error {
			return l.Dead(l.t.Context(), job, fmt.Errorf("x"), func(*storage.Tx) error { return nil })
		},
		"failed": func(l *line, job queue.Job) error {
			return l.Fail(l.t.Context(), job, fmt.Errorf("x"), time.Hour)
		},
		"released": func(l *line, job queue.Job) error { return l.Release(l.t.Context(), job, false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLine(t)
			l.wait(1, 1)
			l.wait(1, 1)
			job := l.gets(nil, 1)
			l.gets(nil, 0)
			if err := end(l, *job); err != nil {
				t.Fatal(err)
			}
			second := l.gets(nil, 2)
			l.gets(nil, 0)
			if n := l.count(`SELECT count(*) FROM jobs WHERE running AND failed_at IS NULL`); n != 1 {
				t.Errorf("%d jobs count as running", n)
			}
			if name == "done" {
				return
			}
			if err := l.Complete(t.Context(), *second, l.effect(*second)); err != nil {
				t.Fatal(err)
			}
			l.exec(`UPDATE jobs SET failed_at = NULL, due_at = now()`) // it is tried again
			l.gets(nil, 1, 0)
		})
	}
}

// The transaction that ends an import has its row locked, and its lease is not
// renewed meanwhile. The import still counts as running, and blocks nothing else.
func TestALongTransactionStillCountsAsRunning(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	const long = 12 // more than a claim chooses among
	for i := range int64(long) {
		l.wait(1+i, i)
		l.wait(1+i, i)
	}
	tx, err := storagetest.DB(t, l.url).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	for range long {
		job := l.turn(time.Millisecond, 0)
		if _, err := tx.ExecContext(t.Context(), `DELETE FROM jobs WHERE id = $1`, job.ID); err != nil {
			t.Fatal(err)
		}
	}
	l.gets(nil, 0)
	other := l.wait(99, 99)
	l.gets(nil, other, 0)
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	l.gets(nil, 2, 4)
}

// Concurrent claims get different turns, and no two imports overlap.
func TestTurnsAtOnceDoNotOverlap(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	for i := range int64(60) {
		l.wait(1+i%2, i%6)
	}
	var workers sync.WaitGroup
	var mu sync.Mutex
	running, order := map[string]bool{}, map[string][]int64{}
	for range 12 {
		workers.Go(func() {
			for {
				job, err := l.ClaimTurn(t.Context(), lease, 0, nil)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				switch done := len(slices.Concat(slices.Collect(maps.Values(order))...)) == 60; {
				case job == nil && done:
					mu.Unlock()
					return
				case job == nil:
					mu.Unlock()
					continue
				case running[job.Key]:
					t.Errorf("two of %s at once", job.Key)
				}
				running[job.Key] = true
				order[job.Key] = append(order[job.Key], statementOf(t, *job))
				mu.Unlock()
				err = l.Complete(t.Context(), *job, func(tx *storage.Tx) error {
					mu.Lock()
					defer mu.Unlock()
					delete(running, job.Key)
					return l.effect(*job)(tx)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	l.left(0, 60)
	for key, all := range order {
		if !slices.IsSorted(all) {
			t.Errorf("%s: %v is not the order of the uploads", key, all)
		}
	}
}

// The search visits accounts and deposit accounts, not the jobs that wait in each.
func TestTheSearchForTurnsIsBounded(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	for account := range int64(10) {
		l.wait(2+account, 10+account)
	}
	l.exec(`INSERT INTO jobs (kind, queue, key, account_id, due_at)
		SELECT 'import_statement', 'statements', 'deposit_account:1', 1, now() - interval '1 hour'
			FROM generate_series(1, 100000)`)
	first := l.turn(lease, 0) // of the hundred thousand
	if first.AccountID != 1 {
		t.Fatalf("%+v", first)
	}
	blocks, plan := queue.TurnsPlan(t, l.Queue)
	if blocks > 500 {
		t.Errorf("a look reads %d blocks:\n%s", blocks, plan)
	}
	t.Logf("a look reads %d blocks", blocks)
	l.gets(nil, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0)
}

// More accounts than one search visits get their turns nevertheless.
func TestTheTurnsOfManyAccounts(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	const accounts = 130
	l.exec(`INSERT INTO jobs (kind, queue, key, account_id, due_at)
		SELECT 'import_statement', 'statements', 'deposit_account:' || a, a, now() - make_interval(secs => a)
			FROM generate_series(1, $1::int) a, generate_series(1, 2)`, accounts)
	seen, after := map[int64]bool{}, int64(0)
	for range accounts {
		job := l.turn(lease, after)
		if job == nil || seen[job.AccountID] {
			t.Fatalf("%v has a turn after %d accounts", job, len(seen))
		}
		seen[job.AccountID], after = true, job.AccountID
	}
}

func TestFreeImportsAreListedByAccountInTurn(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	for range 3 {
		for depositAccount := range int64(20) {
			l.wait(1, depositAccount)
		}
	}
	l.wait(3, 31)
	l.wait(2, 21)
	l.wait(3, 32)
	l.wait(3, 31)
	running := l.gets(nil, 1)
	list := func(mark queue.Cursor, limit int) (ids []int64) {
		t.Helper()
		free, err := l.FreeInTurn(t.Context(), mark, 0, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range free {
			ids = append(ids, w.ID)
		}
		return ids
	}
	want := []int64{2, 61, 62, 3, 63} // then only of the account with twenty deposit accounts: sixteen in all
	for id := range int64(14) {
		want = append(want, 4+id)
	}
	if got := list(queue.Cursor{}, 100); !slices.Equal(got, want) {
		t.Errorf("free are %v, not %v", got, want)
	}
	if got := list(queue.Cursor{}, 3); !slices.Equal(got, want[:3]) {
		t.Errorf("the first are %v, not %v", got, want[:3])
	}
	if err := l.Release(t.Context(), *running, false); err != nil {
		t.Fatal(err)
	}
	free, err := l.FreeInTurn(t.Context(), queue.Cursor{}, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	last := slices.MaxFunc(free, func(a, b queue.Waiting) int { return a.At.Compare(b.At) })
	if got := list(last.Cursor(), 100); len(got) != 0 {
		t.Errorf("after all of them %v are free", got)
	}
	// The other jobs of the queue take no turns, whether they have a key or not.
	l.tx(func(tx *storage.Tx) error {
		return errors.Join(tx.Enqueue(t.Context(), 1, jobs.ReadPayments{AccountID: 1, BankStatementID: 1}),
			tx.Enqueue(t.Context(), 1, jobs.ProveBalance{AccountID: 1, DepositAccountID: 1}))
	})
	if got := list(last.Cursor(), 100); len(got) != 2 {
		t.Errorf("of the other jobs %v are free", got)
	}
}
