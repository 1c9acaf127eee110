package logging

import (
	"regexp"
	"time"
)

// Causes decides when the cause of a failure that lasts is logged: at once, and again each minute. One cause may have
// other numbers each time, such as the port of a connection. The zero value is ready; it is not safe for concurrent
// use.
type Causes struct{ logged map[string]time.Time }

var number = regexp.MustCompile(`\d+`)

// Due reports whether cause is to be logged now.
func (c *Causes) Due(cause string) bool {
	cause = number.ReplaceAllString(cause, "0")
	if time.Since(c.logged[cause]) < time.Minute {
		return false
	}
	if c.logged == nil {
		c.logged = map[string]time.Time{}
	}
	c.logged[cause] = time.Now()
	return true
}

// Any reports whether a cause was due.
func (c *Causes) Any() bool { return len(c.logged) > 0 }
