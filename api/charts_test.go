package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/storage/demo"
)

// The tables of the page of charts are the answers about the books that bordero demo makes on a day; -update writes
// them.
func TestThePageOfChartsShowsTheDemo(t *testing.T) {
	t.Parallel()
	const file, day = "docs/guides/graficos.md", "2026-08-31"
	s := newServiceOn(t, day)
	today, _ := finance.NewDate(2026, 8, 31)
	filled, err := demo.Fill(t.Context(), s.store, demo.Options{AccountID: s.AccountID, Sales: 3000, Transactions: 600,
		Seed: 1, Today: today}, func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	// What is not due yet is open on the day if it was recorded by then.
	if _, err := s.db.ExecContext(t.Context(), `UPDATE financial_accounts SET created_at = $1`, day); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tables := chartTables(t, s, paths.Entity(filled.EntityID))
	shown := tableRows.ReplaceAllStringFunc(string(page), func(table string) string {
		head, _, _ := strings.Cut(table, "\n|--")
		rows, ok := tables[head]
		if !ok {
			t.Fatalf("no figures for the table %s", head)
		}
		delete(tables, head)
		return head + "\n" + strings.Repeat("|---", strings.Count(head, "|")-1) + "|\n" + rows
	})
	if len(tables) > 0 {
		t.Errorf("%s lacks the tables %v", file, tables)
	}
	if *update {
		if err := os.WriteFile(file, []byte(shown), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	equal(t, string(page), shown)
}

// tableRows matches a table in Markdown.
var tableRows = regexp.MustCompile(`(?m)^\|.*\n\|--.*\n(\|.*\n)*`)

// chartTables returns the rows of each table by its head.
func chartTables(t *testing.T, s *service, entity string) map[string]string {
	t.Helper()
	ask := func(path string, to any) {
		if err := json.Unmarshal([]byte(s.call(t, "GET", entity+path).want(t, 200).body), to); err != nil {
			t.Fatal(err)
		}
	}
	row := func(label string, amounts ...finance.Amount) string {
		cells := "| " + label + " |"
		for _, a := range amounts {
			cells += " " + inReais(a) + " |"
		}
		return cells + "\n"
	}
	var flow, results, overdue strings.Builder
	var shown struct {
		Flow struct {
			Lowest  struct{ On finance.Date }
			Buckets []struct {
				From        finance.Date
				RealisedIn  finance.Amount `json:"realised_in"`
				RealisedOut finance.Amount `json:"realised_out"`
				ExpectedIn  finance.Amount `json:"expected_in"`
				ExpectedOut finance.Amount `json:"expected_out"`
				Closing     finance.Amount
			}
		} `json:"cash_flow"`
	}
	ask("/cash_flow?from=2026-08-31&to=2026-09-30&by=day", &shown)
	for _, b := range shown.Flow.Buckets {
		label := brazilianDay(b.From)
		if b.From == shown.Flow.Lowest.On {
			label = "**" + label + "**"
		}
		flow.WriteString(row(label, b.RealisedIn+b.ExpectedIn, b.RealisedOut+b.ExpectedOut, b.Closing))
	}
	var competency, cash shownStatement
	ask("/reports/income_statement?from=2025-09&to=2026-08", &competency)
	ask("/reports/income_statement?from=2025-09&to=2026-08&basis=cash", &cash)
	for i, cell := range competency.Statement.Result {
		results.WriteString(row(cell.Month[5:]+"/"+cell.Month[2:4], cell.Amount, cash.Statement.Result[i].Amount))
	}
	var receivable, payable struct{ Aging aging }
	ask("/reports/aging?kind=receivable", &receivable)
	ask("/reports/aging?kind=payable", &payable)
	for i, label := range []string{"a vencer", "1 a 30", "31 a 60", "61 a 90", "mais de 90"} {
		overdue.WriteString(row(label, receivable.Aging.Total.Groups[i].Sum, payable.Aging.Total.Groups[i].Sum))
	}
	return map[string]string{
		"| dia | entra | sai | fecha com |":        flow.String(),
		"| mês | competência | caixa |":            results.String(),
		"| dias de atraso | a receber | a pagar |": overdue.String(),
	}
}

// brazilianDay writes a day as 31/08.
func brazilianDay(d finance.Date) string {
	text := d.String()
	return text[8:] + "/" + text[5:7]
}

// inReais writes an amount as 1.234,50.
func inReais(a finance.Amount) string {
	text := fmt.Sprintf("%d,%02d", a.Abs()/100, a.Abs()%100)
	for i := len(text) - 6; i > 0; i -= 3 {
		text = text[:i] + "." + text[i:]
	}
	if a < 0 {
		return "-" + text
	}
	return text
}

// Without a script the page has the tables, and below each place of a chart the table that is drawn there; with one it
// asks for nothing but files of this host.
func TestThePageOfChartsIsTablesWithoutScripts(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	page := s.visit(t, "/docs/graficos").want(t, 200)
	places := regexp.MustCompile(`<div data-chart="(lines|bars)"[^>]* data-label="[^"]+"></div>\s*<table>\s*<thead>`)
	if n := len(places.FindAllString(page.body, -1)); n != 3 || strings.Count(page.body, "data-chart") != n {
		t.Errorf("%d places have a table below them, want 3", n)
	}
	if rows := strings.Count(page.body, "<tr>"); rows != 3+31+12+5 || strings.Count(page.body, "<strong>") != 1 {
		t.Errorf("the tables have %d rows", rows)
	}
	for _, file := range []string{"charts.js", "charts.css", "chartist.js"} {
		if !strings.Contains(page.body, `"/docs/charts/`+file+`"`) {
			t.Errorf("the page does not ask for %s", file)
		}
		if other := s.visit(t, "/docs/extrato").body; strings.Contains(other, file) {
			t.Errorf("a page without charts asks for %s", file)
		}
		s.visit(t, "/docs/charts/"+file).want(t, 200)
	}
}
