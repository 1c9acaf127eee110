package finance

import (
	"cmp"
	"slices"

	"bordero/internal/messages"
)

// IncomeStatementQuery asks for an IncomeStatement.
type IncomeStatementQuery struct {
	From, To Month
	Basis    string
	Against  string // AgainstBudget, or "" for nothing
}

// AgainstBudget compares an IncomeStatement with the budgets of its months.
const AgainstBudget = "budget"

// Bases of an IncomeStatement: the months that the records are of, or the months in which they were paid.
const (
	ByCompetency = "competency"
	ByCash       = "cash"
)

// Bases lists the bases of an income statement.
var Bases = []string{ByCompetency, ByCash}

// MaxStatementMonths is how many months an income statement may have.
const MaxStatementMonths = 60

// Validate refuses a query without months, with more than MaxStatementMonths, or with another basis.
func (q *IncomeStatementQuery) Validate() error {
	var invalid Invalid
	if !slices.Contains(Bases, q.Basis) {
		invalid.Add("basis", messages.NotOneOf(Bases))
	}
	if q.Against != "" && q.Against != AgainstBudget {
		invalid.Add("against", messages.NotOneOf([]string{AgainstBudget}))
	}
	switch {
	case q.From.IsZero() || q.To.IsZero():
	case q.To.Before(q.From):
		invalid.Add("to", messages.BeforeFrom)
	case q.To.Since(q.From) >= MaxStatementMonths:
		invalid.Add("to", messages.TooManyMonths.With(MaxStatementMonths))
	}
	return invalid.Err()
}

// Months returns the months of the query, in their order.
func (q *IncomeStatementQuery) Months() (months []Month) {
	for m := q.From; !q.To.Before(m) && !m.IsZero(); m = m.AddMonths(1) {
		months = append(months, m)
	}
	return months
}

// IncomeStatement is the result of each month by the categories of an account (OpenAPI: IncomeStatement), the
// Brazilian DRE. Expenses are negative.
type IncomeStatement struct {
	IncomeStatementQuery
	Rows            []IncomeRow // the tree of categories, each before the categories below it, then the other kinds
	WithoutAccount  []IncomeRow // transactions that no account explains; they are no part of the result
	Result          []IncomeCell
	Total           Sum
	Budget          *Sum // of all months; nil without budgets
	OtherCurrencies IDs  // of transactions that are left out
}

// Kinds of an IncomeRow.
const (
	CategoryRow      = "category"      // with the categories below it
	UncategorisedRow = "uncategorised" // records without a category
	FeesRow          = "fees"          // of acquirers; by cash those that reconciliations added to accounts
	TaxesRow         = "taxes"         // of sales; not by cash
	InterestRow      = "interest"      // this and the following by cash
	FinesRow         = "fines"
	DiscountsRow     = "discounts"
	WithheldTaxRow   = "withheld_tax"
	CardFeesRow      = "card_fees" // of acquirers
)

// IncomeRowKinds lists the kinds of rows in the order in which a statement has them.
var IncomeRowKinds = []string{CategoryRow, UncategorisedRow, FeesRow, TaxesRow, InterestRow, FinesRow, DiscountsRow,
	WithheldTaxRow, CardFeesRow}

// IncomeRow is a row of an IncomeStatement, with a cell for each month. Only a row of a category has the first
// three fields.
type IncomeRow struct {
	CategoryID     *int64
	Name, FullName *string
	Depth          int64
	Kind           string
	Cells          []IncomeCell
	Total          Sum
	Budget         *Sum // of all months; nil without budgets
}

// IncomeCell is the amount of a month, and the lists whose sums it adds up.
type IncomeCell struct {
	Month  Month
	Amount Sum
	Budget *Sum // nil without one
	Lists  []IncomeList
}

// IncomeList is the part of a list of records of an entity in a cell.
type IncomeList struct {
	EntityID int64
	Family   Family
	Amount   Sum
}

