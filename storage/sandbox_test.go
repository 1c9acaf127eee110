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
			n, err := db.ExecNamed(t.Context(), database.Store.DB, s, db.Args{"account": tenant.AccountID})
			if err != nil || (n > 0) != sandbox {
				t.Errorf("sandbox %t: %d rows, %v\n%s", sandbox, n, err, s.SQL)
			}
		}
	}
}

// sandbox is an account that is a sandbox.
type sandbox struct {
	storagetest.Database
	storagetest.Tenant
	name string
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	database := storagetest.Borrow(t)
	s := &sandbox{Database: database, Tenant: storagetest.NewTenant(t, database.Store)}
	if err := s.Owner.QueryRowContext(t.Context(), `
		UPDATE accounts SET sandbox = true WHERE id = $1 RETURNING name`, s.AccountID).Scan(&s.name); err != nil {
		t.Fatal(err)
	}
	return s
}

// reset begins a reset, and returns its error after its end. It waits until the reset waits for a lock.
func (s *sandbox) reset(t *testing.T) chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		ended <- s.Store.InTx(t.Context(), func(tx *storage.Tx) error {
			_, err := tx.ResetSandbox(t.Context(), s.AccountID, s.name)
			return err
		})
	}()
	storagetest.AwaitLock(t, s.Owner, 1)
	return ended
}

// An entity that is being created while its account is reset goes, too: nothing of it could be shown or removed later.
func TestAResetRemovesAnEntityThatIsBeingCreated(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	var reset chan error
	err := s.Store.InTx(t.Context(), func(tx *storage.Tx) error {
		e := finance.NewEntity(s.AccountID, "Filial")
		if err := tx.InsertEntity(t.Context(), &e); err != nil {
			return err
		}
		reset = s.reset(t)
		return nil
	})
	if err := errors.Join(err, <-reset); err != nil {
		t.Fatal(err)
	}
	var left string
	if err := s.Owner.QueryRowContext(t.Context(), `SELECT string_agg(name, ',') FROM entities
		WHERE account_id = $1 AND deleted_at IS NULL`, s.AccountID).Scan(&left); err != nil || left != s.name {
		t.Errorf("%q is left, %v", left, err)
	}
}

// A person that is being created with an idempotency key while the account is reset goes with the answer under the key:
// a repetition of the request would otherwise create a second one.
func TestAResetRemovesAPersonWithItsAnswer(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	classifier := finance.CustomClassifier{AccountID: s.AccountID, Name: "Projeto"}
	person := finance.Person{AccountID: s.AccountID, Name: "Ana"}
	key := storage.IdempotencyKey{AccountID: s.AccountID, Path: "/people", Key: "k", UserID: s.UserID,
		Request: []byte{1}}
	err := s.Store.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.InsertCustomClassifier(t.Context(), &classifier)
	})
	if err != nil {
		t.Fatal(err)
	}
	var reset chan error
	// The lock of the classifier stops the reset after it has looked at the people.
	err = s.Store.InTx(t.Context(), func(outer *storage.Tx) error {
		if _, err := db.Exec(t.Context(), outer.DB, `SELECT FROM custom_classifiers WHERE account_id = $1 FOR UPDATE`,
			s.AccountID); err != nil {
			return err
		}
		return s.Store.InTx(t.Context(), func(tx *storage.Tx) error {
			if err := tx.InsertPeople(t.Context(), []*finance.Person{&person}); err != nil {
				return err
			}
			reset = s.reset(t)
			return tx.StoreAnswer(t.Context(), key, storage.StoredAnswer{Status: 201})
		})
	})
	if err := errors.Join(err, <-reset); err != nil {
		t.Fatal(err)
	}
	var people, answers int
	if err := s.Owner.QueryRowContext(t.Context(), `
		SELECT (SELECT count(*) FROM people WHERE account_id = $1 AND deleted_at IS NULL),
			(SELECT count(*) FROM idempotency_keys WHERE account_id = $1)`, s.AccountID).
		Scan(&people, &answers); err != nil || people != 0 || answers != 0 {
		t.Errorf("%d people and %d answers are left, %v", people, answers, err)
	}
}

// A reset that waits for an upload below an entity does not lock the account against its trigger, which refers to the
// account at the end of the upload: the two would deadlock.
func TestAResetAwaitsWritesBelowAnEntity(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	var reset chan error
	err := s.Store.InTx(t.Context(), func(tx *storage.Tx) error {
		_, err := tx.ShareEntity(t.Context(), storage.Scope{AccountID: s.AccountID, EntityID: s.EntityID})
		if err != nil {
			return err
		}
		reset = s.reset(t)
		_, err = db.Exec(t.Context(), tx.DB, `SELECT FROM accounts WHERE id = $1 FOR KEY SHARE NOWAIT`, s.AccountID)
		return err
	})
	if err := errors.Join(err, <-reset); err != nil {
		t.Fatal(err)
	}
}
