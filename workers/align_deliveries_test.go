package workers

import (
	"context"
	"fmt"
	"testing"

	"bordero/storage"
	"bordero/storage/deliveries"
)

// The request that verifies a webhook does not wait for a backlog, and neither does an event while
// the webhook fails: one transaction changes some of its deliveries, and jobs change the rest.
func TestABacklogIsHeldAndFreedInBatches(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	id, other := c.webhook("/"), c.webhook("/other")
	const backlog = 2*deliveries.StatusesAtOnce + 1
	c.Exec(`INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, next_at, created_at)
		SELECT $1, w, 'sales', 'created', n, $2, now(), now() - interval '1 minute' FROM generate_series(1, $3::int) n,
			unnest($4::bigint[]) w`,
		c.AccountID, c.EntityID, backlog, fmt.Sprintf("{%d,%d}", id, other))
	stop := c.Start(nil, alignDeliveries{store: c.Store, batch: deliveries.StatusesAtOnce}.handler())
	defer stop()
	becomes := func(status string, change func(context.Context, *storage.Tx) error) {
		t.Helper()
		c.InTx(func(ctx context.Context, tx *storage.Tx) error {
			if err := change(ctx, tx); err != nil {
				return err
			}
			var first, last, n int
			err := tx.DB.QueryRowxContext(ctx, `
				SELECT min(record_id), max(record_id), count(*) FROM deliveries WHERE webhook_id = $1
					AND family = 'sales' AND status = $2`, id, status).Scan(&first, &last, &n)
			if first != 1 || last != deliveries.StatusesAtOnce || n != last {
				t.Errorf("%d are %s at once, %d to %d", n, status, first, last)
			}
			return err
		})
		c.relayUntil("the end of the batches", func() bool {
			return c.Count(`SELECT count(*) FROM jobs WHERE kind = 'align_deliveries'`) == 0
		})
		if n := c.Count(`SELECT count(*) FROM deliveries WHERE webhook_id = $1 AND family = 'sales' AND status = $2`,
			id, status); n != backlog {
			t.Errorf("%d of %d are %s", n, backlog, status)
		}
		if n := c.Count(`SELECT count(*) FROM deliveries WHERE webhook_id = $1 AND family = 'sales'
			AND status = 'pending'`, other); n != backlog {
			t.Errorf("%d of %d of another webhook are pending", n, backlog)
		}
	}
	becomes("held", func(ctx context.Context, tx *storage.Tx) error {
		_, err := deliveries.FailWebhook(ctx, tx, c.AccountID, id, 1)
		return err
	})
	becomes("pending", func(ctx context.Context, tx *storage.Tx) error {
		return deliveries.ActivateWebhook(ctx, tx, c.AccountID, id, 200)
	})
	if n := c.Count(`SELECT count(*) FROM deliveries WHERE webhook_id = $1 AND status = 'pending' AND next_at > now()`,
		id); n != 0 {
		t.Errorf("%d are not due", n)
	}
	if n := c.Count(`SELECT count(*) FROM jobs WHERE kind = 'deliver_webhook' AND key = 'webhook:' || $1::bigint`,
		id); n == 0 {
		t.Error("no run delivers them")
	}
}
