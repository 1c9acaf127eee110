package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
)

// pairOf has the document that pairs two transactions, by format.
var pairOf = map[string]func(debit, credit int) string{
	"json": func(debit, credit int) string {
		return fmt.Sprintf(`{"transfer":{"debit_transaction_id":%d,"credit_transaction_id":"%d"}}`, debit, credit)
	},
	"xml": func(debit, credit int) string {
		return fmt.Sprintf(`<transfer><debit-transaction-id type="integer">%d</debit-transaction-id>`+
			`<credit-transaction-id>%d</credit-transaction-id></transfer>`, debit, credit)
	},
}

// TestGoldensOfTransfers is TestGoldens for transfers and transactions with references.
func TestGoldensOfTransfers(t *testing.T) {
	t.Parallel()
	const below = "/entities/1/deposit_accounts/1/financial_transactions"
	for format, sent := range map[string]string{
		"json": `{"financial_transaction":{"type":"Debit","amount":"250.00","occurred_at":"2026-08-04",` +
			`"user_description":"Reserva",` +
			`"category_full_name":"frota / pneus","person_id":1,"classification_center_id":1,` +
			`"transfer_deposit_account_id":2}}`,
		"xml": `<financial-transaction><type>Debit</type><amount>250.00</amount><occurred-at>2026-08-04</occurred-at>` +
			`<user-description>Reserva</user-description>` +
			`<category-full-name>frota / pneus</category-full-name><person-id type="integer">1</person-id>` +
			`<classification-center-id>1</classification-center-id>` +
			`<transfer-deposit-account-id>2</transfer-deposit-account-id></financial-transaction>`,
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.newDepositAccount(t)
			s.newDepositAccount(t)
			s.newPerson(t, `{"name":"Ana"}`)
			s.newCenter(t, s.EntityID, "Loja")
			s.made(t, s.newCategory(t, `{"name":"Frota"}`)+"/create_subcategory", `{"category":{"name":"Pneus"}}`)
			golden := func(status int, kind, text string) {
				t.Helper()
				a := s.call(t, "POST", below, document(text), with("Accept", "application/"+format)).want(t, status)
				compare(t, fmt.Sprintf("createFinancialTransaction_%d_%s.%s", status, kind, format), a.body)
			}
			golden(201, "transfer", sent)
			s.newTransaction(t, "/entities/1/deposit_accounts/1", finance.Debit, "40", "2026-08-05")
			s.newTransaction(t, "/entities/1/deposit_accounts/2", finance.Credit, "40", "2026-08-06")
			s.newTransaction(t, "/entities/1/deposit_accounts/1", finance.Credit, "1", "2026-08-07")
			s.golden(t, format, "GET", "/entities/1/transfers/"+
				"suggestions?search[deposit_account_id]=1&search[occurred_at_gte]=2026-08-01"+
				"&search[occurred_at_lte]=2026-08-31", 200)
			s.golden(t, format, "POST", "/entities/1/transfers", 422, document(pairOf[format](3, 1)))
			s.golden(t, format, "POST", "/entities/1/transfers", 201, document(pairOf[format](3, 4)))
			s.golden(t, format, "GET", "/entities/1/transfers", 200)
			s.golden(t, format, "GET", "/entities/1/transfers/1", 200)
			s.golden(t, format, "GET", "/entities/1/deposit_accounts/1/reconciliation?from=2026-08-01&to=2026-08-31",
				200)
			s.golden(t, format, "GET", "/entities/1/financial_transactions?search[left]=true", 200)
			golden(422, "references", strings.NewReplacer("frota", "frotas", `"person_id":1`, `"person_id":9`,
				`>1</person-id>`, `>9</person-id>`).Replace(sent))
		})
	}
}
