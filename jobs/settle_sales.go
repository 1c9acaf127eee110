package jobs

import (
	"fmt"
	"time"
)

// SettleSales copies the state of receivable accounts marked as settling (received,
// reconciled, or open again) to the sales of one sale account. All jobs of one sale account
// coalesce. Running it twice is harmless: the sales end in the same state.
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
