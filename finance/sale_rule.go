package finance

import (
	"time"

	"bordero/internal/messages"
)

// maxDaysToLiquidation is ten years.
const maxDaysToLiquidation = 3650

// SaleRule determines fees and payment days for the sales of one method and issuer of a sale
// account. There is at most one rule for each.
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
	Weekdays          Weekdays // days on which the acquirer pays; empty for all
	ApplyRules        int64    // as last sent: 1 applied the rule to existing sales, 0 did not
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

// Validate refuses a rule without a method, without either fee, or with invalid fees or days. It
// treats method and issuer as Sale.Validate does.
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
	if OrZero(r.FixedFeeAmount) < 0 {
		invalid.Add("fixed_fee_amount", messages.Negative)
	}
	if OrZero(r.MinimumFeeAmount) < 0 {
		invalid.Add("minimum_fee_amount", messages.Negative)
	}
	if r.DaysToLiquidation < 0 || r.DaysToLiquidation > maxDaysToLiquidation {
		invalid.Add("days_to_liquidation", messages.NotBetween.With(0, maxDaysToLiquidation))
	}
	if r.FeePercentage == nil && r.FixedFeeAmount == nil {
		invalid.Add(Base, messages.NoFee, "fee_percentage", "fixed_fee_amount")
	}
	return invalid.Err()
}
