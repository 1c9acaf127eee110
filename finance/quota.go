package finance

import "bordero/internal/messages"

// Quota is a bound on what one account may use. Each has a default, which an operator may change for an account.
type Quota int

// The quotas, in the order in which they are shown.
const (
	RequestsPerMinute Quota = iota // of all tokens of the account together, in a calendar minute
	HeldRequests                   // being served at once, in one process of the API
	Exports                        // sheets being sent at once, in one process of the API
	RunningImports                 // at once, in all workers; further ones wait
	FileBytes                      // of the files of statements and attachments that are kept
	StatementRows                  // items of statements that are kept, imported and ignored ones
	Webhooks
	numQuotas
)

// Quotas has a value for each quota: the most that an account may use, or what it uses.
type Quotas [numQuotas]int64

// DefaultQuotas are the quotas of an account of which an operator has set none. They are generous: they stop what
// harms other accounts, and are no price list (decision 0049, docs/operations/quotas.md).
var DefaultQuotas = Quotas{
	RequestsPerMinute: 60_000,
	HeldRequests:      1_000,
	Exports:           100,
	RunningImports:    64,
	FileBytes:         100 << 30,
	StatementRows:     20_000_000,
	Webhooks:          64,
}

var quotaNames = [numQuotas]string{"requests_per_minute", "held_requests", "exports", "running_imports", "file_bytes",
	"statement_rows", "webhooks"}

// String returns the name of the quota, which is also its column.
func (q Quota) String() string { return quotaNames[q] }

// AllQuotas returns all quotas, in the order in which they are shown.
func AllQuotas() []Quota {
	all := make([]Quota, numQuotas)
	for i := range all {
		all[i] = Quota(i)
	}
	return all
}

// Least returns the least value of the quota: below it, an account could not even read, or would be told to try again
// for ever.
func (q Quota) Least() int64 {
	switch q {
	case RequestsPerMinute, HeldRequests, Exports, RunningImports:
		return 1
	}
	return 0
}

// Usage is how much an account has stored: bytes of files, and items of statements.
type Usage struct{ FileBytes, StatementRows int64 }

// RefuseFile refuses a file of so many bytes beyond the quotas of its account, and any statement once the account has
// as many items as its quota: the items of the file are not known yet.
func (u Usage) RefuseFile(q Quotas, bytes int64, isStatement bool) error {
	switch {
	case u.FileBytes+bytes > q[FileBytes]:
		return Refuse(Base, messages.FilesOfAccount.With(u.FileBytes, q[FileBytes], bytes))
	case isStatement:
		return u.RefuseImport(q)
	}
	return nil
}

// RefuseImport refuses an import once the account has as many items as its quota.
func (u Usage) RefuseImport(q Quotas) error {
	if u.StatementRows >= q[StatementRows] {
		return Refuse(Base, messages.RowsOfAccount.With(u.StatementRows, q[StatementRows]))
	}
	return nil
}
