package statement

import (
	"errors"
	"fmt"
	"strings"

	"bordero/finance"
	"bordero/internal/messages"
)

// Outcome is the result for an item. Each item has exactly one.
type Outcome string

// The outcomes in the order in which they are tested. An item that passes all tests is imported.
const (
	OtherAccount Outcome = "other_account"
	InvalidDate  Outcome = "invalid_date"
	Zero         Outcome = "zero"
	Pending      Outcome = "pending" // announced, and not booked
	Balance      Outcome = "balance"
	Future       Outcome = "future"
	Duplicate    Outcome = "duplicate" // set by the import, which knows the existing items
	Imported     Outcome = "imported"
)

// Outcomes lists all outcomes.
var Outcomes = []Outcome{OtherAccount, InvalidDate, Zero, Pending, Balance, Future, Duplicate, Imported}

// Classify returns the outcome of an item before duplicates are detected, and its amount, rounded
// half away from zero to cents; 0 if the outcome does not depend on the amount. account is the
// account number to import, as AccountOf returns it, "" for all. It returns an *Error if the amount
// is not a number or has more than 13 integer digits: the file is then broken.
func Classify(it Item, account string, today finance.Date) (Outcome, finance.Amount, error) {
	if account != "" && !sameKey(it.Account, account) {
		return OtherAccount, 0, nil
	}
	if it.Day.IsZero() {
		return InvalidDate, 0, nil
	}
	amount, err := parseAmount(it.Amount)
	switch {
	case errors.Is(err, finance.ErrNotNumber): // files have commas too, so the hint for clients is wrong here
		return "", 0, &Error{it.AmountLine, fmt.Sprintf(messages.BadAmountf, it.Amount, messages.NotANumber)}
	case err != nil:
		return "", 0, &Error{it.AmountLine, fmt.Sprintf(messages.BadAmountf, it.Amount, err)}
	case amount == 0:
		return Zero, 0, nil
	case it.Pending:
		return Pending, amount, nil
	case it.Balance, isBalance(strings.TrimSuffix(it.Description, it.Reference)):
		return Balance, amount, nil
	case it.Day.After(today):
		return Future, amount, nil
	}
	return Imported, amount, nil
}
