package api_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/messages"
)

// problem is the part of problem details that depends on the request.
type problem struct {
	Type, Title, Detail, Code, Instance string
	Status                              int
	Errors                              []fault
}

type fault struct {
	Pointer, Parameter, Header string
	Code, Message, Hint        string
	Allowed                    []string
	ID                         int64
}

// refusal sends a request that accepts problem details, and returns them.
func (s *service) refusal(t *testing.T, method, path string, options ...option) problem {
	t.Helper()
	a := s.call(t, method, path, append([]option{with("Accept", "application/problem+json")}, options...)...)
	equal(t, a.header.Get("Content-Type"), "application/problem+json")
	var p problem
	if err := json.Unmarshal([]byte(a.body), &p); err != nil {
		t.Fatalf("%s: %v", a.body, err)
	}
	equal(t, p.Status, a.status)
	equal(t, p.Code, a.header.Get("X-Error-Code"))
	equal(t, p.Instance, a.header.Get("X-Request-Id"))
	equal(t, p.Type, publicURL+"/docs/errors#"+p.Code)
	for _, f := range p.Errors {
		if f.Hint == "" || f.Message == "" {
			t.Errorf("%+v has no message or no hint", f)
		}
	}
	return p
}

func TestProblemDetailsNameThePlaceOfEachFault(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	saleAccount := s.newSaleAccount(t, `"description":"Loja"`)
	received := []int64{s.settled(t, finance.Receivable, "100")}
	credit, debit := []int64{s.moved(t, account, "Credit", "60")}, []int64{s.moved(t, account, "Debit", "100")}
	for name, test := range map[string]struct {
		method, path string
		options      []option
		status       int
		want         string // place code, in order
	}{
		"an attribute": {"POST", "/entities", []option{document(`{"entity":{"name":""}}`)}, 422,
			"/entity/name blank"},
		"a missing attribute": {"POST", "/entities", []option{document(`{"entity":{}}`)}, 422,
			"/entity/name blank"},
		"beside a nameless one": {"POST", "/entities", []option{document(`{"entity":{"":1}}`)}, 422,
			"/entity/name blank"},
		"in XML": {"POST", "/entities", []option{document(`<entity><name/></entity>`)}, 422,
			"/entity/name blank"},
		"an association": {"POST", "/entities/1/payable_accounts", []option{
			document(`{"payable_account":{"due_date":"2026-01-31","amount":1,"person_id":9}}`)}, 422,
			"/payable_account/person_id not_existing"},
		"an object in a list": {"POST", "/entities/1/payable_accounts", []option{
			document(`{"payable_account":{"due_date":"2026-01-31","amount":9,` +
				`"financial_account_taxes_attributes":[{"tax_id":1,"amount":"1"},{"tax_id":1,"amount":"x"}]}}`)}, 422,
			"/payable_account/financial_account_taxes_attributes/1/amount not_a_number"},
		"another name": {"POST", "/entities/1/payable_accounts", []option{
			document(`{"payable_account":{"due_date":"2026-01-31","nominal_amount":"x"}}`)}, 422,
			"/payable_account/nominal_amount not_a_number"},
		"another name, of zero": {"POST", "/entities/1/payable_accounts", []option{
			document(`{"payable_account":{"due_date":"2026-01-31","nominal_amount":0}}`)}, 422,
			"/payable_account/nominal_amount not_positive"},
		"another name of a list": {"POST", "/entities/1/payable_accounts", []option{
			document(
				`{"payable_account":{"due_date":"2026-01-31","amount":9,"tax_charges":[{"tax_id":99,"amount":1}]}}`)},
			422, "/payable_account/tax_charges/0/tax_id not_existing"},
		"another name, in a list": {"POST", "/entities/1/payable_accounts", []option{
			document(
				`{"payable_account":{"due_date":"2026-01-31","amount":9,"tax_charges":[{"tax_id":"x","amount":1}]}}`)},
			422, "/payable_account/tax_charges/0/tax_id not_an_integer"},
		"another name, beside null": {"POST", "/entities/1/payable_accounts", []option{
			document(`{"payable_account":{"due_date":"2026-01-31","amount":9,` +
				`"tax_charges":[{"tax_id":99,"amount":1}],"financial_account_taxes_attributes":null}}`)},
			422, "/payable_account/tax_charges/0/tax_id not_existing"},
		"another name of an id": {"POST", "/entities/1/payable_accounts", []option{
			document(`{"payable_account":{"due_date":"2026-01-31","amount":9,"category_full_name":"Nada"}}`)}, 422,
			"/payable_account/category_full_name not_existing"},
		"an old name": {"POST", "/people", []option{document(`{"person":{"name":"Ana","type":"Foo"}}`)},
			422, "/person/type not_in_list"},
		"a record": {"PUT", account + "/close", nil, 422, " not_a_register"},
		"a filter": {"GET", "/people?search[foo]=1", nil, 422, "search[foo] unknown_filter"},
		"a filter in a body": {"GET", "/people", []option{document(`{"search":{"foo":"1"}}`)}, 422,
			"/search/foo unknown_filter"},
		"a filter that is required": {"GET", "/entities/1/reconciles/" +
			"suggestions?search[occurred_at_gte]=2026-01-01&search[occurred_at_lte]=2026-01-31", nil, 422,
			"search[deposit_account_id] blank"},
		"filters beside a document": {"POST", "/entities/1/reconciliation_rules/preview?search[deposit_account_id]=x" +
			"&search[occurred_at_gte]=2026-01-01&search[occurred_at_lte]=2026-13-01",
			[]option{document(`{"reconciliation_rule":{"name":"a","text_contains":["a"],"new_account":{}}}`)}, 422,
			"search[deposit_account_id] not_an_integer, search[occurred_at_lte] not_a_date"},
		"filters that are required beside a document": {"POST", "/entities/1/reconciliation_rules/preview",
			[]option{document(`{"reconciliation_rule":{"name":"a","text_contains":["a"],"new_account":{}}}`)}, 422,
			"search[deposit_account_id] blank, search[occurred_at_gte] blank, search[occurred_at_lte] blank"},
		"a parameter": {"DELETE", account + "/financial_transactions/destroy_many?selected_ids=x", nil,
			422, "selected_ids not_an_integer"},
		"the root": {"POST", "/entities", []option{document(`{"name":"a"}`)}, 422,
			"/entity missing_root"},
		"the root in XML": {"PUT", "/entities/1", []option{document(`<hash><name>a</name></hash>`)}, 422,
			"/entity missing_root"},
		"no root of an opening": {"PUT", s.newDepositAccount(t, register) + "/open",
			[]option{document(`{"at":1}`)}, 422, "/deposit_account missing_root"},
		"no fee": {"POST", saleAccount + "/rules",
			[]option{document(`{"sale_rule":{"payment_method":"pix"}}`)}, 422, "/sale_rule/fee_percentage no_fee"},
		"no condition, two actions": {"POST", "/entities/1/reconciliation_rules",
			[]option{document(`{"reconciliation_rule":{"name":"a","match":{},"new_account":{}}}`)}, 422,
			"/reconciliation_rule/text_contains no_condition, /reconciliation_rule/new_account one_rule_action"},
		"of an inner object": {"POST", "/entities/1/reconciliation_rules",
			[]option{
				document(`{"reconciliation_rule":{"name":"a","text_contains":["a"],"new_account":{"person_id":9}}}`)},
			422, "/reconciliation_rule/new_account/person_id not_existing"},
		"the document": {"POST", "/entities", []option{document(`{"entity":`)}, 400, " malformed"},
		"the token":    {"GET", "/entities", []option{as("nobody")}, 401, "Authorization unauthorized"},
		"the account": {"GET", "/entities", []option{with("ACCOUNT_ID", "9")}, 422,
			"ACCOUNT_ID unknown_account"},
		"the type of the body": {"POST", "/entities", []option{body("text/plain", "a")}, 415,
			"Content-Type unsupported_type"},
		"the version": {
			"PUT", "/entities/1", []option{document(`{"entity":{"name":"a"}}`), with("If-Match", `"old"`)}, 412,
			"If-Match other_version"},
		"a file": {"POST", account + "/bank_statements",
			[]option{parts(file("a.txt", "no statement"))}, 422, "/bank_statement/file not_a_statement"},
		"several": {"POST", "/credit_cards", []option{document(`{}`)}, 404, " no_route"},
		"nothing to reconcile": {"POST", "/entities/1/reconciles", []option{document(`{}`)}, 422,
			"/selected_financial_account_ids blank, /selected_financial_transaction_ids blank"},
		"sums that differ": {"POST", "/entities/1/reconciles", []option{
			document(reconciling(received, credit))}, 422, "/selected_financial_account_ids sums_differ"},
		"sides that do not match": {"POST", "/entities/1/reconciles", []option{
			document(reconciling(received, debit))}, 422, "/selected_financial_transaction_ids opposite_signs"},
		"nothing to delete": {"DELETE", "/entities/1/payable_accounts", nil, 422, "selected_ids blank"},
		"several of different codes": {"POST", "/entities/1/credit_cards",
			[]option{document(`{"credit_card":{"name":"a","flag":"Foo","closing_day":32,"expiration_day":1}}`)}, 422,
			"/credit_card/flag not_in_list, /credit_card/closing_day out_of_range"},
	} {
		t.Run(name, func(t *testing.T) {
			p := s.refusal(t, test.method, test.path, test.options...)
			equal(t, p.Status, test.status)
			var got []string
			code := p.Errors[0].Code
			for _, f := range p.Errors {
				got = append(got, f.Pointer+f.Parameter+f.Header+" "+f.Code)
				if f.Code != code {
					code = messages.Invalid
				}
			}
			equal(t, strings.Join(got, ", "), test.want)
			equal(t, p.Code, code)
		})
	}
}

