package storage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// note is a job of these tests, memo one of a keyed kind.
type (
	note struct{ N int }
	memo struct{ Of string }
)

func (note) Kind() jobs.Kind { return jobs.Kind{Name: "note", Queue: "test"} }
func (memo) Kind() jobs.Kind { return jobs.Kind{Name: "memo", Queue: "test", Keyed: true} }
func (m memo) Key() string   { return m.Of }

// offered is a store that keeps what it offers.
type offered struct {
	*storage.Store
	t       testing.TB
	url     string
	mu      sync.Mutex
	tickets []jobs.Ticket
}

func newOffered(t testing.TB, o storage.Options) *offered {
	s := &offered{t: t, url: storagetest.DatabaseURL(t)}
	o.Offer = func(tickets ...jobs.Ticket) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tickets = append(s.tickets, tickets...)
	}
	s.Store = storagetest.Open(t, s.url, o)
	s.tx(func(tx *storage.Tx) error {
		_, err := tx.Raw(t.Context(), `CREATE TABLE effects (job bigint)`)
		return err
	})
	return s
}

// taken are the tickets offered since it was called last.
func (s *offered) taken() []jobs.Ticket {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.tickets = nil }()
	return s.tickets
}

func (s *offered) tx(fn func(*storage.Tx) error) {
	s.t.Helper()
	if err := s.InTx(s.t.Context(), fn); err != nil {
		s.t.Fatal(err)
	}
}

// enqueue keeps the jobs, in one transaction, and returns their ids.
func (s *offered) enqueue(all ...jobs.Args) (ids []int64) {
	s.t.Helper()
	s.taken()
	s.tx(func(tx *storage.Tx) error {
		for _, args := range all {
			if err := tx.Enqueue(s.t.Context(), 7, args); err != nil {
				return err
			}
		}
		return nil
	})
	for _, ticket := range s.taken() {
		ids = append(ids, ticket.ID)
	}
	return ids
}

const lease = time.Minute

func (s *offered) claim(lease time.Duration, ids ...int64) []storage.Job {
	s.t.Helper()
	claimed, err := s.Claim(s.t.Context(), lease, ids)
	if err != nil {
		s.t.Fatal(err)
	}
	return claimed
}

func (s *offered) claimKey(lease time.Duration, id int64) *storage.Job {
	s.t.Helper()
	job, err := s.ClaimKey(s.t.Context(), lease, id)
	if err != nil {
		s.t.Fatal(err)
	}
	return job
}

// claimSoon claims a job as soon as it is free.
func (s *offered) claimSoon(id int64) storage.Job {
	s.t.Helper()
	var claimed []storage.Job
	soon(s.t, func() bool { claimed = s.claim(lease, id); return len(claimed) > 0 })
	return claimed[0]
}

// effect writes the effect of a job.
func (s *offered) effect(job storage.Job) func(*storage.Tx) error {
	return func(tx *storage.Tx) error {
		_, err := tx.Raw(s.t.Context(), `INSERT INTO effects (job) VALUES ($1)`, job.ID)
		return err
	}
}

// count is what a SELECT count(*) says.
func (s *offered) count(query string, args ...any) (n int) {
	s.t.Helper()
	if err := storagetest.DB(s.t, s.url).QueryRowContext(s.t.Context(), query, args...).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *offered) left(jobs, effects int) {
	s.t.Helper()
	if n := s.count(`SELECT count(*) FROM jobs`); n != jobs {
		s.t.Errorf("%d jobs are left, not %d", n, jobs)
	}
	if n := s.count(`SELECT count(*) FROM effects`); n != effects {
		s.t.Errorf("%d effects, not %d", n, effects)
	}
}

func soon(t testing.TB, done func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it did not happen in time")
		}
	}
}

