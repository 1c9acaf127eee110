package api

import (
	"context"
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/matching"
)

// reconciles lists and shows reconciliations; reconcile and undoReconcile create and remove them.
var reconciles = resource[finance.Reconcile]{
	root: "reconcile", plural: "reconciles",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.Reconcile],
		error) {
		return q.Reconciles(ctx, c.scope(), c.access.AccountKinds(), l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.Reconcile, error) {
		r, err := q.Reconcile(ctx, c.scope(), id)
		if err != nil {
			return nil, err
		}
		return r, c.allow(r.Kind)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.Reconcile, error) {
		r, err := tx.LockReconcileForDelete(ctx, c.scope(), id)
		if err != nil {
			return nil, err
		}
		return r, c.allow(r.Kind)
	},
	show: func(c *call, w *wire.Writer, r *finance.Reconcile) {
		w.Int("id", r.ID)
		w.Time("created_at", r.CreatedAt)
		w.String("made_by", r.MadeBy)
		w.IntPtr("rule_id", r.RuleID)
		w.Array("reasons", "reason", len(r.Reasons), func(i int) { w.String("reason", r.Reasons[i]) })
		if r.Accounts != nil {
			showReconciled(c, w, r.Accounts, r.Transactions)
			showNewAccounts(w, r)
			return
		}
		showRefs(c, w, "financial_transaction", r.TransactionRefs, func(t finance.Ref) string {
			return paths.FinancialTransaction(r.EntityID, t.DepositAccountID, t.ID)
		})
		showRefs(c, w, "financial_account", r.AccountRefs, func(f finance.Ref) string {
			return paths.FinancialAccount(r.EntityID, string(r.Kind), f.ID)
		})
	},
	path: func(_ *call, r *finance.Reconcile) string { return paths.Reconcile(r.EntityID, r.ID) },
}

// allow refuses a kind of financial accounts that the user may not see.
func (c *call) allow(kind finance.AccountKind) error {
	if !c.access.Allows(kind.Permission()) {
		return lacking(kind.Permission())
	}
	return nil
}

// undoReconcile removes a reconciliation: 200, empty.
func (a *API) undoReconcile(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
		r, err := reconciles.lockForUpdate(ctx, tx, c)
		if err != nil {
			return answer{}, err
		}
		return c.answer(http.StatusOK, nil), tx.RemoveReconcile(ctx, r)
	})
}

// showReconciled writes the records of a reconciliation, without root keys.
func showReconciled(c *call, w *wire.Writer, accounts []finance.FinancialAccount,
	transactions []finance.FinancialTransaction) {
	showTransactions(c, w, transactions)
	w.Objects("financial_accounts", "financial_account", len(accounts), func(i int) {
		showReconciledAccount(c, w, &accounts[i])
	})
}

// showTransactions writes transactions without root keys.
func showTransactions(c *call, w *wire.Writer, transactions []finance.FinancialTransaction) {
	w.Objects("financial_transactions", "financial_transaction", len(transactions), func(i int) {
		showFinancialTransaction(c, w, &transactions[i])
	})
}

// showReconciliation writes the accounts and transactions of a new reconciliation.
func showReconciliation(c *call, w *wire.Writer, r *finance.Reconcile) {
	showReconciled(c, w, r.Accounts, r.Transactions)
	w.Int("reconcile_id", r.ID)
	showNewAccounts(w, r)
}

// showNewAccounts writes the ids of the accounts that a reconciliation made.
func showNewAccounts(w *wire.Writer, r *finance.Reconcile) {
	w.IntArray("new_financial_account_ids", "new_financial_account_id", r.NewAccountIDs)
}

// showReconciledAccount writes an account with the field that only accounts in reconciliations have.
func showReconciledAccount(c *call, w *wire.Writer, f *finance.FinancialAccount) {
	showFinancialAccount(c, w, f)
	var first *int64
	if len(f.ReconciledWith) > 0 {
		first = &f.ReconciledWith[0].ID
	}
	w.IntPtr("financial_transaction_id", first)
}

// showRefs writes a list of records by id and URL. The accounts of one reconciliation share one
// rendered list.
func showRefs(c *call, w *wire.Writer, kind string, refs finance.Refs, path func(finance.Ref) string) {
	show := func() {
		w.Objects(kind+"s", kind, len(refs), func(i int) {
			w.Int("id", refs[i].ID)
			c.links(w, link{"self", "get", path(refs[i])})
		})
	}
	if len(refs) == 0 {
		show()
		return
	}
	w.Shared(&refs[0], show)
}

// listSuggestions lists likely reconciliations, best first: 200. It reconciles nothing.
func (a *API) listSuggestions(c *call) error {
	return sendSuggestions(a, c, showSuggestions,
		func(l list.Query, e *finance.Entity) (list.Page[finance.Suggestion], error) {
			return matching.Suggestions(c.ctx(), a.Store.Queries, c.scope(), e.LateCharges, c.access.AccountKinds(), l)
		})
}

// sendSuggestions sends a page of suggestions for the entity of the path: 200.
func sendSuggestions[T any](a *API, c *call, show func(*call, *wire.Writer, *[]T),
	suggest func(list.Query, *finance.Entity) (list.Page[T], error)) error {
	l, err := c.page(defaultPageSize)
	if err != nil {
		return err
	}
	if l.After != nil { // suggestions have no stored order: each page computes all of them
		return finance.Refuse(cursorParameter, messages.NoCursor)
	}
	e, err := a.Store.Entity(c.ctx(), c.scope())
	if err != nil {
		return found(err, "entity", c.entityID)
	}
	listed, err := suggest(l, e)
	if err := c.withStray(err); err != nil {
		return err
	}
	c.pageHeaders(l, listed.Total, nil)
	return c.send(rootless(c, http.StatusOK, show, &listed.Items))
}

