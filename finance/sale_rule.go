package finance

import (
	"time"

	"bordero/internal/messages"
)

// maxDaysToLiquidation is ten years: further away nothing is due.
const maxDaysToLiquidation = 3650

// SaleRule says what the sales of one method and issuer of a sale account bring,
// and when. Only one is for each.
type SaleRule struct {
	ID            int64
	AccountID     int64
	SaleAccountID int64
	EntityID      int64 // of the sale account

	PaymentMethod     string
	Issuer            *string
	FeePercentage     *Percentage
	FixedFeeAmount    *Amount
	MinimumFeeAmount  *Amount
	DaysToLiquidation int64
	Weekdays          Weekdays // on which is paid; none for all
	ApplyRules        int64    // as sent last: 1 applied it to the sales that were there, 0 did not
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

// Validate refuses a rule without a method, without both fees, or with fees or
// days that cannot be. The method and issuer it treats as those of a sale.
func (r *SaleRule) Validate() error {
	var invalid Invalid
	if r.PaymentMethod == "" {
		invalid.Add("payment_method", messages.Blank)
	} else {
		validateMethod(&invalid, r.PaymentMethod, &r.Issuer)
	}
	if r.FeePercentage != nil && (*r.FeePercentage < 0 || *r.FeePercentage > Hundred) {
		invalid.Add("fee_percentage", messages.NotPercentage)
	}
	if orNone(r.FixedFeeAmount) < 0 {
		invalid.Add("fixed_fee_amount", messages.Negative)
	}
	if orNone(r.MinimumFeeAmount) < 0 {
		invalid.Add("minimum_fee_amount", messages.Negative)
	}
	if r.DaysToLiquidation < 0 || r.DaysToLiquidation > maxDaysToLiquidation {
		invalid.Add("days_to_liquidation", messages.NotInRange)
	}
	if r.FeePercentage == nil && r.FixedFeeAmount == nil {
		invalid.Add(Base, messages.NoFee, "fee_percentage", "fixed_fee_amount")
	}
	return invalid.Err()
}
