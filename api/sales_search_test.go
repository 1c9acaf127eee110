package api_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"bordero/api"
)

// salesToSearch makes four sales, each with attributes that the others do not have.
func salesToSearch(t *testing.T, s *service) {
	t.Helper()
	s.newPerson(t, `{"name":"Ana"}`)
	above := s.newCategory(t, `{"name":"Vendas"}`)
	below := s.made(t, above+"/create_subcategory", `{"category":{"name":"Bolos"}}`)
	s.newCategory(t, `{"name":"Vendas / de rua"}`) // its name looks like a category below Vendas
	s.newCenter(t, s.EntityID, "Loja")
	channel, region := s.newClassifier(t, "Canal"), s.newClassifier(t, "Região")
	s.newValue(t, channel, "Loja, da praça")
	s.newValue(t, channel, "Site")
	s.newValue(t, region, "Norte")
	account, other := s.newSaleAccount(t, `"consolidate":true`), s.newSaleAccount(t, `"description":"b"`)
	s.newSaleRule(t, account, `"payment_method":"credit","issuer":"Visa","fee_percentage":"2.5","fixed_fee_amount":1,`+
		`"days_to_liquidation":1`)
	s.newSale(t, account,
		fmt.Sprintf(
			`"payment_method":"credit","issuer":"Visa","nominal_amount":100,"occurred_at":"2026-01-10",`+
				`"confirmed_at":"2026-01-12","document":"NF 1",
		"document_emission_date":"2026-01-09","provider_code":"S-1","external_id":"V 1",`+
				`"description":"Bolo de fubá 100%%",`+
				`"observation":"Frágil","interest_amount":3,"ticket_amount":4,"discount_amount":5,
		"person_id":1,"category_id":%d,"classification_center_id":1,"tax_charges":[{"tax_id":1,"amount":6}],`+
				`"custom_classifications":[
		{"custom_classifier_id":1,"name":"Loja, da praça"},{"custom_classifier_id":2,"name":"Norte"}]`, lastID(above)))
	s.newSale(t, account,
		fmt.Sprintf(`"payment_method":"pix","nominal_amount":50,"occurred_at":"2026-02-10","category_id":%d,
		"custom_classifications":[{"custom_classifier_id":2,"name":"Norte"}]`, lastID(below)))
	s.price(t, lastID(account)) // sale 1 is priced; sale 2 has no rule
	s.newSale(t, other, `"payment_method":"cash","nominal_amount":"20.5","occurred_at":"2026-03-10",`+
		`"category_full_name":"Vendas / de rua"`)
	s.newSale(t, other, `"payment_method":"debit","issuer":"Elo","nominal_amount":"9","occurred_at":"2025-12-10",`+
		`"competency_month":"2026-04"`)
	s.exec(t, `UPDATE sales SET liquidated_at = '2026-01-15', amount_difference = -0.5, status = 2 WHERE id = 1`)
}

