package api

import (
	"context"
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/matching"
)

// previewReconciliationRule returns the effect of a rule in the request on the open transactions of
// the period in the query: 200. It stores neither the rule nor the effect.
func (a *API) previewReconciliationRule(c *call) error {
	search, err := c.search(nil)
	if err != nil {
		return err
	}
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		r := reconciliationRules.newRecord(c)
		only := reconciliationRules
		only.conflicts = nil // it is not stored
		if err := only.apply(ctx, tx, c, in, r); err != nil {
			return answer{}, err
		}
		p, err := matching.PreviewReconciliationRule(ctx, tx.Queries, c.scope(), r, search)
		if err != nil {
			var invalid finance.Invalid // within search: a rule has a deposit_account_id, too
			if err := invalid.Within("search", err); err != nil {
				return answer{}, err
			}
			return answer{}, invalid.Err()
		}
		return rootless(c, http.StatusOK, showRulePreview, p), nil
	})
}

func showRulePreview(c *call, w *wire.Writer, p *finance.RulePreview) {
	w.Int("transactions_count", p.TransactionsCount)
	w.Int("proposed_count", p.ProposedCount)
	w.Int("undecided_count", p.UndecidedCount)
	w.Objects("proposed", "suggestion", len(p.Proposed), func(i int) { showSuggestion(c, w, &p.Proposed[i]) })
	w.Objects("undecided", "financial_transaction", len(p.Undecided), func(i int) {
		showFinancialTransaction(c, w, &p.Undecided[i])
	})
}

var rulePreviewFields = fieldsOf(below("proposed", suggestionFields), openapi.Fields{
	"transactions_count": {Doc: "The number of open transactions of the period."},
	"proposed_count":     {Doc: "The number of open transactions for which the rule proposes a reconcile."},
	"undecided_count":    {Doc: "The number of transactions that the rule fits without a proposal."},
	"proposed":           {Doc: "The first 100 proposals, by day."},
	"undecided": {Doc: "The first 100 transactions that the rule fits without a proposal.",
		Items: "FinancialTransaction"},
})
