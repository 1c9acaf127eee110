package jobs

import (
	"fmt"
	"time"
)

// ApplyCardDays applies the pending days of a credit card to its open invoices. All jobs of one card
// coalesce. Running it twice is harmless: the second run finds no pending days.
type ApplyCardDays struct {
	AccountID    int64 `json:"account_id"`
	CreditCardID int64 `json:"credit_card_id"`
}

// ApplyCardDaysKind is the kind of ApplyCardDays.
var ApplyCardDaysKind = Kind{
	Name:     "apply_card_days",
	Queue:    "sales",
	Attempts: 10,
	Delay:    Backoff(time.Second, time.Minute),
	Keyed:    true,
}

// Kind implements Args.
func (ApplyCardDays) Kind() Kind { return ApplyCardDaysKind }

// Key implements Keyed.
func (a ApplyCardDays) Key() string { return fmt.Sprintf("%d:%d", a.AccountID, a.CreditCardID) }
