package scheduler

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bordero/storage"
	_ "bordero/storage/matching"
)

// While PostgreSQL is down, the log has its cause at once and each minute.
func TestWhyASchedulerCannotLeadIsLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, err := storage.Open("postgres://u:secret@127.0.0.1:1/x?sslmode=disable", storage.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		var log bytes.Buffer
		lead(ctx, Config{Store: store, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if n := strings.Count(log.String(), "cannot become leader"); n != 2 ||
			!strings.Contains(log.String(), "connection refused") || strings.Contains(log.String(), "secret") {
			t.Errorf("%d lines in 90 s:\n%s", n, &log)
		}
	})
}
