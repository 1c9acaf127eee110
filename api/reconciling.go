package api

import (
	"context"
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
)

// reconcile reconciles accounts with transactions: 200 with the Location of the first account, and
// all accounts and transactions.
func (a *API) reconcile(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		q, err := readReconciling(in)
		if err != nil {
			return answer{}, joined(func() error { return err }, func() error {
				return placed(in, c.findReconcilable(ctx, tx, q))
			})
		}
		r, err := c.reconcile(ctx, tx, q)
		if err != nil {
			return answer{}, err
		}
		out := rootless(c, http.StatusOK, showReconciliation, r)
		out.location = c.url(paths.FinancialAccount(r.EntityID, string(r.Kind), r.Accounts[0].ID))
		return out, nil
	})
}

// reconcileMany is reconcile for many requests in one.
func (a *API) reconcileMany(c *call) error { return reconcileBatch.serve(c) }

var reconcileBatch = batch[finance.Reconcile]{all: reconcileRequests.all, show: showReconciliation}

var reconcileRequests = requests[finance.Reconciling, finance.Reconcile]{
	read: readReconciling,
	rows: func(q *finance.Reconciling) int {
		rows := len(q.AccountIDs) + len(q.TransactionIDs)
		for i := range q.NewAccounts {
			rows += 1 + q.NewAccounts[i].Links()
		}
		return rows
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, all []*finance.Reconciling) error {
		var accounts, transactions []int64
		for _, q := range all {
			accounts, transactions = append(accounts, q.AccountIDs...), append(transactions, q.TransactionIDs...)
		}
		amounts, err := tx.LockForReconciles(ctx, c.scope(), accounts, transactions)
		if err != nil {
			return err
		}
		return holdNewExternalIDs(ctx, tx, c.scope(), all, amounts)
	},
	do: func(ctx context.Context, tx *storage.Tx, c *call, q *finance.Reconciling) (*finance.Reconcile, error) {
		return c.reconcile(ctx, tx, q)
	},
}

// holdNewExternalIDs locks the external ids of the new accounts of all requests, before each request claims its own:
// of two batches with the same ids in another order, one waits for the other. The kind of a request's new accounts
// follows from the amount of its first transaction; a request without a transaction is refused later.
func holdNewExternalIDs(ctx context.Context, tx *storage.Tx, s storage.Scope, all []*finance.Reconciling,
	amounts map[int64]finance.Amount) error {
	ids := map[finance.AccountKind][]string{}
	for _, q := range all {
		if len(q.TransactionIDs) == 0 {
			continue
		}
		kind := finance.KindOf(amounts[q.TransactionIDs[0]])
		for i := range q.NewAccounts {
			if id := q.NewAccounts[i].ExternalID; id != nil {
				ids[kind] = append(ids[kind], *id)
			}
		}
	}
	for _, kind := range []finance.AccountKind{finance.Payable, finance.Receivable} {
		if len(ids[kind]) == 0 {
			continue
		}
		if err := tx.HoldIdentities(ctx, storage.ExternalIDsOf(kind), s, ids[kind]); err != nil {
			return err
		}
	}
	return nil
}

// readReconciling reads and validates a request to reconcile.
func readReconciling(in *wire.Input) (*finance.Reconciling, error) {
	in = withoutRoot(in)
	var q finance.Reconciling
	assignReconciling(in, &q)
	return &q, checked(in, q.Validate())
}

// findReconcilable checks that the records in a request exist, and the rules of each, for a request with
// other faults.
func (c *call) findReconcilable(ctx context.Context, tx *storage.Tx, q *finance.Reconciling) error {
	if len(q.AccountIDs) > finance.MaxReconciled || len(q.TransactionIDs) > finance.MaxReconciled ||
		len(q.NewAccounts) > finance.MaxNewAccounts {
		return nil
	}
	return joined(
		func() error {
			r, err := tx.LockReconcilable(ctx, c.access, c.scope(), q.AccountIDs, q.TransactionIDs)
			if r != nil && len(r.Accounts) < len(q.AccountIDs) && len(c.access.AccountKinds()) < 2 {
				return nil // they may be of a kind that is hidden from the user
			}
			return joined(func() error { return err }, func() error { return r.ValidateFound(q.SettleOpen) })
		},
		func() error { return tx.ShareNewAccounts(ctx, c.scope(), c.access, q.NewAccounts) },
	)
}

