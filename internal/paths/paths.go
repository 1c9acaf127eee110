// Package paths returns the path of every record, for Location headers, links, pages and
// notifications. A test of the API checks that each has a route. It is apart from api because
// notifications of the workers name records, too.
package paths

import "strconv"

func join(base string, id int64) string {
	return base + "/" + strconv.FormatInt(id, 10)
}

// Entity is the path of an entity.
func Entity(id int64) string { return join("/entities", id) }

// DepositAccounts is the path of the deposit accounts of an entity.
func DepositAccounts(entity int64) string { return Entity(entity) + "/deposit_accounts" }

// DepositAccount is the path of a deposit account.
func DepositAccount(entity, id int64) string { return join(DepositAccounts(entity), id) }

// FinancialTransactions is the path of the transactions of a deposit account.
func FinancialTransactions(entity, depositAccount int64) string {
	return DepositAccount(entity, depositAccount) + "/financial_transactions"
}

// FinancialTransaction is the path of a transaction. It is built in one step: an answer may
// have ten thousand of them.
func FinancialTransaction(entity, depositAccount, id int64) string {
	b := make([]byte, 0, 96)
	b = strconv.AppendInt(append(b, "/entities/"...), entity, 10)
	b = strconv.AppendInt(append(b, "/deposit_accounts/"...), depositAccount, 10)
	b = strconv.AppendInt(append(b, "/financial_transactions/"...), id, 10)
	return string(b)
}

// RoutedStatements is the path of the uploads that the account numbers in a file route to the deposit accounts of an
// entity.
func RoutedStatements(entity int64) string { return Entity(entity) + "/bank_statements" }

// BankStatements is the path of the imports into a deposit account.
func BankStatements(entity, depositAccount int64) string {
	return DepositAccount(entity, depositAccount) + "/bank_statements"
}

// BankStatement is the path of an import.
func BankStatement(entity, depositAccount, id int64) string {
	return join(BankStatements(entity, depositAccount), id)
}

// FinancialAccounts is the path of the accounts that an entity has to pay ("payable") or to receive
// ("receivable").
func FinancialAccounts(entity int64, kind string) string {
	return Entity(entity) + "/" + kind + "_accounts"
}

// FinancialAccount is the path of one account of the kind.
func FinancialAccount(entity int64, kind string, id int64) string {
	return join(FinancialAccounts(entity, kind), id)
}

// Attachments is the path of the files of an entity.
func Attachments(entity int64) string { return Entity(entity) + "/attachments" }

// Attachment is the path of a file.
func Attachment(entity, id int64) string { return join(Attachments(entity), id) }

// Reconciles is the path of the reconciles of an entity.
func Reconciles(entity int64) string { return Entity(entity) + "/reconciles" }

// Reconcile is the path of a reconcile.
func Reconcile(entity, id int64) string { return join(Reconciles(entity), id) }

// Transfers is the path of the transfers of an entity that are pairs.
func Transfers(entity int64) string { return Entity(entity) + "/transfers" }

// Transfer is the path of a transfer that is a pair.
func Transfer(entity, id int64) string { return join(Transfers(entity), id) }

// ReconciliationRules is the path of the rules of reconciliation of an entity.
func ReconciliationRules(entity int64) string { return Entity(entity) + "/reconciliation_rules" }

// ReconciliationRule is the path of a rule of reconciliation.
func ReconciliationRule(entity, id int64) string { return join(ReconciliationRules(entity), id) }

// Budgets is the path of the budgets of an entity.
func Budgets(entity int64) string { return Entity(entity) + "/budgets" }

// Budget is the path of a budget.
func Budget(entity, id int64) string { return join(Budgets(entity), id) }

// SaleAccount is the path of a sale account.
func SaleAccount(id int64) string { return join("/sale_accounts", id) }

// SaleRule is the path of a rule of a sale account.
func SaleRule(saleAccount, id int64) string { return join(SaleAccount(saleAccount)+"/rules", id) }

// Sale is the path of a sale of an entity.
func Sale(entity, id int64) string { return join(Entity(entity)+"/sales", id) }

// CreditCards is the path of the credit cards of an entity.
func CreditCards(entity int64) string { return Entity(entity) + "/credit_cards" }

// CreditCard is the path of a credit card.
func CreditCard(entity, id int64) string { return join(CreditCards(entity), id) }

// CreditCardInvoices is the path of the invoices of a card.
func CreditCardInvoices(entity, card int64) string { return CreditCard(entity, card) + "/invoices" }

