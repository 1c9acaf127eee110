package finance

import (
	"cmp"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Sum is the exact sum of any number of amounts, which may not fit an Amount. It is decimal text
// in the form of Amount.String; empty means zero.
type Sum string

// AppendText implements encoding.TextAppender.
func (s Sum) AppendText(b []byte) ([]byte, error) { return append(b, cmp.Or(s, "0.0")...), nil }

// UnmarshalText reads a NUMERIC in PostgreSQL's text form.
func (s *Sum) UnmarshalText(text []byte) error {
	whole, fraction, _ := strings.Cut(string(text), ".")
	*s = Sum(whole + "." + cmp.Or(strings.TrimRight(fraction, "0"), "0"))
	return nil
}

// Scan implements sql.Scanner for NUMERIC.
func (s *Sum) Scan(src any) error {
	switch v := src.(type) {
	case []byte:
		return s.UnmarshalText(v)
	case string:
		return s.UnmarshalText([]byte(v))
	}
	return fmt.Errorf("sum from %T", src)
}

// Amount returns the sum in cents. ok is false if it is so large that sums of such amounts might not
// fit.
func (s Sum) Amount() (a Amount, ok bool) {
	digits, negative := strings.CutPrefix(string(cmp.Or(s, "0.0")), "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	n, err := strconv.ParseInt(whole+(fraction + "00")[:2], 10, 64)
	if err != nil || n > int64(MaxAmount) {
		return 0, false
	}
	if negative {
		n = -n
	}
	return Amount(n), true
}

// SumOf returns the sum of a number of cents.
func SumOf(cents *big.Int) Sum {
	whole, fraction := new(big.Int).QuoRem(new(big.Int).Abs(cents), big.NewInt(100), new(big.Int))
	sign := ""
	if cents.Sign() < 0 {
		sign = "-"
	}
	var s Sum
	_ = s.UnmarshalText(fmt.Appendf(nil, "%s%s.%02d", sign, whole, fraction)) // has no errors
	return s
}

// Cents returns the sum in cents.
func (s Sum) Cents() *big.Int {
	whole, fraction, _ := strings.Cut(string(s), ".")
	cents, _ := new(big.Int).SetString(cmp.Or(whole, "0")+(fraction + "00")[:2], 10)
	return cents
}

// Plus returns s + t, exactly.
func (s Sum) Plus(t Sum) Sum { return s.with(t, Amount.plus, (*big.Int).Add) }

// Minus returns s - t, exactly.
func (s Sum) Minus(t Sum) Sum { return s.with(t, Amount.minus, (*big.Int).Sub) }

func (a Amount) plus(b Amount) Amount  { return a + b }
func (a Amount) minus(b Amount) Amount { return a - b }

// with applies an operation to s and t: in cents of an Amount if both are so small that the result fits.
func (s Sum) with(t Sum, small func(a, b Amount) Amount, large func(z, a, b *big.Int) *big.Int) Sum {
	a, ok := s.Amount()
	b, fits := t.Amount()
	if ok && fits {
		return Sum(small(a, b).String())
	}
	return SumOf(large(new(big.Int), s.Cents(), t.Cents()))
}

// IsZero reports whether the sum is zero.
func (s Sum) IsZero() bool { return s == "" || s == "0.0" }

// Less reports whether s is less than t.
func (s Sum) Less(t Sum) bool { return s.Minus(t).Cents().Sign() < 0 }

// brazilian returns the sum in Brazilian notation, if it is an Amount.
func (s Sum) brazilian() string {
	if a, ok := s.Amount(); ok {
		return a.Brazilian()
	}
	return string(s)
}
