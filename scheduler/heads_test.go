package scheduler

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"bordero/storage"
	"bordero/storage/storagetest"
)

// Heads that changed while runs failed, or while there was no leader, are logged by the next run.
func TestTheLastChangesAreLoggedSinceTheLastSuccess(t *testing.T) {
	t.Parallel()
	database := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, database, storage.Options{}), storagetest.DB(t, database)
	account := fmt.Sprintf("account_id=%d ", storagetest.NewTenant(t, s).AccountID)
	storagetest.Seal(t, s)
	var said bytes.Buffer
	l := headLog{store: s, log: slog.New(slog.NewTextHandler(&said, nil))}
	logged := func(sealed string, want bool) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), `UPDATE change_heads SET sealed_at = now() - $1::interval`,
			sealed); err != nil {
			t.Fatal(err)
		}
		said.Reset()
		if err := l.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(said.String(), account); got != want {
			t.Errorf("sealed %s before: %q", sealed, said.String())
		}
	}
	logged("50 hours", false)
	l = headLog{store: s, log: l.log}
	logged("47 hours", true)
	logged("2 minutes", false)
	logged("30 seconds", true)

	before := l.last
	ended, end := context.WithCancel(t.Context())
	end()
	if err := l.run(ended); err == nil || !l.last.Equal(before) {
		t.Errorf("a run that failed counts: %v", err)
	}
	l.last = l.last.Add(-3 * headsEvery)
	logged("2 hours", true)
}
