package e2e

import (
	"context"
	"database/sql"
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
	"bordero/internal/testkit"
	"bordero/internal/tier"
	"bordero/storage/storagetest"
)

// kills is how often a deletion is killed.
func kills(t *testing.T) int { return tier.Set(t, "BORDERO_KILLS", 3, 3) }

// rowsOf counts the rows of every table, except those of account level and changes, which stay.
const rowsOf = `
	SELECT string_agg(format('%s %s', c.relname,
		(xpath('/row/c/text()', query_to_xml('SELECT count(*) AS c FROM ' || c.oid::regclass, false, true, '')))[1]),
			E'\n'
		ORDER BY c.relname)
	FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT relispartition
		AND relname NOT IN
		('goose_db_version', 'unsealed_changes', 'jobs', 'users', 'people', 'categories', 'custom_classifiers',
			'custom_classifier_values', 'account_usage', 'memberships', 'idempotency_keys')`

// newEntity creates another entity for the site's client, and returns the one before.
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

// put stores a file under a key.
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

// busy is the work in progress below an entity that is to be deleted.
type busy struct {
	feed     *e2etest.Feed     // an import's file, half read
	receiver *e2etest.Receiver // has received a notification and not responded
	answer   func()            // makes it respond
	pricing  *sql.Tx           // blocks a pricing
	workers  []*e2etest.Process
}

// keepBusy starts workers and waits until an import, a pricing and a delivery below the site's
// entity are in progress. The first two wait for the test. A delivery does not: each of its five
// attempts ends after 10 s, so it begins last.
func keepBusy(t *testing.T, s *e2etest.Site) *busy {
	t.Helper()
	held, answer := context.WithCancel(context.Background())
	b := &busy{receiver: e2etest.NewReceiver(t), answer: answer}
	t.Cleanup(answer)
	b.receiver.Answers("/", func(http.ResponseWriter, *http.Request) { <-held.Done() })
	b.feed = s.Feed(s.MustUpload(t, s.NewDepositAccount(t, ""), statementtest.OFX(20_000)).ID)
	var err error
	if b.pricing, err = s.DB.BeginTx(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.pricing.Rollback() })
	if _, err := b.pricing.ExecContext(t.Context(), `SELECT FROM sales WHERE entity_id = $1 FOR UPDATE`,
		s.Entity); err != nil {
		t.Fatal(err)
	}
	askPricing(t, s)
	b.workers = append(couriers(s, 1), s.Worker(), s.Start("work", "sales").Ready())
	b.feed.Give(b.feed.Half())
	begun := func(what, query string) {
		t.Helper()
		testkit.Eventually(t, what, func() bool { return e2etest.Value[bool](t, s.DB, query) })
	}
	begun("an import is in progress", `SELECT EXISTS (SELECT FROM jobs WHERE kind = 'import_statement'
		AND leased_until > now())`)
	begun("a pricing waits for its sales", `SELECT EXISTS (SELECT FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%sales%')`)
	subscribe(t, s, b.receiver.URL+"/")
	mustHappen(t, s)
	testkit.Eventually(t, "a delivery is in progress", func() bool { return b.receiver.Count("/") > 0 })
	return b
}

// askPricing enqueues the pricing of the last sale account.
func askPricing(t *testing.T, s *e2etest.Site) {
	t.Helper()
	_, err := s.DB.ExecContext(t.Context(), `
		INSERT INTO jobs (kind, queue, key, args, account_id, due_at)
		SELECT 'price_sales', 'sales', account_id || ':' || id, json_build_object('account_id', account_id,
			'sale_account_id', id), account_id, now()
		FROM sale_accounts ORDER BY id DESC LIMIT 1`)
	if err != nil {
		t.Fatal(err)
	}
}

