// Package logging has the attributes that the log lines of all processes share. It is apart because the API and the
// workers log alike, and do not import each other.
package logging

import (
	"log/slog"
	"time"
)

// Milliseconds returns an attribute for a duration: below a second exact to the microsecond, else whole. Its name
// ends with _ms. As a time.Duration it would be nanoseconds in JSON and a text such as 4.2ms in the other format.
func Milliseconds(name string, d time.Duration) slog.Attr {
	if d >= time.Second { // as a fraction, a quarter of an hour and more would be written with an exponent
		return slog.Int64(name, d.Milliseconds())
	}
	return slog.Float64(name, float64(d.Microseconds())/1000)
}
