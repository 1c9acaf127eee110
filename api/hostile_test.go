package api_test

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"bordero/api"
	"bordero/internal/paths"
	"bordero/internal/tier"

	"github.com/getkin/kin-openapi/openapi3"
)

// The tests of this file send hostile input to every route. The answer must be one that the
// document has for a client's mistake. Each request has an Idempotency-Key, so that the code for
// keys is tested with the same input.

// freshKey sets a unique Idempotency-Key.
func freshKey(r *http.Request) { r.Header.Set("Idempotency-Key", rand.Text()) }

func TestHostileIDsAreNotFound(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	hostile := []string{
		"0", "-1", "abc", "1e3", "1.5", "0x1", "3000000000", "9223372036854775808", strings.Repeat("9", 400),
		strings.Repeat("0", 20) + "1", strings.Repeat("a", 8000),
		"%00", "1%00", "%FF", "%2F", "..", "%2E%2E", "1%20", "1;drop%20table", "%0D%0AX-Evil:1", "%3Cb%3E", "%22",
		"%F0%9F%92%A3", "credit_cards", "*",
	}
	place := 0
	for _, r := range api.Routes() {
		for _, name := range ids.names(r) {
			place++
			for i, text := range hostile {
				if !tried(i, place, 12) {
					continue
				}
				if text == "%2F" && strings.HasSuffix(r.Path, "/preview") {
					continue // leaves the path of the other preview, in which a GET reads "preview" as an id
				}
				path := ids.pathWith(r, func(n, id string) string {
					if n == name {
						return text
					}
					return id
				})
				a := s.call(t, r.Method, path, valid(t, r), freshKey, with("Accept", formats[i%2]))
				// An encoded slash makes another path, which may exist.
				if a.status != http.StatusNotFound && (text != "%2F" || a.status >= 500) {
					t.Errorf("%.200s: %d %s", a.request, a.status, a.body)
				}
			}
		}
	}
}

func TestHostileQueriesAreReadOrRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	queries := []string{
		"page=-1", "page=0", "page=abc", "page=1.5", "page=99999999999999", "page=99999999999999999999", "page=",
		"page=%00", "page=1&page=2",
		"per_page=0", "per_page=501", "per_page=-5", "per_page=abc", "per_page=99999999999999999999",
		"per_page=1&page=9223372036854775807",
		"search", "search=1", "search[]=1", "search[name", "search[name][x]=1", "search[unknown]=1", "search[%00]=1",
		"search[%FF]=1", "search[%3Cb%3E]=1",
		"search[name]=a&search[name]=b", "search[name]=" + strings.Repeat("a", 9000), "search[name;drop]=1", "%zz=1",
		"a=%", ";", "&&&===", "\\",
	}
	values := []string{
		"", "%00", "a%00b", "%FF", "%25", "_", "%5C", "%27", "1", "-1", "1e3", "32768", "2147483648", "99999999999",
		"99999999999999999999", "true", "maybe",
		"now", "infinity", "epoch", "0000-01-01", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00%2B14:00",
		"9999-12-31T23:59:59-23:59",
		"2026-01-01T00:00:00%2B23:59", "2026-01-01T00:00:00,5", "2026-02-30", "2026-01-01T24:00:00Z",
		"2026-01-01T00:00:00.123456789123Z", "12026-01-01",
	}
	for place, r := range api.Routes() {
		if r.Method != "GET" || strings.HasSuffix(r.Path, "/deletion") { // no deletion is pending
			continue
		}
		list := slices.Clone(queries)
		for _, name := range slices.Sorted(maps.Keys(filters(r))) {
			for _, v := range values {
				list = append(list, "search["+name+"]="+v)
			}
		}
		for i, q := range list {
			if !tried(i, place, 14) {
				continue
			}
			a := s.call(t, "GET", ids.path(r)+"?"+q, freshKey)
			read := a.status == http.StatusOK || a.status == http.StatusFound && strings.HasSuffix(r.Path, "/download")
			if !read && a.status != http.StatusUnprocessableEntity {
				t.Errorf("%.200s: %d %s", a.request, a.status, a.body)
			}
		}
	}
}

// filters returns the documented filters of a list.
func filters(r api.Route) openapi3.Schemas {
	if p := openAPI().operation(r.Method, documented(r.Path)).Operation.Parameters.GetByInAndName("query",
		"search"); p != nil {
		return p.Schema.Value.Properties
	}
	return nil
}

func TestBodiesThatCannotBeReadAreRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	const JSON, XML, form = "application/json", "application/xml", "application/x-www-form-urlencoded"
	const mebibyte = 1 << 20
	for place, c := range []struct {
		name, contentType, body string
		status                  int
	}{
		{"cut off JSON", JSON, `{"entity":{"name":`, 400},
		{"JSON without a colon", JSON, `{"entity" 1}`, 400},
		{"two JSON documents", JSON, `{} {}`, 400},
		{"JSON that is none", JSON, `name=1`, 400},
		{"JSON in UTF-16", JSON, "\xff\xfe{\x00}\x00", 400},
		{"JSON with invalid UTF-8", JSON, "{\"entity\":{\"name\":\"\xff\"}}", 400},
		{"deep JSON", JSON, strings.Repeat(`{"a":`, 10_000), 400},
		{"deep closed JSON", JSON, strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), 400},
		{"wide JSON", JSON, "[" + strings.Repeat("1,", 100_000) + "1]", 400}, // batches take more
		{"a wide batch", JSON, "[" + strings.Repeat("1,", 400_000) + "1]", 400},
		{"cut off XML", XML, `<entity><name>`, 400},
		{"crossed XML", XML, `<entity><name></entity></name>`, 400},
		{"two XML documents", XML, `<entity/><entity/>`, 400},
		{"XML that is none", XML, `{"entity":{}}`, 400},
		{"XML with a DTD", XML, `<!DOCTYPE entity SYSTEM "file:///etc/passwd"><entity/>`, 400},
		{"XML with entities", XML, `<!DOCTYPE a [<!ENTITY b "c">]><entity><name>&b;</name></entity>`, 400},
		{"XML with an unknown entity", XML, `<entity><name>&xxe;</name></entity>`, 400},
		{"XML with a processing instruction", XML, `<entity><?php echo 1 ?></entity>`, 400},
		{"XML with invalid UTF-8", XML, "<entity><name>\xff</name></entity>", 400},
		{"XML with a NUL", XML, "<entity><name>a\x00</name></entity>", 400},
		{"XML in another charset", XML, `<?xml version="1.0" encoding="UTF-7"?><entity/>`, 400},
		{"deep XML", XML, strings.Repeat("<a>", 10_000), 400},
		{"a form with a broken escape", form, "entity[name]=%zz", 400},
		{"a form with invalid UTF-8", form, "entity[name]=\xff", 400},
		{"a body of another type", "text/plain", "entity", 415},
		{"a body of no type", "", "entity", 415},
		{"a body of a broken type", ";;;", "entity", 415},
		{"a body too large", JSON, `{"a":"` + strings.Repeat("a", mebibyte-7) + `"}`, 413}, // batches take more
		{"too large a batch", JSON, `{"a":"` + strings.Repeat("a", 4*mebibyte-7) + `"}`, 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for i, r := range api.Routes() {
				batch := isBatch(r)
				smaller := c.name == "wide JSON" || c.name == "a body too large"
				if r.Method == "GET" || batch && smaller || !batch && strings.HasSuffix(c.name, " batch") {
					continue
				}
				if !tried(i, place, 10) && !batch {
					continue
				}
				s.call(t, r.Method, ids.path(r), body(c.contentType, c.body), freshKey, with("Accept", formats[i%2])).
					want(t, c.status)
			}
		})
	}
	t.Run("a body as large as may be is read", func(t *testing.T) {
		text := `{"entity":{"name":"a"},"b":"` + strings.Repeat("b", mebibyte-30) + `"}`
		equal(t, len(text), mebibyte)
		s.call(t, "POST", "/entities", freshKey, document(text)).want(t, http.StatusCreated)
		batch := `{"items":[],"b":"` + strings.Repeat("b", 4*mebibyte-19) + `"}`
		equal(t, len(batch), 4*mebibyte)
		s.call(t, "POST", paths.Reconciles(s.EntityID)+"/batch", freshKey, document(batch)).want(t,
			http.StatusUnprocessableEntity)
	})
}

// hostileValues are values that no attribute accepts, or that some layer below may not handle.
var hostileValues = []string{
	`"\u0000"`, `"a\u0000b"`, `"\ud800"`, `"\uffff"`, `"` + strings.Repeat("á", 256) + `"`, `"💣"`, `" "`, `""`, `null`,
	`true`, `[]`, `{}`, `[1,"a",null]`,
	`{"a":{"b":[]}}`, `0`, `-1`, `1.5`, `0.001`, `1e999`, `-1E-999`, `99999999999999999999`, `9223372036854775807`,
	`"1e400"`, `"0x1F"`, `"NaN"`, `"Infinity"`,
	`"` + strings.Repeat("9", 70) + `"`, `"9999999999999.99"`, `"2026-02-30"`, `"0000-01-01"`, `"99999-01-01"`,
	`"2026-01-01T00:00:00+99:99"`, `"2026-01-01T00:00:00+23:59"`, `"9999-12-31T23:59:59.9999999Z"`,
	`"0001-01-01T00:00:00+14:00"`, `"9999-12-31T23:59:59-14:00"`,
}

func TestHostileValuesAreTakenOrRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	walked := map[string]bool{}
	for _, r := range api.Routes() {
		example := requestExample(t, r, "application/json")
		if example == "" || walked[example] { // PUT and POST accept the same document
			continue
		}
		walked[example] = true
		t.Run(r.Method+" "+r.Path, func(t *testing.T) {
			t.Parallel()
			send := func(text string) {
				t.Helper()
				a := s.call(t, r.Method, ids.path(r), document(text), freshKey)
				if a.status >= 300 && a.status != http.StatusUnprocessableEntity {
					t.Errorf("%s %.200s: %d %s", a.request, text, a.status, a.body)
				}
			}
			schema := openAPI().operation(r.Method,
				documented(r.Path)).Operation.RequestBody.Value.Content["application/xml"].Schema.Value
			root := schema.XML.Name
			names := slices.Sorted(maps.Keys(schema.Properties))
			place := len(walked)
			for i, v := range hostileValues {
				if tried(i, place, 14) {
					send(v)
					send(fmt.Sprintf(`{%q:%s}`, strings.ReplaceAll(root, "-", "_"), v))
				}
				for j, name := range names {
					if !tried(i, place+j, 14) {
						continue
					}
					p := schema.Properties[name]
					// The example with this attribute a second time: the last one counts.
					text := strings.Trim(v, `"`)
					xml := !strings.ContainsAny(text, `\{[`)
					if tier.Long() || !xml || i%2 == 0 {
						send(fmt.Sprintf(`%s,%q:%s%s`, strings.TrimRight(example, "}"), name, v,
							example[len(strings.TrimRight(example, "}")):]))
					}
					if xml && (tier.Long() || i%2 == 1) {
						send(fmt.Sprintf(`<%s><%[2]s type="array">%s</%[2]s></%[1]s>`, root, xmlName(name, p.Value),
							text))
					}
				}
			}
		})
	}
}

func TestARootThatIsMissingOrNoObjectIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	for _, path := range []string{"/entities", account[:strings.LastIndex(account, "/")],
		account + "/financial_transactions"} {
		for _, text := range []string{
			``, `{}`, `[]`, `1`, `null`, `"entity"`, `{"name":"a"}`, `{"sale":{"name":"a"}}`,
			`<sale><name>a</name></sale>`,
			`{"entity":null,"deposit_account":null,"financial_transaction":null}`,
			`{"entity":"a","deposit_account":"a","financial_transaction":"a"}`,
			`{"entity":[{"name":"a"}],"deposit_account":[1],"financial_transaction":[]}`,
		} {
			s.call(t, "POST", path, document(text), freshKey, with("Accept", "application/json")).
				wantBody(t, 422, `{"error":"Sua solicitação não é válida. Por favor, verifique os dados enviados."}`)
			s.call(t, "POST", path, document(text), freshKey, with("Accept", "application/xml")).
				wantBody(t, 422, `<?xml version="1.0" encoding="UTF-8"?><errors><error>Sua solicitação não é válida. `+
					`Por favor, verifique os dados enviados.</error></errors>`)
		}
	}
}

func TestAMalformedBodyIsReportedByItsLine(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.call(t, "POST", "/entities", freshKey, document("{\n\"entity\": {\n\"name\" \"a\"}}")).wantBody(t, 400,
		`{"error":"JSON inválido na linha 3, coluna 8: esperado : depois do nome"}`)
	s.call(t, "POST", "/entities", freshKey, document("<entity>\n<name>\n</entity>")).
		wantBody(t, 400, `<?xml version="1.0" encoding="UTF-8"?><errors><error>XML inválido na linha 3, coluna 10: `+
			`um elemento é fechado por outro nome</error></errors>`)
}

