package cli

import "testing"

// The leader, the sealer and the periodic tasks leave the relay a connection.
func TestPeriodicTasksLeaveConnections(t *testing.T) {
	t.Parallel()
	for connections := schedulerConnections; connections <= 30; connections++ {
		if n := tasksAtOnce(connections); n < 1 || 2+n >= connections {
			t.Errorf("%d tasks at once with %d connections", n, connections)
		}
	}
}