func TestEnqueueOffersAfterTheCommit(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ctx := jobs.WithTraceparent(jobs.WithRequestID(t.Context(), "r-1"), "00-1")
	s.tx(func(tx *storage.Tx) error {
		if err := tx.Enqueue(ctx, 7, note{1}); err != nil {
			return err
		}
		if err := tx.EnqueueAt(ctx, 7, note{2}, time.Now().Add(time.Hour)); err != nil {
			return err
		}
		if got := s.taken(); len(got) != 0 {
			t.Errorf("offered before the commit: %v", got)
		}
		return nil
	})
	got := s.taken()
	if len(got) != 1 || got[0].Kind != "note" || got[0].Queue != "test" || got[0].Claims != 0 {
		t.Fatalf("offered %v, not the one that is due", got)
	}
	err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		if err := tx.Enqueue(ctx, 7, note{3}); err != nil {
			return err
		}
		return errors.New("no")
	})
	if got := s.taken(); err == nil || len(got) != 0 {
		t.Errorf("offered %v of a transaction that was rolled back", got)
	}
	job := s.claim(lease, got[0].ID)[0]
	var args note
	if err := job.Decode(&args); err != nil || args.N != 1 {
		t.Errorf("arguments %+v, %v", args, err)
	}
	if job.RequestID != "r-1" || job.Traceparent != "00-1" || job.AccountID != 7 || job.Attempt != 1 || job.Cursor != "" {
		t.Errorf("the job is %+v", job)
	}
	s.left(2, 0)
}

func TestEnqueueRefusesAKindThatDiffersFromItsArguments(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	err := s.InTx(t.Context(), func(tx *storage.Tx) error { return tx.Enqueue(t.Context(), 7, unkeyed{}) })
	if err == nil {
		t.Error("a keyed kind without a key was enqueued")
	}
}

type unkeyed struct{}

func (unkeyed) Kind() jobs.Kind { return memo{}.Kind() }

func TestClaimersGetEachJobOnce(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(slices.Repeat([]jobs.Args{note{}}, 200)...)
	var claimers sync.WaitGroup
	got := make([][]storage.Job, 8)
	for i := range got {
		claimers.Go(func() {
			for group := range slices.Chunk(ids, 20) {
				claimed, err := s.Claim(t.Context(), lease, group)
				if err != nil {
					t.Error(err)
				}
				got[i] = append(got[i], claimed...)
			}
		})
	}
	claimers.Wait()
	times := map[int64]int{}
	for _, job := range slices.Concat(got...) {
		times[job.ID]++
	}
	for _, id := range ids {
		if times[id] != 1 {
			t.Errorf("job %d was claimed %d times", id, times[id])
		}
	}
}

