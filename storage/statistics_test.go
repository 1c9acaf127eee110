package storage_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/list"
	"bordero/storage/storagetest"
)

// The planner must know that a parent belongs to one account (migration 59).
func TestIndexesByParentHaveTheirStatistics(t *testing.T) {
	t.Parallel()
	owner := storagetest.DB(t, storagetest.DatabaseURL(t))
	var missing string
	err := owner.QueryRowContext(t.Context(), `
		SELECT coalesce(string_agg(DISTINCT c.relname || '.' || parent.attname, ', '), '')
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = current_schema()::regnamespace
		JOIN pg_attribute account ON account.attrelid = c.oid AND account.attnum = i.indkey[0]
			AND account.attname = 'account_id'
		JOIN pg_attribute parent ON parent.attrelid = c.oid AND parent.attnum = i.indkey[1]
			AND parent.attname IN ('entity_id', 'deposit_account_id', 'bank_statement_id', 'sale_account_id',
				'credit_card_id', 'credit_card_invoice_id', 'webhook_id')
		JOIN pg_attribute id ON id.attrelid = c.oid AND id.attname IN ('id', 'number')
		WHERE i.indpred IS NULL AND c.relname NOT LIKE '%\_classifications' AND NOT EXISTS (
			SELECT FROM pg_statistic_ext s WHERE s.stxrelid = c.oid AND account.attnum = ANY(s.stxkeys)
				AND parent.attnum = ANY(s.stxkeys))`).Scan(&missing)
	if err != nil || missing != "" {
		t.Errorf("without statistics: %s; %v", missing, err)
	}
}

// Among a thousand accounts, one is large. Its records are found by their ids all the same. The others have more
// records than the ten ids that a generic plan assumes of an array: with fewer, PostgreSQL 18 reads all of an account,
// for the large one too.
func TestIDsAreFoundByThePrimaryKeyAmongManyAccounts(t *testing.T) {
	t.Parallel()
	plans := storagetest.NewPlans(t, storagetest.DatabaseURL(t),
		`SET session_replication_role = replica`, // without foreign keys
		`INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month)
			SELECT e, e, 'payable', '2026-03-02', 10, '2026-03-01' FROM generate_series(1, 1000) e,
				generate_series(1, CASE e WHEN 500 THEN 5000 ELSE 12 END)`,
		`ANALYZE financial_accounts`,
		`PREPARE one (bigint, bigint, text, bigint) AS
			SELECT FROM financial_accounts WHERE account_id = $1 AND entity_id = $2 AND kind = $3 AND id = $4`,
		`PREPARE many (bigint, bigint, bigint[], text[]) AS
			SELECT FROM financial_accounts WHERE account_id = $1 AND entity_id = $2 AND id = ANY($3) AND kind = ANY($4)
				ORDER BY id FOR NO KEY UPDATE`)
	for _, statement := range []string{`one (500, 500, 'payable', 2000)`,
		`many (500, 500, '{2000,3000}', '{payable}')`} {
		plan := plans.Of(statement)
		if !strings.Contains(plan, fmt.Sprintf("%q: %q", "Index Name", "financial_accounts_pkey")) {
			t.Errorf("%s: %s", statement, plan)
		}
	}
}

// An event reads the recent jobs of its webhook: the dead rows of earlier ones stay while a dump or a report holds a
// snapshot.
func TestAnEventReadsRecentJobsFirst(t *testing.T) {
	t.Parallel()
	emit := db.Statements()["emit"]
	plan := storagetest.NewPlans(t, storagetest.DatabaseURL(t),
		`INSERT INTO jobs (kind, queue, key, args) SELECT 'deliver_webhook', 'webhooks', n, '{}'
			FROM generate_series(1, 1000) n`,
		`ANALYZE jobs`,
		`PREPARE emit AS `+emit.SQL,
	).Of(`emit (NULL` + strings.Repeat(", NULL", len(emit.Names())-1) + `)`)
	if !strings.Contains(plan, ` AND (due_at > (now() - '00:00:20'::interval)))"`) {
		t.Errorf("no look at the recent jobs of a key: %s", plan)
	}
}