// Each wrong element of a list is a fault with a place of its own; the default form names an attribute
// once.
func TestEachWrongElementOfAListHasItsPlace(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	transaction := lastID(s.newTransaction(t, account, finance.Credit, "2.5", "2026-03-04"))
	file := lastID(s.newAttachment(t))
	saleAccount := s.newSaleAccount(t, `"description":"Loja"`)
	sale := fmt.Sprintf(`"sale_account_id":%d,"payment_method":"pix","occurred_at":"2026-01-31","nominal_amount":10`,
		lastID(saleAccount))
	const bill = `"due_date":"2026-01-31","amount":9`
	const purchase = `"occurred_at":"2026-01-31","amount":9`
	lists := fmt.Sprintf(`"attachment_id_list":[98,%d,"99"]`, file)
	taxes := `"tax_charges":[{"tax_id":998,"amount":1},{"tax_id":1,"amount":1},{"tax_id":999,"amount":-1}]`
	values := `"custom_classifications":[{"custom_classifier_id":7,"name":"a/b"},{"name":"c"},` +
		`{"custom_classifier_id":8,"name":"d","amount":"x"}]`
	centers := `"classification_center_classifications":[{"classification_center_id":9},` +
		`{"classification_center_id":8,"percentage":101}]`
	const (
		wrongFiles = "/ROOT/attachment_id_list/0 not_existing, /ROOT/attachment_id_list/2 not_existing"
		wrongTaxes = "/ROOT/tax_charges/0/tax_id not_existing, /ROOT/tax_charges/2/tax_id not_existing, " +
			"/ROOT/tax_charges/2/amount negative"
		wrongValues = "/ROOT/custom_classifications/2/amount not_a_number, " +
			"/ROOT/custom_classifications/1/custom_classifier_id blank, " +
			"/ROOT/custom_classifications/0/name not_existing, /ROOT/custom_classifications/1/name not_existing, " +
			"/ROOT/custom_classifications/2/name not_existing"
		wrongCenters = "/ROOT/classification_center_classifications/1/percentage not_a_percentage, " +
			"/ROOT/classification_center_classifications percentages_sum, " +
			"/ROOT/classification_center_classifications/0/classification_center_id not_existing, " +
			"/ROOT/classification_center_classifications/1/classification_center_id not_existing"
	)
	for _, test := range []struct{ path, root, fields, more, want string }{
		{"/entities/1/payable_accounts", "payable_account", bill, lists, wrongFiles},
		{"/entities/1/receivable_accounts", "receivable_account", bill, taxes, wrongTaxes},
		{"/entities/1/receivable_accounts", "receivable_account", bill, values, wrongValues},
		{"/entities/1/payable_accounts", "payable_account", bill, centers, wrongCenters},
		{"/entities/1/sales", "sale", sale, lists, wrongFiles},
		{"/entities/1/sales", "sale", sale, taxes, wrongTaxes},
		{"/entities/1/sales", "sale", sale, values, wrongValues},
		{"/entities/1/sales", "sale", sale, centers, wrongCenters},
		{"/sale_accounts", "sale_account", `"entity_id":1,"name":"a","provider":"stone","payment_methods":"pix"`,
			values, wrongValues},
		{s.newCard(t, 5, 15) + "/transactions", "credit_card_transaction", purchase, values, wrongValues},
		{account + "/financial_transactions", "financial_transaction",
			`"type":"Debit","amount":1,"occurred_at":"2026-01-31"`, lists, wrongFiles},
		{"/entities/1/payable_accounts", "payable_account", bill, `"attachment_id_list":["x",1.5]`,
			"/ROOT/attachment_id_list/0 not_an_integer, /ROOT/attachment_id_list/1 not_an_integer"},
		{"/entities/1/payable_accounts", "payable_account", bill, `"attachment_id_list":"98,99"`,
			"/ROOT/attachment_id_list not_existing"},
		{"/entities/1/reconciles", "", fmt.Sprintf(`"selected_financial_account_ids":[77],`+
			`"selected_financial_transaction_ids":[88,%d,99]`, transaction), `"settle_open":true`,
			"/selected_financial_account_ids/0 not_existing, /selected_financial_transaction_ids/0 not_existing, " +
				"/selected_financial_transaction_ids/2 not_existing"},
		{"/entities/1/reconciles", "", fmt.Sprintf(`"selected_financial_account_ids":[77],`+
			`"selected_financial_transaction_ids":[%d]`, transaction),
			`"adjustments":[{"financial_account_id":77,"fee_amount":-1},{"financial_account_id":7,"fee_amount":1},` +
				`{"financial_account_id":77,"fee_amount":"x"}]`,
			"/adjustments/2/fee_amount not_a_number, /adjustments/0/fee_amount not_positive, " +
				"/adjustments/1/financial_account_id not_selected, /adjustments/2/financial_account_id " +
				"adjusted_twice, /selected_financial_account_ids/0 not_existing"},
		{"/entities/1/reconciles", "", fmt.Sprintf(`"selected_financial_transaction_ids":[%d]`, transaction),
			`"new_accounts":[{"amount":1,"person_id":7,"category_full_name":"Nada"},{"amount":1.5,"person_id":8,` +
				`"category_id":98765,"classification_center_id":9,"attachment_id_list":[9],` +
				centers + `,` + strings.Replace(strings.Replace(values, `{"name":"c"},`, "", 1), `,"amount":"x"`, "",
				1) + `}]`,
			"/new_accounts/1/classification_center_classifications/1/percentage not_a_percentage, " +
				"/new_accounts/1/classification_center_classifications percentages_sum, " +
				"/new_accounts/0/category_full_name not_existing, /new_accounts/0/person_id not_existing, " +
				"/new_accounts/1/category_id not_existing, /new_accounts/1/person_id not_existing, " +
				"/new_accounts/1/classification_center_id not_existing, " +
				"/new_accounts/1/attachment_id_list/0 not_existing, /new_accounts/1/custom_classifications/0/name " +
				"not_existing, /new_accounts/1/custom_classifications/1/name not_existing, " +
				"/new_accounts/1/classification_center_classifications/0/classification_center_id not_existing, " +
				"/new_accounts/1/classification_center_classifications/1/classification_center_id not_existing"},
		{"/integrations/webhooks", "webhook", `"entity_id":1,"url":"https://hooks.example.com","format":"json"`,
			`"events":["sales.*","vendas/*","all"]`,
			"/ROOT/events/1 unknown_event, /ROOT/events/2 unknown_event"},
		{"/entities/1/reconciliation_rules", "reconciliation_rule", `"name":"a","match":{}`, `"text_contains":["b","` +
			strings.Repeat("c", 256) + `","\u0301"]`,
			"/ROOT/text_contains/1 too_long, /ROOT/text_contains/2 blank"},
	} {
		text := "{" + test.fields + "," + test.more + "}"
		if test.root != "" {
			text = fmt.Sprintf(`{%q:%s}`, test.root, text)
		}
		var parsed any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&parsed); err != nil {
			t.Fatal(err)
		}
		root := test.root
		if root == "" {
			root = "hash"
		} else {
			parsed = parsed.(map[string]any)[root]
		}
		for _, form := range []string{text, asXML(root, parsed)} {
			var got []string
			for _, f := range s.refusal(t, "POST", test.path, document(form)).Errors {
				got = append(got, f.Pointer+" "+f.Code)
			}
			equal(t, strings.Join(got, ", "), strings.ReplaceAll(test.want, "ROOT", test.root))
		}
	}
	s.call(t, "POST", "/entities/1/sales", document(`{"sale":{`+sale+`,`+taxes+`,`+lists+`}}`)).
		wantBody(t, 422, `{"tax_charges.tax":["não existe"],"tax_charges.amount":["não pode ser negativo"],`+
			`"attachment_id_list":["não existe"]}`)
}

