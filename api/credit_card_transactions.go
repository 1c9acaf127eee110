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
	"bordero/storage/cards"
	"bordero/storage/list"
)

// creditCardTransactions lists the transactions of the invoice that the path names.
var creditCardTransactions = resource[finance.CreditCardTransaction]{
	root: "credit_card_transaction", plural: "credit_card_transactions",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (
		listed list.Page[finance.CreditCardTransaction], err error) {
		month, err := c.month()
		if err != nil {
			return listed, err
		}
		return cards.Transactions(ctx, q, c.scope(), c.pathID("credit_card_id"), month, l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.CreditCardTransaction, error) {
		return cards.Transaction(ctx, q, c.scope(), c.pathID("credit_card_id"), id)
	},
	parent: creditCardParent,
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.CreditCardTransaction, error) {
		return cards.LockTransaction(ctx, tx, c.scope(), c.pathID("credit_card_id"), id)
	},
	newRecord: func(c *call) *finance.CreditCardTransaction {
		return &finance.CreditCardTransaction{AccountID: c.access.AccountID, CreditCardID: c.pathID("credit_card_id")}
	},
	assign:   assignCreditCardTransaction,
	validate: (*finance.CreditCardTransaction).Validate,
	identity: func(c *call, t *finance.CreditCardTransaction) identity {
		return identity{storage.CardTransactionIDs, c.scope(), t.ID, t.ExternalID}
	},
	refers: func(t *finance.CreditCardTransaction) storage.Refers {
		return storage.Refers{References: &t.References, CustomClassifications: t.CustomClassifications}
	},
	insert: inTurn(asMethod(cards.InsertTransaction)),
	update: asMethod(cards.UpdateTransaction),
	remove: asMethod(cards.RemoveTransaction),
	events: func(c *call, t *finance.CreditCardTransaction, action finance.Action) []finance.Event {
		if action == finance.Created {
			return []finance.Event{creditCardTransactionEvent(c, t, action, t.Created...)}
		}
		return []finance.Event{creditCardTransactionEvent(c, t, action, t.ID)}
	},
	show: showCreditCardTransaction,
	path: func(c *call, t *finance.CreditCardTransaction) string {
		return paths.CreditCardTransaction(c.entityID, t.CreditCardID, t.ID)
	},
}

// entityCardTransactions lists the transactions of all cards of an entity.
var entityCardTransactions = resource[finance.CreditCardTransaction]{
	root: "credit_card_transaction", plural: "credit_card_transactions",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (
		list.Page[finance.CreditCardTransaction], error) {
		return cards.EntityTransactions(ctx, q, c.scope(), l)
	},
	show: showCreditCardTransaction,
}

func creditCardTransactionEvent(c *call, t *finance.CreditCardTransaction, action finance.Action,
	ids ...int64) finance.Event {
	return finance.Event{
		Family: finance.CardTransactionsFamily, Action: action,
		AccountID: t.AccountID, EntityID: c.entityID, ParentID: t.CreditCardID, IDs: ids,
	}
}

func assignCreditCardTransaction(in *wire.Input, t *finance.CreditCardTransaction) {
	assignExternalID(in, &t.ExternalID)
	wire.DecodeInto(in, "amount", &t.Amount)
	wire.DecodeInto(in, "occurred_at", &t.OccurredAt)
	in.StringPtr("document", &t.Document)
	in.StringPtr("observation", &t.Observation)
	in.StringPtr("description", &t.Description)
	assignReferences(in, &t.References)
	assignCustomClassifications(in, &t.CustomClassifications)
	if t.ID == 0 {
		in.IntPtr("number_of_parcels", &t.NumberOfParcels)
	}
}

func showCreditCardTransaction(c *call, w *wire.Writer, t *finance.CreditCardTransaction) {
	w.Int("id", t.ID)
	w.StringPtr("external_id", t.ExternalID)
	wire.Number(w, "amount", t.Amount) // a number, unlike all other amounts, which are strings
	wire.Date(w, "occurred_at", t.OccurredAt)
	w.StringPtr("document", t.Document)
	w.StringPtr("observation", t.Observation)
	w.StringPtr("description", t.Description)
	w.IntPtr("classification_center_id", t.ClassificationCenterID)
	w.IntPtr("category_id", t.CategoryID)
	w.IntPtr("person_id", t.PersonID)
	w.Int("credit_card_id", t.CreditCardID)
	w.Int("credit_card_invoice_id", t.Invoice.ID)
	w.Object("credit_card_invoice", func() { showCreditCardInvoice(w, &t.Invoice) })
	w.IntPtr("parcels", t.Parcels)
	w.IntPtr("parcel", t.Parcel)
	showCustomClassifications(w, t.CustomClassifications)
	path := func(id int64) string { return paths.CreditCardTransaction(c.entityID, t.CreditCardID, id) }
	links := []link{{"self", "get", path(t.ID)}}
	if t.PreviousID != nil {
		links = append(links, link{"previous", "get", path(*t.PreviousID)})
	}
	if t.NextID != nil {
		links = append(links, link{"next", "get", path(*t.NextID)})
	}
	c.links(w, links...)
}

// destroyInstallments removes the installments of a purchase, except installments in paid invoices.
// The answer is 200 and empty.
func (a *API) destroyInstallments(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
		t, err := creditCardTransactions.lockForUpdate(ctx, tx, c)
		if err != nil {
			return answer{}, err
		}
		if t.RecurrenceID == nil {
			return answer{}, finance.Refuse(finance.Base, messages.NoInstallment)
		}
		ids, err := cards.RemoveInstallments(ctx, tx, t)
		if err != nil {
			return answer{}, err
		}
		return c.answer(http.StatusOK, nil), tx.Emit(ctx, creditCardTransactionEvent(c, t, finance.Destroyed, ids...))
	})
}

var creditCardTransactionFields = openapi.Fields{
	"amount": {Doc: "Negative for a refund.",
		In: "The amount of each installment. Not zero; negative for a refund.", Example: 199.9},
	"occurred_at":                    {Doc: "The day of the purchase.", In: ofTimestamp},
	"credit_card_id":                 {Doc: "Its card."},
	"credit_card_invoice_id":         {Doc: "Its invoice."},
	"credit_card_invoice":            {Doc: "Its invoice."},
	"credit_card_invoice.start_date": {Doc: "Its first day."},
	"credit_card_invoice.end_date":   {Doc: "Its closing day."},
	"credit_card_invoice.due_date":   {Doc: "When it is due."},
	"credit_card_invoice.balance":    {Doc: "The sum of its transactions."},
	"parcels":                        {Doc: "The number of installments of the purchase."},
	"parcel":                         {Doc: "The number of this installment, from 1."},
	"number_of_parcels":              {In: "On creation only: the number of monthly installments.", Min: 1, Max: 480},
}
