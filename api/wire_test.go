package api_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"bordero/api"
	"bordero/internal/paths"
)

func TestTheFormatOfAnAnswer(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const json, xml = "application/json; charset=utf-8", "application/xml; charset=utf-8"
	for _, c := range []struct {
		name, path  string
		accept      []string
		contentType string
		want        string
	}{
		{"is JSON when nothing is said", "/entities", nil, "", json},
		{"is what the suffix says", "/entities.xml", nil, "", xml},
		{"is the suffix's before Accept's", "/entities.json", []string{"application/xml"}, "application/xml", json},
		{"is the suffix's before the body's", "/entities/1.xml", nil, "application/json", xml},
		{"is Accept's before the body's", "/entities", []string{"application/xml"}, "application/json", xml},
		{"is the body's when Accept names none", "/entities", []string{"*/*"}, "application/xml; charset=utf-8", xml},
		{"is the body's when Accept names others", "/entities", []string{"text/html, image/*"}, "text/xml", xml},
		{"is that of an extended type of the body", "/entities", nil, "application/vnd.x+xml", xml},
		{"is JSON after an extended type of JSON", "/entities", nil, "application/vnd.x+json", json},
		{"is the body's, whatever its parameters", "/entities", nil, "application/xml; charset", xml},
		{"is no extended type of Accept", "/entities", []string{"application/problem+json, application/vnd.x+xml"}, "",
			json},
		{"is the body's when Accept names extended types", "/entities", []string{"application/problem+json"},
			"application/xml", xml},
		{"is JSON after a form", "/entities", nil, "application/x-www-form-urlencoded", json},
		{"is what Accept wants most", "/entities", []string{"application/json;q=0.5, application/xml;q=0.9"}, "", xml},
		{"is the first of what Accept wants as much", "/entities", []string{
			"text/html, application/xml, application/json"}, "", xml},
		{"is not what Accept does not want", "/entities", []string{"application/xml;q=0"}, "", json},
		{"is the other when Accept does not want one", "/entities",
			[]string{"application/json;q=0, application/xml;q=0.1"}, "", xml},
		{"is read from other names and spellings", "/entities", []string{"Text/XML"}, "", xml},
		{"is read from several lines of Accept", "/entities", []string{"text/html", "application/xml"}, "", xml},
		{"is that of errors too", "/entities/77.xml", nil, "", xml},
		{"is that of unknown paths too", "/nothing.xml", nil, "", xml},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.call(t, "GET", c.path, func(r *http.Request) {
				r.Header["Accept"] = c.accept
				r.Header.Set("Content-Type", c.contentType)
			})
			equal(t, a.header.Get("Content-Type"), c.want)
		})
	}
}

func TestAnEncodedBodyIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	account := s.newDepositAccount(t)
	before := s.everything(t, ids)
	encoded := with("Content-Encoding", "gzip")
	for _, r := range api.Routes() {
		if r.Method != "GET" && requestExample(t, r, "application/json") != "" {
			s.call(t, r.Method, ids.path(r), valid(t, r), encoded).wantBody(t, 415,
				`{"error":"O Content-Encoding da requisição não é aceito: o corpo está em gzip."}`)
		}
	}
	for _, upload := range []struct {
		path string
		form option
	}{
		{account + "/bank_statements", parts(file("a.ofx", ofx))},
		{"/entities/1/attachments", parts(attachment("a.txt", "text/plain", "a"))},
	} {
		equal(t, s.call(t, "POST", upload.path, upload.form, encoded).want(t, 415).header.Get("X-Error-Code"),
			"encoded_body")
	}
	equal(t, s.everything(t, ids), before)
	s.call(t, "GET", "/people", document(`{"page":1}`), encoded).want(t, 415)
	s.call(t, "POST", "/people", document(`<person><name>Ana</name></person>`), encoded).want(t, 415)
	p := s.refusal(t, "POST", "/people", document(`{"person":{"name":"Ana"}}`), encoded)
	equal(t, p.Errors[0].Header, "Content-Encoding")

	for codings, status := range map[string]int{
		"": 201, "identity": 201, "Identity, identity": 201, " , ": 201,
		"gzip": 415, "GZIP": 415, "deflate": 415, "br": 415, "zstd": 415, "x-gzip": 415, "gzip, identity": 415,
		"identity,br": 415, "utf-8": 415,
	} {
		s.call(t, "POST", "/people", document(`{"person":{"name":"Ana"}}`), with("Content-Encoding", codings)).want(t,
			status)
	}
	several := func(r *http.Request) { r.Header["Content-Encoding"] = []string{"identity", "gzip"} }
	s.call(t, "POST", "/people", document(`{"person":{"name":"Ana"}}`), several).want(t, 415)

	// Without a body the header says nothing.
	s.call(t, "GET", "/people", encoded).want(t, 200)
	s.call(t, "DELETE", "/people/1", encoded).want(t, 200)
}

