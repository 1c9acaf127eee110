package statement

import (
	"strings"

	"bordero/finance"
)

// parseAmount reads an amount as banks write it. A sign and a currency sign may come first; '.'
// or ',' is the decimal mark, and the other one may group thousands; spaces may be anywhere. Any
// number of decimals is rounded half away from zero to cents. Text that has only spaces, marks
// and signs is 0.
func parseAmount(text string) (finance.Amount, error) {
	text, negative := trimSigns(text)
	if strings.Trim(text, " .,") == "" {
		return 0, nil
	}
	point := decimalPoint(text)
	cents, err := parseWhole(text[:point])
	if err != nil {
		return 0, err
	}
	fraction, err := parseFraction(strings.TrimLeft(text[point:], ".,"))
	if err != nil {
		return 0, err
	}
	cents = cents*100 + fraction
	if cents > finance.MaxAmount {
		return 0, finance.ErrAmountTooLarge
	}
	if negative {
		cents = -cents
	}
	return cents, nil
}

// trimSigns removes leading spaces, a sign and a currency sign.
func trimSigns(text string) (rest string, negative bool) {
	rest = strings.TrimLeft(text, " ")
	signed, currency := false, false
	for {
		switch {
		case !signed && (strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "+")):
			signed, negative = true, rest[0] == '-'
			rest = rest[1:]
		case !currency && (strings.HasPrefix(rest, "$") || strings.HasPrefix(rest, "R$")):
			currency = true
			rest = strings.TrimPrefix(rest, "R")[1:]
		default:
			return rest, negative
		}
		rest = strings.TrimLeft(rest, " ")
	}
}

// decimalPoint returns the index of the decimal mark, or the length of the text without one. The
// decimal mark is the last mark, unless it occurs more than once, as in 1.234.567.
func decimalPoint(text string) int {
	last := strings.LastIndexAny(text, ".,")
	if last < 0 || strings.IndexByte(text, text[last]) < last {
		return len(text)
	}
	return last
}

// parseWhole parses the integer part. Thousands are grouped by one kind of mark with three digits
// after each; anything else is refused, because its meaning is unclear.
func parseWhole(text string) (finance.Amount, error) {
	var whole finance.Amount
	var mark byte
	digits := 0 // since the last mark
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ':
		case '0' <= c && c <= '9':
			whole = min(whole*10+finance.Amount(c-'0'), finance.MaxAmount)
			digits++
		case (c == '.' || c == ',') && (mark == 0 && digits > 0 || mark == c && digits == 3):
			mark, digits = c, 0
		default:
			return 0, finance.ErrNotNumber
		}
	}
	if mark != 0 && digits != 3 {
		return 0, finance.ErrNotNumber
	}
	return whole, nil
}

// parseFraction parses the decimals as cents.
func parseFraction(text string) (finance.Amount, error) {
	var cents finance.Amount
	digits := 0
	for i := range len(text) {
		c := text[i]
		if c == ' ' {
			continue
		}
		if c < '0' || c > '9' {
			return 0, finance.ErrNotNumber
		}
		digits++
		switch {
		case digits <= 2:
			cents = cents*10 + finance.Amount(c-'0')
		case digits == 3 && c >= '5':
			cents++
		}
	}
	if digits == 1 {
		cents *= 10
	}
	return cents, nil
}
