package api

import (
	"context"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/matching"
)

// transfers are pairs: transfers made of two existing transactions. Typed transfers are
// transactions alone.
var transfers = resource[finance.Transfer]{
	root: "transfer", plural: "transfers",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.Transfer],
		error) {
		return q.Transfers(ctx, c.scope(), l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.Transfer, error) {
		return q.Transfer(ctx, c.scope(), id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.Transfer, error) {
		return tx.LockTransfer(ctx, c.scope(), id)
	},
	newRecord: func(c *call) *finance.Transfer {
		return &finance.Transfer{AccountID: c.access.AccountID, EntityID: c.entityID}
	},
	assign: func(in *wire.Input, t *finance.Transfer) {
		in.Int("debit_transaction_id", &t.DebitTransactionID)
		in.Int("credit_transaction_id", &t.CreditTransactionID)
	},
	validate: (*finance.Transfer).Validate,
	lockReferences: func(ctx context.Context, tx *storage.Tx, c *call, t *finance.Transfer, _ finance.Transfer) error {
		if t.Validate() != nil {
			return nil // apply has the faults
		}
		return tx.LockPairable(ctx, c.scope(), t)
	},
	insert: (*storage.Tx).InsertTransfers,
	remove: (*storage.Tx).RemoveTransfer,
	show: func(c *call, w *wire.Writer, t *finance.Transfer) {
		w.Int("id", t.ID)
		wire.Decimal(w, "amount", t.Amount)
		w.Int("debit_transaction_id", t.DebitTransactionID)
		w.Int("debit_deposit_account_id", t.DebitDepositAccountID)
		w.Int("credit_transaction_id", t.CreditTransactionID)
		w.Int("credit_deposit_account_id", t.CreditDepositAccountID)
		w.Time("created_at", t.CreatedAt)
		self := paths.Transfer(t.EntityID, t.ID)
		c.links(w, link{"self", "get", self}, link{"destroy", "delete", self},
			link{"debit_transaction", "get", paths.FinancialTransaction(t.EntityID, t.DebitDepositAccountID,
				t.DebitTransactionID)},
			link{"credit_transaction", "get", paths.FinancialTransaction(t.EntityID, t.CreditDepositAccountID,
				t.CreditTransactionID)})
	},
	path: func(_ *call, t *finance.Transfer) string { return paths.Transfer(t.EntityID, t.ID) },
}

// listTransferSuggestions lists likely transfers, best first: 200. It pairs nothing.
func (a *API) listTransferSuggestions(c *call) error {
	return sendSuggestions(a, c, showTransferSuggestions,
		func(l list.Query, e *finance.Entity) (list.Page[finance.TransferSuggestion], error) {
			return matching.TransferSuggestions(c.ctx(), a.Store.Queries, c.scope(), e.Name, l)
		})
}

func showTransferSuggestions(c *call, w *wire.Writer, listed *[]finance.TransferSuggestion) {
	w.Objects("suggestions", "suggestion", len(*listed), func(i int) {
		s := &(*listed)[i]
		w.Int("score", s.Score)
		w.Int("rivals", s.Rivals)
		w.Array("reasons", "reason", len(s.Reasons), func(i int) { w.String("reason", s.Reasons[i]) })
		w.Object(transfers.root, func() {
			w.Int("debit_transaction_id", s.DebitTransactionID)
			w.Int("credit_transaction_id", s.CreditTransactionID)
		})
		showTransactions(c, w, s.Transactions)
	})
}

var transferFields = openapi.Fields{
	"amount": {Doc: "The amount transferred.", Example: "250.00"},
	"debit_transaction_id": {Doc: "The transaction in the account that the money left.", In: "Required. A debit.",
		NotNull: true},
	"debit_deposit_account_id": {Doc: "The deposit account that the money left."},
	"credit_transaction_id": {Doc: "The transaction in the account that the money came into.",
		In: "Required. The credit of the same amount, in another deposit account of the entity.", NotNull: true},
	"credit_deposit_account_id": {Doc: "The deposit account that the money came into."},

	"suggestions":       {Doc: "Likely transfers, best first."},
	"suggestions.score": {Doc: "How likely it is.", Min: 0, Max: 100},
	"suggestions.rivals": {
		Doc: "The number of other transactions of the same amount within 10 days of one side, also beyond the " +
			"period. With 0 the suggestion is unambiguous."},
	"suggestions.reasons": {Doc: "The reasons, for people to read."},
	"suggestions.transfer": {
		Doc: "The body to post to `/transfers`, below the root `transfer`, to accept the suggestion."},
	"suggestions.transfer.debit_transaction_id":  {Doc: "The debit."},
	"suggestions.transfer.credit_transaction_id": {Doc: "The credit."},
	"suggestions.financial_transactions":         {Doc: "Both transactions.", Items: "FinancialTransaction"},
}
