package cli

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bordero/internal/config"
	"bordero/internal/serve"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// A pooler of transactions is refused at the start, and one of sessions is not.
func TestAPoolerOfTransactionsIsRefused(t *testing.T) {
	t.Parallel()
	direct := storagetest.DatabaseURL(t)
	pooled, sessions := storagetest.PgBouncer(t, direct, "transaction", 5), storagetest.PgBouncer(t, direct, "session", 5)
	env := func(databaseURL string) []string {
		return []string{
			"DATABASE_URL=" + databaseURL, "REDIS_URL=" + storagetest.RedisURL(t), "BORDERO_FILES_URL=file://" + t.TempDir(),
			"BORDERO_MONITOR_USER=ana", "BORDERO_MONITOR_PASSWORD_HASH=$2a$04$" + strings.Repeat("a", 53),
		}
	}
	for _, words := range []string{"api", "work sales", "work signing", "scheduler", "monitor", "migrate", "verify", "jobs retry 1"} {
		_, stderr, status := run(t, env(pooled), strings.Fields(words)...)
		if status != 1 || !strings.Contains(stderr, "DATABASE_URL: a pooler gives each transaction another session") {
			t.Errorf("bordero %s: exit status %d, %s", words, status, stderr)
		}
	}
	owner := append(env(direct), "BORDERO_OWNER_DATABASE_URL="+pooled)
	if _, stderr, status := run(t, owner, "migrate"); status != 1 || !strings.Contains(stderr, "BORDERO_OWNER_DATABASE_URL: a pooler") {
		t.Errorf("bordero migrate as an owner: exit status %d, %s", status, stderr)
	}
	printed(t, sessions, "verify")
}

// While it runs, a process sees that its pooler is configured anew, and is not ready until it is put right.
func TestAProcessBehindANewPoolerOfTransactionsIsNotReady(t *testing.T) {
	t.Parallel()
	direct := storagetest.DatabaseURL(t)
	store := storagetest.Open(t, direct, storage.Options{})
	client, err := jobs.Open(storagetest.RedisURL(t), store.Installation, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var said bytes.Buffer
	p := &process{store: store, client: client, log: slog.New(slog.NewTextHandler(&said, nil))}
	for _, c := range []struct {
		url   string
		state serve.State
	}{{direct, serve.OK}, {storagetest.PgBouncer(t, direct, "transaction", 5), serve.Down}, {"postgres://127.0.0.1:1/x", serve.Down}, {direct, serve.OK}} {
		p.Config = config.Config{DatabaseURL: c.url}
		p.lookForPooler(t.Context())
		w := httptest.NewRecorder()
		p.health(false).Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
		if state := `"postgres":{"status":"` + string(c.state); !strings.Contains(w.Body.String(), state) {
			t.Errorf("with %s: %s", c.url, w.Body)
		}
	}
	if n := strings.Count(said.String(), "a pooler gives"); n != 1 {
		t.Errorf("it is logged %d times: %s", n, said.String())
	}
}
