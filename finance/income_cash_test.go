package finance

import (
	"maps"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The parts of a portion add up to it, are less than two cents from the exact proportion, and are the amounts for the
// whole.
func TestPortionsAddUp(t *testing.T) {
	t.Parallel()
	for range 2000 {
		amounts := make([]Amount, 1+rand.IntN(6))
		var sum Amount
		for i := range amounts {
			if amounts[i] = Amount(rand.Int64N(1e15)); rand.IntN(4) == 0 {
				amounts[i] = -amounts[i] / 10
			}
			if rand.IntN(2) == 0 {
				amounts[i] /= 1e12
			}
			sum += amounts[i]
		}
		if sum == 0 {
			continue
		}
		portion := Amount(rand.Int64N(int64(sum.Abs())))
		if sum < 0 {
			portion = -portion
		}
		var parts Amount
		for i, part := range Portions(portion, sum, amounts) {
			parts += part
			product := func(a, b Amount) *big.Int {
				return new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b)))
			}
			if off := product(part, sum); off.Sub(off, product(amounts[i], portion)).CmpAbs(product(2, sum)) >= 0 {
				t.Errorf("%v of %v in %v is %v", portion, amounts, sum, parts)
			}
		}
		if parts != portion {
			t.Errorf("%v of %v are %v", portion, amounts, parts)
		}
		for i, part := range Portions(sum, sum, amounts) {
			if part != amounts[i] {
				t.Errorf("the whole of %v has %v", amounts, part)
			}
		}
	}
}

// Interest, fees and purchases by hand: cents go to the largest part, then to the first.
func TestReconcilesAreDividedByHand(t *testing.T) {
	t.Parallel()
	february, march := month(t, "2026-02"), month(t, "2026-03")
	for name, c := range map[string]struct {
		of     PaidReconcile
		narrow *IncomeNarrowing
		want   map[string]Amount // by month, kind and category
	}{
		"one month": {
			of: PaidReconcile{Month: &march, Accounts: PaidAccounts{{Kind: Receivable, Total: 10500, Interest: 700,
				Fee: 200, PaidRecord: PaidRecord{CategoryID: 1, Amount: 10000}}}},
			want: map[string]Amount{"2026-03 category 1": 10000, "2026-03 interest 0": 700, "2026-03 fees 0": -200},
		},
		"two months": {
			of: PaidReconcile{Months: PaidMonths{{february, -3333}, {march, -6668}}, Accounts: PaidAccounts{
				{Kind: Payable, Total: 5000, PaidRecord: PaidRecord{CategoryID: 1, Amount: 5000}},
				{Kind: Payable, Total: 5001, PaidRecord: PaidRecord{CategoryID: 2, Amount: 5001}}}},
			want: map[string]Amount{"2026-02 category 1": -1666, "2026-02 category 2": -1667,
				"2026-03 category 1": -3334, "2026-03 category 2": -3334},
		},
		"an invoice that was paid by more": {
			of: PaidReconcile{Month: &march, Accounts: PaidAccounts{{Kind: Payable, Total: 5001,
				Purchases: []PaidRecord{{CategoryID: 1, Amount: 3000}, {CategoryID: 2, Amount: 3000},
					{CategoryID: 3, Amount: -1000}}}}},
			want: map[string]Amount{"2026-03 category 1": -3001, "2026-03 category 2": -3000,
				"2026-03 category 3": 1000},
		},
		"sales that brought less": {
			of: PaidReconcile{Month: &march, Accounts: PaidAccounts{{Kind: Receivable, Total: 14549,
				Sales: []PaidRecord{{CategoryID: 1, Amount: 10000, Receivable: 9700},
					{CategoryID: 2, Amount: 5000, Receivable: 4850}}}}},
			want: map[string]Amount{"2026-03 category 1": 9999, "2026-03 category 2": 5000,
				"2026-03 card_fees 0": -450},
		},
		"a center": {
			of: PaidReconcile{Month: &march, Accounts: PaidAccounts{{Kind: Payable, Total: 1100, Interest: 100,
				PaidRecord: PaidRecord{CategoryID: 1, Amount: 1000, CenterClassifications: CenterClassifications{
					{ClassificationCenterID: 7, Amount: new(Amount(250))}, {ClassificationCenterID: 8}}}}}},
			narrow: &IncomeNarrowing{ID: 7},
			want:   map[string]Amount{"2026-03 category 1": -250, "2026-03 interest 0": -25},
		},
		"a center of sales that bring nothing": {
			of: PaidReconcile{Month: &march, Accounts: PaidAccounts{{Kind: Receivable, Total: 1000, Interest: 1000,
				PaidRecord: PaidRecord{ClassificationCenterID: 7}}}},
			narrow: &IncomeNarrowing{ID: 7},
			want:   map[string]Amount{"2026-03 interest 0": 1000},
		},
	} {
		got := map[string]Amount{}
		for e := range c.of.Entries(february, march, c.narrow) {
			amount, _ := e.Amount.Amount()
			got[e.Month.String()+" "+e.Kind+" "+ListIDs([]int64{e.CategoryID})] += amount
		}
		for key, want := range c.want {
			if got[key] != want {
				t.Errorf("%s: %s is %v, want %v", name, key, got[key], want)
			}
			delete(got, key)
		}
		if len(got) > 0 {
			t.Errorf("%s: also %v", name, got)
		}
	}
}

