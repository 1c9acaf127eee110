package reports

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage"

	"github.com/lib/pq"
)

// incomeSource is a list of records with a part in income statements.
type incomeSource struct {
	list   finance.Family
	family Family
	byDay  bool              // a record is of the month of its day, else of its competency month
	search map[string]string // filters of the list beside those of its months
	sums   []incomeSum       // of family.Sums
}

// incomeSum is the row that a sum goes into.
type incomeSum struct {
	kind    string // finance.CategoryRow for the row of each category; "" for none
	expense bool
}

// The sources of a statement by competency. Accounts that an invoice or a sale account made are left out: purchases
// and sales are counted instead.
var incomeByCompetency = []incomeSource{
	{list: finance.ReceivableAccountsFamily, family: FinancialAccounts(finance.Receivable),
		search: map[string]string{"sale_account_id_is_null": "true"},
		sums:   []incomeSum{{kind: finance.CategoryRow}, {}, {}}},
	{list: finance.SalesFamily, family: incomeOfSales(),
		sums: []incomeSum{{kind: finance.CategoryRow}, {finance.FeesRow, true}, {finance.TaxesRow, true}}},
	{list: finance.PayableAccountsFamily, family: FinancialAccounts(finance.Payable),
		search: map[string]string{"credit_card_invoice_id_is_null": "true"},
		sums:   []incomeSum{{finance.CategoryRow, true}, {}, {}}},
	{list: finance.CardTransactionsFamily, family: CardTransactions(0), byDay: true,
		sums: []incomeSum{{finance.CategoryRow, true}}},
}

// incomeWithoutAccount are the transactions that no account explains.
var incomeWithoutAccount = incomeSource{
	list: finance.FinancialTransactionsFamily, family: Transactions(0), byDay: true,
	search: map[string]string{"left": "true", "currency_id": strconv.Itoa(finance.BRL)},
	sums:   []incomeSum{{}, {}, {kind: finance.CategoryRow}},
}

// incomeOfSales is Sales with the sums of an income statement. The fee of a sale without a price is not known.
func incomeOfSales() Family {
	f := Sales()
	f.Sums = []string{"total_amount", "fee", "total_taxes"}
	f.values, f.parts = []string{"s.total_amount", "s.total_amount - s.receivable_amount", "s.total_taxes"}, true
	return f
}

// filters returns the filters of the list for the records from one month to another.
func (s *incomeSource) filters(from, to finance.Month) map[string]string {
	filters := map[string]string{"competency_month_gte": from.String(), "competency_month_lte": to.String()}
	if s.byDay {
		filters = map[string]string{"occurred_at_gte": from.Day(1).String(), "occurred_at_lte": to.Day(31).String()}
	}
	maps.Copy(filters, s.search)
	return filters
}

// IncomeFilters returns the filters of a list of a cell of an income statement, in a row of a kind.
func IncomeFilters(basis, kind string, l finance.IncomeList, month finance.Month) map[string]string {
	for _, s := range append(incomeByCompetency, incomeWithoutAccount) {
		if s.list != l.Family {
			continue
		}
		if basis != finance.ByCash || s.list == finance.FinancialTransactionsFamily {
			return s.filters(month, month)
		}
		filters := map[string]string{"reconciled_in": month.String()}
		if kind == finance.CategoryRow || kind == finance.UncategorisedRow { // the others are of all accounts
			maps.Copy(filters, s.search)
		}
		return filters
	}
	return nil
}

// Splits reports whether a narrowing of an income statement selects parts of the records of a list, and not whole
// records alone. A nil narrowing selects whole records.
func (n *Narrowing) Splits(records finance.Family) bool {
	return n != nil && slices.ContainsFunc(append(incomeByCompetency, incomeWithoutAccount), func(s incomeSource) bool {
		return s.list == records && s.family.split(n.Key)
	})
}

// maxIncomeEntries bounds the sums by category, month and entity of one list, and those of all reconciles by cash.
const maxIncomeEntries = 100_000

func tooManyIncomeEntries() error {
	return finance.Refuse("to", messages.TooManyCells.With(messages.Number(maxIncomeEntries)))
}