func TestFormsAreReadAsDocumentsAre(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const form = "application/x-www-form-urlencoded"
	a := s.call(t, "POST", "/entities",
		body(form, "entity[name]=Padaria+S%C3%A3o+Jo%C3%A3o&entity%5Bforce_destroy%5D=1&x=y")).want(t, 201)
	equal(t, a.at(t, "entity.name"), "Padaria São João")
	equal(t, a.at(t, "entity.force_destroy"), "true")
	s.call(t, "POST", "/entities", body(form, "entity[name]=")).wantBody(t, 422, `{"name":["não pode ser vazio"]}`)
	s.call(t, "POST", "/entities.xml", body(form, "name=a")).
		wantBody(t, 422, `<?xml version="1.0" encoding="UTF-8"?><errors><error>Sua solicitação não é válida. Por `+
			`favor, verifique os dados enviados.</error></errors>`)
}

func TestXMLIsReadWithAndWithoutTypes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)[:len("/entities/1/deposit_accounts")]
	want := ""
	for _, text := range []string{
		`<deposit-account><name>Caixa</name><deposit-account-type-id>1</deposit-account-type-id><bank-account-id>` +
			`237</bank-account-id><archive>true</archive><initial-balance>1.5</initial-balance></deposit-account>`,
		`<?xml version="1.0" encoding="UTF-8"?>
		<!-- typed -->
		<deposit-account>
			<name> <![CDATA[]]></name>
			<name>Caixa</name>
			<description nil="true"/>
			<deposit-account-type-id type="integer">1</deposit-account-type-id>
			<bank-account-id type="integer"> 237 </bank-account-id>
			<archive type="boolean">true</archive>
			<initial-balance type="decimal">1.50</initial-balance>
		</deposit-account>`,
		"\uFEFF" + `{"deposit_account":{"name":"Caixa","deposit_account_type_id":"1","bank_account_id":"237",` +
			`"archive":"1","initial_balance":1.5}}`,
	} {
		a := s.call(t, "POST", below, document(text), with("Accept", "application/json")).want(t, 201)
		got := regexp.MustCompile(`"id":\d+|accounts/\d+`).ReplaceAllString(timeless(a.body), "")
		if want == "" {
			want = got
		}
		equal(t, got, want)
	}
}

func TestSlashesAndSuffixesAreNeverRedirected(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newDepositAccount(t)
	for _, path := range []string{
		"/entities", "/entities/", "//entities", "/entities//", "/entities.json", "/entities.json/", "/entities/1",
		"/entities/1/", "//entities//1",
		"/entities/1.json", "/entities/1/deposit_accounts/", "/entities//1///deposit_accounts/1.json",
	} {
		a := s.call(t, "GET", path).want(t, http.StatusOK)
		equal(t, a.header.Get("Location"), "")
	}
	s.call(t, "POST", "/entities/", document(`{"entity":{"name":"a"}}`)).want(t, http.StatusCreated)
	s.call(t, "GET", "/entities//deposit_accounts").wantBody(t, 404,
		`{"error":"Couldn't find Entity with id=deposit_accounts"}`)
	for _, path := range []string{"/nothing", "/entities/1/nothing", "/entities/1/deposit_accounts/1/open/1",
		"/Entities"} {
		s.call(t, "GET", path, as("")).wantBody(t, 404, `{"error":"A página que você estava procurando não existe. `+
			`(404)"}`)
	}
}

func TestHeadAnswersAsGetDoesWithoutTheBody(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newDepositAccount(t)
	for _, path := range []string{"/accounts", "/entities/1.xml", "/entities/1/deposit_accounts?per_page=1&page=2",
		"/entities/9", "/nothing"} {
		id := with("X-Request-Id", "same")
		got, want := s.call(t, "HEAD", path, id), s.call(t, "GET", path, id)
		equal(t, got.body, "")
		equal(t, got.status, want.status)
		got.header.Del("Date")
		want.header.Del("Date")
		equal(t, got.header, want.header)
	}
}

func TestAnswersHaveCacheHeaders(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for path, want := range map[string]string{"/entities/1": "max-age=0, private, must-revalidate",
		"/entities/2": "no-cache"} {
		h := s.call(t, "GET", path).header
		equal(t, h.Get("Cache-Control"), want)
		equal(t, h.Get("Vary"), "Accept-Encoding, Accept, Origin")
		equal(t, h.Get("X-Content-Type-Options"), "nosniff")
	}
}

