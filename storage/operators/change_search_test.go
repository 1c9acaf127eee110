package operators_test

import (
	"database/sql"
	"math"
	"slices"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/operators"
	"bordero/storage/storagetest"
)

// sought is a database with many changes of two accounts, in two partitions. Change n of each
// occurred n minutes after the first, updates the sale n % 1000 by the user n % 7 in the request
// n / 3, and every tenth is of the sales n to n + 2. Account 2 has the same.
type sought struct {
	*storage.Store
	db    *sql.DB
	begun time.Time
}

const soughtChanges = 40_000

func newSought(t *testing.T, settings ...string) *sought {
	t.Helper()
	url := storagetest.DatabaseURL(t)
	s := &sought{db: storagetest.DB(t, url), begun: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := s.db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`UPDATE change_parts SET began_at = now() - interval '31 days'`)
	exec(`SELECT roll_changes('30 days', '400 days')`)
	exec(`
		INSERT INTO changes (part, account_id, sequence, id, entity_id, family, action, record_ids, occurred_at,
			request_id, user_id, hash)
		SELECT CASE WHEN n <= $1::bigint / 2 THEN 1 ELSE 2 END, a, n, a * $1::bigint + n, 1 + n % 2, CASE n % 5 WHEN 0
			THEN 'people' ELSE 'sales' END, 'updated',
			CASE n % 10 WHEN 0 THEN ARRAY[n, n + 1, n + 2] ELSE ARRAY[n % 1000] END,
				$2::timestamptz + n * interval '1 minute', 'r-' || n / 3, nullif(n % 7, 0), 'x'
		FROM generate_series(1, $1::bigint) n, unnest(ARRAY[1, 2]) a`, soughtChanges, s.begun)
	exec(`INSERT INTO change_heads (account_id, sequence, hash) SELECT a, $1, 'x' FROM unnest(ARRAY[1, 2]) a`,
		soughtChanges)
	exec(`VACUUM ANALYZE changes`)
	for _, setting := range settings {
		exec(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ` + setting + `', current_database()); END $$`)
	}
	s.Store = storagetest.Open(t, url, storage.Options{Connections: 1})
	return s
}

// all walks all pages of a search and returns the numbers of the changes.
func (s *sought) all(t *testing.T, search operators.ChangeSearch, limit int) (found []int64, pages int) {
	t.Helper()
	for {
		page, err := operators.SearchChanges(t.Context(), s.Queries, 1, search, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Changes {
			if c.AccountID != 1 {
				t.Fatalf("a change of account %d", c.AccountID)
			}
			found = append(found, c.Sequence)
		}
		if pages++; page.Next == 0 {
			return found, pages
		}
		if search.Before != 0 && page.Next >= search.Before {
			t.Fatalf("the page after %d is %d", search.Before, page.Next)
		}
		search.Before = page.Next
	}
}

// Each search finds exactly the changes that it is for, newest first, on any size of pages.
func TestChangesAreFound(t *testing.T) {
	t.Parallel()
	s := newSought(t)
	at := func(n int) *time.Time {
		when := s.begun.Add(time.Duration(n) * time.Minute)
		return &when
	}
	sales, people := storage.ChangeFilter{Family: finance.SalesFamily}, storage.ChangeFilter{
		Family: finance.PeopleFamily}
	record := func(f storage.ChangeFilter, id int64) storage.ChangeFilter { f.RecordID = id; return f }
	names := func(n, id int64) bool { return n%10 != 0 && n%1000 == id || n%10 == 0 && n <= id && id <= n+2 }
	for name, c := range map[string]struct {
		search operators.ChangeSearch
		is     func(n int64) bool
	}{
		"a record": {operators.ChangeSearch{ChangeFilter: record(sales, 12)}, func(n int64) bool {
			return n%5 != 0 && names(n, 12)
		}},
		"of another family": {operators.ChangeSearch{ChangeFilter: record(people, 12)}, func(n int64) bool {
			return n%5 == 0 && names(n, 12)
		}},
		"a record of any family": {operators.ChangeSearch{ChangeFilter: record(storage.ChangeFilter{}, 12)},
			func(n int64) bool { return names(n, 12) }},
		"only among others": {operators.ChangeSearch{ChangeFilter: record(people, 30_001)}, func(n int64) bool {
			return n == 30_000
		}},
		"a request": {operators.ChangeSearch{RequestID: "r-9"}, func(n int64) bool { return n/3 == 9 }},
		"a part of a request": {operators.ChangeSearch{RequestID: "r-9", UserID: 6, ChangeFilter: record(sales, 27)},
			func(n int64) bool { return n == 27 }},
		"no such request": {operators.ChangeSearch{RequestID: "r-"}, func(int64) bool { return false }},
		"a user":          {operators.ChangeSearch{UserID: 3}, func(n int64) bool { return n%7 == 3 }},
		"a user and a family": {operators.ChangeSearch{UserID: 3, ChangeFilter: people}, func(n int64) bool {
			return n%7 == 3 && n%5 == 0
		}},
		"a family": {operators.ChangeSearch{ChangeFilter: people}, func(n int64) bool { return n%5 == 0 }},
		"an entity": {operators.ChangeSearch{ChangeFilter: storage.ChangeFilter{EntityID: 2}},
			func(n int64) bool { return n%2 == 1 }},
		"an action without any": {operators.ChangeSearch{ChangeFilter: storage.ChangeFilter{Action: finance.Destroyed}},
			func(int64) bool { return false }},
		"a span": {operators.ChangeSearch{Since: at(19_990), Until: at(20_010)}, func(n int64) bool {
			return n >= 19_990 && n < 20_010
		}},
		"a span of a user": {operators.ChangeSearch{UserID: 3, Since: at(500), Until: at(600)},
			func(n int64) bool { return n >= 500 && n < 600 && n%7 == 3 }},
		"before the first": {operators.ChangeSearch{Until: at(1)}, func(int64) bool { return false }},
		"the first":        {operators.ChangeSearch{Until: at(2)}, func(n int64) bool { return n == 1 }},
		"the last": {operators.ChangeSearch{Since: at(soughtChanges)}, func(n int64) bool {
			return n == soughtChanges
		}},
		"after the last": {operators.ChangeSearch{Since: at(soughtChanges + 1)}, func(int64) bool {
			return false
		}},
		"all":                     {operators.ChangeSearch{}, func(int64) bool { return true }},
		"those before the latest": {operators.ChangeSearch{Before: 3}, func(n int64) bool { return n < 3 }},
	} {
		var want []int64
		for n := int64(soughtChanges); n > 0; n-- {
			if c.is(n) {
				want = append(want, n)
			}
		}
		if found, _ := s.all(t, c.search, 3000); !slices.Equal(found, want) {
			t.Errorf("%s: %d are found, %d %v …", name, len(found), len(want), found[:min(20, len(found))])
		}
	}
	search := operators.ChangeSearch{ChangeFilter: record(sales, 12)}
	small, pages := s.all(t, search, 7)
	if large, _ := s.all(t, search, 1000); !slices.Equal(small, large) || pages < len(small)/7 {
		t.Errorf("in %d pages %d are found, in large ones %d", pages, len(small), len(large))
	}
	if page, err := operators.SearchChanges(t.Context(), s.Queries, 3, operators.ChangeSearch{}, 50); err != nil ||
		len(page.Changes) != 0 ||
		page.Next != 0 {
		t.Errorf("an account without changes: %+v, %v", page, err)
	}
}

// A page costs what it shows, or what a request may look at, however many changes are stored.
func TestASearchLooksAtFewChanges(t *testing.T) {
	t.Parallel()
	const looked = 2*5000 + 200 // by the two statements
	for _, mode := range []string{"force_custom_plan", "force_generic_plan"} {
		s := newSought(t, "plan_cache_mode = "+mode, "max_parallel_workers_per_gather = 0")
		read := func() (n int) {
			t.Helper()
			if _, err := db.Exec(t.Context(), s.DB, `SELECT pg_stat_force_next_flush()`); err != nil {
				t.Fatal(err)
			}
			err := s.db.QueryRowContext(t.Context(), `SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_user_tables
				WHERE relname LIKE 'changes\__'`).Scan(&n)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		when := s.begun.Add(10_000 * time.Minute)
		for name, c := range map[string]struct {
			search operators.ChangeSearch
			most   int
		}{
			"all":             {operators.ChangeSearch{}, looked},
			"far back":        {operators.ChangeSearch{Before: 100}, 200},
			"a request":       {operators.ChangeSearch{RequestID: "r-9"}, 50},
			"no such request": {operators.ChangeSearch{RequestID: "x"}, 0},
			"a user":          {operators.ChangeSearch{UserID: 3}, looked},
			"no such user":    {operators.ChangeSearch{UserID: 8}, 0},
			"a user long ago": {operators.ChangeSearch{UserID: 3, Until: &when}, looked},
			"a record": {
				operators.ChangeSearch{ChangeFilter: storage.ChangeFilter{Family: finance.SalesFamily, RecordID: 12}},
				looked},
			"a family without": {
				operators.ChangeSearch{ChangeFilter: storage.ChangeFilter{Family: finance.WebhooksFamily}}, looked},
		} {
			before := read()
			if _, err := operators.SearchChanges(t.Context(), s.Queries, 1, c.search, 50); err != nil {
				t.Fatal(err)
			}
			if n := read() - before; n > c.most {
				t.Errorf("%s, %s: %d changes are read", mode, name, n)
			}
		}
	}
}

// Ids are larger than an integer of PostgreSQL one day.
func TestFiltersOfChangesTakeEachID(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	storagetest.NewTenant(t, s)
	storagetest.Seal(t, s)
	for _, f := range []storage.ChangeFilter{{RecordID: math.MaxInt64}, {EntityID: math.MaxInt64}} {
		if all, _, err := s.Changes(t.Context(), 1, 0, 1000, f, storage.Viewer{All: true}, 10); err != nil ||
			len(all) > 0 {
			t.Errorf("%+v: %d changes, %v", f, len(all), err)
		}
		page, err := operators.SearchChanges(t.Context(), s.Queries, 1, operators.ChangeSearch{
			ChangeFilter: f, UserID: math.MaxInt64}, 10)
		if err != nil || len(page.Changes) > 0 {
			t.Errorf("%+v: %d changes found, %v", f, len(page.Changes), err)
		}
	}
}
