package demo

import (
	"cmp"
	"fmt"
	"slices"

	"bordero/finance"
)

// TrueSums are the sums of the books before anything is reconciled or paired, as of any day after the month: from the
// generated records, not from stored ones. Debits are negative in totals, money out is positive in a cash flow.
type TrueSums struct {
	// Totals are the groups of the totals of each list, by the path of the list and the key of the groups.
	Totals   map[string]map[string][]TrueTotal `json:"totals"`
	Rows     map[string]int                    `json:"rows"` // the records of each list of Totals
	CashFlow TrueCashFlow                      `json:"cash_flow"`
	Aging    []TrueAging                       `json:"aging"`
	// IncomeStatements are the rows of the month by basis once it is closed.
	IncomeStatements map[string][]TrueIncome `json:"income_statements"`
}

// TrueTotal is one group of a total. Sums are called as the attributes of the totals.
type TrueTotal struct {
	Key   string            `json:"key"` // an id, status, month or value; "" of the records without one
	Count int64             `json:"count"`
	Sums  map[string]string `json:"sums"`
}

// TrueCashFlow is the cash flow of the month.
type TrueCashFlow struct {
	TrueFlow
	Accounts []TrueFlow `json:"accounts"`
	// OwnTransfers is the money that both RealisedIn and RealisedOut lose once the transfers are paired.
	OwnTransfers string `json:"own_transfers"`
	// PaidIn and PaidOut are the accounts that were marked as paid before the statement came.
	PaidIn  string `json:"paid_in"`
	PaidOut string `json:"paid_out"`
}

// TrueFlow is the money of one deposit account, or of all, in the month. Own transfers count.
type TrueFlow struct {
	DepositAccountID int64  `json:"deposit_account_id,omitempty"`
	Opening          string `json:"opening"`
	RealisedIn       string `json:"realised_in"`
	RealisedOut      string `json:"realised_out"`
	Closing          string `json:"closing"`
}

// TrueAging is the aging of the accounts of a kind on a day of the month.
type TrueAging struct {
	Kind   string         `json:"kind"`
	On     string         `json:"on"`
	Count  int64          `json:"count"`
	Sum    string         `json:"sum"`
	Groups []TrueAgingSum `json:"groups"`
}

// TrueAgingSum is the sum of the accounts that are FromDays overdue or more, and less than the FromDays of the next
// group. Those of the first group, of 0 days, are due on the day.
type TrueAgingSum struct {
	FromDays int64  `json:"from_days"`
	Count    int64  `json:"count"`
	Sum      string `json:"sum"`
}

// summed is one record of a list: its keys, and the amounts that the totals of the list sum.
type summed struct {
	keys map[string]string
	sums map[string]finance.Amount
}

// sums returns the sums of the month.
func (m *Month) sums() TrueSums {
	all := TrueSums{Totals: map[string]map[string][]TrueTotal{}, Rows: map[string]int{}, CashFlow: m.cashFlow(),
		IncomeStatements: m.incomeStatements()}
	for path, records := range map[string][]summed{
		"financial_transactions": m.summedLines(), "payable_accounts": m.summedAccounts(finance.Payable),
		"receivable_accounts": m.summedAccounts(finance.Receivable), "sales": m.summedSales(),
		"credit_cards/transactions": m.summedPurchases(),
	} {
		all.Totals[path], all.Rows[path] = map[string][]TrueTotal{}, len(records)
		for key := range records[0].keys {
			all.Totals[path][key] = totals(records, key)
		}
	}
	for _, on := range []finance.Date{m.month.Day(15), m.month.Day(31)} {
		all.Aging = append(all.Aging, m.aging(finance.Payable, on), m.aging(finance.Receivable, on))
	}
	return all
}

// totals returns the groups of the records by a key, in order of the key.
func totals(records []summed, key string) (groups []TrueTotal) {
	counts, sums := map[string]int64{}, map[string]map[string]finance.Amount{}
	for _, r := range records {
		of := r.keys[key]
		counts[of]++
		if sums[of] == nil {
			sums[of] = map[string]finance.Amount{}
		}
		for name, amount := range r.sums {
			sums[of][name] += amount
		}
	}
	for of, count := range counts {
		group := TrueTotal{Key: of, Count: count, Sums: map[string]string{}}
		for name, sum := range sums[of] {
			group.Sums[name] = sum.String()
		}
		groups = append(groups, group)
	}
	slices.SortFunc(groups, func(a, b TrueTotal) int { return cmp.Compare(a.Key, b.Key) })
	return groups
}

func (m *Month) summedLines() (all []summed) {
	for _, l := range m.Lines {
		t := &l.Transaction
		all = append(all, summed{
			map[string]string{"deposit_account": fmt.Sprint(t.DepositAccountID), "month": m.month.String()},
			map[string]finance.Amount{"credits": max(t.Amount, 0), "debits": min(t.Amount, 0), "sum": t.Amount},
		})
	}
	return all
}

