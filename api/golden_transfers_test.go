package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestGoldensOfTransfers is TestGoldens for transfers and transactions with references.
func TestGoldensOfTransfers(t *testing.T) {
	t.Parallel()
	const below = "/entities/1/deposit_accounts/1/financial_transactions"
	for format, sent := range map[string]string{
		"json": `{"financial_transaction":{"type":"Debit","amount":"250.00","occurred_at":"2026-08-04","user_description":"Reserva",` +
			`"category_full_name":"frota / pneus","person_id":1,"classification_center_id":1,"transfer_deposit_account_id":2}}`,
		"xml": `<financial-transaction><type>Debit</type><amount>250.00</amount><occurred-at>2026-08-04</occurred-at><user-description>Reserva</user-description>` +
			`<category-full-name>frota / pneus</category-full-name><person-id type="integer">1</person-id><classification-center-id>1</classification-center-id>` +
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
			golden(422, "references", strings.NewReplacer("frota", "frotas", `"person_id":1`, `"person_id":9`, `>1</person-id>`, `>9</person-id>`).Replace(sent))
		})
	}
}
