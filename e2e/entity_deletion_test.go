package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/storage/storagetest"
)

// kills is how often a deletion is killed: BORDERO_KILLS, or a few.
func kills(t *testing.T) int {
	text := os.Getenv("BORDERO_KILLS")
	if text == "" {
		return 3
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("BORDERO_KILLS: %v", err)
	}
	return n
}

// rowsOf counts the rows of every table, but for those of account level.
const rowsOf = `
	SELECT string_agg(format('%s %s', c.relname, (xpath('/row/c/text()', query_to_xml('SELECT count(*) AS c FROM ' || c.oid::regclass, false, true, '')))[1]), E'\n'
		ORDER BY c.relname)
	FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT IN
		('goose_db_version', 'jobs', 'users', 'people', 'categories', 'custom_classifiers', 'custom_classifier_values', 'memberships', 'idempotency_keys')`

// newEntity makes another entity for the site to work in, and returns the one before.
func newEntity(t *testing.T, s *e2etest.Site) (before int64) {
	t.Helper()
	a, err := s.Do(http.MethodPost, "/entities", "application/json", strings.NewReader(`{"entity":{"name":"Filial"}}`))
	var made struct{ Entity struct{ ID int64 } }
	if err == nil {
		err = json.Unmarshal(a.Body, &made)
	}
	if err != nil || a.Status != http.StatusCreated {
		t.Fatalf("%v %v", a, err)
	}
	before, s.Entity = s.Entity, made.Entity.ID
	return before
}

// put keeps a file under a key.
func put(t *testing.T, s *e2etest.Site, key string) {
	t.Helper()
	path := filepath.Join(s.Files, key)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// An entity goes while a file is imported into it and its sales are priced, the
// store of files fails, and its workers are killed at random moments.
func TestAKilledDeletionOfAnEntityLeavesNothing(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, short)
	s.Serve()
	s.Worker()
	s.Start("work", "sales").Ready()
	newEntity(t, s)
	stays := s.NewDepositAccount(t, "")
	s.Import(t, stays, statementtest.OFX(100))
	before := e2etest.Value[string](t, s.DB, rowsOf)

	newEntity(t, s)
	n := 400 * kills(t)
	if err := storagetest.Contents(t.Context(), s.DB, s.ID, s.Entity, n, "aa/statement", "aa/attachment"); err != nil {
		t.Fatal(err)
	}
	put(t, s, "aa/statement")
	put(t, s, "aa/attachment/blocks") // no file can be removed at aa/attachment
	into := s.NewDepositAccount(t, "")
	s.MustUpload(t, into, statementtest.OFX(20_000))
	if _, err := s.DB.ExecContext(t.Context(), `UPDATE jobs SET due_at = now() WHERE kind = 'price_sales'`); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		a, err := s.Do(http.MethodDelete, paths.Entity(s.Entity)+"?force_destroy=true", "", nil)
		if err != nil || a.Status != http.StatusAccepted || len(a.Body) > 0 {
			t.Fatalf("DELETE: %v %v", a, err)
		}
	}
	deleted := func() int64 {
		return e2etest.Value[int64](t, s.DB, `SELECT coalesce(sum(deleted), 0)::bigint FROM deletions`)
	}
	left := func() bool {
		return e2etest.Value[bool](t, s.DB, `SELECT EXISTS (SELECT FROM jobs WHERE kind = 'delete_cascade')`)
	}
	for range kills(t) {
		w := s.Start("work", "deletions").Ready()
		until := deleted() + rand.Int64N(int64(12*n/kills(t)))
		e2etest.Await(t, fmt.Sprintf("%d rows are deleted", until), func() bool {
			return deleted() >= until || !left() || e2etest.Value[bool](t, s.DB, `SELECT EXISTS (SELECT FROM jobs WHERE error LIKE '%aa/attachment%')`)
		})
		w.Kill()
	}
	s.Start("work", "deletions").Ready()
	e2etest.Await(t, "the store of files fails", func() bool {
		return e2etest.Value[bool](t, s.DB, `SELECT EXISTS (SELECT FROM jobs WHERE error LIKE '%aa/attachment%')`)
	})
	if n := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM attachments`); n != 1 {
		t.Errorf("%d attachments while the store fails, want the one that has its file", n)
	}
	if said := s.Run("jobs", "list"); !strings.Contains(said, "rows deleted, about") {
		t.Errorf("jobs list: %s", said)
	}
	if err := os.RemoveAll(filepath.Join(s.Files, "aa/attachment")); err != nil {
		t.Fatal(err)
	}
	put(t, s, "aa/attachment")
	// A kill is an attempt: after many of them a failure waits for long.
	if _, err := s.DB.ExecContext(t.Context(), `UPDATE jobs SET due_at = now()`); err != nil {
		t.Fatal(err)
	}
	s.Settled()
	s.NoStrays()
	if after := e2etest.Value[string](t, s.DB, rowsOf); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if a, err := s.Do(http.MethodGet, paths.Entity(s.Entity), "", nil); err != nil || a.Status != http.StatusNotFound {
		t.Errorf("the entity: %v %v", a, err)
	}
}

func TestAnAccountIsDeletedByCommand(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, short)
	s.Serve()
	s.Start("work", "deletions").Ready()
	if err := storagetest.Contents(t.Context(), s.DB, s.ID, s.Entity, 100); err != nil {
		t.Fatal(err)
	}
	id := strconv.FormatInt(s.ID, 10)
	if _, said, err := e2etest.Command(t, s.Env, "account", "delete", id); err == nil || !strings.Contains(said, "--yes") {
		t.Errorf("without --yes: %v %s", err, said)
	}
	if said := s.Run("account", "delete", id, "--yes"); !strings.Contains(said, "account "+id+" is closed") {
		t.Errorf("it says %q", said)
	}
	if a, err := s.Do(http.MethodGet, "/entities", "", nil); err != nil || a.Status != http.StatusUnauthorized {
		t.Errorf("its token: %v %v", a, err)
	}
	s.Settled()
	if n := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM accounts`); n != 0 {
		t.Errorf("%d accounts", n)
	}
	if _, said, err := e2etest.Command(t, s.Env, "account", "delete", id, "--yes"); err == nil || !strings.Contains(said, "no account "+id) {
		t.Errorf("again: %v %s", err, said)
	}
}
