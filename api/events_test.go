package api_test

import (
	"fmt"
	"testing"

	"bordero/storage/storagetest"
)

// newWebhook subscribes to an entity and returns the webhook's id.
func (s *service) newWebhook(t testing.TB, account, entity int64, status string) int64 {
	t.Helper()
	return query[int64](t, s, `INSERT INTO webhooks (account_id, entity_id, url, format, secret, status)
		VALUES ($1, $2, 'https://example.com/', 'json', 'secret', $3) RETURNING id`, account, entity, status)
}

func TestEveryWriteNotifiesItsWebhooks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t, register)
	transaction := s.newTransaction(t, account, "Debit", "1", "2026-01-02")
	foreign := storagetest.NewTenant(t, s.store)
	active := s.newWebhook(t, s.AccountID, s.EntityID, "active")
	broken := s.newWebhook(t, s.AccountID, s.EntityID, "error")
	s.newWebhook(t, s.AccountID, s.anotherEntity(t).ID, "active")
	s.newWebhook(t, foreign.AccountID, foreign.EntityID, "active")

	const put = `{"deposit_account":{"name":"b"},"financial_transaction":{"amount":2}}`
	for _, c := range []struct {
		name, method, path string
		sent               option
		event              string // family.action record entity parent
	}{
		{"a new deposit account", "POST", accountsPath,
			document(`{"deposit_account":{"name":"a","deposit_account_type_id":1}}`), "deposit_accounts.created 2 1 -"},
		{"a changed one", "PUT", account, document(put), "deposit_accounts.updated 1 1 -"},
		{"an opened cash register", "PUT", account + "/open", document(""), "deposit_accounts.updated 1 1 -"},
		{"a closed one", "PUT", account + "/close", document(""), "deposit_accounts.updated 1 1 -"},
		{"a new transaction", "POST", account + "/financial_transactions",
			document(`{"financial_transaction":{"type":"Debit","amount":1,"occurred_at":"2026-01-02"}}`),
			"financial_transactions.created 2 1 1"},
		{"a changed one", "PUT", transaction, document(put), "financial_transactions.updated 1 1 1"},
		{"a deleted one", "DELETE", transaction, document(""), "financial_transactions.destroyed 1 1 1"},
		{"a selection", "DELETE", account + "/financial_transactions/destroy_many?selected_ids=2", document(""),
			"financial_transactions.destroyed 2 1 1"},
		{"an attachment", "POST", "/entities/1/attachments", parts(attachment("a", "", "a")),
			"attachments.created 1 1 -"},
		{"a changed one", "PUT", "/entities/1/attachments/1", document(`{"attachment":{"title":"a"}}`),
			"attachments.updated 1 1 -"},
		{"a deleted one", "DELETE", "/entities/1/attachments/1", document(""), "attachments.destroyed 1 1 -"},
		{"an uploaded statement", "POST", account + "/bank_statements", parts(file("a.ofx", ofx)),
			"bank_statements.created 1 1 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.exec(t, `DELETE FROM deliveries`)
			s.exec(t, `DELETE FROM jobs`)
			a := s.call(t, c.method, c.path, c.sent, with("X-Request-Id", "mine"))
			if a.status >= 300 {
				t.Fatalf("%d: %s", a.status, a.body)
			}
			equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', webhook_id, status, family || '.' || action,
				record_id, entity_id,
				coalesce(parent_id::text, '-')), ', ' ORDER BY webhook_id) FROM deliveries`),
				fmt.Sprintf("%d pending %s, %d held %s", active, c.event, broken, c.event))
			equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', queue, key, args, account_id, request_id),
				', ') FROM jobs WHERE kind = 'deliver_webhook'`),
				fmt.Sprintf(`webhooks webhook:%d {"account_id":1,"webhook_id":%[1]d} 1 mine`, active))
		})
	}
	t.Run("and nothing is told of what was refused, or is not told of at all", func(t *testing.T) {
		s.exec(t, `DELETE FROM deliveries`)
		s.exec(t, `DELETE FROM jobs`)
		s.call(t, "PUT", account, document(`{"deposit_account":{"name":""}}`)).want(t, 422)
		s.call(t, "POST", account+"/financial_transactions", document(`{}`)).want(t, 422)
		s.call(t, "DELETE", transaction).want(t, 404)
		s.call(t, "PUT", account+"/close", document("")).want(t, 422)
		s.call(t, "GET", account).want(t, 200)
		s.call(t, "PUT", "/entities/1", document(`{"entity":{"name":"b"}}`)).want(t, 200)
		equal(t, query[string](t, s,
			`SELECT concat((SELECT count(*) FROM deliveries), ' ', (SELECT count(*) FROM jobs))`), "0 0")
	})
}

