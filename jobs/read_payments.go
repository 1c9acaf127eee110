package jobs

import "time"

// ReadPayments reads what the bank's texts say about the payments of a statement that an earlier release
// imported. Migrations enqueue it for each such statement, and a trigger (00099) for each one that a worker of
// release 0.2.0 imports after them. It emits no events, as no new attribute of a release does. Running it twice
// is harmless.
type ReadPayments struct {
	AccountID       int64 `json:"account_id"`
	BankStatementID int64 `json:"bank_statement_id"`
}

// ReadPaymentsKind is the kind of ReadPayments.
var ReadPaymentsKind = Kind{
	Name:     "read_payments",
	Queue:    "statements",
	Attempts: 10,
	Delay:    Backoff(time.Second, time.Hour),
}

// Kind implements Args.
func (ReadPayments) Kind() Kind { return ReadPaymentsKind }
