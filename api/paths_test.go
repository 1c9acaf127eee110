package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"testing"

	"bordero/api"
	"bordero/internal/paths"
)

func TestPathsAreThoseOfRoutes(t *testing.T) {
	t.Parallel()
	spelled := map[string]string{
		"Entity":                 paths.Entity(11),
		"DepositAccounts":        paths.DepositAccounts(11),
		"DepositAccount":         paths.DepositAccount(11, 12),
		"FinancialTransactions":  paths.FinancialTransactions(11, 12),
		"FinancialTransaction":   paths.FinancialTransaction(11, 12, 13),
		"BankStatements":         paths.BankStatements(11, 12),
		"BankStatement":          paths.BankStatement(11, 12, 14),
		"FinancialAccounts":      paths.FinancialAccounts(11, "payable"),
		"FinancialAccount":       paths.FinancialAccount(11, "receivable", 20),
		"Reconciles":             paths.Reconciles(11),
		"Reconcile":              paths.Reconcile(11, 21),
		"SaleAccount":            paths.SaleAccount(24),
		"SaleRule":               paths.SaleRule(24, 25),
		"Sale":                   paths.Sale(11, 26),
		"CreditCards":            paths.CreditCards(11),
		"CreditCard":             paths.CreditCard(11, 22),
		"CreditCardInvoices":     paths.CreditCardInvoices(11, 22),
		"CreditCardInvoice":      paths.CreditCardInvoice(11, 22, "2026-03"),
		"CreditCardTransactions": paths.CreditCardTransactions(11, 22),
		"CreditCardTransaction":  paths.CreditCardTransaction(11, 22, 23),
		"Person":                 paths.Person(15),
		"Category":               paths.Category(16),
		"ClassificationCenter":   paths.ClassificationCenter(17),
		"CustomClassifier":       paths.CustomClassifier(18),
		"CustomClassifierValue":  paths.CustomClassifierValue(18, 19),
		"Attachments":            paths.Attachments(11),
		"Attachment":             paths.Attachment(11, 27),
		"Webhook":                paths.Webhook(28),
		"WebhookDelivery":        paths.WebhookDelivery(28, 29),
	}
	served := map[string]bool{}
	ids := records{"entity_id": 11, "deposit_account_id": 12, "financial_transaction_id": 13, "bank_statement_id": 14,
		"person_id": 15, "category_id": 16, "classification_center_id": 17, "custom_classifier_id": 18, "custom_classifier_value_id": 19, "receivable_account_id": 20,
		"reconcile_id": 21, "credit_card_id": 22, "credit_card_transaction_id": 23, "sale_account_id": 24, "sale_rule_id": 25, "sale_id": 26, "attachment_id": 27,
		"webhook_id": 28, "webhook_delivery_id": 29}
	for _, r := range api.Routes() {
		served[ids.path(r)] = true
	}
	for name, path := range spelled {
		if !served[path] {
			t.Errorf("paths.%s spells %s, which is no route", name, path)
		}
	}
	equal(t, slices.Sorted(maps.Keys(spelled)), exported(t, "../internal/paths/paths.go"))
}

// exported lists the functions that a file exports.
func exported(t *testing.T, name string) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() {
			names = append(names, f.Name.Name)
		}
	}
	slices.Sort(names)
	return names
}
