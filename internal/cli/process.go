package cli

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bordero/internal/blobs"
	"bordero/internal/config"
	"bordero/internal/metrics"
	"bordero/internal/serve"
	"bordero/internal/tracing/otlp"
	"bordero/jobs/broker"
	"bordero/migrations"
	"bordero/storage"
)

// process is the common part of all processes that use the database.
type process struct {
	config.Config
	log     *slog.Logger
	client  *broker.Client
	store   *storage.Store
	files   *blobs.Store
	owned   atomic.Bool // ownFiles has found that the files are the installation's
	foreign sync.Once   // reports once that they are not
	metrics *metrics.Metrics
	spans   *otlp.Exporter // nil unless a collector is configured
	pooled  atomic.Bool    // DATABASE_URL has been found to lead to a pooler of transactions

	awaitsFiles bool // a worker: without its files it begins nothing that uses them
}

// openProcess reads the environment, and opens the database, Redis and the file store that it names. No
// server needs to respond yet. o returns the database options of this process, beside the common ones.
func openProcess(ctx context.Context, name string, o func(config.Config) storage.Options) (*process, error) {
	p, err := openServers(ctx, name, o, "BORDERO_FILES_URL")
	if err != nil {
		return nil, err
	}
	if p.files, err = blobs.Open(ctx, p.FilesURL); err != nil {
		return nil, err
	}
	p.files.BelongTo(p.client.Installation)
	return p, nil
}

// openServers opens PostgreSQL and Redis alone. It refuses a pooler of transactions.
func openServers(
	ctx context.Context, name string, o func(config.Config) storage.Options, required ...string,
) (p *process, err error) {
	p = &process{}
	if p.Config, err = config.Load(os.Environ(), append(required, "DATABASE_URL", "REDIS_URL")...); err != nil {
		return nil, err
	}
	p.log = startLog(p.Config)
	installation := func(ctx context.Context) (string, error) { return p.store.Installation(ctx) }
	if p.client, err = broker.Open(p.RedisURL, installation, p.log); err != nil {
		return nil, err
	}
	options := o(p.Config)
	options.Application = "bordero " + name
	options.Connections = cmp.Or(options.Connections, p.DatabaseConnections)
	options.Timezone, options.Offer = p.Timezone.String(), p.client.Offer
	if p.store, err = storage.Open(p.DatabaseURL, options); err != nil {
		return nil, err
	}
	known, err := refusePooler(ctx, "DATABASE_URL", p.DatabaseURL)
	if err != nil {
		return nil, err
	}
	look := sessionsEvery
	if !known {
		look = sessionsAgain
	}
	go p.watchSessions(ctx, look)
	go p.store.KeepOne(ctx)
	time.AfterFunc(startedAfter, debug.FreeOSMemory)
	p.metrics = metrics.New(name, buildVersion().build())
	p.metrics.Pool(func() metrics.Pool {
		s := p.store.PoolStats()
		return metrics.Pool{InUse: s.InUse, Idle: s.Idle, Max: s.MaxOpenConnections, Waits: s.WaitCount,
			Waited: s.WaitDuration}
	})
	p.metrics.Redis(redisReading(p.client))
	p.spans, err = otlp.Open(ctx, otlp.Options{Process: name, Version: buildVersion().Version, Slow: p.TraceStatements,
		Log: p.log})
	if err != nil {
		return nil, err
	}
	if p.spans != nil {
		p.metrics.Spans(p.spans.Counts)
	}
	return p, nil
}

// startedAfter is when a process returns the memory that only its start needed to the operating system. By then
// the pool has closed the connections of the start.
const startedAfter = 45 * time.Second

// needs refuses a pool of fewer connections than the process may use at once.
func (p *process) needs(connections int, reason string) error {
	if p.DatabaseConnections >= connections {
		return nil
	}
	return fmt.Errorf("BORDERO_DATABASE_CONNECTIONS must be at least %d, not %d: %s", connections,
		p.DatabaseConnections, reason)
}

// redisReading returns the function that collects the Redis metrics of a process.
func redisReading(client *broker.Client) func(context.Context) metrics.Redis {
	return func(ctx context.Context) metrics.Redis {
		pool := client.PoolStats()
		memory, err := client.Memory(ctx) // works on a Redis that is full or evicts, too
		ready := err == nil && client.Ready(ctx) == nil
		pushed, dropped := client.Stats()
		return metrics.Redis{
			Ready: ready, Used: memory.Used, Max: memory.Max, Pushed: pushed, Dropped: dropped,
			Open: pool.TotalConns, Idle: pool.IdleConns, Timeouts: pool.Timeouts,
		}
	}
}

// server returns the server of the process: its work, its listeners and the one for metrics and health. The
// configuration limits each listener.
func (p *process) server(
	health *serve.Health, work func(context.Context) error, listeners ...serve.Listener,
) *serve.Process {
	return &serve.Process{
		Log: p.log, Health: health, Work: work, Listeners: append(listeners, p.ops(health)),
		Limits: serve.Limits{Connections: p.MaxConnections, PerPeer: p.MaxPerAddress, Proxies: p.TrustedProxies},
	}
}

