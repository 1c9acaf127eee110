package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"bordero/storage"
)

// neighbour is another tenant of the service. It reads one record 20 times a second while the
// service works for the first.
type neighbour struct {
	matching
	samples int
}

// newNeighbour creates a neighbour with enough reads for a single pair.
func newNeighbour(ctx context.Context, h *harness, of matching) (*neighbour, error) {
	h.few(1)
	store, err := storage.Open(of.databaseURL, storage.Options{Timezone: zone})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	n := &neighbour{matching{addr: of.addr, lease: of.lease}, h.samples}
	if n.tenant, err = newTenant(ctx, store, "fedcba9876543210"); err != nil {
		return nil, err
	}
	n.account, err = newDepositAccount(ctx, store, n.tenant)
	return n, err
}

// read returns the 99th percentile of the reads. Before each read, busy ensures that the service
// has work; the time of busy does not count.
func (n *neighbour) read(ctx context.Context, busy func() error) (float64, error) {
	path := fmt.Sprintf("/entities/%d/deposit_accounts/%d", n.EntityID, n.account)
	tick := time.NewTicker(time.Second / 20)
	defer tick.Stop()
	var took []float64
	for range n.samples {
		if err := busy(); err != nil {
			return 0, err
		}
		<-tick.C
		once, err := n.ask(ctx, http.MethodGet, path, "")
		if err != nil {
			return 0, err
		}
		took = append(took, float64(once.Microseconds())/1000)
	}
	return percentile(took, 99), nil
}

// beside is the figure of the reads while begin keeps the service at work, until done.
func (n *neighbour) beside(begin, done func(context.Context) error) figure {
	return func(ctx context.Context, _ time.Duration) (sample, error) {
		v, err := n.read(ctx, n.busy(ctx, begin))
		if err != nil {
			return sample{}, err
		}
		return sample{value: v}, done(ctx)
	}
}

// alone returns the bound: the larger of twice the time of reads on an idle service, and 15 ms
// more.
func (n *neighbour) alone(ctx context.Context, _ time.Duration) (sample, error) {
	v, err := n.read(ctx, func() error { return nil })
	return sample{value: max(2*v, v+15)}, err
}

// busy returns a function that begins work when no job is left.
func (m *matching) busy(ctx context.Context, begin func(context.Context) error) func() error {
	return func() error {
		var idle bool
		err := m.db.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT FROM jobs)`).Scan(&idle)
		if err != nil || !idle {
			return err
		}
		return begin(ctx)
	}
}
