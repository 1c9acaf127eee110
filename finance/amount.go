package finance

import (
	"bytes"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"strconv"

	"bordero/internal/messages"
)

// Amount is money in cents. It is an integer, not a decimal type: every amount of the API has two
// decimals and at most 13 integer digits, so sums are exact, amounts compare with ==, and nothing
// is rounded by accident.
type Amount int64

// MaxAmount is the largest amount that the API accepts: 13 integer digits (NUMERIC(15,2)). Sums,
// such as a balance, may be larger.
const MaxAmount Amount = 999_999_999_999_999

// Errors of UnmarshalText, with texts for API users.
var (
	ErrNotNumber       = messages.NotNumber
	ErrTooManyDecimals = messages.TooManyDecimals
	ErrAmountTooLarge  = messages.TooLarge
)

// Abs returns the amount without its sign.
func (a Amount) Abs() Amount {
	if a < 0 {
		return -a
	}
	return a
}

// String returns the shortest decimal form with at least one decimal, as the API writes it:
// "150.99", "150.0", "-68.5".
func (a Amount) String() string { return string(a.append(nil)) }

// AppendText implements encoding.TextAppender in the form of String.
func (a Amount) AppendText(b []byte) ([]byte, error) { return a.append(b), nil }

func (a Amount) append(b []byte) []byte {
	u := uint64(a)
	if a < 0 {
		b, u = append(b, '-'), -u
	}
	b = strconv.AppendUint(b, u/100, 10)
	cents := byte(u % 100)
	b = append(b, '.', '0'+cents/10)
	if cents%10 != 0 {
		b = append(b, '0'+cents%10)
	}
	return b
}

// Brazilian returns the amount in Brazilian notation: "-1.234,50".
func (a Amount) Brazilian() string {
	sign := ""
	if a < 0 {
		sign = "-"
	}
	return fmt.Sprintf("%s%s,%02d", sign, messages.Number(int64(a.Abs()/100)), a.Abs()%100)
}

// UnmarshalText reads a plain or scientific decimal ("12.50", "-3", "0.199E3"). More than two
// decimals (not counting trailing zeros), more than 13 integer digits and anything that is not a
// number are refused, never rounded.
func (a *Amount) UnmarshalText(text []byte) error {
	cents, err := parseFixed(text, 2, 15, ErrTooManyDecimals, ErrAmountTooLarge)
	if err == nil {
		*a = Amount(cents)
	}
	return err
}

// parseFixed reads a decimal as a number of units of 10^-decimals. precision is the maximum
// number of digits, decimals included.
func parseFixed(text []byte, decimals, precision int, tooManyDecimals, tooLarge error) (units int64, err error) {
	digits, scale, negative, err := parseDecimal(text)
	switch {
	case err != nil || len(digits) == 0:
		return 0, err
	case scale > decimals:
		return 0, tooManyDecimals
	case len(digits)+decimals-scale > precision:
		return 0, tooLarge
	}
	for _, d := range digits {
		units = units*10 + int64(d-'0')
	}
	for ; scale < decimals; scale++ {
		units *= 10
	}
	if negative {
		units = -units
	}
	return units, nil
}

// parseDecimal splits a decimal into its significant digits, without leading and trailing zeros,
// and a scale: the number is digits × 10^-scale.
func parseDecimal(text []byte) (digits []byte, scale int, negative bool, err error) {
	if len(text) == 0 || len(text) > 64 {
		return nil, 0, false, ErrNotNumber
	}
	if text[0] == '-' || text[0] == '+' {
		negative, text = text[0] == '-', text[1:]
	}
	exponent := 0
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		exponent, err = strconv.Atoi(string(text[i+1:]))
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return nil, 0, false, ErrNotNumber
		}
		// Bounded, so that the scale does not overflow; no text is long enough to make up for the bound.
		exponent = max(-128, min(exponent, 128))
		text = text[:i]
	}
	whole, fraction, _ := bytes.Cut(text, []byte("."))
	if len(whole)+len(fraction) == 0 {
		return nil, 0, false, ErrNotNumber
	}
	digits = append(append(digits, whole...), fraction...)
	for _, d := range digits {
		if d < '0' || d > '9' {
			return nil, 0, false, ErrNotNumber
		}
	}
	scale = len(fraction) - exponent
	digits = bytes.TrimLeft(digits, "0")
	trimmed := bytes.TrimRight(digits, "0")
	scale -= len(digits) - len(trimmed)
	if len(trimmed) == 0 {
		return nil, 0, false, nil
	}
	return trimmed, scale, negative, nil
}

// Scan implements sql.Scanner for NUMERIC with at most two decimals. It returns ErrAmountTooLarge
// for a sum that does not fit an Amount.
func (a *Amount) Scan(src any) error {
	var text []byte
	switch v := src.(type) {
	case []byte:
		text = v
	case string:
		text = []byte(v)
	case int64:
		*a = Amount(v * 100)
		return nil
	default:
		return fmt.Errorf("amount from %T", src)
	}
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	const most = math.MaxInt64/10 - 1 // leaves room for one more digit
	decimals, point := 0, false
	var cents int64
	for _, c := range text {
		switch {
		case c == '.' && !point:
			point = true
		case c >= '0' && c <= '9' && cents <= most:
			cents = cents*10 + int64(c-'0')
			if point {
				decimals++
			}
		case c >= '0' && c <= '9':
			return fmt.Errorf("amount from %q: %w", text, ErrAmountTooLarge)
		default:
			return fmt.Errorf("amount from %q", text)
		}
	}
	for ; decimals < 2; decimals++ {
		if cents > most {
			return fmt.Errorf("amount from %q: %w", text, ErrAmountTooLarge)
		}
		cents *= 10
	}
	if decimals > 2 {
		return fmt.Errorf("amount from %q", text)
	}
	if negative {
		cents = -cents
	}
	*a = Amount(cents)
	return nil
}

// Value implements driver.Valuer as decimal text.
func (a Amount) Value() (driver.Value, error) { return a.String(), nil }
