package migrations

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pressly/goose/v3/lock"

	"bordero/deploy/private"
	"bordero/internal/testkit"
)

// startPostgres starts a server of the test's own.
func startPostgres(t *testing.T) *private.Postgres {
	t.Helper()
	pg, _ := startPostgresWith(t, nil)
	return pg
}

// startPostgresWith starts one with settings, and returns its directory too.
func startPostgresWith(t *testing.T, settings map[string]string) (*private.Postgres, string) {
	t.Helper()
	if err := private.Install(t.Context(), func(s string) { fmt.Fprintln(os.Stderr, s) },
		private.PostgresPackage); err != nil {
		t.Fatal(err)
	}
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	pg, err := private.StartPostgres(t.Context(), dir, private.Options{Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Stop(context.Background()) })
	return pg, dir
}

func openDB(t *testing.T, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// A migration that needs a table for itself, while a long transaction reads it and
// others want to: these do not wait behind the migration for long.
func TestAMigrationBlocksNoQueries(t *testing.T) {
	t.Parallel()
	pg := startPostgres(t)
	db := openDB(t, pg.URL())
	all := fstest.MapFS{"00001_a.sql": {Data: []byte("-- +goose Up\nCREATE TABLE a (id bigint);")}}
	missing := func() (n int) {
		status, _, err := Status(t.Context(), pg.URL())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range status {
			if m.AppliedAt == nil {
				n++
			}
		}
		return n
	}
	if n := missing(); n != int(Latest()) {
		t.Errorf("an empty database lacks %d of %d migrations", n, Latest())
	}
	if n, err := up(t.Context(), pg.URL(), all, 1, io.Discard); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if n := missing(); n != int(Latest())-1 {
		t.Errorf("after one it lacks %d of %d", n, Latest())
	}
	all["00002_b.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nALTER TABLE a ADD COLUMN b text;")}
	all["00003_index.sql"] = &fstest.MapFile{
		Data: []byte("-- +goose NO TRANSACTION\n-- +goose Up\nCREATE INDEX CONCURRENTLY a_b ON a (b);")}

	long, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := long.Exec(`SELECT FROM a`); err != nil {
		t.Fatal(err)
	}
	if n, err := up(t.Context(), pg.URL(), all, 1, io.Discard); n != 0 || err == nil {
		t.Errorf("it got a table that is in use: %d, %v", n, err)
	}
	done, log := make(chan error, 1), make(logged, 10)
	go func() {
		n, err := up(t.Context(), pg.URL(), all, lockTries, log)
		if err == nil && n != 2 {
			err = fmt.Errorf("%d migrations", n)
		}
		done <- err
	}()
	waits := func() (n int) {
		if err := db.QueryRow(`SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
			AND query LIKE 'ALTER%'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	testkit.Eventually(t, "a migration says that it waits", func() bool { return len(log) == 2 })
	testkit.Eventually(t, "it waits for the lock again", func() bool { return waits() > 0 })
	reader, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := db.ExecContext(reader, `SELECT FROM a`); err != nil {
		t.Errorf("a reader waits behind the migration: %v", err)
	}
	if err := long.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	close(log)
	said := ""
	for line := range log {
		said += line
	}
	if said != "applying 00002_b\n00002_b waits for a table in use: pg_stat_activity shows long transactions\n"+
		"applying 00003_index\n" {
		t.Errorf("it said %q", said)
	}
}

// An error says that some migrations were applied.
func TestAFailedMigrateSaysHowFarItCame(t *testing.T) {
	t.Parallel()
	pg := startPostgres(t)
	all := fstest.MapFS{
		"00001_a.sql": {Data: []byte("-- +goose Up\nCREATE TABLE a (id bigint);")},
		"00002_a.sql": {Data: []byte("-- +goose Up\nCREATE TABLE a (id bigint);")},
	}
	const far = "; 1 migrations were applied, and the next run goes on from there"
	for _, want := range []int{1, 0} {
		n, err := up(t.Context(), pg.URL(), all, 1, io.Discard)
		if err == nil || n != want || strings.HasSuffix(err.Error(), far) != (want == 1) {
			t.Errorf("%d, %v", n, err)
		}
	}
}

// A migration takes a table and waits for another, whose reader then wants the first. It is tried
// again when PostgreSQL ends the deadlock.
func TestAMigrationIsRepeatedAfterADeadlock(t *testing.T) {
	t.Parallel()
	pg := startPostgres(t)
	db := openDB(t, pg.URL())
	all := fstest.MapFS{"00001_ab.sql": {Data: []byte("-- +goose Up\nCREATE TABLE a (id bigint);\nCREATE TABLE b (id " +
		"bigint);\nCREATE SEQUENCE attempts;")}}
	if n, err := up(t.Context(), pg.URL(), all, 1, io.Discard); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	// The first attempt waits for b only when the reader waits for a. It closes the circle, so it
	// is the one that ends.
	all["00002_c.sql"] = &fstest.MapFile{Data: []byte(`-- +goose Up
ALTER TABLE a ADD COLUMN c text;
-- +goose StatementBegin
DO $$ BEGIN
  IF nextval('attempts') = 1 THEN
    WHILE NOT EXISTS (SELECT FROM pg_locks WHERE relation = 'a'::regclass AND NOT granted) LOOP
      PERFORM pg_sleep(0.01);
    END LOOP;
  END IF;
END $$;
-- +goose StatementEnd
ALTER TABLE b ADD COLUMN c text;`)}

	reader, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Rollback()
	for _, query := range []string{`SET LOCAL deadlock_timeout = '10min'`, `SELECT FROM b`} {
		if _, err := reader.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 1)
	go func() {
		n, err := up(t.Context(), pg.URL(), all, lockTries, io.Discard)
		if err == nil && n != 1 {
			err = fmt.Errorf("%d migrations", n)
		}
		done <- err
	}()
	testkit.Eventually(t, "the migration has a table", func() (has bool) {
		if err := db.QueryRow(`SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'a'::regclass
			AND mode = 'AccessExclusiveLock' AND granted)`).Scan(&has); err != nil {
			t.Fatal(err)
		}
		return has
	})
	if _, err := reader.Exec(`SELECT FROM a`); err != nil {
		t.Errorf("the reader, not the migration, is ended: %v", err)
	}
	if err := reader.Commit(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	var attempts int
	if err := db.QueryRow(`SELECT last_value FROM attempts`).Scan(&attempts); err != nil || attempts != 2 {
		t.Errorf("%d attempts: %v", attempts, err)
	}
}

// A migrate waits for another one, says so once, and then applies the pending migrations.
func TestAMigrateWaitsForAnother(t *testing.T) {
	t.Parallel()
	pg := startPostgres(t)
	other, err := openDB(t, pg.URL()).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	var pid int
	if err := other.QueryRowContext(t.Context(), `SELECT pg_backend_pid() FROM pg_advisory_lock($1)`,
		lock.DefaultLockID).Scan(&pid); err != nil {
		t.Fatal(err)
	}
	all := fstest.MapFS{
		"00001_a.sql": {Data: []byte("-- +goose Up\nCREATE TABLE a (id bigint);")},
		"00002_b.sql": {
			Data: []byte("-- +goose NO TRANSACTION\n-- +goose Up\nCREATE INDEX CONCURRENTLY a_id ON a (id);")},
	}
	log := make(logged, 3)
	ended := make(chan error)
	start := func(ctx context.Context) {
		t.Helper()
		go func() {
			n, err := up(ctx, pg.URL(), all, 1, log)
			if err == nil && n != len(all) {
				err = fmt.Errorf("%d migrations", n)
			}
			ended <- err
		}()
		select {
		case line := <-log:
			if !strings.Contains(line, fmt.Sprintf(" pid %d ", pid)) {
				t.Error(line)
			}
		case err := <-ended:
			t.Fatalf("it ends: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	start(ctx)
	cancel()
	if err := <-ended; err == nil {
		t.Error("a cancelled one has the lock")
	}
	start(t.Context())
	if _, err := other.ExecContext(t.Context(), `SELECT pg_advisory_unlock($1)`, lock.DefaultLockID); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(log) > 0 {
		t.Errorf("it said more: %s", <-log)
	}
}

// The holder of the lock may be unknown: it has let go of it meanwhile or, as here, is a prepared transaction.
func TestAMigrateWaitsForAnUnknownOne(t *testing.T) {
	t.Parallel()
	pg, _ := startPostgresWith(t, map[string]string{"max_prepared_transactions": "1"})
	other, err := openDB(t, pg.URL()).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	do := func(statement string) {
		t.Helper()
		if _, err := other.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	do("BEGIN")
	do(fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", lock.DefaultLockID))
	do("PREPARE TRANSACTION 'migrate'")
	log := make(logged, 3)
	ended := make(chan error)
	go func() {
		_, err := up(t.Context(), pg.URL(), fstest.MapFS{
			"00001_a.sql": {Data: []byte("-- +goose Up\nCREATE TABLE a (id bigint);")}}, 1, log)
		ended <- err
	}()
	select {
	case line := <-log:
		if line != "another migrate is at work: waiting for its end\n" {
			t.Error(line)
		}
	case err := <-ended:
		t.Fatalf("it ends: %v", err)
	}
	do("COMMIT PREPARED 'migrate'")
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// logged is a writer of lines.
type logged chan string

func (l logged) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}
