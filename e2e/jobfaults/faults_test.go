package jobfaults

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/internal/tier"
)

// each runs a fault n times under load. Between two, the jobs recover, so that the delays of
// faults do not add up.
func (w *harness) each(n int, fault func()) {
	w.t.Helper()
	for i := range n {
		if i > 0 {
			w.awaitRecovery()
		}
		fault()
		w.awaitJobs(100)
	}
}

// pass waits while a fault lasts.
func pass(d time.Duration) { <-time.After(d) }

func TestJobsOutliveKilledProcesses(t *testing.T) {
	w := newHarness(t)
	for range tier.Size(4, 100) {
		name := names[rand.N(len(names))]
		w.kill(name)
		if rand.N(2) == 0 {
			pass(time.Second)
		}
		w.start(name)
		w.awaitJobs(50)
	}
	w.settle()
}

// A worker that dies between taking a task and claiming its job leaves the task active in Redis,
// while the job seems never to have begun.
func TestJobsOutliveAWorkerKilledBeforeItsClaim(t *testing.T) {
	tier.NeedsLong(t, "kills of any moment stay")
	w := newHarness(t)
	w.each(15, func() {
		tx, err := w.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(`LOCK TABLE jobs IN EXCLUSIVE MODE`); err != nil {
			t.Fatal(err)
		}
		w.eventually("a worker waits for its claim", func() bool {
			return w.value(`
				SELECT count(*) FROM pg_stat_activity
				WHERE application_name LIKE 'worker %' AND wait_event_type = 'Lock'
					AND query LIKE '%SET claims = 1 +%'`) > 0
		})
		for _, name := range workerNames {
			w.kill(name)
		}
		// PostgreSQL checks each second whether a client is still connected. Then the claims are
		// abandoned.
		w.eventually("the claims are given up", func() bool {
			return w.value(`SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'worker %'`) == 0
		})
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		w.loseLeases()
		for _, name := range workerNames {
			w.start(name)
		}
	})
	w.settle()
}

// loseLeases removes the leases of Asynq's active tasks, while no worker runs. Asynq never recovers
// such a task, so only the relay can offer its job again.
func (w *harness) loseLeases() {
	w.t.Helper()
	client := w.redisClient()
	for _, queue := range queues {
		if err := client.Del(w.t.Context(), "asynq:{"+queue+"}:lease").Err(); err != nil {
			w.t.Fatal(err)
		}
	}
}

func TestJobsOutliveAFlushOfRedis(t *testing.T) {
	w := newHarness(t)
	client := w.redisClient()
	for range tier.Size(1, 25) {
		if err := client.FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		w.awaitJobs(200)
	}
	w.settle()
}

func TestJobsOutliveALostRedis(t *testing.T) {
	tier.NeedsLong(t, "an outage of 10 s; a flush stays")
	w := newHarness(t)
	w.each(5, func() {
		w.redis.Kill()
		pass(10 * time.Second)
		if err := w.redis.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	w.settle()
}

func TestJobsOutliveARestartOfPostgres(t *testing.T) {
	tier.NeedsLong(t, "e2e restarts PostgreSQL")
	w := newHarness(t)
	for _, mode := range []private.Mode{private.Fast, private.Immediate} {
		w.each(5, func() {
			if err := w.postgres.Restart(t.Context(), mode); err != nil {
				t.Fatal(err)
			}
			w.forgetConnections()
		})
	}
	w.settle()
}

// forgetConnections replaces the connections to a server that was restarted.
func (w *harness) forgetConnections() {
	w.db.SetMaxIdleConns(-1)
	w.db.SetMaxIdleConns(2)
}

// A stopped worker continues after other workers have taken its jobs over.
func TestJobsOutliveAWorkerStoppedPastItsLease(t *testing.T) {
	tier.NeedsLong(t, "three leases; e2e pauses a worker")
	w := newHarness(t)
	for _, name := range workerNames {
		w.each(5, func() {
			p := w.processes[name]
			p.Signal(syscall.SIGSTOP)
			pass(lease * 2)
			p.Signal(syscall.SIGCONT)
		})
	}
	w.settle()
}
