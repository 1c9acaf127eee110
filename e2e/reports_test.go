package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/tier"
)

// movingBooks is a site whose workers import n items, delete n others and price n sales, all at once.
type movingBooks struct {
	*e2etest.Site
	sales   int
	payable string // the path of an account of 100.00 that is divided between centers again and again
	centers [2]int64
}

// flowBucket is a bucket of a cash flow.
type flowBucket struct {
	Opening, Closing finance.Amount
	RealisedIn       finance.Amount `json:"realised_in"`
	RealisedOut      finance.Amount `json:"realised_out"`
	ExpectedIn       finance.Amount `json:"expected_in"`
	ExpectedOut      finance.Amount `json:"expected_out"`
}

func (b flowBucket) moved() finance.Amount {
	return b.RealisedIn - b.RealisedOut + b.ExpectedIn - b.ExpectedOut
}

// While imports, deletions and pricing run, and records change, each report is right for one moment.
func TestReportsAreOfOneMoment(t *testing.T) {
	t.Parallel()
	s := newMovingBooks(t, tier.Size(3_000, 40_000))
	var writer sync.WaitGroup
	stop := make(chan struct{})
	writer.Go(func() { s.write(t, stop) })
	reports := []func(*testing.T){s.flow, s.totals, s.aging}
	for rounds := 0; rounds < 6 || !e2etest.Value[bool](t, s.DB, `SELECT `+e2etest.NoJobLeft); rounds++ {
		for _, report := range reports {
			report(t)
		}
	}
	close(stop)
	writer.Wait()
	s.Settled()
}

func newMovingBooks(t *testing.T, n int) *movingBooks {
	t.Helper()
	s := &movingBooks{Site: e2etest.New(t, short), sales: n + 1}
	s.Serve()
	s.Start("work", "statements", "deletions", "sales").Ready()
	made := s.Import(t, s.NewDepositAccount(t, ""), statementtest.OFX(n))
	post := func(path, root string, fields map[string]any) int64 {
		var into map[string]struct{ ID int64 }
		if err := s.Post(path, map[string]any{root: fields}, &into); err != nil {
			t.Fatal(err)
		}
		return into[root].ID
	}
	for i, name := range []string{"Loja", "Obra"} {
		s.centers[i] = post("/classification_centers", "classification_center", map[string]any{"entity_id": s.Entity,
			"name": name})
	}
	list := paths.FinancialAccounts(s.Entity, string(finance.Payable))
	s.payable = fmt.Sprintf("%s/%d", list, post(list, "payable_account", map[string]any{"due_date": "2026-03-01",
		"amount": "100"}))
	account := post("/sale_accounts", "sale_account", map[string]any{"entity_id": s.Entity, "name": "Cielo",
		"provider": "cielo", "payment_methods": "pix", "consolidate": true})
	post(fmt.Sprintf("/sale_accounts/%d/rules", account), "sale_rule", map[string]any{"payment_method": "pix",
		"fee_percentage": "2", "days_to_liquidation": 30})
	s.insertSales(t, n)
	s.MustUpload(t, s.NewDepositAccount(t, ""), statementtest.OFX(n))
	s.send(t, http.MethodDelete, paths.BankStatement(s.Entity, made.DepositAccountID, made.ID), "", http.StatusAccepted)
	post(fmt.Sprintf("/entities/%d/sales", s.Entity), "sale", map[string]any{"sale_account_id": account,
		"payment_method": "pix", "nominal_amount": "10", "occurred_at": "2026-03-01"})
	return s
}

// insertSales makes sales of 10.00, every other one divided between two centers.
func (s *movingBooks) insertSales(t *testing.T, n int) {
	t.Helper()
	_, err := s.DB.ExecContext(t.Context(), `WITH made AS (
			INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month,
				nominal_amount, total_amount)
			SELECT account_id, entity_id, id, 'pix', date '2026-03-01' + n % 30, '2026-03-01', 10, 10
			FROM sale_accounts, generate_series(1, $1) n
			RETURNING account_id, id)
		INSERT INTO sale_center_classifications (account_id, sale_id, classification_center_id, percentage)
		SELECT m.account_id, m.id, c.id, 33.3333 FROM made m, classification_centers c WHERE m.id % 2 = 0`, n)
	if err != nil {
		t.Fatal(err)
	}
}

func (s *movingBooks) send(t *testing.T, method, path, document string, status int) {
	t.Helper()
	answer, err := s.Do(method, path, "application/json", strings.NewReader(document))
	if err != nil || answer.Status != status {
		t.Errorf("%s %s: %d %s, %v", method, path, answer.Status, answer.Body, err)
	}
}

// write divides the payable account, pays it and opens it again until stop is closed.
func (s *movingBooks) write(t *testing.T, stop <-chan struct{}) {
	t.Helper()
	divided := fmt.Sprintf(`[{"classification_center_id":%d,"percentage":50},{"classification_center_id":%d}]`,
		s.centers[0], s.centers[1])
	for {
		for _, fields := range []string{
			`"classification_center_classifications":` + divided + `,"occurred_at":"2026-04-01","total_amount":"100"`,
			fmt.Sprintf(`"classification_center_classifications":[],"classification_center_id":%d`, s.centers[0]),
			`"classification_center_id":null,"occurred_at":null`,
		} {
			select {
			case <-stop:
				return
			default:
				s.send(t, http.MethodPut, s.payable, `{"payable_account":{`+fields+`}}`, http.StatusOK)
			}
		}
	}
}

