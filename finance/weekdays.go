package finance

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"bordero/internal/messages"
)

// Weekdays is a set of days of the week, one bit each. The zero value is the empty set.
type Weekdays uint8

// ErrNotWeekdays reports text that is not a list of weekdays, with a text for API users.
var ErrNotWeekdays = messages.NotWeekdays

// Has reports whether the set contains the day.
func (w Weekdays) Has(d time.Weekday) bool { return w&(1<<d) != 0 }

// String returns the digits of the days in order, 0 for Sunday, separated by commas: "1,3".
func (w Weekdays) String() string {
	var digits []string
	for d := time.Sunday; d <= time.Saturday; d++ {
		if w.Has(d) {
			digits = append(digits, string(rune('0'+d)))
		}
	}
	return strings.Join(digits, ",")
}

// UnmarshalText reads the form of String, in any order and with spaces. It returns ErrNotWeekdays
// for other text, also for an empty one.
func (w *Weekdays) UnmarshalText(text []byte) error {
	var set Weekdays
	for digit := range strings.SplitSeq(string(text), ",") {
		digit = strings.TrimSpace(digit)
		if len(digit) != 1 || digit[0] < '0' || digit[0] > '6' {
			return ErrNotWeekdays
		}
		set |= 1 << (digit[0] - '0')
	}
	*w = set
	return nil
}

// Scan implements sql.Scanner for TEXT; NULL is the empty set.
func (w *Weekdays) Scan(src any) error {
	switch text := src.(type) {
	case nil:
		*w = 0
		return nil
	case string:
		return w.UnmarshalText([]byte(text))
	case []byte:
		return w.UnmarshalText(text)
	}
	return fmt.Errorf("weekdays from %T", src)
}

// Value implements driver.Valuer; the empty set is NULL.
func (w Weekdays) Value() (driver.Value, error) {
	if w == 0 {
		return nil, nil
	}
	return w.String(), nil
}
