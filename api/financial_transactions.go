package api

import (
	"context"
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

// transactionsPageSize is the page size that existing clients expect.
const transactionsPageSize = 20

var financialTransactions = resource[finance.FinancialTransaction]{
	root: "financial_transaction", plural: "financial_transactions",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (
		list.Page[finance.FinancialTransaction], error) {
		id := c.pathID("deposit_account_id")
		listed, err := q.FinancialTransactions(ctx, c.scope(), id, l)
		return listed, found(err, "deposit_account", id)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.FinancialTransaction, error) {
		return q.FinancialTransaction(ctx, c.scope(), c.pathID("deposit_account_id"), id)
	},
	parent: depositAccountParent,
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.FinancialTransaction, error) {
		return tx.LockFinancialTransactionForDelete(ctx, c.scope(), c.pathID("deposit_account_id"), id)
	},
	newRecord: func(c *call) *finance.FinancialTransaction {
		return &finance.FinancialTransaction{AccountID: c.access.AccountID,
			DepositAccountID: c.pathID("deposit_account_id")}
	},
	assign: func(in *wire.Input, t *finance.FinancialTransaction) {
		assignExternalID(in, &t.ExternalID)
		in.String("type", &t.Type)
		t.Amount = t.Amount.Abs() // Validate sets the sign by the type, also when only a type is sent
		wire.DecodeInto(in, "amount", &t.Amount)
		wire.DecodeInto(in, "occurred_at", &t.OccurredAt)
		in.StringPtr("document", &t.Document)
		in.StringPtr("user_description", &t.UserDescription)
		in.StringPtr("observation", &t.Observation)
		assignReferences(in, &t.References)
		in.IntPtr("transfer_deposit_account_id", &t.TransferDepositAccountID)
		in.IDs(finance.AttachmentIDList, (*[]int64)(&t.AttachmentIDs))
	},
	validate: (*finance.FinancialTransaction).Validate,
	identity: func(c *call, t *finance.FinancialTransaction) identity {
		return identity{storage.TransactionIDs, c.scope(), t.ID, t.ExternalID}
	},
	lockReferences: func(ctx context.Context, tx *storage.Tx, c *call, t *finance.FinancialTransaction,
		before finance.FinancialTransaction) error {
		return joined(
			func() error { return t.ValidateChange(before) },
			func() error { return tx.ShareTransfer(ctx, c.scope(), t, before) },
		)
	},
	refers: func(t *finance.FinancialTransaction) storage.Refers {
		return storage.Refers{References: &t.References, AttachmentIDs: t.AttachmentIDs}
	},
	insert: (*storage.Tx).InsertFinancialTransactions,
	update: (*storage.Tx).UpdateFinancialTransaction,
	remove: func(tx *storage.Tx, ctx context.Context, t *finance.FinancialTransaction) error {
		if err := t.Removable(); err != nil {
			return err
		}
		return tx.DeleteFinancialTransaction(ctx, t)
	},
	events: func(c *call, t *finance.FinancialTransaction, action finance.Action) (events []finance.Event) {
		sides := []*finance.FinancialTransaction{t}
		if other := t.OtherSide(); other != nil {
			sides = []*finance.FinancialTransaction{other, t}
		}
		for _, side := range sides {
			events = append(events, finance.Event{
				Family: finance.FinancialTransactionsFamily, Action: action,
				AccountID: side.AccountID, EntityID: c.entityID, ParentID: side.DepositAccountID, IDs: []int64{side.ID},
			})
		}
		return events
	},
	show: showFinancialTransaction,
	path: func(c *call, t *finance.FinancialTransaction) string {
		return paths.FinancialTransaction(c.entityID, t.DepositAccountID, t.ID)
	},
}

// entityTransactions lists the transactions of all deposit accounts of an entity.
var entityTransactions = resource[finance.FinancialTransaction]{
	root: "financial_transaction", plural: "financial_transactions",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (
		list.Page[finance.FinancialTransaction], error) {
		return q.EntityTransactions(ctx, c.scope(), l)
	},
	show: showFinancialTransaction,
}

// destroyTransactions removes all transactions of a deposit account in selected_ids, or refuses
// them all: 200, empty.
func (a *API) destroyTransactions(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		if err := shareDepositAccount(ctx, tx, c); err != nil {
			return answer{}, err
		}
		// A selection has no version: any If-Match but * is refused.
		if err := c.match(financialTransactions.root, func(*wire.Writer) {}); err != nil {
			return answer{}, err
		}
		ids, err := c.selected(in)
		if err != nil {
			return answer{}, err
		}
		return c.answer(http.StatusOK, nil), tx.RemoveFinancialTransactions(ctx, c.scope(),
			c.pathID("deposit_account_id"), ids)
	})
}

var depositAccountParent = parent{checkDepositAccount, shareDepositAccount}

// checkDepositAccount checks that the deposit account of the path exists.
func checkDepositAccount(ctx context.Context, q storage.Queries, c *call) error {
	id := c.pathID("deposit_account_id")
	_, err := q.DepositAccount(ctx, c.scope(), id)
	return found(err, "deposit_account", id)
}

// shareDepositAccount locks the deposit account of the path against its deletion until the
// transaction ends.
func shareDepositAccount(ctx context.Context, tx *storage.Tx, c *call) error {
	id := c.pathID("deposit_account_id")
	return found(tx.ShareDepositAccount(ctx, c.scope(), id), "deposit_account", id)
}

