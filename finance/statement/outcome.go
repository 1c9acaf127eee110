package statement

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"bordero/finance"
	"bordero/internal/messages"

	"golang.org/x/text/unicode/norm"
)

// Outcome is what becomes of an item. Each item has one.
type Outcome string

// The outcomes, in the order in which they are tested; what passes all of them is
// imported.
const (
	OtherAccount Outcome = "other_account"
	InvalidDate  Outcome = "invalid_date"
	Zero         Outcome = "zero"
	Balance      Outcome = "balance"
	Future       Outcome = "future"
	Duplicate    Outcome = "duplicate" // for the one who knows what is known
	Imported     Outcome = "imported"
)

// Outcomes are all of them.
var Outcomes = []Outcome{OtherAccount, InvalidDate, Zero, Balance, Future, Duplicate, Imported}

// Classify tells what becomes of an item before duplicates are known, and its
// amount, rounded half away from zero to cents; 0 where the amount is not looked
// at. Account is the one to import, "" being all of them. The *Error is an amount
// that is no number or has more than 13 integer digits: the file is then broken.
func Classify(it Item, account string, today finance.Date) (Outcome, finance.Amount, error) {
	if account != "" && !SameAccount(it.Account, account) {
		return OtherAccount, 0, nil
	}
	if it.Day.IsZero() {
		return InvalidDate, 0, nil
	}
	amount, err := parseAmount(it.Amount)
	switch {
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

// SameAccount compares account numbers by letters and digits, without regard to
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

// balances are how the descriptions begin that some banks give a balance which
// they write as if it were a movement.
var balances = []string{
	"SALDOANTERIOR", "SALDOINICIAL", "SALDOFINAL", "SALDODIA", "SALDODODIA",
	"SALDOTOTAL", "SALDOPARCIAL",
}

// isBalance compares without accents, case and blanks: "S A L D O DO DIA".
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

// Instalment returns the mark n/m (1 ≤ n ≤ m, m ≥ 2, up to three digits each) in a
// description as "3/10", or "". The last one counts, since a day of purchase comes
// first; dates with a year are no marks.
func Instalment(description string) string {
	for end := len(description); ; {
		slash := strings.LastIndexByte(description[:end], '/')
		if slash < 0 {
			return ""
		}
		before, after := description[:slash], description[slash+1:]
		first := before[len(strings.TrimRight(before, "0123456789")):]
		last := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
		n, m := small(first), small(last)
		inDate := strings.HasSuffix(strings.TrimSuffix(before, first), "/") ||
			strings.HasPrefix(after[len(last):], "/")
		if 1 <= n && n <= m && m >= 2 && !inDate {
			return strconv.Itoa(n) + "/" + strconv.Itoa(m)
		}
		end = slash
	}
}

// small reads a number of one to three digits; 0 is none.
func small(digits string) int {
	if len(digits) > 3 {
		return 0
	}
	n, _ := strconv.Atoi(digits)
	return n
}