func TestClaimTakesOnlyWhatIsFree(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(note{}, note{}, note{}, note{})
	held := s.claim(lease, ids[0])[0]
	failed := s.claim(lease, ids[1])[0]
	dead := s.claim(lease, ids[2])[0]
	if err := s.Fail(t.Context(), failed, errors.New("not now"), time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := s.Dead(t.Context(), dead, errors.New("never"), s.effect(dead)); err != nil {
		t.Fatal(err)
	}
	got := s.claim(lease, append(ids, 999)...)
	if len(got) != 1 || got[0].ID != ids[3] {
		t.Errorf("claimed %v beside one that is leased, one that is not due, one dead and one unknown", got)
	}
	if err := s.Complete(t.Context(), held, s.effect(held)); err != nil {
		t.Error(err)
	}
	if got := s.claim(lease, ids[0]); len(got) != 0 {
		t.Error("claimed one that is done")
	}
}

func TestALapsedLeaseIsTakenOver(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	id := s.enqueue(note{})[0]
	first := s.claim(50*time.Millisecond, id)[0]
	second := s.claimSoon(id)
	if second.Attempt != 2 {
		t.Errorf("attempt %d", second.Attempt)
	}
	for name, late := range map[string]error{
		"complete": s.Complete(t.Context(), first, s.effect(first)),
		"chunk":    s.Chunk(t.Context(), first, "9", s.effect(first)),
		"all":      s.CompleteAll(t.Context(), []storage.Job{first}, func(tx *storage.Tx, _ []storage.Job) error { return s.effect(first)(tx) }),
		"fail":     s.Fail(t.Context(), first, errors.New("late"), 0),
		"dead":     s.Dead(t.Context(), first, errors.New("late"), s.effect(first)),
	} {
		if !errors.Is(late, storage.ErrFenced) {
			t.Errorf("%s by the holder that lost it: %v", name, late)
		}
	}
	if err := s.Release(t.Context(), first, false); err != nil || len(s.taken()) != 0 {
		t.Error("released by the holder that lost it", err)
	}
	s.left(1, 0)
	if err := s.Complete(t.Context(), second, s.effect(second)); err != nil {
		t.Fatal(err)
	}
	s.left(0, 1)
}

func TestCompleteKeepsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{Connections: 1}) // each begins on the connection of the one before
	job := s.claim(lease, s.enqueue(note{})[0])[0]
	oops := errors.New("oops")
	err := s.Complete(t.Context(), job, func(tx *storage.Tx) error { return errors.Join(s.effect(job)(tx), oops) })
	if !errors.Is(err, oops) {
		t.Error(err)
	}
	s.left(1, 0)
	// An error of a statement that fn does not pass on.
	err = s.Complete(t.Context(), job, func(tx *storage.Tx) error {
		_ = s.effect(job)(tx)
		_, _ = tx.Raw(t.Context(), `SELECT 1 / 0`)
		return nil
	})
	if err == nil {
		t.Error("a transaction that had failed was committed")
	}
	s.left(1, 0)
	ctx, cancel := context.WithCancel(t.Context())
	err = s.Complete(ctx, job, func(tx *storage.Tx) error { cancel(); return s.effect(job)(tx) })
	if err == nil {
		t.Error("committed after its context had ended")
	}
	s.left(1, 0)
	func() {
		defer func() { _ = recover() }()
		_ = s.Complete(t.Context(), job, func(tx *storage.Tx) error { _ = s.effect(job)(tx); panic("oops") })
	}()
	s.left(1, 0)
	err = s.Complete(t.Context(), job, func(tx *storage.Tx) error {
		return errors.Join(s.effect(job)(tx), tx.Enqueue(t.Context(), 7, note{2}))
	})
	if err != nil {
		t.Fatal(err)
	}
	s.left(1, 1)
	if err := s.Complete(t.Context(), job, s.effect(job)); !errors.Is(err, storage.ErrFenced) {
		t.Errorf("completed twice: %v", err)
	}
	next := s.claim(lease, s.taken()[0].ID)[0]
	if err := s.Complete(t.Context(), next, s.effect(next)); err != nil {
		t.Fatal(err)
	}
	s.left(0, 2)
}

