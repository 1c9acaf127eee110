package api_test

import (
	"fmt"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// newDepositAccount makes a deposit account of the tenant and returns its path.
func (s *service) newDepositAccount(t testing.TB, change ...func(*finance.DepositAccount)) string {
	t.Helper()
	d := storagetest.NewDepositAccount(t, s.store, s.Scope, change...)
	return paths.DepositAccount(d.EntityID, d.ID)
}

// register makes a deposit account a cash register.
func register(d *finance.DepositAccount) {
	kind := int64(finance.CashRegister)
	d.DepositAccountTypeID = &kind
}

// newTransaction makes a transaction below the path of a deposit account and
// returns its own.
func (s *service) newTransaction(t testing.TB, below, kind, amount, day string) string {
	t.Helper()
	a := s.call(t, "POST", below+"/financial_transactions", document(fmt.Sprintf(
		`{"financial_transaction":{"type":%q,"amount":%q,"occurred_at":%q}}`, kind, amount, day))).want(t, 201)
	return a.header.Get("Location")[len(publicURL):]
}

// member makes a user of the tenant's account with less than all rights, and
// returns his token.
func (s *service) member(t testing.TB, a finance.Access) string {
	t.Helper()
	a.AccountID = s.AccountID
	_, token := storagetest.NewUser(t, s.store, a)
	return token
}

// anotherEntity makes one more entity of the tenant's account.
func (s *service) anotherEntity(t testing.TB) (e finance.Entity) {
	t.Helper()
	err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
		e = storagetest.NewEntity(t, tx, s.AccountID)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// newPerson, newCategory and newCenter make a record of the tenant's account and
// return its path.
func (s *service) newPerson(t testing.TB, fields string) string {
	t.Helper()
	return s.made(t, "/people", `{"person":`+fields+`}`)
}

func (s *service) newCategory(t testing.TB, fields string) string {
	t.Helper()
	return s.made(t, "/categories", `{"category":`+fields+`}`)
}

func (s *service) newCenter(t testing.TB, entity int64, name string) string {
	t.Helper()
	return s.made(t, "/classification_centers", fmt.Sprintf(`{"classification_center":{"entity_id":%d,"name":%q}}`, entity, name))
}

// newClassifier and newValue make a custom classifier, and a value of the one of
// the path, and return their paths.
func (s *service) newClassifier(t testing.TB, name string) string {
	t.Helper()
	return s.made(t, "/custom_classifiers", fmt.Sprintf(`{"custom_classifier":{"name":%q}}`, name))
}

func (s *service) newValue(t testing.TB, below, value string) string {
	t.Helper()
	return s.made(t, below+"/values", fmt.Sprintf(`{"custom_classifier_value":{"value":%q}}`, value))
}

func (s *service) made(t testing.TB, path, text string) string {
	t.Helper()
	return s.call(t, "POST", path, document(text)).want(t, 201).header.Get("Location")[len(publicURL):]
}
