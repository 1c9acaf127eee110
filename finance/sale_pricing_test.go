package finance

import (
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustDay(t testing.TB, text string) Date {
	t.Helper()
	d, err := ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The worked examples of the API's documentation. 2026-03-02 is a Monday.
func TestPriceOfASale(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule  SaleRule
		total Amount
		sold  string
		want  string // percentage part, receivable, day, weekday
	}{
		"credit with percentage and fixed fee": {
			SaleRule{FeePercentage: ptr(Percentage(2_5000)), FixedFeeAmount: ptr(Amount(39)), DaysToLiquidation: 30},
			19900, "2026-03-02",
			"4.98 193.63 2026-04-01 none"}, // 4.975 rounds away from zero
		"minimum fee": {
			SaleRule{FeePercentage: ptr(Percentage(1_0000)), MinimumFeeAmount: ptr(Amount(100)), DaysToLiquidation: 1},
			1000, "2026-03-02",
			"0.1 9.0 2026-03-03 none"},
		"a minimum that both parts together pass": {
			SaleRule{FeePercentage: ptr(Percentage(5_0000)), FixedFeeAmount: ptr(Amount(60)),
				MinimumFeeAmount: ptr(Amount(100))}, 1000, "2026-03-02",
			"0.5 8.9 2026-03-02 none"},
		"weekdays 1,3 from a Tuesday": {
			SaleRule{FeePercentage: ptr(Percentage(0)), DaysToLiquidation: 1,
				Weekdays: 1<<time.Monday | 1<<time.Wednesday}, 1000, "2026-03-02",
			"0.0 10.0 2026-03-04 3"},
		"weekdays 1,3 on a Monday": {
			SaleRule{FeePercentage: ptr(Percentage(0)), Weekdays: 1<<time.Monday | 1<<time.Wednesday}, 1000,
			"2026-03-02",
			"0.0 10.0 2026-03-02 1"},
		"weekdays 1,3 from a Thursday": {
			SaleRule{FeePercentage: ptr(Percentage(0)), DaysToLiquidation: 3,
				Weekdays: 1<<time.Monday | 1<<time.Wednesday}, 1000, "2026-03-02",
			"0.0 10.0 2026-03-09 1"},
		"voucher with a fixed fee alone": {
			SaleRule{FixedFeeAmount: ptr(Amount(150)), DaysToLiquidation: 14}, 3000, "2026-03-02",
			"none 28.5 2026-03-16 none"},
		"a fee beyond the sale": {
			SaleRule{FixedFeeAmount: ptr(Amount(500))}, 300, "2026-03-02",
			"none 0.0 2026-03-02 none"},
		"a sale of nothing": {
			SaleRule{FeePercentage: ptr(Percentage(2_0000))}, 0, "2026-03-02",
			"0.0 0.0 2026-03-02 none"},
		"half a cent": {
			SaleRule{FeePercentage: ptr(Percentage(5000))}, 100, "2026-03-02",
			"0.01 0.99 2026-03-02 none"},
		"less than half a cent": {
			SaleRule{FeePercentage: ptr(Percentage(4999))}, 100, "2026-03-02",
			"0.0 1.0 2026-03-02 none"},
		"the largest amount": {
			SaleRule{FeePercentage: ptr(Percentage(99_9999))}, MaxAmount, "2026-03-02",
			"9999989999999.99 10000000.0 2026-03-02 none"},
		"beyond the calendar": {
			SaleRule{FeePercentage: ptr(Percentage(0)), DaysToLiquidation: 3650, Weekdays: 1 << time.Monday}, 100,
			"9999-12-01",
			"0.0 1.0 9999-12-31 5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := c.rule.Price(c.total, mustDay(t, c.sold))
			part, weekday := "none", "none"
			if p.FeePercentageAmount != nil {
				part = p.FeePercentageAmount.String()
			}
			if p.LiquidationWeekday != nil {
				weekday = string(rune('0' + *p.LiquidationWeekday))
			}
			got := part + " " + p.ReceivableAmount.String() + " " + p.EstimatedLiquidatedAt.String() + " " + weekday
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func anyRule(t *rapid.T) SaleRule {
	amount := rapid.Ptr(
		rapid.Custom(func(t *rapid.T) Amount { return Amount(rapid.Int64Range(0, 5000).Draw(t, "cents")) }), true)
	return SaleRule{
		FeePercentage: rapid.Ptr(rapid.Map(rapid.Int64Range(0, int64(Hundred)), func(n int64) Percentage {
			return Percentage(n)
		}), true).Draw(t, "percentage"),
		FixedFeeAmount:    amount.Draw(t, "fixed"),
		MinimumFeeAmount:  amount.Draw(t, "minimum"),
		DaysToLiquidation: rapid.Int64Range(0, 3650).Draw(t, "days"),
		Weekdays:          Weekdays(rapid.Uint8Range(0, 127).Draw(t, "weekdays")),
	}
}

func TestAPriceIsWithinItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := anyRule(t)
		total := Amount(rapid.Int64Range(0, int64(MaxAmount)).Draw(t, "total"))
		sold := DateOf(time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "sold"), 0).UTC())
		p := r.Price(total, sold)
		fee := total - p.ReceivableAmount
		if fee < 0 || fee > total || fee < min(OrZero(r.MinimumFeeAmount), total) || fee < min(OrZero(r.FixedFeeAmount),
			total) {
			t.Errorf("a fee of %v of %v", fee, total)
		}
		if r.FeePercentage != nil {
			// The part differs from the exact value by at most half a cent.
			exact := new(big.Int).Mul(big.NewInt(int64(total)), big.NewInt(int64(*r.FeePercentage)))
			off := new(big.Int).Sub(new(big.Int).Mul(big.NewInt(int64(*p.FeePercentageAmount)),
				big.NewInt(int64(Hundred))), exact)
			if off.CmpAbs(big.NewInt(int64(Hundred)/2)) > 0 || off.Cmp(big.NewInt(-int64(Hundred)/2)) == 0 {
				t.Errorf("a part of %v", *p.FeePercentageAmount)
			}
		}
		late := 0
		for d := sold.AddDays(int(r.DaysToLiquidation)); d.Before(p.EstimatedLiquidatedAt); d = d.AddDays(1) {
			if r.Weekdays.Has(d.Weekday()) {
				t.Errorf("%v would have been a day of receipt", d)
			}
			late++
		}
		if late > 6 || (r.Weekdays != 0) != (p.LiquidationWeekday != nil) ||
			p.LiquidationWeekday != nil && (!r.Weekdays.Has(p.EstimatedLiquidatedAt.Weekday()) ||
				*p.LiquidationWeekday != int64(p.EstimatedLiquidatedAt.Weekday())) {
			t.Errorf("received on %v, %v", p.EstimatedLiquidatedAt, p.LiquidationWeekday)
		}
	})
}

