package storage_test

import (
	"testing"

	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// Each statement of a reset, alone, changes rows of a sandbox, and no row of any other account.
func TestNoStatementOfAResetTouchesAnotherAccount(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	tenant := storagetest.NewTenant(t, database.Store)
	err := storagetest.Contents(t.Context(), database.Owner, tenant.AccountID, tenant.EntityID, 5)
	if err == nil {
		_, err = database.Owner.ExecContext(t.Context(), `INSERT INTO idempotency_keys
			VALUES ($1, '/people', 'k', 1, '', 200, '', '', '')`, tenant.AccountID)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, sandbox := range []bool{false, true} {
		_, err := database.Owner.ExecContext(t.Context(), `UPDATE accounts SET sandbox = $1`, sandbox)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range storage.ResetStatements() {
			n, err := db.Exec(t.Context(), database.Store.DB, s.SQL, s.Args(db.Args{"account": tenant.AccountID})...)
			if err != nil || (n > 0) != sandbox {
				t.Errorf("sandbox %t: %d rows, %v\n%s", sandbox, n, err, s.SQL)
			}
		}
	}
}
