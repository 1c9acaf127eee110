package storage_test

import (
	"errors"
	"testing"

	"bordero/finance"
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

// An entity that is being created while its account is reset goes, too: nothing of it could be shown or removed later.
func TestAResetRemovesAnEntityThatIsBeingCreated(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	tenant := storagetest.NewTenant(t, database.Store)
	var name string
	if err := database.Owner.QueryRowContext(t.Context(), `
		UPDATE accounts SET sandbox = true WHERE id = $1 RETURNING name`, tenant.AccountID).Scan(&name); err != nil {
		t.Fatal(err)
	}
	reset := make(chan error, 1)
	err := database.Store.InTx(t.Context(), func(tx *storage.Tx) error {
		e := finance.NewEntity(tenant.AccountID, "Filial")
		if err := tx.InsertEntity(t.Context(), &e); err != nil {
			return err
		}
		go func() {
			reset <- database.Store.InTx(t.Context(), func(tx *storage.Tx) error {
				_, err := tx.ResetSandbox(t.Context(), tenant.AccountID, name)
				return err
			})
		}()
		storagetest.AwaitLock(t, database.Owner, 1)
		return nil
	})
	if err := errors.Join(err, <-reset); err != nil {
		t.Fatal(err)
	}
	var left string
	if err := database.Owner.QueryRowContext(t.Context(), `SELECT string_agg(name, ',') FROM entities
		WHERE account_id = $1 AND deleted_at IS NULL`, tenant.AccountID).Scan(&left); err != nil || left != name {
		t.Errorf("%q is left, %v", left, err)
	}
}

// A person that is being created with an idempotency key while the account is reset goes with the answer under the key:
// a repetition of the request would otherwise create a second one.
func TestAResetRemovesAPersonWithItsAnswer(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	tenant := storagetest.NewTenant(t, database.Store)
	var name string
	if err := database.Owner.QueryRowContext(t.Context(), `
		UPDATE accounts SET sandbox = true WHERE id = $1 RETURNING name`, tenant.AccountID).Scan(&name); err != nil {
		t.Fatal(err)
	}
	classifier := finance.CustomClassifier{AccountID: tenant.AccountID, Name: "Projeto"}
	person := finance.Person{AccountID: tenant.AccountID, Name: "Ana"}
	key := storage.IdempotencyKey{AccountID: tenant.AccountID, Path: "/people", Key: "k", UserID: tenant.UserID,
		Request: []byte{1}}
	err := database.Store.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.InsertCustomClassifier(t.Context(), &classifier)
	})
	if err != nil {
		t.Fatal(err)
	}
	reset := make(chan error, 1)
	// The lock of the classifier stops the reset after it has looked at the people.
	err = database.Store.InTx(t.Context(), func(outer *storage.Tx) error {
		if _, err := db.Exec(t.Context(), outer.DB, `SELECT FROM custom_classifiers WHERE account_id = $1 FOR UPDATE`,
			tenant.AccountID); err != nil {
			return err
		}
		return database.Store.InTx(t.Context(), func(tx *storage.Tx) error {
			if err := tx.InsertPerson(t.Context(), &person); err != nil {
				return err
			}
			go func() {
				reset <- database.Store.InTx(t.Context(), func(tx *storage.Tx) error {
					_, err := tx.ResetSandbox(t.Context(), tenant.AccountID, name)
					return err
				})
			}()
			storagetest.AwaitLock(t, database.Owner, 1)
			return tx.StoreAnswer(t.Context(), key, storage.StoredAnswer{Status: 201})
		})
	})
	if err := errors.Join(err, <-reset); err != nil {
		t.Fatal(err)
	}
	var people, answers int
	if err := database.Owner.QueryRowContext(t.Context(), `
		SELECT (SELECT count(*) FROM people WHERE account_id = $1 AND deleted_at IS NULL),
			(SELECT count(*) FROM idempotency_keys WHERE account_id = $1)`, tenant.AccountID).
		Scan(&people, &answers); err != nil || people != 0 || answers != 0 {
		t.Errorf("%d people and %d answers are left, %v", people, answers, err)
	}
}
