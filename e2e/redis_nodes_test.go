package e2e

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/internal/tier"

	"golang.org/x/crypto/bcrypt"
)

func TestRedisCluster(t *testing.T) {
	tier.NeedsLong(t, "three nodes; jobs tests workers on a cluster")
	t.Parallel()
	c := e2etest.NewCluster(t)
	s := e2etest.New(t, e2etest.Set("REDIS_URL="+c.URL), short)
	api, scheduler := s.Serve()
	worker := s.Worker()
	s.Start("work", "signing").Ready()
	monitorShows(t, s, "statements")
	into := s.NewDepositAccount(t, "")
	if b := s.Import(t, into, statementtest.OFX(10)); b.Imported != 10 {
		t.Errorf("%+v", b)
	}
	path, err := s.Attach("a.txt", strings.NewReader("a"))
	if err != nil {
		t.Fatal(err)
	}
	if a := e2etest.Fetch(t, s.Address(t, path)); a.Status != http.StatusOK || string(a.Body) != "a" {
		t.Error(e2etest.Refused{Answer: a})
	}
	answer, err := s.Do(http.MethodGet, paths.DepositAccounts(s.Entity), "", nil)
	if err != nil || answer.Header.Get("X-RateLimit-Limit") != "60000" {
		t.Errorf("the rate limit: %v %v", answer.Header, err)
	}

	// The queue's node loses its data while statements wait.
	worker.Terminate()
	var queued []e2etest.Statement
	more := func() {
		queued = append(queued, s.MustUpload(t, into, statementtest.OFX(10, statementtest.From(10+10*len(queued)))))
	}
	for range 5 {
		more()
	}
	holder := c.Holder("asynq:{statements}:pending")
	c.Command(holder, "FLUSHALL")
	worker = s.Worker()
	for _, b := range queued {
		if b = s.AwaitEnd(t, b); b.Imported != 10 {
			t.Errorf("after the flush of a node: %+v", b)
		}
	}

	// The node is gone, and with it a third of the slots.
	c.All[holder].Kill()
	worker.Unready()
	scheduler.Unready()
	more()
	if status, states := e2etest.Readiness(t, api.Ops); status != 200 || states["redis"] != "degraded" {
		t.Errorf("without a node the API is %d %v", status, states)
	}
	if err := c.All[holder].Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	worker.Ready()
	scheduler.Ready()
	for _, b := range queued {
		if b = s.AwaitEnd(t, b); b.Imported != 10 {
			t.Errorf("after the end of a node: %+v", b)
		}
	}
	if balance, want := s.Balance(t, into), statementtest.Total(70); balance != want {
		t.Errorf("the balance is %s, not %s", balance, want)
	}
	s.Settled()
}

// monitorShows logs in to a monitor and searches for a queue.
func monitorShows(t *testing.T, s *e2etest.Site, queue string) {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte("x"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	addr := e2etest.Loopback()
	env := s.Env
	s.Env = append(s.Env[:len(s.Env):len(s.Env)], "BORDERO_MONITOR_ADDR="+addr, "BORDERO_MONITOR_USER=ana",
		"BORDERO_MONITOR_PASSWORD_HASH="+string(hash))
	s.Start("monitor").Ready()
	s.Env = env
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	answer, err := browser.PostForm("http://"+addr+"/monitoring/login", url.Values{"user": {"ana"}, "password": {"x"}})
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	testkit.Eventually(t, "the monitor shows "+queue, func() bool {
		answer, err := browser.Get("http://" + addr + "/monitoring/api/queues")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		list, err := io.ReadAll(answer.Body)
		return err == nil && answer.StatusCode == http.StatusOK && strings.Contains(string(list), `"`+queue+`"`)
	})
}

func TestRedisSentinel(t *testing.T) {
	t.Parallel()
	c := e2etest.NewSentinel(t)
	s := e2etest.New(t, e2etest.Set("REDIS_URL="+c.URL), short)
	s.Serve()
	worker := s.Worker()
	s.Start("work", "signing").Ready()
	into := s.NewDepositAccount(t, "")
	if b := s.Import(t, into, statementtest.OFX(10)); b.Imported != 10 {
		t.Errorf("%+v", b)
	}
	c.All[0].Kill()
	b := s.MustUpload(t, into, statementtest.OFX(10, statementtest.From(10))) // while there is no master
	if b = s.AwaitEnd(t, b); b.Imported != 10 {
		t.Errorf("after the failover: %+v", b)
	}
	worker.Ready()
	path, err := s.Attach("a.txt", strings.NewReader("a"))
	if err != nil {
		t.Fatal(err)
	}
	s.Address(t, path)
	s.Settled()
}