func showFinancialTransaction(c *call, w *wire.Writer, t *finance.FinancialTransaction) {
	w.Int("id", t.ID)
	w.StringPtr("external_id", t.ExternalID)
	w.StringPtr("guid", t.GUID)
	w.String("type", t.Type)
	wire.Decimal(w, "absolute_amount", t.Amount.Abs())
	wire.Decimal(w, "amount", t.Amount)
	wire.Date(w, "occurred_at", t.OccurredAt)
	w.StringPtr("document", t.Document)
	w.StringPtr("original_description", t.OriginalDescription)
	w.StringPtr("user_description", t.UserDescription)
	w.StringPtr("end_to_end_id", t.EndToEndID)
	w.StringPtr("txid", t.Txid)
	w.StringPtr("counterpart_name", t.CounterpartName)
	w.StringPtr("counterpart_document", t.CounterpartDocument)
	w.IntPtr("suggested_person_id", t.SuggestedPersonID)
	w.IntPtr("bank_statement_id", t.BankStatementID)
	w.IntPtr("classification_center_id", t.ClassificationCenterID)
	w.Int("deposit_account_id", t.DepositAccountID)
	w.IntPtr("person_id", t.PersonID)
	w.IntPtr("parent_id", nil)
	w.Int("currency_id", t.CurrencyID)
	w.IntPtr("category_id", t.CategoryID)
	w.IntPtr("transfer_id", t.TransferID)
	w.Time("created_at", t.CreatedAt)
	w.Time("updated_at", t.UpdatedAt)
	w.Bool("imported_from_sync", false)
	w.Bool("balance_difference", false)
	w.Bool("divided", false)
	w.Int("attachments_count", int64(len(t.AttachmentIDs)))
	w.StringPtr("observation", t.Observation)
	w.Bool("reconciled", t.ReconcileID != nil)
	w.IntPtr("transfer_deposit_account_id", t.TransferDepositAccountID)
	w.IntArray(finance.AttachmentIDList, "attachment_id", t.AttachmentIDs)
	id, with := t.ReconcileID, t.ReconciledWith
	if len(with) > 0 && !c.access.Allows(with[0].Kind.Permission()) {
		id, with = nil, nil
	}
	w.IntPtr("reconcile_id", id)
	w.Object("reconciliations", func() {
		showRefs(c, w, "financial_account", with, func(r finance.Ref) string {
			return paths.FinancialAccount(c.entityID, string(r.Kind), r.ID)
		})
		w.Objects("financial_transactions", "financial_transaction", 0, nil)
	})
	self := paths.FinancialTransaction(c.entityID, t.DepositAccountID, t.ID)
	links := []link{{"self", "get", self}}
	if t.Removable() == nil {
		links = append(links, link{"destroy", "delete", self})
	}
	for _, id := range t.AttachmentIDs {
		links = append(links, link{"attachment", "get", paths.Attachment(c.entityID, id)})
	}
	c.links(w, links...)
}

var financialTransactionFields = openapi.Fields{
	"guid": {Doc: "The bank's own id of an imported transaction."},
	"type": {Doc: "Whether money left the account or came in.", Enum: openapi.Enum{
		Name: "TransactionType", Values: []string{finance.Debit, finance.Credit}}},
	"absolute_amount": {Doc: "The amount without its sign.", Example: "150.99"},
	"amount": {
		Doc:     "Negative for a debit.",
		In:      "Not zero. A debit is stored as negative, whatever the sign sent; a credit must not be negative.",
		Example: "-150.99",
	},
	"occurred_at":          {Doc: "The day of the movement.", In: ofTimestamp},
	"original_description": {Doc: "The description in the bank's file."},
	"user_description":     {Doc: "The description written by a user."},
	"end_to_end_id": {
		Doc: "The end-to-end id of the Pix that the bank's text names; null without one, or in doubt."},
	"txid":             {Doc: "The txid of the Pix that the bank's text names."},
	"counterpart_name": {Doc: "Who paid or was paid, as the bank's text names them.", Example: "MOINHO S.A."},
	"counterpart_document": {Doc: "Their CPF or CNPJ without punctuation, if its check digits are right; digits that " +
		"the bank hides are asterisks."},
	"suggested_person_id": {Doc: "The person with the counterpart's whole document, if there is one alone and the " +
		"transaction has no person. It follows the people: its changes are no changes of the transaction. Send it as " +
		"`person_id` to accept it."},
	"bank_statement_id":  {Doc: "The statement from which it was imported."},
	"parent_id":          {Doc: alwaysNull},
	"currency_id":        {Doc: "The deposit account's currency."},
	"transfer_id":        {Doc: "The other side of a transfer."},
	"balance_difference": {Doc: alwaysFalse},
	"divided":            {Doc: alwaysFalse},
	"attachments_count":  {Doc: "The number of its attachments."},
	"reconciled":         {Doc: "Whether it is part of a reconciliation."},
	"transfer_deposit_account_id": {
		Doc: "The deposit account of the other side.",
		In:  "On creation only: the deposit account of the other side of a transfer.",
	},
	"reconcile_id": {Doc: "Its reconcile; null if it is not reconciled, or the reconcile has accounts of a kind " +
		"that the user may not see."},
	"reconciliations": {Doc: "The records that it is reconciled with; empty within a reconcile, which shows all its " +
		"records."},
	"reconciliations.financial_accounts": {
		Doc: "The accounts that a reconciled transaction paid or received, if the user may see their kind; of more " +
			"than 20 the first 20.",
	},
	"reconciliations.financial_transactions": {Doc: "Always empty."},
}
