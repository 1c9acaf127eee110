package finance

import (
	"strings"
	"time"

	"bordero/internal/messages"
)

// CreditCard is a card of an entity (OpenAPI: CreditCard). What is bought with it
// is gathered in invoices, see Billings.
type CreditCard struct {
	ID        int64
	AccountID int64
	EntityID  int64
	Name      string
	Flag      string // one of CardNetworks
	// The days of the month, its last where it is shorter, on which an invoice is
	// closed and is due. Those that rule are of Billings, to which Bill adds these.
	ClosingDay    *int64
	ExpirationDay *int64
	Billings      Billings
	Balance       Sum // of all invoices that are to be paid yet; read only
	References        // given to the payable accounts of its invoices
	Observation   *string
	ArchivedAt    *time.Time
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Validate refuses a card without name, flag or days, and spells the flag as
// CardNetworks do.
func (k *CreditCard) Validate() error {
	var invalid Invalid
	validateName(&invalid, k.Name)
	flag, known := canonicalIn(CardNetworks, k.Flag)
	if !known {
		invalid.Add("flag", messages.NotInList)
	}
	k.Flag = flag
	validateDay(&invalid, "closing_day", k.ClosingDay)
	validateDay(&invalid, "expiration_day", k.ExpirationDay)
	return invalid.Err()
}

func validateDay(invalid *Invalid, attribute string, day *int64) {
	switch {
	case day == nil:
		invalid.Add(attribute, messages.Blank)
	case *day < 1 || *day > 31:
		invalid.Add(attribute, messages.NotInRange)
	}
}

// Bill lets the days of the card rule from the first month after that of its last
// invoice, nil where it has none, and tells whether that changes anything.
func (k *CreditCard) Bill(last *InvoicePeriod) (changed bool, err error) {
	if n := len(k.Billings); n > 0 && k.Billings[n-1].ClosingDay == *k.ClosingDay && k.Billings[n-1].ExpirationDay == *k.ExpirationDay {
		return false, nil
	}
	k.Billings, err = k.Billings.After(last, *k.ClosingDay, *k.ExpirationDay)
	return true, err
}

// SetArchive archives the card at the moment, unless it is, or brings it back.
func (k *CreditCard) SetArchive(archive bool, at time.Time) {
	switch {
	case !archive:
		k.ArchivedAt = nil
	case k.ArchivedAt == nil:
		k.ArchivedAt = &at
	}
}

// FlagImageURL is the relative address of the picture of the flag.
func (k *CreditCard) FlagImageURL() string {
	return "flags/" + strings.NewReplacer(" ", "-", "!", "").Replace(strings.ToLower(k.Flag)) + ".png"
}
