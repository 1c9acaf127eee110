package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"bordero/internal/tier"
)

// The server answers only after all requests have arrived: a client that waits for an answer
// before it sends the next would wait for ever.
func TestArrivalsDoNotWaitForAnswers(t *testing.T) {
	t.Parallel()
	const all = 20
	var came atomic.Int64
	everybody := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := came.Add(1)
		if n == all {
			close(everybody)
		}
		<-everybody
		if n == 1 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer s.Close()
	got := arrive(t.Context(), 200, all*time.Second/200, 1, func(ctx context.Context, _ *rand.Rand) *http.Request {
		return must(http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil))
	})
	if len(got.took) != all || got.failed != 1 || got.late != 0 {
		t.Errorf("%d answers, %d failed, %d late", len(got.took), got.failed, got.late)
	}
	// The first was due 95 ms before the last arrived, and waited that long.
	if percentile(got.took, 100) < 90 {
		t.Errorf("took %v", got.took)
	}
}

// The load runs; its figures are not checked.
func TestLoadRuns(t *testing.T) {
	tier.NeedsLong(t, "a load with one and three sets of workers")
	t.Parallel()
	var lines []loaded
	e := loadEffort{books: 100, step: 300 * time.Millisecond, items: 300, first: 50, more: 8}
	if err := runLoad(t.Context(), &harness{effort: quick}, e, func(l loaded) {
		lines = append(lines, l)
	}); err != nil {
		t.Fatal(err)
	}
	count, told := map[string]int{}, int64(0)
	for _, l := range lines {
		count[l.Load]++
		told += l.Told
		if l.Load == "neighbour" && (l.N != 30 || l.Failed > 0 || l.P50 <= 0 || l.P99 < l.P50 || l.CPU["api"] <= 0 ||
			l.Cost["all"] < l.Cost["api"] || l.Cost["api"] <= 0 || l.Receipts == 0 || l.ReceiptP99 < l.ReceiptP50) {
			t.Errorf("%+v", l)
		}
		if l.Load == "bend" && l.Why == "" {
			t.Errorf("no word of why: %+v", l)
		}
	}
	if count["bend"] != 2 || count["neighbour"] != 2 || count["mixed"] < 4 || told == 0 {
		t.Errorf("lines %v", count)
	}
}
