package storage_test

import (
	"database/sql"
	"fmt"
	"slices"
	"testing"

	"bordero/storage"
	"bordero/storage/storagetest"

	"github.com/google/go-cmp/cmp"
)

// Each category, person and center of an entity counts the records that refer to it,
// a record with two references once; one without references counts 0.
func TestUsesAreCounted(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	s, db := database.Store, database.Owner
	for range 2 {
		tenant := storagetest.NewTenant(t, s)
		if err := storagetest.Contents(t.Context(), db, tenant.AccountID, tenant.EntityID, 10); err != nil {
			t.Fatal(err)
		}
	}
	// A receivable account names its center in two rows.
	if _, err := db.ExecContext(t.Context(), `
		INSERT INTO financial_account_center_classifications (account_id, financial_account_id,
			classification_center_id)
		SELECT account_id, financial_account_id, classification_center_id FROM financial_account_center_classifications
		`); err != nil {
		t.Fatal(err)
	}
	// Of each: 10 transactions, 10 payable accounts, 20 sales, 10 purchases, a sale account, a card and 4
	// rules of reconciliation, of centers 2; of centers the 20 receivable accounts too that are classified by one; 10
	// budgets, of centers 5.
	used := map[string]int{"categories": 66, "people": 56, "classification_centers": 79}
	counted(t, s, db, 6, used)
	counted(t, s, db, 0, used)
	if _, err := db.ExecContext(t.Context(), `UPDATE sales SET category_id = NULL, person_id = NULL; DELETE
		FROM sale_center_classifications`); err != nil {
		t.Fatal(err)
	}
	counted(t, s, db, 4, map[string]int{"categories": 46, "people": 36, "classification_centers": 79})
	// What is hidden counts no more: the sale accounts and their 20 sales and receivable accounts, the cards with
	// their purchases, the transactions of the bank and its rules.
	if _, err := db.ExecContext(t.Context(), `UPDATE sale_accounts SET deleted_at = now(); UPDATE credit_cards
		SET deleted_at = now();
		UPDATE deposit_accounts SET deleted_at = now()`); err != nil {
		t.Fatal(err)
	}
	counted(t, s, db, 6, map[string]int{"categories": 22, "people": 12, "classification_centers": 16})
}

// An account whose uses cannot be counted is an error, and the others' are counted.
func TestAnErrorInOneAccountDoesNotStopTheCount(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	s, db := database.Store, database.Owner
	var accounts []int64
	for range 2 {
		tenant := storagetest.NewTenant(t, s)
		if err := storagetest.Contents(t.Context(), db, tenant.AccountID, tenant.EntityID, 10); err != nil {
			t.Fatal(err)
		}
		accounts = append(accounts, tenant.AccountID)
	}
	for _, statement := range []string{
		`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`,
		fmt.Sprintf(`CREATE TRIGGER refused BEFORE UPDATE ON categories FOR EACH ROW
			WHEN (old.account_id = %d) EXECUTE FUNCTION refuse()`, slices.Min(accounts)),
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.CountUses(t.Context()); err == nil || n != 3 {
		t.Errorf("%d records of the other account have changed, not 3: %v", n, err)
	}
}

// counted runs the count, and checks the number of changed records and the counts of both
// accounts.
func counted(t *testing.T, s *storage.Store, db *sql.DB, changed int64, want map[string]int) {
	t.Helper()
	n, err := s.CountUses(t.Context())
	if err != nil || n != changed {
		t.Fatalf("%d records have changed, not %d: %v", n, changed, err)
	}
	got := map[string]int{}
	for table := range want {
		var records, uses int
		err := db.QueryRowContext(t.Context(), fmt.Sprintf(`SELECT count(*), min(use_count) FROM %s
			WHERE use_count > 0 HAVING min(use_count) = max(use_count)`, table)).
			Scan(&records, &uses)
		if err != nil || records != 2 {
			t.Fatalf("%d used records of %s, not one of each account: %v", records, table, err)
		}
		got[table] = uses
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("uses -want +got:\n%s", d)
	}
}

func TestWhatIsCountedIsTheSchemas(t *testing.T) {
	t.Parallel()
	storage.CheckReferring(t, storagetest.DatabaseURL(t))
}
