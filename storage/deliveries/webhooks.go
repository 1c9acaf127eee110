package deliveries

import (
	"context"
	"encoding/json"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/list"

	"github.com/lib/pq"
)

const webhookColumns = `id, account_id, entity_id, url, format, description, to_json(events) AS events, secret,
	previous_secret, previous_secret_until, status,
	healthy_check_code, created_at, updated_at`

var webhookFilters = list.Table("Webhook", map[string]list.Filter{
	"entity_id_equals": list.Where("entity_id = ?", list.ID, "Of this entity."),
	"updated_at_gte":   list.ChangedSince(""),
})

// Webhooks lists the webhooks of the account, by id.
func Webhooks(ctx context.Context, q storage.Queries, account int64, l list.Query) (list.Page[finance.Webhook], error) {
	return list.Read[finance.Webhook](ctx, q.DB, l, webhookFilters, webhookColumns,
		`webhooks WHERE account_id = @account AND deleted_at IS NULL`, list.By("id"), db.Args{"account": account})
}

// Webhook reads one webhook of the account.
func Webhook(ctx context.Context, q storage.Queries, account, id int64) (*finance.Webhook, error) {
	w, err := db.One[finance.Webhook](ctx, q.DB,
		`SELECT `+webhookColumns+` FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`, account, id)
	return &w, err
}

// LockWebhook reads one webhook of the account and locks it FOR NO KEY UPDATE, to change it or its
// deliveries. Every writer of these begins with it, so that nothing is added below a webhook that is
// being deleted. Events do not wait for it.
func LockWebhook(ctx context.Context, tx *storage.Tx, account, id int64) (*finance.Webhook, error) {
	w, err := db.One[finance.Webhook](ctx, tx.DB,
		`SELECT `+webhookColumns+` FROM webhooks WHERE account_id = $1 AND id = $2
		AND deleted_at IS NULL FOR NO KEY UPDATE`, account, id)
	return &w, err
}

// CountWebhooksLocked counts the webhooks of the entity and of the account, whose row it locks FOR
// NO KEY UPDATE: transactions that add a webhook are serialised from here to their end. The account
// comes before the entity (docs/locking.md). Webhooks of entities that are being deleted do not count:
// nobody can delete them to make room.
func CountWebhooksLocked(ctx context.Context, tx *storage.Tx, s storage.Scope) (ofEntity, ofAccount int64, err error) {
	if err := tx.LockAccount(ctx, s.AccountID); err != nil {
		return 0, 0, err
	}
	n, err := db.One[struct{ Entity, Account int64 }](ctx, tx.DB, `
		SELECT count(*) FILTER (WHERE entity_id = $2) AS entity, count(*) AS account FROM webhooks w
			WHERE account_id = $1 AND deleted_at IS NULL AND `+storage.EntityVisible("w"),
		s.AccountID, s.EntityID)
	return n.Entity, n.Account, err
}

// InsertWebhook stores a new webhook and completes it with the values that the database set.
func InsertWebhook(ctx context.Context, tx *storage.Tx, w *finance.Webhook) (err error) {
	*w, err = db.OneNamed[finance.Webhook](ctx, tx.DB, insertWebhook, db.Args{
		"account": w.AccountID, "entity": w.EntityID, "url": w.URL, "format": w.Format, "description": w.Description,
		"events": pq.StringArray(w.Events), "secret": w.Secret, "code": w.HealthyCheckCode,
	})
	return err
}

var insertWebhook = db.Named("webhooks.insert", `
	INSERT INTO webhooks (account_id, entity_id, url, format, description, events, secret, healthy_check_code)
	VALUES (@account, @entity, @url, @format, @description, @events, @secret, @code) RETURNING `+webhookColumns)

// UpdateWebhook stores the description of a webhook and changes nothing else.
func UpdateWebhook(ctx context.Context, tx *storage.Tx, w *finance.Webhook) (err error) {
	*w, err = db.One[finance.Webhook](ctx, tx.DB, `
		UPDATE webhooks SET description = $3, updated_at = now() WHERE account_id = $1 AND id = $2 RETURNING `+
		webhookColumns,
		w.AccountID, w.ID, w.Description)
	return err
}

// RotateSecret sets the new secret of a webhook. The previous one
// also signs for a day; the one before that is forgotten.
func RotateSecret(ctx context.Context, tx *storage.Tx, w *finance.Webhook) (err error) {
	*w, err = db.One[finance.Webhook](ctx, tx.DB, `
		UPDATE webhooks SET previous_secret = secret, previous_secret_until = now() + interval '24 hours', secret = $3,
			updated_at = now()
		WHERE account_id = $1 AND id = $2 RETURNING `+webhookColumns, w.AccountID, w.ID, w.Secret)
	return err
}

// NoteWebhookCheck stores the status code of a failed test of a locked webhook, nil when no response
// came, and emits the event if the code is another one.
func NoteWebhookCheck(ctx context.Context, tx *storage.Tx, w *finance.Webhook, code *int64) error {
	return changeWebhook(ctx, tx, w, `healthy_check_code = @code`, db.Args{"code": code})
}

// changeWebhook sets columns of a locked webhook, to expressions of the parameters @account, @id and the
// names of args, and emits the change with its attributes, if any differs.
func changeWebhook(ctx context.Context, tx *storage.Tx, before *finance.Webhook, set string, args db.Args) error {
	change := db.Bind(`
		UPDATE webhooks SET ` + set + `, updated_at = now() WHERE account_id = @account AND id = @id RETURNING ` +
		webhookColumns)
	after, err := db.OneNamed[finance.Webhook](ctx, tx.DB, change,
		db.Args{"account": before.AccountID, "id": before.ID}, args)
	if err != nil {
		return err
	}
	attributes, err := changedHealth(before, &after)
	if err != nil || attributes == "" {
		return err
	}
	return tx.Emit(ctx, finance.Event{
		Family: finance.WebhooksFamily, Action: finance.Updated, AccountID: after.AccountID, EntityID: after.EntityID,
		IDs: []int64{after.ID}, Attributes: attributes,
	})
}

// changedHealth returns, as the API shows them, the differing attributes of the health of a
// webhook, or "" if no attribute differs.
func changedHealth(before, after *finance.Webhook) (string, error) {
	changed := map[string][2]any{}
	if b, a := before.HealthyCheckCode, after.HealthyCheckCode; (b == nil) != (a == nil) || b != nil && *b != *a {
		changed["healthy_check_code"] = [2]any{b, a}
	}
	if before.Status != after.Status {
		changed["status"] = [2]any{before.Status.Label(), after.Status.Label()}
	}
	if len(changed) == 0 {
		return "", nil
	}
	text, err := json.Marshal(changed)
	return string(text), err
}

// RemoveWebhook hides a webhook, and enqueues its removal with all its
// deliveries.
func RemoveWebhook(ctx context.Context, tx *storage.Tx, w *finance.Webhook) error {
	return tx.Hide(ctx, "webhooks", w.AccountID, w.ID)
}