func TestHintsNameWhatIsAccepted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	p := s.refusal(t, "POST", "/entities/1/deposit_accounts",
		document(`{"deposit_account":{"name":"a","deposit_account_type_id":3}}`))
	equal(t, p.Errors[0].Allowed, []string{"1", "2", "4", "6", "8"})
	p = s.refusal(t, "GET", "/entities?search[name_contians]=a")
	equal(t, p.Errors[0].Message, "não é um filtro conhecido: o mais parecido é name_contains")
	p = s.refusal(t, "GET", "/entities/1/payable_accounts",
		as(s.member(t, finance.Access{AllEntities: true, Denied: []string{"payable_accounts"}})))
	equal(t, p.Code, "forbidden")
	if !strings.Contains(p.Errors[0].Hint, "payable_accounts") {
		t.Errorf("the hint does not name the permission: %s", p.Errors[0].Hint)
	}
}

// A hint is about the request that was refused, not about another one.
func TestHintsMendTheRequest(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	statements, rules := account+"/bank_statements", s.newSaleAccount(t, `"description":"Loja"`)+"/rules"
	dollars := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.CurrencyID = 2 })
	foreign := reconciling([]int64{s.settled(t, finance.Receivable, "9")}, []int64{s.moved(t, dollars, "Credit", "9")})
	member := as(s.member(t, finance.Access{AllEntities: true, Denied: []string{"payable_accounts"}}))
	for name, test := range map[string]struct {
		method, path string
		options      []option
		code, hint   string
	}{
		"another root": {"POST", "/entities/1/payable_accounts", []option{document(`{"payable":{}}`)},
			"missing_root", `{"payable_account": {…}}; em XML, dentro do elemento payable-account.`},
		"a body without a type": {
			"POST", "/people", []option{body("application/x-www-form-urlencoded", `{"person":{"name":"a"}}`)},
			"missing_root", "Content-Type: application/json"},
		"no root of a payment": {"PUT", s.newAccount(t, finance.Payable, `"due_date":"2026-01-31","amount":9`) +
			"/pay", nil, "missing_root", "payable_account"},
		"no root of a webhook": {"POST", "/integrations/webhooks", []option{document(`{"url":""}`)}, "missing_root",
			"webhook"},
		"fields that are none": {"PUT", s.newDepositAccount(t, register) + "/open", []option{document(`{"at":""}`)},
			"missing_root", "opened_at, opening_responsible_id"},
		"a file without a form": {"POST", statements, []option{body("application/octet-stream", ofx)},
			"unsupported_type", "-F 'bank_statement[file]=@arquivo'"},
		"a form without boundary": {"POST", statements, []option{body("multipart/form-data", ofx)}, "no_boundary",
			"a biblioteca"},
		"an empty file": {"POST", statements, []option{parts(file("a.ofx", ""))}, "blank",
			"O arquivo recebido não tem conteúdo"},
		"a file of blanks": {"POST", statements, []option{parts(file("a.ofx", " \n"))}, "blank",
			"O arquivo recebido não tem conteúdo"},
		"a table of an unknown header, without its account": {"POST", "/entities/1/bank_statements",
			[]option{parts(file("a.csv", otherTable))}, "not_a_statement",
			"à conta bancária (POST /entities/:entity_id/deposit_accounts/:deposit_account_id/bank_statements)"},
		"a workbook of an unknown header, without its account": {"POST", "/entities/1/bank_statements",
			[]option{parts(file("a.xlsx", otherBook(t)))}, "not_a_statement", "Faça o que o texto pede"},
		"an unknown filter": {"GET", "/banks?search[code]=1", nil, "unknown_filter",
			"Use um dos filtros da lista"},
		"a percentage": {
			"POST", rules, []option{document(`{"sale_rule":{"payment_method":"pix","fee_percentage":"2.55555"}}`)},
			"too_many_decimals", "4 casas"},
		"a percentage too large": {
			"POST", rules, []option{document(`{"sale_rule":{"payment_method":"pix","fee_percentage":"123456"}}`)},
			"percentage_too_large", "99999.9999"},
		"two kinds of series": {"POST", "/entities/1/payable_accounts",
			[]option{document(`{"payable_account":{"due_date":"2026-01-31","amount":9,` +
				`"create_as_recurrent":"monthly","create_as_parcelled":"monthly","number_of_parcels":2}}`)},
			"recurrent_already", "só um"},
		"a CNPJ": {
			"POST", "/entities", []option{document(`{"entity":{"name":"a","federation_subscription_number":"1"}}`)},
			"not_a_tax_id", "dígitos verificadores"},
		"a URL": {"POST", "/integrations/webhooks",
			[]option{document(`{"webhook":{"entity_id":1,"format":"json","url":"erp"}}`)}, "not_a_url", "https://"},
		"no list": {"POST", "/entities/1/payable_accounts",
			[]option{document(`{"payable_account":{"due_date":"2026-01-31","amount":9,` +
				`"financial_account_taxes_attributes":"x"}}`)}, "not_a_list_of_objects", "type=\"array\""},
		"no object": {"POST", "/entities/1/reconciliation_rules",
			[]option{document(`{"reconciliation_rule":{"name":"a","type":"Debit","new_account":"x"}}`)},
			"not_an_object", "{"},
		"a text": {"POST", "/people", []option{document(`{"person":{"name":"a\u0000"}}`)}, "not_a_text",
			"caractere nulo"},
		"a day too late": {"POST", "/entities/1/payable_accounts",
			[]option{
				document(`{"payable_account":{"due_date":"9995-01-31","amount":9,"create_as_recurrent":"monthly"}}`)},
			"out_of_range", "9999-12-31"},
		"a suffix":       {"GET", "/entities/1.yaml", nil, "not_a_format", ".json ou .xml"},
		"a month":        {"GET", s.newCard(t, 5, 12) + "/invoices/2013-13", nil, "not_found", "AAAA-MM"},
		"another method": {"PATCH", "/entities/1", nil, "no_method", "Allow"},
		"a flag of entities": {"PUT", "/entities/1", []option{document(`{"entity":{"force_destroy":true}}`), member},
			"forbidden", "force_destroy"},
		"a kind not seen": {"POST", "/entities/1/reconciles", []option{document(reconciling([]int64{99}, []int64{99})),
			member}, "forbidden", "payable_accounts"},
		"dollars": {"POST", "/entities/1/reconciles", []option{document(foreign)}, "foreign_currency", "Retire"},
	} {
		t.Run(name, func(t *testing.T) {
			p := s.refusal(t, test.method, test.path, test.options...)
			equal(t, p.Code, test.code)
			if hint := p.Errors[0].Hint; !strings.Contains(hint, test.hint) {
				t.Errorf("the hint lacks %q: %s", test.hint, hint)
			}
		})
	}
}

