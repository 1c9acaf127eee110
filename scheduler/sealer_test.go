package scheduler

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bordero/internal/testkit"
	"bordero/jobs"
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

// Changes gather for a bounded time while no request waits for them, and no longer once one does.
func TestChangesGatherUnlessARequestWaits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		sealed   bool // changes were just numbered
		waits    bool // a request has said that it waits
		messages func(context.Context, *rhythm)
		want     time.Duration
	}{
		{"nothing comes", false, false, func(context.Context, *rhythm) {}, look},
		{"a change", false, false, func(_ context.Context, r *rhythm) { r.unsealed.note() }, gather},
		{"a change after a batch", true, false, func(_ context.Context, r *rhythm) { r.unsealed.note() }, gather},
		{"a stream of changes", false, false, func(ctx context.Context, r *rhythm) {
			for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
				r.unsealed.note()
			}
		}, gather},
		{"a change, then a request", false, false, func(_ context.Context, r *rhythm) {
			r.unsealed.note()
			time.Sleep(gather / 2)
			r.follows.note()
		}, gather / 2},
		{"a request, then a change", false, false, func(_ context.Context, r *rhythm) {
			r.follows.note()
			time.Sleep(gather / 2)
			r.unsealed.note()
		}, gather / 2},
		{"a change while a request waits", false, true, func(_ context.Context, r *rhythm) { r.unsealed.note() }, 0},
		{"a change after a batch while a request waits", true, true, func(_ context.Context, r *rhythm) {
			r.unsealed.note()
		}, pause},
		{"requests without changes", false, true, func(ctx context.Context, r *rhythm) {
			for ; ctx.Err() == nil; time.Sleep(look / 4) {
				r.follows.note()
			}
		}, look},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRhythm()
				if !c.waits {
					time.Sleep(followed)
				}
				ctx, cancel := context.WithCancel(t.Context())
				var sender sync.WaitGroup
				sender.Go(func() { c.messages(ctx, r) })
				defer sender.Wait()
				defer cancel()
				began := time.Now()
				if err := r.next(ctx, c.sealed); err != nil || time.Since(began) != c.want {
					t.Errorf("looks again after %v, %v, want %v", time.Since(began), err, c.want)
				}
			})
		})
	}
}

// The two messages to the sealer arrive as different ones.
func TestTheSealerHearsOfChangesAndOfRequests(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	var unsealed, follows atomic.Int64
	go h.client.WakesOfSealer(t.Context(), func() { unsealed.Add(1) }, func() { follows.Add(1) })
	testkit.Eventually(t, "a change is heard", func() bool {
		h.client.Offer(jobs.Unsealed)
		return unsealed.Load() >= 3 // messages arrive in their order
	})
	if follows.Load() > 0 {
		t.Error("a change is taken for a request")
	}
	testkit.Eventually(t, "a request is heard", func() bool {
		h.client.Offer(jobs.Followed)
		return follows.Load() > 0
	})
}
