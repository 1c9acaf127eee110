package finance

import (
	"slices"
	"time"

	"bordero/internal/messages"
)

// Statuses of a sale (OpenAPI: Sale).
const (
	SaleUnpriced   = 0 // awaiting rule application
	SalePriced     = 1 // awaiting liquidation
	SaleLiquidated = 2
	SaleReconciled = 3
)

// maxDocument is the maximum length of a sale's document in characters.
const maxDocument = 20

// Sale is a sale that an acquirer pays for later (OpenAPI: Sale). A rule of its sale account
// prices it in the background; before that, the fields under Pricing are nil.
type Sale struct {
	ID            int64
	AccountID     int64
	EntityID      int64   // of the sale account
	ExternalID    *string // of installments, only of the first
	SaleAccountID int64
	Status        int64
	// AwaitingPricing is set by every change to a field that pricing depends on. A sale with
	// status 0 that is not awaiting pricing matches no rule.
	AwaitingPricing bool
	References

	PaymentMethod        string
	Issuer               *string
	Document             *string
	DocumentEmissionDate *Date
	ProviderCode         *string
	OccurredAt           Date
	ConfirmedAt          *Date
	CompetencyMonth      Month
	Description          *string
	Observation          *string
	NominalAmount        Amount
	InterestAmount       *Amount
	TicketAmount         *Amount // the fine
	DiscountAmount       *Amount
	TotalAmount          Amount // derived from the four amounts above
	TotalTaxes           Amount // the sum of Taxes
	Taxes                TaxCharges

	// Pricing.
	SaleRuleID            *int64
	FinancialAccountID    *int64 // its receivable account
	FeePercentage         *Percentage
	FeePercentageAmount   *Amount
	FixedFeeAmount        *Amount
	ReceivableAmount      *Amount
	DaysToLiquidation     *int64
	LiquidationWeekday    *int64
	EstimatedLiquidatedAt *Date
	LiquidatedAt          *Date
	AmountDifference      *Amount

	InstallmentNumber *int64
	InstallmentCount  *int64
	OriginalSaleID    *int64       // the sale that was split into this installment
	Installments      Installments // the installments that this sale was split into, by number

	CustomClassifications CustomClassifications
	CenterClassifications CenterClassifications
	AttachmentIDs         IDs
	Attachments           Attachments // the files of AttachmentIDs; output only
	CreatedAt             time.Time
	UpdatedAt             time.Time

	Created []int64 // ids of the sales that its creation made, its own first
	Removed []int64 // ids of the sales that its deletion removed, including its own
}

// NetAmount returns the total minus the taxes that customers withhold.
func (s *Sale) NetAmount() Amount { return s.TotalAmount - s.TotalTaxes }

// TotalOf returns the amount of the sale: the nominal amount plus interest and fine, minus the
// discount.
func TotalOf(s *Sale) Amount {
	return s.NominalAmount + s.additions() - OrZero(s.DiscountAmount)
}

// additions returns the interest and the fine.
func (s *Sale) additions() Amount { return OrZero(s.InterestAmount) + OrZero(s.TicketAmount) }

// Validate refuses an invalid sale and sets the derived fields: totals, the competency month
// (that of occurred_at, unless the client sent one) and the issuer's spelling.
func (s *Sale) Validate() error {
	var invalid Invalid
	validateText(&invalid, "external_id", s.ExternalID)
	s.validateAmounts(&invalid)
	if s.OccurredAt.IsZero() {
		invalid.Add("occurred_at", messages.Blank)
	} else if s.CompetencyMonth.IsZero() {
		s.CompetencyMonth = MonthOf(s.OccurredAt)
	}
	validateDate(&invalid, "confirmed_at", s.ConfirmedAt)
	validateMonth(&invalid, "occurred_at", s.OccurredAt)
	validateMonth(&invalid, "confirmed_at", OrZero(s.ConfirmedAt))
	validateDate(&invalid, "document_emission_date", s.DocumentEmissionDate)
	if s.SaleAccountID == 0 {
		invalid.Add("sale_account", messages.Blank)
	}
	validateMethod(&invalid, s.PaymentMethod, &s.Issuer)
	validateLength(&invalid, "document", s.Document, maxDocument)
	validateText(&invalid, "provider_code", s.ProviderCode)
	validateText(&invalid, "description", s.Description)
	validateNote(&invalid, "observation", s.Observation)
	s.Taxes.validate(&invalid, "tax_charges")
	s.validateInstallments(&invalid)
	s.CustomClassifications.validate(&invalid)
	s.CenterClassifications.validate(&invalid)
	if s.ID == 0 {
		validateAttached(&invalid, AttachmentIDList, s.AttachmentIDs)
	}
	return invalid.Err()
}