func TestProblemDetailsAreSentOnRequestOnly(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const nameless = `{"entity":{"name":""}}`
	for _, test := range []struct{ path, accept, contentType string }{
		{"/entities", "", "application/json; charset=utf-8"},
		{"/entities", "application/json", "application/json; charset=utf-8"},
		{"/entities", "application/json, application/problem+json", "application/problem+json"},
		{"/entities", "application/xml, application/problem+json;q=0.5", "application/problem+json"},
		{"/entities", "application/problem+json;q=0", "application/json; charset=utf-8"},
		{"/entities.json", "application/problem+json", "application/json; charset=utf-8"},
		{"/entities.xml", "application/problem+json", "application/xml; charset=utf-8"},
		{"/entities.xml/", "application/problem+json", "application/xml; charset=utf-8"},
	} {
		a := s.call(t, "POST", test.path, document(nameless), with("Accept", test.accept)).want(t, 422)
		equal(t, a.header.Get("Content-Type"), test.contentType)
		equal(t, a.header.Get("X-Error-Code"), "blank")
	}
	a := s.call(t, "POST", "/entities", document(`{"entity":{"name":"a"}}`),
		with("Accept", "application/problem+json")).want(t, 201)
	equal(t, a.header.Get("X-Error-Code"), "")
	a = s.call(t, "POST", "/people", document(`<person><name>A & B</name></person>`),
		with("Accept", "application/problem+json")).want(t, 400)
	if !strings.Contains(a.body, "escreva &amp;") { // as people read it
		t.Error(a.body)
	}
}

