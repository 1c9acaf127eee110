package cli

import (
	"math"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"bordero/internal/config"
	"bordero/internal/metrics"
	"bordero/internal/ratelimit"
	"bordero/internal/serve"
	"bordero/storage"
)

func TestRequestMemory(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for limit, want := range map[int64][2]int64{
		704 * mib:     {176 * mib, 44 * mib},
		128 * mib:     {64 * mib, 16 * mib},
		math.MaxInt64: {256 * mib, 64 * mib},
	} {
		if all, each := requestMemory(limit); all != want[0] || each != want[1] {
			t.Errorf("with a limit of %d bytes: %d for all and %d for each, not %v", limit, all, each, want)
		}
	}
}

func TestTheAPIHasTheConfiguredLimits(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
	p := &process{metrics: metrics.New("api", metrics.Build{}), Config: config.Config{
		MaxConnections: 1, MaxPerAddress: 2, AccountRequests: 3, MaxDocumentBytes: 4, MaxStatementBytes: 5,
		MaxAttachmentBytes: 6, WebhooksPerEntity: 7, SignedURLTTL: 8, TrustedProxies: proxies,
	}}
	listeners := p.server(serve.NewHealth(), nil).Limits
	limiter, stopping := new(ratelimit.Limiter), t.Context()
	c := p.apiConfig(stopping, limiter)
	for name, pair := range map[string][2]any{
		"limits of listeners": {listeners, serve.Limits{Connections: 1, PerPeer: 2, Proxies: proxies}},
		"Limiter":             {c.Limiter, limiter},
		"Memory":              {c.Memory != nil, true},
		"Places":              {c.Places, 3},
		"MaxDocument":         {c.MaxDocument, int64(4)},
		"MaxStatement":        {c.MaxStatement, int64(5)},
		"MaxAttachment":       {c.MaxAttachment, int64(6)},
		"WebhooksPerEntity":   {c.WebhooksPerEntity, int64(7)},
		"URLLife":             {c.URLLife, time.Duration(8)},
		"Trusted":             {c.Trusted, proxies},
		"Stopping":            {c.Stopping, stopping.Done()},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
		}
	}
}

// The settings of a process's sessions cannot be seen from outside, hence the look at the sources.
func TestStatementsOfRequestsAreLimited(t *testing.T) {
	t.Parallel()
	want := storage.Options{StatementTimeout: 10 * time.Second, IdleInTransaction: 30 * time.Second}
	got := forRequests(config.Config{})
	if got.StatementTimeout != want.StatementTimeout || got.IdleInTransaction != want.IdleInTransaction {
		t.Errorf("%+v, not %+v", got, want)
	}
	for file, opens := range map[string]string{"api.go": `(ctx, "api", forRequests`,
		"monitor.go": `(ctx, "monitor", forRequests`} {
		if source, err := os.ReadFile(file); err != nil || !strings.Contains(string(source), opens) {
			t.Errorf("%s, %v: no %s", file, err, opens)
		}
	}
}
