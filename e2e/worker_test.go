package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// The import of a large file takes seconds. A small one suffices where the test controls the
// progress.
var (
	large = tier.Size(10_000, 100_000)
	small = 1_000
)

// isWhole checks that all of n items are stored, once, and nothing else.
func isWhole(t *testing.T, s *e2etest.Site, b e2etest.Statement, n int) {
	t.Helper()
	b = s.AwaitEnd(t, b)
	if b.Event.Status != finance.ImportSuccess || b.Counts != (e2etest.Counts{Imported: n}) {
		t.Errorf("it ended as %+v", b)
	}
	s.Settled()
	if kept := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM financial_transactions WHERE bank_statement_id = $1`,
		b.ID); kept != n {
		t.Errorf("%d items", kept)
	}
	if balance, want := s.Balance(t, b.DepositAccountID), statementtest.Total(n); balance != want {
		t.Errorf("the balance is %s, not %s", balance, want)
	}
}

// isInvisible checks that nothing of an import is visible, and that its status is processing.
func isInvisible(t *testing.T, s *e2etest.Site, b e2etest.Statement) {
	t.Helper()
	now := s.Statement(t, b)
	balance, listed := s.Balance(t, b.DepositAccountID), s.Transactions(t, b.DepositAccountID)
	if now.Event.Status != finance.ImportProcessing || now.Counts != (e2etest.Counts{}) || balance != 0 ||
		len(listed) != 0 {
		t.Errorf("before its end it shows %+v, balance %s, %d transactions", now, balance, len(listed))
	}
}

// reading returns a site, created with the options, whose worker is in the middle of reading a
// file of n items.
func reading(t *testing.T, n int, options ...e2etest.Option) (s *e2etest.Site, b e2etest.Statement, w *e2etest.Process,
	feed *e2etest.Feed) {
	t.Helper()
	s = e2etest.New(t, options...)
	s.Serve()
	b = s.MustUpload(t, s.NewDepositAccount(t, ""), statementtest.OFX(n))
	feed = s.Feed(b.ID)
	w = s.Worker()
	feed.Give(feed.Half())
	return s, b, w, feed
}

// writing returns a site, created with the options, whose worker has written all n items and
// committed nothing.
func writing(t *testing.T, n int, options ...e2etest.Option) (s *e2etest.Site, b e2etest.Statement, w *e2etest.Process,
	held *e2etest.LockedBalance) {
	t.Helper()
	s = e2etest.New(t, options...)
	s.Serve()
	into := s.NewDepositAccount(t, "")
	held = s.LockBalance(into)
	b = s.MustUpload(t, into, statementtest.OFX(n))
	w = s.Worker()
	held.Await()
	return s, b, w, held
}

// claim returns the fence of the only job, which each claim changes; 0 before the first claim, and once the
// job is done.
func claim(t *testing.T, s *e2etest.Site) int {
	return e2etest.Value[int](t, s.DB, `SELECT coalesce(max(claims), 0) FROM jobs`)
}

// awaitNextClaim waits until the job is claimed again.
func awaitNextClaim(t *testing.T, s *e2etest.Site, last int) {
	t.Helper()
	testkit.Eventually(t, "another worker begins again", func() bool {
		now := claim(t, s)
		return now != 0 &&
			now != last
	})
}

// within is the documented limit for another worker to begin again.
const within = 30 * time.Second

// The lease is the default of 15 s, as users have it.
func TestAKilledWorkersImportIsBegunAgain(t *testing.T) {
	t.Parallel()
	t.Run("while it reads", func(t *testing.T) {
		t.Parallel()
		s, b, first, feed := reading(t, large)
		s.Worker()
		isInvisible(t, s, b)
		feed.Restore()
		last := claim(t, s)
		first.Kill()
		isRecovered(t, s, b, last, time.Now())
	})
	t.Run("with everything written and nothing committed", func(t *testing.T) {
		t.Parallel()
		s, b, first, held := writing(t, large)
		s.Worker()
		isInvisible(t, s, b)
		last := claim(t, s)
		first.Kill()
		killed := time.Now()
		isInvisible(t, s, b)
		held.Release()
		isRecovered(t, s, b, last, killed)
	})
}

func isRecovered(t *testing.T, s *e2etest.Site, b e2etest.Statement, last int, killed time.Time) {
	t.Helper()
	awaitNextClaim(t, s, last)
	begun := time.Since(killed)
	if begun > within {
		t.Errorf("begun again only after %v", begun)
	}
	isInvisible(t, s, b)
	s.AwaitEnd(t, b)
	t.Logf("after the kill: begun again in %.1fs, imported in %.1fs", begun.Seconds(), time.Since(killed).Seconds())
	isWhole(t, s, b, large)
}

// lease is short for the tests, and long enough for heartbeats on a busy machine.
const lease = 3 * time.Second

var short = e2etest.Set("BORDERO_LEASE=" + lease.String())

func TestASlowWorkerCompletesItsImport(t *testing.T) {
	t.Parallel()
	t.Run("while it reads", func(t *testing.T) {
		t.Parallel()
		s, b, _, feed := reading(t, small, short)
		s.Worker()
		staysClaimed(t, s)
		feed.End()
		isWhole(t, s, b, small)
	})
	t.Run("with everything written and nothing committed", func(t *testing.T) {
		t.Parallel()
		s, b, _, held := writing(t, small, short)
		s.Worker()
		staysClaimed(t, s)
		held.Release()
		isWhole(t, s, b, small)
	})
}

// staysClaimed watches the job for longer than its lease.
func staysClaimed(t *testing.T, s *e2etest.Site) {
	t.Helper()
	begun, first := time.Now(), claim(t, s)
	testkit.Eventually(t, "three leases are over", func() bool {
		if claim(t, s) != first {
			t.Fatalf("after %v the job was claimed again", time.Since(begun))
		}
		return time.Since(begun) > 3*lease
	})
}

func TestAPausedWorkersWorkRollsBack(t *testing.T) {
	t.Parallel()
	t.Run("while it reads", func(t *testing.T) {
		t.Parallel()
		s, b, first, feed := reading(t, small, short)
		first.Pause()
		feed.Restore()
		s.Worker()
		s.AwaitEnd(t, b)
		first.Resume()
		feed.End()
		isWhole(t, s, b, small)
	})
	t.Run("while it reads, and another is not done yet", func(t *testing.T) {
		t.Parallel()
		s, b, first, feed := reading(t, small, short)
		first.Pause()
		feed.Restore()
		held := s.LockBalance(b.DepositAccountID)
		s.Worker()
		held.Await()
		first.Resume()
		feed.End()
		isInvisible(t, s, b)
		held.Release()
		isWhole(t, s, b, small)
	})
	t.Run("with everything written and nothing committed", func(t *testing.T) {
		t.Parallel()
		s, b, first, held := writing(t, small, short)
		first.Pause()
		held.Release() // its transaction is open, and the process is stopped
		s.Worker()
		s.AwaitEnd(t, b)
		first.Resume()
		first.Ready()
		isWhole(t, s, b, small)
	})
}

// handover limits the time to give a job to another worker on a busy machine. The grace of a
// shutdown and the lease are longer.
const handover = 11 * time.Second

func TestATerminatedWorkerHandsItsImportOver(t *testing.T) {
	t.Parallel()
	t.Run("while it reads", func(t *testing.T) {
		t.Parallel()
		s, b, first, feed := reading(t, large)
		s.Worker()
		feed.Restore()
		last, told := claim(t, s), time.Now()
		first.Signal(syscall.SIGTERM)
		first.Unready()
		feed.Give(1000) // it checks for a shutdown between two items
		awaitNextClaim(t, s, last)
		over := time.Since(told)
		if over > handover {
			t.Errorf("handed over only after %v", over)
		}
		if attempts := e2etest.Value[int](t, s.DB, `SELECT attempts FROM jobs`); attempts != 1 {
			t.Errorf("%d attempts: the first was not given back", attempts)
		}
		s.AwaitEnd(t, b)
		t.Logf("after SIGTERM: handed over in %.2fs, imported in %.1fs", over.Seconds(), time.Since(told).Seconds())
		first.Ended()
		isWhole(t, s, b, large)
	})
	t.Run("not when all that is left is to commit", func(t *testing.T) {
		t.Parallel()
		s, b, first, held := writing(t, small)
		first.Signal(syscall.SIGTERM)
		first.Unready()
		held.Release()
		first.Ended()
		s.AwaitEnd(t, b) // without another worker
		s.Worker()       // for the look at the proofs
		isWhole(t, s, b, small)
	})
	t.Run("when it does not come to an end", func(t *testing.T) {
		t.Parallel()
		s, b, first, held := writing(t, small, short)
		s.Worker()
		last := claim(t, s)
		first.Terminate() // after its grace
		awaitNextClaim(t, s, last)
		held.Await()
		isInvisible(t, s, b)
		held.Release()
		isWhole(t, s, b, small)
	})
}

// A process of the next release may start before its migrations: a worker takes no jobs, and a scheduler does not lead,
// because both would fail.
func TestWorkersAndSchedulersWaitForTheirSchema(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	b := s.MustUpload(t, s.NewDepositAccount(t, ""), statementtest.OFX(10))
	newest := func(applied bool) {
		t.Helper()
		_, err := s.DB.ExecContext(t.Context(), `UPDATE goose_db_version SET is_applied = $1
			WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`, applied)
		if err != nil {
			t.Fatal(err)
		}
	}
	newest(false)
	w, scheduler := s.Start("work", "statements"), s.Start("scheduler")
	for _, p := range []*e2etest.Process{w, scheduler} {
		testkit.Eventually(t, "it says what it waits for", func() bool {
			return strings.Contains(p.Out.String(), "schema too old, no work is taken: run bordero migrate")
		})
		p.Unready()
	}
	if strings.Contains(scheduler.Out.String(), "became leader") {
		t.Error("the scheduler leads")
	}
	if n := e2etest.Value[int](t, s.DB, `SELECT max(claims) FROM jobs`); n != 0 {
		t.Errorf("it has claimed the job %d times", n)
	}
	newest(true)
	w.Ready()
	scheduler.Ready()
	isWhole(t, s, b, 10)
}
