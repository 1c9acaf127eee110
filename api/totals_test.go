package api_test

import (
	"testing"

	"bordero/finance"
)

func TestTotalsRefuseWhatTheyCannotSum(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "1", "2026-08-03")
	s.newTransaction(t, s.newDepositAccount(t, func(d *finance.DepositAccount) { d.CurrencyID = 2 }), finance.Debit,
		"2", "2026-08-03")
	s.exec(t, `INSERT INTO people (id, account_id, name, customer, supplier)
		SELECT n, $1, 'P' || n, true, false FROM generate_series(1, 10001) n`,
		s.AccountID)
	s.exec(t, `INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, competency_month, amount,
		person_id)
		SELECT $1, $2, 'payable', '2026-08-03', '2026-08-01', 1, n FROM generate_series(1, 10001) n`, s.AccountID,
		s.EntityID)
	const transactions, payables = "/entities/1/financial_transactions/totals", "/entities/1/payable_accounts/totals"
	for path, want := range map[string]string{
		transactions + "?group_by=month,person,center":    "too_many_keys",
		transactions + "?group_by=category,category_tree": "repeated_key",
		transactions + "?group_by=status":                 "not_in_list",
		transactions + "?group_by=entity":                 "not_in_list",
		transactions:                                      "several_currencies",
		payables + "?group_by=person":                     "too_many_groups",
		payables + "?group_by=classifier:9":               "not_existing",
		payables + "?group_by=classifier:a":               "not_an_integer",
		"/payable_accounts/totals?entities=1,9":           "not_existing",
		payables + "?search[nothing]=1":                   "unknown_filter",
	} {
		a := s.call(t, "GET", path).want(t, 422)
		if code := a.header.Get("X-Error-Code"); code != want {
			t.Errorf("%s: %s, want %s: %s", path, code, want, a.body)
		}
	}
	s.call(t, "GET", "/entities/9/payable_accounts/totals").want(t, 404)
	a := s.call(t, "GET", transactions+"?group_by=deposit_account").want(t, 200)
	equal(t, a.at(t, "totals.0.total.sum")+" "+a.at(t, "totals.1.total.sum"), "-1.0 -2.0")
	equal(t, s.call(t, "GET", payables+"?group_by=month").want(t, 200).at(t, "totals.0.total.amount"), "10001.0")
}
