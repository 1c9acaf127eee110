// Package tier divides the tests in two: those that run on every push, in minutes, and the
// long tier, which proves the same by more rounds, larger data and rarer faults.
//
// `make long` runs the long tier; docs/tests.md has its last result.
package tier

import (
	"os"
	"testing"
)

// Variable selects the long tier if it is set.
const Variable = "BORDERO_LONG"

// Long reports whether the long tier runs.
func Long() bool { return os.Getenv(Variable) != "" }

// NeedsLong skips a test unless the long tier runs. why states what the test would cost
// every push, and what a push still tests.
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
