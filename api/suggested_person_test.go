package api_test

import (
	"fmt"
	"testing"

	"bordero/finance"
)

// A person whose document the bank's text names is suggested, and never set: as long as it is the only one, has the
// whole document, and the transaction has no person.
func TestThePersonOfACounterpartIsSuggested(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const document11 = "52998224725"
	below := s.newDepositAccount(t)
	path := s.newTransaction(t, below, finance.Credit, "10", "2026-03-02")
	named := func(document string) {
		s.exec(t, `UPDATE financial_transactions SET counterpart_document = $1 WHERE id = $2`, document, lastID(path))
	}
	suggested := func(want any) {
		t.Helper()
		for _, a := range []answer{s.call(t, "GET", path), s.call(t, "GET", below+"/financial_transactions")} {
			at := "financial_transaction."
			if a.body[0] == '[' {
				at = "0." + at
			}
			equal(t, a.want(t, 200).at(t, at+"suggested_person_id"), fmt.Sprint(want))
		}
	}
	named(document11)
	suggested(nil)
	person := s.newPerson(t, `{"name":"Ana","customer":true,"federation_subscription_number":"529.982.247-25"}`)
	suggested(lastID(person))
	equal(t, s.call(t, "GET", path).at(t, "financial_transaction.person_id"), "<nil>")
	named("***982247**")
	suggested(nil)
	named(document11)
	second := s.newPerson(t, `{"name":"Ana 2","customer":true,"federation_subscription_number":"52998224725"}`)
	suggested(nil)
	s.call(t, "DELETE", second)
	suggested(lastID(person))
	s.call(t, "PUT", path, document(fmt.Sprintf(`{"financial_transaction":{"person_id":%d}}`, lastID(person)))).want(t,
		200)
	suggested(nil)
}
