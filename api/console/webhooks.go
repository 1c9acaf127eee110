package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"bordero/finance"
	"bordero/internal/messages"
)

// hook is a webhook. In lists it has no secret.
type hook struct {
	ID          int64
	EntityID    int64 `json:"entity_id"`
	Description string
	URL         string
	Format      string
	Events      []string
	Code        json.RawMessage `json:"healthy_check_code"` // a number, or in lists a text
	Status      string
	Secret      string
	Href        string
	Entity      string `json:"-"`
}

// Answer is the status of the answer to the last test; "" without an answer.
func (h hook) Answer() string {
	if text := strings.Trim(string(h.Code), `"`); text != "null" {
		return text
	}
	return ""
}

// deliveryOf is a notification of a webhook, with the attempts to deliver it on its own page.
type deliveryOf struct {
	ID            int64
	Event, Path   string
	Status        string
	Attempts      []attempt
	AttemptsCount int    `json:"attempts_count"`
	NextAttemptAt string `json:"next_attempt_at"`
	CreatedAt     string `json:"created_at"`
	DeliveredAt   string `json:"delivered_at"`
	Body          string
	Href          string
}

// attempt is one POST of a notification.
type attempt struct {
	Number    int
	StartedAt string `json:"started_at"`
	Code      int    `json:"response_code"`
	Error     string
	Excerpt   string `json:"response_excerpt"`
}

// webhooksPage lists the webhooks, with the form of a new one.
type webhooksPage struct {
	Webhooks []hook
	Entities []named
}

const webhooksPath = "/integrations/webhooks"

// webhookPath is the path of the webhook in the API.
func (v *visit) webhookPath() string { return webhooksPath + "/" + v.r.PathValue("webhook") }

// deliveryPath is the path of the delivery in the API.
func (v *visit) deliveryPath() string {
	return v.webhookPath() + "/deliveries/" + v.r.PathValue("delivery")
}

func (v *visit) webhooks() error {
	var list []struct{ Webhook hook }
	if _, err := v.get(webhooksPath, nil, &list); err != nil {
		return err
	}
	p := &webhooksPage{Entities: v.Account().Entities}
	for _, w := range list {
		w.Webhook.Href = v.Root() + "/webhooks/" + strconv.FormatInt(w.Webhook.ID, 10)
		w.Webhook.Entity = v.entityName(w.Webhook.EntityID)
		p.Webhooks = append(p.Webhooks, w.Webhook)
	}
	return v.show(v.status(), "webhooks", p)
}

func (v *visit) entityName(id int64) string {
	for _, e := range v.Account().Entities {
		if e.ID == id {
			return e.Name
		}
	}
	return ""
}

// createWebhook takes the form of a new webhook: 303 to its page, which has the secret.
func (v *visit) createWebhook() error {
	entity, _ := strconv.ParseInt(v.Sent.Get("entity_id"), 10, 64) // the API refuses 0
	document := map[string]any{"entity_id": entity, "url": v.Sent.Get("url"), "format": v.Sent.Get("format")}
	for _, name := range []string{"secret", "description"} {
		if text := v.Sent.Get(name); text != "" {
			document[name] = text
		}
	}
	if events := strings.FieldsFunc(v.Sent.Get("events"), isBetween); len(events) > 0 {
		document["events"] = events
	}
	var made struct{ Webhook hook }
	if err := v.send(http.MethodPost, webhooksPath, map[string]any{"webhook": document}, &made); err != nil {
		return v.again(err, (*visit).webhooks)
	}
	return v.done(v.Root()+"/webhooks/"+strconv.FormatInt(made.Webhook.ID, 10), "created")
}

// isBetween reports whether a character separates the words of a list that a person types.
func isBetween(r rune) bool { return strings.ContainsRune(", ;\n\r\t", r) }

// webhookPage is a webhook with its last deliveries.
type webhookPage struct {
	Webhook    hook
	Version    string // the ETag
	Deliveries []deliveryOf
	Status     string // of the deliveries that are shown; "" for all
	Pager      pager
}

