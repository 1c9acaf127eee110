package api_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
)

// shownStatement is an income statement of an answer.
type shownStatement struct {
	Statement struct {
		Months         []string
		Rows           []shownIncomeRow
		WithoutAccount []shownIncomeRow `json:"without_account"`
		Result         []shownIncomeCell
		Total          finance.Amount
	} `json:"income_statement"`
}

type shownIncomeRow struct {
	CategoryID *int64 `json:"category_id"`
	Depth      int
	Kind       string
	Cells      []shownIncomeCell
	Total      finance.Amount
}

type shownIncomeCell struct {
	Month  string
	Amount finance.Amount
	Href   *string
	Lists  []struct {
		EntityID int64 `json:"entity_id"`
		List     string
		Amount   finance.Amount
		Href     string
	}
}

func (s *service) incomeStatement(t *testing.T, path string) (shown shownStatement) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.call(t, "GET", path).want(t, 200).body), &shown); err != nil {
		t.Fatal(err)
	}
	return shown
}

// Each cell of an income statement is the sum of its lists, each total the sum of its cells, and the result the sum of
// the rows; no record of a list is left out.
func TestIncomeStatementsFollowFromTheLists(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	b := newFlowBooks(t, r)
	b.classify(t, r)
	for _, path := range []string{
		fmt.Sprintf("/entities/%d/reports/income_statement?from=2026-02&to=2026-04", b.entityIDs[0]),
		fmt.Sprintf("/reports/income_statement?entities=%d,%d&from=2026-03&to=2026-03", b.entityIDs[0], b.entityIDs[2]),
		"/reports/income_statement?from=2025-12&to=2026-05",
	} {
		s := b.incomeStatement(t, path)
		of := map[string]finance.Amount{} // by month
		families := map[string]finance.Amount{}
		for _, section := range [][]shownIncomeRow{s.Statement.Rows, s.Statement.WithoutAccount} {
			for _, row := range section {
				b.checkIncomeRow(t, row)
			}
		}
		for _, row := range s.Statement.Rows {
			for _, cell := range row.Cells {
				if row.Depth > 0 {
					continue
				}
				of[cell.Month] += cell.Amount
				for _, l := range cell.Lists {
					if row.Kind == finance.CategoryRow || row.Kind == finance.UncategorisedRow {
						families[l.List] += l.Amount
					}
				}
			}
		}
		var total finance.Amount
		for i, cell := range s.Statement.Result {
			if cell.Amount != of[cell.Month] || cell.Month != s.Statement.Months[i] {
				t.Errorf("%s: the result of %s is %v, its rows are %v", path, cell.Month, cell.Amount, of[cell.Month])
			}
			total += cell.Amount
		}
		if total != s.Statement.Total {
			t.Errorf("%s: the total is %v, and the months are %v", path, s.Statement.Total, total)
		}
		if strings.HasPrefix(path, "/reports/income_statement?from=2025-12") {
			for family, want := range map[string]string{
				"receivable_accounts": `SELECT sum(amount) FROM financial_accounts WHERE kind = 'receivable'
					AND sale_account_id IS NULL`,
				"payable_accounts": `SELECT -sum(amount) FROM financial_accounts WHERE kind = 'payable'
					AND credit_card_invoice_id IS NULL`,
				"sales": `SELECT sum(total_amount) FROM sales s JOIN sale_accounts a
					ON a.id = s.sale_account_id AND a.deleted_at IS NULL`,
				"credit_card_transactions": `SELECT -sum(t.amount) FROM credit_card_transactions t
					JOIN credit_cards k ON k.id = t.credit_card_id AND k.deleted_at IS NULL`,
			} {
				if got := query[finance.Amount](t, b.service, want); got != families[family] {
					t.Errorf("%s: %v in the statement, %v in the table", family, families[family], got)
				}
			}
		}
	}
}

