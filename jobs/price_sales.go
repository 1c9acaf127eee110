package jobs

import (
	"fmt"
	"time"
)

// PriceSales prices the sales of one sale account that await pricing, and the sales to which a
// changed rule applies. The job names only the sale account; the rows of the sales and rules
// select the sales. All jobs of one sale account coalesce. Running it twice is harmless: the
// second run finds no sale to price.
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
