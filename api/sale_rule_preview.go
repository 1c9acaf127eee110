package api

import (
	"context"
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/pricing"
)

// previewSaleRule returns the effect of applying a rule: 200. It changes nothing.
func (a *API) previewSaleRule(c *call) error {
	id := c.id()
	r, err := saleRules.find(c.ctx(), a.Store.Queries, c, id)
	if err != nil {
		return found(err, saleRules.root, id)
	}
	p, err := pricing.Preview(c.ctx(), a.Store.Queries, r)
	if err != nil {
		return err
	}
	return c.send(rootless(c, http.StatusOK, showPreview, p))
}

// previewNewSaleRule returns the effect of a rule in the request, new or changed: 200. It does not
// store the rule.
func (a *API) previewNewSaleRule(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		if err := saleRules.parent.lock(ctx, tx, c); err != nil {
			return answer{}, err
		}
		r := saleRules.newRecord(c)
		only := saleRules
		only.conflicts = nil // the id may name an existing rule
		if err := only.apply(ctx, tx, c, in, r); err != nil {
			return answer{}, err
		}
		p, err := pricing.Preview(ctx, tx.Queries, r)
		if err != nil {
			return answer{}, err
		}
		return rootless(c, http.StatusOK, showPreview, p), nil
	})
}

func showPreview(_ *call, w *wire.Writer, p *finance.SaleRulePreview) {
	w.Int("sales_count", p.SalesCount)
	w.Int("changed_sales_count", p.ChangedSalesCount)
	wire.Decimal(w, "total_amount", p.TotalAmount)
	wire.Decimal(w, "receivable_amount", p.ReceivableAmount)
	wire.Decimal(w, "new_receivable_amount", p.NewReceivableAmount)
	w.Int("changed_days_count", p.ChangedDaysCount)
	w.Objects("days", "day", len(p.Days), func(i int) {
		wire.Date(w, "estimated_liquidated_at", p.Days[i].On)
		wire.Decimal(w, "receivable_amount", p.Days[i].Before)
		wire.Decimal(w, "new_receivable_amount", p.Days[i].After)
	})
}

var saleRulePreviewFields = openapi.Fields{
	"sales_count": {
		Doc: "The number of sales of status 0 and 1 with the method and issuer of the rule."},
	"changed_sales_count": {Doc: "The number of these sales with another receivable amount, or another day " +
		"of receipt."},
	"total_amount":                 {Doc: "The total amount of these sales."},
	"receivable_amount":            {Doc: "The current receivable amount of the priced sales."},
	"new_receivable_amount":        {Doc: "The receivable amount of these sales with the rule."},
	"changed_days_count":           {Doc: "The number of days with another sum of receipts."},
	"days":                         {Doc: "The first 366 of these days."},
	"days.estimated_liquidated_at": {Doc: "The day."},
	"days.receivable_amount":       {Doc: "The current sum of receipts on the day."},
	"days.new_receivable_amount":   {Doc: "The sum of receipts on the day with the rule."},
}
