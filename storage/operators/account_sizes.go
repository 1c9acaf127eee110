package operators

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"bordero/internal/db"
	"bordero/storage"

	"github.com/lib/pq"
)

// MeasuredTables are the tables of MeasureAccounts. In each an account may have millions of rows.
var MeasuredTables = []string{"financial_transactions", "imported_items", "ignored_items", "financial_accounts",
	"sales", "credit_card_transactions", "changes", "deliveries"}

// Files is the kind of a size that counts files and their bytes.
const Files = "files"

const (
	sizesAge      = 23 * time.Hour   // sizes of this age are measured again
	sizesTimeout  = 60 * time.Second // the longest statement, and the longest snapshot
	sizesOfATable = 100              // accounts of each table, and of the files
)

// MeasureAccounts counts the rows of each measured table and the files by account, and keeps the figures of the
// largest accounts of each. It leaves figures of the last 23 hours. Each table is one statement of at most a minute;
// of a table that takes longer the earlier figures stay, and the error names it. Its kind and the moment are added to
// late, with which the caller calls again: such a kind waits 23 hours, too. It may run twice at once, with a late for
// each.
func MeasureAccounts(ctx context.Context, s *storage.Store, late map[string]time.Time) error {
	return measureAll(ctx, s, late, sizesTimeout)
}

func measureAll(ctx context.Context, s *storage.Store, late map[string]time.Time, timeout time.Duration) error {
	fresh, err := db.Many[string](ctx, s.DB, `
		SELECT kind FROM account_sizes GROUP BY kind HAVING max(counted_at) > now() - make_interval(secs => $1)`,
		sizesAge.Seconds())
	if err != nil {
		return fmt.Errorf("sizes of accounts: %w", err)
	}
	var failed []error
	for _, kind := range append(slices.Clone(MeasuredTables), Files) {
		if slices.Contains(fresh, kind) || time.Since(late[kind]) < sizesAge {
			continue
		}
		if err := measure(ctx, s, kind, timeout); err != nil {
			if storage.TimedOut(err) && ctx.Err() == nil {
				late[kind] = time.Now()
			}
			failed = append(failed, fmt.Errorf("sizes of accounts in %s: %w", kind, err))
		}
	}
	return errors.Join(failed...)
}

func measure(ctx context.Context, s *storage.Store, kind string, timeout time.Duration) error {
	counted := countFiles
	if kind != Files {
		counted = countRows(kind)
	}
	return s.InTx(ctx, func(tx *storage.Tx) error {
		if _, err := db.Exec(ctx, tx.DB, fmt.Sprintf(`SET LOCAL statement_timeout = %d`,
			timeout.Milliseconds())); err != nil {
			return err
		}
		_, err := db.Exec(ctx, tx.DB, `
			WITH counted AS MATERIALIZED (`+counted+`), largest AS MATERIALIZED (
				(SELECT account_id, rows, bytes FROM counted ORDER BY rows DESC, account_id LIMIT $2)
				UNION
				(SELECT account_id, rows, bytes FROM counted ORDER BY bytes DESC, account_id LIMIT $2)
			), removed AS (
				DELETE FROM account_sizes WHERE kind = $1 AND account_id NOT IN (SELECT account_id FROM largest)
			)
			INSERT INTO account_sizes AS s (kind, account_id, rows, bytes)
			SELECT $1, account_id, rows, bytes FROM largest WHERE account_id IN (SELECT id FROM accounts)
			ON CONFLICT (kind, account_id) DO UPDATE SET rows = excluded.rows, bytes = excluded.bytes,
				counted_at = now()`, kind, sizesOfATable)
		return err
	})
}

// countRows counts the rows of a table. An account has the share of the table's bytes, with its indexes, that it has of
// the rows.
func countRows(table string) string {
	return `
				SELECT account_id, rows, CAST(size * rows / sum(rows) OVER () AS bigint) AS bytes
				FROM (SELECT account_id, count(*) AS rows FROM ` + table + ` GROUP BY account_id) c, (
					SELECT coalesce(sum(pg_total_relation_size(relid)), pg_total_relation_size('` + table + `')) AS size
					FROM pg_partition_tree('` + table + `') WHERE isleaf) t`
}

const countFiles = `
				SELECT account AS account_id, count(*) AS rows, CAST(sum(bytes) AS bigint) AS bytes
				FROM stored_files GROUP BY account`

// AccountSize is what MeasureAccounts found of an account.
type AccountSize struct {
	AccountID int64
	Name      string
	Bytes     int64            // of the database and of the files, about
	Rows      int64            // of the measured tables
	Of        map[string]int64 // rows by table, without tables in which the account is not one of the largest
	Files     int64            // bytes of the files
	CountedAt time.Time        // the oldest figure
}

// LargestAccounts lists the n largest accounts by bytes and the n largest by rows, all of them in the order of bytes.
func LargestAccounts(ctx context.Context, q storage.Queries, n int) ([]AccountSize, error) {
	rows, err := db.Many[struct {
		AccountSize
		Tables []byte
	}](ctx, q.DB, `
		SELECT account_id, a.name, bytes, rows, files, counted_at, tables
		FROM (
			SELECT *, rank() OVER (ORDER BY bytes DESC) AS by_bytes, rank() OVER (ORDER BY rows DESC) AS by_rows
			FROM (
				SELECT account_id, CAST(sum(bytes) AS bigint) AS bytes, min(counted_at) AS counted_at,
					CAST(coalesce(sum(bytes) FILTER (WHERE kind = $2), 0) AS bigint) AS files,
					CAST(coalesce(sum(rows) FILTER (WHERE kind <> $2), 0) AS bigint) AS rows,
					coalesce(json_object_agg(kind, rows) FILTER (WHERE kind <> $2), '{}') AS tables
				FROM account_sizes WHERE kind = $2 OR kind = ANY($3) GROUP BY account_id) s) r
		JOIN accounts a ON a.id = account_id
		WHERE by_bytes <= $1 OR by_rows <= $1
		ORDER BY bytes DESC, account_id LIMIT 2 * $1`, n, Files, pq.Array(MeasuredTables))
	if err != nil {
		return nil, fmt.Errorf("list the largest accounts: %w", err)
	}
	sizes := make([]AccountSize, len(rows))
	for i, r := range rows {
		sizes[i] = r.AccountSize
		if err := json.Unmarshal(r.Tables, &sizes[i].Of); err != nil {
			return nil, err
		}
	}
	return sizes, nil
}