// flow checks a cash flow that begins before all transactions: with nothing.
func (s *movingBooks) flow(t *testing.T) {
	t.Helper()
	var shown struct {
		CashFlow struct {
			Buckets  []flowBucket
			Accounts []struct{ Buckets []flowBucket }
			Lowest   struct{ Closing finance.Amount }
		} `json:"cash_flow"`
	}
	s.Get(t, fmt.Sprintf("/entities/%d/cash_flow?from=2024-12-30&to=2027-01-03&by=week&by_account=true", s.Entity),
		&shown)
	f := shown.CashFlow
	var opening, lowest finance.Amount
	for i, b := range f.Buckets {
		var all flowBucket
		for _, a := range f.Accounts {
			of := a.Buckets[i]
			all = flowBucket{all.Opening + of.Opening, all.Closing + of.Closing, all.RealisedIn + of.RealisedIn,
				all.RealisedOut + of.RealisedOut, all.ExpectedIn + of.ExpectedIn, all.ExpectedOut + of.ExpectedOut}
		}
		if b.Opening != opening || b.Closing != b.Opening+b.moved() || all != b {
			t.Fatalf("the bucket %d opens after %s: %+v, of all accounts %+v", i, opening, b, all)
		}
		opening, lowest = b.Closing, min(lowest, b.Closing)
	}
	if f.Lowest.Closing > lowest {
		t.Errorf("the lowest day is %s, a bucket closes with %s", f.Lowest.Closing, lowest)
	}
}

// totals checks totals of records that move between groups, while their number and their sums stay the same.
func (s *movingBooks) totals(t *testing.T) {
	t.Helper()
	type total struct {
		Status      int
		Count       int
		Amount      finance.Amount
		TotalAmount finance.Amount `json:"total_amount"`
		Receivable  finance.Amount `json:"receivable_amount"`
		Sum         finance.Amount
		Credits     finance.Amount
		Debits      finance.Amount
	}
	ask := func(list, keys string) (all []total, sum total) {
		var shown struct{ Totals []struct{ Total total } }
		s.Get(t, fmt.Sprintf("/entities/%d/%s/totals?group_by=%s", s.Entity, list, keys), &shown)
		for _, g := range shown.Totals {
			all = append(all, g.Total)
			sum.Count += g.Total.Count
			sum.Amount += g.Total.Amount
			sum.TotalAmount += g.Total.TotalAmount
			sum.Receivable += g.Total.Receivable
		}
		return all, sum
	}
	statuses, sum := ask("sales", "status")
	for _, g := range statuses {
		if want := finance.Amount(g.Count * 980 * min(g.Status, 1)); g.Receivable != want {
			t.Errorf("%d sales of the status %d are to receive %s, want %s", g.Count, g.Status, g.Receivable, want)
		}
	}
	if sum.Count != s.sales {
		t.Errorf("%d sales, want %d", sum.Count, s.sales)
	}
	if _, sum := ask("sales", "center,status"); sum.TotalAmount != finance.Amount(s.sales*1000) {
		t.Errorf("the groups of %d sales add up to %s", s.sales, sum.TotalAmount)
	}
	if groups, sum := ask("payable_accounts", "center"); sum.Amount != 100_00 {
		t.Errorf("the groups of 100.00 add up to %s: %+v", sum.Amount, groups)
	}
	days, _ := ask("financial_transactions", "month,deposit_account")
	for _, g := range days {
		if g.Credits+g.Debits != g.Sum {
			t.Errorf("%s and %s are %s", g.Credits, g.Debits, g.Sum)
		}
	}
}

// aging checks that people and groups of days add up.
func (s *movingBooks) aging(t *testing.T) {
	t.Helper()
	type total struct {
		Count  int
		Sum    finance.Amount
		Groups []struct {
			Count int
			Sum   finance.Amount
		}
	}
	for _, kind := range []finance.AccountKind{finance.Payable, finance.Receivable} {
		var shown struct {
			Aging struct {
				Total  total
				People []total
			}
		}
		s.Get(t, fmt.Sprintf("/entities/%d/reports/aging?kind=%s", s.Entity, kind), &shown)
		var people, groups total
		for _, p := range shown.Aging.People {
			people.Count, people.Sum = people.Count+p.Count, people.Sum+p.Sum
		}
		for _, g := range shown.Aging.Total.Groups {
			groups.Count, groups.Sum = groups.Count+g.Count, groups.Sum+g.Sum
		}
		all := shown.Aging.Total
		if all.Count != people.Count || all.Sum != people.Sum || all.Count != groups.Count || all.Sum != groups.Sum {
			t.Errorf("%s: people and groups of days do not add up: %+v", kind, shown.Aging)
		}
	}
}