func TestChunksGoOnWhereTheyStopped(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	id := s.enqueue(note{})[0]
	first := s.claim(50*time.Millisecond, id)[0]
	for n := range 3 {
		if err := s.Chunk(t.Context(), first, fmt.Sprint(n), s.effect(first)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Chunk(t.Context(), first, "lost", func(*storage.Tx) error { return errors.New("oops") }); err == nil {
		t.Error("no error")
	}
	second := s.claimSoon(id)
	if second.Cursor != "2" {
		t.Errorf("begun again at %q", second.Cursor)
	}
	s.left(1, 3)
}

// The lease of a claim would have passed long before the chunk has.
func TestAChunkRenewsTheLease(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	id := s.enqueue(note{})[0]
	job := s.claim(lease, id)[0]
	s.tx(func(tx *storage.Tx) error {
		_, err := tx.Raw(t.Context(), `UPDATE jobs SET leased_until = now() - interval '1 second'`)
		return err
	})
	if err := s.Chunk(t.Context(), job, "1", s.effect(job)); err != nil {
		t.Fatal(err)
	}
	if got := s.claim(lease, id); len(got) != 0 {
		t.Error("taken over")
	}
}

func TestFailKeepsTheCauseAndWaits(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	id := s.enqueue(note{})[0]
	job := s.claim(lease, id)[0]
	cause := errors.New("a\x00b\xff" + strings.Repeat("é", 2000))
	if err := s.Fail(t.Context(), job, cause, 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if got := s.claim(lease, id); len(got) != 0 {
		t.Error("claimed before its delay")
	}
	rows, err := s.Jobs(t.Context(), false)
	if err != nil || len(rows) != 1 || !strings.HasPrefix(*rows[0].Error, "abé") || rows[0].LeasedUntil != nil {
		t.Errorf("%+v, %v", rows, err)
	}
	if again := s.claimSoon(id); again.Attempt != 2 {
		t.Errorf("attempt %d", again.Attempt)
	}
}

func TestTheDeadStayUntilTheyAreRetried(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	id := s.enqueue(note{})[0]
	job := s.claim(lease, id)[0]
	if _, err := s.RetryJob(t.Context(), id); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("retried one that has not failed: %v", err)
	}
	if err := s.Dead(t.Context(), job, errors.New("cause"), func(*storage.Tx) error { return errors.New("oops") }); err == nil {
		t.Error("no error")
	}
	if rows, err := s.Jobs(t.Context(), true); err != nil || len(rows) != 0 {
		t.Errorf("dead although what that means was not kept: %+v, %v", rows, err)
	}
	if err := s.Dead(t.Context(), job, errors.New("cause"), s.effect(job)); err != nil {
		t.Fatal(err)
	}
	s.left(1, 1)
	s.enqueue(note{})
	rows, err := s.Jobs(t.Context(), true)
	if err != nil || len(rows) != 1 || rows[0].ID != id || *rows[0].Error != "cause" || rows[0].FailedAt == nil {
		t.Errorf("%+v, %v", rows, err)
	}
	ticket, err := s.RetryJob(t.Context(), id)
	if got := s.taken(); err != nil || len(got) != 1 || got[0] != ticket || ticket.Claims != 1 {
		t.Errorf("ticket %+v, offered %+v, %v", ticket, got, err)
	}
	if again := s.claim(lease, id); len(again) != 1 || again[0].Attempt != 1 {
		t.Errorf("claimed %+v", again)
	}
	if _, err := s.RetryJob(t.Context(), 999); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
}

func TestReleaseGivesTheAttemptBack(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	id := s.enqueue(note{})[0]
	for _, c := range []struct {
		charge  bool
		attempt int // the next
	}{{false, 1}, {true, 2}, {false, 2}} {
		if err := s.Release(t.Context(), s.claim(lease, id)[0], c.charge); err != nil {
			t.Fatal(err)
		}
		got := s.taken()
		if len(got) != 1 || got[0].ID != id || got[0].Claims == 0 {
			t.Errorf("offered %v", got)
		}
		next := s.claim(lease, id)
		if len(next) != 1 || next[0].Attempt != c.attempt {
			t.Fatalf("the next is %+v, not attempt %d", next, c.attempt)
		}
		if err := s.Release(t.Context(), next[0], false); err != nil {
			t.Fatal(err)
		}
		s.taken()
	}
}

func TestRenewKeepsWhatIsHeld(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(note{}, note{}, note{}, note{})
	kept, locked, failed, lost := s.claim(lease, ids[0])[0], s.claim(lease, ids[1])[0], s.claim(lease, ids[2])[0], s.claim(lease, ids[3])[0]
	if err := s.Fail(t.Context(), failed, errors.New("oops"), 0); err != nil {
		t.Fatal(err)
	}
	s.tx(func(tx *storage.Tx) error {
		_, err := tx.Raw(t.Context(), `UPDATE jobs SET leased_until = now() - interval '1 second' WHERE leased_until IS NOT NULL`)
		return err
	})
	s.claim(lease, lost.ID)
	err := s.Complete(t.Context(), locked, func(*storage.Tx) error {
		return s.Renew(t.Context(), lease, []storage.Job{kept, locked, failed, lost}) // would wait for ever
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.claim(lease, ids...); len(got) != 1 || got[0].ID != failed.ID {
		t.Errorf("claimed %+v, not just what had failed", got)
	}
}

// A stopped process holds its job's row, and only PostgreSQL can end that.
func TestAStoppedHoldersTransactionEnds(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{IdleInTransaction: 200 * time.Millisecond})
	id := s.enqueue(note{})[0]
	stopped := s.claim(50*time.Millisecond, id)[0]
	var next storage.Job
	err := s.Complete(t.Context(), stopped, func(tx *storage.Tx) error {
		next = s.claimSoon(id)
		return s.effect(stopped)(tx)
	})
	if err == nil {
		t.Error("the stopped holder completed")
	}
	if err := s.Complete(t.Context(), next, s.effect(next)); err != nil {
		t.Error(err)
	}
	s.left(0, 1)
}

func TestCompleteAllLeavesOutTheLost(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(note{}, note{}, note{})
	lost := s.claim(10*time.Millisecond, ids[0])[0]
	s.claimSoon(ids[0])
	all := append([]storage.Job{lost}, s.claim(lease, ids[1:]...)...)
	err := s.CompleteAll(t.Context(), all, func(tx *storage.Tx, held []storage.Job) error {
		for _, job := range held {
			if job.ID == lost.ID {
				t.Error("the lost one is among the held")
			}
			if err := s.effect(job)(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.left(1, 2)
}

func TestJobsOfAKeyAreOne(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(memo{"a"}, memo{"a"}, memo{"b"}, memo{"a"})
	job := s.claimKey(lease, ids[0])
	if job == nil || job.Key != "a" || job.Attempt != 1 {
		t.Fatalf("claimed %+v", job)
	}
	late := s.enqueue(memo{"a"})[0]
	if got := s.claimKey(lease, late); got != nil {
		t.Error("claimed while another of the key is held")
	}
	if got := s.claimKey(lease, ids[2]); got == nil {
		t.Error("another key was not claimed")
	}
	if err := s.Chunk(t.Context(), *job, "9", s.effect(*job)); err != nil {
		t.Error(err)
	}
	if err := s.Complete(t.Context(), *job, s.effect(*job)); err != nil {
		t.Fatal(err)
	}
	s.left(2, 2)
	if err := s.OfferNext(t.Context(), *job); err != nil {
		t.Fatal(err)
	}
	got := s.taken()
	if len(got) != 1 || got[0].ID != late {
		t.Fatalf("offered %v after its end", got)
	}
	if early := (jobs.Ticket{ID: late}); got[0].Name() == early.Name() {
		t.Errorf("offered as %s again: a task of that name may not have ended yet", got[0].Name())
	}
	next := s.claimKey(lease, late)
	if next == nil || next.Cursor != "" {
		t.Errorf("the next is %+v", next)
	}
}

func TestAKeyedJobFailsAndDiesAsOne(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	first := s.enqueue(memo{"a"}, memo{"a"})
	job := s.claimKey(lease, first[0])
	if err := s.Chunk(t.Context(), *job, "5", s.effect(*job)); err != nil {
		t.Fatal(err)
	}
	if err := s.Fail(t.Context(), *job, errors.New("oops"), 0); err != nil {
		t.Fatal(err)
	}
	job = s.claimKey(lease, first[1])
	if job.Cursor != "5" || job.Attempt != 2 {
		t.Errorf("again: %+v", job)
	}
	if err := s.Release(t.Context(), *job, false); err != nil || len(s.taken()) != 2 {
		t.Error("not all were released", err)
	}
	s.enqueue(memo{"a"})
	job = s.claimKey(lease, first[0])
	if job.Cursor != "" || job.Attempt != 2 {
		t.Errorf("with one that joined: %+v, not from the beginning", job)
	}
	if err := s.Dead(t.Context(), *job, errors.New("oops"), s.effect(*job)); err != nil {
		t.Fatal(err)
	}
	if rows, err := s.Jobs(t.Context(), true); err != nil || len(rows) != 3 {
		t.Errorf("%d are dead, %v", len(rows), err)
	}
}

// Its lease has passed, but the transaction that ends it goes on.
func TestARunThatCommitsIsNotOverlapped(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	id := s.enqueue(memo{"a"})[0]
	job := s.claimKey(time.Millisecond, id)
	err := s.Complete(t.Context(), *job, func(tx *storage.Tx) error {
		late := s.enqueue(memo{"a"})[0]
		soon(t, func() bool {
			lapsed, err := s.Lapsed(t.Context(), "test", storage.Mark{}, 10)
			return err == nil && len(lapsed) == 1
		})
		if got := s.claimKey(lease, late); got != nil {
			t.Error("claimed beside the run that commits")
		}
		return s.effect(*job)(tx)
	})
	if err != nil {
		t.Fatal(err)
	}
	s.left(1, 1)
}

func TestRunsOfAKeyNeverOverlapAndMissNothing(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	s.tx(func(tx *storage.Tx) error {
		_, err := tx.Raw(t.Context(), `CREATE TABLE counters (asked int, seen int); INSERT INTO counters VALUES (0, 0)`)
		return err
	})
	const askers, each = 8, 25
	var all sync.WaitGroup
	for range askers {
		all.Go(func() {
			for range each {
				err := s.InTx(t.Context(), func(tx *storage.Tx) error {
					_, err := tx.Raw(t.Context(), `UPDATE counters SET asked = asked + 1`)
					return errors.Join(err, tx.Enqueue(t.Context(), 7, memo{"a"}))
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	var running, runs int
	var mu sync.Mutex
	for range 4 {
		all.Go(func() {
			soon(t, func() bool {
				for _, ticket := range s.taken() {
					job, err := s.ClaimKey(t.Context(), lease, ticket.ID)
					if err != nil {
						t.Error(err)
					}
					if job == nil {
						continue
					}
					mu.Lock()
					running++
					runs++
					if running > 1 {
						t.Error("two runs of the key at once")
					}
					mu.Unlock()
					seen := s.count(`SELECT asked FROM counters`) // read and decide, then keep
					mu.Lock()
					running--
					mu.Unlock()
					err = s.Complete(t.Context(), *job, func(tx *storage.Tx) error {
						_, err := tx.Raw(t.Context(), `UPDATE counters SET seen = $1`, seen)
						return err
					})
					if err != nil {
						t.Error(err)
					}
					if err := s.OfferNext(t.Context(), *job); err != nil {
						t.Error(err)
					}
				}
				return s.count(`SELECT seen FROM counters`) == askers*each && s.count(`SELECT count(*) FROM jobs`) == 0
			})
		})
	}
	all.Wait()
	if runs > askers*each/2 {
		t.Errorf("%d runs of %d jobs: they do not coalesce", runs, askers*each)
	}
}

func TestWaitingJobsAreListedInOrderAndPages(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(slices.Repeat([]jobs.Args{note{}}, 7)...) // all due at the same instant
	other := s.claim(time.Millisecond, ids[0], ids[1])
	if len(other) != 2 {
		t.Fatal("not claimed")
	}
	listed := func(list func(context.Context, string, storage.Mark, int) ([]storage.Waiting, error)) (got []int64) {
		for mark := (storage.Mark{}); ; {
			page, err := list(t.Context(), "test", mark, 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range page {
				got, mark = append(got, w.ID), w.Mark()
			}
			if len(page) < 2 {
				return got
			}
		}
	}
	if got := listed(s.Due); !slices.Equal(got, ids[2:]) {
		t.Errorf("due are %v", got)
	}
	soon(t, func() bool { return slices.Equal(listed(s.Lapsed), ids[:2]) })
	if lag, err := s.Lag(t.Context(), "test"); err != nil || lag <= 0 || lag > time.Minute {
		t.Errorf("lag %v, %v", lag, err)
	}
	if lag, err := s.Lag(t.Context(), "empty"); err != nil || lag != 0 {
		t.Errorf("lag %v, %v", lag, err)
	}
}