// checkIncomeRow compares the cells of a row with their lists.
func (s *service) checkIncomeRow(t *testing.T, row shownIncomeRow) {
	t.Helper()
	var total finance.Amount
	for _, cell := range row.Cells {
		var sum finance.Amount
		for _, l := range cell.Lists {
			if got := s.sumOfIncome(t, l.List, row.Kind, l.Href); got != l.Amount {
				t.Errorf("%s of %s: %v, and the list at %s is %v", row.Kind, cell.Month, l.Amount, l.Href, got)
			}
			sum += l.Amount
		}
		if only := len(cell.Lists) == 1; sum != cell.Amount || only != (cell.Href != nil) ||
			only && *cell.Href != cell.Lists[0].Href {
			t.Errorf("%s of %s: %+v is not the sum of its lists", row.Kind, cell.Month, cell)
		}
		total += cell.Amount
	}
	if total != row.Total {
		t.Errorf("%s: the total is %v, and the cells are %v", row.Kind, row.Total, total)
	}
}

// sumOfIncome returns what the records of a list are in a row of a kind.
func (s *service) sumOfIncome(t *testing.T, family, kind, href string) (sum finance.Amount) {
	t.Helper()
	at, err := url.Parse(href)
	if err != nil {
		t.Fatal(err)
	}
	for _, wrapped := range s.call(t, "GET", at.Path+"?"+at.RawQuery+"&per_page=500").want(t, 200).value(t).([]any) {
		for _, record := range wrapped.(map[string]any) {
			of := func(name string) finance.Amount {
				return finance.Amount(centsOf(t, record.(map[string]any)[name]))
			}
			switch shown := record.(map[string]any); {
			case kind == finance.FeesRow:
				if shown["estimated_liquidated_at"] != nil { // it has a price
					sum -= of("total_amount") - of("receivable_amount")
				}
			case kind == finance.TaxesRow:
				sum -= of("total_amount") - of("net_amount")
			case family == "sales":
				sum += of("total_amount")
			case family == "payable_accounts", family == "credit_card_transactions":
				sum -= of("amount")
			default:
				sum += of("amount")
			}
		}
	}
	return sum
}

// A statement of one center, or of one value of a classifier, has the parts that totals by center and by value have.
func TestANarrowedIncomeStatementHasTheParts(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	b := newFlowBooks(t, r)
	b.classify(t, r)
	entity := b.entityIDs[0]
	for _, c := range []struct{ parameter, key, member, value string }{
		{"center_id=9001", "center", "classification_center_id", "9001"},
		{"center_id=9002", "center", "classification_center_id", "9002"},
		{"classifier:9001=9002", "classifier:9001", "custom_classification_name", "V9002"},
		{"classifier:9002=9003", "classifier:9002", "custom_classification_name", "V9003"},
	} {
		s := b.incomeStatement(t, fmt.Sprintf("/entities/%d/reports/income_statement?from=2025-12&to=2026-05&%s",
			entity, c.parameter))
		got := map[string]finance.Amount{}
		for _, row := range slices.Concat(s.Statement.Rows, s.Statement.WithoutAccount) {
			for _, cell := range row.Cells {
				b.checkNarrowedCell(t, row.Kind, c.key, cell)
			}
		}
		for _, row := range s.Statement.Rows {
			for _, cell := range row.Cells {
				for _, l := range cell.Lists {
					if row.Depth == 0 && (row.Kind == finance.CategoryRow || row.Kind == finance.UncategorisedRow) {
						got[l.List] += l.Amount
					}
				}
			}
		}
		for list, f := range map[string]struct{ path, sum string }{
			"receivable_accounts":      {"receivable_accounts", "amount"},
			"payable_accounts":         {"payable_accounts", "amount"},
			"sales":                    {"sales", "total_amount"},
			"credit_card_transactions": {"credit_cards/transactions", "amount"},
		} {
			var want finance.Amount
			totals := fmt.Sprintf("/entities/%d/%s/totals?group_by=%s", entity, f.path, c.key)
			for _, group := range b.shownTotals(t, totals, true) {
				if fmt.Sprint(group[c.member]) == c.value {
					want = finance.Amount(centsOf(t, group[f.sum]))
				}
			}
			if list == "payable_accounts" || list == "credit_card_transactions" {
				want = -want
			}
			if got[list] != want {
				t.Errorf("%s of %s: %v, and the totals have %v", list, c.parameter, got[list], want)
			}
		}
	}
}

