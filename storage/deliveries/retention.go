package deliveries

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bordero/internal/db"
	"bordero/storage"

	"github.com/lib/pq"
)

// Expire marks held deliveries that were created longer ago than after as expired, in
// chunks, and returns their number. It counts from the last time when they were due, if that is later: a
// redelivery from its request, and any other from its next attempt or the last activation of its webhook. Two
// calls may run at once. An error in one account does not keep it from the others.
func Expire(ctx context.Context, s *storage.Store, after time.Duration) (expired int64, err error) {
	err = eachSubscriber(ctx, s, func(account int64) error {
		const some = 10_000
		for n := int64(some); n == some; expired += n {
			var err error
			n, err = db.Exec(ctx, s.DB, `
				UPDATE deliveries SET status = 'expired' WHERE account_id = $1 AND id = ANY(ARRAY(
					SELECT id FROM deliveries WHERE account_id = $1 AND status = 'held'
						AND greatest(created_at, next_at) <= now() - make_interval(secs => $2)
					LIMIT $3 FOR UPDATE SKIP LOCKED))`, account, after.Seconds(), some)
			if err != nil {
				return fmt.Errorf("expire deliveries: %w", err)
			}
		}
		return nil
	})
	return expired, err
}

// Remove removes deliveries with their attempts, in chunks, and returns their number. It
// removes deliveries that were delivered longer ago than after, and failed and expired deliveries
// that were created longer ago. Two calls may run at once. An error in one account does not keep it from the others.
func Remove(ctx context.Context, s *storage.Store, after time.Duration) (removed int64, err error) {
	err = eachSubscriber(ctx, s, func(account int64) error {
		// Ids grow with time: the deliveries of an account are read by id until one is not old,
		// which needs no index of its own.
		for mark := int64(0); ; {
			const some = 5000
			page, err := db.Many[struct {
				ID        int64
				Old, Done bool
			}](ctx, s.DB, `
				SELECT id, created_at <= now() - make_interval(secs => $3) AS old,
					status IN ('delivered', 'failed', 'expired')
						AND coalesce(delivered_at, created_at) <= now() - make_interval(secs => $3) AS done
				FROM deliveries WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $4`, account, mark, after.Seconds(),
				some)
			if err != nil {
				return fmt.Errorf("look for old deliveries: %w", err)
			}
			var done pq.Int64Array
			for _, d := range page {
				mark = d.ID
				if d.Done {
					done = append(done, d.ID)
				}
			}
			n, err := removeDeliveries(ctx, s, account, done)
			removed += n
			if err != nil || len(page) < some || !page[len(page)-1].Old {
				return err
			}
		}
	})
	return removed, err
}

// removeDeliveries removes the deliveries, except the locked ones and any whose status is no longer
// delivered, failed or expired.
func removeDeliveries(ctx context.Context, s *storage.Store, account int64, ids pq.Int64Array) (n int64, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	err = s.InTx(ctx, func(tx *storage.Tx) error {
		locked, err := db.Many[int64](ctx, tx.DB, `
			SELECT id FROM deliveries WHERE account_id = $1 AND id = ANY($2) AND status IN ('delivered', 'failed',
				'expired')
			FOR UPDATE SKIP LOCKED`, account, ids)
		if err != nil {
			return err
		}
		if _, err := db.Exec(ctx, tx.DB,
			`DELETE FROM delivery_attempts WHERE account_id = $1 AND delivery_id = ANY($2)`, account,
			pq.Array(locked)); err != nil {
			return err
		}
		n, err = db.Exec(ctx, tx.DB, `DELETE FROM deliveries WHERE account_id = $1 AND id = ANY($2)`, account,
			pq.Array(locked))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("remove old deliveries: %w", err)
	}
	return n, nil
}

// eachSubscriber calls do for each account that has webhooks, also after errors, and returns the first errors.
func eachSubscriber(ctx context.Context, s *storage.Store, do func(account int64) error) error {
	accounts, err := db.Many[int64](ctx, s.DB, `SELECT DISTINCT account_id FROM webhooks ORDER BY account_id`)
	if err != nil {
		return fmt.Errorf("accounts with webhooks: %w", err)
	}
	var failed []error
	for _, account := range accounts {
		err := do(account)
		if err != nil && len(failed) < 10 {
			failed = append(failed, fmt.Errorf("account %d: %w", account, err))
		}
		if ctx.Err() != nil {
			return errors.Join(append(failed, ctx.Err())...)
		}
	}
	return errors.Join(failed...)
}
