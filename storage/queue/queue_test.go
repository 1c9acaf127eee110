package queue_test

import (
	"slices"
	"testing"
	"time"

	"bordero/internal/testkit"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
)

func TestFreeJobsAreListedInOrderAndPages(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(slices.Repeat([]jobs.Args{note{}}, 7)...) // all due at the same instant
	if lapsing, held := s.claim(time.Millisecond, ids[0], ids[1]), s.claim(lease, ids[3]); len(lapsing) != 2 ||
		len(held) != 1 {
		t.Fatal("not claimed")
	}
	free := append(slices.Clone(ids[:3]), ids[4:]...)
	testkit.Eventually(t, "the free jobs are listed", func() bool {
		var listed []int64
		for mark := (queue.Cursor{}); ; {
			page, err := s.Free(t.Context(), "test", mark, 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range page {
				listed, mark = append(listed, w.ID), w.Cursor()
			}
			if len(page) < 2 {
				return slices.Equal(listed, free) // fewer before the leases lapse
			}
		}
	})
}

func TestDueReportsWhatIsFreeAndWhenTheNextJobFallsDue(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	var mark queue.Cursor
	within := func(what string, free bool, least, most time.Duration) {
		t.Helper()
		due, err := s.Due(t.Context(), []string{"empty", "test"}, []queue.Cursor{{}, mark}, time.Minute)
		if err != nil || len(due) != 2 || due[0] != (queue.Due{Rest: time.Minute}) || due[1].Free != free ||
			due[1].Rest < least || due[1].Rest > most {
			t.Errorf("%s: %+v, %v", what, due, err)
		}
	}
	within("an empty queue", false, time.Minute, time.Minute)
	ids := s.enqueue(note{N: 1})
	s.tx(func(tx *storage.Tx) error { return enqueueAfter(t.Context(), tx, 7, note{N: 2}, time.Hour) })
	within("a job that is due, and one much later", true, time.Minute, time.Minute)
	s.tx(func(tx *storage.Tx) error { return enqueueAfter(t.Context(), tx, 7, note{N: 3}, 40*time.Second) })
	within("one that falls due before", true, 10*time.Second, 40*time.Second)
	free, err := s.Free(t.Context(), "test", mark, 10)
	if err != nil || len(free) != 1 {
		t.Fatal(free, err)
	}
	mark = free[0].Cursor()
	within("after the only free one", false, 10*time.Second, 40*time.Second)
	mark = queue.Cursor{}
	s.claim(lease, ids[0])
	within("the due one is claimed", false, 10*time.Second, 40*time.Second)
}
