package api

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/reports"
)

// showIncomeStatement answers with the income statement of the entity of the path or, on a path without one, of
// the entities that the user sees: 200.
func (a *API) showIncomeStatement(c *call) error {
	if err := c.readParameters(); err != nil {
		return err
	}
	query, narrow, invalid := c.incomeStatementAsked()
	transactions := c.access.Allows(finance.FinancialTransactions)
	if query.Basis == finance.ByCash && !transactions {
		return lacking(finance.FinancialTransactions)
	}
	if query.Against == finance.AgainstBudget && !c.access.Allows(finance.Budgets) {
		return lacking(finance.Budgets)
	}
	var statement *finance.IncomeStatement
	err := c.readReport(invalid, func(tx *storage.Tx, in reports.Scope) (err error) {
		statement, err = reports.IncomeStatement(c.ctx(), tx, in, query, narrow, transactions)
		return err
	})
	if err != nil {
		return err
	}
	if c.sheet != nil {
		return sendIncomeSheet(c, statement)
	}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.Object(incomeStatementRoot, func() { writeIncomeStatement(c, w, statement, narrow) })
	}))
}

const incomeStatementRoot = "income_statement"

// incomeStatementAsked reads the parameters from, to, basis, center_id and classifier:ID, and returns their
// faults.
func (c *call) incomeStatementAsked() (q finance.IncomeStatementQuery, narrow *reports.Narrowing,
	invalid finance.Invalid) {
	q = finance.IncomeStatementQuery{From: c.monthOf(&invalid, "from"), To: c.monthOf(&invalid, "to"),
		Basis: cmp.Or(c.parameter("basis"), finance.ByCompetency), Against: c.parameter("against")}
	_ = invalid.Join(q.Validate()) // which returns nothing else
	for _, name := range c.sentParameters() {
		n := reports.Narrowing{Key: reports.Key{Name: "center"}}
		if classifier, is := strings.CutPrefix(name, reports.ClassifierKey); is {
			of, err := list.ID.Parse(classifier)
			if err != nil {
				invalid.Add(name, messages.FaultOf(err))
				continue
			}
			n.Key = reports.Key{Name: reports.ClassifierKey, Classifier: of.(int64)}
		} else if name != n.Parameter() {
			continue
		}
		id, err := list.ID.Parse(c.parameter(name))
		switch {
		case err != nil:
			invalid.Add(name, messages.FaultOf(err))
		case narrow != nil:
			invalid.Add(name, messages.NarrowedTwice, narrow.Parameter())
		default:
			n.ID = id.(int64)
			narrow = &n
		}
	}
	if q.Against != "" && narrow != nil && narrow.Name == reports.ClassifierKey {
		invalid.Add("against", messages.NoBudgetOfValue)
	}
	return q, narrow, invalid
}

// monthOf reads a required parameter with a month.
func (c *call) monthOf(invalid *finance.Invalid, name string) (m finance.Month) {
	text := c.parameter(name)
	if text == "" {
		invalid.Add(name, messages.Blank)
	} else if err := m.UnmarshalText([]byte(text)); err != nil || m.IsZero() {
		invalid.Add(name, messages.NotDate)
	}
	return m
}

func writeIncomeStatement(c *call, w *wire.Writer, s *finance.IncomeStatement, narrow *reports.Narrowing) {
	w.String("from", s.From.String())
	w.String("to", s.To.String())
	w.String("basis", s.Basis)
	months := s.Months()
	w.Array("months", "month", len(months), func(i int) { w.String("month", months[i].String()) })
	of := func(l finance.IncomeList, month finance.Month, row *finance.IncomeRow) string {
		return c.incomeList(s.Basis, l, month, row, narrow)
	}
	rows := func(name string, all []finance.IncomeRow) {
		w.Objects(name, "row", len(all), func(i int) {
			row := &all[i]
			writeIncomeRow(w, row)
			w.Objects("cells", "cell", len(row.Cells), func(j int) {
				cell := &row.Cells[j]
				writeIncomeCell(w, cell)
				var only *string
				// No list is narrowed to parts of records.
				if len(cell.Lists) == 1 && !narrow.Splits(cell.Lists[0].Family) {
					href := of(cell.Lists[0], cell.Month, row)
					only = &href
				}
				w.StringPtr("href", only)
				w.Objects("lists", "list", len(cell.Lists), func(k int) {
					l := cell.Lists[k]
					w.Int("entity_id", l.EntityID)
					w.String("list", string(l.Family))
					wire.Decimal(w, "amount", l.Amount)
					w.String("href", of(l, cell.Month, row))
				})
			})
			writeTotal(w, row.Total, row.Budget)
		})
	}
	rows("rows", s.Rows)
	rows("without_account", s.WithoutAccount)
	w.Objects("result", "cell", len(s.Result), func(i int) { writeIncomeCell(w, &s.Result[i]) })
	writeTotal(w, s.Total, s.Budget)
	w.IntArray("other_currencies", "currency_id", s.OtherCurrencies)
}

