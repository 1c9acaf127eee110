package queue_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bordero/internal/db"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/queue"
)

func TestCompleteStoresAllOrNothing(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{Connections: 1}) // every transaction begins on the same connection
	job := s.claim(lease, s.enqueue(note{})[0])[0]
	oops := errors.New("oops")
	err := s.Complete(t.Context(), job, func(tx *storage.Tx) error { return errors.Join(s.effect(job)(tx), oops) })
	if !errors.Is(err, oops) {
		t.Error(err)
	}
	s.left(1, 0)
	// A statement fails, and fn ignores its error.
	err = s.Complete(t.Context(), job, func(tx *storage.Tx) error {
		_ = s.effect(job)(tx)
		_, _ = db.Exec(t.Context(), tx.DB, `SELECT 1 / 0`)
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
		return errors.Join(s.effect(job)(tx), tx.Enqueue(t.Context(), 7, note{N: 2}))
	})
	if err != nil {
		t.Fatal(err)
	}
	s.left(1, 1)
	if err := s.Complete(t.Context(), job, s.effect(job)); !errors.Is(err, queue.ErrFenced) {
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
	s.tx(func(tx *storage.Tx) error {
		_, err := db.Exec(t.Context(), tx.DB, `UPDATE jobs SET attempts = 7`)
		return err
	})
	first := s.claim(50*time.Millisecond, id)[0]
	began := first.Attempt
	for n := range 3 {
		if err := s.Chunk(t.Context(), &first, fmt.Sprint(n), s.effect(first)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Chunk(t.Context(), &first, "lost", func(*storage.Tx) error { return errors.New("oops") }); err == nil {
		t.Error("no error")
	}
	second := s.claimSoon(id)
	if second.Cursor != "2" {
		t.Errorf("begun again at %q", second.Cursor)
	}
	if began != 8 || first.Attempt != 1 || second.Attempt != 2 {
		t.Errorf("attempt %d, %d as it got on, and %d after it", began, first.Attempt, second.Attempt)
	}
	s.left(1, 3)
}

// A chunk that does not move the cursor is no progress: a job that kills its worker each time
// becomes dead.
func TestAChunkThatStaysWhereItIsGivesNoAttemptsBack(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	id := s.enqueue(note{})[0]
	for attempt := 1; attempt <= 3; attempt++ {
		job := s.claimSoon(id)
		if job.Attempt != attempt {
			t.Errorf("attempt %d, not %d", job.Attempt, attempt)
		}
		if err := s.Chunk(t.Context(), &job, "", s.effect(job)); err != nil {
			t.Fatal(err)
		}
		if err := s.Fail(t.Context(), job, errors.New("oops"), 0); err != nil {
			t.Fatal(err)
		}
	}
}

// The lease of the claim would lapse long before the chunk ends.
func TestAChunkRenewsTheLease(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	id := s.enqueue(note{})[0]
	job := s.claim(lease, id)[0]
	s.tx(func(tx *storage.Tx) error {
		_, err := db.Exec(t.Context(), tx.DB, `UPDATE jobs SET leased_until = now() - interval '1 second'`)
		return err
	})
	if err := s.Chunk(t.Context(), &job, "1", s.effect(job)); err != nil {
		t.Fatal(err)
	}
	if got := s.claim(lease, id); len(got) != 0 {
		t.Error("taken over")
	}
}

func TestFailStoresTheCauseAndWaits(t *testing.T) {
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
	rows, err := s.Jobs(t.Context(), queue.UnfinishedJobs, queue.Filter{}, 1000)
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
	if err := s.Dead(t.Context(), job, errors.New("cause"), func(*storage.Tx) error {
		return errors.New("oops")
	}); err == nil {
		t.Error("no error")
	}
	if rows, err := s.Jobs(t.Context(), queue.FailedJobs, queue.Filter{}, 1000); err != nil || len(rows) != 0 {
		t.Errorf("dead although what that means was not kept: %+v, %v", rows, err)
	}
	if err := s.Dead(t.Context(), job, errors.New("cause"), s.effect(job)); err != nil {
		t.Fatal(err)
	}
	s.left(1, 1)
	s.enqueue(note{})
	rows, err := s.Jobs(t.Context(), queue.FailedJobs, queue.Filter{}, 1000)
	if err != nil || len(rows) != 1 || rows[0].ID != id || *rows[0].Error != "cause" || rows[0].FailedAt == nil {
		t.Errorf("%+v, %v", rows, err)
	}
	ticket, err := s.RetryJob(t.Context(), id)
	if got := s.taken(); err != nil || len(got) != 1 || got[0] != ticket || ticket.Name() != job.Name() {
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
		attempt int // the number of the next attempt
	}{{false, 1}, {true, 2}, {false, 2}} {
		if err := s.Release(t.Context(), s.claim(lease, id)[0], c.charge); err != nil {
			t.Fatal(err)
		}
		got := s.taken()
		if len(got) != 1 || got[0].ID != id || got[0].Fence == 0 {
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

func TestRenewExtendsClaimedJobs(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(note{}, note{}, note{}, note{})
	kept, locked, failed, lost := s.claim(lease, ids[0])[0], s.claim(lease, ids[1])[0], s.claim(lease, ids[2])[0],
		s.claim(lease, ids[3])[0]
	if err := s.Fail(t.Context(), failed, errors.New("oops"), 0); err != nil {
		t.Fatal(err)
	}
	s.tx(func(tx *storage.Tx) error {
		_, err := db.Exec(t.Context(), tx.DB, `UPDATE jobs SET leased_until = now() - interval '1 second'
			WHERE leased_until IS NOT NULL`)
		return err
	})
	s.claim(lease, lost.ID)
	err := s.Complete(t.Context(), locked, func(*storage.Tx) error {
		// without SKIP LOCKED it would wait for ever
		_, err := s.Renew(t.Context(), 10*time.Second, []queue.Job{kept, locked, failed, lost})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.claim(lease, ids...); len(got) != 1 || got[0].ID != failed.ID {
		t.Errorf("claimed %+v, not just what had failed", got)
	}
}

// The job of a busy webhook is locked by one short transaction after the other. Its lease is renewed between two.
func TestRenewTriesALockedJobAgain(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(note{}, note{})
	free, busy := s.claim(lease, ids[0])[0], s.claim(lease, ids[1])[0]
	renewed := make(chan error, 1)
	s.tx(func(tx *storage.Tx) error {
		_, err := db.Exec(t.Context(), tx.DB, `SELECT FROM jobs WHERE id = $1 FOR UPDATE`, busy.ID)
		go func() {
			_, err := s.Renew(t.Context(), 3*time.Minute, []queue.Job{free, busy})
			renewed <- err
		}()
		testkit.Eventually(t, "the other is renewed", func() bool { return s.renewed(free) })
		return err
	})
	if err := <-renewed; err != nil || !s.renewed(busy) {
		t.Errorf("it is not renewed: %v", err)
	}
}

// renewed reports whether the lease of a job is longer than any of a claim.
func (s *offered) renewed(job queue.Job) bool {
	s.t.Helper()
	ok, err := db.One[bool](s.t.Context(), s.DB,
		`SELECT leased_until > now() + interval '2 minutes' FROM jobs WHERE id = $1`, job.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return ok
}

// A stopped process keeps its job's row locked, and only PostgreSQL can end that.
func TestAStoppedHoldersTransactionEnds(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{IdleInTransaction: 200 * time.Millisecond})
	id := s.enqueue(note{})[0]
	stopped := s.claim(50*time.Millisecond, id)[0]
	var next queue.Job
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