func showSuggestions(c *call, w *wire.Writer, listed *[]finance.Suggestion) {
	w.Objects("suggestions", "suggestion", len(*listed), func(i int) {
		s := &(*listed)[i]
		w.Int("score", s.Score)
		w.Int("rivals", s.Rivals)
		w.IntPtr("rule_id", s.RuleID)
		showSuggestion(c, w, s)
	})
}

// originFields describe the origin of a reconciliation.
var originFields = openapi.Fields{
	"made_by": {
		Doc: "`user`, or `automatic`: the worker made the reconcile, by a rule or for a deposit account with " +
			"`automatic_reconciliation`.",
		Enum: openapi.Enum{Name: "ReconcileOrigin", Values: []string{finance.ByUser, finance.Automatic}},
	},
	"rule_id": {Doc: "The reconciliation rule that decided, which may have been deleted; null without a rule."},
	"reasons": {Doc: "The worker's reasons, for people to read; empty for a user's reconcile."},
}

// showSuggestion writes the body that accepts a suggestion, the reasons for it, and its records.
func showSuggestion(c *call, w *wire.Writer, s *finance.Suggestion) {
	w.Array("reasons", "reason", len(s.Reasons), func(i int) { w.String("reason", s.Reasons[i]) })
	w.IntArray("settles", "settle", s.Settles)
	w.Object("reconcile", func() {
		w.IntArray(finance.SelectedAccounts, "selected_financial_account_id", s.AccountIDs)
		w.IntArray(finance.SelectedTransactions, "selected_financial_transaction_id", s.TransactionIDs)
		w.Bool("settle_open", len(s.Settles) > 0)
		showAdjustments(w, s.Adjustments)
		w.Objects(finance.NewAccountList, "new_account", len(s.NewAccounts), func(i int) {
			f := &s.NewAccounts[i]
			wire.Decimal(w, "amount", f.Amount)
			showRuleAccount(w, &finance.RuleAction{References: f.References, Description: f.Description,
				Document: f.Document, Observation: f.Observation})
		})
	})
	showReconciled(c, w, s.Accounts, s.Transactions)
}

func showAdjustments(w *wire.Writer, adjustments []finance.Adjustment) {
	w.Objects(finance.AdjustmentList, "adjustment", len(adjustments), func(i int) {
		a := &adjustments[i]
		w.Int("financial_account_id", a.FinancialAccountID)
		wire.DecimalPtr(w, "interest_amount", a.InterestAmount)
		wire.DecimalPtr(w, "ticket_amount", a.TicketAmount)
		wire.DecimalPtr(w, "discount_amount", a.DiscountAmount)
		wire.DecimalPtr(w, "withheld_tax_amount", a.WithheldTaxAmount)
		wire.DecimalPtr(w, "fee_amount", a.FeeAmount)
	})
}

// suggestionFields describe the fields that showSuggestion writes.
var suggestionFields = openapi.Fields{
	"financial_accounts":     {Doc: "The accounts.", Items: "ReconciledAccount"},
	"financial_transactions": {Doc: "The transactions.", Items: "FinancialTransaction"},
	"settles":                {Doc: "The accounts that are outstanding: the reconcile pays or receives them."},
	"reasons":                {Doc: "The reasons, for people to read."},
	"reconcile":              {Doc: "The body to post unchanged to `/reconciles` to accept the suggestion."},
	"reconcile.selected_financial_account_ids":     {Doc: "The accounts."},
	"reconcile.selected_financial_transaction_ids": {Doc: "The transactions."},
	"reconcile.settle_open":                        {Doc: "Whether outstanding accounts are paid or received."},
	"reconcile.adjustments": {
		Doc: "The usual difference between the payment and the amount due, which the reconcile adds to the account; " +
			"null amounts are no part of it."},
	"reconcile.adjustments.financial_account_id": {Doc: "The account."},
	"reconcile.adjustments.withheld_tax_amount":  {Doc: "Tax withheld by the payer."},
	"reconcile.adjustments.fee_amount":           {Doc: "Fee of the bank."},
	"reconcile.new_accounts": {
		Doc: "The accounts that the reconcile creates, if a rule proposes the reconcile."},
}

var reconcileFields = fieldsOf(originFields, below("suggestions", suggestionFields), openapi.Fields{
	"financial_accounts":        {Doc: "The accounts.", Items: "ReconciledAccount"},
	"financial_transactions":    {Doc: "The transactions.", Items: "FinancialTransaction"},
	"reconcile_id":              {Doc: "The id of the reconciliation."},
	"new_financial_account_ids": {Doc: "The accounts that the reconcile created; undoing the reconcile removes them."},
	"suggestions":               {Doc: "Likely reconciliations, best first."},
	"suggestions.score": {
		Doc: "How likely it is. From 90 on, and without rivals, it may be accepted without looking at it.",
		Min: 0, Max: 100},
	"suggestions.rivals": {
		Doc: "The number of alternatives: records of the same amount within 7 days of one side of a pair, or groups " +
			"of the same sum. Transactions count in all deposit accounts of the entity, also beyond the period. " +
			"0 for a new account of a rule. A suggestion without alternatives is not certain: its records may have " +
			"only the amount in common.",
	},
	"suggestions.rule_id": {Doc: "The reconciliation rule that proposes the reconcile; null without a rule."},
})

var listedReconcileFields = fieldsOf(originFields, openapi.Fields{
	"financial_accounts":     {Doc: "The accounts, by id and URL."},
	"financial_transactions": {Doc: "The transactions, by id and URL."},
})