// Statuses lists the statuses that deliveries may have.
func (webhookPage) Statuses() []finance.DeliveryStatus { return finance.DeliveryStatuses }

func (v *visit) webhook() error {
	var shown struct{ Webhook hook }
	h, err := v.get(v.webhookPath(), nil, &shown)
	if err != nil {
		return err
	}
	p := &webhookPage{Webhook: shown.Webhook, Version: h.Get("ETag")}
	p.Webhook.Entity = v.entityName(p.Webhook.EntityID)
	query := url.Values{}
	for _, name := range []string{"page", "per_page", "search[status]"} {
		if text := v.r.URL.Query().Get(name); text != "" {
			query.Set(name, text)
		}
	}
	p.Status = query.Get("search[status]")
	var list []struct {
		Delivery deliveryOf `json:"webhook_delivery"`
	}
	if h, err = v.get(v.webhookPath()+"/deliveries", query, &list); err != nil {
		return err
	}
	for _, d := range list {
		d.Delivery.Href = v.WebhookPage() + "/deliveries/" + strconv.FormatInt(d.Delivery.ID, 10)
		p.Deliveries = append(p.Deliveries, d.Delivery)
	}
	p.Pager = v.pager(h)
	for _, page := range []*string{&p.Pager.Previous, &p.Pager.Next} { // the deliveries are on this page
		if _, query, is := strings.Cut(*page, "?"); is {
			*page = "?" + query
		}
	}
	return v.show(v.status(), "webhook", p)
}

// WebhookPage is the address of the webhook's page.
func (v *visit) WebhookPage() string { return v.Root() + "/webhooks/" + v.r.PathValue("webhook") }

func (v *visit) delivery() error {
	var shown struct {
		Delivery deliveryOf `json:"webhook_delivery"`
	}
	if _, err := v.get(v.deliveryPath(), nil, &shown); err != nil {
		return err
	}
	shown.Delivery.Href = v.WebhookPage()
	return v.show(v.status(), "delivery", shown.Delivery)
}

// webhookActions are the forms of a webhook's page, by the end of their path.
var webhookActions = map[string]handler{
	"verify": act(http.MethodPut, func(v *visit) string { return v.webhookPath() + "/verify_status" }, nil,
		(*visit).webhook, (*visit).WebhookPage, "verified"),
	"rotate_secret": act(http.MethodPut, func(v *visit) string { return v.webhookPath() + "/rotate_secret" }, nil,
		(*visit).webhook, (*visit).WebhookPage, "saved"),
	"describe": act(http.MethodPut, (*visit).webhookPath, func(v *visit) any {
		return map[string]any{"webhook": map[string]any{"description": v.Sent.Get("description")}}
	}, (*visit).webhook, (*visit).WebhookPage, "saved"),
	"redeliver": (*visit).redeliverAll,
	"delete": act(http.MethodDelete, (*visit).webhookPath, nil, (*visit).webhook,
		func(v *visit) string { return v.Root() + "/webhooks" }, "deleted"),
}

// redeliverAll sends the deliveries that failed again: 303 to the webhook's page, with their number.
func (v *visit) redeliverAll() error {
	var again struct{ Count int }
	if err := v.send(http.MethodPost, v.webhookPath()+"/deliveries/redeliver", nil, &again); err != nil {
		return v.again(err, (*visit).webhook)
	}
	return v.done(v.WebhookPage(), "redelivered_all&count="+strconv.Itoa(again.Count))
}

// Held reports whether the page is that of a webhook in error: its deliveries wait.
func (v *visit) Held() bool {
	p, is := v.Shown.(*webhookPage)
	return is && p.Webhook.Status == messages.WebhookInError
}

// deliveryActions are the forms of a delivery's page.
var deliveryActions = map[string]handler{
	"redeliver": act(http.MethodPost, func(v *visit) string { return v.deliveryPath() + "/redeliver" }, nil,
		(*visit).delivery, func(v *visit) string { return v.Path()[:len(v.Path())-len("/redeliver")] }, "redelivered"),
}
