package api

import (
	"context"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/cards"
	"bordero/storage/list"
)

// creditCardInvoices is read-only: invoices follow from the transactions.
var creditCardInvoices = resource[finance.CreditCardInvoice]{
	root: "credit_card_invoice", plural: "credit_card_invoices",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (
		list.Page[finance.CreditCardInvoice], error) {
		return cards.Invoices(ctx, q, c.scope(), c.pathID("credit_card_id"), l)
	},
	parent: creditCardParent,
	show: func(c *call, w *wire.Writer, i *finance.CreditCardInvoice) {
		showCreditCardInvoice(w, i)
		payable := i.PayableAccountID
		if !c.access.Allows(finance.PayableAccounts) {
			payable = nil
		}
		w.IntPtr("payable_account_id", payable)
		c.links(w, link{"self", "get", paths.CreditCardInvoice(c.entityID, i.CreditCardID,
			finance.MonthOf(i.DueDate).String())})
	},
}

// showCreditCardInvoice writes the fields of an invoice that follow from its transactions.
func showCreditCardInvoice(w *wire.Writer, i *finance.CreditCardInvoice) {
	w.Int("id", i.ID)
	wire.Date(w, "start_date", i.StartDate)
	wire.Date(w, "end_date", i.EndDate)
	wire.Date(w, "due_date", i.DueDate)
	wire.Decimal(w, "balance", i.Balance)
}

// month returns the month of the path, which names an invoice. Anything but a month is a 404.
func (c *call) month() (m finance.Month, err error) {
	text := c.Param("month")
	if len(text) != len("YYYY-MM") || m.UnmarshalText([]byte(text)) != nil {
		return m, missing(creditCardInvoices.root, text).Hinted(messages.MonthInPath)
	}
	return m, nil
}

var creditCardInvoiceFields = openapi.Fields{
	"start_date": {Doc: "Its first day."},
	"end_date":   {Doc: "Its closing day."},
	"due_date":   {Doc: "The due date; its month names the invoice."},
	"balance":    {Doc: "The sum of its transactions."},
	"payable_account_id": {Doc: "Its payable account, while the balance is above zero; null if the user may not see " +
		"payable accounts."},
}
