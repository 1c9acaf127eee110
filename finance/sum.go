package finance

import (
	"cmp"
	"fmt"
	"strings"
)

// Sum is the exact sum of any number of amounts, which may be beyond an Amount. It
// is a decimal text in the form of Amount.String; empty is nothing.
type Sum string

// AppendText implements encoding.TextAppender.
func (s Sum) AppendText(b []byte) ([]byte, error) { return append(b, cmp.Or(s, "0.0")...), nil }

// UnmarshalText reads a NUMERIC as PostgreSQL writes it.
func (s *Sum) UnmarshalText(text []byte) error {
	whole, fraction, _ := strings.Cut(string(text), ".")
	*s = Sum(whole + "." + cmp.Or(strings.TrimRight(fraction, "0"), "0"))
	return nil
}

// Scan implements sql.Scanner over NUMERIC.
func (s *Sum) Scan(src any) error {
	switch v := src.(type) {
	case []byte:
		return s.UnmarshalText(v)
	case string:
		return s.UnmarshalText([]byte(v))
	}
	return fmt.Errorf("sum from %T", src)
}
