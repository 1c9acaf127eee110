package db_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/internal/db"
	"bordero/internal/testkit"
	"bordero/storage/storagetest"

	"github.com/jmoiron/sqlx"
)

var addChange = db.Named("changes.add", `INSERT INTO changes VALUES (@name) RETURNING name`)

// A server that waits for a standby which does not exist.
func TestAChangeThatNoStandbyHasIsNoSuccess(t *testing.T) {
	t.Parallel()
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	server, err := private.StartPostgres(t.Context(), dir, private.Options{Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	open := func(o db.Options) *sqlx.DB {
		pool, err := db.Open(server.URL(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = pool.Close() })
		return pool
	}
	owner, pool := open(db.Options{}), open(db.Options{Application: "writer", StatementTimeout: 500 * time.Millisecond})
	exec := func(query string) {
		t.Helper()
		if _, err := db.Exec(t.Context(), owner, query); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE changes (name text)`)
	exec(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`)
	exec(`SELECT pg_reload_conf()`)
	write := func(ctx context.Context, name string) error {
		return db.InTx(ctx, pool, func(tx *sqlx.Tx) error {
			_, err := db.Exec(ctx, tx, `INSERT INTO changes VALUES ($1)`, name)
			return err
		})
	}
	is := func(what, query string, want int) {
		t.Helper()
		testkit.Eventually(t, what, func() bool {
			n, err := db.One[int](t.Context(), owner, query)
			return err == nil && n == want
		})
	}
	const (
		waiting = `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'writer' AND wait_event = 'SyncRep'`
		visible = `SELECT count(*) FROM changes`
	)

	// Neither the timeout of statements nor the end of the context cancels a COMMIT.
	before := 0
	testkit.Eventually(t, "the server waits for a standby, without its client", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := write(ctx, "given up")
		if err == nil {
			before++ // the server had not read its settings yet
		}
		if errors.Is(err, db.ErrUnconfirmed) {
			t.Errorf("a COMMIT was cancelled: %v", err)
		}
		n, _ := db.One[int](t.Context(), owner, waiting)
		return n == 1
	})
	is("nobody sees the change", visible, before)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := db.Batch[string](ctx, pool, addChange.Call(db.Args{"name": "batch"})); err == nil {
		t.Error("a batch that nobody confirms is no error")
	}
	is("the batch waits, too", waiting, 2)
	is("nobody sees its change", visible, before)
	ctx, cancel = context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := db.One[string](ctx, pool, addChange.SQL, addChange.Args(db.Args{"name": "alone"})...); err == nil {
		t.Error("a statement that nobody confirms is no error")
	}
	is("a statement that commits by itself waits, too", waiting, 3)
	is("nobody sees its change, either", visible, before)

	// Somebody cancels the wait.
	written := make(chan error, 1)
	go func() { written <- write(context.WithoutCancel(t.Context()), "cancelled") }()
	is("four changes wait", waiting, 4)
	exec(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity
		WHERE application_name = 'writer' AND wait_event = 'SyncRep'`)
	if err := <-written; !errors.Is(err, db.ErrUnconfirmed) {
		t.Errorf("a COMMIT whose wait is cancelled: %v", err)
	}
	is("all changes are visible", visible, before+4)

	exec(`ALTER SYSTEM RESET synchronous_standby_names`)
	exec(`SELECT pg_reload_conf()`)
	testkit.Eventually(t, "a change is confirmed", func() bool { return write(t.Context(), "confirmed") == nil })
}

// A comment shows that a statement changes rows by a function alone (decision 0053). Only storage sends statements.
func TestCallsThatChangeRowsAreKnown(t *testing.T) {
	t.Parallel()
	var volatile string
	err := storagetest.Borrow(t).Owner.QueryRowContext(t.Context(), `SELECT string_agg(proname, '|') FROM pg_proc
		WHERE pronamespace = current_schema()::regnamespace AND provolatile = 'v'
			AND prorettype <> 'trigger'::regtype`).Scan(&volatile)
	if err != nil {
		t.Fatal(err)
	}
	call, calls := regexp.MustCompile("`[^`]*\\b(?:"+volatile+")\\([^`]*`"), 0
	err = filepath.WalkDir("../../storage", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, statement := range call.FindAllString(string(source), -1) {
			calls++
			if !db.ChangesRows.MatchString(statement) {
				t.Errorf("%s: %s has no INSERT, UPDATE, DELETE or MERGE", path, statement)
			}
		}
		return err
	})
	if err != nil || calls < 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
}
