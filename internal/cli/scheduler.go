package cli

import (
	"context"
	"sync"

	"bordero/internal/metrics"
	"bordero/scheduler"
	"bordero/storage"
	"bordero/storage/operators"
	"bordero/storage/proof"
)

// schedulerCommand runs the relay and the periodic work. Several schedulers may run; one of them leads.
type schedulerCommand struct{}

func (schedulerCommand) Run(ctx context.Context) error {
	p, err := openProcess(ctx, "scheduler", forJobs)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.needs(schedulerConnections,
		"the leader and the sealer hold one each, and the relay must not wait for the periodic work"); err != nil {
		return err
	}
	p.metrics.Queues(p.client.Inspector(), workerQueues)
	p.metrics.DueJobs(func(ctx context.Context) ([]metrics.JobCount, error) { return jobCounts(ctx, p.store) })
	p.metrics.BalanceProofs(func(ctx context.Context) ([]metrics.ProofCount, error) {
		return proofCounts(ctx, p.store)
	})
	p.metrics.UnsealedChanges(func(ctx context.Context) (metrics.Unsealed, error) { return unsealed(ctx, p.store) })
	p.metrics.WebhooksInError(func(ctx context.Context) (int64, error) {
		return operators.WebhooksInError(ctx, p.store.Queries)
	})
	p.metrics.Archive(func(ctx context.Context) (metrics.Archive, error) { return archive(ctx, p.store) })
	health := p.health(true, workerQueues...)
	return p.server(health, func(ctx context.Context) error {
		if !p.migrated(ctx) {
			return nil
		}
		var files sync.WaitGroup
		files.Go(func() { p.ownFiles(ctx) })
		defer files.Wait()
		return scheduler.Run(ctx, scheduler.Config{
			Store: p.store, Client: p.client, Logger: p.log, Queues: jobQueues, Sealed: p.metrics.Sealed(),
			Succeeded: p.metrics.PeriodicTasks(), TasksAtOnce: tasksAtOnce(p.DatabaseConnections),
			Periodic: p.housekeeping().Tasks(),
		})
	}).Run(ctx)
}

// housekeeping returns the periodic work with the retentions of the configuration.
func (p *process) housekeeping() scheduler.Housekeeping {
	return scheduler.Housekeeping{
		Store: p.store, Files: p.files, Installation: p.client.Installation, Logger: p.log,
		ChangesRetention: p.ChangesRetention, WebhookHeldFor: p.WebhookHeldFor, WebhookRetention: p.WebhookRetention,
		IgnoredTextsRetention: p.IgnoredTextsRetention, DismissedJobsRetention: p.DismissedJobsRetention,
	}
}

// schedulerConnections are one each for the leader, the sealer, a periodic task, and the relay with the checks and
// metrics.
const schedulerConnections = 4

// tasksAtOnce is how many periodic tasks, each with its connection, may run at once: one at the
// minimum, and otherwise as many as leave the relay, the checks and the metrics three.
func tasksAtOnce(connections int) int { return max(1, connections-5) }

// jobCounts counts the unfinished jobs.
func jobCounts(ctx context.Context, store *storage.Store) ([]metrics.JobCount, error) {
	rows, err := operators.JobCounts(ctx, store.Queries, jobQueues)
	counts := make([]metrics.JobCount, len(rows))
	for i, r := range rows {
		counts[i] = metrics.JobCount(r)
	}
	return counts, err
}

// proofCounts counts the deposit accounts by the status of their newest proof.
func proofCounts(ctx context.Context, store *storage.Store) ([]metrics.ProofCount, error) {
	rows, err := proof.Counts(ctx, store.Queries)
	counts := make([]metrics.ProofCount, len(rows))
	for i, r := range rows {
		counts[i] = metrics.ProofCount(r)
	}
	return counts, err
}

// unsealed counts the changes without a number.
func unsealed(ctx context.Context, store *storage.Store) (metrics.Unsealed, error) {
	u, err := operators.CountUnsealed(ctx, store.Queries)
	return metrics.Unsealed(u), err
}

// archive reads the state of PostgreSQL's archiver.
func archive(ctx context.Context, store *storage.Store) (metrics.Archive, error) {
	a, err := operators.ReadArchive(ctx, store.Queries)
	return metrics.Archive(a), err
}
