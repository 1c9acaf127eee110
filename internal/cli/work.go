package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/config"
	"bordero/internal/download"
	"bordero/internal/mail"
	"bordero/internal/outgoing"
	"bordero/internal/rpc"
	"bordero/jobs"
	"bordero/migrations"
	"bordero/storage"
	"bordero/workers"
	"bordero/workers/runtime"

	"golang.org/x/sync/errgroup"
)

// workCommand runs the workers of queues in one process. Any number of processes may work on a queue.
type workCommand struct {
	Queues []string `arg:"" optional:"" name:"queue" enum:"${queues}" help:"The queues: ${enum}. Without one, all."`
}

// jobQueues are the queues of jobs that this release has a worker for.
var jobQueues = []string{
	jobs.ImportStatementKind.Queue, jobs.PriceSalesKind.Queue, jobs.ReconcileAutomaticallyKind.Queue,
	jobs.DeleteBankStatementKind.Queue,
	jobs.DeliverWebhookKind.Queue,
}

// workerQueues are the queues that have workers: the queues of jobs and the queue of questions.
var workerQueues = append(slices.Clone(jobQueues), download.SigningQueue)

// jobKinds returns the names of the kinds of jobs that this release knows.
func jobKinds() []string {
	return each(workers.Kinds(workers.Deps{}), func(h runtime.Handler) string { return h.Kind.Name })
}

func (w workCommand) Run(ctx context.Context) error {
	queues, name := workerQueues, "work"
	if len(w.Queues) > 0 {
		queues = slices.Compact(slices.Sorted(slices.Values(w.Queues)))
		name += " " + strings.Join(queues, " ")
	}
	p, err := openProcess(ctx, name, forWork(len(queues)))
	if err != nil {
		return err
	}
	defer p.close()
	if len(queues) > 1 {
		for _, queue := range queues { // as separate processes do, so that the same alerts watch both
			p.metrics.Build("work "+queue, buildVersion().build())
		}
	}
	p.awaitsFiles = true
	all, err := p.workers(queues)
	if err != nil {
		return err
	}
	return p.server(p.health(true, queues...), func(ctx context.Context) error {
		if !p.migrated(ctx) {
			return nil
		}
		group, ctx := errgroup.WithContext(ctx)
		for _, worker := range all {
			own := p.store.WithConnections(ctx, p.DatabaseConnections)
			group.Go(func() error { return worker(own) })
		}
		return group.Wait()
	}).Run(ctx)
}

// forWork returns the database options of a process that works on a number of queues. Each has as many connections as
// in a process of its own.
func forWork(queues int) func(config.Config) storage.Options {
	return func(c config.Config) storage.Options {
		o := forJobs(c)
		o.Connections = queues * c.DatabaseConnections
		return o
	}
}

// workers returns a worker for each queue: a function that works on the queue until its context ends.
func (p *process) workers(queues []string) (all []func(context.Context) error, err error) {
	kinds, observe := workers.Kinds(p.deps(queues)), p.metrics.Jobs() // registers the job metrics before the first job
	for _, queue := range queues {
		var worker func(context.Context) error
		switch queue {
		case download.SigningQueue:
			worker, err = p.signer(observe)
		case jobs.DeliverWebhookKind.Queue:
			p.checkMail()
			// A receiver that hangs occupies a goroutine, but no CPU time.
			worker = p.jobWorker(queue, p.WebhookEndpoints, kinds, observe)
		default:
			err = p.needs(p.Concurrency+1,
				"each of BORDERO_CONCURRENCY jobs may hold one for long, and one more renews their leases")
			worker = p.jobWorker(queue, p.Concurrency, kinds, observe)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, worker)
	}
	return all, nil
}

// observer receives how each job or question ended, and how long it took.
type observer = func(kind, result string, took time.Duration)

// jobWorker returns the worker of a queue of jobs.
func (p *process) jobWorker(
	queue string, concurrency int, kinds runtime.Table, observe observer,
) func(context.Context) error {
	return func(ctx context.Context) error {
		if p.usesFiles([]string{queue}) && !p.ownFiles(ctx) {
			return nil
		}
		return p.announced(ctx, queue, func(ctx context.Context) error {
			return runtime.Run(ctx, runtime.Config{
				Store: p.store, Client: p.client, Logger: p.log, Queue: queue,
				Table: kinds, Observe: observe, Trace: p.spans.Tracer(),
				Concurrency: concurrency, Lease: p.Lease,
			})
		})
	}
}

