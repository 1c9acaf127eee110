package faults

import (
	"flag"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"bordero/internal/tier"
)

var seed = flag.Uint64("seed", 0, "of what is drawn; another one each time when 0")

// lasting is how long faults are drawn: BORDERO_FAULTS, or until each has happened once.
func lasting(t *testing.T) time.Duration {
	if text := os.Getenv("BORDERO_FAULTS"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("BORDERO_FAULTS: %v", err)
		}
		return d
	}
	tier.NeedsLong(t, "breaks everything for half a minute; e2e breaks each thing once")
	return 30 * time.Second
}

func TestWhateverBreaksNothingIsLostOrDoubled(t *testing.T) {
	until := lasting(t)
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
	end := time.Now().Add(until)
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
