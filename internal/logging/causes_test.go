package logging_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"bordero/internal/logging"
)

// A cause is logged at once and each minute, whatever numbers its text has; another cause at once.
func TestACauseThatLastsIsLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var causes logging.Causes
		if causes.Any() {
			t.Error("there is a cause before the first")
		}
		var logged []int
		for second := range 130 {
			cause := fmt.Sprintf("read tcp 127.0.0.1:%d->127.0.0.1:6379: i/o timeout", 40_000+second)
			if second == 70 {
				cause = "redis is full"
			}
			if causes.Due(cause) {
				logged = append(logged, second)
			}
			time.Sleep(time.Second)
		}
		if want := []int{0, 60, 70, 120}; !slices.Equal(logged, want) || !causes.Any() {
			t.Errorf("logged at %v, not at %v", logged, want)
		}
	})
}
