package storage_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"bordero/storage"
	"bordero/storage/storagetest"
)

func TestWorkWithFewConnectionsLeavesTheOthers(t *testing.T) {
	t.Parallel()
	s := storagetest.Open(t, storagetest.DatabaseURL(t), storage.Options{Connections: 2})
	few := s.WithConnections(t.Context(), 1)
	err := s.InTx(few, func(*storage.Tx) error {
		if _, err := s.Installation(t.Context()); err != nil {
			t.Errorf("other work: %v", err)
		}
		ctx, cancel := context.WithTimeout(few, 50*time.Millisecond)
		defer cancel()
		if _, err := s.Installation(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it took a second connection: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if p := s.PoolStats(); p.WaitCount != 1 || p.WaitDuration < 40*time.Millisecond {
		t.Errorf("%d waits of %v are counted", p.WaitCount, p.WaitDuration)
	}
	if _, err := s.Installation(few); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
