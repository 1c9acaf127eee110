package cli

import (
	"context"
	"errors"
	"os"

	"bordero/internal/config"
	"bordero/internal/metrics"
	"bordero/internal/monitor"
	"bordero/internal/serve"
	"bordero/jobs"
	"bordero/storage"
)

// monitorCommand runs the overview and the Asynq dashboard, behind a login.
type monitorCommand struct{}

func (monitorCommand) Run(ctx context.Context) error {
	required := []string{"BORDERO_MONITOR_USER", "BORDERO_MONITOR_PASSWORD_HASH"}
	if user, hash := "BORDERO_MONITOR_READONLY_USER", "BORDERO_MONITOR_READONLY_PASSWORD_HASH"; os.Getenv(user)+os.Getenv(hash) != "" {
		required = append(required, user, hash) // neither works without the other
	}
	p, err := openServers("monitor", func(config.Config) storage.Options {
		return storage.Options{StatementTimeout: statementTimeout, IdleInTransaction: idleTimeout}
	}, required...)
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.client.Ready(ctx); errors.Is(err, jobs.ErrRefused) {
		return err
	}
	users := []monitor.User{{Name: p.MonitorUser, Hash: p.MonitorPasswordHash}}
	if p.MonitorReadOnlyUser != "" {
		users = append(users, monitor.User{Name: p.MonitorReadOnlyUser, Hash: p.MonitorReadOnlyPasswordHash, ReadOnly: true})
	}
	m, err := monitor.New(monitor.Config{
		Open: jobs.OpenRedis, RedisURL: p.RedisURL, Users: users, Watch: p.watch(), Trusted: p.TrustedProxies, Log: p.log,
	})
	if err != nil {
		return err
	}
	defer m.Close()
	health := p.health(true, queues...)
	s := serve.Process{
		Log: p.log, Health: health, Limits: p.limits(),
		Listeners: []serve.Listener{{Name: "monitor", Addr: p.MonitorAddr, Handler: m}, p.ops(health)},
		Work:      m.Run,
	}
	return s.Run(ctx)
}

// watched limits the rows of each list that the monitor shows.
const watched = 50

// watch returns the queries behind the monitor's lists, and the retry of a failed job.
func (p *process) watch() monitor.Watch {
	return monitor.Watch{
		Jobs: func(ctx context.Context) ([]metrics.JobCount, error) { return jobCounts(ctx, p.store) },
		Failed: func(ctx context.Context) ([]monitor.FailedJob, error) {
			rows, err := p.store.Jobs(ctx, storage.FailedJobs, watched)
			return each(rows, func(r storage.JobRow) monitor.FailedJob {
				return monitor.FailedJob{
					ID: r.ID, AccountID: value(r.AccountID), Kind: r.Kind, Error: value(r.Error), Attempts: r.Attempts, FailedAt: value(r.FailedAt),
				}
			}), err
		},
		Imports: func(ctx context.Context) ([]monitor.Import, error) {
			rows, err := p.store.Imports(ctx, watched)
			return each(rows, func(r storage.ImportRow) monitor.Import {
				return monitor.Import{AccountID: r.AccountID, BankStatementID: r.BankStatementID, Status: r.Status, Bytes: r.Bytes, Since: r.CreatedAt}
			}), err
		},
		Webhooks: func(ctx context.Context) ([]monitor.Webhook, error) {
			rows, err := p.store.WatchedWebhooks(ctx, watched)
			return each(rows, func(r storage.WebhookRow) monitor.Webhook {
				return monitor.Webhook{
					AccountID: r.AccountID, WebhookID: r.WebhookID, Status: r.Status,
					Pending: r.Pending, Held: r.Held, Failed: r.Failed, Delivered: r.Delivered,
				}
			}), err
		},
		Deletions: func(ctx context.Context) ([]monitor.Deletion, error) {
			rows, err := p.store.Deletions(ctx, watched)
			return each(rows, func(r storage.DeletionRow) monitor.Deletion {
				return monitor.Deletion{AccountID: r.AccountID, ID: r.ID, Root: r.Root, Removed: r.Removed, Left: r.Left, Since: r.StartedAt}
			}), err
		},
		Retry: func(ctx context.Context, id int64) (bool, error) {
			_, err := p.store.RetryJob(ctx, id)
			if errors.Is(err, storage.ErrNotFound) {
				return false, nil
			}
			return err == nil, err
		},
	}
}

// value returns *p, or the zero value for nil.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
