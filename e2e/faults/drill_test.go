//go:build linux

package faults

import (
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/internal/tier"
)

const (
	ttl   = 20 * time.Second // of deploy/ha/patroni.yml
	grace = 15 * time.Second // after it, writes must be accepted again
)

var rounds = flag.Int("rounds", 2, "of the drill, in each of which every fault happens once")

// TestAMachineMayDie drills the cluster of docs/operations/high-availability.md: each fault twice, under the
// load of TestWhateverBreaksNothingIsLostOrDoubled. BORDERO_DRILL names the faults, separated by commas, of a
// shorter drill.
func TestAMachineMayDie(t *testing.T) {
	tier.NeedsLong(t, "breaks three machines for half an hour")
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("-seed %d", *seed)
	begun := time.Now()
	c := newCluster(t)
	options, firstAPI := c.site()
	w := newHarnessWith(t, map[string][]string{"api 1": firstAPI}, options...)
	w.report.started = time.Since(begun)
	t.Cleanup(w.report.print)

	over, stop := make(chan struct{}), make(chan struct{})
	var clients sync.WaitGroup
	for i, one := range w.clients {
		clients.Go(func() { one.work(i%perTenant, over) })
	}
	followers := w.follow(&clients, over)
	go w.watchJobs(stop)
	w.awaitLoad()
	for round := range *rounds {
		for _, breaks := range c.breaks() {
			if named(breaks.name) {
				w.drill(c, breaks, round)
			}
		}
	}
	close(over)
	clients.Wait()
	close(stop)
	w.report.loaded = time.Since(w.began)
	healed := time.Now()
	w.awaitQuiet()
	w.report.quiet = time.Since(healed)
	w.check(followers)
}

// named reports whether BORDERO_DRILL, if set, names a fault.
func named(fault string) bool {
	names := os.Getenv("BORDERO_DRILL")
	if names == "" {
		return true
	}
	for name := range strings.SplitSeq(names, ",") {
		if strings.Contains(fault, name) {
			return true
		}
	}
	return false
}

// drill breaks something under load, repairs it, waits until the cluster is whole, and records the time
// without writes.
func (w *harness) drill(c *cluster, b breaks, round int) {
	w.t.Helper()
	began := time.Now()
	repair := b.does()
	if left := time.Until(began.Add(b.lasts)); left > 0 {
		<-time.After(left)
	}
	repair()
	repaired := time.Now()
	w.awaitLoad()
	c.awaitWhole()
	w.awaitLoad()
	whole := time.Now()
	w.report.healed(happened{b.name, began, repaired})
	gap := w.report.without(began, whole)
	w.report.line("%s, %d\t%.1f s without writes\t%.1f s without any after its end\twhole after %.1f s", b.name,
		round+1, gap.Seconds(), w.report.without(repaired, whole).Seconds(), whole.Sub(began).Seconds())
	w.t.Log(w.report.lines[len(w.report.lines)-1])
	if b.fromRepair {
		gap = w.report.without(repaired, whole)
	}
	if gap > ttl+grace {
		w.t.Errorf("%s: no write for %v", b.name, gap)
	}
	pass(w.draws(uint64(100+round)), 5*time.Second, 8*time.Second)
}

// without returns the longest time between from and to in which no change was accepted.
func (r *report) without(from, to time.Time) (longest time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := from
	for _, at := range r.accepted {
		if at.Before(from) {
			continue
		}
		if at.After(to) {
			break
		}
		longest, last = max(longest, at.Sub(last)), at
	}
	return max(longest, to.Sub(last))
}
