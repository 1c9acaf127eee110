package demo_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/demo"
	"bordero/storage/list"
	"bordero/storage/reports"
	"bordero/storage/storagetest"
)

// Each report says something of the books: each key has several groups, each sum is some money.
func TestTheBooksSaySomethingInEachReport(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	tenant := storagetest.NewTenant(t, s)
	today := finance.DateOf(time.Now()) // what is not due yet was recorded on the day of the aging
	filled, err := demo.Fill(t.Context(), s, demo.Options{AccountID: tenant.AccountID, Sales: 600, Transactions: 2000,
		Seed: 7, Today: today}, silent)
	if err != nil {
		t.Fatal(err)
	}
	in := reports.Scope{AccountID: tenant.AccountID, EntityIDs: []int64{filled.EntityID}}
	if err := s.InSnapshot(t.Context(), func(tx *storage.Tx) error {
		sayTotals(t, tx, in)
		sayCashFlow(t, tx, in, today)
		for _, kind := range []finance.AccountKind{finance.Payable, finance.Receivable} {
			a := &finance.Aging{On: today.AddDays(1), Kind: kind}
			if err := reports.Aging(t.Context(), tx, in, finance.DefaultAgingBounds, a); err != nil {
				return err
			}
			for i, g := range a.Total.Groups {
				if g.Count == 0 {
					t.Errorf("no %s account is in the class %d of the aging", kind, i)
				}
			}
			if len(a.People) < 2 {
				t.Errorf("the aging of %s accounts has %d people", kind, len(a.People))
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// sayTotals reads the totals of each family by each of its keys, and those of accounts due in another month than the
// month of their competency.
func sayTotals(t *testing.T, tx *storage.Tx, in reports.Scope) {
	t.Helper()
	classifiers, err := tx.CustomClassifiers(t.Context(), in.AccountID, list.Query{})
	if err != nil || len(classifiers.Items) == 0 {
		t.Fatalf("%+v %v", classifiers, err)
	}
	for name, family := range map[string]reports.Family{
		"transactions":        reports.Transactions(0),
		"payable accounts":    reports.FinancialAccounts(finance.Payable),
		"receivable accounts": reports.FinancialAccounts(finance.Receivable),
		"sales":               reports.Sales(),
		"purchases":           reports.CardTransactions(0),
	} {
		for _, key := range family.Keys() {
			if key == reports.EntityKey { // of the one entity
				continue
			}
			search := map[string]string{}
			if strings.HasSuffix(name, "accounts") && key != "status" {
				search["status_equals"] = "1" // also the open ones
			}
			groups, err := reports.Totals(t.Context(), tx.Queries, in, family, search, reports.Key{Name: key,
				Classifier: classifiers.Items[0].ID})
			if err != nil || len(groups) < 2 {
				t.Errorf("%s by %s: %d groups, want several; %v", name, key, len(groups), err)
			}
			for i, sum := range family.Sums {
				if sum == "total_amount" && search["status_equals"] != "" {
					continue // open accounts have none
				}
				if !slices.ContainsFunc(groups, func(g reports.Total) bool { return !g.Sums[i].IsZero() }) {
					t.Errorf("%s by %s: every %s is zero", name, key, sum)
				}
			}
		}
		if strings.HasSuffix(name, "accounts") {
			groups, err := reports.Totals(t.Context(), tx.Queries, in, family, nil, reports.Key{Name: "month"},
				reports.Key{Name: "competency_month"})
			if err != nil || !slices.ContainsFunc(groups, func(g reports.Total) bool {
				return g.Keys[0].Text != g.Keys[1].Text
			}) {
				t.Errorf("all %s are due in the month of their competency; %v", name, err)
			}
		}
	}
}

// sayCashFlow reads the cash flow of the last year, and that of the next three months.
func sayCashFlow(t *testing.T, tx *storage.Tx, in reports.Scope, today finance.Date) {
	t.Helper()
	for _, period := range []struct {
		from, to finance.Date
		expects  bool
	}{{today.AddDays(-365), today, false}, {today, today.AddDays(90), true}} {
		flow, err := reports.CashFlow(t.Context(), tx.Queries, in, finance.CashFlowQuery{From: period.from,
			To: period.to, By: finance.ByMonth, CurrencyID: finance.BRL, ByAccount: true, Today: today})
		if err != nil {
			t.Fatal(err)
		}
		var all finance.Flow
		for _, b := range flow.Buckets {
			all = all.Plus(b.Flow)
		}
		paid := flow.PaidWithoutTransaction
		if !period.expects && (all.RealisedIn.IsZero() || all.RealisedOut.IsZero() || paid.In.IsZero() ||
			paid.Out.IsZero()) {
			t.Errorf("cash flow of the last year: %+v, paid without a transaction: %+v", all, paid)
		}
		// The money sinks before it rises again.
		low := flow.Lowest
		if period.expects && (all.ExpectedIn.IsZero() || all.ExpectedOut.IsZero() || low.On == today ||
			low.On == period.to || !low.Closing.Less(flow.Opening) || !low.Closing.Less(flow.Closing)) {
			t.Errorf("cash flow from today: %+v, lowest %+v of %v to %v", all, low, flow.Opening, flow.Closing)
		}
		if len(flow.Accounts) < 4 { // three deposit accounts, and what none of them expects
			t.Errorf("the cash flow has %d deposit accounts", len(flow.Accounts))
		}
	}
}