func writeIncomeRow(w *wire.Writer, r *finance.IncomeRow) {
	w.IntPtr("category_id", r.CategoryID)
	w.StringPtr("name", r.Name)
	w.StringPtr("full_name", r.FullName)
	w.Int("depth", r.Depth)
	w.String("kind", r.Kind)
}

func writeIncomeCell(w *wire.Writer, cell *finance.IncomeCell) {
	w.String("month", cell.Month.String())
	wire.Decimal(w, "amount", cell.Amount)
	wire.DecimalPtr(w, "budget", cell.Budget)
	wire.DecimalPtr(w, "difference", above(cell.Amount, cell.Budget))
}

func writeTotal(w *wire.Writer, total finance.Sum, budget *finance.Sum) {
	wire.Decimal(w, "total", total)
	wire.DecimalPtr(w, "total_budget", budget)
	wire.DecimalPtr(w, "total_difference", above(total, budget))
}

// above returns by how much an amount is above a budget; nil without one.
func above(amount finance.Sum, budget *finance.Sum) *finance.Sum {
	if budget == nil {
		return nil
	}
	difference := amount.Minus(*budget)
	return &difference
}

// incomePaths are the paths of the lists below an entity.
var incomePaths = map[finance.Family]string{
	finance.ReceivableAccountsFamily: "/receivable_accounts", finance.PayableAccountsFamily: "/payable_accounts",
	finance.SalesFamily: "/sales", finance.CardTransactionsFamily: "/credit_cards/transactions",
	finance.FinancialTransactionsFamily: "/financial_transactions",
}

// incomeList returns the address of a list of a cell.
func (c *call) incomeList(basis string, l finance.IncomeList, month finance.Month, row *finance.IncomeRow,
	narrow *reports.Narrowing) string {
	filters := url.Values{}
	for name, value := range reports.IncomeFilters(basis, row.Kind, l, month) {
		filter(filters, name, value)
	}
	switch row.Kind {
	case finance.CategoryRow:
		filter(filters, "category_tree", strconv.FormatInt(finance.OrZero(row.CategoryID), 10))
	case finance.UncategorisedRow:
		filter(filters, "category_id_is_null", "true")
	}
	if narrow != nil && narrow.Name != reports.ClassifierKey {
		filter(filters, "classification_center_id", strconv.FormatInt(narrow.ID, 10))
	}
	return c.url(paths.Entity(l.EntityID)+incomePaths[l.Family]) + "?" + filters.Encode()
}

// sendIncomeSheet answers with a row for each month of each row of the statement.
func sendIncomeSheet(c *call, s *finance.IncomeStatement) error {
	type row struct {
		Section string
		Row     finance.IncomeRow
		Cell    finance.IncomeCell
	}
	var all []row
	for _, section := range []struct {
		name string
		rows []finance.IncomeRow
	}{{"result", s.Rows}, {"without_account", s.WithoutAccount}} {
		for _, r := range section.rows {
			for _, cell := range r.Cells {
				all = append(all, row{section.name, r, cell})
			}
		}
	}
	c.unsummed = true
	return sendSheet(c, incomeStatementRoot, all, func(_ *call, w *wire.Writer, r *row) {
		w.String("section", r.Section)
		w.IntPtr("category_id", r.Row.CategoryID) // a sheet has its name beside it
		w.StringPtr("full_name", r.Row.FullName)
		w.Int("depth", r.Row.Depth)
		w.String("kind", r.Row.Kind)
		writeIncomeCell(w, &r.Cell)
	})
}

