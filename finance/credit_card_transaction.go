package finance

import (
	"time"

	"bordero/internal/messages"
)

// CreditCardTransaction is a purchase with a card, a refund, or one installment of a
// purchase (OpenAPI: CreditCardTransaction). Its day decides on its invoice.
type CreditCardTransaction struct {
	ID           int64
	AccountID    int64
	CreditCardID int64
	Invoice      CreditCardInvoice // of which its id, period and balance are known
	Amount       Amount            // negative for a refund
	OccurredAt   Date
	Document     *string
	Observation  *string
	Description  *string
	References
	CustomClassifications CustomClassifications

	RecurrenceID    *int64 // the id of the first installment, which may be gone; nil for no installment
	Parcel, Parcels *int64 // of how many it is which
	PreviousID      *int64 // of the installments that there still are
	NextID          *int64
	NumberOfParcels *int64  // how many its creation makes; input only
	Created         []int64 // the ids of those, itself the first

	CreatedAt time.Time
	UpdatedAt time.Time
}

// Validate refuses a transaction without day or amount, and a new one of no number
// of installments. One installment is a plain purchase.
func (t *CreditCardTransaction) Validate() error {
	var invalid Invalid
	if t.OccurredAt.IsZero() {
		invalid.Add("occurred_at", messages.Blank)
	}
	if t.Amount == 0 {
		invalid.Add("amount", messages.Zero)
	}
	validateText(&invalid, "document", t.Document)
	validateText(&invalid, "description", t.Description)
	t.CustomClassifications.validate(&invalid)
	if n := t.NumberOfParcels; n != nil && (*n < 1 || *n > maxParcels) {
		invalid.Add("number_of_parcels", messages.NotInRange)
	}
	if t.NumberOfParcels != nil && *t.NumberOfParcels == 1 {
		t.NumberOfParcels = nil
	}
	return invalid.Err()
}

// Days are those of the installments that the creation of the transaction makes, a
// month apart, or its one day. They are the day of the first, or the last of a
// shorter month; beyond the year 9999 they are no days.
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