func TestTheRequestID(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	made := regexp.MustCompile(`^[0-9a-f]{32}$`)
	for sent, kept := range map[string]bool{
		"a-B_c.9": true, strings.Repeat("a", 100): true,
		"": false, strings.Repeat("a", 101): false, "a b": false, "a\tb": false, "é": false, "<b>": false, "a;b": false,
		"a,b": false, "a\"": false,
	} {
		got := s.call(t, "GET", "/entities", with("X-Request-Id", sent)).header.Get("X-Request-Id")
		if kept && got != sent || !kept && !made.MatchString(got) {
			t.Errorf("sent %q, got %q", sent, got)
		}
	}
	t.Run("is on the job that the request asks for", func(t *testing.T) {
		a := s.call(t, "POST", account+"/bank_statements", parts(file("a.ofx", ofx)), with("X-Request-Id", "mine-1")).
			want(t, 201)
		equal(t, a.header.Get("X-Request-Id"), "mine-1")
		equal(t, query[string](t, s, `SELECT request_id FROM jobs`), "mine-1")
	})
}

func TestTheTraceIsOnTheJobThatTheRequestAsksFor(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for i, sent := range []string{trace, "00-no-trace-01"} {
		s.call(t, "POST", account+"/bank_statements", parts(file("a.ofx", ofx+strings.Repeat(" ", i))),
			with("Traceparent", sent)).want(t, 201)
	}
	equal(t, query[string](t, s, `SELECT string_agg(coalesce(traceparent, 'none'), ' ' ORDER BY id) FROM jobs`),
		trace+" none")
}

func TestReadOnlyAttributesAreIgnored(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other := s.anotherEntity(t)
	account := s.newDepositAccount(t)
	transaction := s.newTransaction(t, account, "Debit", "5", "2026-01-02")
	const extra = `"id":99,"account_id":99,"entity_id":2,"deposit_account_id":99,"calculated_balance":"5.0",` +
		`"last_transaction_date":"2030-01-01",` +
		`"archived_at":"2020-01-01T00:00:00Z","transactions_sum":7,"guid":"g","original_description":"o",` +
		`"bank_statement_id":1,"currency":9,` +
		`"created_at":"2020-01-01T00:00:00Z","updated_at":"2020-01-01T00:00:00Z","deleted_at":"2020-01-01T00:00:00Z",` +
		`"revenu_center":1`
	for path, root := range map[string]string{"/entities/1": "entity", account: "deposit_account",
		transaction: "financial_transaction"} {
		before := s.call(t, "GET", path)
		s.call(t, "PUT", path, document(`{"`+root+`":{`+extra+`},"more":{"name":"b"}}`)).want(t, 200)
		equal(t, timeless(s.call(t, "GET", path).body), timeless(before.body))
	}
	equal(t, s.call(t, "GET", "/entities/2/deposit_accounts").all(t, "deposit_account.id"), []string{})
	equal(t, s.call(t, "GET", "/entities/2").at(t, "entity.name"), other.Name)
}