// showSampleStatement writes a statement for its schema, with a month.
func showSampleStatement(c *call, w *wire.Writer, s *finance.IncomeStatement) {
	s.From = finance.MonthOf(finance.DateOf(time.Unix(0, 0)))
	s.To = s.From
	writeIncomeStatement(c, w, s, nil)
}

var incomeStatementFields = fieldsOf(openapi.Fields{
	"from": {Doc: "The first month.", Example: "2026-01"},
	"to":   {Doc: "The last month.", Example: "2026-12"},
	"basis": {Doc: "`competency`: records in their months; `cash`: transactions in the months of their days.",
		Enum: openapi.Enum{Name: "Basis", Values: finance.Bases}},
	"months": {Doc: "The months, in their order."},
	"rows": {Doc: "The tree of categories, each before the categories below it, which its amounts include; then the " +
		"records without a category, fees and taxes. Rows without any record are left out."},
	"without_account": {Doc: "Transactions that are neither reconciled nor sides of a transfer, by category. They " +
		"are no part of the result. Empty without the permission `financial_transactions`, and by cash, where they " +
		"are in the rows."},
	"result":        {Doc: "The sum of all rows of each month, categories below others once."},
	"result.month":  {Doc: "The month.", Example: "2026-01"},
	"result.amount": {Doc: "The result: what was earned, less what was spent.", Example: "1250.50"},
	"result.budget": {Doc: "The budgets that no budget of a category above includes; null without any.",
		Example: "1000.00"},
	"result.difference": {Doc: "The amount less the budget.", Example: "250.50"},
	"total":             {Doc: "The result of all months.", Example: "1250.50"},
	"total_budget":      {Doc: "The budgets of all months; null without `against=budget`.", Example: "1000.00"},
	"total_difference":  {Doc: "The total less the budgets.", Example: "250.50"},
	"other_currencies":  {Doc: "The currencies of the transactions that are left out: amounts are in reais."},
}, below("rows", incomeRowFields), below("without_account", incomeRowFields))

var incomeRowFields = openapi.Fields{
	"category_id": {Doc: "The category; null in the rows of other kinds."},
	"name":        {Doc: "Its name.", Example: "Matéria-prima"},
	"full_name":   {Doc: "Its name with those above it.", Example: "Compras e produção / Matéria-prima"},
	"depth":       {Doc: "How many categories are above it."},
	"kind": {Doc: "`category`; `uncategorised`: records without a category; `fees`: of the acquirers, of sales with " +
		"a price, and by cash those that reconciliations added; `taxes`: withheld from sales, by competency alone; " +
		"by cash alone `interest`, `fines`, `discounts` and `withheld_tax` of reconciled accounts, and `card_fees` " +
		"of the acquirers.",
		Enum: openapi.Enum{Name: "IncomeRowKind", Values: finance.IncomeRowKinds}},
	"cells":        {Doc: "A cell for each month."},
	"cells.month":  {Doc: "The month.", Example: "2026-01"},
	"cells.amount": {Doc: "The amount; expenses are negative.", Example: "-300.00"},
	"cells.href": {Doc: "The address of the list whose sum it is; null if it is the sum of no list, or of several.",
		Format: "uri"},
	"cells.lists":           {Doc: "The lists whose sums it adds up."},
	"cells.lists.entity_id": {Doc: "The entity."},
	"cells.lists.list": {Doc: "The family of records.", Enum: openapi.Enum{Name: "IncomeList",
		Values: slices.Sorted(maps.Keys(incomePaths))}},
	"cells.lists.amount": {Doc: "The part of the amount.", Example: "-300.00"},
	"cells.lists.href":   {Doc: "The address of the list.", Format: "uri"},
	"cells.budget": {Doc: "The budget of the category or, where it has none, the sum of the budgets below it; null " +
		"if there is none, in rows of other kinds, and without `against=budget`.", Example: "-250.00"},
	"cells.difference": {Doc: "The amount less the budget: negative if more was spent, or less earned, than planned.",
		Example: "-50.00"},
	"total":            {Doc: "The sum of all months.", Example: "-3600.00"},
	"total_budget":     {Doc: "The budgets of all months.", Example: "-3000.00"},
	"total_difference": {Doc: "The total less the budgets.", Example: "-600.00"},
}
