package jobs

import (
	"fmt"
	"time"
)

// SettleSales has the sales of a sale account follow their receivable accounts,
// those that are marked as settling: received, reconciled, or open again. All jobs
// of one sale account coalesce. Running it twice is harmless: it makes the sales
// what their account is.
type SettleSales struct {
	AccountID     int64 `json:"account_id"`
	SaleAccountID int64 `json:"sale_account_id"`
}

// SettleSalesKind is the kind of SettleSales.
var SettleSalesKind = Kind{
	Name:     "settle_sales",
	Queue:    "sales",
	Attempts: 10,
	Delay:    Backoff(time.Second, time.Minute),
	Keyed:    true,
}

// Kind implements Args.
func (SettleSales) Kind() Kind { return SettleSalesKind }

// Key implements Keyed.
func (a SettleSales) Key() string { return fmt.Sprintf("%d:%d", a.AccountID, a.SaleAccountID) }
