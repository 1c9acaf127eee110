package scheduler

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/internal/blobs"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// The file of an upload stays as long as its transaction is open, because no other session sees its row.
func TestTheFileOfAnOpenTransactionStays(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	dir := t.TempDir()
	files, err := blobs.Open(t.Context(), "file://"+dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	key, _, err := files.Put(t.Context(), 1, strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	key = filepath.Join(dir, filepath.FromSlash(key))
	err = h.store.InTx(t.Context(), func(tx *storage.Tx) error {
		began, err := db.One[time.Time](t.Context(), tx.DB, `SELECT now()`)
		if err != nil {
			return err
		}
		stored := began.Add(-orphanAge)
		if err := os.Chtimes(key, stored, stored); err != nil {
			return err
		}
		sweep := Housekeeping{Store: h.store, Files: files, Installation: h.store.Installation, Logger: slog.Default()}
		if err := sweep.sweepFiles(t.Context()); err != nil {
			return err
		}
		_, err = os.Stat(key)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Each task does its work on a database that has some, and is harmless the second time.
func TestEachTaskDoesItsWork(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	tenant := storagetest.NewTenant(t, h.store)
	if err := storagetest.Contents(t.Context(), h.db, tenant.AccountID, tenant.EntityID, 10); err != nil {
		t.Fatal(err)
	}
	storagetest.Seal(t, h.store)
	dir := t.TempDir()
	files, err := blobs.Open(t.Context(), "file://"+dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	orphan := func(hours time.Duration) string {
		key, _, err := files.Put(t.Context(), tenant.AccountID, strings.NewReader("x"))
		file, at := filepath.Join(dir, filepath.FromSlash(key)), time.Now().Add(-hours*time.Hour)
		if err := errors.Join(err, os.Chtimes(file, at, at)); err != nil {
			t.Fatal(err)
		}
		return file
	}
	orphans := map[string]string{"23h": orphan(23), "25h": orphan(25)}
	h.exec(`INSERT INTO idempotency_keys (account_id, path, key, user_id, request, status, location, content_type,
		body, created_at)
		SELECT $1, '/', kind, 1, '', 201, '', '', '', at
			FROM (VALUES ('new', now() - interval '23 hours'), ('old', now() - interval '25 hours')) k (kind, at)`,
		tenant.AccountID)
	h.exec(`UPDATE bank_statements SET preview_until = now() WHERE event_status = 'previewed'`)
	h.exec(`INSERT INTO finished_jobs (part, attempts, jobs, id, created_at, ended_at, kind, queue, result)
		SELECT (extract(epoch FROM now())::bigint / 86400 - days) % 10, 1, 1, days, now(),
			now() - make_interval(days => days), 'note', 'test', 'done' FROM unnest(ARRAY[7, 8]) days`)
	h.exec(`UPDATE change_parts SET began_at = began_at - interval '31 days'`)
	h.exec(`UPDATE deliveries SET created_at = now() - interval '2 days', next_at = now() - interval '2 days'
		WHERE record_id <= 6`)
	h.exec(`UPDATE deliveries SET created_at = now() - interval '4 days', status = 'failed' WHERE record_id <= 2`)

	h.exec(`UPDATE bank_statements SET event_finished_at = now() - interval '31 days' WHERE event_status = 'success'`)
	h.exec(`INSERT INTO jobs (kind, queue, failed_at, dismissed_at)
		SELECT 'import_statement', 'statements', '2026-01-01', '2026-01-02'`)

	h.exec(`INSERT INTO tokens (sha256, user_id, prefix, expires_at, makes_until)
		SELECT sha256(prefix::bytea), $1, prefix, now() - make_interval(days => days), makes_until
		FROM (VALUES ('s-gone', 31, 'infinity'::timestamptz), ('s-kept', 29, 'infinity'), ('s-made', 31, NULL)
		) s (prefix, days, makes_until)`, tenant.UserID)

	text := func(query string) func() string {
		return func() (found string) {
			if err := h.db.QueryRowContext(t.Context(), query).Scan(&found); err != nil {
				t.Error(err)
			}
			return found
		}
	}
	var log bytes.Buffer
	logged := func() string { return fmt.Sprint(strings.Contains(log.String(), "last change")) }
	stored := func() string {
		var ages []string
		for age, file := range orphans {
			if _, err := os.Stat(file); err == nil {
				ages = append(ages, age)
			}
		}
		slices.Sort(ages)
		return strings.Join(ages, " ")
	}
	work := map[string]struct {
		state         func() string
		before, after string
	}{
		"sweep files": {stored, "23h 25h", "23h"},
		"remove previews": {text(`SELECT count(*) FROM bank_statements WHERE deleted_at IS NOT NULL`), "0",
			"1"},
		"forget idempotency keys": {text(`SELECT string_agg(key, ' ' ORDER BY key) FROM idempotency_keys`), "new old",
			"new"},
		"count uses":     {text(`SELECT max(use_count) > 0 FROM categories`), "false", "true"},
		"prove balances": {text(`SELECT count(*) FROM jobs WHERE kind = 'prove_balance'`), "0", "1"},
		"roll changes":   {text(`SELECT count(*) FROM change_parts`), "1", "2"},
		"empty the history of jobs": {text(`SELECT string_agg(id::text, ' ' ORDER BY id) FROM finished_jobs`), "7 8",
			"7"},
		"expire and remove deliveries": {
			text(`SELECT string_agg(record_id || status, ' ' ORDER BY record_id) FROM deliveries`),
			"1failed 2failed 3held 4held 5held 6held 7held 8held 9held 10held",
			"3expired 4expired 5expired 6expired 7held 8held 9held 10held",
		},
		"log the last changes": {logged, "false", "true"},
		// A statement and an attachment, and what the task before added or removed.
		"sum usage":             {text(`SELECT count(*) > 1 FROM account_usage`), "true", "false"},
		"fold ignored items":    {text(`SELECT count(*) FROM ignored_items`), "10", "0"},
		"remove dismissed jobs": {text(`SELECT count(*) FROM jobs WHERE dismissed_at IS NOT NULL`), "1", "0"},
		"remove ended sessions": {
			text(`SELECT string_agg(prefix, ' ' ORDER BY prefix) FROM tokens WHERE prefix LIKE 's-%'`),
			"s-gone s-kept s-made", "s-kept s-made",
		},
		"measure accounts": {text(`SELECT coalesce(max(rows), 0) FROM account_sizes WHERE kind = 'deliveries'`), "0",
			"8"},
	}
	for _, task := range (Housekeeping{
		Store: h.store, Files: files, Installation: h.store.Installation,
		Logger:           slog.New(slog.NewTextHandler(&log, nil)),
		ChangesRetention: 90 * 24 * time.Hour, WebhookHeldFor: 24 * time.Hour, WebhookRetention: 72 * time.Hour,
		IgnoredTextsRetention: 30 * 24 * time.Hour, DismissedJobsRetention: 30 * 24 * time.Hour,
	}).Tasks() {
		w, known := work[task.Name]
		if !known {
			t.Errorf("%s is not tested", task.Name)
			continue
		}
		if task.Every > time.Hour {
			t.Errorf("%s runs every %v: BorderoPeriodicTaskLate takes it for late", task.Name, task.Every)
		}
		if state := w.state(); state != w.before {
			t.Errorf("before %s: %s, not %s", task.Name, state, w.before)
		}
		for range 2 {
			if err := task.Run(t.Context()); err != nil {
				t.Errorf("%s: %v", task.Name, err)
			}
			if state := w.state(); state != w.after {
				t.Errorf("after %s: %s, not %s", task.Name, state, w.after)
			}
		}
	}
	for shortest, want := range map[time.Duration]time.Duration{time.Minute: 30 * time.Second,
		24 * time.Hour: time.Hour} {
		if got := deliveriesEvery(shortest, 48*time.Hour); got != want {
			t.Errorf("deliveries that expire after %v are looked at every %v, not %v", shortest, got, want)
		}
	}
}

// A retention that internal/cli forgets stops the scheduler: with 0 a task would remove everything.
func TestATaskHasItsRetention(t *testing.T) {
	t.Parallel()
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "DismissedJobsRetention of Housekeeping") {
			t.Error(said)
		}
	}()
	Housekeeping{ChangesRetention: 1, WebhookHeldFor: 1, WebhookRetention: 1, IgnoredTextsRetention: 1}.Tasks()
}

// An error in one account keeps no delivery of another from its expiry, and no old one from its removal.
func TestDeliveriesOfAllAccountsAreTidied(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	broken, other := storagetest.NewTenant(t, h.store), storagetest.NewTenant(t, h.store)
	for _, tenant := range []storagetest.Tenant{broken, other} {
		h.exec(`WITH hook AS (INSERT INTO webhooks (account_id, entity_id, url, format, secret)
				VALUES ($1, $2, 'https://example.com/', 'json', 's') RETURNING id)
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status, created_at, next_at)
			SELECT $1, id, 'sales', 'created', 1, status, now() - interval '2 days', now() - interval '2 days'
				FROM hook, unnest(ARRAY['held', 'failed']) status`, tenant.AccountID, tenant.EntityID)
	}
	h.exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`)
	h.exec(fmt.Sprintf(`CREATE TRIGGER refuse BEFORE UPDATE ON deliveries FOR EACH ROW WHEN (OLD.account_id = %d)
		EXECUTE FUNCTION refuse()`, broken.AccountID))
	tidy := Housekeeping{Store: h.store, Logger: slog.New(slog.DiscardHandler), WebhookHeldFor: 24 * time.Hour,
		WebhookRetention: 24 * time.Hour}
	err := tidy.tidyDeliveries(t.Context())
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("account %d: ", broken.AccountID)) {
		t.Error(err)
	}
	var left string
	if err := h.db.QueryRowContext(t.Context(), `
		SELECT string_agg(account_id || status, ' ' ORDER BY account_id, status) FROM deliveries`).Scan(
		&left); err != nil || left != fmt.Sprintf("%dheld", broken.AccountID) {
		t.Errorf("left are %s, %v", left, err)
	}
}