// IncomeEntry is an amount of a month that goes into a row: of a category, or without CategoryID of the kind.
type IncomeEntry struct {
	CategoryID int64
	Kind       string
	Month      Month
	IncomeList
}

// IncomeSums adds entries up: those that differ in their amounts alone are one. Its keys have no amount.
type IncomeSums map[IncomeEntry]Sum

// Add adds an entry.
func (s IncomeSums) Add(e IncomeEntry) {
	amount := e.Amount
	e.Amount = ""
	s[e] = s[e].Plus(amount)
}

// Entries returns the sums that are not zero, in any order.
func (s IncomeSums) Entries() (entries []IncomeEntry) {
	for e, sum := range s {
		if e.Amount = sum; !sum.IsZero() {
			entries = append(entries, e)
		}
	}
	return entries
}

// incomeRows arranges entries in rows.
type incomeRows struct {
	months     []Month
	categories map[int64]*Category
	byCategory map[int64]*IncomeRow
	byKind     map[string]*IncomeRow
	cells      int
}

// MaxIncomeCells bounds the rows of an income statement times its months.
const MaxIncomeCells = 100_000

// NewIncomeStatement returns the statement of entries. categories are all categories of the account; an entry of
// another one is uncategorised. Entries without an account are no part of the rows. A budget includes the categories
// below its own: where an entity has one for a category and a month, its budgets below are not added to it; where it
// has none, the category has the sum of them. More than MaxIncomeCells cells are an Invalid.
func NewIncomeStatement(q IncomeStatementQuery, categories []Category, entries, withoutAccount []IncomeEntry,
	planned []Planned) (*IncomeStatement, error) {
	for _, all := range [][]IncomeEntry{entries, withoutAccount} { // so are the lists of a cell
		slices.SortStableFunc(all, func(a, b IncomeEntry) int {
			return cmp.Or(cmp.Compare(a.EntityID, b.EntityID), cmp.Compare(a.Family, b.Family))
		})
	}
	s := IncomeStatement{IncomeStatementQuery: q}
	r := newIncomeRows(q, categories)
	result := r.row(IncomeRow{})
	for _, e := range entries {
		if r.add(e); r.full() {
			return nil, tooManyCells()
		}
		result.add(e)
	}
	if r.plan(planned, result); r.full() {
		return nil, tooManyCells()
	}
	s.Rows, s.Result, s.Total, s.Budget = r.sorted(), result.Cells, result.Total, result.Budget
	for i := range s.Result {
		s.Result[i].Lists = nil
	}
	r = newIncomeRows(q, categories)
	for _, e := range withoutAccount {
		if r.add(e); r.full() {
			return nil, tooManyCells()
		}
	}
	s.WithoutAccount = r.sorted()
	return &s, nil
}

func tooManyCells() error {
	return Refuse("to", messages.TooManyCells.With(messages.Number(MaxIncomeCells)))
}

func newIncomeRows(q IncomeStatementQuery, categories []Category) *incomeRows {
	r := incomeRows{months: q.Months(), categories: map[int64]*Category{}, byCategory: map[int64]*IncomeRow{},
		byKind: map[string]*IncomeRow{}}
	for i := range categories {
		r.categories[categories[i].ID] = &categories[i]
	}
	return &r
}

// row returns a row with empty cells.
func (r *incomeRows) row(row IncomeRow) *IncomeRow {
	row.Cells = make([]IncomeCell, len(r.months))
	for i, m := range r.months {
		row.Cells[i].Month = m
	}
	r.cells += len(row.Cells)
	return &row
}

// full reports whether there are more cells than a statement may have.
func (r *incomeRows) full() bool { return r.cells > MaxIncomeCells }

// add adds an entry to its category and the categories above, or to the row of its kind.
func (r *incomeRows) add(e IncomeEntry) {
	c := r.categories[e.CategoryID]
	if e.Kind == CategoryRow && c == nil {
		e.Kind = UncategorisedRow
	}
	if e.Kind != CategoryRow {
		if r.byKind[e.Kind] == nil {
			r.byKind[e.Kind] = r.row(IncomeRow{Kind: e.Kind})
		}
		r.byKind[e.Kind].add(e)
		return
	}
	for ; c != nil; c = r.categories[OrZero(c.ParentID)] {
		r.rowOf(c).add(e)
	}
}

