package finance

import (
	"cmp"
	"fmt"
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
