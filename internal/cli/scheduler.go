package cli

import (
	"context"
	"encoding/hex"
	"log/slog"
	"slices"
	"sync"
	"time"

	"bordero/internal/metrics"
	"bordero/internal/serve"
	"bordero/scheduler"
	"bordero/storage"
)

// schedulerCommand runs the relay and the periodic work. Several may run; one of them leads.
type schedulerCommand struct{}

func (schedulerCommand) Run(ctx context.Context) error {
	p, err := openProcess(ctx, "scheduler", forJobs)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.needs(4, "the leader and the sealer hold one each, and the relay must not wait for the periodic work"); err != nil {
		return err
	}
	p.shown.Queues(p.client.Inspector(), queues)
	p.shown.DueJobs(func(ctx context.Context) ([]metrics.JobCount, error) { return jobCounts(ctx, p.store) })
	p.shown.BalanceProofs(func(ctx context.Context) ([]metrics.ProofCount, error) { return proofCounts(ctx, p.store) })
	p.shown.UnsealedChanges(func(ctx context.Context) (metrics.Unsealed, error) { return unsealed(ctx, p.store) })
	p.shown.WebhooksInError(func(ctx context.Context) (int64, error) { return p.store.WebhooksInError(ctx) })
	p.shown.Archive(func(ctx context.Context) (metrics.Archive, error) { return archive(ctx, p.store) })
	health := p.health(true, queues...)
	s := serve.Process{
		Log: p.log, Health: health, Limits: p.limits(),
		Listeners: []serve.Listener{p.ops(health)},
		Work: func(ctx context.Context) error {
			var files sync.WaitGroup
			files.Go(func() { p.ownFiles(ctx) })
			defer files.Wait()
			return scheduler.Run(ctx, scheduler.Config{
				Store: p.store, Client: p.client, Logger: p.log, Queues: served, Sealed: p.shown.Sealed(),
				Periodic: []scheduler.PeriodicTask{
					{Name: "sweep files", Every: time.Hour, Run: p.sweepFiles},
					{Name: "remove previews", Every: time.Hour, Run: p.removePreviews},
					{Name: "forget idempotency keys", Every: time.Hour, Run: p.forgetKeys},
					{Name: "count uses", Every: time.Hour, Run: p.countUses},
					{Name: "prove balances", Every: time.Minute, Run: p.proveBalances},
					{Name: "roll changes", Every: time.Hour, Run: p.rollChanges},
					{Name: "log the last changes", Every: headsEvery, Run: (&headLog{store: p.store, log: p.log}).run},
					{Name: "expire and remove deliveries", Every: deliveriesEvery(p.WebhookHeldFor, p.WebhookRetention), Run: p.tidyDeliveries},
				},
			})
		},
	}
	return s.Run(ctx)
}

// jobCounts counts the unfinished jobs, for the metrics and the monitor.
func jobCounts(ctx context.Context, store *storage.Store) ([]metrics.JobCount, error) {
	rows, err := store.JobCounts(ctx, served)
	counts := make([]metrics.JobCount, len(rows))
	for i, r := range rows {
		counts[i] = metrics.JobCount(r)
	}
	return counts, err
}

// proofCounts counts the deposit accounts by the status of their newest proof, for the metrics and the monitor.
func proofCounts(ctx context.Context, store *storage.Store) ([]metrics.ProofCount, error) {
	rows, err := store.BalanceProofCounts(ctx)
	counts := make([]metrics.ProofCount, len(rows))
	for i, r := range rows {
		counts[i] = metrics.ProofCount(r)
	}
	return counts, err
}

// unsealed counts the changes without a number, for the metrics and the monitor.
func unsealed(ctx context.Context, store *storage.Store) (metrics.Unsealed, error) {
	u, err := store.UnsealedChanges(ctx)
	return metrics.Unsealed(u), err
}

// archive reads the state of PostgreSQL's archiver.
func archive(ctx context.Context, store *storage.Store) (metrics.Archive, error) {
	a, err := store.Archive(ctx)
	return metrics.Archive(a), err
}

// orphanAge is how old a file without a row must be before it is removed. No upload takes as
// long.
const orphanAge = 24 * time.Hour

func (p *process) sweepFiles(ctx context.Context) error {
	if err := p.markFiles(ctx); err != nil { // ownFiles may not be that far
		return err
	}
	installation, err := p.client.Installation(ctx)
	if err != nil {
		return err
	}
	n, err := p.files.Sweep(ctx, installation, time.Now().Add(-orphanAge), p.store.UnknownFiles)
	if n > 0 {
		p.log.Info("files without a row removed", "count", n)
	}
	return err
}

func (p *process) removePreviews(ctx context.Context) error {
	n, err := p.store.RemovePreviews(ctx)
	if n > 0 {
		p.log.Info("previews that nobody confirmed removed", "count", n)
	}
	return err
}

func (p *process) forgetKeys(ctx context.Context) error {
	n, err := p.store.DeleteOldKeys(ctx)
	if n > 0 {
		p.log.Info("expired idempotency keys removed", "count", n)
	}
	return err
}

// countUses refreshes use_count of categories, people and centers, which is an hour old at most.
func (p *process) countUses(ctx context.Context) error {
	_, err := p.store.CountUses(ctx)
	return err
}

// proveBalances asks for the proofs of what has changed.
func (p *process) proveBalances(ctx context.Context) error {
	_, err := p.store.AskProofs(ctx)
	return err
}

func (p *process) rollChanges(ctx context.Context) error {
	return p.store.RollChanges(ctx, p.ChangesRetention)
}

const (
	// headsEvery is how often the last changes are logged.
	headsEvery = time.Hour
	// headsBefore is how far the first run of a process looks back: another leader may have ended long
	// before its next run, and changes are numbered only while there is one.
	headsBefore = 48 * time.Hour
)

// headLog logs the last change of each account that has had one since the last run that succeeded.
// Only a hash that is stored elsewhere proves that the changes before it are those of then.
type headLog struct {
	store *storage.Store
	log   *slog.Logger
	last  time.Time // when the last run that succeeded began; zero before the first
}

func (l *headLog) run(ctx context.Context) error {
	now, err := l.store.Clock(ctx)
	if err != nil {
		return err
	}
	since := now.Add(-headsBefore)
	if !l.last.IsZero() {
		since = l.last.Add(-time.Minute) // what was sealed then may have been committed later
	}
	heads, err := l.store.ChangeHeadsSince(ctx, since)
	if err != nil {
		return err
	}
	for _, h := range heads {
		l.log.Info("last change", "account", h.AccountID, "sequence", h.Sequence, "hash", hex.EncodeToString(h.Hash))
	}
	l.last = now
	return nil
}

// deliveriesEvery is how often deliveries are expired and removed: twice within the shortest of
// the periods, and at least hourly.
func deliveriesEvery(kept ...time.Duration) time.Duration { return min(slices.Min(kept)/2, time.Hour) }

func (p *process) tidyDeliveries(ctx context.Context) error {
	expired, err := p.store.ExpireDeliveries(ctx, p.WebhookHeldFor)
	if err != nil {
		return err
	}
	removed, err := p.store.RemoveDeliveries(ctx, p.WebhookRetention)
	if expired+removed > 0 {
		p.log.Info("deliveries expired or removed", "expired", expired, "removed", removed)
	}
	return err
}
