package e2e

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/finance/demo"
)

// reported fails unless each report of the month shows the sums of the truth.
func (c *closing) reported() {
	c.t.Helper()
	sums := c.truth.Sums
	for list, keys := range sums.Totals {
		for key, want := range keys {
			if got := c.totals(list, key, want); !reflect.DeepEqual(got, want) {
				c.t.Errorf("totals of %s by %s: %+v, want %+v", list, key, got, want)
			}
			if n := len(c.sheet(list + "/totals.csv?group_by=" + key)); n != 1+len(want) {
				c.t.Errorf("totals of %s by %s: a sheet of %d rows, want a header and %d", list, key, n, len(want))
			}
		}
		c.sheetOf(list)
	}
	if got := c.cashFlow(); !reflect.DeepEqual(got, sums.CashFlow) {
		c.t.Errorf("cash flow: %+v, want %+v", got, sums.CashFlow)
	}
	for _, want := range sums.Aging {
		if got := c.aging(want.Kind, want.On); !reflect.DeepEqual(got, want) {
			c.t.Errorf("aging: %+v, want %+v", got, want)
		}
	}
}

// settled fails unless the cash flow of the closed month is that of the open one without the own transfers, and every
// account that was marked as paid has its transaction.
func (c *closing) settled() {
	c.t.Helper()
	want := c.truth.Sums.CashFlow
	own := amountOf(c.t, want.OwnTransfers)
	want.RealisedIn = (amountOf(c.t, want.RealisedIn) - own).String()
	want.RealisedOut = (amountOf(c.t, want.RealisedOut) - own).String()
	want.PaidIn, want.PaidOut = "0.0", "0.0"
	if got := c.cashFlow(); !reflect.DeepEqual(got, want) {
		c.t.Errorf("cash flow of the closed month: %+v, want %+v", got, want)
	}
	for basis, want := range c.truth.Sums.IncomeStatements {
		c.income(basis, want)
	}
}

// income fails unless the income statement of the closed month has the rows of the truth, and the result their sum.
func (c *closing) income(basis string, want []demo.TrueIncome) {
	c.t.Helper()
	var shown struct {
		Statement struct {
			Rows []struct {
				Kind       string
				CategoryID int64 `json:"category_id"`
				Depth      int
				Total      string
			}
			Total string
		} `json:"income_statement"`
	}
	c.Get(c.t, c.at+"/reports/income_statement?basis="+basis+"&from="+c.truth.Month+"&to="+c.truth.Month, &shown)
	amounts := map[demo.TrueIncome]finance.Amount{}
	above := map[int]demo.TrueIncome{} // the last row of each depth
	for _, row := range shown.Statement.Rows {
		own := demo.TrueIncome{Kind: row.Kind, CategoryID: row.CategoryID}
		amounts[own] += amountOf(c.t, row.Total)
		if above[row.Depth] = own; row.Depth > 0 {
			amounts[above[row.Depth-1]] -= amountOf(c.t, row.Total)
		}
	}
	var sum finance.Amount
	for _, row := range want {
		amount := amountOf(c.t, row.Amount)
		row.Amount = ""
		if amounts[row] != amount {
			c.t.Errorf("by %s, %s %d is %v, want %v", basis, row.Kind, row.CategoryID, amounts[row], amount)
		}
		delete(amounts, row)
		sum += amount
	}
	for row, amount := range amounts {
		if amount != 0 {
			c.t.Errorf("by %s, there is also %s %d of %v", basis, row.Kind, row.CategoryID, amount)
		}
	}
	if shown.Statement.Total != sum.String() {
		c.t.Errorf("by %s, the result is %s, want %v", basis, shown.Statement.Total, sum)
	}
}

// totals returns the totals of a list by a key, with the sums that the truth has, in order of the key.
func (c *closing) totals(list, key string, want []demo.TrueTotal) (groups []demo.TrueTotal) {
	c.t.Helper()
	var shown struct {
		Totals []struct{ Total map[string]json.RawMessage }
	}
	c.Get(c.t, c.at+"/"+list+"/totals?group_by="+key, &shown)
	attribute, ok := map[string]string{"status": "status", "month": "month", "competency_month": "competency_month",
		"category": "category_id", "person": "person_id", "center": "classification_center_id",
		"deposit_account": "deposit_account_id"}[key]
	if !ok {
		attribute = "custom_classification_name"
	}
	for _, g := range shown.Totals {
		group := demo.TrueTotal{Key: plain(g.Total[attribute]), Sums: map[string]string{}}
		if err := json.Unmarshal(g.Total["count"], &group.Count); err != nil {
			c.t.Fatalf("%s by %s: %v", list, key, err)
		}
		for name := range want[0].Sums {
			group.Sums[name] = plain(g.Total[name])
		}
		groups = append(groups, group)
	}
	slices.SortFunc(groups, func(a, b demo.TrueTotal) int { return cmp.Compare(a.Key, b.Key) })
	return groups
}

