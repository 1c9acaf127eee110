package faults

import (
	"context"
	"math/rand/v2"
	"strings"
	"syscall"
	"time"

	"bordero/deploy/private"
	"bordero/internal/testkit"
)

// fault breaks something, waits, and returns when it is repaired.
type fault struct {
	name string
	does func(r *rand.Rand)
}

// strike draws faults from a deck, which is shuffled each time it is used up. It uses the whole
// first deck, so that each fault happens, and continues until end. A gap follows each fault.
func (w *harness) strike(r *rand.Rand, deck []fault, gap time.Duration, end time.Time) {
	for first := true; first || time.Now().Before(end); first = false {
		for _, i := range r.Perm(len(deck)) {
			if !first && time.Now().After(end) {
				return
			}
			began := time.Now()
			deck[i].does(r)
			w.report.healed(happened{deck[i].name, began, time.Now()})
			pass(r, gap/2, gap*3/2)
		}
	}
}

// pass waits for a random time.
func pass(r *rand.Rand, least, most time.Duration) {
	<-time.After(least + time.Duration(r.Int64N(int64(most-least))))
}

// faultsOfProcesses are kill -9 of each process, restarted at once or after a moment, and pauses
// of some.
func (w *harness) faultsOfProcesses() []fault {
	var deck []fault
	for _, name := range names {
		kind, _, _ := strings.Cut(name, " ")
		deck = append(deck, fault{"kill -9 of " + kind, func(r *rand.Rand) {
			w.process(name).Kill()
			if r.IntN(2) == 0 {
				pass(r, 100*time.Millisecond, time.Second)
			}
			w.start(name)
		}})
	}
	pause := func(name string, of []string, least, most time.Duration) {
		deck = append(deck, fault{name, func(r *rand.Rand) {
			p := w.process(of[r.IntN(len(of))])
			p.Pause()
			pass(r, least, most)
			p.Resume()
		}})
	}
	workers := names[2:9]
	pause("a worker stops, short of its lease", workers, lease/4, lease/2)
	pause("a worker stops past its lease", workers, lease+lease/4, 2*lease)
	pause("an api stops", names[:2], lease/4, 2*lease)
	pause("a scheduler stops", names[9:11], lease/4, 2*lease)
	return deck
}

// faultsOfServers are the faults of PostgreSQL and Redis.
func (w *harness) faultsOfServers() []fault {
	must := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Error(err)
		}
	}
	restart := func(mode private.Mode) func(*rand.Rand) {
		return func(r *rand.Rand) {
			stopped, cancel := context.WithTimeout(w.t.Context(), time.Minute)
			defer cancel()
			must(w.Postgres.Restart(stopped, mode))
		}
	}
	return []fault{
		{"PostgreSQL restarts", restart(private.Fast)},
		{"PostgreSQL crashes", restart(private.Immediate)},
		{"kill -9 of a session of PostgreSQL", func(*rand.Rand) { w.killSession() }},
		{"Redis restarts, empty", func(r *rand.Rand) {
			must(w.Redis.Stop(w.t.Context()))
			pass(r, 0, time.Second)
			must(w.Redis.Start(w.t.Context()))
		}},
		{"kill -9 of Redis", func(r *rand.Rand) {
			w.Redis.Kill()
			pass(r, 0, 2*time.Second)
			must(w.Redis.Start(w.t.Context()))
		}},
		{"FLUSHALL", func(*rand.Rand) { w.Flush() }},
		{"Redis is full", func(r *rand.Rand) {
			w.CommandRedis("CONFIG", "SET", "maxmemory", "1")
			pass(r, time.Second, 3*time.Second)
			w.CommandRedis("CONFIG", "SET", "maxmemory", "0")
		}},
		{"Redis stops, short of a lease", func(r *rand.Rand) {
			w.Freeze()
			pass(r, lease/4, lease/2)
			w.Thaw()
		}},
		{"Redis stops past a lease", func(r *rand.Rand) {
			w.Freeze()
			pass(r, lease+lease/4, 2*lease)
			w.Thaw()
		}},
	}
}

// killSession is kill -9 of the server process of one of our connections. PostgreSQL then ends
// all others and recovers.
func (w *harness) killSession() {
	w.t.Helper()
	var pid int
	err := w.DB.QueryRowContext(w.t.Context(), `
		SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'bordero %' ORDER BY state = 'active' DESC,
			random() LIMIT 1`).Scan(&pid)
	if err != nil {
		w.t.Error(err)
		return
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	testkit.Eventually(w.t, "PostgreSQL has recovered", func() bool {
		<-time.After(200 * time.Millisecond) // PostgreSQL takes a moment to notice
		return w.DB.PingContext(w.t.Context()) == nil
	})
}
