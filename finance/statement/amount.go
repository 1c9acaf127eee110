package statement

import (
	"strings"

	"bordero/finance"
)

// parseAmount reads an amount as banks write it: a sign and a currency sign may
// come first, '.' or ',' is the decimal mark, the other one may group thousands,
// blanks may stand anywhere, any number of decimals is rounded half away from zero
// to cents. Nothing but blanks, marks and signs is 0.
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

// trimSigns takes blanks, a sign and a currency sign off the front.
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

// decimalPoint returns where the decimal mark is, or the length of the text: it is
// the last mark, unless that one occurs more than once, as in 1.234.567.
func decimalPoint(text string) int {
	last := strings.LastIndexAny(text, ".,")
	if last < 0 || strings.IndexByte(text, text[last]) < last {
		return len(text)
	}
	return last
}

// parseWhole reads the integer part. Thousands are grouped by one kind of mark,
// each with three digits after it: what is not so may be anything.
func parseWhole(text string) (finance.Amount, error) {
	var whole finance.Amount
	var mark byte
	digits := 0 // since the mark
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

// parseFraction reads the decimals as cents.
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
