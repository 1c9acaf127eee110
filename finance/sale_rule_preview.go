package finance

// MaxPreviewDays bounds the days in a preview.
const MaxPreviewDays = 366

// SaleRulePreview is the effect of applying a rule to the existing sales of its method and issuer
// that are not liquidated yet.
type SaleRulePreview struct {
	SalesCount          int64
	ChangedSalesCount   int64 // sales whose receivable amount or day would change
	TotalAmount         Sum   // of all these sales
	ReceivableAmount    Sum   // the current sum, of the priced sales
	NewReceivableAmount Sum
	ChangedDaysCount    int64
	Days                PreviewDays // the first MaxPreviewDays days whose sum would change
}

// PreviewDays are days of receipt in order.
type PreviewDays []PreviewDay

// PreviewDay is the sum to receive on one day, before and after applying the rule.
type PreviewDay struct {
	On            Date
	Before, After Sum
}

// Scan implements sql.Scanner for a JSON list of days.
func (d *PreviewDays) Scan(src any) error { return scanJSON(src, d) }