// saleSearches maps searches to the ids of the sales that they find.
var saleSearches = map[string][]string{
	"ids=3,1,99":        {"1", "3"},
	"sale_account_id=1": {"1", "2"}, "receivable_account_id=1": {"1"}, "receivable_account_id=2": {},
	"status=0": {"2", "3", "4"}, "status=1": {}, "status=2": {"1"}, "status=3": {}, "status=4": {"2"},
	"payment_method=pix": {"2"}, "payment_method=voucher": {}, "issuer=VISA": {"1"}, "issuer=Aura": {},
	"occurred_at_gte=2026-02-10": {"2", "3"}, "occurred_at_lte=2026-01-10": {"1", "4"},
	"liquidated_at_gte=2026-01-15": {"1"}, "liquidated_at_lte=2026-01-14": {},
	"estimated_liquidated_at_gte=2026-01-13": {"1"}, "estimated_liquidated_at_lte=2026-01-12": {},
	"confirmed_at_gte=2026-01-12": {"1"}, "confirmed_at_lte=2026-01-11": {},
	"competency_month_gte=2026-03": {"3", "4"}, "competency_month_lte=2026-01-31": {"1"},
	"competency_month_gte=0001-01":          {"1", "2", "3", "4"},
	"document_emission_date_gte=2026-01-09": {"1"}, "document_emission_date_lte=2026-01-08": {},
	"nominal_amount_gte=50": {"1", "2"}, "nominal_amount_lte=20.50": {"3", "4"},
	"fee_percentage_amount_gte=2.55": {"1"}, "fee_percentage_amount_lte=2.54": {},
	// without a rule it is shown as 0.0
	"fee_percentage_gte=2.5000": {"1"}, "fee_percentage_lte=2.4999": {"2", "3", "4"},
	"fee_percentage_lte=0": {"2", "3", "4"}, "fee_percentage_gte=0": {"1", "2", "3", "4"},
	"fixed_fee_amount_gte=1": {"1"}, "fixed_fee_amount_lte=0.99": {},
	"interest_amount_gte=3": {"1"}, "interest_amount_lte=2.99": {},
	"ticket_amount_gte=4": {"1"}, "ticket_amount_lte=3.99": {},
	"discount_amount_gte=5": {"1"}, "discount_amount_lte=4.99": {},
	"amount_difference_gte=-0.5": {"1"}, "amount_difference_lte=-0.51": {},
	"total_amount_gte=102": {"1"}, "total_amount_lte=20.5": {"3", "4"},
	"total_taxes_gte=6": {"1"}, "total_taxes_lte=5.99": {"2", "3", "4"},
	"document_equals=NF 1": {"1"}, "document_equals=NF": {}, "provider_code_equals=S-1": {"1"},
	"provider_code_equals=S": {}, "external_id_equals=V 1": {"1"},
	"description_contains=FUBA": {"1"}, "description_contains=0%": {"1"}, "description_contains=_": {},
	"observation_contains=frag":                       {"1"},
	"description_contains=bo&observation_contains=AG": {"1"}, "description_contains=bo&observation_contains=bo": {},
	"description_contains=fuba&status=2": {"1"}, "description_contains=fuba&status=0": {},
	"description_contains=o&occurred_at_gte=2026-01-10": {"1"},
	"person_id_is_null=true":                            {"2", "3", "4"}, "person_id_is_null=0": {"1"},
	"person_id_equals=1": {"1"}, "category_tree=9999": {}, "category_id_equals=9999": {},
	"classification_center_id_equals=1": {"1"},
	"person_name_equals=Ana":            {"1"}, "person_name_equals=An": {},
	"classification_center_id_is_null=1": {"2", "3", "4"}, "classification_center_name_equals=Loja": {"1"},
	"classification_center_name_equals=loja": {},
	"category_id_is_null=false":              {"1", "2", "3"}, "category_full_name_equals=Vendas": {"1", "2"},
	"category_full_name_equals=Vendas&subcategory_is_null=true":                    {"1"},
	"category_full_name_equals=Vendas&subcategory_is_null=false":                   {"1", "2"},
	"category_full_name_equals=Vendas / Bolos":                                     {"2"},
	"subcategory_is_null=true":                                                     {"1", "2", "3", "4"},
	"custom_classifications_equal=2:norte":                                         {"1", "2"},
	"custom_classifications_equal=1:Loja, da praça":                                {"1"},
	"custom_classifications_equal=1:Loja, da praça,2:Norte":                        {"1"},
	"custom_classifications_equal=2:Norte, 1 : LOJA, DA PRACA":                     {"1"},
	"custom_classifications_equal=1:Site,2:Norte":                                  {},
	"custom_classifications_equal=2:Norte,2:Norte":                                 {"1", "2"},
	"updated_at_gte=2026-01-01":                                                    {"1", "2", "3", "4"},
	"reconciled_in=2026-03":                                                        {},
	"sale_account_id=1&status=4&payment_method=pix&occurred_at_gte=2026-02-01":     {"2"},
	"sale_account_id=1&status=4&payment_method=pix&occurred_at_gte=2026-02-11":     {},
	"custom_classifications_equal=2:Norte&nominal_amount_lte=50&total_taxes_lte=0": {"2"},
}

func TestSalesAreSearched(t *testing.T) {
	t.Parallel()
	s := newService(t)
	salesToSearch(t, s)
	equal(t, s.call(t, "GET", "/entities/1/sales").all(t, "sale.id"), []string{"1", "2", "3", "4"})
	searched := map[string]bool{}
	for text, want := range saleSearches {
		a := s.call(t, "GET", "/entities/1/sales?"+search(text))
		if got := a.all(t, "sale.id"); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		for part := range strings.SplitSeq(text, "&") {
			name, _, _ := strings.Cut(part, "=")
			searched[name] = true
		}
	}
	equal(t, slices.Sorted(maps.Keys(searched)),
		slices.Sorted(maps.Keys(filters(api.Route{Method: "GET", Path: "/entities/:entity_id/sales"}))))

	for text, want := range map[string]string{
		"status=5":                     `{"status":["está fora do intervalo permitido: de 0 a 4"]}`,
		"status=a":                     `{"status":["não é um número inteiro"]}`,
		"payment_method=fiado":         `{"payment_method":["não está incluso na lista"]}`,
		"issuer=Vis":                   `{"issuer":["não está incluso na lista"]}`,
		"competency_month_gte=2026-13": `{"competency_month_gte":["não é uma data válida"]}`,
		"fee_percentage_gte=0.12345":   `{"fee_percentage_gte":["deve ter no máximo 4 casas decimais"]}`,
		"nominal_amount_gte=1.005":     `{"nominal_amount_gte":["deve ter no máximo 2 casas decimais"]}`,
		"person_id_is_null=maybe":      `{"person_id_is_null":["deve ser true ou false"]}`,
		"subcategory_is_null=maybe":    `{"subcategory_is_null":["deve ser true ou false"]}`,
		"custom_classifications_equal=Norte": `{"custom_classifications_equal":["deve ter a forma ` +
			`classificador:valor, e vírgulas entre vários"]}`,
		"custom_classifications_equal=2:": `{"custom_classifications_equal":["deve ter a forma classificador:valor,` +
			` e ` +
			`vírgulas entre vários"]}`,
		"amount_gte=1": `{"amount_gte":["não é um filtro conhecido: o mais parecido é amount_difference_gte"]}`,
	} {
		s.call(t, "GET", "/entities/1/sales?"+search(text)).wantBody(t, 422, want)
	}
}
