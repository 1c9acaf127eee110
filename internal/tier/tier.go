// Package tier divides the tests in two tiers. Push tests run on every push, in minutes; the long
// tier proves the same by more rounds, larger data and rarer faults.
//
// `make long` runs the long tier; docs/tests.md has its last result.
package tier

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Variable selects the long tier if it is set.
const Variable = "BORDERO_LONG"

// Long reports whether the long tier runs.
func Long() bool { return os.Getenv(Variable) != "" }

// NeedsLong skips a test unless the long tier runs. why states the cost of the test for every push,
// and the tests that a push runs instead.
func NeedsLong(t testing.TB, why string) {
	t.Helper()
	if !Long() {
		t.Skip("in the long tier (" + Variable + "=1): " + why)
	}
}

// Size returns push on every push, and long in the long tier.
func Size[T any](push, long T) T {
	if Long() {
		return long
	}
	return push
}

// Set returns the value of the environment variable name, or Size(push, long) if that is unset or empty. The test fails
// if the value is not a T above 0.
func Set[T int | uint64 | time.Duration](t testing.TB, name string, push, long T) T {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return Size(push, long)
	}
	var value T
	var err error
	switch v := any(&value).(type) {
	case *int:
		*v, err = strconv.Atoi(text)
	case *uint64:
		*v, err = strconv.ParseUint(text, 10, 64)
	case *time.Duration:
		*v, err = time.ParseDuration(text)
	}
	if err != nil || value <= 0 {
		t.Fatalf("%s=%q is no %T above 0", name, text, value)
	}
	return value
}