// checkNarrowedCell compares the list of a cell of a narrowed statement, if it has one, with the cell.
func (b *flowBooks) checkNarrowedCell(t *testing.T, kind, key string, cell shownIncomeCell) {
	t.Helper()
	whole := key == "center" && len(cell.Lists) == 1 && slices.Contains([]string{"credit_card_transactions",
		"financial_transactions"}, cell.Lists[0].List)
	if whole != (cell.Href != nil) {
		t.Errorf("%s: the address of %+v is %v", key, cell, cell.Href)
	}
	if cell.Href == nil {
		return
	}
	if got := b.sumOfIncome(t, cell.Lists[0].List, kind, *cell.Href); got != cell.Amount {
		t.Errorf("%s: %v, and the list at %s is %v", key, cell.Amount, *cell.Href, got)
	}
}

// The fee and the taxes of a sale go to its centers as its total does, whether amounts or percentages split it.
func TestFeesAndTaxesFollowTheShares(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"amount", "percentage"} {
		s := newService(t)
		account := s.newSaleAccount(t, `"description":"a"`)
		s.newSaleRule(t, account, `"payment_method":"pix","fee_percentage":5`)
		var centers []any
		for _, name := range []string{"Norte", "Sul"} {
			centers = append(centers, lastID(s.newCenter(t, s.EntityID, name)))
		}
		s.newSale(t, account, fmt.Sprintf(`"payment_method":"pix","nominal_amount":100,"occurred_at":"2026-03-01",`+
			`"classification_center_classifications":[{"classification_center_id":%[1]d,%[3]q:80},`+
			`{"classification_center_id":%[2]d,%[3]q:20}]`, append(centers, kind)...))
		s.price(t, 1)
		s.exec(t, `UPDATE sales SET total_taxes = 10`)
		for i, want := range []string{
			"uncategorised 80.0, fees -4.0, taxes -8.0", "uncategorised 20.0, fees -1.0, taxes -2.0",
		} {
			a := s.call(t, "GET", paths.Entity(s.EntityID)+fmt.Sprintf(
				"/reports/income_statement?from=2026-03&to=2026-03&center_id=%d", centers[i])).want(t, 200)
			var shown shownStatement
			if err := json.Unmarshal([]byte(a.body), &shown); err != nil {
				t.Fatal(err)
			}
			var rows []string
			for _, row := range shown.Statement.Rows {
				rows = append(rows, row.Kind+" "+row.Total.String())
			}
			equal(t, strings.Join(rows, ", "), want)
		}
	}
}