// allAccounts returns the accounts of a kind, those of invoices and sales included.
func (m *Month) allAccounts(kind finance.AccountKind) []*finance.FinancialAccount {
	all := slices.Concat(m.Accounts, m.SaleReceivables, m.beside, []*finance.FinancialAccount{m.Invoice})
	return slices.DeleteFunc(all, func(f *finance.FinancialAccount) bool { return f.Kind != kind })
}

func (m *Month) summedAccounts(kind finance.AccountKind) (all []summed) {
	for _, f := range m.allAccounts(kind) {
		due := f.Due()
		if f.Status != finance.Outstanding {
			due = 0
		}
		all = append(all, summed{
			map[string]string{
				"status": fmt.Sprint(f.Status), "category": idText(f.CategoryID), "person": idText(f.PersonID),
				"month": finance.MonthOf(f.DueDate).String(), "competency_month": f.CompetencyMonth.String(),
				"deposit_account": idText(f.ExpectedDepositAccountID),
			},
			map[string]finance.Amount{"amount": f.Amount, "total_amount": finance.OrZero(f.TotalAmount),
				"due_amount": due},
		})
	}
	return all
}

func (m *Month) summedSales() (all []summed) {
	for s := range m.Sales(MonthSales) {
		all = append(all, summed{
			map[string]string{
				"status": fmt.Sprint(s.Status), "category": idText(s.CategoryID), "person": idText(s.PersonID),
				"center": idText(s.ClassificationCenterID), "month": finance.MonthOf(s.OccurredAt).String(),
				"competency_month": s.CompetencyMonth.String(),
			},
			map[string]finance.Amount{"nominal_amount": s.NominalAmount, "total_amount": s.TotalAmount,
				"net_amount": s.NetAmount(), "receivable_amount": finance.OrZero(s.ReceivableAmount)},
		})
	}
	return all
}

// valueOf returns the value that classifies all of a record, or "".
func valueOf(all finance.CustomClassifications) string {
	for _, k := range all {
		return k.Name
	}
	return ""
}

func (m *Month) summedPurchases() (all []summed) {
	for t := range m.Purchases() {
		all = append(all, summed{
			map[string]string{
				"category": idText(t.CategoryID), "person": idText(t.PersonID),
				"center": idText(t.ClassificationCenterID), "month": finance.MonthOf(t.OccurredAt).String(),
				fmt.Sprintf("classifier:%d", m.Classifier.ID): valueOf(t.CustomClassifications),
			},
			map[string]finance.Amount{"amount": t.Amount},
		})
	}
	return all
}

func (m *Month) cashFlow() (all TrueCashFlow) {
	var opening, in, out, own, paidIn, paidOut finance.Amount
	for _, b := range m.Banks {
		var credits, debits finance.Amount
		for _, l := range m.Lines {
			if l.Transaction.DepositAccountID == b.ID {
				credits += max(l.Transaction.Amount, 0)
				debits += max(-l.Transaction.Amount, 0)
			}
		}
		all.Accounts = append(all.Accounts, flow(b.ID, *b.InitialBalance, credits, debits))
		opening, in, out = opening+*b.InitialBalance, in+credits, out+debits
	}
	for _, l := range m.Lines {
		if l.Other != nil {
			own += max(l.Transaction.Amount, 0)
		}
	}
	for _, f := range m.Accounts {
		switch {
		case f.Status != finance.Settled:
		case f.Kind == finance.Payable:
			paidOut += *f.TotalAmount
		default:
			paidIn += *f.TotalAmount
		}
	}
	all.TrueFlow = flow(0, opening, in, out)
	all.OwnTransfers, all.PaidIn, all.PaidOut = own.String(), paidIn.String(), paidOut.String()
	return all
}

func flow(depositAccount int64, opening, in, out finance.Amount) TrueFlow {
	return TrueFlow{depositAccount, opening.String(), in.String(), out.String(), (opening + in - out).String()}
}

// aging sums the accounts of a kind that were due by the day and not paid by then. Accounts due later had not been
// recorded on that day.
func (m *Month) aging(kind finance.AccountKind, on finance.Date) TrueAging {
	all := TrueAging{Kind: string(kind), On: on.String()}
	var sum finance.Amount
	for _, from := range []int64{0, 1, 31, 61, 91} {
		group := TrueAgingSum{FromDays: from}
		var due finance.Amount
		for _, f := range m.allAccounts(kind) {
			paid := f.OccurredAt != nil && !f.OccurredAt.After(on)
			if !paid && !f.DueDate.After(on) && overdueClass(f.DueDate, on) == from {
				group.Count, due = group.Count+1, due+f.Due()
			}
		}
		group.Sum = due.String()
		all.Groups = append(all.Groups, group)
		all.Count, sum = all.Count+group.Count, sum+due
	}
	all.Sum = sum.String()
	return all
}

// overdueClass returns the FromDays of the group of an account that is due by the day.
func overdueClass(due, on finance.Date) (from int64) {
	for _, days := range []int64{1, 31, 61, 91} {
		if !due.After(on.AddDays(-int(days))) {
			from = days
		}
	}
	return from
}

func idText(id *int64) string {
	if id == nil {
		return ""
	}
	return fmt.Sprint(*id)
}
