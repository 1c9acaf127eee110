package cli

import (
	"context"
	"math"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"bordero/api"
	"bordero/internal/download"
	"bordero/internal/outgoing"
	"bordero/internal/ratelimit"
	"bordero/internal/rpc"
	"bordero/internal/serve"
	"bordero/internal/share"
	"bordero/jobs"
	"bordero/jobs/broker"
)

// requestMemory returns how many bytes the requests of all accounts together, and of each account, may hold in a
// process with the memory limit: a quarter and a sixteenth of the limit. The rest is for garbage and for memory
// that is not counted. Under a small limit an account still gets the memory of an ordinary list.
func requestMemory(limit int64) (all, each int64) {
	if limit == math.MaxInt64 { // GOMEMLIMIT is not set
		limit = 1 << 30
	}
	all = max(limit/4, 64<<20)
	return all, all / 4
}

// apiCommand runs the API. It starts without Redis.
type apiCommand struct{}

func (apiCommand) Run(ctx context.Context) error {
	// The live heap is so small that the default would collect garbage at every third long list.
	// This setting costs some ten megabytes.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	p, err := openProcess(ctx, "api", forRequests)
	if err != nil {
		return err
	}
	defer p.close()
	counts, err := broker.OpenRedis(p.RedisURL)
	if err != nil {
		return err
	}
	defer counts.Close()
	keys, err := download.PublicKeys(p.SigningPublicKeys)
	if err != nil {
		return err
	}
	if !p.HasPublicHost() {
		p.log.Warn("addresses in answers begin with " + p.PublicURL + ", which reaches nothing: set BORDERO_PUBLIC_URL")
	}
	if u, err := url.Parse(p.PublicURL); err == nil && strings.Trim(u.Path, "/") != "" {
		p.log.Warn("pages of /docs and /console do not work below the path of BORDERO_PUBLIC_URL")
	}
	if len(keys) == 0 && p.files.Local() {
		p.log.Warn("files cannot be downloaded: BORDERO_SIGNING_PUBLIC_KEYS is not set")
	}
	questions, err := rpc.Open(p.RedisURL, p.client)
	if err != nil {
		return err
	}
	defer questions.Close()
	health := p.health(false, workerQueues...)
	c := p.apiConfig(ctx, ratelimit.New(counts, p.client.Key, ratelimit.Patience, time.Now))
	c.SigningKeys, c.Healthz, c.Readyz = keys, health.Live(), health.Ready()
	c.SignURL = func(ctx context.Context, file download.SignURL) (string, error) {
		return questions.Call(ctx, download.SigningQueue, file)
	}
	return p.server(health, func(ctx context.Context) error {
		p.ownFiles(ctx)
		<-ctx.Done()
		return nil
	}, serve.Listener{Name: "api", Addr: p.Addr, Handler: api.New(c)}).Run(ctx)
}

// apiConfig returns the configuration of an API that stops when ctx ends, without the signing of URLs and the health.
func (p *process) apiConfig(ctx context.Context, limiter *ratelimit.Limiter) api.Config {
	return api.Config{
		Store: p.store, Files: p.files, PublicURL: p.PublicURL, Zone: p.Timezone, Log: p.log,
		Limiter: limiter, Memory: share.NewBudget(requestMemory(debug.SetMemoryLimit(-1))),
		Places: p.AccountRequests, Trusted: p.TrustedProxies,
		MaxDocument: p.MaxDocumentBytes, MaxStatement: p.MaxStatementBytes, MaxAttachment: p.MaxAttachmentBytes,
		URLLife: p.SignedURLTTL, WebhooksPerEntity: p.WebhooksPerEntity,
		Wakes: p.client.WakesOfReaders, Follows: func() { p.client.Offer(jobs.Followed) }, Stopping: ctx.Done(),
		Version: buildVersion().Version, Trace: p.spans.Tracer(),
		Outgoing: outgoing.New(outgoing.Options{Allow: p.WebhookAllowCIDRs}),
		Observe:  p.metrics.Requests(), CountFault: p.metrics.Faults(),
	}
}
