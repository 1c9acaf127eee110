// Package reports sums records: totals of lists, cash flows, aging. It is above storage and apart from it,
// because it only reads, over many entities at once, and nothing is written by its results. The rows are
// summed when a report is asked for: no sum is stored, so no sum can be stale.
package reports

import (
	"context"

	"bordero/internal/db"
	"bordero/storage"
)

// Scope is the tenant of a report and its entities, which the user sees.
type Scope struct {
	AccountID int64
	EntityIDs []int64
}

// prepareSums gives the statements of a snapshot enough memory for the sums of 100,000 groups, which otherwise
// are sorted or written to disk, and no parallel workers: to start them takes longer than to sum a month, and one
// account would have several cores of a server that all accounts use.
func prepareSums(ctx context.Context, q storage.Queries) error {
	_, err := db.Exec(ctx, q.DB, `SET LOCAL work_mem = '32MB'; SET LOCAL max_parallel_workers_per_gather = 0`)
	return err
}
