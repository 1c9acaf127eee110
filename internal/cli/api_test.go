package cli

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"bordero/internal/config"
	"bordero/storage"
)

func TestRequestMemory(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for limit, want := range map[int64][2]int64{
		704 * mib:     {176 * mib, 44 * mib},
		128 * mib:     {64 * mib, 16 * mib},
		math.MaxInt64: {256 * mib, 64 * mib},
	} {
		if all, each := requestMemory(limit); all != want[0] || each != want[1] {
			t.Errorf("with a limit of %d bytes: %d for all and %d for each, not %v", limit, all, each, want)
		}
	}
}

// The settings of a process's sessions cannot be seen from outside, hence the look at the sources.
func TestStatementsOfRequestsAreLimited(t *testing.T) {
	t.Parallel()
	want := storage.Options{StatementTimeout: 10 * time.Second, IdleInTransaction: 30 * time.Second}
	got := forRequests(config.Config{})
	if got.StatementTimeout != want.StatementTimeout || got.IdleInTransaction != want.IdleInTransaction {
		t.Errorf("%+v, not %+v", got, want)
	}
	for file, opens := range map[string]string{"api.go": `(ctx, "api", forRequests`,
		"monitor.go": `(ctx, "monitor", forRequests`} {
		if source, err := os.ReadFile(file); err != nil || !strings.Contains(string(source), opens) {
			t.Errorf("%s, %v: no %s", file, err, opens)
		}
	}
}
