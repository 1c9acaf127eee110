package finance

import "math/bits"

// SalePrice is the result of applying a rule to a sale, without the values that the sale copies
// from the rule: both fees and the days.
type SalePrice struct {
	FeePercentageAmount   *Amount // nil if the rule has no percentage
	ReceivableAmount      Amount
	EstimatedLiquidatedAt Date
	LiquidationWeekday    *int64 // 0 is Sunday; nil if the rule has no weekdays
}

// lastDay is the end of the API's calendar.
var lastDay, _ = NewDate(9999, 12, 31)

// Price applies the rule to a sale with the given total. sold is the day on which it was
// confirmed, or else made. The fee is the percentage, rounded half away from zero to cents, plus
// the fixed fee; at least the minimum fee, at most the total. The day of receipt moves forward to
// the next of the rule's weekdays, but not beyond 9999-12-31.
//
// Price is the definition; storage/pricing/statement.go implements it in SQL for many sales at once.
func (r *SaleRule) Price(total Amount, sold Date) SalePrice {
	var p SalePrice
	if r.FeePercentage != nil {
		part := r.FeePercentage.Of(total)
		p.FeePercentageAmount = &part
	}
	fee := max(OrZero(p.FeePercentageAmount)+OrZero(r.FixedFeeAmount), OrZero(r.MinimumFeeAmount))
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

// Of returns the percentage of a, which must not be negative, rounded half away from zero to
// cents.
func (p Percentage) Of(a Amount) Amount { return p.share(a, 1, uint64(Hundred)/2) }

// share returns the percentage of a, divided by a number, after rounding has been added to the dividend.
func (p Percentage) share(a Amount, by, rounding uint64) Amount {
	high, low := bits.Mul64(uint64(a), uint64(p))
	low, carry := bits.Add64(low, rounding, 0)
	quotient, _ := bits.Div64(high+carry, low, uint64(Hundred)*by)
	return Amount(quotient)
}
