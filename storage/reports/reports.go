// Package reports sums records: totals of lists, cash flows, aging. It is above storage and apart from it,
// because it only reads, over many entities at once, and nothing is written by its results. The rows are
// summed when a report is asked for: no sum is stored, so no sum can be stale.
package reports

// Scope is the tenant of a report and its entities, which the user sees.
type Scope struct {
	AccountID int64
	EntityIDs []int64
}