func TestSpreadOfADifference(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		difference Amount
		receivable []Amount
		want       []Amount
	}{
		"in proportion":                 {300, []Amount{1000, 2000}, []Amount{100, 200}},
		"the cents left to the largest": {100, []Amount{1000, 1001, 1000}, []Amount{33, 34, 33}},
		"two cents left, a cent each":   {200, []Amount{1000, 1000, 1000}, []Amount{67, 67, 66}},
		"below what was to be received": {-100, []Amount{1000, 1001, 1000}, []Amount{-33, -34, -33}},
		"less than a cent each":         {1, []Amount{1, 5, 5}, []Amount{0, 1, 0}},
		"a sale that brings nothing":    {10, []Amount{0, 100}, []Amount{0, 10}},
		"sales that bring nothing all":  {5, []Amount{0, 0, 0}, []Amount{2, 2, 1}},
		"nothing":                       {0, []Amount{1, 2}, []Amount{0, 0}},
		"nothing was received":          {-3000, []Amount{1000, 2000}, []Amount{-1000, -2000}},
		"amounts whose product is too wide": {MaxAmount, []Amount{MaxAmount, MaxAmount},
			[]Amount{500_000_000_000_000, 499_999_999_999_999}},
		"amounts whose sum is too wide": {20_001, slices.Repeat([]Amount{MaxAmount}, 20_000),
			append([]Amount{2}, slices.Repeat([]Amount{1}, 19_999)...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, AllocateDifference(c.difference, c.receivable)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestASpreadSumsToTheDifference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		receivable := rapid.SliceOfN(rapid.Map(rapid.Int64Range(0, 1e6), func(n int64) Amount { return Amount(n) }), 1,
			60).Draw(t, "receivable")
		var sum, spread Amount
		for _, r := range receivable {
			sum += r
		}
		difference := Amount(rapid.Int64Range(-int64(sum), 1e8).Draw(t, "difference"))
		for i, part := range AllocateDifference(difference, receivable) {
			spread += part
			if part*difference < 0 {
				t.Errorf("part %d is %v of %v", i, part, difference)
			}
			if sum > 0 {
				if exact := difference * receivable[i] / sum; (part - exact).Abs() > 1 {
					t.Errorf("part %d is %v, a share of %v", i, part, exact)
				}
			}
		}
		if spread != difference {
			t.Errorf("the parts sum to %v, not %v", spread, difference)
		}
	})
}
