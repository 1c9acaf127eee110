package e2e

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/internal/tier"
)

// release is the commit of the release before: 0.3.0.
const release = "920e442203c456a4713b88ffc147b0bec598ce7f"

// The release before is replaced under load, as docs/operations/upgrades.md says: its schema, then each process in the
// order of the changelog, the two APIs behind a balancer one after the other. No request fails, and nothing is lost or
// doubled.
func TestARollingUpgradeRefusesNothing(t *testing.T) {
	tier.NeedsLong(t, "it builds a release; TestTheSchemaServesEarlierReleases runs its statements on every push")
	t.Parallel()
	s := e2etest.New(t, e2etest.OwnPostgres, e2etest.Release(buildCommit(t, release)))
	b := &balancer{}
	front := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "api" },
		Transport: &http.Transport{DialContext: b.dial},
	})
	t.Cleanup(front.Close)
	s.URL, s.Env = front.URL, append(s.Env, "BORDERO_PUBLIC_URL="+front.URL)
	start := []func() *e2etest.Process{
		func() *e2etest.Process { return s.Start("work", "statements") },
		func() *e2etest.Process { return s.StartWith([]string{b.backend(0)}, "api") },
		func() *e2etest.Process { return s.StartWith([]string{b.backend(1)}, "api") },
		func() *e2etest.Process { return s.Start("work", "sales") },
		func() *e2etest.Process { return s.Start("work", "reconciliation") },
		func() *e2etest.Process { return s.Start("work", "webhooks") },
		func() *e2etest.Process { return s.Start("scheduler") },
	}
	processes := make([]*e2etest.Process, len(start))
	for i := range start {
		processes[i] = start[i]()
	}
	for _, p := range processes {
		p.Ready()
	}
	l := startLoad(t, s)
	l.more(t, 50)
	s.Binary = e2etest.Binary(t)
	s.Migrate()
	l.more(t, 50)
	for i := range processes {
		processes[i].Terminate()
		processes[i] = start[i]().Ready()
		l.more(t, 50)
	}
	l.stop()
	l.failedOnly(t, nil, nil)
	l.isStored(t)
	s.Run("verify")
}

// buildCommit builds the binary of a commit.
func buildCommit(t *testing.T, commit string) string {
	t.Helper()
	dir := t.TempDir()
	archive := "git -C .. archive " + commit + " | tar -x -C " + dir
	mustRun(t, "bash", "-o", "pipefail", "-c", archive)
	binary := filepath.Join(dir, "bordero")
	mustRun(t, "go", "build", "-C", dir, "-o", binary, ".")
	return binary
}

// balancer connects to two APIs in turn, and to the other if one refuses, as a balancer in front of them does.
type balancer struct {
	addrs [2]string
	next  atomic.Int64
}

// backend takes an address and returns the variable of the API there.
func (b *balancer) backend(i int) string {
	if b.addrs[i] == "" {
		b.addrs[i] = e2etest.Loopback()
	}
	return "BORDERO_ADDR=" + b.addrs[i]
}

func (b *balancer) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	var failed []error
	first := b.next.Add(1)
	for i := range int64(len(b.addrs)) {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", b.addrs[(first+i)%2])
		if err == nil {
			return conn, nil
		}
		failed = append(failed, err)
	}
	return nil, errors.Join(failed...)
}
