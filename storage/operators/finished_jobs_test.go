package operators_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/operators"
	"bordero/storage/storagetest"
)

// ran is a database with runs of two accounts in each minute of the last six days: run n of each ended n minutes ago.
// Every tenth is an import of the statement n % 500, every 700th failed; the others are proofs without a record.
func ran(t *testing.T) *storage.Store {
	t.Helper()
	url := storagetest.DatabaseURL(t)
	owner := storagetest.DB(t, url)
	for _, query := range []string{`
		INSERT INTO finished_jobs (part, attempts, jobs, id, account_id, record_id, created_at, first_due_at,
			started_at,
			claimed_at, ended_at, kind, queue, result)
		SELECT extract(epoch FROM ended)::bigint / 86400 % 10, 1, 1, n + 100000 * (place / 3), account,
			CASE WHEN n % 10 = 0 THEN n % 500 END, ended - interval '40 s', ended - interval '30 s',
			ended - interval '20 s', ended - interval '5 s', ended,
			CASE WHEN n % 10 = 0 THEN 'import_statement' ELSE 'prove_balance' END, 'statements',
			CASE WHEN n % 700 = 0 THEN 'failed' ELSE 'done' END
		FROM generate_series(0, 8639) n CROSS JOIN unnest(ARRAY[1, 2, 2]) WITH ORDINALITY a (account, place),
			LATERAL (SELECT now() - make_interval(mins => n)) e (ended)`,
		`INSERT INTO finished_jobs (part, attempts, jobs, id, account_id, created_at, ended_at, kind, queue, result)
		SELECT extract(epoch FROM now())::bigint / 86400 % 10, 1, 1, 99999, 1, now(), now() - interval '8 days', 'old',
			'statements', 'done'`,
		`VACUUM ANALYZE finished_jobs`,
	} {
		if _, err := owner.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	return storagetest.Open(t, url, storage.Options{Connections: 1})
}

// Each search finds exactly the runs of the last seven days that it is for, newest first, on pages of any size.
func TestFinishedJobsAreFound(t *testing.T) {
	t.Parallel()
	s := ran(t)
	now, err := db.One[time.Time](t.Context(), s.DB, `SELECT max(ended_at) FROM finished_jobs`)
	if err != nil {
		t.Fatal(err)
	}
	before := func(minutes float64) *time.Time {
		at := now.Add(-time.Duration(minutes * float64(time.Minute)))
		return &at
	}
	for name, c := range map[string]struct {
		search operators.FinishedJobSearch
		is     func(n int64) bool
	}{
		"all":      {operators.FinishedJobSearch{}, func(int64) bool { return true }},
		"a kind":   {operators.FinishedJobSearch{Kind: "import_statement"}, func(n int64) bool { return n%10 == 0 }},
		"a record": {operators.FinishedJobSearch{RecordID: 70}, func(n int64) bool { return n%500 == 70 }},
		"a record of another kind": {operators.FinishedJobSearch{RecordID: 70, Kind: "price_sales"},
			func(int64) bool { return false }},
		"what failed":     {operators.FinishedJobSearch{Result: "failed"}, func(n int64) bool { return n%700 == 0 }},
		"what has no run": {operators.FinishedJobSearch{Kind: "none"}, func(int64) bool { return false }},
		"a time": {operators.FinishedJobSearch{Since: before(1500.5), Until: before(1400.5)},
			func(n int64) bool { return n > 1400 && n <= 1500 }},
	} {
		var want []int64
		for n := range int64(8640) {
			if c.is(n) {
				want = append(want, n)
			}
		}
		for _, limit := range []int{500, 3000} {
			if got := walked(t, s, 1, c.search, limit); !slices.Equal(got, want) {
				t.Errorf("%s, %d on a page: %d runs, not %d", name, limit, len(got), len(want))
			}
		}
	}
	// Account 2 has two runs at each time: a page that ends between them loses none.
	if got := walked(t, s, 2, operators.FinishedJobSearch{Since: before(99.5)}, 7); len(got) != 200 {
		t.Errorf("%d runs, not 200: %v", len(got), got)
	}
}

// walked returns the ids of the runs on all pages of a search.
func walked(t *testing.T, s *storage.Store, account int64, search operators.FinishedJobSearch, limit int) (
	ids []int64) {
	t.Helper()
	for {
		page, next, err := operators.FinishedJobs(t.Context(), s.Queries, account, search, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range page {
			ids = append(ids, j.ID)
		}
		if next == nil {
			return ids
		}
		search.Before = *next
	}
}

// A search reads the rows of a page in the order of an index, and nothing else of a history of any size.
func TestSearchesOfFinishedJobsUseTheirIndex(t *testing.T) {
	t.Parallel()
	s := ran(t)
	for name, c := range map[string]struct {
		record int64
		index  string
	}{"account": {0, "account_id_ended_at"}, "record": {70, "account_id_record_id"}} {
		find := db.Statements()["finished_jobs.of_"+name]
		lines, err := db.Many[string](t.Context(), s.DB, `EXPLAIN (COSTS OFF) `+find.SQL, find.Args(db.Args{
			"account": 1, "record": c.record, "kind": "import_statement", "result": "", "since": nil, "until": nil,
			"before_at": nil, "before_id": 0, "kept": 7 * 86400.0, "most": 50, "limit": 51,
		})...)
		plan := strings.Join(lines, "\n")
		days := strings.Count(plan, c.index) // partitions without rows are not worth an index
		if err != nil || days < 6 || days+strings.Count(plan, "Seq Scan") != 10 {
			t.Errorf("%s: %v\n%s", name, err, plan)
		}
	}
}

func TestTheLastHour(t *testing.T) {
	t.Parallel()
	s := ran(t)
	busy, err := operators.BusyAccounts(t.Context(), s.Queries, 10)
	if err != nil || len(busy) != 2 || busy[0].AccountID != 2 || busy[1].AccountID != 1 {
		t.Fatalf("%+v, %v", busy, err)
	}
	if b := busy[1]; b.Runs != 60 || b.Failed != 1 || b.Worked != 300 || b.Waited != 10 || b.Name != "" {
		t.Errorf("%+v", b)
	}
}
