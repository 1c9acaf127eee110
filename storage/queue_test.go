package storage_test

import (
	"slices"
	"testing"
	"time"

	"bordero/jobs"
	"bordero/storage"
)

func TestFreeJobsAreListedInOrderAndPages(t *testing.T) {
	t.Parallel()
	s := newOffered(t, storage.Options{})
	ids := s.enqueue(slices.Repeat([]jobs.Args{note{}}, 7)...) // all due at the same instant
	if lapsing, held := s.claim(time.Millisecond, ids[0], ids[1]), s.claim(lease, ids[3]); len(lapsing) != 2 || len(held) != 1 {
		t.Fatal("not claimed")
	}
	free := append(slices.Clone(ids[:3]), ids[4:]...)
	soon(t, func() bool {
		var listed []int64
		for mark := (storage.Mark{}); ; {
			page, err := s.Free(t.Context(), "test", mark, 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range page {
				listed, mark = append(listed, w.ID), w.Mark()
			}
			if len(page) < 2 {
				return slices.Equal(listed, free) // before the leases have run out it is less
			}
		}
	})
}
