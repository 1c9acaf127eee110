package storagetest

import (
	"fmt"
	"testing"

	"bordero/finance"
	"bordero/internal/tokens"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/verify"
)

// Tenant is an account with an entity, and a user of it with a token for it.
type Tenant struct {
	storage.Scope
	UserID int64
	Token  string
}

// NewTenant inserts an account with an entity and an administrator.
func NewTenant(t testing.TB, s *storage.Store) Tenant {
	t.Helper()
	var made Tenant
	inTx(t, s, func(tx *storage.Tx) error {
		var err error
		if made.AccountID, err = tx.InsertAccount(t.Context(), "Conta", false); err != nil {
			return err
		}
		made.EntityID = NewEntity(t, tx, made.AccountID).ID
		return nil
	})
	made.UserID, made.Token = NewUser(t, s, finance.Access{AccountID: made.AccountID, Administrator: true,
		AllEntities: true})
	return made
}

// NewEntity inserts an entity into an account.
func NewEntity(t testing.TB, tx *storage.Tx, account int64) finance.Entity {
	t.Helper()
	e := finance.NewEntity(account, "Matriz")
	if err := tx.InsertEntity(t.Context(), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// NewUser inserts a user with the access, and a token for the account. It ignores access.UserID.
func NewUser(t testing.TB, s *storage.Store, a finance.Access) (id int64, token string) {
	t.Helper()
	token = tokens.New()
	inTx(t, s, func(tx *storage.Tx) error {
		var err error
		if a.UserID, err = members.UpsertUser(t.Context(), tx, fmt.Sprintf("%s@example.com", token[:12])); err != nil {
			return err
		}
		if err := members.PutMembership(t.Context(), tx, a); err != nil {
			return err
		}
		return members.InsertToken(t.Context(), tx, token, members.NewToken{UserID: a.UserID, AccountID: &a.AccountID})
	})
	return a.UserID, token
}

// NewToken inserts a token.
func NewToken(t testing.TB, s *storage.Store, n members.NewToken) (token string) {
	t.Helper()
	token = tokens.New()
	inTx(t, s, func(tx *storage.Tx) error { return members.InsertToken(t.Context(), tx, token, n) })
	return token
}

// NewDepositAccount inserts a checking account into the entity of the scope, after the
// functions have changed it.
func NewDepositAccount(t testing.TB, s *storage.Store, scope storage.Scope,
	change ...func(*finance.DepositAccount)) finance.DepositAccount {
	t.Helper()
	kind := int64(finance.Checking)
	d := finance.DepositAccount{
		AccountID: scope.AccountID, EntityID: scope.EntityID, Name: "Banco", DepositAccountTypeID: &kind,
		CurrencyID: finance.BRL,
	}
	for _, c := range change {
		c(&d)
	}
	inTx(t, s, func(tx *storage.Tx) error { return tx.InsertDepositAccount(t.Context(), &d) })
	return d
}

func inTx(t testing.TB, s *storage.Store, do func(*storage.Tx) error) {
	t.Helper()
	if err := s.InTx(t.Context(), do); err != nil {
		t.Fatal(err)
	}
}

// Agrees fails the test if bordero verify finds anything.
func Agrees(t testing.TB, s *storage.Store) {
	t.Helper()
	found, err := verify.Run(t.Context(), s, func(string) {})
	if err != nil || len(found) > 0 {
		t.Errorf("verify found %+v, %v", found, err)
	}
}

// Seal seals the committed changes, at most 10,000 or the given number. Each call opens a sealer of
// its own: a sealer that is silent for seconds, as between the steps of a test on a busy machine,
// loses its connection.
func Seal(t testing.TB, s *storage.Store, most ...int) {
	t.Helper()
	sealer, err := s.OpenSealer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer sealer.Close()
	if _, _, err := sealer.Seal(t.Context(), append(most, 10_000)[0]); err != nil {
		t.Fatal(err)
	}
}
