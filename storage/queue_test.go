package storage_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"bordero/jobs"
	"bordero/storage"
)

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
