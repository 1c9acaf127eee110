package api_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
)

var strict = with("Prefer", "handling=strict")

// places returns the places and codes of the faults of a refusal.
func (p problem) places() string {
	var all []string
	for _, f := range p.Errors {
		all = append(all, f.Pointer+f.Parameter+f.Header+" "+f.Code)
	}
	return strings.Join(all, ", ")
}

// Without search[…] a filter would be ignored, and a program that forgets the brackets would get all records.
func TestAFilterWithoutSearchIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	asked := 0
	for _, r := range api.Routes() {
		if len(filters(r)) == 0 {
			continue
		}
		parameters := openAPI().operation(r.Method, documented(r.Path)).Operation.Parameters
		for name := range filters(r) {
			if parameters.GetByInAndName("query", name) != nil {
				continue
			}
			path, and := ids.path(r), "?"
			if strings.Contains(path, "?") {
				and = "&"
			}
			for _, spelling := range []string{name, name + "[]"} {
				p := s.refusal(t, r.Method, path+and+spelling+"=1", valid(t, r))
				equal(t, p.places(), spelling+" bare_filter")
				if !strings.Contains(p.Errors[0].Message, "search["+name+"]") {
					t.Errorf("%s: %s", name, p.Errors[0].Message)
				}
				asked++
			}
		}
	}
	t.Logf("%d filters were sent without search", asked)
	if asked < 100 {
		t.Errorf("%d filters were sent", asked)
	}
	for query, want := range map[string]string{
		"name=a":                               "name bare_filter", // search[name] and search[name_equals] are the same
		"name=a&search[foo]=1&zzz=1":           "name bare_filter, search[foo] unknown_filter",
		"ids=1&search[ids]=1&search[ids]=2":    "ids bare_filter, search[ids] filter_twice",
		"name=a&search[ids]=1&search[ids][]=2": "name bare_filter, search[ids] filter_twice",
		"updated_at_gte=2026-01-01&page=zzzz":  "updated_at_gte bare_filter",
	} {
		equal(t, s.refusal(t, "GET", "/people?"+query).places(), want)
	}
	const income = "/reports/income_statement?from=2026-01&to=2026-01"
	for path, want := range map[string]string{
		"/changes?after=10&event=people.*&event=sales.*":       "event filter_twice",
		"/changes?event=people.*&search[event]=sales.*":        "search[event] filter_twice",
		"/changes?event=people.*&search[event_equals]=sales.*": "event filter_twice",
		"/changes?search[event_equals]=people.*&search[event]=a.*": "search[event] filter_twice, " +
			"search[event] not_in_list",
		"/changes?record_id=1&record_id=2&after=1&after=2": "after filter_twice, record_id filter_twice",
		"/changes?event[]=people.*":                        "event[] unknown_parameter",
		"/changes?entity_id[]=1&record_id[0]=1": "entity_id[] unknown_parameter, " +
			"record_id[0] unknown_parameter",
		"/payable_accounts/totals?entities=1&entities=2":          "entities filter_twice",
		"/payable_accounts/totals?entities[]=1":                   "entities[] unknown_parameter",
		"/payable_accounts/totals?group_by=month&group_by=person": "group_by filter_twice",
		"/cash_flow?from=2026-01-01&to=2026-01-02&entities[]=1":   "entities[] unknown_parameter",
		"/people?page=1&page=2":                                   "page filter_twice",
		income + "&classifier:3=1&classifier:3=2":                 "classifier:3 filter_twice",
		income + "&center_id[]=1":                                 "center_id[] unknown_parameter",
	} {
		equal(t, s.refusal(t, "GET", path).places(), want)
	}
	for _, query := range []string{"selected_ids=1&selected_ids=2", "selected_ids=1&selected_ids[]=2"} {
		equal(t, s.refusal(t, "DELETE", "/entities/1/payable_accounts?"+query).places(),
			"selected_ids filter_twice, selected_ids not_existing")
	}
	equal(t, s.refusal(t, "GET", "/people?page[]=1", strict).places(), "page[] unknown_parameter")
	a := s.refusal(t, "POST", "/entities/1/attachments", strict, parts(attachment("nota.pdf", "application/pdf", pdf),
		part{`form-data; name="attachment[associated_financial_account_id][]"`, "", "7"}))
	equal(t, a.places(), "/attachment/associated_financial_account_id unknown_attribute")
	for _, path := range []string{"/people?zzz=1&utm_source=x", "/changes?event=people.*&entity_id=1&zzz=1",
		"/people?page[]=1", "/people?page=1&page=1", "/changes?event=people.*&event=people.*",
		"/changes?event=&search[event]=people.*", "/changes?event=people.*&search[event_equals]=people.*",
		"/people/" + fmt.Sprint(ids["person_id"]) + "?name=a"} {
		s.call(t, "GET", path).want(t, 200)
	}
}