func TestAllFaultsOfARequestAreInOneAnswer(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.call(t, "POST", "/entities/1/sales",
		document(
			`{"sale":{"sale_account_id":9,"payment_method":"pix","occurred_at":"31/12/2026","nominal_amount":"1.234,56",
		"person_id":9,"attachment_id_list":[9],"tax_charges":[{"tax_id":99,"amount":1}],
		"custom_classifications":[{"custom_classifier_id":9,"name":"a"}],`+
				`"classification_center_classifications":[{"classification_center_id":9}]}}`)).
		wantBody(t, http.StatusUnprocessableEntity, `{"occurred_at":["não é uma data válida"],"nominal_amount":["não `+
			`é um número: use ponto decimal, como 1234.56"],"tax_charges.tax":["não existe"],"sale_account":["não `+
			`existe"],"person":["não existe"],"attachment_id_list":["não existe"],"custom_classifications":["não `+
			`existe: 9:a"],"classification_center_classifications":["não existe: 9"]}`)
	account := lastID(s.newSaleAccount(t, `"description":"Loja"`))
	for fields, want := range map[string]string{
		`"nominal_amount":"0.01","installment_count":2`: `{"nominal_amount":["é pequeno ` +
			`demais para tantas parcelas"]}`,
		`"nominal_amount":"0.01","tax_charges":[{"tax_id":1,"amount":"0.02"}]`: `{"tax_charges":["não podem passar ` +
			`do valor total"]}`,
		`"nominal_amount":300,"installment_count":3,"discount_amount":150`: `{"discount_amount":["fica todo na ` +
			`primeira parcela, e não pode passar do valor dela com multa e juros: 100,00"]}`,
		`"nominal_amount":12000,"installment_count":12,"tax_charges":[{"tax_id":1,"amount":1200}]`: `{"tax_charges":` +
			`["ficam todos na primeira parcela, e não podem passar do valor dela: 1.000,00"]}`,
	} {
		s.call(t, "POST", "/entities/1/sales",
			document(fmt.Sprintf(`{"sale":{"sale_account_id":%d,"payment_method":"pix","occurred_at":"2026-01-31",%s}}`,
				account, fields))).
			wantBody(t, http.StatusUnprocessableEntity, want)
	}
	s.call(t, "POST", "/entities/1/payable_accounts", document(`{"payable_account":{}}`)).
		wantBody(t, http.StatusUnprocessableEntity, `{"competency_month":["não pode ser vazio"],"due_date":["não é `+
			`uma data válida"],"amount":["não pode ser vazio"]}`)
}

