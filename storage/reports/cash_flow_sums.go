package reports

import (
	"cmp"
	"slices"

	"bordero/finance"
)

// cashFlow is a cash flow while its rows are read.
type cashFlow struct {
	finance.CashFlow
	days   []finance.DayFlow
	places map[int64]int     // of deposit accounts in Accounts
	others map[int64]*string // the names of deposit accounts in other currencies
}

// unassigned is the place of the money that no deposit account expects, in the places of the others.
const unassigned = 0

func newCashFlow(ask finance.CashFlowQuery) *cashFlow {
	return &cashFlow{
		CashFlow: finance.CashFlow{CashFlowQuery: ask, Buckets: ask.Buckets(), OtherCurrencies: []int64{}},
		places:   map[int64]int{}, others: map[int64]*string{},
	}
}

// hold begins with the balances before the period.
func (f *cashFlow) hold(all []heldMoney) error {
	if f.ByAccount {
		shown := 0
		for _, d := range all {
			if d.CurrencyID == f.CurrencyID {
				shown++
			}
		}
		if err := f.RefuseAccounts(shown); err != nil {
			return err
		}
	}
	for _, d := range all {
		if d.CurrencyID != f.CurrencyID {
			f.others[d.ID] = &d.Name
			f.OtherCurrencies = append(f.OtherCurrencies, d.CurrencyID)
			continue
		}
		f.Opening = f.Opening.Plus(d.Balance).Plus(d.Transferred)
		if f.ByAccount {
			f.add(finance.DepositAccountCashFlow{DepositAccountID: &d.ID, DepositAccountName: &d.Name,
				Opening: d.Balance})
		}
	}
	slices.Sort(f.OtherCurrencies)
	f.OtherCurrencies = slices.Compact(f.OtherCurrencies)
	return nil
}

// add adds a deposit account without flows.
func (f *cashFlow) add(a finance.DepositAccountCashFlow) {
	f.places[idOf(a.DepositAccountID)] = len(f.Accounts)
	a.Buckets = f.CashFlowQuery.Buckets()
	f.Accounts = append(f.Accounts, a)
}

func idOf(depositAccount *int64) int64 {
	if depositAccount == nil {
		return unassigned
	}
	return *depositAccount
}

// account returns the deposit account of a row. One in another currency, or a hidden one, is there if money is
// expected in it.
func (f *cashFlow) account(r flowRow) (*finance.DepositAccountCashFlow, error) {
	id := idOf(r.DepositAccountID)
	if _, known := f.places[id]; !known {
		if err := f.RefuseAccounts(len(f.Accounts) + 1); err != nil {
			return nil, err
		}
		f.add(finance.DepositAccountCashFlow{DepositAccountID: r.DepositAccountID, DepositAccountName: f.others[id]})
	}
	return &f.Accounts[f.places[id]], nil
}

// realise adds transactions to the buckets.
func (f *cashFlow) realise(rows []flowRow) error {
	for _, r := range rows {
		own := finance.Flow{RealisedIn: r.OwnIn, RealisedOut: r.OwnOut}
		switch r.Level {
		case ofDay:
			f.days = append(f.days, finance.DayFlow{Day: *r.Day, Flow: own})
		case ofEntity:
			addFlow(f.Buckets, r, own)
		case ofDepositAccount:
			a, err := f.account(r)
			if err != nil {
				return err
			}
			addFlow(a.Buckets, r, finance.Flow{RealisedIn: r.In, RealisedOut: r.Out})
		}
	}
	return nil
}

// expect adds open accounts to the buckets, or to the openings if they are expected before the period.
func (f *cashFlow) expect(rows []flowRow) error {
	for _, r := range rows {
		flow := finance.Flow{ExpectedIn: r.In, ExpectedOut: r.Out}
		opening, buckets := &f.Opening, f.Buckets
		switch r.Level {
		case ofDay:
			if !r.Day.Before(f.From) {
				f.days = append(f.days, finance.DayFlow{Day: *r.Day, Flow: flow})
			}
			continue
		case ofDepositAccount:
			a, err := f.account(r)
			if err != nil {
				return err
			}
			opening, buckets = &a.Opening, a.Buckets
		}
		if *r.Bucket == 0 {
			*opening = opening.Plus(flow.Net())
		}
		addFlow(buckets, r, flow)
	}
	return nil
}

// addFlow adds the flow of an entity to its bucket, if that is within the period.
func addFlow(buckets []finance.CashFlowBucket, r flowRow, flow finance.Flow) {
	if *r.Bucket == 0 || *r.Bucket > len(buckets) {
		return
	}
	b := &buckets[*r.Bucket-1]
	b.Flow = b.Flow.Plus(flow)
	i, found := slices.BinarySearchFunc(b.Entities, *r.EntityID, func(e finance.EntityFlow, id int64) int {
		return cmp.Compare(e.EntityID, id)
	})
	if !found {
		b.Entities = slices.Insert(b.Entities, i, finance.EntityFlow{EntityID: *r.EntityID})
	}
	b.Entities[i].Flow = b.Entities[i].Plus(flow)
}

// carry computes the openings and closings once all rows are read. The money that no deposit account
// expects is the last of the accounts.
func (f *cashFlow) carry() {
	f.Closing = finance.Carry(f.Opening, f.Buckets)
	f.Lowest = finance.LowestOf(f.Opening, f.From, f.days)
	for _, a := range f.Accounts {
		finance.Carry(a.Opening, a.Buckets)
	}
	if last, there := f.places[unassigned]; there {
		a := f.Accounts[last]
		f.Accounts = append(slices.Delete(f.Accounts, last, last+1), a)
	}
}
