package api_test

import (
	"slices"
	"strings"
	"testing"

	"bordero/api"
	"bordero/api/openapi"
)

func TestAnUnknownPathNamesTheNearest(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for path, want := range map[string]string{
		"/entites":                          "/entities",
		"/Entities":                         "/entities",
		"/entity/1":                         "/entities/:entity_id",
		"/entities/1/payable-accounts":      "/entities/:entity_id/payable_accounts",
		"/entities/1/payableAccounts/7/pay": "/entities/:entity_id/payable_accounts/:payable_account_id/pay",
		"/payable_accounts":                 "/entities/:entity_id/payable_accounts",
		"/payable_acounts/7":                "/entities/:entity_id/payable_accounts/:payable_account_id",
		"/sales":                            "/entities/:entity_id/sales",
		"/sale_account":                     "/sale_accounts",
		"/bank_statements/7": "/entities/:entity_id/deposit_accounts/:deposit_account_id/" +
			"bank_statements/:bank_statement_id",
		"/entities/1/people":                    "/people",
		"/v1/people/7":                          "/people/:person_id",
		"/api/v2/entities/1/sales":              "/entities/:entity_id/sales",
		"/webhooks":                             "/integrations/webhooks",
		"/entities/1/credit_cards/7/invoice":    "/entities/:entity_id/credit_cards/:credit_card_id/invoices",
		"/permissions":                          "/user/permissions",
		"/entities/1/perople":                   "/people",
		"/nothing":                              "",
		"/entities/1/nothing":                   "",
		"/7":                                    "",
		"/people/1/2/3":                         "",
		"/person.silva":                         "",
		"/" + strings.Repeat("people", 9_000):   "",
		"/x" + strings.Repeat("/people", 8_000): "/people",
	} {
		for _, as := range []option{as(s.Token), as("")} { // the routes are public
			p := s.refusal(t, "POST", path, as)
			equal(t, p.Code, "no_route")
			hint := "muitos começam com /entities/:entity_id"
			if want != "" {
				hint = "O caminho mais parecido é " + want + ";"
			}
			if path := path[:min(len(path), 40)]; !strings.Contains(p.Errors[0].Hint, hint) {
				t.Errorf("%s: %s, want %s", path, p.Errors[0].Hint, hint)
			}
		}
	}
	s.call(t, "GET", "/entites").wantBody(t, 404, `{"error":"A página que você estava procurando não existe. (404)"}`)
}

func TestASuffixThatIsNoFormatIsNotAcceptable(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	for _, r := range api.Routes() {
		path, query, _ := strings.Cut(ids.path(r), "?")
		for suffix, has := range map[string][]api.Route{
			".csv": sheets("text/csv"), ".xlsx": sheets(openapi.XLSX), ".pdf": nil,
		} {
			if slices.Contains(has, r) {
				continue
			}
			a := s.call(t, r.Method, path+suffix+"?"+query)
			a.wantBody(t, 406, `{"error":"Este caminho não tem o sufixo `+suffix+`: a API responde em JSON e `+
				`XML; listas, totais e relatórios também em CSV; transações, contas, vendas, totais e `+
				`relatórios também em XLSX. (406)"}`)
			equal(t, a.header.Get("X-Error-Code"), "not_a_format")
		}
	}
	for path, status := range map[string]int{
		"/people.pdf": 406, "/people.html": 406, "/people.yaml": 406, "/people.xlsx": 406, "/people.JSON": 406,
		"/people/1.csv/": 406, "//people.xlsx": 406, "/people.csv/": 200, "//people.csv": 200,
		"/people/1.txt": 406, "/people/987654321.csv": 406, "/people/1.csv.json": 406, "/people.json.csv": 404,
		"/people/1.x.csv": 406,
		"/people.json":    200, "/people.xml": 200, "/people/1.json": 200, "/people/1.xml": 200,
		"/people/1.5": 404, "/people/1.": 404, "/people/ana.silva": 404, "/people/.csv": 404,
		"/people/1.fileformat": 404, "/nothing.csv": 404, "/nothing.xlsx": 404,
		"/people/1/csv": 404, "/entities/1.csv/sales": 404, "/.csv": 404, "/docs/errors.pdf": 404, "/openapi.yaml": 404,
	} {
		s.call(t, "GET", path).want(t, status)
	}
	s.call(t, "GET", "/people/1.csv", with("Accept", "text/xml")).
		wantBody(t, 406, `<?xml version="1.0" encoding="UTF-8"?><errors><error>Este caminho não tem o sufixo .csv: a `+
			`API responde em JSON e XML; listas, totais e relatórios também em CSV; transações, contas, vendas, `+
			`totais e relatórios também em XLSX. (406)</error></errors>`)
	s.call(t, "DELETE", "/people.csv").want(t, 406)
	p := s.refusal(t, "GET", "/people/1.csv")
	if hint := p.Errors[0].Hint; !strings.Contains(hint, "Accept") {
		t.Errorf("the hint: %s", hint)
	}
}
