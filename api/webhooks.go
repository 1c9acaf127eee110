package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/outgoing"
	"bordero/internal/paths"
	"bordero/internal/random"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/storage/list"
)

// webhooks are shown with their secret, and only their description can be changed. Creating and
// verifying a webhook calls its URL; see webhook_checks.go. PUT and DELETE return 200 without a
// body, as clients expect.
var webhooks = resource[finance.Webhook]{
	root: "webhook", plural: "webhooks",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.Webhook],
		error) {
		return deliveries.Webhooks(ctx, q, c.access.AccountID, l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.Webhook, error) {
		return deliveries.Webhook(ctx, q, c.access.AccountID, id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.Webhook, error) {
		w, err := deliveries.LockWebhook(ctx, tx, c.access.AccountID, id)
		if err != nil {
			return nil, err
		}
		return w, c.shareEntityByID(ctx, tx, w.EntityID)
	},
	newRecord: func(c *call) *finance.Webhook {
		return &finance.Webhook{AccountID: c.access.AccountID, Secret: newSecret(), Status: finance.WebhookActive}
	},
	assign: func(in *wire.Input, w *finance.Webhook) {
		in.StringPtr("description", &w.Description)
	},
	validate: validateWebhook,
	insert:   inTurn(asMethod(deliveries.InsertWebhook)),
	update:   asMethod(deliveries.UpdateWebhook),
	remove:   asMethod(deliveries.RemoveWebhook),
	show: func(_ *call, w *wire.Writer, h *finance.Webhook) {
		showWebhook(w, h, func() { w.IntPtr("healthy_check_code", h.HealthyCheckCode) })
		if h.Secret == "" { // the stored answer of an Idempotency-Key has no secret
			w.Null("secret")
			return
		}
		w.String("secret", h.Secret)
	},
	events: func(_ *call, h *finance.Webhook, action finance.Action) []finance.Event {
		return []finance.Event{{Family: finance.WebhooksFamily, Action: action, AccountID: h.AccountID,
			EntityID: h.EntityID, IDs: []int64{h.ID}}}
	},
	path: func(_ *call, w *finance.Webhook) string { return paths.Webhook(w.ID) },
}

// assignNewWebhook assigns all attributes that a client chooses; later only the description changes.
func assignNewWebhook(in *wire.Input, w *finance.Webhook) {
	in.Int("entity_id", &w.EntityID)
	in.String("format", &w.Format)
	in.String("url", &w.URL)
	in.Strings("events", (*[]string)(&w.Events))
	secret := &w.Secret
	if in.StringPtr("secret", &secret); secret != nil {
		w.Secret = *secret
	}
	webhooks.assign(in, w)
}

// limitWebhooks locks the entity of a new webhook, and refuses a webhook beyond the limit of the
// entity and the quota of the account.
func (c *call) limitWebhooks(ctx context.Context, tx *storage.Tx, w *finance.Webhook) error {
	ofEntity, ofAccount, err := deliveries.CountWebhooksLocked(ctx, tx, storage.Scope{
		AccountID: w.AccountID, EntityID: w.EntityID})
	if err != nil {
		return err
	}
	if err := c.shareEntityByID(ctx, tx, w.EntityID); err != nil {
		return err
	}
	switch {
	case ofEntity >= c.api.WebhooksPerEntity:
		return finance.Refuse("base", messages.WebhooksOfEntity.With(c.api.WebhooksPerEntity))
	case ofAccount >= c.access.Quotas[finance.Webhooks]:
		return finance.Refuse("base", messages.WebhooksOfAccount.With(ofAccount, c.access.Quotas[finance.Webhooks]))
	}
	return nil
}

// validateWebhook refuses an invalid webhook and a forbidden URL.
func validateWebhook(w *finance.Webhook) error {
	var invalid finance.Invalid
	if of := (*finance.Invalid)(nil); errors.As(w.Validate(), &of) {
		invalid = *of
	}
	if err := outgoing.CheckURL(w.URL); err != nil {
		invalid.Add("url", messages.FaultOf(err))
	}
	return invalid.Err()
}

// listWebhooks lists webhooks without secrets: 200.
func (a *API) listWebhooks(c *call) error {
	return webhooks.sendList(a, c, completeList, showListedWebhook)
}

// showListedWebhook writes a webhook without its secret, and the code as a text, as clients expect
// in lists.
func showListedWebhook(_ *call, w *wire.Writer, h *finance.Webhook) {
	showWebhook(w, h, func() {
		if h.HealthyCheckCode == nil {
			w.Null("healthy_check_code")
			return
		}
		w.String("healthy_check_code", strconv.FormatInt(*h.HealthyCheckCode, 10))
	})
}

// rotateSecret gives a webhook a new secret: 200 with the webhook. It needs no document.
func (a *API) rotateSecret(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
		w, err := webhooks.lockForUpdate(ctx, tx, c)
		if err != nil {
			return answer{}, err
		}
		w.Secret = newSecret()
		if err := deliveries.RotateSecret(ctx, tx, w); err != nil {
			return answer{}, err
		}
		return webhooks.document(c, http.StatusOK, w), webhooks.emit(ctx, tx, c, w, finance.Updated)
	})
}

func showWebhook(w *wire.Writer, h *finance.Webhook, code func()) {
	w.Int("id", h.ID)
	w.Int("account_id", h.AccountID)
	w.Int("entity_id", h.EntityID)
	w.StringPtr("description", h.Description)
	w.String("url", h.URL)
	w.String("format", h.Format)
	w.StringArray("events", "event", h.Events)
	code()
	w.String("status", h.Status.Label())
	w.Time("created_at", h.CreatedAt)
	w.Time("updated_at", h.UpdatedAt)
}

// newSecret returns a secret of 24 hex characters from the system's random source.
func newSecret() string { return random.Hex(12) }

var webhookFields = openapi.Fields{
	"description": {Doc: "A text for people."},
	"url": {
		Doc: "The address to which notifications are sent.",
		In: "HTTP or HTTPS, on port 80, 443 or one from 1024 on, without user or password. It must resolve to a " +
			"public " +
			"address, now and at each attempt. Blanks and other characters that a URL cannot have are escaped as it " +
			"is called.",
		Format: "uri",
	},
	"format": {Doc: "The format of notifications.", Enum: openapi.Enum{
		Name: "WebhookFormat", Values: []string{"json", "xml"}}},
	"events": {
		Doc: "The events that are sent: names such as `sales.created`, and families such as `sales.*`; null " +
			"selects all.",
		In: "The events to send: names such as `sales.created`, and families such as `sales.*`. Absent, null or " +
			"empty selects all. The events cannot change later.",
	},
	"healthy_check_code": {Doc: "The status of the answer to the last test, or to the later attempt that put the " +
		"webhook in error; null if no complete answer came."},
	"status": {
		Doc: "`Com erro` from the fifth failed attempt of a notification until a test succeeds.", Enum: openapi.Enum{
			Name: "WebhookStatus", Values: []string{"Ativo", "Com erro"}},
	},
	"secret": {
		Doc: "The key of the signatures. Null in an answer that is repeated for its `Idempotency-Key`.",
		In: "The key of the signatures, 24 to 64 hexadecimal characters; a key is generated if absent. A " +
			"receiver that has the key can verify the test, too.",
		Pattern: "^[0-9a-fA-F]{24,64}$",
	},
}
