package db_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"bordero/internal/db"
	"bordero/internal/share"
	"bordero/storage/storagetest"

	"github.com/jmoiron/sqlx"
)

func open(t *testing.T) *sqlx.DB {
	t.Helper()
	// a leaked connection blocks the test
	pool, err := db.Open(storagetest.OwnerURL(t, storagetest.DatabaseURL(t)), db.Options{Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}

func TestRowsBecomeRecords(t *testing.T) {
	t.Parallel()
	pool := open(t)
	type record struct {
		ID            int64
		BankAccountID *int64
		UpdatedAt     time.Time
	}
	const query = `SELECT i AS id, nullif(i, 2) AS bank_account_id, timestamp '2026-03-04' AS updated_at
		FROM generate_series(1, $1) i`
	all, err := db.Many[record](t.Context(), pool, query, 2)
	if err != nil || len(all) != 2 || all[0].ID != 1 || *all[0].BankAccountID != 1 || all[1].BankAccountID != nil ||
		all[0].UpdatedAt.Day() != 4 {
		t.Errorf("%+v, %v", all, err)
	}
	if none, err := db.Many[record](t.Context(), pool, query, 0); err != nil || none == nil || len(none) != 0 {
		t.Errorf("no rows: %#v, %v", none, err)
	}
	if n, err := db.One[int64](t.Context(), pool, `SELECT count(*) FROM generate_series(1, $1)`, 3); err != nil ||
		n != 3 {
		t.Errorf("a value: %d, %v", n, err)
	}
	if _, err := db.One[int64](t.Context(), pool, `SELECT 1 WHERE $1 = 2`, 1); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("no row: %v, want ErrNotFound", err)
	}
	records, ends, err := db.ManyWith[record, string](t.Context(), pool, `SELECT *, 'row ' || id FROM (`+query+`) x`, 2)
	if err != nil || len(records) != 2 || records[1].ID != 2 || strings.Join(ends, ", ") != "row 1, row 2" {
		t.Errorf("%+v with %q, %v", records, ends, err)
	}
	ids, ends, err := db.ManyWith[int64, string](t.Context(), pool,
		`SELECT i, 'row ' || i FROM generate_series(1, $1) i`, 2)
	if err != nil || len(ids) != 2 || ids[1] != 2 || strings.Join(ends, ", ") != "row 1, row 2" {
		t.Errorf("values: %v with %q, %v", ids, ends, err)
	}
	if _, err := db.One[struct{ ID int64 }](t.Context(), pool, `SELECT 1 AS id, 2 AS other`); err == nil ||
		!strings.Contains(err.Error(), "other") {
		t.Errorf("a column without a field: %v", err)
	}
}

// Each ends the query with the error of do, and does not wait for its last row.
func TestEachEndsAQueryEarly(t *testing.T) {
	t.Parallel()
	pool := open(t)
	enough := errors.New("enough")
	err := db.Each(t.Context(), pool, `SELECT repeat('x', 100000) FROM generate_series(1, 3)
		UNION ALL SELECT pg_sleep(3600)::text`, func(*string) error { return enough })
	if !errors.Is(err, enough) {
		t.Error(err)
	}
}

func TestErrorsNameTheStatement(t *testing.T) {
	t.Parallel()
	pool := open(t)
	for query, want := range map[string]string{
		`SELECT 1 / $1::int FROM people, (SELECT 1) x`:                                          "SELECT people: ",
		db.PlanEach + "\n\tUPDATE sales SET total_amount = 1 / $1::int":                         "UPDATE sales: ",
		`INSERT INTO people (account_id) VALUES (1 / $1::int)`:                                  "INSERT people: ",
		`DELETE FROM webhooks WHERE id = 1 / $1::int`:                                           "DELETE webhooks: ",
		`WITH due AS (SELECT 1 / $1::int AS x FROM deliveries) UPDATE jobs SET id = x FROM due`: "WITH deliveries: ",
		`SELECT 1 / $1::int`: "SELECT: ",
	} {
		_, one := db.One[int64](t.Context(), pool, query, 0)
		_, many := db.Many[int64](t.Context(), pool, query, 0)
		_, exec := db.Exec(t.Context(), pool, query, 0)
		for _, err := range []error{one, many, exec} {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %v, want %q first", query, err, want)
			}
		}
	}
}