// CreditCardInvoice is the path of the transactions of the invoice that the month
// (YYYY-MM) names.
func CreditCardInvoice(entity, card int64, month string) string {
	return CreditCardInvoices(entity, card) + "/" + month
}

// CreditCardTransactions is the path of the transactions of a card.
func CreditCardTransactions(entity, card int64) string {
	return CreditCard(entity, card) + "/transactions"
}

// CreditCardTransaction is the path of a transaction of a card.
func CreditCardTransaction(entity, card, id int64) string {
	return join(CreditCardTransactions(entity, card), id)
}

// Person is the path of a customer or supplier.
func Person(id int64) string { return join("/people", id) }

// Category is the path of a category.
func Category(id int64) string { return join("/categories", id) }

// ClassificationCenter is the path of a cost or revenue center.
func ClassificationCenter(id int64) string { return join("/classification_centers", id) }

// CustomClassifier is the path of a custom classifier.
func CustomClassifier(id int64) string { return join("/custom_classifiers", id) }

// CustomClassifierValue is the path of a value of a custom classifier.
func CustomClassifierValue(classifier, id int64) string {
	return join(CustomClassifier(classifier)+"/values", id)
}

// Token is the path of a token.
func Token(id int64) string { return join("/tokens", id) }

// Member is the path of a member, by the id of the user.
func Member(id int64) string { return join("/members", id) }

// Webhook is the path of a webhook.
func Webhook(id int64) string { return join("/integrations/webhooks", id) }

// WebhookDelivery is the path of a notification of a webhook.
func WebhookDelivery(webhook, id int64) string { return join(Webhook(webhook)+"/deliveries", id) }

// Family is a family of records that have events: the name of one of them, and its path below an
// entity and a parent, which not every path contains.
type Family struct {
	Name string
	Path func(entity, parent, id int64) string
}

// Families are the families by the names that events carry.
var Families = map[string]Family{
	"attachments":     {"attachment", func(entity, _, id int64) string { return Attachment(entity, id) }},
	"bank_statements": {"bank_statement", BankStatement},
	"categories":      {"category", func(_, _, id int64) string { return Category(id) }},
	"classification_centers": {"classification_center", func(_, _, id int64) string {
		return ClassificationCenter(id)
	}},
	"credit_card_transactions": {"credit_card_transaction", CreditCardTransaction},
	"credit_cards":             {"credit_card", func(entity, _, id int64) string { return CreditCard(entity, id) }},
	"deposit_accounts": {"deposit_account", func(entity, _, id int64) string {
		return DepositAccount(entity, id)
	}},
	"financial_transactions": {"financial_transaction", FinancialTransaction},
	"payable_accounts": {"payable_account", func(entity, _, id int64) string {
		return FinancialAccount(entity, "payable", id)
	}},
	"people": {"person", func(_, _, id int64) string { return Person(id) }},
	"receivable_accounts": {"receivable_account", func(entity, _, id int64) string {
		return FinancialAccount(entity, "receivable", id)
	}},
	"sale_accounts": {"sale_account", func(_, _, id int64) string { return SaleAccount(id) }},
	"sale_rules":    {"sale_rule", func(_, parent, id int64) string { return SaleRule(parent, id) }},
	"sales":         {"sale", func(entity, _, id int64) string { return Sale(entity, id) }},
}

// others are the families without webhook events.
var others = map[string]func(entity, parent, id int64) string{
	"budgets":                  func(entity, _, id int64) string { return Budget(entity, id) },
	"custom_classifier_values": func(_, parent, id int64) string { return CustomClassifierValue(parent, id) },
	"custom_classifiers":       func(_, _, id int64) string { return CustomClassifier(id) },
	"entities":                 func(_, _, id int64) string { return Entity(id) },
	"reconciles":               func(entity, _, id int64) string { return Reconcile(entity, id) },
	"transfers":                func(entity, _, id int64) string { return Transfer(entity, id) },
	"reconciliation_rules":     func(entity, _, id int64) string { return ReconciliationRule(entity, id) },
	"members":                  func(_, _, id int64) string { return Member(id) },
	"tokens":                   func(_, _, id int64) string { return Token(id) },
	"webhooks":                 func(_, _, id int64) string { return Webhook(id) },
}

// Record returns the path of a record of any family, and reports whether it has one.
func Record(family string, entity, parent, id int64) (string, bool) {
	if f, notified := Families[family]; notified {
		return f.Path(entity, parent, id), true
	}
	if path, known := others[family]; known {
		return path(entity, parent, id), true
	}
	return "", false
}
