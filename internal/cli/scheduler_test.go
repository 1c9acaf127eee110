package cli

import (
	"slices"
	"testing"
	"time"

	"bordero/internal/config"
)

// The leader, the sealer and the periodic tasks leave the relay a connection.
func TestPeriodicTasksLeaveConnections(t *testing.T) {
	t.Parallel()
	for connections := schedulerConnections; connections <= 30; connections++ {
		if n := tasksAtOnce(connections); n < 1 || 2+n >= connections {
			t.Errorf("%d tasks at once with %d connections", n, connections)
		}
	}
}

func TestTheSchedulerKeepsRowsAsConfigured(t *testing.T) {
	t.Parallel()
	p := &process{Config: config.Config{ChangesRetention: 1, WebhookHeldFor: 2, WebhookRetention: 3,
		IgnoredTextsRetention: 4, DismissedJobsRetention: 5}}
	h := p.housekeeping()
	got := []time.Duration{h.ChangesRetention, h.WebhookHeldFor, h.WebhookRetention, h.IgnoredTextsRetention,
		h.DismissedJobsRetention}
	if !slices.Equal(got, []time.Duration{1, 2, 3, 4, 5}) {
		t.Errorf("%d", got)
	}
}