// plain returns a number or a text; null is empty.
func plain(value json.RawMessage) string {
	if string(value) == "null" {
		return ""
	}
	return strings.Trim(string(value), `"`)
}

// sheetOf fails unless the CSV of a list has its records, and those have the sums of the truth.
func (c *closing) sheetOf(list string) {
	c.t.Helper()
	rows := c.sheet(list + ".csv")
	if len(rows) != 1+c.truth.Sums.Rows[list] {
		c.t.Fatalf("%s.csv has %d rows, want a header and %d", list, len(rows), c.truth.Sums.Rows[list])
	}
	name, column := "amount", "amount" // of the sum in the truth, and of the column
	switch list {
	case "financial_transactions":
		name = "sum"
	case "sales":
		name, column = "nominal_amount", "nominal_amount"
	}
	at := slices.Index(rows[0], column)
	if at < 0 {
		c.t.Fatalf("%s.csv has no %s among %v", list, column, rows[0])
	}
	var got, want finance.Amount
	for _, row := range rows[1:] {
		got += amountOf(c.t, row[at])
	}
	for _, g := range c.truth.Sums.Totals[list]["month"] {
		want += amountOf(c.t, g.Sums[name])
	}
	if got != want {
		c.t.Errorf("the rows of %s.csv sum to %v, want %v", list, got, want)
	}
}

// sheet returns the rows of a CSV of the entity, the header first.
func (c *closing) sheet(path string) [][]string {
	c.t.Helper()
	answer, err := c.Do(http.MethodGet, c.at+"/"+path, "", nil)
	if err != nil || answer.Status != http.StatusOK {
		c.t.Fatalf("%s: %v %d %s", path, err, answer.Status, answer.Body)
	}
	rows, err := csv.NewReader(bytes.NewReader(answer.Body)).ReadAll()
	if err != nil || len(rows) == 0 {
		c.t.Fatalf("%s: %v %s", path, err, answer.Body)
	}
	return rows
}

func amountOf(t *testing.T, text string) (a finance.Amount) {
	t.Helper()
	if err := a.UnmarshalText([]byte(text)); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return a
}

// cashFlow returns the cash flow of the month as the truth has it.
func (c *closing) cashFlow() demo.TrueCashFlow {
	c.t.Helper()
	type part struct {
		DepositAccountID *int64 `json:"deposit_account_id"`
		Buckets          []demo.TrueFlow
	}
	var shown struct {
		CashFlow struct {
			part
			Accounts []part
			Paid     struct{ In, Out string } `json:"paid_without_transaction"`
		} `json:"cash_flow"`
	}
	path := c.at + "/cash_flow?by=month&from=" + c.truth.From + "&to=" + c.truth.To
	c.Get(c.t, path, &shown)
	all := demo.TrueCashFlow{TrueFlow: shown.CashFlow.Buckets[0], PaidIn: shown.CashFlow.Paid.In,
		PaidOut: shown.CashFlow.Paid.Out, OwnTransfers: c.truth.Sums.CashFlow.OwnTransfers}
	c.Get(c.t, path+"&by_account=true", &shown)
	for _, a := range shown.CashFlow.Accounts {
		if flow := a.Buckets[0]; a.DepositAccountID != nil {
			flow.DepositAccountID = *a.DepositAccountID
			all.Accounts = append(all.Accounts, flow)
		}
	}
	slices.SortFunc(all.Accounts, func(a, b demo.TrueFlow) int {
		return cmp.Compare(a.DepositAccountID, b.DepositAccountID)
	})
	return all
}

// aging returns the aging of a kind on a day as the truth has it. The parts of the people sum to it.
func (c *closing) aging(kind, on string) demo.TrueAging {
	c.t.Helper()
	type group struct {
		FromDays int64 `json:"from_days"`
		Count    int64
		Sum      string
	}
	type total struct {
		Count  int64
		Sum    string
		Groups []group
	}
	var shown struct {
		Aging struct {
			Total  total
			People []total
		}
	}
	c.Get(c.t, c.at+"/reports/aging?kind="+kind+"&on="+on, &shown)
	all := demo.TrueAging{Kind: kind, On: on, Count: shown.Aging.Total.Count, Sum: shown.Aging.Total.Sum}
	for _, g := range shown.Aging.Total.Groups {
		all.Groups = append(all.Groups, demo.TrueAgingSum(g))
	}
	var people finance.Amount
	for _, p := range shown.Aging.People {
		people += amountOf(c.t, p.Sum)
	}
	if people.String() != all.Sum {
		c.t.Errorf("the people of the aging of %s accounts on %s sum to %v, want %s", kind, on, people, all.Sum)
	}
	return all
}
