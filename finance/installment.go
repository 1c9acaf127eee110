package finance

import (
	"cmp"
	"reflect"
	"slices"

	"bordero/internal/messages"
)

// Limits on the number of installments of a sale.
const (
	minInstallments = 2
	maxInstallments = 120
)

// Installment is a sale that was created as an installment of another sale.
type Installment struct {
	ID                int64
	InstallmentNumber int64
	NominalAmount     Amount
	Status            int64
}

// Installments are the installments of one sale, by number.
type Installments []Installment

// Scan implements sql.Scanner for a JSON list of installments.
func (l *Installments) Scan(src any) error { return scanJSON(src, l) }

// Splits reports whether creating the sale creates installments: the client sent a count but no
// number.
func (s *Sale) Splits() bool {
	return s.ID == 0 && s.InstallmentCount != nil && s.InstallmentNumber == nil
}

// validateInstallments refuses a count out of range, a number above the count, and one without
// the other, except for a new sale that splits.
func (s *Sale) validateInstallments(invalid *Invalid) {
	number, count := s.InstallmentNumber, s.InstallmentCount
	switch {
	case s.Splits():
		s.validateSplit(invalid)
	case number == nil && count == nil:
	case number == nil:
		invalid.Add("installment_number", messages.Blank)
	case count == nil:
		invalid.Add("installment_count", messages.Blank)
	case *count < 1 || *count > maxInstallments:
		invalid.Add("installment_count", messages.NotBetween.With(1, maxInstallments))
	case *number < 1 || *number > *count:
		invalid.Add("installment_number", messages.NotBetween.With(1, *count))
	}
}

func (s *Sale) validateSplit(invalid *Invalid) {
	n := *s.InstallmentCount
	if n < minInstallments || n > maxInstallments {
		invalid.Add("installment_count", messages.NotBetween.With(minInstallments, maxInstallments))
		return
	}
	months := int(n) - 1
	if !s.OccurredAt.IsZero() && s.OccurredAt.AddMonths(months).IsZero() {
		invalid.Add("occurred_at", messages.NotInRange)
	}
	if s.ConfirmedAt != nil && s.ConfirmedAt.AddMonths(months).IsZero() {
		invalid.Add("confirmed_at", messages.NotInRange)
	}
	validateLinks(invalid, int(n)*s.Links(), []links{
		{AttachmentIDList, messages.Files, len(s.AttachmentIDs)},
		{CustomClassificationsName, messages.Classifications, len(s.CustomClassifications)},
		{CenterClassificationsName, messages.Classifications, len(s.CenterClassifications)},
	})
	first, each := s.NominalAmount.split(n)
	if s.NominalAmount > 0 && each == 0 {
		invalid.Add("nominal_amount", messages.TooSmallToSplit)
		return
	}
	total := s.TotalAmount - each*Amount(n-1) // of the first installment
	switch {
	case s.NominalAmount <= 0 || s.TotalAmount < max(s.TotalTaxes, 0): // refused without a split, too
	case total < 0:
		invalid.Add("discount_amount", messages.DiscountOfFirst.With((first + s.additions()).Brazilian()),
			"nominal_amount", "interest_amount", "ticket_amount")
	case s.TotalTaxes > total:
		invalid.Add("tax_charges", messages.TaxesOfFirst.With(total.Brazilian()), "nominal_amount",
			"interest_amount", "ticket_amount", "discount_amount")
	}
}

// Links returns the number of the sale's attachments and classifications. Each installment has as many.
func (s *Sale) Links() int {
	return len(s.AttachmentIDs) + len(s.CustomClassifications) + len(s.CenterClassifications)
}

// Split returns the installments of a sale for which Splits is true, without ids. Installment k is k-1 months after the
// first, in the same month of competency. The nominal amount and the amounts of classifications are divided. The first
// gets the cents that remain of the nominal amount, the external id, and all interest, fine, discount and taxes.
func (s *Sale) Split() []Sale {
	n := *s.InstallmentCount
	first, other := *s, *s
	first.NominalAmount, other.NominalAmount = s.NominalAmount.split(n)
	other.ExternalID = nil
	other.InterestAmount, other.TicketAmount, other.DiscountAmount, other.Taxes = nil, nil, nil, nil
	all := append([]Sale{first}, slices.Repeat([]Sale{other}, int(n)-1)...)
	for i := range all {
		one := &all[i]
		one.InstallmentNumber = new(int64(i + 1))
		one.OccurredAt = s.OccurredAt.AddMonths(i)
		if s.ConfirmedAt != nil {
			one.ConfirmedAt = new(s.ConfirmedAt.AddMonths(i))
		}
		one.TotalAmount, one.TotalTaxes = TotalOf(one), one.Taxes.sum()
		one.CustomClassifications = slices.Clone(s.CustomClassifications)
		one.CenterClassifications = slices.Clone(s.CenterClassifications)
	}
	divideParts(s.NominalAmount, all)
	return all
}

