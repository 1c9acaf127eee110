package finance

import (
	"fmt"
	"time"

	"bordero/internal/messages"
)

// LateCharges are the highest charges that an entity expects for a late payment, as percentages of the
// amount of the account (OpenAPI: Entity).
type LateCharges struct {
	SuggestedFinePercentage            Percentage
	SuggestedMonthlyInterestPercentage Percentage
}

// DefaultLateCharges are the bounds of a new entity: the fine that consumers pay at most, and the usual
// interest.
var DefaultLateCharges = LateCharges{2_0000, 1_0000}

func (c LateCharges) validate(invalid *Invalid) {
	for _, bound := range []struct {
		attribute string
		value     Percentage
	}{
		{"suggested_fine_percentage", c.SuggestedFinePercentage},
		{"suggested_monthly_interest_percentage", c.SuggestedMonthlyInterestPercentage},
	} {
		if bound.value < 0 || bound.value > Hundred {
			invalid.Add(bound.attribute, messages.NotPercentage)
		}
	}
}

// Bounds of the other usual differences.
const (
	maxDiscount Percentage = 10_0000
	maxFee      Percentage = 1_0000
	maxFixedFee Amount     = 15_00

	// earlyWeekdays is how many weekdays before the due date a lower payment is rather a discount than a
	// tax or a fee.
	earlyWeekdays = 2
	monthDays     = 30 // of interest
)

// withheldRates are the rates of IRRF, of PIS, Cofins and CSLL, of both, of INSS, and of ISS.
var withheldRates = []Percentage{1_5000, 4_6500, 6_1500, 11_0000,
	2_0000, 2_5000, 3_0000, 3_5000, 4_0000, 4_5000, 5_0000}

// payment is the payment of an outstanding account.
type payment struct {
	kind               AccountKind
	nominal, due, paid Amount // none is negative; nominal is without interest, fine and discount
	dueOn, paidOn      Date
}

func (p payment) more() Amount { return p.paid - p.due }
func (p payment) less() Amount { return p.due - p.paid }

// difference explains why a payment is not the amount due.
type difference struct {
	adjustment Adjustment
	reason     string // for the user
	kinds      int    // of charges
}

// explain returns the usual difference that a payment has; nil if it has none. Of several the first counts, as
// decision 0040 orders them.
func (c LateCharges) explain(p payment) *difference {
	for _, usual := range []func(payment) *difference{
		c.lateCharges, earlyDiscount, withheldTax, bankFee, discount, withheldTaxes,
	} {
		if d := usual(p); d != nil {
			return d
		}
	}
	return nil
}

// lateCharges explains a late payment: one charge before two, and amounts that the bounds give exactly before
// amounts below the bounds.
func (c LateCharges) lateCharges(p payment) *difference {
	more, days := p.more(), p.paidOn.DaysSince(p.dueOn)
	if more <= 0 || days <= 0 {
		return nil
	}
	fine, days64 := portion{c.SuggestedFinePercentage, 1}, Percentage(days)
	interest := c.SuggestedMonthlyInterestPercentage
	proRata := portion{interest * days64, monthDays}
	months := portion{interest * ((days64 + monthDays - 1) / monthDays), 1}
	full := fine.of(p.nominal)
	for _, split := range []struct {
		fits bool
		fine Amount
	}{
		{fine.is(more, p.nominal), more},
		{proRata.is(more, p.nominal) || months.is(more, p.nominal), 0},
		{more <= full, more},
		{more <= months.of(p.nominal), 0},
		{proRata.is(more-full, p.nominal) || months.is(more-full, p.nominal), full},
		{proRata.is(more-fine.cut(p.nominal), p.nominal) || months.is(more-fine.cut(p.nominal), p.nominal),
			fine.cut(p.nominal)},
		{more-full <= months.of(p.nominal), full},
	} {
		if split.fits {
			return charged(split.fine, more-split.fine, days)
		}
	}
	return nil
}

func charged(fine, interest Amount, days int) *difference {
	var d difference
	var charges []string
	for _, part := range []struct {
		amount Amount
		of     **Amount
		named  string
	}{
		{fine, &d.adjustment.TicketAmount, messages.Finef},
		{interest, &d.adjustment.InterestAmount, messages.Interestf},
	} {
		if part.amount > 0 {
			*part.of = &part.amount
			charges, d.kinds = append(charges, fmt.Sprintf(part.named, part.amount.Brazilian())), d.kinds+1
		}
	}
	d.reason = messages.PaidLate(days, messages.And(charges))
	return &d
}

// earlyDiscount explains a lower payment some weekdays before the due date.
func earlyDiscount(p payment) *difference {
	weekdays := 0
	for day := p.paidOn; day.Before(p.dueOn) && weekdays < earlyWeekdays; {
		day = day.AddDays(1)
		if day.Weekday() != time.Saturday && day.Weekday() != time.Sunday {
			weekdays++
		}
	}
	if weekdays < earlyWeekdays {
		return nil
	}
	return discount(p)
}

// discount explains a lower payment until the due date.
func discount(p payment) *difference {
	less, early := p.less(), p.dueOn.DaysSince(p.paidOn)
	if less <= 0 || early < 0 || less > maxDiscount.Of(p.nominal) {
		return nil
	}
	return &difference{Adjustment{DiscountAmount: &less}, messages.PaidEarly(early, less.Brazilian()), 1}
}

// withheldTax explains a lower payment by one rate.
func withheldTax(p payment) *difference {
	for _, rate := range withheldRates {
		if (portion{rate, 1}).is(p.less(), p.nominal) {
			return withheld(p.less(), rate.brazilian())
		}
	}
	return nil
}

// withheldTaxes explains a lower payment by two rates.
func withheldTaxes(p payment) *difference {
	for i, one := range withheldRates {
		for _, other := range withheldRates[i+1:] {
			if (portion{one + other, 1}).is(p.less(), p.nominal) {
				return withheld(p.less(), one.brazilian()+" + "+other.brazilian())
			}
		}
	}
	return nil
}

func withheld(amount Amount, rates string) *difference {
	return &difference{Adjustment{WithheldTaxAmount: &amount},
		fmt.Sprintf(messages.TaxWithheldf, amount.Brazilian(), rates), 1}
}

// bankFee explains the fee of a bank, which raises a payment and lowers a receipt.
func bankFee(p payment) *difference {
	fee := p.more()
	if p.kind == Receivable {
		fee = p.less()
	}
	if fee <= 0 || fee > max(maxFixedFee, maxFee.Of(p.nominal)) {
		return nil
	}
	return &difference{Adjustment{FeeAmount: &fee}, fmt.Sprintf(messages.FeeTakenf, fee.Brazilian()), 1}
}

// portion is a percentage of amounts, divided by a number. People round it or cut it to the cent.
type portion struct {
	percentage Percentage
	by         uint64
}

func (r portion) of(a Amount) Amount  { return r.percentage.share(a, r.by, uint64(Hundred)*r.by/2) }
func (r portion) cut(a Amount) Amount { return r.percentage.share(a, r.by, 0) }

// is reports whether part, above zero, is the portion of a.
func (r portion) is(part, a Amount) bool { return part > 0 && (part == r.of(a) || part == r.cut(a)) }
