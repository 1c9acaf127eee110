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
	// day. The days in effect are those in Billings, and new ones are Pending until a job has dated the
	// open invoices anew.
	ClosingDay    *int64
	ExpirationDay *int64
	Today         Date // of a change of the days; input only
	Billings      Billings
	Pending       *Billing
	FirstPurchase *Date // the day of its oldest transaction; read only
	Balance       Sum   // of all unpaid invoices; read only
	References          // copied to the payable accounts of its invoices
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

// Latest returns the billing with the days that the card shows; zero for a card that is not stored.
func (k *CreditCard) Latest() Billing {
	if k.Pending != nil {
		return *k.Pending
	}
	if n := len(k.Billings); n > 0 {
		return k.Billings[n-1]
	}
	return Billing{}
}

// AppliesFrom returns the month of the first invoice with the days that the card shows; nil if they
// apply to all invoices and there is no transaction.
func (k *CreditCard) AppliesFrom() *Month {
	latest := k.Latest()
	day := latest.StartsOn
	if day.IsZero() && k.FirstPurchase != nil {
		day = *k.FirstPurchase
	}
	if day.IsZero() {
		return nil
	}
	first, ok := latest.period(day)
	if !ok {
		return nil
	}
	month := MonthOf(first.DueDate)
	return &month
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