// reconcile carries out a valid request.
func (c *call) reconcile(ctx context.Context, tx *storage.Tx, q *finance.Reconciling) (*finance.Reconcile, error) {
	r, err := tx.LockReconcilable(ctx, c.access, c.scope(), q.AccountIDs, q.TransactionIDs)
	if r != nil && len(r.Accounts) < len(q.AccountIDs) && len(c.access.AccountKinds()) < 2 {
		return nil, c.lackingKinds() // the same for a missing account and for a hidden kind
	}
	if err != nil {
		return nil, joined(
			func() error { return err },
			func() error { return r.ValidateFound(q.SettleOpen) },
			func() error { return tx.ShareNewAccounts(ctx, c.scope(), c.access, q.NewAccounts) },
		)
	}
	if err := q.Apply(r); err != nil {
		return nil, err
	}
	if len(q.NewAccounts) > 0 {
		var invalid finance.Invalid
		if err := invalid.Join(q.ValidateNew(r)); err != nil {
			return nil, err
		}
		added := r.Accounts[len(r.Accounts)-len(q.NewAccounts):]
		if err := c.allow(added[0].Kind); err != nil {
			return nil, err
		}
		if err := invalid.Join(tx.ShareNewAccounts(ctx, c.scope(), c.access, added)); err != nil {
			return nil, err
		}
		if err := invalid.Err(); err != nil {
			return nil, err
		}
	}
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return r, tx.InsertReconcile(ctx, r)
}

// withoutRoot returns the content of a document. JSON has no root key; XML has a root element with
// a name that clients choose.
func withoutRoot(in *wire.Input) *wire.Input {
	for _, name := range []string{"hash", "reconcile", "reconciles"} {
		if root, ok := in.Root(name); ok {
			return root
		}
	}
	return in
}

// assignReconciling reads a request to reconcile.
func assignReconciling(in *wire.Input, q *finance.Reconciling) {
	in.IDs(finance.SelectedAccounts, &q.AccountIDs)
	in.IDs(finance.SelectedTransactions, &q.TransactionIDs)
	in.Bool("settle_open", &q.SettleOpen)
	for _, sent := range in.Objects(finance.AdjustmentList) {
		var a finance.Adjustment
		sent.Int("financial_account_id", &a.FinancialAccountID)
		wire.DecodeIntoPtr(sent, "interest_amount", &a.InterestAmount)
		wire.DecodeIntoPtr(sent, "ticket_amount", &a.TicketAmount)
		wire.DecodeIntoPtr(sent, "discount_amount", &a.DiscountAmount)
		wire.DecodeIntoPtr(sent, "withheld_tax_amount", &a.WithheldTaxAmount)
		wire.DecodeIntoPtr(sent, "fee_amount", &a.FeeAmount)
		q.Adjustments = append(q.Adjustments, a)
	}
	for _, sent := range in.Objects(finance.NewAccountList) {
		var f finance.FinancialAccount
		sent.Require("amount", "nominal_amount")
		assignFinancialAccount(sent, &f)
		q.NewAccounts = append(q.NewAccounts, f)
	}
}

// reconcilingFields describe a request to reconcile.
var reconcilingFields = fieldsOf(below(finance.NewAccountList, financialAccountFields), openapi.Fields{
	finance.SelectedAccounts: {
		In: "Required, unless `new_accounts` is sent. The accounts: payable ones or receivable ones.", NotNull: true},
	finance.SelectedTransactions: {In: "Required. The transactions.", NotNull: true},
	"settle_open": {
		In: "Whether outstanding accounts are paid or received by the amount due, on the day of the newest " +
			"transaction. Without it they are refused.",
	},
	finance.AdjustmentList: {
		In: "Adjustments to the amounts of a selected account that make the sums equal; one object for each account, " +
			"with amounts above zero.",
	},
	finance.AdjustmentList + ".financial_account_id": {In: "Required. The account, one of the selected ones.",
		NotNull: true},
	finance.AdjustmentList + ".interest_amount":     {In: "Interest: raises the total."},
	finance.AdjustmentList + ".ticket_amount":       {In: "A fine: raises the total."},
	finance.AdjustmentList + ".discount_amount":     {In: "A discount: lowers the total."},
	finance.AdjustmentList + ".withheld_tax_amount": {In: "Tax withheld by the payer: lowers the total."},
	finance.AdjustmentList + ".fee_amount": {
		In: "A fee: lowers the total of a receivable account, raises the total of a payable account."},
	finance.NewAccountList: {
		In: "Up to 100 accounts that the reconcile creates: payable for debits, receivable for credits.",
	},
	finance.NewAccountList + ".occurred_at": {In: "Ignored: the day of the newest transaction counts.",
		Nullable: true},
	finance.NewAccountList + ".due_date": {In: "The due date; the day of the newest transaction if absent.",
		Nullable: true},
	finance.NewAccountList + ".create_as_recurrent": {In: "Refused: a series cannot begin in a reconcile.",
		Nullable: true},
	finance.NewAccountList + ".create_as_parcelled": {In: "Refused: a series cannot begin in a reconcile.",
		Nullable: true},
	finance.NewAccountList + ".number_of_parcels": {In: "Ignored."},
})
