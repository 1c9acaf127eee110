package statement

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"bordero/finance"
	"bordero/internal/messages"

	"golang.org/x/text/unicode/norm"
)

// Outcome is the result for an item. Each item has exactly one.
type Outcome string

// The outcomes in the order in which they are tested. An item that passes all tests is imported.
const (
	OtherAccount Outcome = "other_account"
	InvalidDate  Outcome = "invalid_date"
	Zero         Outcome = "zero"
	Balance      Outcome = "balance"
	Future       Outcome = "future"
	Duplicate    Outcome = "duplicate" // set by the import, which knows the existing items
	Imported     Outcome = "imported"
)

// Outcomes lists all outcomes.
var Outcomes = []Outcome{OtherAccount, InvalidDate, Zero, Balance, Future, Duplicate, Imported}

// Classify returns the outcome of an item before duplicates are detected, and its amount, rounded
// half away from zero to cents; 0 if the outcome does not depend on the amount. account is the
// account number to import, "" for all. It returns an *Error if the amount is not a number or has
// more than 13 integer digits: the file is then broken.
func Classify(it Item, account string, today finance.Date) (Outcome, finance.Amount, error) {
	if account != "" && !SameAccount(it.Account, account) {
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
	case isBalance(it.Description):
		return Balance, amount, nil
	case it.Day.After(today):
		return Future, amount, nil
	}
	return Imported, amount, nil
}

// SameAccount reports whether two account numbers have the same letters and digits, ignoring
// case, punctuation and leading zeros.
func SameAccount(a, b string) bool { return a == b || accountKey(a) == accountKey(b) }

func accountKey(account string) string {
	key := strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToUpper(c)
		}
		return -1
	}, account)
	if trimmed := strings.TrimLeft(key, "0"); trimmed != "" || key == "" {
		return trimmed
	}
	return "0"
}

// balances are the beginnings of descriptions of balances. Some banks write a balance as if it
// were a movement.
var balances = []string{
	"SALDOANTERIOR", "SALDOINICIAL", "SALDOFINAL", "SALDODIA", "SALDODODIA",
	"SALDOTOTAL", "SALDOPARCIAL",
}

// isBalance ignores accents, case and spaces: "S A L D O DO DIA" is a balance.
func isBalance(description string) bool {
	var start []rune
	for _, c := range norm.NFD.String(description) {
		if !unicode.IsSpace(c) && !unicode.Is(unicode.Mn, c) {
			start = append(start, unicode.ToUpper(c))
		}
		if len(start) == 1 && start[0] != 'S' || len(start) == 16 {
			break
		}
	}
	for _, balance := range balances {
		if strings.HasPrefix(string(start), balance) {
			return true
		}
	}
	return false
}
