package finance

// MaxPreviewDays is how many days a preview names.
const MaxPreviewDays = 366

// SaleRulePreview is what applying a rule to the sales that are there would change:
// those of its method and issuer that were not received yet.
type SaleRulePreview struct {
	SalesCount          int64
	ChangedSalesCount   int64 // that would bring another amount, or on another day
	TotalAmount         Sum   // of all of them
	ReceivableAmount    Sum   // that those that have a price bring now
	NewReceivableAmount Sum
	ChangedDaysCount    int64
	Days                PreviewDays // the first MaxPreviewDays on which another sum would be received
}

// PreviewDays are days of receipt, in order.
type PreviewDays []PreviewDay

// PreviewDay is what the sales bring on one day, now and by the rule.
type PreviewDay struct {
	On            Date
	Before, After Sum
}

// Scan implements sql.Scanner over a JSON list of days.
func (d *PreviewDays) Scan(src any) error { return scanJSON(src, d) }
