package faults

import (
	"fmt"
	"maps"
	"sync"
	"time"
)

// feed follows the changes of an account (docs/changes.md).
type feed struct {
	*client
	next int64
	seen map[int64]string // hashes by number
}

// follow starts a follower of each tenant.
func (w *harness) follow(clients *sync.WaitGroup, over chan struct{}) (all []*feed) {
	for i, tenant := range w.tenants {
		c := newClient(w, tenant, tenant.Entity, fmt.Sprintf("f-z%d", i), w.draws(uint64(50+i)))
		one := &feed{client: c, seen: map[int64]string{}}
		clients.Go(func() { one.follow(over) })
		all = append(all, one)
	}
	return all
}

// follow reads changes until over, and then to the last.
func (f *feed) follow(over chan struct{}) {
	for {
		select {
		case <-over:
			for f.page() {
			}
			return
		case <-time.After(100 * time.Millisecond):
			f.page()
		}
	}
}

// page reads one page and reports whether more are left. Each number must come once, after the one before.
func (f *feed) page() (more bool) {
	var got struct {
		Changes []struct {
			Change struct {
				Sequence int64
				Hash     string
			}
		}
		Next, Latest int64
	}
	if !f.get("follow the changes", fmt.Sprintf("/changes?after=%d", f.next), &got) {
		return false
	}
	for _, c := range got.Changes {
		if f.next++; c.Change.Sequence != f.next {
			f.t.Errorf("the feed has the number %d after %d", c.Change.Sequence, f.next-1)
			f.next = c.Change.Sequence
		}
		f.seen[f.next] = c.Change.Hash
	}
	return got.Next < got.Latest
}

// checkFeed reads all changes again: those that were read during the faults must be the same, and no others.
func (w *harness) checkFeed(f *feed) {
	w.t.Helper()
	for f.page() {
	}
	again := &feed{client: f.client, seen: map[int64]string{}}
	for again.page() {
	}
	w.report.line("change feed\t%d followed, %d stored", len(f.seen), len(again.seen))
	if len(f.seen) == 0 || !maps.Equal(f.seen, again.seen) {
		w.t.Errorf("%d changes were followed, and %d others are stored now", len(f.seen), len(again.seen))
	}
}
