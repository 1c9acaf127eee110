package finance

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestWebhookRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*Webhook)
		want   string
	}{
		{"a plain one", func(*Webhook) {}, ""},
		{"in XML, described", func(w *Webhook) { w.Format, w.Description = "xml", ptr("Loja") }, ""},
		{"nothing", func(w *Webhook) { *w = Webhook{Secret: w.Secret} },
			"entity: não pode ser vazio\nformat: não pode ser vazio\nformat: não está incluso na lista\nurl: não " +
				"pode ser vazio"},
		{"another format", func(w *Webhook) { w.Format = "JSON" }, "format: não está incluso na lista"},
		{"a blank address", func(w *Webhook) { w.URL = " " }, "url: não pode ser vazio"},
		{"a long address", func(w *Webhook) { w.URL = "https://a.example/" + strings.Repeat("é", 2031) },
			"url: é muito longo (máximo: 2048 caracteres)"},
		{"a long description", func(w *Webhook) { w.Description = ptr(strings.Repeat("é", 256)) },
			"description: é muito longo (máximo: 255 caracteres)"},
		{"the longest secret", func(w *Webhook) { w.Secret = strings.Repeat("0aF9", 16) }, ""},
		{"a longer secret", func(w *Webhook) { w.Secret = strings.Repeat("0", 65) },
			"secret: deve ter de 24 a 64 caracteres hexadecimais"},
		{"a short secret", func(w *Webhook) { w.Secret = strings.Repeat("0", 23) },
			"secret: deve ter de 24 a 64 caracteres hexadecimais"},
		{"a secret that is not hexadecimal", func(w *Webhook) { w.Secret = strings.Repeat("g", 24) },
			"secret: deve ter de 24 a 64 caracteres hexadecimais"},
		{"a secret with a line break", func(w *Webhook) { w.Secret += "\n" },
			"secret: deve ter de 24 a 64 caracteres hexadecimais"},
		{"events", func(w *Webhook) { w.Events = EventNames{"sales.*", "people.created", "sales.updated"} }, ""},
		{"an unknown event", func(w *Webhook) { w.Events = EventNames{"sales.*", "sale.created"} },
			"events: " + unknownEvent("sale.created")},
		{"an unknown action", func(w *Webhook) { w.Events = EventNames{"sales.paid"} },
			"events: " + unknownEvent("sales.paid")},
		{"all events by a star", func(w *Webhook) { w.Events = EventNames{"*"} }, "events: " + unknownEvent("*")},
	} {
		w := Webhook{EntityID: 1, URL: "https://a.example", Format: "json", Secret: "0123456789abcdef01234567"}
		c.change(&w)
		if got := refused(w.Validate()); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if WebhookActive.Label() != "Ativo" || WebhookInError.Label() != "Com erro" {
		t.Error("users read other statuses")
	}
}

func unknownEvent(name string) string {
	return fmt.Sprintf("não conhece %q: envie família.ação ou família.*, das famílias deposit_accounts, "+
		"financial_transactions, bank_statements, payable_accounts, "+
		"receivable_accounts, sale_accounts, sale_rules, sales, credit_cards, credit_card_transactions, people, "+
		"categories, classification_centers, attachments, "+
		"com as ações created, updated, destroyed", name)
}

// The test vectors of docs/webhooks.md, computed with OpenSSL and with Python's hmac.
func TestSignatures(t *testing.T) {
	t.Parallel()
	at := time.Unix(1772619630, 0)
	body := []byte(`{"event":"classification_centers.destroyed","timestamp":"2026-03-04T10:20:30Z",` +
		`"classification_center":{"id":3,"_links":[{"rel":"self","method":"GET",` +
		`"url":"https://api.example.com/classification_centers/3"}]}}`)
	w := Webhook{Secret: "0123456789abcdef01234567"}
	got := w.Headers("6f1ed002ab5595859014ebf0951522d9", "msg_417", at, body)
	for name, want := range map[string]string{
		"X-Service-RequestId": "6f1ed002ab5595859014ebf0951522d9",
		"X-Service-Signature": "f660f2bc2712bfdcec379f62fd14fc9e830926cd",
		"webhook-id":          "msg_417",
		"webhook-timestamp":   "1772619630",
		"webhook-signature":   "v1,AT7wISXSovQzwaD00WAYJlnVfsZowpBXzOn3r6seLOk=",
	} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s", name, got[name], want)
		}
	}
}

func TestARotatedSecretSignsForAWhile(t *testing.T) {
	t.Parallel()
	until := time.Unix(1772619630, 0)
	w := Webhook{Secret: "0123456789abcdef01234567", PreviousSecret: ptr("76543210fedcba9876543210"),
		PreviousSecretUntil: &until}
	before, after := w.Headers("r", "1", until.Add(-time.Second), nil), w.Headers("r", "1", until, nil)
	if before["X-Service-Signature"] != SignSHA1(w.Secret, "r", nil) {
		t.Error("X-Service-Signature is not by the new secret at once")
	}
	if signed := strings.Split(before["webhook-signature"], " "); len(signed) != 2 ||
		signed[0] != SignStandard([]string{w.Secret}, "1", until.Add(-time.Second), nil) ||
		signed[1] != SignStandard([]string{*w.PreviousSecret}, "1", until.Add(-time.Second), nil) {
		t.Errorf("before: %s", before["webhook-signature"])
	}
	if after["webhook-signature"] != SignStandard([]string{w.Secret}, "1", until, nil) {
		t.Errorf("after: %s", after["webhook-signature"])
	}
}
