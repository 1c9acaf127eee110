package finance

import (
	"database/sql/driver"
	"fmt"
	"time"

	"bordero/internal/messages"
)

// Date is a calendar day without time or zone. The zero Date means no day.
type Date struct{ t time.Time }

// ErrNotDate reports text that is not a date, with a text for API users.
var ErrNotDate = messages.NotDate

// NewDate returns the day. ok is false if the calendar has no such day or the year is not between
// 1 and 9999.
func NewDate(year int, month time.Month, day int) (d Date, ok bool) {
	t := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if year < 1 || year > 9999 || t.Month() != month || t.Day() != day {
		return Date{}, false
	}
	return Date{t}, true
}

// DateOf returns the day of t in t's own location.
func DateOf(t time.Time) Date {
	return Date{time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)}
}

// ParseDate reads YYYY-MM-DD, or the day of a longer timestamp that begins so. It returns
// ErrNotDate for any other text.
func ParseDate(text string) (Date, error) {
	if len(text) < 10 || (len(text) > 10 && text[10] != 'T' && text[10] != ' ') {
		return Date{}, ErrNotDate
	}
	t, err := time.Parse(time.DateOnly, text[:10])
	if err != nil || t.Year() == 0 {
		return Date{}, ErrNotDate
	}
	return Date{t}, nil
}

// IsZero reports whether d is no day.
func (d Date) IsZero() bool { return d.t.IsZero() }

// validateDate refuses 0001-01-01, the zero Date: it would be stored as no day. .NET sends it for a
// date that was not set.
func validateDate(invalid *Invalid, attribute string, d *Date) {
	if d != nil && d.IsZero() {
		invalid.Add(attribute, messages.NotDate)
	}
}

// validateMonth refuses a day of the first month of the calendar, which as a Month is none.
func validateMonth(invalid *Invalid, attribute string, d Date) {
	if !d.IsZero() && MonthOf(d).IsZero() {
		invalid.Add(attribute, messages.NotInRange)
	}
}

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return d.t.Weekday() }

// Compare returns -1, 0 or 1 if d is before, equal to or after e.
func (d Date) Compare(e Date) int { return d.t.Compare(e.t) }

// Before reports whether d is an earlier day than e.
func (d Date) Before(e Date) bool { return d.t.Before(e.t) }

// After reports whether d is a later day than e.
func (d Date) After(e Date) bool { return d.t.After(e.t) }

// AddDays returns the day n days later.
func (d Date) AddDays(n int) Date { return Date{d.t.AddDate(0, 0, n)} }

// day returns the number of the day, counted from 1970-01-01.
func (d Date) day() int { return int(d.t.Unix() / int64(24*time.Hour/time.Second)) }

// DaysSince returns how many days d is after e.
func (d Date) DaysSince(e Date) int { return d.day() - e.day() }

// String returns YYYY-MM-DD.
func (d Date) String() string { return d.t.Format(time.DateOnly) }

// Brazilian returns DD/MM/YYYY, for texts that people read.
func (d Date) Brazilian() string { return d.t.Format("02/01/2006") }

// AppendText implements encoding.TextAppender in the form of String. It formats by hand: time's
// own format is slow for lists with hundreds of dates.
func (d Date) AppendText(b []byte) ([]byte, error) {
	year, month, day := d.t.Date()
	return append(b,
		'0'+byte(year/1000%10), '0'+byte(year/100%10), '0'+byte(year/10%10), '0'+byte(year%10), '-',
		'0'+byte(month/10), '0'+byte(month%10), '-',
		'0'+byte(day/10), '0'+byte(day%10)), nil
}

// UnmarshalText implements encoding.TextUnmarshaler by ParseDate.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDate(string(text))
	return err
}

// Scan implements sql.Scanner for DATE.
func (d *Date) Scan(src any) error {
	t, ok := src.(time.Time)
	if !ok {
		return fmt.Errorf("date from %T", src)
	}
	*d = DateOf(t)
	return nil
}

// Value implements driver.Valuer; the zero Date is NULL.
func (d Date) Value() (driver.Value, error) {
	if d.IsZero() {
		return nil, nil
	}
	return d.String(), nil
}