// A filter or parameter that cannot be parsed is refused. Ignoring it would list everything, or
// delete what must not be deleted.
func TestAQueryThatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newPerson(t, `{"name":"Moinho"}`)
	const refusal = `{"base":["A consulta (depois de ?) não pode ser lida: escreva %25 por % e %3B por ;."]}`
	for _, query := range []string{"search[name]=Silva;+Filhos", "search[unknown]=a;b", "search[name]=50%",
		"search[name]=%zz", "per_page=1;page=2"} {
		s.call(t, "GET", "/people?"+query).wantBody(t, 422, refusal)
	}
	for body, want := range map[string]string{
		`{"search":{"unknown":["a"]}}`: `{"unknown":["não é um filtro conhecido: os filtros são ` +
			`external_id_equals, federation_subscription_number_equals, ids, name_equals, person_type_in, ` +
			`updated_at_gte"]}`,
		`{"search":{"person_type":[{"a":1}]}}`: `{"person_type":["não é válido"]}`,
		`{"search":{"person_type":{"a":1}}}`:   `{"person_type":["não é válido"]}`,
		`{"search":"a"}`:                       `{"search":["não é válido"]}`,
		`{"search":["a"]}`:                     `{"search":["não é válido"]}`,
	} {
		s.call(t, "GET", "/people", document(body)).wantBody(t, 422, want)
	}
	for _, body := range []string{`{}`, `{"search":null}`, `{"search":{}}`, `{"search":{"name_equals":["Moinho"]}}`,
		`{"search":{"name_equals":null}}`} {
		equal(t, len(s.call(t, "GET", "/people", document(body)).want(t, 200).value(t).([]any)), 1)
	}
	path := paths.Entity(s.EntityID)
	s.newDepositAccount(t)
	s.call(t, "PUT", path, document(`{"entity":{"force_destroy":true}}`)).want(t, 200)
	s.call(t, "DELETE", path+"?force_destroy=false").want(t, 422)
	s.call(t, "DELETE", path+"?force_destroy=false;").wantBody(t, 422, refusal)
}

// A filter that cannot be read is refused, since the list without it has all records.
func TestMisspeltFiltersAreRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	webhook := paths.Webhook(lastID(s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)))
	for _, query := range []string{"search=Ana", "search[]=Ana", "search[name=Ana", "search[name]x=Ana",
		"search[name][x]=Ana", "search[name][][]=Ana"} {
		want := `{"search":["não pode ser lido: escreva search[nome]=valor"]}`
		s.call(t, "GET", "/people?"+query).wantBody(t, 422, want)
		s.call(t, "POST", webhook+"/deliveries/redeliver?"+query).wantBody(t, 422, want)
	}
	for _, query := range []string{"search", "search=", "search[name]=Ana", "search[name][]=Ana", "searching=Ana"} {
		s.call(t, "GET", "/people?"+query).want(t, 200)
	}
}

// Of a filter that is sent twice, one would be ignored. Two values of a filter of one would find nothing.
func TestAFilterIsSentOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.call(t, "GET", "/people?search[name_equals]=b&search[name_equals]=a&search[ids]=1&search[ids]=1").
		wantBody(t, 422, `{"ids":["foi enviado mais de uma vez"],"name_equals":["foi enviado mais de uma vez"]}`)
	s.call(t, "GET", "/people?search[ids][]=1&search[ids][]=2").want(t, 200)
	const two = `{"document":["aceita um valor só"]}`
	for path, want := range map[string]string{
		"/people?search[name][]=Ana&search[name][]=Bia": `{"name":["aceita um valor só"]}`,
		"/people?search[federation_subscription_number][]=1&search[federation_subscription_number][]=2": "" +
			`{"federation_subscription_number":["aceita um valor só"]}`,
		"/entities/1/payable_accounts?search[document][]=1&search[document][]=2":        two,
		"/entities/1/payable_accounts/totals?search[document][]=1&search[document][]=2": two,
		"/entities/1/payable_accounts?search[due_date_gte][]=x&search[due_date_gte][]=2": "" +
			`{"due_date_gte":["aceita um valor só","não é uma data válida"]}`,
	} {
		s.call(t, "GET", path).wantBody(t, 422, want)
	}
	for _, list := range []string{"", "/totals"} {
		s.call(t, "GET", "/entities/1/payable_accounts"+list, document(`{"search":{"document":["1","2"]}}`)).
			wantBody(t, 422, two)
	}
}

func TestARefusalHasAHundredMessagesAtMost(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var filters, parts []string
	for i := range 200 {
		filters = append(filters, fmt.Sprintf(`"%03d":1`, i))
		parts = append(parts, fmt.Sprintf(`{"custom_classifier_id":%d,"name":"a","percentage":101}`, i+1))
	}
	for _, p := range []problem{
		s.refusal(t, "GET", "/people", document(`{"search":{`+strings.Join(filters, ",")+`}}`)),
		s.refusal(t, "POST", fmt.Sprintf("/entities/%d/sales", s.EntityID),
			document(`{"sale":{"custom_classifications":[`+strings.Join(parts, ",")+`]}}`)),
		s.refusal(t, "POST", "/entities", strict, document(`{"entity":{`+strings.Join(filters, ",")+`}}`)),
		s.refusal(t, "GET", "/people?"+strings.NewReplacer(`"`, "", ":", "=", ",", "&").Replace(
			strings.Join(filters, ",")), strict),
	} {
		equal(t, len(p.Errors), 100)
	}
}