// What only the statement that stores a record finds, or what comes after other checks, is named beside
// other faults, too.
func TestConflictsAreAmongTheFirstFaults(t *testing.T) {
	t.Parallel()
	s := newService(t)
	category := s.newCategory(t, `{"name":"Trigo"}`)
	below := s.newCategory(t, fmt.Sprintf(`{"name":"Farinha","parent_id":%d}`, lastID(category)))
	saleAccount := s.newSaleAccount(t, `"description":"Loja"`)
	rule := s.newSaleRule(t, saleAccount, `"payment_method":"pix","fixed_fee_amount":1`)
	cash := s.newSaleRule(t, saleAccount, `"payment_method":"cash","fixed_fee_amount":1`)
	classifier := s.newClassifier(t, "Obra")
	s.newValue(t, classifier, "Reforma")
	center := s.newCenter(t, s.EntityID, "Loja")
	other := s.anotherEntity(t).ID
	account := s.newDepositAccount(t)
	transaction := lastID(s.newTransaction(t, account, finance.Credit, "2.5", "2026-03-04"))
	open := s.newDepositAccount(t, register)
	s.call(t, "PUT", open+"/open").want(t, 200)
	bill := s.newAccount(t, finance.Payable, `"due_date":"2026-01-31","amount":9`)
	for _, test := range []struct{ method, path, text, want string }{
		{"POST", "/categories", `{"category":{"name":"","parent_id":88888888}}`,
			"/category/name blank, /category/full_name blank, /category/parent_id not_existing"},
		{"POST", "/categories", `<category><name/><parent-full-name>Nada</parent-full-name></category>`,
			"/category/name blank, /category/full_name blank, /category/parent_full_name not_existing"},
		{"PUT", category, `{"category":{"name":"","parent_id":88888888}}`,
			"/category/name blank, /category/full_name blank, /category/parent_id not_existing"},
		{"PUT", category, `<category><revenue>x</revenue><parent-id>88888888</parent-id></category>`,
			"/category/revenue not_a_boolean, /category/parent_id not_existing"},
		{"PUT", category, fmt.Sprintf(`{"category":{"revenue":"x","parent_id":%d}}`, lastID(below)),
			"/category/revenue not_a_boolean, /category/parent_id parent_below"},
		{"POST", "/categories", `{"category":{"name":"trigo","cost":"x"}}`,
			"/category/cost not_a_boolean, /category/name taken"},
		{"POST", category + "/create_subcategory", `{"category":{"name":"farinha","cost":"x"}}`,
			"/category/cost not_a_boolean, /category/name taken"},
		{"POST", "/categories", fmt.Sprintf(`{"category":{"name":"%s","parent_id":%d,"cost":"x"}}`,
			strings.Repeat("a", 250), lastID(category)), "/category/cost not_a_boolean, /category/full_name too_long"},
		{"PUT", category, `{"category":{"name":"Trigo","cost":"x"}}`, "/category/cost not_a_boolean"},
		{"POST", saleAccount + "/rules", `{"sale_rule":{"payment_method":"pix","fixed_fee_amount":1,` +
			`"days_to_liquidation":-3}}`, "/sale_rule/days_to_liquidation out_of_range, /sale_rule/payment_method " +
			"rule_taken"},
		{"PUT", cash, `{"sale_rule":{"payment_method":"pix","days_to_liquidation":-3}}`,
			"/sale_rule/days_to_liquidation out_of_range, /sale_rule/payment_method rule_taken"},
		{"PUT", rule, `{"sale_rule":{"payment_method":"pix","days_to_liquidation":-3}}`,
			"/sale_rule/days_to_liquidation out_of_range"},
		{"POST", saleAccount + "/rules/preview", `{"sale_rule":{"payment_method":"pix","fixed_fee_amount":1,` +
			`"days_to_liquidation":-3}}`, "/sale_rule/days_to_liquidation out_of_range"},
		{"POST", "/custom_classifiers", `{"custom_classifier":{"name":"obra","zzz":1}}`,
			"/custom_classifier/zzz unknown_attribute, /custom_classifier/name taken"},
		{"POST", classifier + "/values", `{"custom_classifier_value":{"value":"REFORMA","zzz":1}}`,
			"/custom_classifier_value/zzz unknown_attribute, /custom_classifier_value/value taken"},
		{"PUT", center, fmt.Sprintf(`{"classification_center":{"name":"","entity_id":%d}}`, other),
			"/classification_center/name blank, /classification_center/entity_id unchangeable"},
		{"PUT", account, `{"deposit_account":{"name":"","currency_id":2}}`,
			"/deposit_account/name blank, /deposit_account/currency_id currency_fixed"},
		{"PUT", open + "/open", `{"opened_at":"x"}`, "/opened_at not_a_date,  register_open"},
		{"PUT", bill + "/pay", `{"payable_account":{"total_amount":"x"}}`,
			"/payable_account/total_amount not_a_number, /payable_account/occurred_at blank"},
		{"POST", "/entities/1/reconciles", fmt.Sprintf(`{"selected_financial_account_ids":[77],`+
			`"selected_financial_transaction_ids":[%d,88],"settle_open":"x","new_accounts":[{"amount":"y",`+
			`"person_id":9}]}`, transaction),
			"/settle_open not_a_boolean, /new_accounts/0/amount not_a_number, /selected_financial_account_ids/0 " +
				"not_existing, /selected_financial_transaction_ids/1 not_existing, /new_accounts/0/person_id " +
				"not_existing"},
		{"POST", "/entities/1/reconciles", fmt.Sprintf(`{"selected_financial_account_ids":[77],`+
			`"selected_financial_transaction_ids":[%d],"new_accounts":[{"amount":1,"person_id":9}]}`, transaction),
			"/selected_financial_account_ids/0 not_existing, /new_accounts/0/person_id not_existing"},
	} {
		equal(t, s.refusal(t, test.method, test.path, document(test.text), strict).places(), test.want)
	}
	s.call(t, "POST", "/categories", document(`{"category":{"name":"","parent_id":888888888}}`)).
		wantBody(t, 422, `{"name":["não pode ser vazio"],"full_name":["não pode ser vazio"],"parent":["não existe"]}`)
}

