package jobs

import (
	"fmt"
	"time"
)

// PriceSales prices what there is to price of one sale account: its sales that
// await it, and those that a changed rule is to be applied to. What that is, rows
// say; the job says only where to look. All jobs of one sale account coalesce.
// Running it twice is harmless: there is nothing left to price.
type PriceSales struct {
	AccountID     int64 `json:"account_id"`
	SaleAccountID int64 `json:"sale_account_id"`
}

// PriceSalesKind is the kind of PriceSales.
var PriceSalesKind = Kind{
	Name:     "price_sales",
	Queue:    "sales",
	Attempts: 10,
	Delay:    Backoff(time.Second, time.Minute),
	Keyed:    true,
}

// Kind implements Args.
func (PriceSales) Kind() Kind { return PriceSalesKind }

// Key implements Keyed.
func (a PriceSales) Key() string { return fmt.Sprintf("%d:%d", a.AccountID, a.SaleAccountID) }
