package api

import (
	"context"
	"net/http"
	"time"

	"bordero/storage"
	"bordero/storage/deliveries"
)

// VerifyWebhook is the action verify_status for an operator: it calls the endpoint of a webhook
// with a client of internal/outgoing, and stores the result. It returns the status of the answer;
// 0 if none came, or the address is not public. Without such a webhook the error is
// storage.ErrNotFound.
func VerifyWebhook(ctx context.Context, store *storage.Store, client *http.Client, account, id int64) (int, error) {
	w, err := deliveries.Webhook(ctx, store.Queries, account, id)
	if err != nil {
		return 0, err
	}
	a := &API{Config: Config{Store: store, Outgoing: client, Now: time.Now, Zone: time.UTC}}
	code, refusal := a.check(ctx, w)
	status := 0
	if code != nil {
		status = int(*code)
	}
	if err := ctx.Err(); err != nil { // the call was cut off: that proves nothing about the endpoint
		return 0, err
	}
	return status, store.InTx(ctx, func(tx *storage.Tx) error {
		if refusal == nil {
			return deliveries.ActivateWebhook(ctx, tx, account, id, http.StatusOK)
		}
		w, err := deliveries.LockWebhook(ctx, tx, account, id)
		if err != nil {
			return err
		}
		return deliveries.NoteWebhookCheck(ctx, tx, w, code)
	})
}