// The competency month is missing only where no due date was sent that it could be derived from.
func TestAnEmptyDueDateLeavesNoCompetencyMonth(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const both, one = `{"competency_month":["não pode ser vazio"],"due_date":["não é uma data válida"]}`,
		`{"due_date":["não é uma data válida"]}`
	for fields, want := range map[string]string{
		`"amount":1`:               both,
		`"amount":1,"due_date":""`: both,
		`"amount":1,"due_date":null,"competency_month":""`:        both,
		`"amount":1,"due_date":"","competency_month":"2026-08"`:   one,
		`"amount":1,"due_date":"31/12/2026"`:                      one,
		`"amount":1,"due_date":"2026-08-31","competency_month":9`: `{"competency_month":["não é uma data válida"]}`,
	} {
		for _, kind := range []string{"payable", "receivable"} {
			s.call(t, "POST", "/entities/1/"+kind+"_accounts",
				document(fmt.Sprintf(`{"%s_account":{%s}}`, kind, fields))).
				wantBody(t, http.StatusUnprocessableEntity, want)
		}
	}
	bill := s.newAccount(t, finance.Payable, `"due_date":"2026-08-31","amount":9`)
	s.call(t, "PUT", bill, document(`{"payable_account":{"due_date":""}}`)).wantBody(t, http.StatusUnprocessableEntity,
		one)
}

