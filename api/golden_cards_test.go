package api_test

import "testing"

// TestGoldensOfCreditCards is TestGoldens for credit cards, their transactions and
// invoices.
func TestGoldensOfCreditCards(t *testing.T) {
	t.Parallel()
	for format, documents := range map[string]map[string]string{
		"json": {
			"card": `{"credit_card":{"name":"Cartão <da> loja","flag":"mastercard","closing_day":21,` +
				`"expiration_day":1,"observation":"a\nb",` +
				`"category_full_name":"pessoal / salarios","person_id":1,"classification_center_id":1,"archive":true}}`,
			"days":     `{"credit_card":{"closing_day":31,"expiration_day":10,"archive":false}}`,
			"bad card": `{"credit_card":{"name":"","flag":"Cartão","closing_day":32,"expiration_day":""}}`,
			"parcels": `{"credit_card_transaction":{"amount":"0.1999E3","occurred_at":"2016-12-31","document":"NF 1",` +
				`"observation":"a\nb","description":"Forno & fogão",` +
				`"category_full_name":"pessoal / salarios","person_id":1,"classification_center_id":1,` +
				`"number_of_parcels":3,` +
				`"custom_classifications":[{"custom_classifier_id":1,"name":"reforma","amount":"99.95",` +
				`"percentage":50},{"custom_classifier_id":1,"name":"Mudança"}]}}`,
			"refund": `{"credit_card_transaction":{"amount":-0.5,"occurred_at":"2017-01-22",` +
				`"description":"Devolução"}}`,
			"change": `{"credit_card_transaction":{"amount":189.90,"occurred_at":"2017-01-22",` +
				`"custom_classifications":[],"person_id":null}}`,
			"bad transaction": `{"credit_card_transaction":{"amount":"1.005","person_id":9,"number_of_parcels":481}}`,
		},
		"xml": {
			"card": "<credit-card><name>Cartão &lt;da&gt; loja</name><flag>mastercard</flag><closing-day " +
				"type=\"integer\">21</closing-day>" +
				"<expiration-day>1</expiration-day><observation>a\nb</observation><category-full-name>pessoal / " +
				"salarios</category-full-name>" +
				`<person-id>1</person-id><classification-center-id>1</classification-center-id><archive ` +
				`type="boolean">true</archive></credit-card>`,
			"days": `<credit-card><closing-day>31</closing-day><expiration-day>10</expiration-day><archive>` +
				`false</archive></credit-card>`,
			"bad card": `<credit-card><name/><flag>Cartão</flag><closing-day>32</closing-day><expiration-day/>` +
				`</credit-card>`,
			"parcels": `<credit-card-transaction><amount type="decimal">0.1999E3</amount><occurred-at type="date">` +
				`2016-12-31</occurred-at><document>NF 1</document>` +
				"<observation>a\nb</observation><description>Forno &amp; " +
				"fogão</description><category-full-name>pessoal / salarios</category-full-name>" +
				`<person-id>1</person-id><classification-center-id>1</classification-center-id><number-of-parcels ` +
				`type="integer">3</number-of-parcels>` +
				`<custom-classifications type="array"><custom-classification><custom-classifier-id>` +
				`1</custom-classifier-id><name>reforma</name>` +
				`<amount>99.95</amount><percentage>50</percentage></custom-classification>` +
				`<custom-classification><custom-classifier-id>1</custom-classifier-id><name>Mudança</name>` +
				`</custom-classification></custom-classifications>` +
				`</credit-card-transaction>`,
			"refund": `<credit-card-transaction><amount>-0.5</amount><occurred-at>2017-01-22</occurred-at>` +
				`<description>Devolução</description></credit-card-transaction>`,
			"change": `<credit-card-transaction><amount>189.90</amount><occurred-at>2017-01-22</occurred-at>` +
				`<custom-classifications type="array"/>` +
				`<person-id nil="true"/></credit-card-transaction>`,
			"bad transaction": `<credit-card-transaction><amount>1.005</amount><person-id>9</person-id>` +
				`<number-of-parcels>481</number-of-parcels></credit-card-transaction>`,
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
			s.newPerson(t, `{"name":"Banco"}`)
			s.newCenter(t, s.EntityID, "Loja")
			classifier := s.newClassifier(t, "Obra")
			s.newValue(t, classifier, "Reforma")
			s.newValue(t, classifier, "Mudança")
			const card = cardsPath + "/1"

			golden("POST", cardsPath, 201, send("card"))
			golden("POST", cardsPath, 422, send("bad card"))
			golden("POST", card+"/transactions", 201, send("parcels"))
			golden("POST", card+"/transactions", 422, send("bad transaction"))
			s.call(t, "POST", card+"/transactions", send("refund")).want(t, 201)
			golden("GET", card+"/transactions/2", 200)
			golden("PUT", card+"/transactions/2", 200, send("change"))
			golden("GET", card+"/invoices", 200)
			golden("GET", card+"/invoices/2017-03", 200)
			golden("GET", "/entities/1/credit_cards/transactions?search[credit_card_id]=1", 200)
			golden("GET", card+"/invoices/2013-13", 404)
			golden("GET", card+"/transactions/9", 404)
			empty := s.call(t, "GET", card+"/invoices/2013-05."+format).want(t, 200)
			compare(t, "listCreditCardTransactions_200_empty."+format, empty.body)
			golden("PUT", card, 200, send("days"))
			golden("GET", card, 200)
			golden("GET", cardsPath, 200)
			payable := s.payableOf(t, card, "2017-02")
			a := s.call(t, "GET", payable+"."+format).want(t, 200)
			compare(t, "showPayableAccount_200_invoice."+format, a.body)
			s.pay(t, payable)
			golden("PUT", card+"/transactions/1", 422, send("change"))
			golden("DELETE", card+"/transactions/1", 422)
		})
	}
}
