package api_test

import (
	"testing"

	"bordero/finance"
)

// TestGoldensOfReconciliationRules is TestGoldens for rules of reconciliation.
func TestGoldensOfReconciliationRules(t *testing.T) {
	t.Parallel()
	const (
		rules  = "/entities/1/reconciliation_rules"
		period = "?search[deposit_account_id]=1&search[occurred_at_gte]=2026-08-01&search[occurred_at_lte]=2026-08-31"
	)
	for format, requests := range map[string]struct{ made, matched, bad, change string }{
		"json": {
			`{"reconciliation_rule":{"name":"Tarifas do banco","text_contains":["tarifa"],"type":"Debit",` +
				`"amount_lte":"100.00","deposit_account_id":1,
				"new_account":{"category_id":1,"person_id":1,"classification_center_id":1,"description":"Tarifa ` +
				`bancária","document":"B 1","observation":"Da agência"}}}`,
			`{"reconciliation_rule":{"name":"Moinho","automatic":true,"counterpart_document":"11.222.333/0001-81",` +
				`"amount_gte":10,"match":{"person_id":1,"category_id":1,"days":30}}}`,
			`{"reconciliation_rule":{"amount_gte":2,"amount_lte":1,"type":"debit",` +
				`"counterpart_document":"11.222.333/0001-82","new_account":{"person_id":9},"match":{"days":61}}}`,
			`{"reconciliation_rule":{"position":1,"new_account":null,"match":{}}}`,
		},
		"xml": {
			`<reconciliation-rule><name>Tarifas do banco</name><text-contains type="array"><text-contain>` +
				`tarifa</text-contain></text-contains><type>Debit</type>
				<amount-lte type="decimal">100.00</amount-lte><deposit-account-id type="integer">` +
				`1</deposit-account-id><new-account>
				<category-id>1</category-id><person-id>1</person-id><classification-center-id>` +
				`1</classification-center-id>
				<description>Tarifa bancária</description><document>B 1</document><observation>Da ` +
				`agência</observation></new-account></reconciliation-rule>`,
			`<reconciliation-rule><name>Moinho</name><automatic>true</automatic><counterpart-document>` +
				`11.222.333/0001-81</counterpart-document>
				<amount-gte>10</amount-gte><match><person-id>1</person-id><category-id>1</category-id><days>30</days>` +
				`</match></reconciliation-rule>`,
			`<reconciliation-rule><amount-gte>2</amount-gte><amount-lte>1</amount-lte><type>debit</type>` +
				`<counterpart-document>11.222.333/0001-82</counterpart-document>
				<new-account><person-id>9</person-id></new-account><match><days>61</days></match>` +
				`</reconciliation-rule>`,
			`<reconciliation-rule><position>1</position><new-account nil="true"/><match/></reconciliation-rule>`,
		},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			account := s.newDepositAccount(t)
			s.newPerson(t, `{"name":"Moinho"}`)
			s.newCategory(t, `{"name":"Despesas"}`)
			s.newCenter(t, s.EntityID, "Loja")
			at := s.newTransaction(t, account, finance.Debit, "9.90", "2026-08-05")
			s.call(t, "PUT", at, document(`{"financial_transaction":{"user_description":"TARIFA MENSALIDADE"}}`)).want(
				t, 200)
			golden := func(method, path string, status int, options ...option) {
				t.Helper()
				s.golden(t, format, method, path, status, options...)
			}
			golden("POST", rules+"/preview"+period, 200, document(requests.made))
			golden("POST", rules, 201, document(requests.made))
			s.call(t, "POST", rules, document(requests.matched), with("Content-Type", "application/"+format)).want(t,
				201)
			golden("POST", rules, 422, document(requests.bad))
			golden("GET", rules, 200)
			golden("GET", rules+"/2", 200)
			golden("PUT", rules+"/1", 200, document(requests.change))
			golden("DELETE", rules+"/1", 200)
			golden("GET", rules+"/1", 404)
		})
	}
}
