package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
)

// TestGoldensOfPeopleCategoriesAndCenters is TestGoldens for the records of an account.
func TestGoldensOfPeopleCategoriesAndCenters(t *testing.T) {
	t.Parallel()
	category := fmt.Sprintf("/categories/%d", len(finance.DefaultCategories())+1)
	for format, documents := range map[string]map[string]string{
		"json": {
			"person": `{"person":{"name":"Moinho <Santa Clara>","person_type":"JuridicalPerson","customer":false,` +
				`"federation_subscription_number":"12.abc.345/01DE-35",` +
				`"email":"vendas@example.com","phone":"53 3242-0000","site":"example.com","address":"Rua A",` +
				`"address_number":"12-B","complement":"Fundos",` +
				`"neighborhood":"Centro","city":"Bagé","state":"RS","zip_code":"96400-000","country":"Brasil",` +
				`"febraban_name":"MOINHO","febraban_favored_code":"7","note":"a\nb","force_destroy":true}}`,
			"minimal":      `{"person":{"name":"Ana"}}`,
			"bad person":   `{"person":{"person_type":"Loja"}}`,
			"category":     `{"category":{"name":"Frota","revenue":false,"force_destroy":true}}`,
			"subcategory":  `{"category":{"name":"Pneus & rodas","revenue":false}}`,
			"bad category": `{"category":{"parent_id":"a"}}`,
			"center": `{"classification_center":{"entity_id":1,"name":"Loja \"da praça\"",` +
				`"revenue_center":false}}`,
			"bad center": `{"classification_center":{}}`,
		},
		"xml": {
			"person": `<person><name>Moinho &lt;Santa Clara&gt;</name><person-type>JuridicalPerson</person-type>` +
				`<customer type="boolean">false</customer>` +
				`<federation-subscription-number>12.abc.345/01DE-35</federation-subscription-number><email>` +
				`vendas@example.com</email><phone>53 3242-0000</phone>` +
				`<site>example.com</site><address>Rua A</address><address-number>12-B</address-number><complement>` +
				`Fundos</complement><neighborhood>Centro</neighborhood>` +
				`<city>Bagé</city><state>RS</state><zip-code>96400-000</zip-code><country>Brasil</country>` +
				`<febraban-name>MOINHO</febraban-name>` +
				"<febraban-favored-code>7</febraban-favored-code><note>a\nb</note><force-destroy>true</force-destroy>" +
				"</person>",
			"minimal":    `<person><name>Ana</name></person>`,
			"bad person": `<person><person-type>Loja</person-type></person>`,
			"category": `<category><name>Frota</name><revenue>false</revenue><force-destroy>true</force-destroy>` +
				`</category>`,
			"subcategory": `<category><name>Pneus &amp; rodas</name><revenue type="boolean">false</revenue>` +
				`</category>`,
			"bad category": `<category><parent-id>a</parent-id></category>`,
			"center": `<classification-center><entity-id type="integer">1</entity-id><name>Loja "da ` +
				`praça"</name><revenue-center>false</revenue-center></classification-center>`,
			"bad center": `<classification-center></classification-center>`,
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

			golden("POST", "/people", 201, send("person"))
			s.call(t, "POST", "/people", send("minimal")).want(t, 201)
			golden("GET", "/people/1", 200)
			golden("GET", "/people", 200)
			golden("POST", "/people", 422, send("bad person"))

			golden("POST", "/categories", 201, send("category"))
			golden("POST", category+"/create_subcategory", 201, send("subcategory"))
			golden("GET", category, 200)
			golden("GET", "/categories?"+search("updated_at_gte=2000-01-01&name=Frota"), 200)
			golden("POST", "/categories", 422, send("bad category"))
			golden("PUT", category, 422, document(strings.Replace(documents["category"], "Frota", "Pessoal", 1)))

			golden("POST", "/classification_centers", 201, send("center"))
			golden("GET", "/classification_centers/1", 200)
			golden("GET", "/classification_centers", 200)
			golden("POST", "/classification_centers", 422, send("bad center"))
		})
	}
}
