package api_test

import (
	"net/http"
	"testing"
)

// TestGoldensOfWebhooks is TestGoldens for webhooks and their notifications.
func TestGoldensOfWebhooks(t *testing.T) {
	t.Parallel()
	for format, documents := range map[string]struct{ webhook, change, bad string }{
		"json": {
			`{"webhook":{"entity_id":1,"url":"https://hooks.example.com/a?b=1&c=2","format":"json",` +
				`"events":["sales.*","people.created"],"description":"Loja <virtual>"}}`,
			`{"webhook":{"description":"Loja nova","url":"https://elsewhere.example.com"}}`,
			`{"webhook":{}}`,
		},
		"xml": {
			`<webhook><entity-id type="integer">1</entity-id><url>https://hooks.example.com/a?b=1&amp;c=2</url>` +
				`<format>xml</format><events type="array"><event>sales.*</event><event>people.created</event>` +
				`</events><description>Loja &lt;virtual&gt;</description></webhook>`,
			`<webhook><description>Loja nova</description><url>https://elsewhere.example.com</url></webhook>`,
			`<webhook></webhook>`,
		},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s, endpoint := newSubscribed(t)
			golden := func(method, path string, status int, options ...option) {
				t.Helper()
				s.golden(t, format, method, path, status, options...)
			}
			const webhook = "/integrations/webhooks/1"
			golden("POST", "/integrations/webhooks", 201, document(documents.webhook))
			golden("POST", "/integrations/webhooks", 422, document(documents.bad))
			s.call(t, "PUT", webhook, document(documents.change)).wantBody(t, 200, "")
			golden("GET", webhook, 200)
			golden("GET", "/integrations/webhooks", 200)
			golden("PUT", webhook+"/verify_status", 200)
			golden("PUT", webhook+"/rotate_secret", 200)

			delivery := s.newDelivery(t, webhook)
			golden("GET", webhook+"/deliveries", 200)
			golden("GET", delivery, 200)
			s.exec(t, `UPDATE webhooks SET status = 'error'`) // so that the answers show no time of a next attempt
			golden("POST", delivery+"/redeliver", 202)
			golden("POST", webhook+"/deliveries/redeliver?search[status]=held", 202)

			endpoint.answer(http.StatusNotFound)
			golden("PUT", webhook+"/verify_status", 422)
		})
	}
}
