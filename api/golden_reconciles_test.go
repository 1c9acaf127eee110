package api_test

import (
	"strings"
	"testing"

	"bordero/finance"
)

// TestGoldensOfReconciles is TestGoldens for reconciliations.
func TestGoldensOfReconciles(t *testing.T) {
	t.Parallel()
	const reconciles = "/entities/1/reconciles"
	for format, requests := range map[string]struct{ good, bad string }{
		"json": {
			`{"selected_financial_account_ids":[1,2,1],"selected_financial_transaction_ids":["1"]}`,
			`{"selected_financial_account_ids":[1,3,4],"selected_financial_transaction_ids":[2]}`,
		},
		"xml": {
			xmlIDs("1", "2", "1") + `<selected-financial-transaction-ids>1</selected-financial-transaction-ids></hash>`,
			xmlIDs("1", "3", "4") + `<selected-financial-transaction-ids type="array"><id>2</id>` +
				`</selected-financial-transaction-ids></hash>`,
		},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			account := s.newDepositAccount(t)
			golden := func(method, path string, status int, options ...option) {
				t.Helper()
				s.golden(t, format, method, path, status, options...)
			}
			s.newTransaction(t, account, finance.Debit, "150.99", "2026-08-05")
			s.newAccount(t, finance.Payable, `"due_date":"2026-08-04","occurred_at":"2026-08-04","amount":100,`+
				`"document":"NF 1","description":"Farinha"`)
			s.newAccount(t, finance.Payable, `"due_date":"2026-08-05","occurred_at":"2026-08-05","amount":50.99,`+
				`"financial_account_taxes_attributes":[{"tax_id":9,"amount":1.5}]`)
			s.newAccount(t, finance.Payable, `"due_date":"2026-08-05","amount":10`)
			s.newAccount(t, finance.Receivable, `"due_date":"2026-08-05","amount":10`)
			s.newTransaction(t, account, finance.Debit, "90", "2026-08-05")

			golden("GET", reconciles+
				"/suggestions?search[deposit_account_id]=1&search[occurred_at_gte]=2026-08-01"+
				"&search[occurred_at_lte]=2026-08-31", 200)
			golden("POST", reconciles, 422, document(requests.bad))
			golden("POST", reconciles, 200, document(requests.good))
			golden("GET", reconciles+"/1", 200)
			golden("GET", reconciles, 200)
			golden("POST", reconciles+"/batch", 422, document(batchOf[format]))
			golden("POST", reconciles+"/batch", 200, document(strings.ReplaceAll(batchOf[format], "true", "false")))
		})
	}
}

func xmlIDs(ids ...string) string {
	return `<hash><selected-financial-account-ids type="array"><id type="integer">` + strings.Join(ids,
		`</id><id type="integer">`) +
		`</id></selected-financial-account-ids>`
}

// batchOf is a batch with an item that is accepted, one that is refused, and one that is unreadable.
var batchOf = map[string]string{
	"json": `{"atomic":true,"items":[
		{"reconcile":{"selected_financial_transaction_ids":[2],"new_accounts":[{"amount":"90.00",` +
		`"description":"Gás"}]}},
		{"reconcile":{"selected_financial_account_ids":[3],"selected_financial_transaction_ids":[1]}},
		{"reconcile":{"selected_financial_account_ids":["x"],"adjustments":[{"financial_account_id":4,` +
		`"fee_amount":0}]}}]}`,
	"xml": `<hash><atomic type="boolean">true</atomic><items type="array">
		<item><reconcile><selected-financial-transaction-ids type="array"><id>2</id>` +
		`</selected-financial-transaction-ids><new-accounts type="array"><new-account><amount>90.00</amount>` +
		`<description>Gás</description></new-account></new-accounts></reconcile></item>
		<item><reconcile><selected-financial-account-ids type="array"><id>3</id></selected-financial-account-ids>` +
		`<selected-financial-transaction-ids type="array"><id>1</id></selected-financial-transaction-ids>` +
		`</reconcile></item>
		<item><reconcile><selected-financial-account-ids type="array"><id>x</id></selected-financial-account-ids>` +
		`<adjustments type="array"><adjustment><financial-account-id>4</financial-account-id><fee-amount>` +
		`0</fee-amount></adjustment></adjustments></reconcile></item>
	</items></hash>`,
}
