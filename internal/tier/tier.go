// Package tier divides the tests in two: what runs on every push, in minutes, and the
// long tier, which proves the same by more rounds, larger data and rarer faults. It is
// apart because the tests of many packages ask.
//
// `make long` runs the long tier; docs/tests.md has its last result.
package tier

import (
	"os"
	"testing"
)

// Variable asks for the long tier when it is set.
const Variable = "BORDERO_LONG"

// Long reports whether the long tier runs.
func Long() bool { return os.Getenv(Variable) != "" }

// NeedsLong skips a test that is in the long tier alone; why says what it would cost a
// push, and what stays there.
func NeedsLong(t testing.TB, why string) {
	t.Helper()
	if !Long() {
		t.Skip("in the long tier (" + Variable + "=1): " + why)
	}
}

// Size is how much of something a test does: push on every push, long in the long tier.
func Size[T any](push, long T) T {
	if Long() {
		return long
	}
	return push
}
