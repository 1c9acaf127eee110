package finance

import (
	"strings"
	"time"

	"bordero/internal/messages"
)

// CreditCard is a card of an entity (OpenAPI: CreditCard). Its purchases are grouped into
// invoices; see Billings.
type CreditCard struct {
	ID        int64
	AccountID int64
	EntityID  int64
	Name      string
	Flag      string // one of CardNetworks
	// The days of the month on which an invoice closes and is due; in a shorter month, its last
	// day. The days in effect are those in Billings; Bill adds new ones there.
	ClosingDay    *int64
	ExpirationDay *int64
	Billings      Billings
	Balance       Sum // of all unpaid invoices; read only
	References        // copied to the payable accounts of its invoices
	Observation   *string
	ArchivedAt    *time.Time
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Validate refuses a card without a name, flag or days, and normalises the flag to its spelling
// in CardNetworks.
func (k *CreditCard) Validate() error {
	var invalid Invalid
	validateName(&invalid, k.Name)
	validateNote(&invalid, "observation", k.Observation)
	flag, known := canonicalIn(CardNetworks, k.Flag)
	if !known {
		invalid.Add("flag", messages.NotOneOf(CardNetworks))
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
		invalid.Add(attribute, messages.NotBetween.With(1, 31))
	}
}

// Bill applies the card's days to the invoices after last, its last one, or to all if last is nil.
// It reports whether that changes anything. ClosingDay and ExpirationDay must be set.
func (k *CreditCard) Bill(last *InvoicePeriod) (changed bool, err error) {
	var open Date // the first day without an invoice
	if last != nil {
		open = last.EndDate.AddDays(1)
	}
	// The same days begin earlier if the invoices that they were to follow are gone.
	if n := len(k.Billings); n > 0 && k.Billings[n-1].ClosingDay == *k.ClosingDay &&
		k.Billings[n-1].ExpirationDay == *k.ExpirationDay &&
		!k.Billings[n-1].StartsOn.After(open) {
		return false, nil
	}
	k.Billings, err = k.Billings.After(last, *k.ClosingDay, *k.ExpirationDay)
	return true, err
}

// SetArchive archives the card at the given time, unless it is archived already, or restores it.
func (k *CreditCard) SetArchive(archive bool, at time.Time) {
	switch {
	case !archive:
		k.ArchivedAt = nil
	case k.ArchivedAt == nil:
		k.ArchivedAt = &at
	}
}

// FlagImageURL returns the relative URL of the flag's image.
func (k *CreditCard) FlagImageURL() string {
	return "flags/" + strings.NewReplacer(" ", "-", "!", "").Replace(strings.ToLower(k.Flag)) + ".png"
}