// checkMail warns of e-mails that are not sent or not taken when a webhook fails.
func (p *process) checkMail() {
	if p.SMTPURL == "" && p.MailDir == "" {
		p.log.Warn("no e-mail is sent when a webhook fails: set BORDERO_SMTP_URL or BORDERO_MAIL_DIR")
	}
	if p.SMTPURL != "" && strings.HasSuffix(p.MailFrom, "@localhost") {
		p.log.Warn("mail servers may refuse e-mails from " + p.MailFrom + ": set BORDERO_MAIL_FROM")
	}
}

// migrated waits until the schema is as new as this release, because jobs and periodic work would fail on an older one.
// It returns false when ctx ends first.
func (p *process) migrated(ctx context.Context) bool {
	told := false
	for ctx.Err() == nil {
		version, err := p.store.SchemaVersion(ctx)
		if err == nil && version >= migrations.Latest() {
			return true
		}
		if err == nil && !told {
			p.log.Warn("schema too old, no work is taken: run bordero migrate", "schema", version, "needed",
				migrations.Latest())
			told = true
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
	return false
}

// announced calls work, and announces this process to operators until work returns.
func (p *process) announced(ctx context.Context, queue string, work func(context.Context) error) error {
	announcing, stop := context.WithCancel(ctx)
	var announced sync.WaitGroup
	announced.Go(func() { p.client.Announce(announcing, queue, cmp.Or(buildVersion().Version, "unknown")) })
	defer announced.Wait()
	defer stop()
	return work(ctx)
}

// deps returns the dependencies of the kinds of the queues' jobs.
func (p *process) deps(queues []string) workers.Deps {
	var imported func(string, int64)
	var attempted func(string)
	if slices.Contains(queues, jobs.ImportStatementKind.Queue) {
		imported = p.metrics.Imports()
	}
	if slices.Contains(queues, jobs.DeliverWebhookKind.Queue) {
		attempted = p.metrics.Deliveries()
	}
	return workers.Deps{
		Store: p.store, Files: p.files, Zone: p.Timezone, Now: time.Now, Imported: imported,
		StatementChanges: func(before, after *finance.BankStatement) string {
			return api.StatementChanges(p.Timezone, before, after)
		},
		Webhooks: workers.Webhooks{
			HTTP:      outgoing.New(outgoing.Options{Allow: p.WebhookAllowCIDRs}),
			PublicURL: strings.TrimRight(p.PublicURL, "/"), Delays: p.WebhookDelays,
			PerEndpointConcurrency: p.WebhookConcurrency, MaxEndpoints: p.WebhookEndpoints,
			Attempted: attempted, Trace: p.spans.Tracer(),
		},
		Mail: mail.Options{URL: p.SMTPURL, Dir: p.MailDir, From: p.MailFrom},
	}
}

// signer returns the worker that creates the URLs of files: it answers questions and has no jobs.
func (p *process) signer(observe observer) (worker func(context.Context) error, err error) {
	signer := workers.Signer{Store: p.store, Files: p.files, PublicURL: strings.TrimRight(p.PublicURL, "/"),
		Life: p.SignedURLTTL}
	if p.files.Local() {
		if signer.Key, err = download.ReadKey(p.SigningKeyFile); err != nil {
			return nil, fmt.Errorf("BORDERO_SIGNING_KEY_FILE must name the key that signs URLs of files: %w", err)
		}
	}
	return func(ctx context.Context) error {
		questions, err := rpc.Open(p.RedisURL, p.client)
		if err != nil {
			return err
		}
		defer questions.Close()
		return p.announced(ctx, download.SigningQueue, func(ctx context.Context) error {
			return questions.Serve(ctx, rpc.Config{
				Logger: p.log, Queue: download.SigningQueue, Concurrency: p.Concurrency, Answer: signer.Answer,
				Observe: observe,
			})
		})
	}, nil
}