// IncomeStatement returns the income statement of the scope; with narrow that of a center, or of a value of a
// classifier. tx has one snapshot for all statements. Without withTransactions, it has no transactions without an
// account. Against the budgets, narrow is no value of a classifier. An unknown center or value, and more than
// maxIncomeEntries sums or finance.MaxIncomeCells cells, are a finance.Invalid.
func IncomeStatement(ctx context.Context, tx *storage.Tx, s Scope, ask finance.IncomeStatementQuery, narrow *Narrowing,
	withTransactions bool) (*finance.IncomeStatement, error) {
	if err := checkNarrowing(ctx, tx.Queries, s, narrow); err != nil {
		return nil, err
	}
	categories, err := db.Many[finance.Category](ctx, tx.DB, `
		SELECT id, parent_id, name, full_name, revenue FROM categories WHERE account_id = $1 AND deleted_at IS NULL`,
		s.AccountID)
	if err != nil {
		return nil, err
	}
	if err := prepareSums(ctx, tx.Queries); err != nil {
		return nil, err
	}
	var entries, without []finance.IncomeEntry
	if ask.Basis == finance.ByCash {
		entries, err = addByCash(ctx, tx.Queries, s, ask, narrow)
	} else {
		entries, err = addByCompetency(ctx, tx.Queries, s, ask, narrow)
	}
	if err == nil && withTransactions && ask.Basis != finance.ByCash {
		without, err = incomeWithoutAccount.add(ctx, tx.Queries, s, ask, narrow, nil)
	}
	if err != nil {
		return nil, err
	}
	var planned []finance.Planned
	if ask.Against == finance.AgainstBudget {
		var center *int64
		if narrow != nil {
			center = &narrow.ID
		}
		if planned, err = Budgets(ctx, tx.Queries, s, ask.From, ask.To, center); err != nil {
			return nil, err
		}
	}
	statement, err := finance.NewIncomeStatement(ask, categories, entries, without, planned)
	if err == nil && withTransactions {
		statement.OtherCurrencies, err = otherCurrencies(ctx, tx.Queries, s, ask)
	}
	return statement, err
}

func addByCompetency(ctx context.Context, q storage.Queries, s Scope, ask finance.IncomeStatementQuery,
	narrow *Narrowing) (entries []finance.IncomeEntry, err error) {
	for i := range incomeByCompetency {
		if entries, err = incomeByCompetency[i].add(ctx, q, s, ask, narrow, entries); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// otherCurrencies returns the currencies of the transactions that the statement leaves out.
func otherCurrencies(ctx context.Context, q storage.Queries, s Scope, ask finance.IncomeStatementQuery) (finance.IDs,
	error) {
	return db.Many[int64](ctx, q.DB, `
		SELECT DISTINCT d.currency_id FROM deposit_accounts d
		WHERE d.account_id = $1 AND d.entity_id = ANY($2) AND d.deleted_at IS NULL AND d.currency_id <> $3
			AND EXISTS (SELECT FROM financial_transactions t WHERE t.account_id = $1 AND t.deposit_account_id = d.id
				AND t.occurred_at BETWEEN CAST($4 AS date) AND CAST($5 AS date))
		ORDER BY 1`, s.AccountID, pq.Array(s.EntityIDs), finance.BRL, ask.From.Day(1), ask.To.Day(31))
}

// add adds the sums of the source by category, month and entity to entries.
func (s *incomeSource) add(ctx context.Context, q storage.Queries, scope Scope, ask finance.IncomeStatementQuery,
	narrow *Narrowing, entries []finance.IncomeEntry) ([]finance.IncomeEntry, error) {
	if narrow != nil && narrow.Name == ClassifierKey && s.family.valued == "" {
		return entries, nil // such records have no values
	}
	month := "competency_month"
	if s.byDay {
		month = "month"
	}
	t := totals{Queries: q, scope: scope, family: s.family, narrow: narrow, most: maxIncomeEntries,
		keys: []Key{{Name: "category"}, {Name: month}, {Name: EntityKey}}}
	if err := t.sum(ctx, s.filters(ask.From, ask.To)); err != nil {
		return nil, err
	}
	for keys, g := range t.groups {
		e := finance.IncomeEntry{IncomeList: finance.IncomeList{Family: s.list}}
		e.CategoryID, _ = strconv.ParseInt(keys[0], 10, 64)
		e.EntityID, _ = strconv.ParseInt(keys[2], 10, 64)
		if err := e.Month.UnmarshalText([]byte(keys[1])); err != nil {
			return nil, err
		}
		for i, sum := range s.sums {
			if sum.kind == "" || g.sums[i].Sign() == 0 {
				continue
			}
			e.Kind, e.Amount = sum.kind, finance.SumOf(g.sums[i])
			if sum.expense {
				e.Amount = finance.Sum("").Minus(e.Amount)
			}
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// checkNarrowing refuses a center or a value that the account does not have.
func checkNarrowing(ctx context.Context, q storage.Queries, s Scope, n *Narrowing) error {
	if n == nil {
		return nil
	}
	statement, args := `SELECT EXISTS (SELECT FROM classification_centers
		WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL AND entity_id = ANY($3))`,
		[]any{s.AccountID, n.ID, pq.Array(s.EntityIDs)}
	if n.Name == ClassifierKey {
		statement, args = `SELECT EXISTS (SELECT FROM custom_classifier_values v
			JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
			WHERE v.account_id = $1 AND v.id = $2 AND v.custom_classifier_id = $3 AND v.deleted_at IS NULL
				AND k.deleted_at IS NULL)`, []any{s.AccountID, n.ID, n.Classifier}
	}
	known, err := db.One[bool](ctx, q.DB, statement, args...)
	if err == nil && !known {
		err = finance.Refuse(n.Parameter(), messages.NotExisting)
	}
	return err
}

// Parameter is the name of the parameter of the narrowing.
func (n *Narrowing) Parameter() string {
	if n.Name == ClassifierKey {
		return ClassifierKey + strconv.FormatInt(n.Classifier, 10)
	}
	return "center_id"
}