func TestATransactionIsTriedFiveTimes(t *testing.T) {
	t.Parallel()
	pool := open(t)
	if _, err := pool.Exec(`CREATE TABLE tried (n int)`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		state string
		fails int
		runs  int
		ok    bool
	}{
		{"40001", 4, 5, true}, {"40P01", 2, 3, true}, {"40001", 9, 5, false}, {"22012", 1, 1, false},
	} {
		runs := 0
		err := db.InTx(t.Context(), pool, func(tx *sqlx.Tx) error {
			runs++
			if _, err := tx.Exec(`INSERT INTO tried VALUES ($1)`, runs); err != nil {
				return err
			}
			if runs > c.fails {
				return nil
			}
			_, err := db.Exec(t.Context(), tx, `DO $$ BEGIN RAISE SQLSTATE '`+c.state+`'; END $$`)
			return err
		})
		stored, counted := db.Many[int](t.Context(), pool, `DELETE FROM tried RETURNING n`)
		if (err == nil) != c.ok || runs != c.runs || counted != nil || c.ok != (len(stored) == 1 && stored[0] == runs) {
			t.Errorf("%s %d times: %d runs, stored %v, %v", c.state, c.fails, runs, stored, err)
		}
	}
}

func TestATransactionBeginsWithAStatement(t *testing.T) {
	t.Parallel()
	pool := open(t)
	if _, err := pool.Exec(`CREATE TABLE places (id int); INSERT INTO places VALUES (1)`); err != nil {
		t.Fatal(err)
	}
	errMissed, errAfter := errors.New("missed"), errors.New("after")
	begin := func(execute string, fail error) error {
		first := db.First{Prepare: `PREPARE leave (int) AS DELETE FROM places WHERE id = $1`, Execute: execute,
			Missed: errMissed}
		return db.InTx(t.Context(), first.Of(pool), func(*sqlx.Tx) error { return fail })
	}
	for _, c := range []struct {
		execute string
		fail    error
		want    error
	}{
		{`EXECUTE leave (1)`, errAfter, errAfter}, // rolls the deletion back
		{`EXECUTE leave (2)`, nil, errMissed},
		{`EXECUTE leave (1)`, nil, nil},
		{`EXECUTE leave (1)`, nil, errMissed},
	} {
		if err := begin(c.execute, c.fail); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.execute, err, c.want)
		}
	}
	if err := begin(`EXECUTE leave ('x')`, nil); err == nil {
		t.Error("a statement that cannot run began a transaction")
	}
	if _, err := db.One[int](t.Context(), pool, `SELECT 1`); err != nil { // the one connection is usable
		t.Error(err)
	}
}

var (
	insert = db.Named("test.batch_insert", `INSERT INTO noted VALUES (@id, @label) RETURNING id`)
	count  = db.Named("test.batch_count", `SELECT count(*) FROM noted WHERE id >= @least::bigint`)
	divide = db.Named("test.batch_divide", `SELECT 1 / @by::int`)
)

func TestABatchIsOneTransaction(t *testing.T) {
	t.Parallel()
	pool := open(t)
	if _, err := pool.Exec(`CREATE TABLE noted (id bigint, label text)`); err != nil {
		t.Fatal(err)
	}
	label := func(id int64) db.Call { return insert.Call(db.Args{"id": id, "label": `it's "a" \b`}) }
	for id := range int64(3) { // prepares once
		counted, err := db.Batch[int](t.Context(), pool, label(id), count.Call(db.Args{"least": 0}))
		if err != nil || len(counted) != 1 || counted[0] != int(id)+1 {
			t.Errorf("%d: %v, %v", id, counted, err)
		}
	}
	for place, calls := range map[string][]db.Call{
		"first":  {divide.Call(db.Args{"by": 0}), label(9)},
		"middle": {label(9), divide.Call(db.Args{"by": 0}), label(9)},
		"last":   {label(9), divide.Call(db.Args{"by": 0})},
	} {
		if _, err := db.Batch[int](t.Context(), pool, calls...); err == nil {
			t.Errorf("%s: no error", place)
		}
	}
	labels, err := db.Many[string](t.Context(), pool, `SELECT DISTINCT label FROM noted WHERE id < 9`)
	if err != nil || len(labels) != 1 || labels[0] != `it's "a" \b` {
		t.Errorf("%q, %v", labels, err)
	}
	kept, err := db.One[int](t.Context(), pool, `SELECT count(*) FROM noted`)
	if err != nil || kept != 3 {
		t.Errorf("%d rows, %v", kept, err)
	}
}

func TestATransactionHoldsAPlaceHoweverItBegins(t *testing.T) {
	t.Parallel()
	pool, places := open(t), share.NewPlaces(1)
	ended, end := context.WithCancel(t.Context())
	end()
	free := func() bool {
		release, err := places.Take(ended, 1) // does not wait
		if err == nil {
			release()
		}
		return err == nil
	}
	first := db.First{Prepare: `PREPARE one AS SELECT 1`, Execute: `EXECUTE one`}
	for name, begins := range map[string]db.Beginner{"BEGIN": pool, "a statement": first.Of(pool)} {
		err := db.InTx(db.WithPlaces(t.Context(), places, 1), begins, func(*sqlx.Tx) error {
			if free() {
				t.Errorf("a transaction that begins with %s has no place", name)
			}
			return nil
		})
		if err != nil || !free() {
			t.Errorf("%s: %v, or the place is not given back", name, err)
		}
	}
}