// Some clients send null for each attribute that is not set: also under the other name of one that is, and for
// attributes with a default.
func TestNullTakesNothingFromANewRecord(t *testing.T) {
	t.Parallel()
	s := newService(t)
	accounts, rules := paths.FinancialAccounts(s.EntityID, "payable"), s.newSaleAccount(t, `"description":""`)+"/rules"
	for _, c := range []struct {
		path, body string
		want       map[string]string
	}{
		{"/people", `{"person":{"name":"A","type":"NaturalPerson","person_type":null,"customer":null,"supplier":null}}`,
			map[string]string{"person_type": "NaturalPerson", "customer": "true", "supplier": "true"}},
		{"/people", `<person><name>B</name><person-type/><type>NaturalPerson</type><customer nil="true"/></person>`,
			map[string]string{"person_type": "NaturalPerson", "customer": "true"}},
		{"/categories", `{"category":{"name":"A","revenue":null,"cost":null}}`,
			map[string]string{"revenue": "true", "cost": "true"}},
		{"/classification_centers", `{"classification_center":{"entity_id":1,"name":"A","cost_center":null,` +
			`"revenue_center":""}}`, map[string]string{"cost_center": "true", "revenue_center": "true"}},
		{"/entities", `{"entity":{"name":"A","suggested_fine_percentage":null,` +
			`"suggested_monthly_interest_percentage":null}}`,
			map[string]string{"suggested_fine_percentage": "2.0", "suggested_monthly_interest_percentage": "1.0"}},
		{accounts, `{"payable_account":{"due_date":"2026-01-31","nominal_amount":"150","amount":null,` +
			`"tax_charges":[{"tax_id":1,"amount":5}],"financial_account_taxes_attributes":null}}`,
			map[string]string{"amount": "150.0", "tax_charges.0.amount": "5.0"}},
		{accounts, `{"payable_account":{"due_date":"2026-01-31","nominal_amount":null,"amount":"150",` +
			`"tax_charges":null,"financial_account_taxes_attributes":[{"tax_id":1,"amount":5}]}}`,
			map[string]string{"amount": "150.0", "tax_charges.0.amount": "5.0"}},
		{accounts, `{"payable_account":{"due_date":"2026-01-31","amount":"150",` +
			`"tax_charges":[{"tax_id":1,"amount":5}],"financial_account_taxes_attributes":[]}}`,
			map[string]string{"tax_charges": "[]"}},
		{rules, `{"sale_rule":{"payment_method":"pix","fixed_fee_amount":1,"week_day":"1,3","weekdays":null}}`,
			map[string]string{"weekdays": "1,3"}},
	} {
		a := s.call(t, "POST", c.path, document(c.body), with("Accept", "application/json")).want(t, 201)
		root := regexp.MustCompile(`\w+`).FindString(c.body)
		for name, want := range c.want {
			if got := a.at(t, root+"."+name); got != want {
				t.Errorf("%s: %s is %s, want %s", c.body, name, got, want)
			}
		}
	}
	s.call(t, "PUT", "/people/1", document(`{"person":{"customer":null,"type":null}}`)).want(t, 200)
	s.call(t, "GET", "/people/1").shows(t, map[string]string{
		"person.customer": "false", "person.supplier": "true", "person.person_type": "<nil>"})
	for _, c := range [][]string{{"/people", "person", "customer", "supplier"},
		{"/categories", "category", "revenue", "cost"},
		{"/classification_centers", "classification_center", "cost_center", "revenue_center"}} {
		batch := document(fmt.Sprintf(`{"on_conflict":"update","items":[{%q:{"name":"C","external_id":"C",`+
			`"entity_id":1,%q:null,%q:null}}]}`, c[1], c[2], c[3]))
		for _, status := range []string{"201", "200"} { // sent again, it changes nothing
			body := "results.0.body." + c[1] + "."
			s.call(t, "POST", c[0]+"/batch", batch).want(t, 200).shows(t, map[string]string{
				"results.0.status": status, body + c[2]: "true", body + c[3]: "true"})
		}
	}
}

func TestWhatIsNoTextIsABlankName(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, v := range []string{`{}`, `[]`, `["a"]`, `null`, `""`, `"  "`} {
		s.call(t, "POST", "/entities", document(`{"entity":{"name":`+v+`}}`)).wantBody(t, 422,
			`{"name":["não pode ser vazio"]}`)
	}
	s.call(t, "POST", "/entities", document(`{"entity":{}}`)).wantBody(t, 422, `{"name":["não pode ser vazio"]}`)
	s.call(t, "POST", "/entities", document(`<entity><name><b>a</b></name></entity>`),
		with("Accept", "application/json")).
		wantBody(t, 422, `{"name":["não pode ser vazio"]}`)
}

func TestBodiesWhereNoneIsNeeded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	for _, o := range []option{document(`{}`), document(`{"payable_account":{}}`), document(`{"page":1}`),
		with("Content-Type", "application/json"), document(``)} {
		s.call(t, "GET", "/entities", o).want(t, 200)
		s.call(t, "DELETE", s.newTransaction(t, account, "Debit", "5", "2026-01-02"), o).wantBody(t, 200, "")
	}
}

func TestTheFormsOfAToken(t *testing.T) {
	t.Parallel()
	s := newService(t)
	basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	for header, status := range map[string]int{
		basic(s.Token + ":x"): 200, basic(s.Token + ":"): 200, basic(s.Token + ":anything:at:all"): 200,
		"basic " + basic(s.Token + ":X")[6:]: 200,
		"Bearer " + s.Token:                  200, "bearer " + s.Token: 200,
		basic(s.Token): 401, basic(":" + s.Token): 401, basic(s.Token + " :x"): 401,
		basic(strings.ToUpper(s.Token) + ":x"): 401, basic(s.Token[:6] + ":x"): 401,
		"Basic": 401, "Basic !": 401, "Bearer": 401, "Bearer ": 401, "Token " + s.Token: 401, s.Token: 401,
		"Bearer \x80": 401,
	} {
		if got := s.call(t, "GET", "/entities", with("Authorization", header)).status; got != status {
			t.Errorf("%q: %d, want %d", header, got, status)
		}
	}
	t.Run("a token that expires later is good until then", func(t *testing.T) {
		s.exec(t, `UPDATE tokens SET expires_at = now() + interval '1 hour'`)
		s.call(t, "GET", "/entities").want(t, 200)
	})
}
