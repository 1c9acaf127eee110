package api_test

import (
	"strings"
	"testing"
)

// TestGoldensOfFinancialAccounts is TestGoldens for payable and receivable accounts.
func TestGoldensOfFinancialAccounts(t *testing.T) {
	t.Parallel()
	for format, documents := range map[string]map[string]string{
		"json": {
			"series": `{"KIND_account":{"due_date":"2026-08-31","amount":"0.15E4","ticket_amount":"1.5",` +
				`"interest_amount":2,"discount_amount":"3.25",` +
				`"description":"Forno & fogão","document":"NF 1","document_emission_date":"2026-07-30",` +
				`"observation":"a\nb","remind":true,` +
				`"category_full_name":"pessoal / salarios","classification_center_id":1,` +
				`"expected_deposit_account_id":1,"person_id":1,` +
				`"financial_account_taxes_attributes":[{"tax_id":9,"amount":"75.00"},{"tax_id":1,"amount":"0.5"}],` +
				`"create_as_parcelled":"monthly","number_of_parcels":3}}`,
			"change": `{"KIND_account":{"due_date":"2026-09-28","nominal_amount":"1520.50",` +
				`"competency_month":"2026-09","financial_account_taxes_attributes":[],"remind":false}}`,
			"settlement": `{"KIND_account":{"total_amount":"1531.20","occurred_at":"2026-10-01","amount":"1520.5"}}`,
			"bad": `{"KIND_account":{"due_date":"","amount":"1.005","person_id":9,` +
				`"financial_account_taxes_attributes":[{"tax_id":99,"amount":-1}]}}`,
		},
		"xml": {
			"series": `<KIND-account><due-date type="date">2026-08-31</due-date><amount type="decimal">` +
				`0.15E4</amount><ticket-amount>1.5</ticket-amount>` +
				`<interest-amount>2</interest-amount><discount-amount>3.25</discount-amount><description>Forno &amp; ` +
				`fogão</description><document>NF 1</document>` +
				"<document-emission-date>2026-07-30</document-emission-date><observation>a\nb</observation><remind " +
				"type=\"boolean\">true</remind>" +
				`<category-full-name>pessoal / salarios</category-full-name><classification-center-id>` +
				`1</classification-center-id>` +
				`<expected-deposit-account-id>1</expected-deposit-account-id><person-id>1</person-id>` +
				`<financial-account-taxes-attributes type="array"><financial-account-taxes-attribute><tax-id>` +
				`9</tax-id><amount>75.00</amount></financial-account-taxes-attribute>` +
				`<financial-account-taxes-attribute><tax-id>1</tax-id><amount>0.5</amount>` +
				`</financial-account-taxes-attribute></financial-account-taxes-attributes>` +
				`<create-as-parcelled>monthly</create-as-parcelled><number-of-parcels type="integer">` +
				`3</number-of-parcels></KIND-account>`,
			"change": `<KIND-account><due-date>2026-09-28</due-date><nominal-amount>1520.50</nominal-amount>` +
				`<competency-month>2026-09</competency-month>` +
				`<financial-account-taxes-attributes type="array"/><remind>false</remind></KIND-account>`,
			"settlement": `<KIND-account><total-amount>1531.20</total-amount><occurred-at type="date">` +
				`2026-10-01</occurred-at><amount>1520.5</amount></KIND-account>`,
			"bad": `<KIND-account><due-date/><amount>1.005</amount><person-id>9</person-id>` +
				`<financial-account-taxes-attributes type="array">` +
				`<financial-account-taxes-attribute><tax-id>99</tax-id><amount>-1</amount>` +
				`</financial-account-taxes-attribute></financial-account-taxes-attributes></KIND-account>`,
		},
	} {
		for kind, verbs := range map[string][2]string{"payable": {"/pay", "/undo_payment"}, "receivable": {
			"/receive", "/undo_receivement"}} {
			t.Run(kind+" "+format, func(t *testing.T) {
				t.Parallel()
				s := newService(t)
				golden := func(method, path string, status int, options ...option) {
					t.Helper()
					s.golden(t, format, method, path, status, options...)
				}
				send := func(name string) option { return document(strings.ReplaceAll(documents[name], "KIND", kind)) }
				s.newPerson(t, `{"name":"Moinho"}`)
				s.newCenter(t, s.EntityID, "Loja")
				s.newDepositAccount(t)
				list := "/entities/1/" + kind + "_accounts"
				one := list + "/2"

				golden("POST", list, 201, send("series"))
				golden("POST", list, 422, send("bad"))
				golden("PUT", one, 200, send("change"))
				golden("PUT", one+verbs[0], 200, send("settlement"))
				golden("PUT", one+verbs[0], 422, send("settlement"))
				golden("GET", one, 200)
				golden("GET", list, 200)
				golden("PUT", one+verbs[1], 200)
				golden("PUT", one+verbs[1], 422)
				golden("GET", list+"/9", 404)
				golden("DELETE", list+"?selected_ids=1,8,9", 422)
			})
		}
	}
}