// ops returns the listener for metrics and health. The metrics include the health.
func (p *process) ops(health *serve.Health) serve.Listener {
	p.metrics.Ready(health.Passing)
	return serve.Listener{Name: "ops", Addr: p.OpsAddr, Handler: health.Handler(p.metrics.Handler())}
}

const (
	statementTimeout = 10 * time.Second // aborts a longer statement of a request
	idleTimeout      = 30 * time.Second // frees the locks of a process that hangs in a transaction
)

// forRequests returns the options of a process that answers requests: the API and the monitor.
func forRequests(config.Config) storage.Options {
	return storage.Options{StatementTimeout: statementTimeout, IdleInTransaction: idleTimeout}
}

// forJobs returns the options of the scheduler and of the workers. Its statements may take long, but if the
// process stops in a transaction, PostgreSQL ends the transaction after the lease.
func forJobs(c config.Config) storage.Options {
	return storage.Options{IdleInTransaction: c.Lease}
}

// close offers the remaining jobs, closes Redis, the database and the file store, and exports the last spans.
func (p *process) close() {
	_ = p.client.Close()
	_ = p.store.Close()
	if p.files != nil {
		_ = p.files.Close()
	}
	p.spans.Close()
}

// health checks the dependencies of the process, and names the paused ones of the queues.
// Only the API works without Redis. If the process uses a directory of files, its metrics show the disk from then on.
func (p *process) health(needsRedis bool, queues ...string) *serve.Health {
	checks := []serve.Check{
		{Name: "postgres", Required: true, Probe: func(ctx context.Context) (serve.State, string) {
			if err := p.store.Ping(ctx); err != nil {
				return serve.Down, storage.Reason(err)
			}
			if p.pooled.Load() {
				return serve.Down, storage.ErrPooled.Error()
			}
			return serve.OK, ""
		}},
		{Name: "migrations", Required: true, Probe: func(ctx context.Context) (serve.State, string) {
			version, err := p.store.SchemaVersion(ctx)
			switch {
			case err != nil && p.store.Ping(ctx) != nil:
				return serve.Down, "cannot be read while postgres is down"
			case err != nil:
				return serve.Down, "cannot be read; run bordero migrate"
			case version < migrations.Latest():
				return serve.Down, fmt.Sprintf("at %d of %d; run bordero migrate", version, migrations.Latest())
			}
			return serve.OK, ""
		}},
		redisCheck(p.client, needsRedis),
		{Name: "queues", Probe: func(ctx context.Context) (serve.State, string) {
			return serve.OK, paused(ctx, p.client, queues)
		}},
		{Name: "clock", Probe: p.clock},
	}
	if p.usesFiles(queues) {
		checks = append(checks, serve.Check{Name: "files", Required: true, Probe: p.probeFiles})
		if p.files.Local() {
			p.metrics.FilesDisk(p.files.Space)
		}
	}
	return serve.NewHealth(checks...)
}

// drift is how far our clock may be from PostgreSQL's.
const drift = time.Minute

// clock compares our clock, which decides the current day, with PostgreSQL's, which decides when a
// job is due and when a URL expires.
func (p *process) clock(ctx context.Context) (serve.State, string) {
	theirs, err := p.store.Clock(ctx)
	if err != nil {
		return serve.Degraded, "PostgreSQL's cannot be read"
	}
	switch off := time.Since(theirs).Round(time.Second); {
	case off > drift:
		return serve.Degraded, fmt.Sprintf("%v ahead of PostgreSQL's", off)
	case off < -drift:
		return serve.Degraded, fmt.Sprintf("%v behind PostgreSQL's", -off)
	}
	return serve.OK, ""
}

// redisCheck checks that Redis responds, never evicts and is not full.
func redisCheck(client *broker.Client, required bool) serve.Check {
	return serve.Check{Name: "redis", Required: required, Probe: func(ctx context.Context) (serve.State, string) {
		if err := client.Ready(ctx); err != nil {
			return serve.Down, err.Error()
		}
		return serve.OK, ""
	}}
}

// paused names the paused queues. A pause is an operator's choice, so the process is still ready.
func paused(ctx context.Context, client *broker.Client, queues []string) string {
	states, err := client.QueueStates(ctx, queues)
	if err != nil {
		return "not known which are paused"
	}
	var names []string
	for _, s := range states {
		if s.Paused {
			names = append(names, s.Queue)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "paused: " + strings.Join(names, ", ")
}

// notAVariable follows the name of a BORDERO_ variable that bordero does not read.
const notAVariable = " is not a variable of this release; bordero config prints all names"

// startLog returns the log of a process. It first warns of BORDERO_ variables that bordero does
// not read.
func startLog(c config.Config) *slog.Logger {
	log := logger(c)
	for _, name := range config.Unknown(os.Environ()) {
		log.Warn(name + notAVariable)
	}
	return log
}

// logger writes the log of a process to its standard error.
func logger(c config.Config) *slog.Logger {
	o := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, o))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, o))
}
