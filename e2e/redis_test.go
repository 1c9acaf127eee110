package e2e

import (
	"strings"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/testkit"
)

// prompt limits an upload while Redis fails: far below any timeout of a Redis client, far above
// what a busy machine needs.
const prompt = 900 * time.Millisecond

// rest is longer than a process avoids Redis after a failure: the next upload must meet the
// failure again.
const rest = 1100 * time.Millisecond

func TestUploadsGoOnWithoutRedis(t *testing.T) {
	t.Parallel()
	for how, fault := range map[string]struct{ begin, end func(*e2etest.Site) }{
		"dead": {
			func(s *e2etest.Site) { s.Redis.Kill() },
			func(s *e2etest.Site) {
				if err := s.Redis.Start(t.Context()); err != nil { // empty
					t.Error(err)
				}
			},
		},
		"frozen": {(*e2etest.Site).Freeze, (*e2etest.Site).Thaw},
		"full": {
			func(s *e2etest.Site) { s.CommandRedis("CONFIG", "SET", "maxmemory", 1) },
			func(s *e2etest.Site) { s.CommandRedis("CONFIG", "SET", "maxmemory", 0) },
		},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := e2etest.New(t)
			api, scheduler := s.Serve()
			worker := s.Worker()
			into := s.NewDepositAccount(t, "")
			s.Import(t, into, statementtest.OFX(10)) // connects everything
			testkit.Eventually(t, "the worker looks for no further import", func() bool {
				return s.CommandRedis("LLEN", "asynq:{statements}:active") == int64(0)
			})

			fault.begin(s)
			var queued []e2etest.Statement
			upload := func() time.Duration {
				begun := time.Now()
				queued = append(queued,
					s.MustUpload(t, into, statementtest.OFX(10, statementtest.From(10+10*len(queued)))))
				return time.Since(begun)
			}
			quickest, slowest := time.Hour, time.Duration(0)
			for range 3 {
				took := upload()
				quickest, slowest = min(quickest, took), max(slowest, took)
				<-time.After(rest)
			}
			t.Logf("an upload without Redis takes %v to %v", quickest.Round(time.Millisecond/10),
				slowest.Round(time.Millisecond/10))
			if quickest > prompt {
				t.Error("uploads wait for Redis")
			}
			for range 10 {
				upload()
			}
			worker.Unready()
			scheduler.Unready()
			if status, states := e2etest.Readiness(t, api.Ops); status != 200 || states[""] != "degraded" ||
				states["redis"] != "degraded" || states["postgres"] != "ok" {
				t.Errorf("the API is %d %v", status, states)
			}
			for _, b := range queued {
				if now := s.Statement(t, b); now.Event.Status != finance.ImportQueued {
					t.Errorf("without Redis statement %d is %+v", b.ID, now)
				}
			}

			fault.end(s)
			back := time.Now()
			for _, b := range queued {
				if b = s.AwaitEnd(t, b); b.Imported != 10 {
					t.Errorf("%+v", b)
				}
			}
			t.Logf("all imported %.1fs after Redis was back", time.Since(back).Seconds())
			worker.Ready()
			scheduler.Ready()
			if balance, want := s.Balance(t, into), statementtest.Total(140); balance != want {
				t.Errorf("the balance is %s, not %s", balance, want)
			}
			s.Settled()
		})
	}
}

func TestAFlushLosesNoImport(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	into := s.NewDepositAccount(t, "")
	upload := func(i int) e2etest.Statement {
		return s.MustUpload(t, into, statementtest.OFX(10, statementtest.From(10*i)))
	}
	var queued []e2etest.Statement
	for i := range 10 {
		queued = append(queued, upload(i))
	}
	s.Flush()
	flushed := time.Now()
	s.Worker()
	for i := 10; i < 20; i++ { // and once more while it works
		queued = append(queued, upload(i))
	}
	s.Flush()
	for _, b := range queued {
		if b = s.AwaitEnd(t, b); b.Event.Status != finance.ImportSuccess || b.Imported != 10 {
			t.Errorf("%+v", b)
		}
	}
	t.Logf("all imported %.1fs after the first flush", time.Since(flushed).Seconds())
	if balance, want := s.Balance(t, into), statementtest.Total(200); balance != want {
		t.Errorf("the balance is %s, not %s", balance, want)
	}
	s.Settled()
}

func TestProcessesStartWithoutRedisAndWaitForIt(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Redis.Kill()
	api, scheduler, worker := s.Start("api"), s.Start("scheduler"), s.Start("work", "statements")
	api.Ready()
	monitor := s.StartWith([]string{"BORDERO_MONITOR_ADDR=" + e2etest.Loopback(), "BORDERO_MONITOR_USER=ana",
		"BORDERO_MONITOR_PASSWORD_HASH=$2a$04$" + strings.Repeat("a", 53)}, "monitor")
	scheduler.Unready()
	worker.Unready()
	monitor.Unready()
	b := s.MustUpload(t, s.NewDepositAccount(t, ""), statementtest.OFX(10))
	if err := s.Redis.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	scheduler.Ready()
	worker.Ready()
	monitor.Ready()
	if b = s.AwaitEnd(t, b); b.Imported != 10 {
		t.Errorf("%+v", b)
	}
	s.Settled()
}

func TestARedisThatEvictsIsRefused(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	api, scheduler := s.Serve()
	s.CommandRedis("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
	scheduler.Unready()
	testkit.Eventually(t, "the API is degraded", func() bool {
		status, states := e2etest.Readiness(t, api.Ops)
		return status == 200 && states["redis"] == "degraded"
	})
	hash := "BORDERO_MONITOR_PASSWORD_HASH=$2a$04$" + strings.Repeat("a", 53)
	for _, words := range [][]string{{"work", "statements"}, {"scheduler"}, {"monitor"}} {
		_, stderr, err := e2etest.Command(t, append(s.Env, "BORDERO_MONITOR_USER=ana", hash,
			"BORDERO_MONITOR_ADDR=127.0.0.1:0"), words...)
		if err == nil || !strings.Contains(stderr, "maxmemory-policy") {
			t.Errorf("%v: %v, %s", words, err, stderr)
		}
	}
	signer := s.Start("work", "signing")
	if err := signer.Wait(); err == nil || !strings.Contains(signer.Out.String(), "maxmemory-policy") {
		t.Errorf("work signing: %v, %s", err, signer.Out)
	}
	s.MustUpload(t, s.NewDepositAccount(t, ""), statementtest.OFX(10)) // is accepted in spite of that
}
