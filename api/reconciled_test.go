package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
)

// A reconciled record names its reconcile and the other side: alone, in lists, and as the answer to a
// change.
func TestReconciledRecordsNameEachOther(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	accounts := ids(s.settled(t, finance.Payable, "10"), s.settled(t, finance.Payable, "5"))
	transaction, open := s.moved(t, below, finance.Debit, "15"), s.moved(t, below, finance.Debit, "15")
	made := s.match(t, accounts, ids(transaction)).want(t, 200)
	reconcile := made.at(t, "reconcile_id")
	equal(t, made.at(t, "financial_accounts.0.reconcile_id")+made.at(t, "financial_transactions.0.reconcile_id"),
		reconcile+reconcile)

	self := fmt.Sprintf("%s/financial_transactions/%d", below, transaction)
	one := s.call(t, "GET", self).want(t, 200)
	equal(t, one.at(t, "financial_transaction.reconcile_id"), reconcile)
	equal(t, one.at(t, "financial_transaction.reconciliations.financial_accounts.0.id"), fmt.Sprint(accounts[0]))
	equal(t, one.at(t, "financial_transaction.reconciliations.financial_accounts.1.id"), fmt.Sprint(accounts[1]))
	list := s.call(t, "GET", below+"/financial_transactions").want(t, 200)
	equal(t, list.all(t, "financial_transaction.reconcile_id"), []string{"<nil>", reconcile})
	if !strings.HasSuffix(list.body, one.body+"]") {
		t.Errorf("%s is listed as %s", one.body, list.body)
	}
	equal(t, s.call(t, "GET", below+"/financial_transactions?search[reconciled]=true").body, "["+one.body+"]")
	tag := one.header.Get("ETag")
	changed := s.call(t, "PUT", self, document(`{"financial_transaction":{"document":"NF 1"}}`), with("If-Match", tag)).
		want(t, 200)
	equal(t, changed.body, s.call(t, "GET", self).body)

	of := paths.FinancialAccount(s.EntityID, "payable", accounts[1])
	equal(t, s.call(t, "GET", of).at(t, "payable_account.reconcile_id"), reconcile)
	equal(t, s.call(t, "GET", paths.FinancialAccounts(s.EntityID, "payable")).all(t, "payable_account.reconcile_id"),
		[]string{reconcile, reconcile})

	s.call(t, "DELETE", paths.Reconciles(s.EntityID)+"/"+reconcile).want(t, 200)
	for _, path := range []string{self, fmt.Sprintf("%s/financial_transactions/%d", below, open)} {
		undone := s.call(t, "GET", path)
		equal(t, undone.at(t, "financial_transaction.reconcile_id"), "<nil>")
		equal(t, undone.at(t, "financial_transaction.reconciliations"),
			"map[financial_accounts:[] financial_transactions:[]]")
	}
	equal(t, s.call(t, "GET", of).at(t, "payable_account.reconcile_id"), "<nil>")
}

func TestTheOtherSideOfAReconcileIsHiddenFromThoseWhoMayNotSeeIt(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	account, transaction := s.settled(t, finance.Receivable, "10"), s.moved(t, below, finance.Credit, "10")
	reconcile := s.match(t, ids(account), ids(transaction)).want(t, 200).at(t, "reconcile_id")
	self := fmt.Sprintf("%s/financial_transactions/%d", below, transaction)
	of := paths.FinancialAccount(s.EntityID, "receivable", account)
	for denied, want := range map[string]string{"payable_accounts": reconcile, "receivable_accounts": "<nil>"} {
		for _, path := range []string{self, below + "/financial_transactions"} {
			a := s.call(t, "GET", path, as(s.member(t, finance.Access{AllEntities: true, Denied: []string{denied}}))).
				want(t, 200)
			if shown := strings.Contains(a.body,
				fmt.Sprintf(`"reconcile_id":%s,`+
					`"reconciliations":{"financial_accounts":[{`, reconcile)); shown != (want == reconcile) {
				t.Errorf("without %s: %s", denied, a.body)
			}
			if !strings.Contains(a.body, `"reconciled":true`) {
				t.Error(a.body)
			}
		}
	}
	a := s.call(t, "GET", of,
		as(s.member(t, finance.Access{AllEntities: true, Denied: []string{"financial_transactions"}}))).want(t, 200)
	equal(t, a.at(t, "receivable_account.reconcile_id")+a.at(t,
		"receivable_account.reconciliations.financial_transactions"), "<nil>[]")
}

