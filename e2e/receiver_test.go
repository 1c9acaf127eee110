package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/storage"
	"bordero/storage/deliveries"
)

// subscribe creates a webhook of the site's entity.
func subscribe(t *testing.T, s *e2etest.Site, url string) int64 {
	t.Helper()
	return e2etest.Value[int64](t, s.DB, `INSERT INTO webhooks (account_id, entity_id, url, format, secret)
		VALUES ($1, $2, $3, 'json', '0123456789abcdef01234567') RETURNING id`, s.ID, s.Entity, url)
}

// newPerson creates a person, which is an event for every webhook.
func newPerson(s *e2etest.Site) error {
	return s.Post("/people", map[string]any{"person": map[string]any{"name": "Ana"}}, &struct{}{})
}

// mustHappen creates an event.
func mustHappen(t *testing.T, s *e2etest.Site) {
	t.Helper()
	if err := newPerson(s); err != nil {
		t.Fatal(err)
	}
}

// openStore opens the storage of a site, for what the API does elsewhere.
func openStore(t *testing.T, s *e2etest.Site) *storage.Store {
	t.Helper()
	for _, v := range s.Env {
		if url, ok := strings.CutPrefix(v, "DATABASE_URL="); ok {
			store, err := storage.Open(url, storage.Options{Connections: 2})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			return store
		}
	}
	t.Fatal("no DATABASE_URL")
	return nil
}

// verified does what a successful verification does.
func verified(t *testing.T, s *e2etest.Site, store *storage.Store, webhook int64) {
	t.Helper()
	err := store.InTx(t.Context(), func(tx *storage.Tx) error {
		return deliveries.ActivateWebhook(t.Context(), tx, s.ID, webhook, http.StatusOK)
	})
	if err != nil {
		t.Error(err)
	}
}

// attempts lists the attempts of a webhook's deliveries.
func attempts(t *testing.T, s *e2etest.Site, webhook int64) string {
	t.Helper()
	return e2etest.Value[string](t, s.DB, fmt.Sprintf(`SELECT coalesce(string_agg(concat_ws(' ', number, response_code,
		CASE WHEN finished_at IS NULL THEN 'open' END), ', ' ORDER BY delivery_id, number), '')
		FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.webhook_id = %d`, webhook))
}