// divideParts divides the amounts of classifications, which each installment has whole, among the installments. It
// divides the amounts of one classifier together with the unclassified rest of the sale, and likewise the amounts of
// centers: divided one by one, parts that add up to the sale would not add up to each installment.
func divideParts(nominal Amount, installments []Sale) {
	left := map[int64][]Amount{}
	for k := range installments {
		for classifier, parts := range installments[k].partAmounts() {
			if k == 0 {
				left[classifier] = withRest(nominal, parts)
			}
			taken := takePortion(left[classifier], int64(len(installments)-k))
			for i, part := range parts {
				*part = &taken[i]
			}
		}
	}
}

// partAmounts returns pointers to the amounts of classifications by the id of their classifier; the amounts of centers
// have the key 0.
func (s *Sale) partAmounts() map[int64][]**Amount {
	all := map[int64][]**Amount{}
	for i := range s.CustomClassifications {
		if c := &s.CustomClassifications[i]; c.Amount != nil {
			all[c.CustomClassifierID] = append(all[c.CustomClassifierID], &c.Amount)
		}
	}
	for i := range s.CenterClassifications {
		if c := &s.CenterClassifications[i]; c.Amount != nil {
			all[0] = append(all[0], &c.Amount)
		}
	}
	return all
}

// withRest returns the amounts of parts, and last the rest of the whole; 0 if the parts exceed it.
func withRest(whole Amount, parts []**Amount) (amounts []Amount) {
	for _, part := range parts {
		amounts = append(amounts, **part)
		whole -= **part
	}
	return append(amounts, max(whole, 0))
}

// split divides an amount by n to the cent; first includes the remainder.
func (a Amount) split(n int64) (first, each Amount) {
	each = a / Amount(n)
	return a - each*Amount(n-1), each
}

// BeginsSplit reports whether a split may have made the sale as its first installment. The others may be deleted.
func (s *Sale) BeginsSplit() bool {
	return len(s.Installments) > 0 ||
		OrZero(s.InstallmentNumber) == 1 && OrZero(s.InstallmentCount) > 1 && s.OriginalSaleID == nil
}

// RepeatedBy refuses sent, a document of a whole sale that splits, unless its creation would make the same first
// installment as s, now or by 0.3.0. assigned is s with the attributes of the document.
func (s *Sale) RepeatedBy(sent, assigned Sale) error {
	refused := Refuse("installment_count", messages.SplitDiffers)
	if OrZero(s.InstallmentNumber) != 1 || OrZero(s.InstallmentCount) != OrZero(sent.InstallmentCount) {
		return refused
	}
	if err := sent.Validate(); err != nil {
		return err
	}
	for _, first := range []Sale{sent.Split()[0], sent.firstDividedAlone()} {
		one := assigned
		one.NominalAmount, one.InstallmentNumber = first.NominalAmount, s.InstallmentNumber
		if len(one.CustomClassifications) > 0 && len(first.CustomClassifications) > 0 {
			one.CustomClassifications = first.CustomClassifications
		}
		if len(one.CenterClassifications) > 0 && len(first.CenterClassifications) > 0 {
			one.CenterClassifications = first.CenterClassifications
		}
		if err := one.Validate(); err != nil {
			return err
		}
		if reflect.DeepEqual(asSent(*s), asSent(one)) {
			return nil
		}
	}
	return refused
}

// firstDividedAlone returns the first installment as releases up to 0.3.0 made it: they divided the amount of each
// classification by itself.
func (s *Sale) firstDividedAlone() Sale {
	first := s.Split()[0]
	whole := s.partAmounts()
	for classifier, parts := range first.partAmounts() {
		for i, part := range parts {
			amount, _ := (**whole[classifier][i]).split(*s.InstallmentCount)
			*part = &amount
		}
	}
	return first
}

// asSent returns a sale without the ids and names of its parts, which the server adds. Empty lists are nil.
func asSent(s Sale) Sale {
	s.CategoryFullName = nil
	s.Taxes = append(TaxCharges(nil), s.Taxes...)
	s.CustomClassifications = append(CustomClassifications(nil), s.CustomClassifications...)
	s.CenterClassifications = append(CenterClassifications(nil), s.CenterClassifications...)
	s.AttachmentIDs = append(IDs(nil), s.AttachmentIDs...)
	for i := range s.Taxes {
		s.Taxes[i].ID = 0
	}
	for i := range s.CustomClassifications {
		c := &s.CustomClassifications[i]
		c.ID, c.ValueID, c.CustomClassifierName = 0, 0, "" // the value has a name
	}
	for i := range s.CenterClassifications {
		s.CenterClassifications[i].ID, s.CenterClassifications[i].Name = 0, ""
	}
	slices.SortFunc(s.Taxes, func(a, b TaxCharge) int {
		return cmp.Or(cmp.Compare(a.TaxID, b.TaxID), cmp.Compare(a.Amount, b.Amount))
	})
	slices.Sort(s.AttachmentIDs)
	return s
}
