package jobs_test

import (
	"testing"
	"time"

	"bordero/jobs"
)

func TestBackoff(t *testing.T) {
	t.Parallel()
	delay := jobs.Backoff(time.Second, 10*time.Second)
	for attempt, want := range []time.Duration{1: 1, 2: 2, 3: 4, 4: 8, 5: 10, 1000: 10} {
		if want != 0 && delay(attempt) != want*time.Second {
			t.Errorf("after attempt %d it waits %v, not %ds", attempt, delay(attempt), want)
		}
	}
}
