package verify

import (
	"slices"
	"strings"
	"testing"

	"bordero/jobs"
	"bordero/storage/queue"
)

// A check that misses a job of a kind requires that dismissed jobs of the kind are not removed.
func TestJobsThatChecksMissAreOwed(t *testing.T) {
	t.Parallel()
	var owed, missed []string
	for _, kind := range jobs.Owed {
		owed = append(owed, kind.Name)
	}
	// Unfinished imports of statements are found by their status; the check of turns counts their jobs.
	every := append(slices.Clone(jobs.Owed), jobs.ProveBalanceKind, jobs.ReadPaymentsKind,
		jobs.ReconcileAutomaticallyKind, jobs.RedeliverWebhookKind, jobs.MailWebhookFailureKind)
	for _, kind := range every {
		if slices.ContainsFunc(checks, func(c check) bool {
			return strings.Contains(c.statement.SQL, queue.KindName(kind))
		}) {
			missed = append(missed, kind.Name)
		}
	}
	if slices.Sort(owed); !slices.Equal(owed, slices.Sorted(slices.Values(missed))) {
		t.Errorf("checks miss jobs of the kinds %v, owed are %v", missed, owed)
	}
}
