package operators_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"bordero/storage"
	"bordero/storage/operators"
	"bordero/storage/storagetest"
)

func TestMeasureAccounts(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	var tenants []storagetest.Tenant
	for range 2 {
		tenant := storagetest.NewTenant(t, s)
		if err := storagetest.Contents(t.Context(), db, tenant.AccountID, tenant.EntityID, 20*(1+len(tenants)*4),
			fmt.Sprint("x/", len(tenants)), fmt.Sprint("y/", len(tenants))); err != nil {
			t.Fatal(err)
		}
		tenants = append(tenants, tenant)
	}
	small, large := tenants[0].AccountID, tenants[1].AccountID
	exec(`UPDATE attachments SET attachment_file_size = 1000 WHERE account_id = $1`, small)
	storagetest.Seal(t, s)
	measured := func() []operators.AccountSize {
		t.Helper()
		if err := operators.MeasureAccounts(t.Context(), s, map[string]time.Time{}); err != nil {
			t.Fatal(err)
		}
		sizes, err := operators.LargestAccounts(t.Context(), s.Queries, 10)
		if err != nil {
			t.Fatal(err)
		}
		return sizes
	}
	sizes := measured()
	if len(sizes) != 2 || sizes[1].AccountID != small || sizes[0].AccountID != large {
		t.Fatalf("%+v", sizes)
	}
	for _, one := range sizes {
		total := int64(0)
		for _, table := range operators.MeasuredTables {
			var n int64
			if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM `+table+` WHERE account_id = $1`,
				one.AccountID).Scan(&n); err != nil {
				t.Fatal(err)
			}
			if one.Of[table] != n {
				t.Errorf("account %d has %d rows in %s, counted %d", one.AccountID, n, table, one.Of[table])
			}
			total += n
		}
		if one.Rows != total || total < 100 {
			t.Errorf("account %d has %d rows, counted %d", one.AccountID, total, one.Rows)
		}
	}
	if sizes[1].Files != 1_002 || sizes[1].Bytes < sizes[1].Files || sizes[0].Files != 3 {
		t.Errorf("%+v", sizes)
	}

	// Figures stay for a day. Then the rows that are gone are gone from them.
	exec(`DELETE FROM deliveries WHERE account_id = $1`, small)
	if again := measured(); again[1].Of["deliveries"] != sizes[1].Of["deliveries"] {
		t.Errorf("measured again at once: %+v", again)
	}
	exec(`UPDATE account_sizes SET counted_at = now() - interval '24 hours'`)
	if again := measured(); again[1].Of["deliveries"] != 0 || again[1].Rows >= sizes[1].Rows {
		t.Errorf("%+v", again)
	}
	if largest, err := operators.LargestAccounts(t.Context(), s.Queries, 1); err != nil || len(largest) != 1 {
		t.Errorf("%+v %v", largest, err)
	}
}

// Of many accounts the largest are kept.
func TestSizesAreBounded(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	_, err := db.ExecContext(t.Context(), `
		INSERT INTO accounts (id, name) SELECT 1000 + n, 'A' || n FROM generate_series(1, 120) n`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `
		INSERT INTO unsealed_changes (account_id, family, action, record_ids, occurred_at)
		SELECT 1000 + n, 'people', 'updated', ARRAY[n], now() FROM generate_series(1, 120) n, generate_series(1, n)`)
	if err != nil {
		t.Fatal(err)
	}
	storagetest.Seal(t, s)
	if err := operators.MeasureAccounts(t.Context(), s, map[string]time.Time{}); err != nil {
		t.Fatal(err)
	}
	var kept, least int
	if err := db.QueryRowContext(t.Context(), `SELECT count(*), min(rows) FROM account_sizes
		WHERE kind = 'changes'`).Scan(&kept, &least); err != nil || kept != 100 || least != 21 {
		t.Errorf("%d accounts are kept, from %d rows: %v", kept, least, err)
	}
	largest, err := operators.LargestAccounts(t.Context(), s.Queries, 20)
	if err != nil || len(largest) != 20 || largest[0].AccountID != 1120 {
		t.Errorf("%+v %v", largest, err)
	}
}

// A table that takes too long waits as long as one that was measured.
func TestALateSizeWaitsForADay(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	held, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Rollback()
	if _, err := held.ExecContext(t.Context(), `LOCK TABLE sales`); err != nil {
		t.Fatal(err)
	}
	late := map[string]time.Time{operators.Files: time.Now()}
	for _, table := range operators.MeasuredTables {
		late[table] = time.Now()
	}
	late["sales"] = time.Time{}
	measure := func() error { return operators.MeasureAll(t.Context(), s, late, 500*time.Millisecond) }
	for _, again := range []time.Duration{0, 24 * time.Hour} {
		late["sales"] = late["sales"].Add(-again)
		if err := measure(); err == nil || !strings.Contains(err.Error(), "sizes of accounts in sales: ") {
			t.Errorf("measured: %v", err)
		}
		if err := measure(); err != nil {
			t.Errorf("measured again at once: %v", err)
		}
	}
}