// The filter would tell by trial in which month a record is reconciled, which its document hides.
func TestReconciledInNeedsThePermissionOfTransactions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	hidden := as(s.member(t, finance.Access{AllEntities: true, Denied: []string{"financial_transactions"}}))
	asked := 0
	for _, r := range api.Routes() {
		if filters(r)["reconciled_in"] == nil {
			continue
		}
		asked++
		path := ids.path(r)
		for _, query := range []string{"", "search[reconciled_in]=2026-08", "search[reconciled_in][]=2026-08",
			"search[reconciled_in]="} {
			for _, suffix := range []string{"", ".csv"} {
				want := 403
				if query == "" {
					want = 200
				}
				s.call(t, "GET", path+suffix+"?"+query, hidden).want(t, want)
			}
		}
		a := s.call(t, "GET", path, document(`{"search":{"reconciled_in":"2026-08"}}`), hidden,
			with("Accept", "application/problem+json")).want(t, 403)
		if !strings.Contains(a.body, "financial_transactions") {
			t.Errorf("%s: %s", path, a.body)
		}
		s.call(t, "GET", path+"?search[reconciled_in]=2026-08").want(t, 200)
	}
	equal(t, asked, 13)
	s.call(t, "GET", "/people?search[reconciled_in]=2026-08", hidden).want(t, 422)
}

func TestReconcilesAreFoundByTheirRecords(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	pair := func(kind finance.AccountKind, move string) (account, transaction int64, reconcile string) {
		t.Helper()
		account, transaction = s.settled(t, kind, "10"), s.moved(t, below, move, "10")
		return account, transaction, s.match(t, ids(account), ids(transaction)).want(t, 200).at(t, "reconcile_id")
	}
	payable, debit, first := pair(finance.Payable, finance.Debit)
	receivable, credit, second := pair(finance.Receivable, finance.Credit)
	other := *s
	other.EntityID = s.anotherEntity(t).ID
	beside := other.settled(t, finance.Payable, "10")
	besideWith := other.moved(t, other.newDepositAccount(t), finance.Debit, "10")
	other.match(t, ids(beside), ids(besideWith)).want(t, 200)
	narrow := as(s.member(t, finance.Access{AllEntities: true, Denied: []string{"receivable_accounts"}}))
	for _, c := range []struct {
		search  string
		want    []string
		options []option
	}{
		{fmt.Sprintf("search[financial_transaction_id]=%d", debit), []string{first}, nil},
		{fmt.Sprintf("search[financial_transaction_id]=%d", credit), []string{second}, nil},
		{fmt.Sprintf("search[financial_account_id]=%d", payable), []string{first}, nil},
		{fmt.Sprintf("search[financial_account_id]=%d", receivable), []string{second}, nil},
		{fmt.Sprintf("search[financial_account_id]=%d&search[financial_transaction_id]=%d", payable, debit), []string{
			first}, nil},
		{fmt.Sprintf("search[financial_account_id]=%d&search[financial_transaction_id]=%d", payable, credit), nil, nil},
		{fmt.Sprintf("search[financial_account_id]=%d", receivable), nil, []option{narrow}},
		{fmt.Sprintf("search[financial_transaction_id]=%d", credit), nil, []option{narrow}},
		{fmt.Sprintf("search[financial_transaction_id]=%d", besideWith), nil, nil},
		{fmt.Sprintf("search[financial_account_id]=%d", beside), nil, nil},
		{fmt.Sprintf("search[financial_transaction_id]=%d", missingID), nil, nil},
	} {
		a := s.call(t, "GET", paths.Reconciles(s.EntityID)+"?"+c.search, c.options...).want(t, 200)
		equal(t, c.search+fmt.Sprint(a.all(t, "reconcile.id")), c.search+fmt.Sprint(c.want))
	}
	s.call(t, "GET", paths.Reconciles(s.EntityID)+"?search[financial_account_id]=a").wantBody(t, 422,
		`{"financial_account_id":["não é um número inteiro"]}`)
}
