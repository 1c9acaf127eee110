package cli

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"bordero/internal/config"
	"bordero/internal/serve"
	"bordero/storage/storagetest"
)

// A pooler of transactions is refused at the start, and one of sessions is not.
func TestAPoolerOfTransactionsIsRefused(t *testing.T) {
	t.Parallel()
	direct := storagetest.DatabaseURL(t)
	pooled, sessions := storagetest.PgBouncer(t, direct, "transaction", 5), storagetest.PgBouncer(t, direct, "session",
		5)
	env := func(databaseURL string) []string {
		return []string{
			"DATABASE_URL=" + databaseURL, "REDIS_URL=" + storagetest.RedisURL(t), "BORDERO_FILES_URL=file://" +
				t.TempDir(),
			"BORDERO_MONITOR_USER=ana", "BORDERO_MONITOR_PASSWORD_HASH=$2a$04$" + strings.Repeat("a", 53),
		}
	}
	for _, words := range []string{"api", "work sales", "work signing", "scheduler", "monitor", "migrate", "verify",
		"jobs retry 1"} {
		_, stderr, status := run(t, env(pooled), strings.Fields(words)...)
		if status != 1 || !strings.Contains(stderr, "DATABASE_URL: a pooler gives each transaction another session") {
			t.Errorf("bordero %s: exit status %d, %s", words, status, stderr)
		}
	}
	owner := append(env(direct), "BORDERO_OWNER_DATABASE_URL="+pooled)
	if _, stderr, status := run(t, owner, "migrate"); status != 1 ||
		!strings.Contains(stderr, "BORDERO_OWNER_DATABASE_URL: a pooler") {
		t.Errorf("bordero migrate as an owner: exit status %d, %s", status, stderr)
	}
	printed(t, sessions, "verify")
}

// While it runs, a process sees that its pooler is configured anew, and is not ready until it is put right.
func TestAProcessBehindANewPoolerOfTransactionsIsNotReady(t *testing.T) {
	t.Parallel()
	direct := storagetest.DatabaseURL(t)
	var said bytes.Buffer
	p := testProcess(t, direct, t.TempDir())
	p.log = slog.New(slog.NewTextHandler(&said, nil))
	for _, c := range []struct {
		url   string
		state serve.State
		again time.Duration
	}{{direct, serve.OK, time.Hour}, {storagetest.PgBouncer(t, direct, "transaction", 5), serve.Down, time.Minute},
		{"postgres://127.0.0.1:1/x", serve.Down, time.Minute}, {direct, serve.OK, time.Hour}} {
		p.Config = config.Config{DatabaseURL: c.url}
		if again := p.lookForPooler(t.Context()); again != c.again {
			t.Errorf("with %s: looks again after %v, want %v", c.url, again, c.again)
		}
		if said := readiness(t, p, "sales"); !strings.HasPrefix(said["postgres"], string(c.state)) {
			t.Errorf("with %s: %v", c.url, said)
		}
	}
	if n := strings.Count(said.String(), "a pooler gives"); n != 1 {
		t.Errorf("it is logged %d times: %s", n, said.String())
	}
}