// A statement by hand: two months, split among categories, with fees, an invoice, a transfer, a pair and a refund.
func TestAnIncomeStatementByHand(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below, other := s.newDepositAccount(t), s.newDepositAccount(t)
	category := func(name string, fields string) int64 {
		return lastID(s.newCategory(t, fmt.Sprintf(`{"name":%q,%s}`, name, fields)))
	}
	costs, sales := category("Gastos", `"cost":true`), category("Ganhos", `"revenue":true`)
	flour := category("Farinha", fmt.Sprintf(`"cost":true,"parent_id":%d`, costs))
	account := func(kind finance.AccountKind, month, amount string, category int64) {
		s.newAccount(t, kind, fmt.Sprintf(`"due_date":"2026-05-10","competency_month":%q,"amount":%s,"category_id":%d`,
			month, amount, category))
	}
	account(finance.Receivable, "2026-03", "1000", sales)
	account(finance.Receivable, "2026-04", "250.5", sales)
	account(finance.Payable, "2026-03", "300", flour)
	account(finance.Payable, "2026-03", "40", costs)
	account(finance.Payable, "2026-04", "99.99", flour)
	account(finance.Payable, "2026-05", "7", flour) // after the months
	s.newAccount(t, finance.Payable, `"due_date":"2026-03-10","competency_month":"2026-03","amount":5`)

	card := s.newCard(t, 20, 28)
	buy := func(day, amount string) {
		s.call(t, "POST", card+"/transactions", document(fmt.Sprintf(`{"credit_card_transaction":{"occurred_at":%q,`+
			`"amount":%s,"category_id":%d,"description":"C"}}`, day, amount, flour))).want(t, 201)
	}
	buy("2026-03-25", "60") // its invoice is of April
	buy("2026-03-26", "-10")

	s.call(t, "POST", below+"/financial_transactions", document(fmt.Sprintf(`{"financial_transaction":{"type":"Debit",`+
		`"amount":77,"occurred_at":"2026-03-04","transfer_deposit_account_id":%d}}`, lastID(other)))).want(t, 201)
	stray := lastID(s.newTransaction(t, below, finance.Debit, "12.5", "2026-03-05"))
	s.exec(t, `UPDATE financial_transactions SET category_id = $1 WHERE id = $2`, costs, stray)

	a := s.call(t, "GET", paths.Entity(s.EntityID)+"/reports/income_statement.csv?from=2026-03&to=2026-04").want(t, 200)
	var rows []string
	for _, row := range a.rows(t, ',')[1:] {
		rows = append(rows, strings.Join([]string{row[0], row[2], row[4], row[5], row[6], row[7]}, " "))
	}
	equal(t, rows, []string{
		"result Ganhos 0 category 2026-03 1000.0", "result Ganhos 0 category 2026-04 250.5",
		"result Gastos 0 category 2026-03 -390.0", "result Gastos 0 category 2026-04 -99.99",
		"result Farinha 1 category 2026-03 -350.0", "result Farinha 1 category 2026-04 -99.99",
		"result  0 uncategorised 2026-03 -5.0", "result  0 uncategorised 2026-04 0.0",
		"without_account Gastos 0 category 2026-03 -12.5", "without_account Gastos 0 category 2026-04 0.0",
	})
	shown := s.call(t, "GET", paths.Entity(s.EntityID)+"/reports/income_statement?from=2026-03&to=2026-04").want(t, 200)
	for at, want := range map[string]string{
		"result.0.amount": "605.0", "result.1.amount": "150.51", "total": "755.51"} {
		equal(t, shown.at(t, "income_statement."+at), want)
	}
}

func TestBadIncomeStatementsAreRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := paths.Entity(s.EntityID) + "/reports/income_statement?"
	for query, want := range map[string]string{
		"": `{"from":["não pode ser vazio"],` +
			`"to":["não pode ser vazio"]}`,
		"from=2026-13&to=x": `{"from":["não é uma data válida"],` +
			`"to":["não é uma data válida"]}`,
		"from=2026-03&to=2026-02":                            `{"to":["não pode ser antes de from"]}`,
		"from=2021-01&to=2026-01":                            `{"to":["dá mais de 60 meses"]}`,
		"from=9994-12&to=9999-12":                            `{"to":["dá mais de 60 meses"]}`,
		"from=0001-01&to=2026-01":                            `{"from":["não é uma data válida"]}`,
		"from=2026-01&to=2026-01&basis=caixa":                `{"basis":["não está incluso na lista"]}`,
		"from=2026-01&to=2026-01&center_id=77":               `{"center_id":["não existe"]}`,
		"from=2026-01&to=2026-01&classifier:5=77":            `{"classifier:5":["não existe"]}`,
		"from=2026-01&to=2026-01&classifier:x=7":             `{"classifier:x":["não é um número inteiro"]}`,
		"from=2026-01&to=2026-01&center_id=7&classifier:5=x": `{"classifier:5":["não é um número inteiro"]}`,
		"from=2026-01&to=2026-01&center_id=7&classifier:5=6": `{"classifier:5":["não pode vir com outro ` +
			`centro ou valor"]}`,
	} {
		s.call(t, "GET", path+query).wantBody(t, 422, want)
	}
	s.call(t, "GET", "/reports/income_statement?from=2026-01&to=2026-01&entities=77").wantBody(t, 422,
		`{"entities":["não existe: 77"]}`)
}

// TestGoldensOfIncomeStatements is TestGoldens for income statements.
func TestGoldensOfIncomeStatements(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"json", "xml"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			second := *s
			second.EntityID = s.anotherEntity(t).ID
			for _, of := range []*service{s, &second} {
				of.newAccount(t, finance.Payable, `"due_date":"2026-03-20","amount":"1200.5","category_id":1`)
			}
			s.newAccount(t, finance.Receivable, `"due_date":"2026-02-09","amount":300`)
			s.golden(t, format, "GET", "/entities/1/reports/income_statement?from=2026-02&to=2026-03", 200)
			s.golden(t, format, "GET", "/reports/income_statement?from=2026-03&to=2026-03", 200)
			s.golden(t, format, "GET", "/entities/1/reports/income_statement?from=2026-03&to=2026-02", 422)
		})
	}
}

