package demo_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bordero/internal/blobs"
	"bordero/internal/tier"
	"bordero/storage"
	"bordero/storage/demo"
	"bordero/storage/imports"
	"bordero/storage/storagetest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the figures of docs/operations/growth.md")

const growth = "../../docs/operations/growth.md"

// grown is a row of the page about a table, records one about tables that a kind of record fills.
var (
	grown   = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| [^|]+ \\| ([–0-9,]+) \\|")
	records = regexp.MustCompile("(?m)^\\| [^|`]+ \\| ((?:`[a-z_]+`(?:, )?)+) \\| ([0-9,]+) \\|$")
)

// figures returns the figures of the tables; 0 is none.
func figures(t *testing.T, text string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, row := range grown.FindAllStringSubmatch(text, -1) {
		if _, twice := found[row[1]]; twice {
			t.Errorf("%s is there twice", row[1])
		}
		found[row[1]] = number(row[2])
	}
	return found
}

func number(s string) int {
	n, _ := strconv.Atoi(strings.ReplaceAll(s, ",", "")) // – is 0
	return n
}

// The page has a row for each table of the schema and for no other. Its figures agree with a filled installation.
func TestGrowth(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(growth)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	url := storagetest.DatabaseURL(t)
	s, pool := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	var tables []string
	if err := pool.QueryRowContext(t.Context(), `
		SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`).Scan(
		(*words)(&tables)); err != nil {
		t.Fatal(err)
	}
	documented := figures(t, text)
	var names []string
	for name := range documented {
		names = append(names, name)
	}
	slices.Sort(names)
	if d := cmp.Diff(tables, names); d != "" {
		t.Errorf("the tables of the schema (-) are not those of %s (+): %s", growth, d)
	}

	fillGrowth(t, s, pool, tier.Size(2000, 10_000))
	measured := map[string]int{}
	for _, table := range tables {
		if n := per1000(t, pool, table); n > 0 {
			measured[table] = n
		}
	}
	if *update {
		text = grown.ReplaceAllStringFunc(text, func(row string) string {
			parts := grown.FindStringSubmatch(row)
			figure := "–"
			if n := measured[parts[1]]; n > 0 {
				figure = strconv.Itoa(n)
			}
			return strings.TrimSuffix(row, parts[2]+" |") + figure + " |"
		})
		text = records.ReplaceAllStringFunc(text, func(row string) string {
			parts := records.FindStringSubmatch(row)
			return strings.TrimSuffix(row, parts[2]+" |") + strconv.Itoa(sum(measured, parts[1])) + " |"
		})
		if err := os.WriteFile(growth, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		documented = figures(t, text)
	}
	for _, table := range tables {
		was, is := documented[table], measured[table]
		if (was == 0) != (is == 0) || is > 2*was || was > 2*is {
			t.Errorf("1,000 rows of %s are %d kB; the page says %d: run with -update", table, is, was)
		}
	}
	rows := records.FindAllStringSubmatch(text, -1)
	for _, row := range rows {
		if want := sum(documented, row[1]); number(row[2]) != want {
			t.Errorf("%s: the page says %s kB, the sum is %d", row[1], row[2], want)
		}
	}
	if len(rows) != 8 {
		t.Errorf("%d kinds of records", len(rows))
	}
}

// sum adds the figures of tables that are named between backquotes.
func sum(figures map[string]int, names string) (total int) {
	for name := range strings.SplitSeq(strings.ReplaceAll(names, "`", ""), ", ") {
		total += figures[name]
	}
	return total
}

// words scans words with a space between.
type words []string

func (w *words) Scan(value any) error { *w = strings.Fields(fmt.Sprint(value)); return nil }

// per1000 measures 1,000 rows of a table, in kB. It returns 0 for a table that was not filled. 1,000 folded items
// count as 1,000 rows.
func per1000(t *testing.T, pool *sql.DB, table string) (kB int) {
	t.Helper()
	count := `SELECT count(*) FROM ` + table
	if table == "folded_items" {
		count = `SELECT sum(cardinality(numbers)) FROM folded_items`
	}
	var rows, bytes int64
	if err := pool.QueryRowContext(t.Context(), `
		SELECT coalesce((`+count+`), 0), coalesce((SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree($1)
			WHERE isleaf), pg_total_relation_size($1))`, table).Scan(&rows, &bytes); err != nil {
		t.Fatal(err)
	}
	if rows < 1000 {
		return 0
	}
	return int((bytes + rows/2) / rows)
}

// fillGrowth fills an installation with about n records of each kind that has many.
func fillGrowth(t *testing.T, s *storage.Store, pool *sql.DB, n int) {
	t.Helper()
	tenant := storagetest.NewTenant(t, s)
	if _, err := demo.Fill(t.Context(), s, demo.Options{AccountID: tenant.AccountID, Sales: n, Transactions: n,
		Seed: 1, Today: today}, silent); err != nil {
		t.Fatal(err)
	}
	storagetest.Seal(t, s)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := pool.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	// A year of use: files with half of their lines known, previews, notifications and changes.
	const statements = `
		INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name, file_content_type,
			file_file_size, event_status, event_finished_at, imported_items_count, items_count,
			duplicate_items_ignored_count, preview_until)
		SELECT account_id, min(id), $2 || '/' || md5(n::text), 'extrato-2026-11.ofx', 'application/x-ofx', 20000, $3,
			now() - interval '91 days', 0, 40, 40, CASE $3 WHEN 'previewed' THEN now() + interval '7 days' END
		FROM deposit_accounts, generate_series(1, $4::int / 40) n WHERE account_id = $1 GROUP BY account_id, n`
	exec(statements, tenant.AccountID, "aa", "success", n)
	exec(statements, tenant.AccountID, "bb", "previewed", n)
	const items = `
		SELECT b.account_id, b.id, n, 8 * n, date '2026-08-01' + n / 2, -10.00 * n - b.id % 1000 / 100.0, '',
			'duplicate', '20260801' || b.id * 100 + n, 'PIX ENVIADO ' || upper(md5((b.id * 100 + n)::text))
		FROM bank_statements b, generate_series(1, 40) n WHERE file_key LIKE `
	const columns = ` (account_id, bank_statement_id, number, line, day, amount, mark, outcome, fitid, description)`
	exec(`INSERT INTO previewed_items` + columns + items + `'bb/%'`)
	exec(`INSERT INTO ignored_items` + columns + items + `'aa/%'`)
	if folded, err := imports.FoldItems(t.Context(), s, 90*24*time.Hour); err != nil || folded < int64(n)/2 {
		t.Fatal(folded, err)
	}
	exec(`VACUUM FULL ignored_items`)
	exec(`INSERT INTO ignored_items` + columns + items + `'aa/%'`)
	exec(`INSERT INTO webhooks (account_id, entity_id, url, format, secret) VALUES ($1, $2, 'https://example.com/in',
		'json', 's')`, tenant.AccountID, tenant.EntityID)
	exec(`INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status, attempts_count,
			delivered_at)
		SELECT account_id, id, 'sales', 'created', n, 'delivered', 1, now() FROM webhooks, generate_series(1, $1) n`, n)
	exec(`INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id, finished_at, response_code,
			response_excerpt)
		SELECT account_id, id, 1, gen_random_uuid(), now(), 200, '{"status": "ok"}' FROM deliveries`)
	exec(`INSERT INTO unsealed_changes (account_id, entity_id, family, action, record_ids, occurred_at, request_id,
			attributes)
		SELECT $1, $2, 'sales', 'updated', ARRAY[n], now(), md5(n::text),
			'{"description":["Mesa 4","Mesa 5"],"total_amount":["10.0","12.5"]}' FROM generate_series(1, $3) n`,
		tenant.AccountID, tenant.EntityID, n)
	storagetest.Seal(t, s)
	exec(`VACUUM ANALYZE`)
}

// The page names each prefix of the file store, and nothing else.
func TestPrefixesOfTheFileStore(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(growth)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files, err := blobs.Open(t.Context(), "file://"+dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	if err := files.Mark(t.Context(), "id"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := files.Put(context.Background(), 1, strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(dir + "/*/*")
	if err != nil {
		t.Fatal(err)
	}
	var written []string
	for _, file := range found {
		prefix := filepath.Base(filepath.Dir(file))
		if len(prefix) == 2 {
			prefix = "XX"
		}
		written = append(written, prefix+"/")
	}
	var named []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Za-z]+/)` \\|").FindAllStringSubmatch(string(page), -1) {
		named = append(named, row[1])
	}
	slices.Sort(written)
	if written = slices.Compact(written); !slices.Equal(written, named) {
		t.Errorf("the store has the prefixes %v, the page names %v", written, named)
	}
}