// All tests check that a refusal links to the entry of its code (service.send). These are the answers of other parts
// than the handlers of routes.
func TestEveryRefusalLinksToItsExplanation(t *testing.T) {
	t.Parallel()
	s := newService(t)
	unready := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }
	tenant := s.Tenant
	s = serve(t, s.store, func(c *api.Config) { c.MaxDocument, c.Readyz = 100, http.HandlerFunc(unready) })
	s.Tenant = tenant
	s.call(t, "POST", "/people", document(`{"person":{"name":"Ana"}}`)).want(t, 201)
	s.call(t, "POST", "/people", document(`{"person":{"name":"Bia"}}`)).want(t, 201)
	for _, test := range []struct {
		method, path string
		options      []option
		status       int
		code         string
	}{
		{"GET", "/people", []option{as("")}, 401, "unauthorized"},
		{"POST", "/people", []option{with("Origin", "https://other.example"), with("Sec-Fetch-Site", "cross-site")},
			403, "cross_site"},
		{"GET", "/nothing", []option{as("")}, 404, "no_route"},
		{"GET", "/docs/nothing", []option{as("")}, 404, "no_route"},
		{"GET", "/logos/nothing.png", []option{as("")}, 404, "no_route"},
		{"GET", "/files/nothing", []option{as("")}, 403, "bad_address"},
		{"HEAD", "/nothing", nil, 404, "no_route"},
		{"PATCH", "/people", nil, 405, "no_method"},
		{"GET", "/people.pdf", []option{as("")}, 406, "not_a_format"},
		{"POST", "/people", []option{document(`{"person":{"name":"` + strings.Repeat("a", 200) + `"}}`)}, 413,
			"body_too_large"},
		{"POST", "/people", []option{body("text/plain", "a")}, 415, "unsupported_type"},
		{"POST", "/entities/1/payable_accounts", []option{document(`{"payable_account":{"amount":"x"}}`)}, 422,
			"invalid"},
		{"GET", "/readyz", []option{as("")}, 503, "unavailable"},
	} {
		a, err := s.send(t.Context(), test.method, test.path, test.options...)
		if err != nil {
			t.Fatal(err)
		}
		a.want(t, test.status)
		equal(t, a.header.Values("Link"), []string{"<" + publicURL + "/docs/errors#" + test.code + `>; rel="help"`})
	}
	list := s.call(t, "GET", "/people?per_page=1").want(t, 200)
	equal(t, list.header["Link"], list.header["Links"])
}

func TestTheErrorPageHasEveryCodeAndHint(t *testing.T) {
	t.Parallel()
	s := newService(t)
	page := s.fetch(t, "GET", "/docs/errors").want(t, 200)
	equal(t, page.header.Get("Content-Type"), "text/html; charset=utf-8")
	page.body = strings.ReplaceAll(page.body, "&quot;", "&#34;") // two forms of the same
	entries := s.look(t, "/docs/errors").ids
	if !entries[messages.Invalid] {
		t.Error("the page has no entry for several faults")
	}
	for _, f := range messages.Catalogue {
		if !entries[f.Code] {
			t.Errorf("the page has no entry for %s", f.Code)
		}
		if !strings.Contains(page.body, html.EscapeString(f.Hint)) {
			t.Errorf("the page has no hint %s", f.Hint)
		}
	}
}
