package storage_test

import (
	"testing"

	"bordero/storage/storagetest"
)

// A test gets a database that is as new, also after a test that filled it. It does not get one that differs in more
// than its rows.
func TestABorrowedDatabaseIsAsNew(t *testing.T) { // not parallel: no other test borrows meanwhile
	var grown bool
	borrow := func(statements ...string) (url string) {
		t.Run("", func(t *testing.T) {
			database := storagetest.Borrow(t)
			url = database.URL
			tenant := storagetest.NewTenant(t, database.Store)
			if tenant.AccountID != 1 || tenant.EntityID != 1 || tenant.UserID != 1 {
				t.Errorf("the ids do not begin at 1: %+v", tenant)
			}
			if err := storagetest.Contents(t.Context(), database.Owner, 1, 1, 3); err != nil {
				t.Fatal(err)
			}
			var migrated bool
			err := database.Owner.QueryRow(`SELECT (SELECT count(*) = 1 FROM installation)
				AND (SELECT count(*) > 50 FROM goose_db_version) AND NOT EXISTS (SELECT FROM accounts WHERE id > 1),
				(SELECT sum(pg_relation_size(oid)) > 1 << 20 FROM pg_class WHERE relkind = 'r'
					AND relnamespace = 'public'::regnamespace)`).
				Scan(&migrated, &grown)
			if err != nil || !migrated {
				t.Errorf("it has not the rows of a new one: %v", err)
			}
			conn, err := database.Owner.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			for _, s := range statements {
				if _, err := conn.ExecContext(t.Context(), s); err != nil {
					t.Fatal(s, err)
				}
			}
		})
		return url
	}
	first := borrow()
	for grown { // by earlier tests: it would soon be dropped
		borrow(`ANALYZE people`)
		first = borrow()
	}
	for _, statement := range []string{
		`UPDATE installation SET files_marked_at = now()`, `DELETE FROM goose_db_version`,
		`SELECT nextval('people_id_seq')`, `CREATE TEMP TABLE kept AS SELECT 1`,
		`BEGIN; CREATE TABLE undone (); ROLLBACK`,
	} {
		if borrow(statement) != first || borrow() != first {
			t.Errorf("after %s, a new database is made", statement)
		}
	}
	for _, statement := range []string{
		`CREATE TABLE more ()`, `DROP INDEX people_list`, `ALTER TABLE people DISABLE TRIGGER ALL`, `ANALYZE people`,
		`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = 64', current_database()); END $$`,
		`SELECT pg_advisory_lock(1)`, `BEGIN; LOCK people`,
		`INSERT INTO accounts (name) SELECT repeat('a', 200) FROM generate_series(1, 20000)`,
	} {
		last := borrow(statement)
		if borrow() == last {
			t.Errorf("after %s, another test gets the database", statement)
		}
	}
}
