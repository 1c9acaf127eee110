package queue_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"bordero/internal/db"
	"bordero/internal/testkit"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
)

func TestJobsOfAKeyAreOne(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(memo{Of: "a"}, memo{Of: "a"}, memo{Of: "b"}, memo{Of: "a"})
	job := s.claimKey(lease, ids[0])
	if job == nil || job.Key != "a" || job.Attempt != 1 {
		t.Fatalf("claimed %+v", job)
	}
	late := s.enqueue(memo{Of: "a"})[0]
	if got := s.claimKey(lease, late); got != nil {
		t.Error("claimed while another of the key is held")
	}
	if got := s.claimKey(lease, ids[2]); got == nil {
		t.Error("another key was not claimed")
	}
	if err := s.Chunk(t.Context(), job, "9", s.effect(*job)); err != nil {
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
	first := s.enqueue(memo{Of: "a"}, memo{Of: "a"})
	job := s.claimKey(lease, first[0])
	if err := s.Chunk(t.Context(), job, "5", s.effect(*job)); err != nil {
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
	s.enqueue(memo{Of: "a"})
	job = s.claimKey(lease, first[0])
	if job.Cursor != "" || job.Attempt != 2 {
		t.Errorf("with one that joined: %+v, not from the beginning", job)
	}
	if err := s.Dead(t.Context(), *job, errors.New("oops"), s.effect(*job)); err != nil {
		t.Fatal(err)
	}
	if rows, err := s.Jobs(t.Context(), queue.FailedJobs, queue.Filter{}, 1000); err != nil || len(rows) != 3 {
		t.Errorf("%d are dead, %v", len(rows), err)
	}
}

// The lease of the run has lapsed, but the transaction that completes it still runs.
func TestARunThatCommitsIsNotOverlapped(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	id := s.enqueue(memo{Of: "a"})[0]
	job := s.claimKey(time.Millisecond, id)
	err := s.Complete(t.Context(), *job, func(tx *storage.Tx) error {
		late := s.enqueue(memo{Of: "a"})[0]
		testkit.Eventually(t, "both jobs are free", func() bool {
			free, err := s.Free(t.Context(), "test", queue.Cursor{}, 10)
			return err == nil && len(free) == 2
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
	_, err := storagetest.DB(t, s.url).ExecContext(t.Context(),
		`CREATE TABLE counters (asked int, seen int); INSERT INTO counters VALUES (0, 0)`)
	if err != nil {
		t.Fatal(err)
	}
	const askers, each = 8, 25
	var all sync.WaitGroup
	for range askers {
		all.Go(func() {
			for range each {
				err := s.InTx(t.Context(), func(tx *storage.Tx) error {
					_, err := db.Exec(t.Context(), tx.DB, `UPDATE counters SET asked = asked + 1`)
					return errors.Join(err, tx.Enqueue(t.Context(), 7, memo{Of: "a"}))
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
			testkit.Eventually(t, "all jobs have run", func() bool {
				for _, ticket := range s.taken() {
					job, err := s.ClaimKey(t.Context(), lease, ticket)
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
					seen := s.count(`SELECT asked FROM counters`) // read, decide, then write
					mu.Lock()
					running--
					mu.Unlock()
					err = s.Complete(t.Context(), *job, func(tx *storage.Tx) error {
						_, err := db.Exec(t.Context(), tx.DB, `UPDATE counters SET seen = $1`, seen)
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