// A deposit account has many statements, each with many items. Of the memory of a format an import reads the days of
// its file, however many statements brought the others.
func TestAnImportReadsTheMemoryOfItsDays(t *testing.T) {
	t.Parallel()
	find := db.Statements()["imported_items.find_restated"]
	plan := storagetest.NewPlans(t, storagetest.DatabaseURL(t),
		`SET session_replication_role = replica`, // without foreign keys
		`INSERT INTO bank_statements (account_id, deposit_account_id, id, file_key, file_file_name, file_content_type,
				file_file_size, event_status, file_format)
			OVERRIDING SYSTEM VALUE
			SELECT 1, 1, n, n, 'f', 'x', 1, 'success', 'json' FROM generate_series(1, 1000) n`,
		`INSERT INTO imported_items (account_id, deposit_account_id, day, amount, ordinal, fitid, bank_statement_id,
				number)
			SELECT 1, 1, date '2020-01-01' + s, i, 1, i, s, i FROM generate_series(1, 1000) s,
				generate_series(1, 20) i`,
		`ANALYZE bank_statements, imported_items`,
		imports.StagingTables,
		`SET enable_nestloop = off`, // as markRestated
		`PREPARE find AS `+find.SQL,
	).Of(`find (NULL` + strings.Repeat(", NULL", len(find.Names())-1) + `)`)
	if strings.Contains(plan, "imported_items_number") {
		t.Errorf("reads the items of all statements: %s", plan)
	}
}

// The sweep looks each key up: the tables have millions.
func TestTheSweepFindsKeysByTheirIndexes(t *testing.T) {
	t.Parallel()
	plan := storagetest.NewPlans(t, storagetest.DatabaseURL(t),
		`SET session_replication_role = replica`, // without foreign keys
		`INSERT INTO bank_statements (account_id, deposit_account_id, id, file_key, file_file_name, file_content_type,
				file_file_size)
			SELECT 1, 1, n, n, 'f', 'x', 1 FROM generate_series(1, 1000) n`,
		`INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name, attachment_content_type,
				attachment_file_size)
			SELECT 1, 1, n, 'f', 'x', 1 FROM generate_series(1, 1000) n`,
		`ANALYZE bank_statements, attachments`,
		`PREPARE find AS `+db.Statements()["stored_files.find_unknown"].SQL,
	).Of(`find (NULL)`)
	for _, index := range []string{"bank_statements_file", "attachments_file"} {
		if !strings.Contains(plan, fmt.Sprintf("%q: %q", "Index Name", index)) {
			t.Errorf("does not look up %s: %s", index, plan)
		}
	}
	if n := strings.Count(plan, `"Index Cond": "(file_key`); n != 2 {
		t.Errorf("looks up keys in %d indexes: %s", n, plan)
	}
}

// What is rare in a large account has an index of its own.
func TestWhatIsRareInALargeAccountHasAnIndex(t *testing.T) {
	t.Parallel()
	month, _, err := list.Conditions(storage.FinancialAccountFilters, "", map[string]string{"reconciled_in": "2026-01"})
	if err != nil {
		t.Fatal(err)
	}
	statements := db.Statements()
	cases := []struct {
		index     string
		statement db.Statement
	}{
		{"bank_statements_naming", statements["deposit_accounts.update"]},
		{"reconciles_by_month", db.Bind(`SELECT FROM financial_accounts f WHERE f.account_id = @account` + month)},
		{"ignored_items_loose", statements["balance_proofs.anchors"]},
		{"ignored_items_loose", statements["balance_proofs.loose_items"]},
	}
	prepared := []string{
		`SET session_replication_role = replica`, // without foreign keys
		`INSERT INTO bank_statements (account_id, deposit_account_id, id, file_key, file_file_name, file_content_type,
				file_file_size, event_status)
			OVERRIDING SYSTEM VALUE SELECT 1, 1, n, n, 'f', 'x', 1, 'success' FROM generate_series(1, 1000) n`,
		`INSERT INTO ignored_items (account_id, bank_statement_id, number, line, day, amount, mark, outcome, suspect)
			SELECT 1, s, i, i, date '2020-01-01' + s, i, '', 'duplicate', s % 100 = 0 AND i = 1
			FROM generate_series(1, 1000) s, generate_series(1, 20) i`,
		`INSERT INTO reconciles (account_id, entity_id, kind, month)
			SELECT 1, 1 + n % 10, 'payable', date_trunc('month', date '2020-01-01' + n)
			FROM generate_series(1, 2000) n`,
		`ANALYZE bank_statements, ignored_items, reconciles`,
	}
	for i, c := range cases {
		prepared = append(prepared, fmt.Sprintf(`PREPARE case_%d AS %s`, i, c.statement.SQL))
	}
	plans := storagetest.NewPlans(t, storagetest.DatabaseURL(t), prepared...)
	for i, c := range cases {
		plan := plans.Of(fmt.Sprintf(`case_%d (NULL%s)`, i, strings.Repeat(", NULL", len(c.statement.Names())-1)))
		if !strings.Contains(plan, fmt.Sprintf("%q: %q", "Index Name", c.index)) {
			t.Errorf("case %d is not by %s: %s", i, c.index, plan)
		}
	}
}
