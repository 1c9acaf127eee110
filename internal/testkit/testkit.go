// Package testkit has the functions that the tests of all packages share. It is apart from the
// harnesses of the single packages because it knows nothing of bordero.
package testkit

import (
	"strings"
	"testing"
	"time"

	"bordero/internal/tier"
)

// Patience limits all waiting. The machine may be busy, so it is no measure of how long anything
// should take. The tests of the long tier make it busy themselves.
var Patience = tier.Size(2*time.Minute, 10*time.Minute)

// Eventually calls ok until it returns true, every 10 ms at first and every 100 ms after two seconds,
// so that it is at most 5 % late, and fails the test when that takes longer than Patience. The failure
// contains what, and the details, which are evaluated only then. ok runs in the test's goroutine and may
// fail the test itself.
func Eventually(t testing.TB, what string, ok func() bool, details ...func() string) {
	t.Helper()
	for began := time.Now(); !ok(); {
		waited := time.Since(began)
		if waited > Patience {
			t.Fatalf("not within %v: %s%s", Patience, what, report(details))
		}
		// Many tests wait at a time: polling takes the processor from the work that they wait for.
		time.Sleep(min(max(waited/20, 10*time.Millisecond), 100*time.Millisecond))
	}
}

// report has one line or block for each of the details.
func report(details []func() string) string {
	var b strings.Builder
	for _, d := range details {
		b.WriteString("\n" + d())
	}
	return b.String()
}
