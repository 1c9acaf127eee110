package jobs

import "time"

// DeleteBankStatement undoes the import of a statement that is hidden already: it
// removes its transactions, what is remembered of it, its items and its file.
// Running it twice is harmless: it removes what is left.
type DeleteBankStatement struct {
	AccountID       int64 `json:"account_id"`
	BankStatementID int64 `json:"bank_statement_id"`
}

// DeleteBankStatementKind is the kind of DeleteBankStatement. Who has been told
// that something is deleted is not told otherwise: it is tried daily in the end.
var DeleteBankStatementKind = Kind{
	Name:     "delete_bank_statement",
	Queue:    "deletions",
	Attempts: 100,
	Delay:    Backoff(time.Second, 24*time.Hour),
}

// Kind implements Args.
func (DeleteBankStatement) Kind() Kind { return DeleteBankStatementKind }
