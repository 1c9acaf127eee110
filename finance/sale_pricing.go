package finance

import "math/bits"

// SalePrice is what a rule makes of a sale. What it takes over from the rule as it
// is, both fees and the days, is not repeated here.
type SalePrice struct {
	FeePercentageAmount   *Amount // nil where the rule has no percentage
	ReceivableAmount      Amount
	EstimatedLiquidatedAt Date
	LiquidationWeekday    *int64 // 0 is Sunday; nil where the rule has no weekdays
}

// lastDay is where the calendar of the contract ends.
var lastDay, _ = NewDate(9999, 12, 31)

// Price applies the rule to a sale of the total that was confirmed, or else made,
// on the day. The fee is the percentage, rounded half away from zero to cents, and
// the fixed fee, at least the minimum; it takes no more than the sale brings. The
// day of receipt is moved forward to the next of the rule's weekdays. This is the
// definition: storage/sale_prices.go says the same in SQL, for many sales at once.
func (r *SaleRule) Price(total Amount, sold Date) SalePrice {
	var p SalePrice
	if r.FeePercentage != nil {
		part := r.FeePercentage.Of(total)
		p.FeePercentageAmount = &part
	}
	fee := max(orNone(p.FeePercentageAmount)+orNone(r.FixedFeeAmount), orNone(r.MinimumFeeAmount))
	p.ReceivableAmount = max(total-fee, 0)
	day := sold.AddDays(int(r.DaysToLiquidation))
	for r.Weekdays != 0 && !r.Weekdays.Has(day.Weekday()) {
		day = day.AddDays(1)
	}
	if day.After(lastDay) {
		day = lastDay
	}
	if r.Weekdays != 0 {
		weekday := int64(day.Weekday())
		p.LiquidationWeekday = &weekday
	}
	p.EstimatedLiquidatedAt = day
	return p
}

// Of is the part of an amount that is not negative, rounded half away from zero to
// cents.
func (p Percentage) Of(a Amount) Amount {
	high, low := bits.Mul64(uint64(a), uint64(p))
	low, carry := bits.Add64(low, uint64(Hundred)/2, 0)
	quotient, _ := bits.Div64(high+carry, low, uint64(Hundred))
	return Amount(quotient)
}
