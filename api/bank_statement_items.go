package api

import (
	"context"
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/finance/statement"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/list"
	"bordero/storage/proof"
)

// bankStatementItems only lists items; importItem imports one.
var bankStatementItems = resource[finance.BankStatementItem]{
	root: "bank_statement_item", plural: "bank_statement_items",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (
		list.Page[finance.BankStatementItem], error) {
		account, statement := c.pathID("deposit_account_id"), c.pathID("bank_statement_id")
		listed, err := q.BankStatementItems(ctx, c.scope(), account, statement, l)
		return listed, found(err, "bank_statement", statement)
	},
	show: func(_ *call, w *wire.Writer, i *finance.BankStatementItem) {
		w.Int("id", i.ID)
		w.Int("line", i.Line)
		wire.DatePtr(w, "occurred_at", i.OccurredAt)
		wire.DecimalPtr(w, "amount", i.Amount)
		w.StringPtr("description", i.Description)
		w.StringPtr("document", i.Document)
		w.StringPtr("fitid", i.FITID)
		w.String("outcome", i.Outcome)
		w.Bool("suspect", i.Suspect)
		w.Bool("texts_removed", i.Folded)
		w.IntPtr("replaces", i.Replaces)
		w.IntPtr("financial_transaction_id", i.FinancialTransactionID)
	},
}

// importItem imports an item that was ignored as a duplicate. The answer is 201 with the new
// transaction and its Location.
func (a *API) importItem(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
		b, err := lockBankStatement(ctx, tx, c)
		if err != nil {
			return answer{}, err
		}
		i, err := imports.BankStatementItem(ctx, tx, b, c.id())
		if err != nil {
			return answer{}, found(err, bankStatementItems.root, c.id())
		}
		if err := i.Importable(); err != nil {
			return answer{}, err
		}
		t, err := imports.ImportItem(ctx, tx, b.DepositAccountID, i)
		if err != nil {
			return answer{}, err
		}
		if err := bankStatements.emit(ctx, tx, c, b, finance.Updated); err != nil {
			return answer{}, err
		}
		out := financialTransactions.document(c, http.StatusCreated, t)
		out.location = c.url(financialTransactions.path(c, t))
		return out, financialTransactions.emit(ctx, tx, c, t, finance.Created)
	})
}

// importSuspects imports all suspect duplicates of a statement: 200 with the statement. It may run
// twice.
func (a *API) importSuspects(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
		b, err := lockBankStatement(ctx, tx, c)
		if err != nil {
			return answer{}, err
		}
		made, err := imports.ImportSuspects(ctx, tx, b)
		if err != nil {
			return answer{}, err
		}
		if b.Proof, err = proof.OfTx(ctx, tx, b); err != nil || len(made) == 0 {
			return bankStatements.document(c, http.StatusOK, b), err
		}
		if err := bankStatements.emit(ctx, tx, c, b, finance.Updated); err != nil {
			return answer{}, err
		}
		return bankStatements.document(c, http.StatusOK, b), tx.Emit(ctx, finance.Event{
			Family: finance.FinancialTransactionsFamily, Action: finance.Created,
			AccountID: b.AccountID, EntityID: c.entityID, ParentID: b.DepositAccountID, IDs: made,
		})
	})
}

var bankStatementItemFields = openapi.Fields{
	"id":          {Doc: "Number of the item in its file, from 1; unique within the statement."},
	"line":        {Doc: "Line of the file where the item begins."},
	"occurred_at": {Doc: "Day of the item; null for an invalid date."},
	"amount": {Doc: "Negative for a debit; null if the amount was not read (`invalid_date`, `other_account`).",
		Example: "-68.5"},
	"description": {Doc: "The description in the bank's file."},
	"document":    {Doc: "The document number in the bank's file."},
	"fitid":       {Doc: "The bank's own id of the movement."},
	"outcome": {
		Doc:  "Outcome of the item: imported, or the reason why it was ignored. In a preview, the expected outcome.",
		Enum: openapi.Enum{Name: "StatementItemOutcome", Values: statement.Outcomes},
	},
	"suspect": {Doc: "Whether the item is a duplicate by day and amount alone. Its description and " +
		"the bank's id are new, so it may be another movement. Or it `replaces` a transaction. False once another " +
		"statement brought the item."},
	"texts_removed": {Doc: "Whether `description`, `document` and `fitid` are null because the item was ignored and " +
		"its statement was imported more than 90 days ago. The file of the statement has them; the item can be " +
		"imported only from a new upload of it."},
	"replaces": {Doc: "The transaction of which the item is a later state: an aggregator has restated it with " +
		"another day, amount or id. The transaction stays as it is. Null if the item replaces none."},
	"financial_transaction_id": {Doc: "The transaction made from the item; null if the transaction has been deleted " +
		"since."},
}