func (s *Sale) validateAmounts(invalid *Invalid) {
	if s.NominalAmount <= 0 {
		invalid.Add("nominal_amount", messages.NotPositive)
	}
	for _, a := range []struct {
		attribute string
		amount    *Amount
	}{{"interest_amount", s.InterestAmount}, {"ticket_amount", s.TicketAmount}, {"discount_amount", s.DiscountAmount}} {
		if OrZero(a.amount) < 0 {
			invalid.Add(a.attribute, messages.Negative)
		}
	}
	s.TotalAmount, s.TotalTaxes = TotalOf(s), s.Taxes.sum()
	switch {
	case s.TotalAmount < 0 && s.NominalAmount > 0:
		invalid.Add("discount_amount", messages.DiscountTooLarge, "nominal_amount", "interest_amount", "ticket_amount")
	case s.TotalAmount > MaxAmount:
		invalid.Add("total_amount", messages.TooLarge)
	case s.TotalAmount >= 0 && s.TotalTaxes > s.TotalAmount:
		invalid.Add("tax_charges", messages.TaxesTooLarge, "nominal_amount", "interest_amount", "ticket_amount",
			"discount_amount")
	}
}

// ValidateChange refuses a change to the fixed fields of a liquidated sale.
func (s *Sale) ValidateChange(before Sale) error {
	if s.ChangesFixed(before) {
		return RefuseLiquidated(before.Status)
	}
	return nil
}

// Removable refuses the deletion of a liquidated sale.
func (s *Sale) Removable() error {
	return RefuseLiquidated(s.Status)
}

// RefuseLiquidated refuses what a liquidated sale does not allow. The status is that of the sale, or of its receivable
// account: these have the same numbers from SaleLiquidated on.
func RefuseLiquidated(status int64) error {
	switch {
	case status >= SaleReconciled:
		return Refuse(Base, messages.SaleReconciled)
	case status == SaleLiquidated:
		return Refuse(Base, messages.SaleLiquidated)
	}
	return nil
}

// ChangesFixed reports whether a field differs that is fixed once the sale is liquidated: a
// price-relevant one or a date.
func (s *Sale) ChangesFixed(before Sale) bool {
	return OrZero(s.DocumentEmissionDate) != OrZero(before.DocumentEmissionDate) || s.NeedsRepricing(before)
}

// NeedsRepricing reports whether a field that pricing depends on differs: sale account, method, issuer,
// days, amounts or taxes.
func (s *Sale) NeedsRepricing(before Sale) bool {
	return s.figures() != before.figures() ||
		!slices.EqualFunc(s.Taxes, before.Taxes, func(a, b TaxCharge) bool {
			return a.TaxID == b.TaxID && a.Amount == b.Amount
		})
}

type saleFigures struct {
	saleAccountID                       int64
	method, issuer                      string
	occurred, confirmed                 Date
	nominal, interest, ticket, discount Amount
}

func (s *Sale) figures() saleFigures {
	var issuer string
	if s.Issuer != nil {
		issuer = *s.Issuer
	}
	var confirmed Date
	if s.ConfirmedAt != nil {
		confirmed = *s.ConfirmedAt
	}
	return saleFigures{s.SaleAccountID, s.PaymentMethod, issuer, s.OccurredAt, confirmed,
		s.NominalAmount, OrZero(s.InterestAmount), OrZero(s.TicketAmount), OrZero(s.DiscountAmount)}
}