// On request, nothing of a request is ignored: every route refuses an unknown parameter, and nothing is
// stored. Without one, it accepts the examples of the document.
func TestStrictlyNoParameterIsIgnored(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	before := query[string](t, s, everyCount)
	for _, r := range api.Routes() {
		if strings.HasSuffix(r.Path, "/deletion") { // there is none
			continue
		}
		path, and := ids.path(r), "?"
		if strings.Contains(path, "?") {
			and = "&"
		}
		a := s.call(t, r.Method, path+and+"per_pgae=1&zzz=1", valid(t, r), strict,
			with("Accept", "application/problem+json")).want(t, 422)
		equal(t, a.header.Get("Preference-Applied"), "handling=strict")
		for _, place := range []string{`"parameter":"per_pgae","code":"unknown_parameter"`,
			`"parameter":"zzz","code":"unknown_parameter"`} {
			if !strings.Contains(a.body, place) {
				t.Errorf("%s %s: %s", r.Method, r.Path, a.body)
			}
		}
		lists := openAPI().operation(r.Method, documented(r.Path)).Operation.Parameters.GetByInAndName("query",
			"per_page") != nil
		if lists != strings.Contains(a.body, "O nome mais parecido é per_page.") {
			t.Errorf("%s %s: %s", r.Method, r.Path, a.body)
		}
		for _, h := range []string{"X-Total-Count", "Links", "Location"} {
			equal(t, a.header.Get(h), "")
		}
	}
	equal(t, query[string](t, s, everyCount), before)
	for _, q := range []string{"page=1&per_page=2&search[name]=a&search[ids][]=1", "cursor=&per_page=1"} {
		a := s.call(t, "GET", "/people?"+q, strict).want(t, 200)
		equal(t, a.header.Get("Preference-Applied"), "handling=strict")
	}
	s.call(t, "GET", "/changes?after=0&limit=1&wait=0&event=people.*&search[record_id]=1", strict).want(t, 200)
	equal(t, s.refusal(t, "GET", "/reports/income_statement?from=2026-01&to=2026-01&classifier:3=x", strict).places(),
		"classifier:3 not_an_integer")
	equal(t, s.refusal(t, "GET", "/people?classifier:3=1", strict).places(), "classifier:3 unknown_parameter")
	equal(t, s.refusal(t, "GET", fmt.Sprintf("/people/%d?search[name]=a", ids["person_id"]), strict).places(),
		"search[name] unknown_parameter")
	equal(t, s.call(t, "GET", "/people").header.Get("Preference-Applied"), "")
}

