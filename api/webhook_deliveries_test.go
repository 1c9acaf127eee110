package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bordero/finance"
)

func TestDeliveriesAreSearched(t *testing.T) {
	t.Parallel()
	s, _ := newSubscribed(t)
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	other := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	s.newDelivery(t, other)
	s.exec(t, `INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status, created_at) VALUES
		(1, 1, 'sales', 'created', 1, 'delivered', '2026-03-01 12:00-03'),
		(1, 1, 'sales', 'destroyed', 1, 'failed', '2026-03-02 12:00-03'),
		(1, 1, 'people', 'updated', 1, 'pending', '2026-03-03 12:00-03')`)
	path := webhook + "/deliveries"
	for filter, want := range map[string][]string{
		"": {"4", "3", "2"}, "status=failed": {"3"}, "status=expired": {}, "event=sales.created": {"2"},
		"event=sales":      {},
		"since=2026-03-02": {"4", "3"}, "since=2026-03-02T12:00:01-03:00": {"4"},
		"since=2026-03-01&event=sales.destroyed": {"3"},
	} {
		equal(t, s.call(t, "GET", path+"?"+search(filter)).all(t, "webhook_delivery.id"), want)
	}
	s.call(t, "GET", path+"?search[status]=done").wantBody(t, 422, `{"status":["não está incluso na lista"]}`)
	s.call(t, "GET", path+"?search[since]=ontem").wantBody(t, 422, `{"since":["não é uma data válida"]}`)
	s.call(t, "GET", path+"?search[url]=a").wantBody(t, 422, `{"url":["não é um filtro conhecido: os filtros são `+
		`event, ids, since, status"]}`)
	page := s.call(t, "GET", path+"?per_page=2&page=2").want(t, 200)
	equal(t, page.all(t, "webhook_delivery.id"), []string{"2"})
	s.call(t, "GET", other+"/deliveries/2").want(t, 404)
}

// What was missed can be found, and read again by hand.
func TestADeliveryNamesItsRecord(t *testing.T) {
	t.Parallel()
	s, _ := newSubscribed(t)
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	card := s.newCard(t, 20, 1)
	records := map[string]string{
		"credit_cards": card, "people": s.newPerson(t, `{"name":"a"}`), "credit_card_transactions": s.buy(t, card,
			`"amount":"-10","occurred_at":"2026-01-02"`),
	}
	for family, path := range records {
		list := s.call(t, "GET", webhook+"/deliveries?search[event]="+family+".created").want(t, 200)
		equal(t, list.all(t, "webhook_delivery.path"), []string{path})
		equal(t, list.all(t, "webhook_delivery.record_id"), []string{fmt.Sprint(lastID(path))})
		equal(t, list.all(t, "webhook_delivery.webhook_id"), []string{"msg_" + list.all(t, "webhook_delivery.id")[0]})
		if strings.Contains(list.body, "body") {
			t.Errorf("the list has bodies: %s", list.body)
		}
	}
	one := webhook + "/deliveries/1"
	equal(t, s.call(t, "GET", one).at(t, "webhook_delivery.body"), "<nil>")
	s.exec(t, `UPDATE deliveries SET body = $1`, `{"event":"credit_cards.created"}`)
	equal(t, s.call(t, "GET", one).at(t, "webhook_delivery.body"), `{"event":"credit_cards.created"}`)
	s.exec(t, `UPDATE deliveries SET family = 'of_a_later_release'`)
	equal(t, s.call(t, "GET", one).at(t, "webhook_delivery.path"), "")
}

func TestANotificationIsDeliveredAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, status string // statuses of webhook and delivery
		want           string
	}{
		{"active", "delivered", "pending 7 true true 1"},
		{"active", "failed", "pending 7 true true 1"},
		{"active", "expired", "pending 7 true true 1"},
		{"active", "pending", "pending 7 true true 1"},
		{"error", "failed", "held 7 true true 0"},
		{"error", "held", "held 7 true true 0"},
	} {
		s, _ := newSubscribed(t)
		delivery := s.newDelivery(t, s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`))
		s.exec(t, `UPDATE webhooks SET status = $1`, c.before)
		s.exec(t, `UPDATE deliveries SET status = $1, delivered_at = CASE $1 WHEN 'delivered' THEN now() END,
			next_at = now() + interval '1 day'`, c.status)
		a := s.call(t, "POST", delivery+"/redeliver", key("a")).want(t, 202)
		equal(t, a.header.Get("Location"), publicURL+delivery)
		equal(t, a.body, s.call(t, "GET", delivery).body)
		equal(t, query[string](t, s, `SELECT concat_ws(' ', status, attempts_allowed, next_at <= now(),
			delivered_at IS NULL,
			(SELECT count(*) FROM jobs WHERE key = 'webhook:1')) FROM deliveries`),
			strings.ReplaceAll(c.want, "true", "t"))
		s.call(t, "POST", delivery+"/redeliver", key("a")).wantBody(t, 202, a.body)
	}
	t.Run("while an attempt runs the next one waits for its end", func(t *testing.T) {
		s, _ := newSubscribed(t)
		delivery := s.newDelivery(t, s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`))
		s.exec(t, `UPDATE deliveries SET next_at = now() + interval '1 minute'`)
		s.exec(t, `UPDATE delivery_attempts SET finished_at = NULL WHERE number = 2`)
		s.call(t, "POST", delivery+"/redeliver").want(t, 202)
		equal(t, query[bool](t, s, `SELECT next_at > now() AND attempts_allowed = 7 FROM deliveries`), true)
	})
}

func TestManyNotificationsAreDeliveredAgain(t *testing.T) {
	t.Parallel()
	s, _ := newSubscribed(t)
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	s.newDelivery(t, s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)) // another webhook's
	s.exec(t, `INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status, created_at) VALUES
		(1, 1, 'sales', 'created', 1, 'failed', now() - interval '15 days'), (1, 1, 'sales', 'created', 2, 'failed',
			now() - interval '13 days'),
		(1, 1, 'people', 'created', 3, 'failed', now()), (1, 1, 'people', 'created', 4, 'delivered', now())`)
	path := webhook + "/deliveries/redeliver"
	for filter, want := range map[string]int{
		"": 2, "status=failed": 3, "status=failed&event=sales.created": 2, "event=people.created": 2,
		"since=" + time.Now().Add(-time.Hour).UTC().Format(time.RFC3339): 2,
		"status=expired": 0,
	} {
		a := s.call(t, "POST", path+"?"+search(filter)).want(t, 202)
		equal(t, a.body, fmt.Sprintf(`{"count":%d}`, want))
		matching := query[int](t, s, `SELECT count(*) FROM jobs WHERE kind = 'redeliver_webhook'
			AND args::json->>'webhook_id' = '1' AND (args::json->>'up_to')::int BETWEEN 3 AND 5`)
		equal(t, matching, min(want, 1))
		s.exec(t, `DELETE FROM jobs`)
	}
	for _, c := range []struct{ sent, want string }{
		{`{"search":{"status":"delivered"}}`, `{"count":1}`}, {`{"search":{}}`, `{"count":2}`},
		{`<hash><search><event>people.created</event></search></hash>`,
			`<?xml version="1.0" encoding="UTF-8"?><hash><count type="integer">2</count></hash>`},
	} {
		s.call(t, "POST", path, document(c.sent)).wantBody(t, 202, c.want)
	}
	before := s.count(t, "jobs")
	s.call(t, "POST", path+"?search[status]=failed", key("a")).wantBody(t, 202, `{"count":3}`)
	s.call(t, "POST", path+"?search[status]=failed", key("a")).wantBody(t, 202, `{"count":3}`)
	equal(t, s.count(t, "jobs"), before+1)
	s.call(t, "POST", path+"?search[state]=failed").want(t, 422)
	s.call(t, "POST", path+"?search[status]=done").wantBody(t, 422, `{"status":["não está incluso na lista"]}`)
	s.call(t, "POST", path, as(s.member(t, finance.Access{AllEntities: true}))).want(t, 403)
	s.call(t, "POST", "/integrations/webhooks/9/deliveries/redeliver").want(t, 404)
}
