package finance

import (
	"time"

	"bordero/internal/messages"
)

// CreditCardTransaction is a purchase with a card, a refund, or one installment of a purchase
// (OpenAPI: CreditCardTransaction). Its day determines its invoice.
type CreditCardTransaction struct {
	ID           int64
	AccountID    int64
	CreditCardID int64
	ExternalID   *string           // of installments, only of the first
	Invoice      CreditCardInvoice // only id, period and balance are set
	Amount       Amount            // negative for a refund
	OccurredAt   Date
	Document     *string
	Observation  *string
	Description  *string
	References
	CustomClassifications CustomClassifications

	RecurrenceID    *int64 // id of the first installment, which may be deleted; nil if not an installment
	Parcel, Parcels *int64 // its number among the installments, and their count
	PreviousID      *int64 // among the installments that still exist
	NextID          *int64
	NumberOfParcels *int64  // how many installments to create; input only
	Created         []int64 // their ids, its own first

	CreatedAt time.Time
	UpdatedAt time.Time
}

// Validate refuses a transaction without a day or amount, and a new one with fewer than 1 or more
// than 480 installments, or too many classifications in all of them. One installment becomes a plain purchase.
func (t *CreditCardTransaction) Validate() error {
	var invalid Invalid
	validateText(&invalid, "external_id", t.ExternalID)
	if t.OccurredAt.IsZero() {
		invalid.Add("occurred_at", messages.Blank)
	}
	if t.Amount == 0 {
		invalid.Add("amount", messages.Zero)
	}
	validateText(&invalid, "document", t.Document)
	validateText(&invalid, "description", t.Description)
	validateNote(&invalid, "observation", t.Observation)
	t.CustomClassifications.validate(&invalid)
	if n := t.NumberOfParcels; n != nil && (*n < 1 || *n > maxParcels) {
		invalid.Add("number_of_parcels", messages.NotBetween.With(1, maxParcels))
	} else if n != nil && int(*n)*len(t.CustomClassifications) > maxSeriesLinks {
		invalid.Add(CustomClassificationsName, messages.TooManyClassifications.With(
			int(*n)*len(t.CustomClassifications), maxSeriesLinks))
	}
	if t.NumberOfParcels != nil && *t.NumberOfParcels == 1 {
		t.NumberOfParcels = nil
	}
	return invalid.Err()
}

// Days returns the days of the installments to create, a month apart, or the transaction's one
// day. Each is the same day of the month as the first, or the last day of a shorter month. Days
// after the year 9999 are zero.
func (t *CreditCardTransaction) Days() []Date {
	count := int64(1)
	if t.NumberOfParcels != nil {
		count = *t.NumberOfParcels
	}
	days := make([]Date, count)
	for i := range days {
		days[i] = t.OccurredAt.AddMonths(i)
	}
	return days
}
