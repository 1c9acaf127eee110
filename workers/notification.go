package workers

import (
	"strconv"
	"time"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
)

// notified has the singular name and the path of a record of each family.
var notified = map[finance.Family]struct {
	name string
	path func(storage.Delivery) string
}{
	finance.DepositAccountsFamily: {"deposit_account", func(d storage.Delivery) string { return paths.DepositAccount(d.EntityID, d.RecordID) }},
	finance.FinancialTransactionsFamily: {"financial_transaction", func(d storage.Delivery) string {
		return paths.FinancialTransaction(d.EntityID, d.ParentID, d.RecordID)
	}},
	finance.BankStatementsFamily: {"bank_statement", func(d storage.Delivery) string {
		return paths.BankStatement(d.EntityID, d.ParentID, d.RecordID)
	}},
	finance.PayableAccountsFamily: {"payable_account", func(d storage.Delivery) string {
		return paths.FinancialAccount(d.EntityID, "payable", d.RecordID)
	}},
	finance.ReceivableAccountsFamily: {"receivable_account", func(d storage.Delivery) string {
		return paths.FinancialAccount(d.EntityID, "receivable", d.RecordID)
	}},
	finance.SaleAccountsFamily: {"sale_account", func(d storage.Delivery) string { return paths.SaleAccount(d.RecordID) }},
	finance.SaleRulesFamily:    {"sale_rule", func(d storage.Delivery) string { return paths.SaleRule(d.ParentID, d.RecordID) }},
	finance.SalesFamily:        {"sale", func(d storage.Delivery) string { return paths.Sale(d.EntityID, d.RecordID) }},
	finance.CreditCardsFamily:  {"credit_card", func(d storage.Delivery) string { return paths.CreditCard(d.EntityID, d.RecordID) }},
	finance.CardTransactionsFamily: {"credit_card_transaction", func(d storage.Delivery) string {
		return paths.CreditCardTransaction(d.EntityID, d.ParentID, d.RecordID)
	}},
	finance.PeopleFamily:                {"person", func(d storage.Delivery) string { return paths.Person(d.RecordID) }},
	finance.CategoriesFamily:            {"category", func(d storage.Delivery) string { return paths.Category(d.RecordID) }},
	finance.ClassificationCentersFamily: {"classification_center", func(d storage.Delivery) string { return paths.ClassificationCenter(d.RecordID) }},
	finance.AttachmentsFamily:           {"attachment", func(d storage.Delivery) string { return paths.Attachment(d.EntityID, d.RecordID) }},
}

// formatOf returns the format of a webhook's notifications.
func formatOf(e *finance.Webhook) wire.Format {
	if e.Format == wire.XML.String() {
		return wire.XML
	}
	return wire.JSON
}

// notification returns the body of a delivery (OpenAPI: Notification). It has only the
// record's id and URL: a client with the right to see the record reads its current state
// there.
func notification(f wire.Format, publicURL string, d storage.Delivery) []byte {
	w := wire.NewWriter(f, time.UTC)
	defer w.Free()
	of := notified[d.Family]
	w.Document(func() {
		w.String("event", string(d.Family)+"."+string(d.Action))
		w.Time("timestamp", d.CreatedAt)
		w.Object(of.name, func() {
			w.Int("id", d.RecordID)
			w.Objects("_links", "_link", 1, func(int) {
				w.String("rel", "self")
				w.String("method", "GET")
				w.String("url", publicURL+of.path(d))
			})
		})
	})
	return append([]byte(nil), w.Bytes()...)
}

// notificationID returns the id of a notification for its receiver, the same on every
// attempt.
func notificationID(delivery int64) string { return "msg_" + strconv.FormatInt(delivery, 10) }
