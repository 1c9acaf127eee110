package scheduler

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"

	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/operators"
	"bordero/storage/storagetest"
)

// The leader numbers changes, and reports how many.
func TestChangesAreSealedAndCounted(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	store := storagetest.Open(t, h.url, storage.Options{})
	var sealed atomic.Int64
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Config{
			Store: store, Client: h.client, Logger: slog.New(slog.DiscardHandler), Queues: []string{queueName},
			Sealed: func(changes int) { sealed.Add(int64(changes)) },
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	account := storagetest.NewTenant(t, store).AccountID
	testkit.Eventually(t, "all changes are sealed and counted", func() bool {
		left, err := operators.CountUnsealed(t.Context(), store.Queries)
		span, errOfSpan := store.ChangeSpan(t.Context(), account)
		return err == nil && errOfSpan == nil && left.Count == 0 && span.Latest > 0 && sealed.Load() == span.Latest
	})
}