// What a handler reads of a document is what it knows: all that the OpenAPI document names, and nothing else.
func TestStrictlyNoAttributeIsIgnored(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids, register := s.records(t), s.records(t)
	objects := 0
	for _, r := range api.Routes() {
		o := openAPI().operation(r.Method, documented(r.Path)).Operation
		example := requestExample(t, r, "application/json")
		if example == "" {
			continue
		}
		path := ids.path(r)
		if strings.HasSuffix(path, "/open") || strings.HasSuffix(path, "/close") {
			path = register.path(r)
		}
		schema := o.RequestBody.Value.Content["application/xml"].Schema.Value
		root := strings.ReplaceAll(schema.XML.Name, "-", "_")
		walk := unknownWalk{root: root, prefix: "/" + root}
		if root == "hash" {
			walk.prefix = ""
		}
		for _, place := range walk.objects(t, example) {
			objects++
			for _, format := range formats {
				text := walk.with(t, example, place, format)
				a := s.call(t, r.Method, path, body(format, text), strict, with("Accept", "application/problem+json"))
				batch := isBatch(r) && place != "/"
				if batch {
					a = s.call(t, r.Method, path, body(format, text), strict, with("Accept", "application/json"))
				}
				want := fmt.Sprintf(`"pointer":%q,"code":"unknown_attribute"`,
					walk.prefix+strings.TrimSuffix(place, "/")+"/descripton_id")
				if batch {
					want = `descripton_id":["não é um atributo desta requisição"]`
				}
				if !strings.Contains(a.body, want) {
					t.Errorf("%s %s %s lacks %s: %d %s", r.Method, r.Path, text, want, a.status, a.body)
				}
			}
		}
		for name, property := range schema.Properties {
			if strings.HasPrefix(property.Value.Description, "On creation") && r.Method == http.MethodPut {
				continue // ignored in a change, and therefore refused
			}
			text := fmt.Sprintf(`{%q:null}`, name)
			if root != "hash" {
				text = fmt.Sprintf(`{%q:%s}`, root, text)
			}
			a := s.call(t, r.Method, path, document(text), strict, with("Accept", "application/problem+json"))
			if strings.Contains(a.body, "unknown_attribute") {
				t.Errorf("%s %s does not read %s, which is documented: %s", r.Method, r.Path, name, a.body)
			}
		}
	}
	t.Logf("%d objects of requests got an unknown attribute", objects)
	if objects < 50 {
		t.Errorf("%d objects were walked", objects)
	}
}

// unknownWalk adds an unknown attribute to the objects of an example.
type unknownWalk struct{ root, prefix string }

// inner returns the document without its root key.
func (w unknownWalk) inner(t *testing.T, example string) map[string]any {
	t.Helper()
	var all map[string]any
	d := json.NewDecoder(strings.NewReader(example))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	if w.root != "hash" {
		return all[w.root].(map[string]any)
	}
	return all
}

// objects returns the places of all objects of an example: "/", "/new_accounts/0/".
func (w unknownWalk) objects(t *testing.T, example string) (places []string) {
	var walk func(place string, v any)
	walk = func(place string, v any) {
		switch v := v.(type) {
		case map[string]any:
			places = append(places, place)
			for name, inner := range v {
				walk(place+name+"/", inner)
			}
		case []any:
			for i, inner := range v {
				walk(fmt.Sprint(place, i, "/"), inner)
			}
		}
	}
	walk("/", w.inner(t, example))
	slices.Sort(places)
	return places
}

