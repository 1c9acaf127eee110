package cascade

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bordero/storage"
	"bordero/storage/storagetest"

	"github.com/jmoiron/sqlx"
)

func TestMain(m *testing.M) { storagetest.Main(m) }

func TestACascadeEmptiesAllTablesOfTheSchema(t *testing.T) {
	t.Parallel()
	db, err := sqlx.Open("postgres", storagetest.DatabaseURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	checkCascades(t, db)
	checkOrder(t, db)
	checkFiles(t, db)
}

// reference is a foreign key of the schema, with which the tests of this file compare the
// lists of tables.go.
type reference struct {
	Table, Column, To string
	Cascades          bool
}

func references(t *testing.T, db *sqlx.DB) (all []reference) {
	t.Helper()
	err := db.Select(&all, `
		SELECT c.conrelid::regclass::text AS table, c.confrelid::regclass::text AS to, c.confdeltype = 'c' AS cascades,
			(SELECT attname FROM pg_attribute WHERE attrelid = c.conrelid AND attnum = c.conkey[array_length(c.conkey,
				1)]) AS column
		FROM pg_constraint c WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY 1, 2`)
	if err != nil || len(all) < 50 {
		t.Fatalf("%d references, %v", len(all), err)
	}
	return all
}

// checkCascades reports what the schema requires and the lists of cascades lack.
func checkCascades(t *testing.T, db *sqlx.DB) {
	all := references(t, db)
	derived := map[string]bool{ // what functions of storage remove
		"credit_cards financial_accounts.credit_card_invoice_id": true, // CascadePurchases
		"deposit_accounts transfers.debit_transaction_id":        true, // CascadeTransactions
		"deposit_accounts transfers.credit_transaction_id":       true,
	}
	for root, steps := range cascades {
		place := func(name string) int {
			return slices.IndexFunc(steps, func(s step) bool { return s.name == name })
		}
		// empties maps each table whose rows are removed to its step; the root's comes last.
		empties := map[string]int{root: len(steps)}
		if root == "sandboxes" { // the account stays
			for _, hidden := range []string{"entities", "people", "categories", "custom_classifiers"} {
				empties[hidden] = place(hidden)
			}
		}
		for grew := true; grew; {
			grew = false
			for _, r := range all {
				to, goes := empties[r.To]
				if !goes || r.Table == r.To {
					continue
				}
				at := place(r.Table)
				if at < 0 && r.Cascades {
					at = to
				}
				if before, seen := empties[r.Table]; at >= 0 && (!seen || at < before) {
					empties[r.Table], grew = at, true
				}
			}
		}
		for _, r := range all {
			to, goes := empties[r.To]
			if !goes || r.Table == r.To || r.Cascades || derived[fmt.Sprintf("%s %s.%s", root, r.Table, r.Column)] {
				continue
			}
			at, emptied := empties[r.Table]
			if clears := place(r.Table + "." + r.Column); clears >= 0 {
				at, emptied = clears, true
			}
			switch {
			case !emptied:
				t.Errorf("%s: nothing removes what refers to %s by %s.%s", root, r.To, r.Table, r.Column)
			case at >= to:
				t.Errorf("%s: %s goes before what refers to it by %s.%s", root, r.To, r.Table, r.Column)
			}
		}
		if root == "entities" || root == "accounts" || root == "sandboxes" {
			emptiesAll(t, db, root, empties)
		}
		for _, s := range steps {
			if _, known := empties[s.name]; s.ownedTable != nil && !known {
				t.Errorf("%s: %s does not refer to it", root, s.name)
			}
			if _, mapped := storage.EventMappings[s.name]; s.ownedTable != nil && !mapped {
				t.Errorf("storage.EventMappings lacks %s: nil if the removal of its rows has no events", s.name)
			}
		}
	}
}

// emptiesAll reports tables of an entity, or of an account, that its cascade does not empty.
func emptiesAll(t *testing.T, db *sqlx.DB, root string, empties map[string]int) {
	column := map[string]string{"entities": "entity_id", "accounts": "account_id", "sandboxes": "account_id"}[root]
	stays := map[string][]string{"sandboxes": {"memberships", "tokens", "login_codes", "idempotency_keys",
		"account_sizes", "account_quotas", "account_usage"}}[root]
	var tables []string
	err := db.Select(&tables, `SELECT table_name FROM information_schema.columns
		WHERE table_schema = 'public' AND column_name = $1 ORDER BY 1`, column)
	if err != nil || len(tables) == 0 {
		t.Fatal(err)
	}
	for _, table := range tables {
		// Remove deletes from the first two, a trigger from the third
		if table == "jobs" || table == "deletions" || table == "sale_texts" {
			continue
		}
		if strings.Contains(table, "change") { // deleteChanges empties them with the account; those of an entity stay
			continue
		}
		if strings.HasPrefix(table, "finished_jobs") { // ids and errors, for operators: emptied after eight days
			continue
		}
		if slices.Contains(stays, table) {
			continue
		}
		if _, goes := empties[table]; !goes {
			t.Errorf("%s: rows of %s are left", root, table)
		}
	}
}

// checkOrder reports tables without an index on their owner and key, in which each chunk
// continues where the last one ended. Tables with few rows per owner need none.
func checkOrder(t *testing.T, db *sqlx.DB) {
	few := []string{"sale_rules", "deposit_accounts", "classification_centers", "webhooks", "custom_classifier_values"}
	var indexes []struct{ Table, Columns string }
	err := db.Select(&indexes, `
		SELECT i.indrelid::regclass::text AS table, (
			SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum,
				n)
			JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum) AS columns
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.relnamespace = 'public'::regnamespace
			AND i.indpred IS NULL
			AND 0 <> ALL(i.indkey::int2[])`)
	if err != nil {
		t.Fatal(err)
	}
	for root, steps := range cascades {
		for _, s := range steps {
			b := s.ownedTable
			if b == nil || slices.Contains(few, b.table) {
				continue
			}
			want := b.owner + ", " + b.key
			if !slices.ContainsFunc(indexes, func(i struct{ Table, Columns string }) bool {
				return i.Table == b.table &&
					(strings.HasPrefix(i.Columns, want) || strings.HasPrefix(i.Columns, "account_id, "+want))
			}) {
				t.Errorf("%s: no index of %s begins with %s", root, b.table, want)
			}
		}
	}
}

// checkFiles reports tables whose files a cascade would leave to the sweep.
func checkFiles(t *testing.T, db *sqlx.DB) {
	var tables []string
	err := db.Select(&tables, `SELECT table_name FROM information_schema.columns
		WHERE table_schema = 'public' AND column_name = 'file_key'`)
	if err != nil || len(tables) == 0 {
		t.Fatal(err)
	}
	for root, steps := range cascades {
		for _, s := range steps {
			if b := s.ownedTable; b != nil && b.files != slices.Contains(tables, b.table) {
				t.Errorf("%s: files of %s is %t", root, b.table, b.files)
			}
		}
	}
}

// verify finds the hidden records of each root that no job removes.
func TestHiddenRecordsAreThoseOfTheRoots(t *testing.T) {
	t.Parallel()
	query := storage.HiddenRecords()
	for root := range roots {
		hides := root != "accounts" && root != "sandboxes"
		if strings.Contains(query, `'`+root+`' AS root`) != hides {
			t.Errorf("storage.HiddenRecords has records of %s: %t, want %t", root, !hides, hides)
		}
	}
}

// An attachment is hidden by its records: one without any is seen by every member of the entity.
func TestAttachmentsGoBeforeTheirRecords(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"entities", "accounts"} {
		place := func(name string) int {
			return slices.IndexFunc(cascades[root], func(s step) bool { return s.name == name })
		}
		for _, records := range []string{"sales", "financial_accounts", "financial_transactions"} {
			if first, then := place("attachments"), place(records); first < 0 || first > then {
				t.Errorf("%s: attachments are step %d, %s step %d", root, first, records, then)
			}
		}
	}
}
