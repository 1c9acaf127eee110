package e2etest

import (
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// rules are queries that find what does not agree, one text a row. They hold at
// every moment, whatever has been edited or deleted since it was imported.
var rules = []string{
	`SELECT format('deposit account %s keeps %s in %s transactions until %s; it has %s in %s until %s', d.id,
		transactions_sum, transactions_count, last_transaction_date, t.sum, t.count, t.last)
	FROM deposit_accounts d, LATERAL (
		SELECT coalesce(sum(amount), 0) AS sum, count(*) AS count, max(occurred_at) AS last
		FROM financial_transactions WHERE deposit_account_id = d.id) t
	WHERE (transactions_sum, transactions_count, last_transaction_date) IS DISTINCT FROM (t.sum, t.count, t.last)`,

	`SELECT format('statement %s, %s, says that it imported %s items; %s are remembered, %s are transactions', b.id,
		event_status, imported_items_count, m.count, t.count)
	FROM bank_statements b,
	LATERAL (SELECT count(*) AS count FROM imported_items WHERE bank_statement_id = b.id) m,
	LATERAL (SELECT count(*) AS count FROM financial_transactions WHERE bank_statement_id = b.id) t
	WHERE imported_items_count <> m.count OR t.count > m.count OR (event_status <> 'success' AND m.count > 0)`,

	// One that ended in error may have a job: an operator tries it again.
	`SELECT format('statement %s is %s with %s jobs, ended at %s', b.id, event_status, j.count, event_finished_at)
	FROM bank_statements b, LATERAL (
		SELECT count(*) AS count FROM jobs WHERE kind = 'import_statement' AND failed_at IS NULL
		AND CAST(args::json ->> 'bank_statement_id' AS bigint) = b.id) j
	WHERE (event_status IN ('queued', 'processing') AND j.count <> 1) OR (event_status = 'success' AND j.count > 0)
		OR (event_finished_at IS NULL) = (event_status IN ('success', 'error'))`,

	`SELECT format('transaction %s of deposit account %s is from statement %s of another', t.id, t.deposit_account_id, b.id)
	FROM financial_transactions t JOIN bank_statements b ON b.id = t.bank_statement_id
	WHERE b.deposit_account_id <> t.deposit_account_id`,
}

// Verify returns what does not agree in a database: balances with transactions,
// counters with what was imported, states with jobs.
func Verify(ctx context.Context, db querier) (problems []string, err error) {
	for _, rule := range rules {
		found, err := texts(ctx, db, rule)
		if err != nil {
			return nil, err
		}
		problems = append(problems, found...)
	}
	return problems, nil
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

func texts(ctx context.Context, db querier, query string) (all []string, err error) {
	rows, err := db.QueryContext(ctx, query)
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

// untouched holds while nobody edits or deletes what was imported: the memory
// and the transactions of a statement are the same items.
const untouched = `
	WITH remembered AS (SELECT bank_statement_id, day, amount, count(*) AS n FROM imported_items GROUP BY 1, 2, 3),
	kept AS (
		SELECT bank_statement_id, occurred_at AS day, amount, count(*) AS n
		FROM financial_transactions WHERE bank_statement_id IS NOT NULL GROUP BY 1, 2, 3)
	SELECT format('statement %s, %s, %s: %s remembered, %s transactions', bank_statement_id, day, amount, r.n, k.n)
	FROM remembered r FULL JOIN kept k USING (bank_statement_id, day, amount) WHERE r.n IS DISTINCT FROM k.n`

// Settled waits until no job is left and checks that all that is kept agrees:
// Verify, the imports, and the rows with their files.
func (s *Site) Settled() {
	s.t.Helper()
	Await(s.t, "no job is left", func() bool { return Value[int](s.t, s.DB, `SELECT count(*) FROM jobs`) == 0 })
	problems, err := Verify(s.t.Context(), s.DB)
	if err != nil {
		s.t.Fatal(err)
	}
	imports, err := texts(s.t.Context(), s.DB, untouched)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, p := range append(problems, imports...) {
		s.t.Error(p)
	}
	s.filesAgree()
}

// filesAgree holds every row to its file. A file without a row is what the sweep
// is for: a commit whose answer was lost leaves one.
func (s *Site) filesAgree() {
	s.t.Helper()
	keys, err := texts(s.t.Context(), s.DB, `SELECT file_key FROM bank_statements`)
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
		if !Value[bool](s.t, s.DB, `SELECT EXISTS (SELECT FROM bank_statements WHERE file_key = $1)`, key) {
			s.t.Errorf("no row names the file %s", key)
		}
		return nil
	})
	if err != nil {
		s.t.Error(err)
	}
}