// rowOf returns the row of a category, which it adds if it is new.
func (r *incomeRows) rowOf(c *Category) *IncomeRow {
	if r.byCategory[c.ID] == nil {
		r.byCategory[c.ID] = r.row(IncomeRow{CategoryID: &c.ID, Name: &c.Name, FullName: &c.FullName,
			Kind: CategoryRow})
	}
	return r.byCategory[c.ID]
}

// plan adds budgets to the rows of their categories and, up to one with a budget of its own, to the categories above;
// to the result if none has. It ends early if there are too many cells.
func (r *incomeRows) plan(planned []Planned, result *IncomeRow) {
	type place struct {
		entity, category int64
		month            Month
	}
	own := map[place]bool{}
	for _, p := range planned {
		own[place{p.EntityID, p.CategoryID, p.Month}] = true
	}
	for _, p := range planned {
		c := r.categories[p.CategoryID]
		if r.full() {
			return
		}
		if c == nil {
			continue // it was deleted
		}
		r.rowOf(c).plan(p)
		for c = r.categories[OrZero(c.ParentID)]; c != nil; c = r.categories[OrZero(c.ParentID)] {
			if own[place{p.EntityID, c.ID, p.Month}] {
				break
			}
			r.rowOf(c).plan(p)
		}
		if c == nil {
			result.plan(p)
		}
	}
}

// sorted returns the rows: the tree of categories, those that earn before those that cost and then by name, and
// the other kinds.
func (r *incomeRows) sorted() (rows []IncomeRow) {
	below := map[int64][]*Category{} // by parent; 0 for the roots
	for _, c := range r.categories {
		parent := OrZero(c.ParentID)
		if r.categories[parent] == nil {
			parent = 0
		}
		below[parent] = append(below[parent], c)
	}
	var walk func(parent, depth int64)
	walk = func(parent, depth int64) {
		slices.SortFunc(below[parent], func(a, b *Category) int {
			if a.Revenue != b.Revenue && a.Revenue {
				return -1
			} else if a.Revenue != b.Revenue {
				return 1
			}
			return cmp.Or(cmp.Compare(plain(a.Name), plain(b.Name)), cmp.Compare(a.ID, b.ID))
		})
		for _, c := range below[parent] {
			if row := r.byCategory[c.ID]; row != nil {
				row.Depth = depth
				rows = append(rows, *row)
				walk(c.ID, depth+1)
			}
		}
	}
	walk(0, 0)
	for _, kind := range IncomeRowKinds {
		if row := r.byKind[kind]; row != nil {
			rows = append(rows, *row)
		}
	}
	return rows
}

// plan adds a budget to the cell of its month and to the total. Months outside the row are left out.
func (row *IncomeRow) plan(p Planned) {
	for i := range row.Cells {
		if row.Cells[i].Month == p.Month {
			for _, budget := range []**Sum{&row.Cells[i].Budget, &row.Budget} {
				sum := OrZero(*budget).Plus(p.Amount)
				*budget = &sum
			}
		}
	}
}

// add adds the amount of an entry to the cell of its month and to the total. Months outside the row are left out.
func (row *IncomeRow) add(e IncomeEntry) {
	at := slices.IndexFunc(row.Cells, func(c IncomeCell) bool { return c.Month == e.Month })
	if at < 0 {
		return
	}
	cell := &row.Cells[at]
	cell.Amount, row.Total = cell.Amount.Plus(e.Amount), row.Total.Plus(e.Amount)
	for i := range cell.Lists {
		if l := &cell.Lists[i]; l.EntityID == e.EntityID && l.Family == e.Family {
			l.Amount = l.Amount.Plus(e.Amount)
			return
		}
	}
	cell.Lists = append(cell.Lists, e.IncomeList)
}