// A category's own budget includes those below it; without one it has the sum of those below.
func TestAStatementAgainstBudgetsByHand(t *testing.T) {
	t.Parallel()
	s := newService(t)
	category := func(name string, fields string) int64 {
		return lastID(s.newCategory(t, fmt.Sprintf(`{"name":%q,%s}`, name, fields)))
	}
	costs, sales := category("Gastos", `"cost":true,"revenue":false`), category("Ganhos", `"revenue":true`)
	below := func(name string) int64 {
		return category(name, fmt.Sprintf(`"cost":true,"revenue":false,"parent_id":%d`, costs))
	}
	flour, rent := below("Farinha"), below("Aluguel")
	center := lastID(s.newCenter(t, s.EntityID, "Loja"))
	budget := func(month string, category int64, amount, more string) {
		s.call(t, "POST", paths.Entity(s.EntityID)+"/budgets", document(fmt.Sprintf(`{"budget":{"month":%q,`+
			`"category_id":%d,"amount":%s%s}}`, month, category, amount, more))).want(t, 201)
	}
	budget("2026-03", costs, "500", "")
	budget("2026-03", flour, "300", "")
	budget("2026-04", flour, "310", "")
	budget("2026-04", rent, "90.5", "")
	budget("2026-04", sales, "1000", "")
	budget("2026-04", flour, "77", fmt.Sprintf(`,"classification_center_id":%d`, center))
	s.newAccount(t, finance.Payable, fmt.Sprintf(`"due_date":"2026-03-10","competency_month":"2026-03","amount":350,`+
		`"category_id":%d,"classification_center_id":%d`, flour, center))

	path := paths.Entity(s.EntityID) + "/reports/income_statement%s?from=2026-03&to=2026-04&against=budget"
	shown := func(more string) (rows []string) {
		for _, row := range s.call(t, "GET", fmt.Sprintf(path, ".csv")+more).want(t, 200).rows(t, ',')[1:] {
			rows = append(rows, strings.Join([]string{row[2], row[6], row[7], row[8], row[9]}, " "))
		}
		return rows
	}
	equal(t, shown(""), []string{
		"Ganhos 2026-03 0.0  ", "Ganhos 2026-04 0.0 1000.0 -1000.0",
		"Gastos 2026-03 -350.0 -500.0 150.0", "Gastos 2026-04 0.0 -400.5 400.5",
		"Aluguel 2026-03 0.0  ", "Aluguel 2026-04 0.0 -90.5 90.5",
		"Farinha 2026-03 -350.0 -300.0 -50.0", "Farinha 2026-04 0.0 -310.0 310.0",
	})
	equal(t, shown(fmt.Sprintf("&center_id=%d", center)), []string{
		"Gastos 2026-03 -350.0  ", "Gastos 2026-04 0.0 -77.0 77.0",
		"Farinha 2026-03 -350.0  ", "Farinha 2026-04 0.0 -77.0 77.0",
	})
	a := s.call(t, "GET", fmt.Sprintf(path, "")).want(t, 200)
	for at, want := range map[string]string{"result.0.budget": "-500.0", "result.1.budget": "599.5",
		"result.1.difference": "-599.5", "total_budget": "99.5", "total_difference": "-449.5"} {
		equal(t, a.at(t, "income_statement."+at), want)
	}
	few := s.member(t, finance.Access{AllEntities: true, Denied: []string{"budgets"}})
	s.call(t, "GET", fmt.Sprintf(path, ""), as(few)).want(t, 403)
	for query, want := range map[string]string{
		"&against=plan": `{"against":["não está incluso na lista"]}`,
		"&against=budget&classifier:1=1": `{"against":["não pode vir com classifier:ID, porque orçamentos são de ` +
			`centros"]}`,
	} {
		s.call(t, "GET", paths.Entity(s.EntityID)+"/reports/income_statement?from=2026-03&to=2026-04"+query).wantBody(t,
			422, want)
	}
}
