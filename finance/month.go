package finance

import (
	"database/sql/driver"
	"time"
)

// Month is a calendar month. The zero Month means no month.
type Month struct{ first Date }

// MonthOf returns the month of the day; zero for the zero Date.
func MonthOf(d Date) Month {
	return Month{d.AddDays(1 - d.t.Day())}
}

// IsZero reports whether m is no month.
func (m Month) IsZero() bool { return m.first.IsZero() }

// AddMonths returns the month n months later, or the zero Month beyond the year 9999.
func (m Month) AddMonths(n int) Month { return Month{m.first.AddMonths(n)} }

// Before reports whether m is an earlier month than n.
func (m Month) Before(n Month) bool { return m.first.Before(n.first) }

// Since returns how many months m is later than n.
func (m Month) Since(n Month) int {
	return 12*(m.first.t.Year()-n.first.t.Year()) + int(m.first.t.Month()) - int(n.first.t.Month())
}

// Day returns the n-th day of the month, or the last day of a shorter month.
func (m Month) Day(n int64) Date {
	last := m.first.t.AddDate(0, 1, -1).Day()
	return m.first.AddDays(min(int(n), last) - 1)
}

// String returns YYYY-MM.
func (m Month) String() string { return m.first.String()[:len("YYYY-MM")] }

// UnmarshalText reads YYYY-MM, or the month of a date in the forms of ParseDate.
func (m *Month) UnmarshalText(text []byte) error {
	if len(text) == len("YYYY-MM") {
		text = append(text[:len(text):len(text)], "-01"...)
	}
	d, err := ParseDate(string(text))
	if err == nil {
		*m = MonthOf(d)
	}
	return err
}

// Scan implements sql.Scanner for the DATE of the first day.
func (m *Month) Scan(src any) error { return m.first.Scan(src) }

// Value implements driver.Valuer as the first day; the zero Month is NULL.
func (m Month) Value() (driver.Value, error) { return m.first.Value() }

// AddMonths returns the same day n months later, or the last day of a shorter month: one month
// after January 31 is February 28. It returns the zero Date beyond the year 9999.
func (d Date) AddMonths(n int) Date {
	first := time.Date(d.t.Year(), d.t.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	later, _ := NewDate(first.Year(), first.Month(), min(d.t.Day(), last))
	return later
}
