package finance

import (
	"database/sql/driver"
	"fmt"
	"strconv"
	"strings"

	"bordero/internal/messages"
)

// Percentage is a percentage in ten-thousandths: 2.5 is 25000. It is an integer for the same
// reason as Amount. It has at most 5 integer digits (NUMERIC(9,4)).
type Percentage int64

// Hundred is 100 %.
const Hundred Percentage = 100_0000

// Errors of UnmarshalText, with texts for API users.
var (
	ErrPercentageDecimals = messages.PercentageDecimals
	ErrPercentageTooLarge = messages.PercentageTooLarge
)

// String returns the shortest decimal form with at least one decimal: "2.0",
// "1.9999".
func (p Percentage) String() string { return string(p.append(nil)) }

// AppendText implements encoding.TextAppender in the form of String.
func (p Percentage) AppendText(b []byte) ([]byte, error) { return p.append(b), nil }

func (p Percentage) append(b []byte) []byte {
	u := uint64(p)
	if p < 0 {
		b, u = append(b, '-'), -u
	}
	b = append(strconv.AppendUint(b, u/1_0000, 10), '.')
	for fraction, unit := u%1_0000, uint64(1000); ; unit /= 10 {
		b = append(b, '0'+byte(fraction/unit))
		if fraction %= unit; fraction == 0 {
			return b
		}
	}
}

// brazilian returns the percentage in Brazilian notation: "4,65 %".
func (p Percentage) brazilian() string {
	return strings.TrimSuffix(strings.Replace(p.String(), ".", ",", 1), ",0") + " %"
}

// UnmarshalText reads a percentage in the forms that Amount accepts. More than four decimals (not
// counting trailing zeros) and more than five integer digits are refused, never rounded.
func (p *Percentage) UnmarshalText(text []byte) error {
	units, err := parseFixed(text, 4, 9, ErrPercentageDecimals, ErrPercentageTooLarge)
	if err == nil {
		*p = Percentage(units)
	}
	return err
}

// Scan implements sql.Scanner for NUMERIC with at most four decimals.
func (p *Percentage) Scan(src any) error {
	text, ok := src.([]byte)
	if !ok {
		return fmt.Errorf("percentage from %T", src)
	}
	return p.UnmarshalText(text)
}

// Value implements driver.Valuer as decimal text.
func (p Percentage) Value() (driver.Value, error) { return p.String(), nil }