// deletes requests the deletion of the site's entity twice while all that goes on. The DELETE
// waits only for the pricing.
func (b *busy) deletes(t *testing.T, s *e2etest.Site) {
	t.Helper()
	deleted := make(chan string, 2)
	for range 2 {
		go func() {
			for {
				a, err := s.Do(http.MethodDelete, paths.Entity(s.Entity)+"?force_destroy=true", "", nil)
				if err == nil && a.Status == http.StatusServiceUnavailable { // a batch of the pricing may take long
					continue
				}
				deleted <- fmt.Sprintf("%d %q %v", a.Status, a.Body, err)
				return
			}
		}()
	}
	testkit.Eventually(t, "the DELETE waits", func() bool {
		return e2etest.Value[bool](t, s.DB, `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'
				AND query LIKE '%FROM entities%FOR UPDATE%')`)
	})
	_ = b.pricing.Rollback()
	for range 2 {
		if said := <-deleted; said != `202 "" <nil>` {
			t.Fatalf("DELETE: %s", said)
		}
	}
	b.answer()
	if !e2etest.Value[bool](t, s.DB, `SELECT EXISTS (SELECT FROM jobs WHERE kind = 'import_statement')`) {
		t.Error("the import has ended before the deletion")
	}
	testkit.Eventually(t, "the pricing has ended", func() bool {
		return !e2etest.Value[bool](t, s.DB, `SELECT EXISTS (SELECT FROM jobs WHERE kind = 'price_sales'
			AND due_at <= now())`)
	})
	askPricing(t, s) // finds nothing to price
}

// quiet checks that the workers have logged no failure.
func quiet(t *testing.T, workers []*e2etest.Process, but string) {
	t.Helper()
	for _, w := range workers {
		for line := range strings.Lines(w.Out.String()) {
			if (strings.Contains(line, "level=ERROR") || strings.Contains(line, "level=WARN")) &&
				(but == "" || !strings.Contains(line, but)) {
				t.Errorf("%s says %s", w.Name, line)
			}
		}
	}
}

// failing reports whether a job has failed at the store of files.
func failing(t *testing.T, s *e2etest.Site) bool {
	t.Helper()
	return e2etest.Value[bool](t, s.DB, `SELECT EXISTS (SELECT FROM jobs WHERE error LIKE '%aa/attachment%')`)
}

// killDeletions starts and kills deletion workers at random moments, and leaves one running.
func killDeletions(t *testing.T, s *e2etest.Site, rows int64) (workers []*e2etest.Process) {
	t.Helper()
	deleted := func() int64 {
		return e2etest.Value[int64](t, s.DB, `SELECT coalesce(sum(deleted), 0)::bigint FROM deletions`)
	}
	for range kills(t) {
		w := s.Start("work", "deletions").Ready()
		until := deleted() + rand.Int64N(rows/int64(kills(t)))
		testkit.Eventually(t, fmt.Sprintf("%d rows are deleted", until), func() bool {
			return deleted() >= until || failing(t, s)
		})
		w.Kill()
		workers = append(workers, w)
	}
	return append(workers, s.Start("work", "deletions").Ready())
}