// with returns the example with an unknown attribute in the object at a place.
func (w unknownWalk) with(t *testing.T, example, place, format string) string {
	inner := w.inner(t, example)
	var at any = inner
	for step := range strings.FieldsFuncSeq(place, func(r rune) bool { return r == '/' }) {
		switch v := at.(type) {
		case map[string]any:
			at = v[step]
		case []any:
			var i int
			_, _ = fmt.Sscan(step, &i)
			at = v[i]
		}
	}
	at.(map[string]any)["descripton_id"] = "x"
	if format == "application/xml" {
		return asXML(w.root, inner)
	}
	var document any = inner
	if w.root != "hash" {
		document = map[string]any{w.root: inner}
	}
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestStrictRefusalsHaveAllFaultsAndHints(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bill := s.newAccount(t, finance.Payable, `"due_date":"2026-01-31","amount":9`)
	gone, paid := s.newAccount(t, finance.Payable, `"due_date":"2026-01-31","amount":9`),
		s.newAccount(t, finance.Payable, `"due_date":"2026-01-31","amount":9`)
	settled := s.newAccount(t, finance.Payable, `"due_date":"2026-01-31","amount":9,"occurred_at":"2026-01-31"`)
	const nearest = "O nome mais parecido é description."
	p := s.refusal(t, "PUT", bill+"?zzz=1", strict,
		document(`{"payable_account":{"descripton":"a","amount":-1,"person_id":77,"valor":1,`+
			`"tax_charges":[{"tax_id":99,"amuont":1}]},"note":1}`))
	equal(t, p.places(), "zzz unknown_parameter, /note unknown_attribute, /payable_account/descripton "+
		"unknown_attribute, /payable_account/tax_charges/0/amuont unknown_attribute, "+
		"/payable_account/valor unknown_attribute, /payable_account/amount not_positive, "+
		"/payable_account/tax_charges/0/tax_id not_existing, /payable_account/person_id not_existing")
	if hint := p.Errors[2].Hint; !strings.HasPrefix(hint, nearest) {
		t.Error(hint)
	}
	if hint := p.Errors[4].Hint; strings.Contains(hint, "parecido") {
		t.Error(hint)
	}
	for name, test := range map[string]struct {
		method, path, text string
		want               string // places and codes; "" if it is accepted
	}{
		"a misspelt root": {"POST", "/entities", `{"entitty":{"name":"a"}}`,
			"/entity missing_root, /entitty unknown_attribute"},
		"a misspelt root in XML": {"POST", "/entities", `<entitty><name>a</name></entitty>`,
			"/entity missing_root, /entitty unknown_attribute"},
		"beside the root": {"POST", "/entities", `{"entity":{"name":"a"},"name":"b"}`,
			"/name unknown_attribute"},
		"what the service sets": {"PUT", bill, `{"payable_account":{"id":1,"status":2}}`,
			"/payable_account/id unknown_attribute, /payable_account/status unknown_attribute"},
		"what counts on creation": {"PUT", bill, `{"payable_account":{"create_as_recurrent":"monthly"}}`,
			"/payable_account/create_as_recurrent unknown_attribute"},
		"what an action does not read": {
			"PUT", paid + "/pay", `{"payable_account":{"total_amount":9,"occurred_at":"2026-01-31","description":"a"}}`,
			"/payable_account/description unknown_attribute"},
		"a document that is not read": {"DELETE", gone, `{"payable_account":{"force_destroy":true}}`,
			"/payable_account unknown_attribute"},
		"of a list": {"GET", "/people", `{"pgae":1,"search":{"foo":1}}`, "/pgae unknown_attribute"},
		"an association": {"POST", "/people", `{"person":{"name":"a","custmer_id":1}}`,
			"/person/custmer_id unknown_attribute"},
		"a page in a body":      {"GET", "/people", `{"page":1,"per_page":2,"search":{"name":"a"}}`, ""},
		"no attributes":         {"GET", "/people", `{"person":{}}`, ""},
		"an action without any": {"PUT", settled + "/undo_payment", `{"payable_account":{}}`, ""},
		"another name": {"PUT", bill, `{"payable_account":{"nominal_amount":10,` +
			`"financial_account_taxes_attributes":[]}}`, ""},
		"two names": {"PUT", bill, `{"payable_account":{"category_full_name":null,"category_id":null}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if test.want == "" {
				s.call(t, test.method, test.path, document(test.text), strict).want(t, 200)
				return
			}
			equal(t, s.refusal(t, test.method, test.path, document(test.text), strict).places(), test.want)
			if !strings.Contains(test.want, "missing_root") {
				if a := s.call(t, test.method, test.path, document(test.text),
					with("Prefer", "return=minimal")); a.status >= 300 && !strings.Contains(test.want, "pgae") {
					t.Errorf("without the preference: %d %s", a.status, a.body)
				}
			}
		})
	}
	s.call(t, "POST", "/entities", document(`{"entity":{"name":"a","nmae":"b"}}`), strict).
		wantBody(t, 422, `{"nmae":["não é um atributo desta requisição"]}`)
	equal(t, query[int](t, s, `SELECT count(*) FROM entities WHERE name = 'a'`), 1) // the one of "beside the root"
	account := s.newDepositAccount(t)
	p = s.refusal(t, "POST", account+"/bank_statements", strict,
		parts(file("a.ofx", ofx), text("bank_statement[fille]", "x")))
	equal(t, p.places(), "/bank_statement/fille unknown_attribute")
	equal(t, len(s.storedFiles(t)), 0)
	s.call(t, "POST", account+"/bank_statements?preview=false", strict, parts(file("a.ofx", ofx))).want(t, 201)
}

// In an atomic batch that is refused, each fault of an item has its place in the request.
func TestTheFaultsOfABatchHaveTheirPlaces(t *testing.T) {
	t.Parallel()
	s := newService(t)
	transaction := lastID(s.newTransaction(t, s.newDepositAccount(t), finance.Credit, "2.5", "2026-03-04"))
	received := lastID(s.newAccount(t, finance.Receivable, `"due_date":"2026-03-04","occurred_at":"2026-03-04",`+
		`"amount":9`))
	text := fmt.Sprintf(
		`{"atomic":true,"itens":[],"items":[{"selected_financial_account_ids":[7],`+
			`"selected_financial_transaction_ids":[%[1]d],"note":1},
		{"selected_financial_account_ids":[7],"selected_financial_transaction_ids":[%[1]d,88]},
		{"selected_financial_account_ids":[%[2]d],"selected_financial_transaction_ids":[%[1]d]},
		{"selected_financial_transaction_ids":[%[1]d],"new_accounts":[{"amount":2.5,"descripton":"a"}]}]}`, transaction,
		received)
	equal(t, s.refusal(t, "POST", "/entities/1/reconciles/batch", strict, document(text)).places(),
		"/itens unknown_attribute")
	p := s.refusal(t, "POST", "/entities/1/reconciles/batch", strict,
		document(strings.Replace(text, `"itens":[],`, "", 1)))
	equal(t, p.places(), "/items batch_refused, /items/0/note unknown_attribute, "+
		"/items/1/selected_financial_account_ids/0 not_existing, "+
		"/items/1/selected_financial_transaction_ids/1 not_existing, /items/2/selected_financial_account_ids "+
		"sums_differ, /items/3/new_accounts/0/descripton unknown_attribute")
	equal(t, p.Code, "batch_refused")
}

func TestThePreferenceIsReadAsTheStandardSays(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for prefer, want := range map[string]int{
		"handling=strict": 422, "Handling=Strict": 422, `handling="strict"`: 422,
		"return=minimal, handling=strict; foo=1": 422, " respond-async ,handling = strict": 422,
		"handling=lenient": 200, "handling=lenient, handling=strict": 200, "strict": 200, "handling": 200,
		"return=minimal": 200, "": 200,
	} {
		s.call(t, "GET", "/people?zzz=1", with("Prefer", prefer)).want(t, want)
	}
}

// A batch in XML has the names of unknown attributes as its elements, whatever they are.
func TestABatchInXMLNamesAnyAttribute(t *testing.T) {
	t.Parallel()
	s := newService(t)
	answer := s.call(t, "POST", "/people/batch.xml", strict,
		document(`{"items":[{"person":{"name":"A","":1,"e mail":2,"<b>&":3}}]}`)).want(t, 200)
	var document struct {
		Errors struct {
			Names []struct {
				XMLName xml.Name
			} `xml:",any"`
		} `xml:"results>result>errors"`
	}
	if err := xml.Unmarshal([]byte(answer.body), &document); err != nil || len(document.Errors.Names) != 3 {
		t.Errorf("%v: %s", err, answer.body)
	}
}

// Attributes that requests of the specification have beside the path are known.
func TestTheAttributesOfThePathAreKnown(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.call(t, "POST", paths.DepositAccounts(s.EntityID), strict, document(`{"deposit_account":{"currency_id":1,
		"bank_account_id":237,"deposit_account_type_id":1,"entity_id":1,"name":"CC"}}`)).want(t, 201)
	rule := s.newSaleAccount(t, `"consolidate":false`) + "/rules"
	s.call(t, "POST", rule, strict, document(`{"sale_rule":{"sale_account_id":1,"payment_method":"pix",
		"fee_percentage":1,"days_to_liquidation":1}}`)).want(t, 201)
}
