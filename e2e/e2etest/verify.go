package e2etest

import (
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"bordero/internal/testkit"
)

// texts returns the rows of a query with one text column.
func texts(ctx context.Context, db *sql.DB, query string, args ...any) (all []string, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}

// untouched selects the statements with remembered items that differ from their transactions. It
// finds 0 rows unless a user edits or deletes imported transactions.
const untouched = `
	WITH remembered AS (SELECT bank_statement_id, day, amount, count(*) AS n FROM imported_items GROUP BY 1, 2, 3),
	kept AS (
		SELECT bank_statement_id, occurred_at AS day, amount, count(*) AS n
		FROM financial_transactions WHERE bank_statement_id IS NOT NULL GROUP BY 1, 2, 3)
	SELECT format('statement %s, %s, %s: %s remembered, %s transactions', bank_statement_id, day, amount, r.n, k.n)
	FROM remembered r FULL JOIN kept k USING (bank_statement_id, day, amount) WHERE r.n IS DISTINCT FROM k.n`

// NoJobLeft is the condition that all work is done: no job is left, except of runs that stay with their webhook for a
// while, which have nothing to deliver.
const NoJobLeft = `NOT EXISTS (
	SELECT FROM jobs j WHERE NOT (kind = 'deliver_webhook' AND leased_until IS NOT NULL AND NOT EXISTS (
		SELECT FROM deliveries WHERE webhook_id = (j.args::json->>'webhook_id')::bigint AND status = 'pending')))`

// Settled waits until no job is left and checks that all stored data agrees, as bordero verify
// does. It also checks the imports, and the rows against their files.
func (s *Site) Settled() {
	s.t.Helper()
	testkit.Eventually(s.t, "no job is left", func() bool {
		return Value[bool](s.t, s.DB, `SELECT `+NoJobLeft)
	})
	if said, _, err := Command(s.t, s.Env, "verify"); err != nil || said != "" {
		s.t.Errorf("verify: %v\n%s", err, said)
	}
	imports, err := texts(s.t.Context(), s.DB, untouched)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, p := range imports {
		s.t.Error(p)
	}
	s.FilesAgree()
}

// FilesAgree checks that every row has its file. Files without a row are permitted: a commit
// without an answer leaves one, and the sweep removes it.
func (s *Site) FilesAgree() {
	s.t.Helper()
	keys, err := texts(s.t.Context(), s.DB, `SELECT key FROM stored_files`)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, key := range keys {
		if _, err := os.Stat(filepath.Join(s.Files, key)); err != nil {
			s.t.Error(err)
		}
	}
}

// NoStrays checks that every file belongs to a row.
func (s *Site) NoStrays() {
	s.t.Helper()
	err := filepath.WalkDir(s.Files, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		key := strings.TrimPrefix(path, s.Files+"/")
		if strings.HasPrefix(key, "installation/") { // its mark
			return nil
		}
		if !Value[bool](s.t, s.DB, `SELECT EXISTS (SELECT FROM stored_files WHERE key = $1)`, key) {
			s.t.Errorf("no row names the file %s", key)
		}
		return nil
	})
	if err != nil {
		s.t.Error(err)
	}
}

// ofEntity selects the tables that have rows of an entity, but for its changes, which stay.
const ofEntity = `
	WITH those AS MATERIALIZED (
		SELECT attrelid::regclass AS name FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT relispartition AND attname = 'entity_id')
	SELECT name FROM those WHERE (xpath('/row/c/text()', query_to_xml(
		format('SELECT count(*) AS c FROM %s WHERE entity_id = ANY (string_to_array(%L, '','')::bigint[])', name,
			$1::text), false, true, '')))[1]::text <> '0'`

// NothingOf checks that no table has rows of the entities.
func (s *Site) NothingOf(entities ...int64) {
	s.t.Helper()
	var ids []string
	for _, id := range entities {
		ids = append(ids, strconv.FormatInt(id, 10))
	}
	tables, err := texts(s.t.Context(), s.DB, ofEntity, strings.Join(ids, ","))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, table := range tables {
		s.t.Errorf("rows of deleted entities are left in %s", table)
	}
}
