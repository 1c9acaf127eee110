package faults

import (
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"bordero/internal/tier"
)

var seed = flag.Uint64("seed", 0, "of what is drawn; another one each time when 0")

func TestWhateverBreaksNothingIsLostOrDoubled(t *testing.T) {
	lasting := tier.Set(t, "BORDERO_FAULTS", 0, 30*time.Second) // and until each fault has happened once
	if lasting == 0 {
		tier.NeedsLong(t, "breaks everything for half a minute; e2e breaks each thing once")
	}
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("-seed %d", *seed)
	begun := time.Now()
	w := newHarness(t)
	w.report.started = time.Since(begun)
	t.Cleanup(w.report.print) // of a failed run, too

	var clients, lanes sync.WaitGroup
	over := make(chan struct{})
	for i, c := range w.clients {
		clients.Go(func() { c.work(i%perTenant, over) })
	}
	followers := w.follow(&clients, over)
	stop := make(chan struct{})
	go w.watchJobs(stop)
	w.awaitLoad()
	end := time.Now().Add(lasting)
	lanes.Go(func() { w.strike(w.draws(1), w.faultsOfProcesses(), 250*time.Millisecond, end) })
	lanes.Go(func() { w.strike(w.draws(2), w.faultsOfServers(), time.Second, end) })
	lanes.Wait()
	w.awaitLoad() // the service must recover from every fault
	close(over)
	clients.Wait()
	close(stop)
	w.report.loaded = time.Since(w.began)
	healed := time.Now()
	w.awaitQuiet()
	w.report.quiet = time.Since(healed)
	w.check(followers)
}
