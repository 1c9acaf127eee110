package api_test

import (
	"testing"

	"bordero/storage"
	"bordero/storage/pricing"
)

// TestGoldensOfSales is TestGoldens for sale accounts, their rules and sales.
func TestGoldensOfSales(t *testing.T) {
	t.Parallel()
	for format, documents := range map[string]map[string]string{
		"json": {
			"account": `{"sale_account":{"entity_id":1,"name":"Maquininha & cia","provider":"stone",` +
				`"payment_methods":"credit,debit,pix","description":"Loja",` +
				`"consolidate":true,"category_full_name":"vendas","person_id":1,"classification_center_id":1,` +
				`"expected_deposit_account_id":1,` +
				`"custom_classifications":[{"custom_classifier_id":1,"name":"praca"}],` +
				`"classification_center_classifications":[{"classification_center_id":1,"percentage":"33.3333"}]}}`,
			"account change": `{"sale_account":{"payment_methods":"credit,pix","custom_classifications":[]}}`,
			"bad account":    `{"sale_account":{"name":"","provider":"banco","payment_methods":"credit,fiado"}}`,
			"rule": `{"sale_rule":{"payment_method":"credit","issuer":"VISA","fee_percentage":"0.24999E1",` +
				`"fixed_fee_amount":0.39,"minimum_fee_amount":"1",` +
				`"days_to_liquidation":30,"weekdays":"3,1"}}`,
			"bad rule": `{"sale_rule":{"weekdays":"7"}}`,
			"sale": `{"sale":{"sale_account_id":1,"payment_method":"credit","issuer":"visa",` +
				`"nominal_amount":"0.199E3","interest_amount":"1.5","ticket_amount":2,` +
				`"discount_amount":"3.25","occurred_at":"2026-08-31","confirmed_at":"2026-09-01","description":"Bolo ` +
				`\"4\"","observation":"a\nb","document":"NF 1",` +
				`"document_emission_date":"2026-08-30","provider_code":"S-1","category_full_name":"Vendas",` +
				`"person_id":1,"classification_center_id":1,` +
				`"custom_classifications":[{"custom_classifier_id":1,"name":"Praça","amount":"100.00"},` +
				`{"custom_classifier_id":1,"name":"Site","percentage":12.5}],` +
				`"classification_center_classifications":[{"classification_center_id":1,"percentage":"100",` +
				`"amount":199}],` +
				`"tax_charges":[{"tax_id":9,"amount":"3.98"},{"tax_id":1,"amount":"0.5"}]}}`,
			"installments": `{"sale":{"sale_account_id":1,"payment_method":"pix","nominal_amount":100,` +
				`"occurred_at":"2026-08-31","installment_count":3}}`,
			"bad sale": `{"sale":{"sale_account_id":1,"payment_method":"fiado","nominal_amount":"1.005",` +
				`"document":"123456789012345678901",` +
				`"tax_charges":[{"tax_id":99,"amount":-1}],"installment_count":1000,"attachment_id_list":["1"]}}`,
		},
		"xml": {
			"account": `<sale-account><entity-id type="integer">1</entity-id><name>Maquininha &amp; cia</name>` +
				`<provider>stone</provider>` +
				`<payment-methods>credit,debit,pix</payment-methods><description>Loja</description><consolidate ` +
				`type="boolean">true</consolidate>` +
				`<category-full-name>vendas</category-full-name><person-id>1</person-id><classification-center-id>` +
				`1</classification-center-id>` +
				`<expected-deposit-account-id>1</expected-deposit-account-id><custom-classifications type="array">` +
				`<custom-classification>` +
				`<custom-classifier-id>1</custom-classifier-id><name>praca</name></custom-classification>` +
				`</custom-classifications>` +
				`<classification-center-classifications type="array"><classification-center-classification>` +
				`<classification-center-id>1</classification-center-id>` +
				`<percentage type="decimal">33.3333</percentage></classification-center-classification>` +
				`</classification-center-classifications></sale-account>`,
			"account change": `<sale-account><payment-methods>credit,pix</payment-methods><custom-classifications ` +
				`type="array"/></sale-account>`,
			"bad account": `<sale-account><name/><provider>banco</provider><payment-methods>credit,` +
				`fiado</payment-methods></sale-account>`,
			"rule": `<sale-rule><payment-method>credit</payment-method><issuer>VISA</issuer><fee-percentage ` +
				`type="decimal">0.24999E1</fee-percentage>` +
				`<fixed-fee-amount>0.39</fixed-fee-amount><minimum-fee-amount>1</minimum-fee-amount>` +
				`<days-to-liquidation type="integer">30</days-to-liquidation>` +
				`<week-day>3,1</week-day></sale-rule>`,
			"bad rule": `<sale-rule><week-day>7</week-day></sale-rule>`,
			"sale": `<sale><sale-account-id>1</sale-account-id><payment-method>credit</payment-method><issuer>` +
				`visa</issuer><nominal-amount>0.199E3</nominal-amount>` +
				`<interest-amount>1.5</interest-amount><ticket-amount>2</ticket-amount><discount-amount>` +
				`3.25</discount-amount><occurred-at type="date">2026-08-31</occurred-at>` +
				`<confirmed-at>2026-09-01</confirmed-at><description>Bolo "4"</description>` +
				"<observation>a\nb</observation>" + `<document>NF 1</document>` +
				`<document-emission-date>2026-08-30</document-emission-date><provider-code>S-1</provider-code>` +
				`<category-full-name>Vendas</category-full-name>` +
				`<person-id>1</person-id><classification-center-id>1</classification-center-id>` +
				`<custom-classifications type="array"><custom-classification><custom-classifier-id>` +
				`1</custom-classifier-id><name>Praça</name><amount>100.00</amount></custom-classification>` +
				`<custom-classification><custom-classifier-id>1</custom-classifier-id><name>Site</name><percentage>` +
				`12.5</percentage></custom-classification></custom-classifications>` +
				`<classification-center-classifications type="array"><classification-center-classification>` +
				`<classification-center-id>1</classification-center-id>` +
				`<percentage>100</percentage><amount>199</amount></classification-center-classification>` +
				`</classification-center-classifications>` +
				`<tax-charges type="array"><tax-charge><tax-id>9</tax-id><amount>3.98</amount></tax-charge>` +
				`<tax-charge><tax-id>1</tax-id><amount>0.5</amount></tax-charge></tax-charges></sale>`,
			"installments": `<sale><sale-account-id>1</sale-account-id><payment-method>pix</payment-method>` +
				`<nominal-amount>100</nominal-amount>` +
				`<occurred-at>2026-08-31</occurred-at><installment-count>3</installment-count></sale>`,
			"bad sale": `<sale><sale-account-id>1</sale-account-id><payment-method>fiado</payment-method>` +
				`<nominal-amount>1.005</nominal-amount>` +
				`<document>123456789012345678901</document><tax-charges type="array"><tax-charge><tax-id>99</tax-id>` +
				`<amount>-1</amount></tax-charge></tax-charges>` +
				`<installment-count>1000</installment-count><attachment-id-list type="array"><attachment-id>` +
				`1</attachment-id></attachment-id-list></sale>`,
		},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			golden := func(method, path string, status int, options ...option) {
				t.Helper()
				s.golden(t, format, method, path, status, options...)
			}
			send := func(name string) option { return document(documents[name]) }
			s.newPerson(t, `{"name":"Moinho"}`)
			s.newCategory(t, `{"name":"Vendas"}`)
			s.newCenter(t, s.EntityID, "Loja")
			s.newDepositAccount(t)
			classifier := s.newClassifier(t, "Canal")
			s.newValue(t, classifier, "Praça")
			s.newValue(t, classifier, "Site")
			const account, rules, sales = "/sale_accounts/1", "/sale_accounts/1/rules", "/entities/1/sales"

			golden("POST", "/sale_accounts", 201, send("account"))
			golden("POST", "/sale_accounts", 422, send("bad account"))
			golden("GET", account, 200)
			golden("GET", "/sale_accounts", 200)
			golden("GET", "/sale_accounts/9", 404)
			golden("POST", rules, 201, send("rule"))
			golden("POST", rules, 422, send("bad rule"))
			golden("GET", rules+"/1", 200)
			golden("GET", rules, 200)
			golden("GET", rules+"/9", 404)
			golden("PUT", account, 200, send("account change"))

			golden("POST", sales, 201, send("sale"))
			golden("POST", sales, 422, send("bad sale"))
			split := s.call(t, "POST", sales, send("installments"), with("Accept", "application/"+format)).want(t, 201)
			compare(t, "createSale_201_installments."+format, split.body)
			s.price(t, 1)
			golden("GET", sales+"/1", 200)
			golden("GET", sales, 200)
			golden("GET", sales+"/9", 404)
		})
	}
}

// price prices the sales of a sale account, as the worker does.
func (s *service) price(t testing.TB, saleAccount int64) {
	t.Helper()
	for all := false; !all; {
		err := s.store.InTx(t.Context(), func(tx *storage.Tx) (err error) {
			all, err = pricing.Price(t.Context(), tx, s.AccountID, saleAccount, 1000)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
