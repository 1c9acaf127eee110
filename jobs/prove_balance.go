package jobs

import (
	"fmt"
	"time"
)

// ProveBalance compares the newest balances that the bank stated of a deposit account with ours, and
// emits an event of each statement with another result than before. All jobs of one deposit account coalesce.
// Running it twice is harmless: the second run finds the same result.
type ProveBalance struct {
	AccountID        int64 `json:"account_id"`
	DepositAccountID int64 `json:"deposit_account_id"`
}

// ProveBalanceKind is the kind of ProveBalance.
var ProveBalanceKind = Kind{
	Name:     "prove_balance",
	Queue:    "statements",
	Attempts: 10,
	Delay:    Backoff(time.Second, time.Minute),
	Keyed:    true,
}

// Kind implements Args.
func (ProveBalance) Kind() Kind { return ProveBalanceKind }

// Key implements Keyed.
func (a ProveBalance) Key() string { return fmt.Sprintf("%d:%d", a.AccountID, a.DepositAccountID) }
