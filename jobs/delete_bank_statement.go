package jobs

import "time"

// DeleteBankStatement undoes the import of a statement that is already hidden. It removes
// the statement's transactions, memory of known items, items and file. Running it twice is
// harmless: the second run removes the remaining rows.
type DeleteBankStatement struct {
	AccountID       int64 `json:"account_id"`
	BankStatementID int64 `json:"bank_statement_id"`
}

// DeleteBankStatementKind is the kind of DeleteBankStatement. The API has answered that the
// statement is deleted, so retries go on, daily in the end.
var DeleteBankStatementKind = Kind{
	Name:     "delete_bank_statement",
	Queue:    "deletions",
	Attempts: 100,
	Delay:    Backoff(time.Second, 24*time.Hour),
}

// Kind implements Args.
func (DeleteBankStatement) Kind() Kind { return DeleteBankStatementKind }
