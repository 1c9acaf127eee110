package migrations

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"bordero/deploy/private"
	"bordero/internal/testkit"
)

// startPostgres starts a server of the test's own.
func startPostgres(t *testing.T) *private.Postgres {
	t.Helper()
	if err := private.Install(t.Context(), func(s string) { fmt.Fprintln(os.Stderr, s) }, private.PostgresPackage); err != nil {
		t.Fatal(err)
	}
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	pg, err := private.StartPostgres(t.Context(), dir, private.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Stop(context.Background()) })
	return pg
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
	if n, err := up(t.Context(), pg.URL(), all, 1); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if n := missing(); n != int(Latest())-1 {
		t.Errorf("after one it lacks %d of %d", n, Latest())
	}
	all["00002_b.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nALTER TABLE a ADD COLUMN b text;")}
	all["00003_index.sql"] = &fstest.MapFile{Data: []byte("-- +goose NO TRANSACTION\n-- +goose Up\nCREATE INDEX CONCURRENTLY a_b ON a (b);")}

	long, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := long.Exec(`SELECT FROM a`); err != nil {
		t.Fatal(err)
	}
	if n, err := up(t.Context(), pg.URL(), all, 1); n != 0 || err == nil {
		t.Errorf("it got a table that is in use: %d, %v", n, err)
	}
	done := make(chan error, 1)
	go func() {
		n, err := up(t.Context(), pg.URL(), all, lockTries)
		if err == nil && n != 2 {
			err = fmt.Errorf("%d migrations", n)
		}
		done <- err
	}()
	waits := func() (n int) {
		if err := db.QueryRow(`SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'ALTER%'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	testkit.Eventually(t, "a migration waits for the lock", func() bool { return waits() > 0 })
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
}