// Sums of accounts or transactions may have more digits than an amount of a client.
func TestASumOfManyDigitsIsRead(t *testing.T) {
	t.Parallel()
	var months PaidMonths
	if err := months.Scan([]byte(`[{"month":"2026-03-01","amount":"-18000000000000.01"}]`)); err != nil ||
		months[0].Amount != -1_800_000_000_000_001 {
		t.Error(months, err)
	}
}

// The months of a statement have the cents that they have in a statement of all months, and no entry is of another one.
func TestMonthsOfAReconcileAreDividedAlikeInAnyStatement(t *testing.T) {
	t.Parallel()
	first := month(t, "2020-01")
	divided := func(r *PaidReconcile, from, to int, narrow *IncomeNarrowing) map[IncomeEntry]Sum {
		sums := IncomeSums{}
		for e := range r.Entries(first.AddMonths(from), first.AddMonths(to), narrow) {
			sums.Add(e)
		}
		return sums
	}
	for range 300 {
		var r PaidReconcile
		for i := range 1 + rand.IntN(6) {
			paid := 1 + stored(rand.Int64N(100_000))
			r.Accounts = append(r.Accounts, PaidAccount{Kind: Payable, Total: paid, Interest: Amount(rand.Int64N(50)),
				PaidRecord: PaidRecord{CategoryID: int64(rand.IntN(3)), Amount: paid,
					ClassificationCenterID: int64(i % 2)}})
		}
		last := rand.IntN(40)
		for i := range last + 1 {
			if rand.IntN(3) > 0 { // some are credits, and a reconcile may be paid by more than it owes
				r.Months = append(r.Months, PaidMonth{first.AddMonths(i), stored(rand.Int64N(50_000)) - 40_000})
			}
		}
		narrow := []*IncomeNarrowing{nil, {ID: 1}}[rand.IntN(2)]
		all := divided(&r, 0, last, narrow)
		for range 10 {
			from := rand.IntN(last + 1)
			to := from + rand.IntN(last+1-from)
			want := map[IncomeEntry]Sum{}
			for e, sum := range all {
				if !e.Month.Before(first.AddMonths(from)) && !first.AddMonths(to).Before(e.Month) {
					want[e] = sum
				}
			}
			if got := divided(&r, from, to, narrow); !maps.Equal(got, want) {
				t.Fatalf("%d to %d of %+v: %v, want %v", from, to, r, got, want)
			}
		}
	}
}

// A reconcile of many accounts and many months brings no more sums than a statement has cells.
func TestASumIsKeptForEachCellAlone(t *testing.T) {
	t.Parallel()
	const n = 200
	first := month(t, "2000-01")
	var r PaidReconcile
	for i := range n {
		r.Accounts = append(r.Accounts, PaidAccount{Kind: Payable, Total: 1000, PaidRecord: PaidRecord{CategoryID: 1}})
		r.Months = append(r.Months, PaidMonth{first.AddMonths(i), -1000})
	}
	sums, entries := IncomeSums{}, 0
	for e := range r.Entries(first.AddMonths(100), first.AddMonths(101), nil) {
		entries++
		sums.Add(e)
	}
	if entries > 2*n || len(sums) != 2 {
		t.Errorf("%d entries, %d sums of two months", entries, len(sums))
	}
	for _, e := range sums.Entries() {
		if e.Amount != "-10.0" {
			t.Errorf("%+v", e)
		}
		e.Amount = "10.0"
		sums.Add(e)
	}
	if left := sums.Entries(); len(left) > 0 {
		t.Errorf("sums of zero: %+v", left)
	}
}

func month(t *testing.T, text string) (m Month) {
	t.Helper()
	if err := m.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return m
}
