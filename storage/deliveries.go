package storage

import (
	"context"

	"bordero/finance"
	"bordero/jobs"
)

// ActivateWebhook notes that a test of the webhook was answered with the code and
// lets go out what was kept for it. It may run twice. The webhook is locked.
func (tx *Tx) ActivateWebhook(ctx context.Context, account, id int64, code int) error {
	_, err := exec(ctx, tx.q, `UPDATE webhooks SET status = $4, healthy_check_code = $3, updated_at = now() WHERE account_id = $1 AND id = $2`,
		account, id, code, finance.WebhookActive)
	if err != nil {
		return err
	}
	held, err := exec(ctx, tx.q, `
		UPDATE deliveries SET status = 'pending', next_at = now() WHERE account_id = $1 AND webhook_id = $2 AND status = 'held'`, account, id)
	if err != nil || held == 0 {
		return err
	}
	return tx.Enqueue(ctx, account, jobs.DeliverWebhook{AccountID: account, WebhookID: id})
}
