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
)

// reconciles lists and shows reconciliations; reconcile and undoReconcile create and remove them.
var reconciles = resource[finance.Reconcile]{
	root: "reconcile", plural: "reconciles",
	list: func(ctx context.Context, q storage.Queries, c *call, l storage.List) (storage.Listed[finance.Reconcile], error) {
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
		if r.Accounts != nil {
			showReconciled(c, w, r.Accounts, r.Transactions)
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

// reconcile reconciles accounts with transactions: 200 with the Location of the first
// account, and all of them.
func (a *API) reconcile(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		accounts, transactions, err := selectedToReconcile(in)
		if err != nil {
			return answer{}, err
		}
		r, err := tx.LockReconcilable(ctx, c.access, c.scope(), accounts, transactions)
		if r != nil && len(r.Accounts) < len(accounts) && len(c.access.AccountKinds()) < 2 {
			return answer{}, c.lackingKinds() // the same if an account is missing as if it is of the other kind
		}
		if err != nil {
			return answer{}, err
		}
		if err := r.Validate(); err != nil {
			return answer{}, err
		}
		if err := tx.InsertReconcile(ctx, r); err != nil {
			return answer{}, err
		}
		out := rootless(c, http.StatusOK, showReconciliation, r)
		out.location = c.url(paths.FinancialAccount(r.EntityID, string(r.Kind), r.Accounts[0].ID))
		return out, emitReconciled(ctx, tx, r)
	})
}

// selectedToReconcile reads the ids of the records to reconcile. JSON has no root
// key; XML has a root element, whose name clients choose.
func selectedToReconcile(in *wire.Input) (accounts, transactions []int64, err error) {
	for _, name := range []string{"hash", "reconcile", "reconciles"} {
		if root, ok := in.Root(name); ok {
			in = root
			break
		}
	}
	in.IDs(finance.SelectedAccounts, &accounts)
	in.IDs(finance.SelectedTransactions, &transactions)
	return accounts, transactions, checked(in, finance.ValidateSelected(accounts, transactions))
}

// undoReconcile removes a reconciliation: 200, empty.
func (a *API) undoReconcile(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
		r, err := reconciles.lockForUpdate(ctx, tx, c)
		if err != nil {
			return answer{}, err
		}
		if err := tx.RemoveReconcile(ctx, r); err != nil {
			return answer{}, err
		}
		return c.answer(http.StatusOK, nil), emitReconciled(ctx, tx, r)
	})
}

// emitReconciled emits the updates of the accounts and transactions of a reconciliation.
func emitReconciled(ctx context.Context, tx *storage.Tx, r *finance.Reconcile) error {
	e := finance.Event{
		Family: accountKinds[r.Kind].family, Action: finance.Updated, AccountID: r.AccountID, EntityID: r.EntityID, IDs: r.AccountIDs(),
	}
	if err := tx.Emit(ctx, e); err != nil {
		return err
	}
	e.Family, e.IDs = finance.FinancialTransactionsFamily, r.TransactionIDs()
	return tx.EmitTransactions(ctx, e)
}

// showReconciled writes the records of a reconciliation, without root keys.
func showReconciled(c *call, w *wire.Writer, accounts []finance.FinancialAccount, transactions []finance.FinancialTransaction) {
	w.Objects("financial_transactions", "financial_transaction", len(transactions), func(i int) {
		showFinancialTransaction(c, w, &transactions[i])
	})
	w.Objects("financial_accounts", "financial_account", len(accounts), func(i int) {
		showReconciledAccount(c, w, &accounts[i])
	})
}

// showReconciliation writes the accounts and transactions of a new reconciliation.
func showReconciliation(c *call, w *wire.Writer, r *finance.Reconcile) {
	showReconciled(c, w, r.Accounts, r.Transactions)
	w.Int("reconcile_id", r.ID)
}

// showReconciledAccount writes an account with the fields that only accounts in reconciliations
// have.
func showReconciledAccount(c *call, w *wire.Writer, f *finance.FinancialAccount) {
	showFinancialAccount(c, w, f)
	var first *int64
	if len(f.ReconciledWith) > 0 {
		first = &f.ReconciledWith[0].ID
	}
	w.IntPtr("financial_transaction_id", first)
	w.Objects("tax_charges", "tax_charge", len(f.Taxes), func(i int) {
		w.Int("id", int64(i+1)) // counts the taxes of the account
		w.Int("tax_id", f.Taxes[i].TaxID)
		wire.Decimal(w, "amount", f.Taxes[i].Amount)
	})
}

// showRefs writes a list of records by id and URL.
func showRefs(c *call, w *wire.Writer, kind string, refs finance.Refs, path func(finance.Ref) string) {
	w.Objects(kind+"s", kind, len(refs), func(i int) {
		w.Int("id", refs[i].ID)
		c.links(w, link{"self", "get", path(refs[i])})
	})
}

// listSuggestions lists likely reconciliations, best first: 200. It reconciles nothing.
func (a *API) listSuggestions(c *call) error {
	l, err := c.page(defaultPageSize)
	if err != nil {
		return err
	}
	if l.After != nil { // they have no place of their own: each page searches for all
		return finance.Refuse(cursorParameter, messages.NoCursor)
	}
	if _, err := a.Store.Entity(c.ctx(), c.scope()); err != nil {
		return found(err, "entity", c.entityID)
	}
	listed, err := a.Store.Suggestions(c.ctx(), c.scope(), c.access.AccountKinds(), l)
	if err != nil {
		return err
	}
	c.pageHeaders(l, listed.Total, nil)
	return c.send(rootless(c, http.StatusOK, showSuggestions, &listed.Items))
}

func showSuggestions(c *call, w *wire.Writer, listed *[]finance.Suggestion) {
	w.Objects("suggestions", "suggestion", len(*listed), func(i int) {
		s := &(*listed)[i]
		w.Int("score", s.Score)
		w.Array("reasons", "reason", len(s.Reasons), func(i int) { w.String("reason", s.Reasons[i]) })
		showReconciled(c, w, s.Accounts, s.Transactions)
	})
}

var reconcileFields = openapi.Fields{
	"financial_accounts":                 {Doc: "The accounts.", Items: "ReconciledAccount"},
	"financial_transactions":             {Doc: "The transactions.", Items: "FinancialTransaction"},
	"reconcile_id":                       {Doc: "The id of the reconciliation."},
	"suggestions.financial_accounts":     {Doc: "The accounts.", Items: "ReconciledAccount"},
	"suggestions.financial_transactions": {Doc: "The transactions.", Items: "FinancialTransaction"},
	"suggestions":                        {Doc: "Likely reconciliations, best first."},
	"suggestions.score":                  {Doc: "How likely it is.", Min: 0, Max: 100},
	"suggestions.reasons":                {Doc: "Why, for people to read."},
	finance.SelectedAccounts:             {In: "Required. The accounts: payable ones or receivable ones.", NotNull: true},
	finance.SelectedTransactions:         {In: "Required. The transactions.", NotNull: true},
}

var listedReconcileFields = openapi.Fields{
	"financial_accounts":     {Doc: "The accounts, by id and URL."},
	"financial_transactions": {Doc: "The transactions, by id and URL."},
}