// A webhook that does not ask for an event has no delivery and no job of it, whatever the number
// of records.
func TestWebhooksGetTheEventsThatTheyAskFor(t *testing.T) {
	t.Parallel()
	s := newService(t)
	asks := func(status, events string) {
		t.Helper()
		s.exec(t, `INSERT INTO webhooks (account_id, entity_id, url, format, secret, status, events)
			VALUES ($1, $2, 'https://example.com/', 'json', 'secret', $3, $4::text[])`,
			s.AccountID, s.EntityID, status, events)
	}
	asks("active", `{people.created,sales.*}`)                      // 1
	asks("active", `{people.*}`)                                    // 2
	asks("error", `{financial_transactions.*,people.updated}`)      // 3
	asks("active", `{financial_transactions.created,categories.*}`) // 4
	told := func(want string) {
		t.Helper()
		equal(t, query[string](t, s, `SELECT concat_ws(' ',
			string_agg(DISTINCT concat_ws(' ', webhook_id, status, family || '.' || action), ', '), count(*))
				FROM deliveries`), want)
		equal(t, query[int](t, s, `SELECT count(*) FROM jobs WHERE kind = 'deliver_webhook'`),
			query[int](t, s, `SELECT count(DISTINCT webhook_id) FROM deliveries WHERE status = 'pending'`))
		s.exec(t, `DELETE FROM deliveries`)
		s.exec(t, `DELETE FROM jobs`)
	}
	person := s.made(t, "/people", `{"person":{"name":"a"}}`)
	told("1 pending people.created, 2 pending people.created 2")
	s.call(t, "PUT", person, document(`{"person":{"name":"b"}}`)).want(t, 200)
	told("2 pending people.updated, 3 held people.updated 2")
	account := s.newDepositAccount(t)
	told("0")
	for range 3 {
		s.made(t, account+"/financial_transactions", `{"financial_transaction":{"type":"Debit","amount":1,`+
			`"occurred_at":"2026-01-02"}}`)
	}
	told("3 held financial_transactions.created, 4 pending financial_transactions.created 6")
	s.call(t, "DELETE", account+"/financial_transactions/destroy_many?selected_ids=1,2,3").want(t, 200)
	told("3 held financial_transactions.destroyed 3")
}

// Every webhook of the account receives events of people and categories. Those of centers go to the
// webhooks of their entity.
func TestAccountLevelWritesNotifyTheirWebhooks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	second := s.anotherEntity(t).ID // 2
	foreign := storagetest.NewTenant(t, s.store)
	s.newWebhook(t, s.AccountID, s.EntityID, "active")
	s.newWebhook(t, s.AccountID, second, "active")
	s.newWebhook(t, foreign.AccountID, foreign.EntityID, "active")
	const sent = `{"person":{"name":"a"},"category":{"name":"a"},"classification_center":{"entity_id":2,"name":"a"}}`
	for _, c := range []struct{ list, webhooks, entity string }{
		{"/people", "1,2", "-"}, {"/categories", "1,2", "-"}, {"/classification_centers", "2", "2"},
	} {
		told := func(action, path string) {
			t.Helper()
			equal(t, query[string](t, s, `SELECT concat_ws(' ', family || '.' || action, record_id,
				coalesce(entity_id::text, '-'), string_agg(webhook_id::text, ',' ORDER BY webhook_id))
				FROM deliveries GROUP BY family, action, record_id, entity_id`),
				fmt.Sprintf("%s.%s %d %s %s", c.list[1:], action, lastID(path), c.entity, c.webhooks))
			s.exec(t, `DELETE FROM deliveries`)
		}
		path := s.made(t, c.list, sent)
		told("created", path)
		s.call(t, "PUT", path, document(sent)).want(t, 200)
		told("updated", path)
		s.call(t, "DELETE", path).want(t, 200)
		told("destroyed", path)
	}
}
