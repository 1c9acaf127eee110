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
	"bordero/internal/download"
	"bordero/internal/mail"
	"bordero/internal/outgoing"
	"bordero/internal/rpc"
	"bordero/jobs"
	"bordero/migrations"
	"bordero/workers"
	"bordero/workers/runtime"
)

// workCommand runs a worker of one queue. Any number of workers may run.
type workCommand struct {
	Queue string `arg:"" enum:"${queues}" help:"The queue: ${enum}."`
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
	if w.Queue == download.SigningQueue {
		return w.sign(ctx)
	}
	delivers := w.Queue == jobs.DeliverWebhookKind.Queue
	p, err := openProcess(ctx, "work "+w.Queue, forJobs)
	if err != nil {
		return err
	}
	defer p.close()
	concurrency := p.Concurrency
	if delivers {
		concurrency = p.WebhookEndpoints // a receiver that hangs occupies a goroutine, but no CPU time
	} else if err := p.needs(concurrency+1, "each of BORDERO_CONCURRENCY jobs may hold one for long, and one more "+
		"renews their leases"); err != nil {
		return err
	}
	if delivers && p.SMTPURL == "" && p.MailDir == "" {
		p.log.Warn("no e-mail is sent when a webhook fails: set BORDERO_SMTP_URL or BORDERO_MAIL_DIR")
	}
	if delivers && p.SMTPURL != "" && strings.HasSuffix(p.MailFrom, "@localhost") {
		p.log.Warn("mail servers may refuse e-mails from " + p.MailFrom + ": set BORDERO_MAIL_FROM")
	}
	kinds, observe := workers.Kinds(p.deps(w.Queue)), p.metrics.Jobs() // registers the job metrics before the first job
	return p.server(p.health(true, w.Queue), func(ctx context.Context) error {
		if !p.migrated(ctx) || p.usesFiles([]string{w.Queue}) && !p.ownFiles(ctx) {
			return nil
		}
		return p.announced(ctx, w.Queue, func(ctx context.Context) error {
			return runtime.Run(ctx, runtime.Config{
				Store: p.store, Client: p.client, Logger: p.log, Queue: w.Queue,
				Table: kinds, Observe: observe, Trace: p.spans.Tracer(),
				Concurrency: concurrency, DelayedTaskCheckInterval: p.DelayedTaskCheckInterval, Lease: p.Lease,
			})
		})
	}).Run(ctx)
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

// deps returns the dependencies of the kinds of a queue's jobs.
func (p *process) deps(queue string) workers.Deps {
	var imported func(string, int64)
	var attempted func(string)
	switch queue {
	case jobs.ImportStatementKind.Queue:
		imported = p.metrics.Imports()
	case jobs.DeliverWebhookKind.Queue:
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

// sign runs the worker that creates the URLs of files: it answers questions and has no jobs.
func (w workCommand) sign(ctx context.Context) error {
	p, err := openProcess(ctx, "work "+w.Queue, forRequests)
	if err != nil {
		return err
	}
	defer p.close()
	signer := workers.Signer{Store: p.store, Files: p.files, PublicURL: strings.TrimRight(p.PublicURL, "/"),
		Life: p.SignedURLTTL}
	if p.files.Local() {
		if signer.Key, err = download.ReadKey(p.SigningKeyFile); err != nil {
			return fmt.Errorf("BORDERO_SIGNING_KEY_FILE must name the key that signs URLs of files: %w", err)
		}
	}
	questions, err := rpc.Open(p.RedisURL, p.client)
	if err != nil {
		return err
	}
	defer questions.Close()
	return p.server(p.health(true, w.Queue), func(ctx context.Context) error {
		return p.announced(ctx, w.Queue, func(ctx context.Context) error {
			return questions.Serve(ctx, rpc.Config{
				Logger: p.log, Queue: w.Queue, Concurrency: p.Concurrency, Answer: signer.Answer,
				Observe: p.metrics.Jobs(),
			})
		})
	}).Run(ctx)
}