// An entity is deleted during an import, a pricing and a delivery, while the store of files
// fails and the workers are killed at random moments.
func TestAKilledDeletionOfAnEntityLeavesNothing(t *testing.T) {
	tier.NeedsLong(t, "kills of a deletion with all tables filled; a killed deletion of an account stays")
	t.Parallel()
	s := e2etest.New(t, short, e2etest.Delivering("100ms"))
	s.Serve()
	imports := s.Worker()
	newEntity(t, s)
	stays := s.NewDepositAccount(t, "")
	s.Import(t, stays, statementtest.OFX(100))
	imports.Terminate()
	before := e2etest.Value[string](t, s.DB, rowsOf)

	newEntity(t, s)
	n := 400 * kills(t)
	if err := storagetest.Contents(t.Context(), s.DB, s.ID, s.Entity, n, "aa/statement", "aa/attachment"); err != nil {
		t.Fatal(err)
	}
	// Contents enqueues jobs that are due in a year.
	if _, err := s.DB.ExecContext(t.Context(), `DELETE FROM jobs WHERE due_at > now() + '1 month'`); err != nil {
		t.Fatal(err)
	}
	put(t, s, "aa/statement")
	put(t, s, "aa/attachment/blocks") // no file can be removed at aa/attachment
	b := keepBusy(t, s)
	b.deletes(t, s)
	deletions := killDeletions(t, s, int64(12*n))
	testkit.Eventually(t, "the store of files fails", func() bool { return failing(t, s) })
	if n := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM attachments`); n != 1 {
		t.Errorf("%d attachments while the store fails, want the one that has its file", n)
	}
	if said := s.Run("jobs", "list"); !strings.Contains(said, "rows deleted, about") ||
		!strings.Contains(said, "aa/attachment") {
		t.Errorf("jobs list: %s", said)
	}
	b.feed.End() // the statement is gone
	if err := os.RemoveAll(filepath.Join(s.Files, "aa/attachment")); err != nil {
		t.Fatal(err)
	}
	put(t, s, "aa/attachment")
	s.Settled()
	s.NoStrays()
	if after := e2etest.Value[string](t, s.DB, rowsOf); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	s.NothingOf(s.Entity)
	if a, err := s.Do(http.MethodGet, paths.Entity(s.Entity), "", nil); err != nil || a.Status != http.StatusNotFound {
		t.Errorf("the entity: %v %v", a, err)
	}
	quiet(t, b.workers, "")
	quiet(t, deletions, "aa/attachment")
	if n := e2etest.Value[int](t, s.DB,
		`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`); n != 0 {
		t.Errorf("%d deadlocks", n)
	}
	if _, notifications := b.receiver.Together(); notifications < 10 {
		t.Errorf("%d notifications came", notifications)
	}
}

// A sandbox is reset twice, at once, while the workers that remove its records are killed. What is made meanwhile
// stays.
func TestAKilledResetOfASandboxEnds(t *testing.T) {
	tier.NeedsLong(t, "kills of a reset; a test of storage/cascade breaks one off at any chunk")
	t.Parallel()
	s := e2etest.New(t, short)
	s.Serve()
	if _, err := s.DB.ExecContext(t.Context(), `UPDATE accounts SET sandbox = true, name = 'Testes'`); err != nil {
		t.Fatal(err)
	}
	n := 400 * kills(t)
	if err := storagetest.Contents(t.Context(), s.DB, s.ID, s.Entity, n, "aa/statement", "aa/attachment"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DB.ExecContext(t.Context(), `DELETE FROM jobs`); err != nil {
		t.Fatal(err)
	}
	put(t, s, "aa/statement")
	put(t, s, "aa/attachment")
	before := s.Entity
	reset := func() {
		a, err := s.Do(http.MethodPost, "/sandbox/reset", "application/json", strings.NewReader(`{"name":"Testes"}`))
		var made struct{ Entity struct{ ID int64 } }
		if err == nil {
			err = json.Unmarshal(a.Body, &made)
		}
		if err != nil || a.Status != http.StatusAccepted {
			t.Errorf("%v %v", a, err)
		}
		s.Entity = made.Entity.ID
	}
	reset()
	first := s.Entity
	reset()
	account := s.NewDepositAccount(t, "")
	s.Start("work", "statements", "sales", "reconciliation", "webhooks").Ready()
	killDeletions(t, s, int64(12*n))
	s.Settled()
	s.NoStrays()
	s.NothingOf(before, first)
	if left := e2etest.Value[string](t, s.DB, `SELECT concat_ws(' ', (SELECT count(*) FROM entities),
		(SELECT count(*) FROM people), (SELECT count(*) FROM custom_classifiers),
		(SELECT count(*) FROM categories WHERE deleted_at IS NOT NULL), (SELECT max(id) FROM deposit_accounts),
		(SELECT count(*) FROM deposit_accounts))`); left != fmt.Sprintf("1 0 0 0 %d 1", account) {
		t.Errorf("left: %s", left)
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
	if _, said, err := e2etest.Command(t, s.Env, "account", "delete", id); err == nil ||
		!strings.Contains(said, "--yes") {
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
	if _, said, err := e2etest.Command(t, s.Env, "account", "delete", id, "--yes"); err == nil ||
		!strings.Contains(said, "no account "+id) {
		t.Errorf("again: %v %s", err, said)
	}
}
