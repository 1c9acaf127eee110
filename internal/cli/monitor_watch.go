package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/metrics"
	"bordero/internal/outgoing"
	"bordero/jobs"
	"bordero/monitor"
	"bordero/storage"
)

const (
	watched = 50     // rows of each list that the monitor shows
	atOnce  = 10_000 // failed jobs that a button retries or dismisses; the monitor counts no more
	resent  = 1000   // failed deliveries that a button sends again; the monitor counts no more
)

// watch returns the queries behind the monitor's lists, and what its buttons do.
func (p *process) watch() monitor.Watch {
	calls := outgoing.New(outgoing.Options{Allow: p.WebhookAllowCIDRs})
	return monitor.Watch{
		Queues:   p.watchedQueues,
		Jobs:     func(ctx context.Context) ([]metrics.JobCount, error) { return jobCounts(ctx, p.store) },
		Unsealed: func(ctx context.Context) (metrics.Unsealed, error) { return unsealed(ctx, p.store) },
		Proofs:   func(ctx context.Context) ([]metrics.ProofCount, error) { return proofCounts(ctx, p.store) },
		Failed: func(ctx context.Context) ([]monitor.FailedJob, error) {
			rows, err := p.store.FailedJobRows(ctx, watched)
			return each(rows, failedJob), err
		},
		Imports: func(ctx context.Context) ([]monitor.Import, error) {
			rows, err := p.store.Imports(ctx, watched)
			return each(rows, func(r storage.ImportRow) monitor.Import {
				return monitor.Import{AccountID: r.AccountID, BankStatementID: r.BankStatementID, Status: r.Status, Bytes: r.Bytes, Since: r.CreatedAt}
			}), err
		},
		Webhooks: func(ctx context.Context) ([]monitor.Webhook, error) {
			rows, err := p.store.WatchedWebhooks(ctx, watched)
			return each(rows, watchedWebhook), err
		},
		Deletions: func(ctx context.Context) ([]monitor.Deletion, error) {
			rows, err := p.store.Deletions(ctx, watched)
			return each(rows, func(r storage.DeletionRow) monitor.Deletion {
				return monitor.Deletion{AccountID: r.AccountID, ID: r.ID, Root: r.Root, Removed: r.Removed, Left: r.Left, Since: r.StartedAt}
			}), err
		},
		Changes: p.searchChanges,
		Retry: func(ctx context.Context, id int64) (bool, error) {
			_, err := p.store.RetryJob(ctx, id)
			return found(err)
		},
		RetryAll: func(ctx context.Context, kind string, until time.Time) (int64, error) {
			return p.store.RetryFailedJobs(ctx, kind, until, atOnce)
		},
		Dismiss: func(ctx context.Context, id int64, user string) (bool, error) {
			return found(p.store.DismissJob(ctx, id, user))
		},
		DismissAll: func(ctx context.Context, kind string, until time.Time, user string) (int64, error) {
			return p.store.DismissFailedJobs(ctx, kind, until, user, atOnce)
		},
		Verify: func(ctx context.Context, account, webhook int64) (int, bool, error) {
			code, err := api.VerifyWebhook(ctx, p.store, calls, account, webhook)
			ok, err := found(err)
			return code, ok, err
		},
		Redeliver: p.redeliverFailed,
	}
}

// watchedQueues reads the queues and their workers from Redis.
func (p *process) watchedQueues(ctx context.Context) ([]monitor.Queue, error) {
	states, err := p.client.QueueStates(ctx, queues)
	if err != nil {
		return nil, err
	}
	all := make([]monitor.Queue, len(states))
	for i, s := range states {
		all[i] = monitor.Queue{Name: s.Queue, Paused: s.Paused}
		for _, w := range s.Workers {
			all[i].Workers = append(all[i].Workers, monitor.Worker{Version: w.Version, Beat: w.Beat})
		}
	}
	return all, nil
}

// subjects are the words for the tables that jobs are about.
var subjects = map[string]string{
	"bank_statements": "statement", "sale_accounts": "sale account", "webhooks": "webhook",
	"entities": "entity", "deposit_accounts": "deposit account", "credit_cards": "credit card",
}

func failedJob(r storage.FailedJobRow) monitor.FailedJob {
	j := monitor.FailedJob{
		ID: r.ID, AccountID: r.AccountID, Account: r.Account, Kind: r.Kind, Error: r.Error, RequestID: r.RequestID,
		Attempts: r.Attempts, FailedAt: r.FailedAt, Name: r.Name,
	}
	if r.RecordID != 0 {
		j.About = fmt.Sprint(subjects[r.Table], " ", r.RecordID)
	}
	return j
}

func watchedWebhook(r storage.WebhookRow) monitor.Webhook {
	return monitor.Webhook{
		AccountID: r.AccountID, WebhookID: r.WebhookID, Address: outgoing.Address(r.URL), Description: r.Description, Status: r.Status, ErrorSince: r.ErrorSince,
		Pending: r.Pending, Held: r.Held, Failed: r.Failed, Delivered: r.Delivered, AnsweredAt: r.AnsweredAt, Code: r.ResponseCode, Reason: r.Error,
	}
}

var failedDeliveries = map[string]string{"status": string(finance.DeliveryFailed)}

// redeliverFailed sends the failed deliveries of a webhook again.
func (p *process) redeliverFailed(ctx context.Context, account, webhook int64) (n int64, there bool, err error) {
	there, err = found(p.store.InTx(ctx, func(tx *storage.Tx) error {
		w, err := tx.LockWebhook(ctx, account, webhook)
		if err != nil {
			return err
		}
		ids, err := tx.RedeliverNext(ctx, w, jobs.RedeliverWebhook{Search: failedDeliveries, UpTo: math.MaxInt64}, resent)
		n = int64(len(ids))
		return err
	}))
	return n, there, err
}

// found returns whether err says that there is such a record, and an error of another kind.
func found(err error) (bool, error) {
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
