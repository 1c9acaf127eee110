package api_test

import (
	"fmt"
	"testing"

	"bordero/finance"
)

// books makes records of every family with totals, two of them split by classifications.
func (s *service) books(t testing.TB) {
	t.Helper()
	bank, savings := s.newDepositAccount(t), s.newDepositAccount(t)
	s.newPerson(t, `{"name":"Moinho"}`)
	path := s.newCategory(t, `{"name":"Frota"}`)
	tyres := lastID(s.made(t, path+"/create_subcategory", `{"category":{"name":"Pneus"}}`))
	s.newCenter(t, s.EntityID, "Loja")
	s.newCenter(t, s.EntityID, "Fábrica")
	channel := s.newClassifier(t, "Canal")
	s.newValue(t, channel, "Site")
	s.newValue(t, channel, "Rua")

	s.newTransaction(t, bank, finance.Debit, "150.99", "2026-08-03")
	s.newTransaction(t, savings, finance.Credit, "1500", "2026-09-04")
	s.exec(t, `UPDATE financial_transactions SET category_id = $1 WHERE id = 1`, tyres)
	for _, kind := range []finance.AccountKind{finance.Payable, finance.Receivable} {
		s.newAccount(t, kind, fmt.Sprintf(`"due_date":"2026-08-20","competency_month":"2026-07","amount":100,`+
			`"ticket_amount":2,`+
			`"interest_amount":1,"person_id":1,"category_id":%d,"expected_deposit_account_id":1,`+
			`"classification_center_classifications":[{"classification_center_id":1,"percentage":33.3333},`+
			`{"classification_center_id":2,"amount":50}],`+
			`"custom_classifications":[{"custom_classifier_id":1,"name":"Site","percentage":50}]`, tyres))
		s.newAccount(t, kind, `"due_date":"2026-09-20","amount":40,"total_amount":39.5,"occurred_at":"2026-09-18",`+
			`"discount_amount":0.5,"classification_center_id":1`)
	}
	shop := s.newSaleAccount(t, `"consolidate":true`)
	s.newSale(t, shop, `"payment_method":"pix","nominal_amount":100,"occurred_at":"2026-08-10","person_id":1,`+
		`"tax_charges":[{"tax_id":1,"amount":6}],"custom_classifications":[{"custom_classifier_id":1,"name":"Rua"}]`)
	card := s.newCard(t, 10, 20)
	s.buy(t, card, fmt.Sprintf(`"amount":199.9,"occurred_at":"2026-08-03","category_id":%d`, tyres))
	s.buy(t, card, `"amount":-20,"occurred_at":"2026-08-05"`)
}

// totalsShown are the paths of the goldens of totals.
var totalsShown = []string{
	"/entities/1/deposit_accounts/1/financial_transactions/totals",
	"/entities/1/financial_transactions/totals?group_by=category_tree,month",
	"/financial_transactions/totals?group_by=entity,deposit_account&entities=1",
	"/entities/1/payable_accounts/totals?group_by=center,classifier:1",
	"/payable_accounts/totals?search[status]=1",
	"/entities/1/receivable_accounts/totals?group_by=person,status",
	"/receivable_accounts/totals?group_by=competency_month,deposit_account",
	"/entities/1/sales/totals?group_by=classifier:1",
	"/sales/totals?group_by=entity",
	"/entities/1/credit_cards/1/transactions/totals?search[occurred_at_gte]=2026-08-04",
	"/entities/1/credit_cards/transactions/totals?group_by=category",
	"/credit_cards/transactions/totals?group_by=month",
}

// TestGoldensOfTotals is TestGoldens for totals.
func TestGoldensOfTotals(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.books(t)
	for _, format := range []string{"json", "xml"} {
		for _, path := range totalsShown {
			s.golden(t, format, "GET", path, 200)
		}
	}
}
