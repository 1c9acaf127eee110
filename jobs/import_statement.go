package jobs

import (
	"strconv"
	"time"
)

// ImportStatement reads one uploaded bank statement and stores its transactions. Running it
// twice is harmless: known items are not imported again.
type ImportStatement struct {
	AccountID       int64 `json:"account_id"`
	BankStatementID int64 `json:"bank_statement_id"`

	DepositAccountID int64 `json:"-"` // imports of one deposit account take turns; stored as the job's key
}

// ImportStatementKind is the kind of ImportStatement.
var ImportStatementKind = Kind{
	Name:     "import_statement",
	Queue:    "statements",
	Attempts: 10,
	Delay:    Backoff(time.Second, time.Minute),
	Fair:     true,
}

// Kind implements Args.
func (ImportStatement) Kind() Kind { return ImportStatementKind }

// Key implements Keyed.
func (i ImportStatement) Key() string {
	return "deposit_account:" + strconv.FormatInt(i.DepositAccountID, 10)
}
