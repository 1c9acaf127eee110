package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/storage/storagetest"
)

// putSale sends a change of a sale.
func (s *service) putSale(t testing.TB, path, fields string) answer {
	t.Helper()
	return s.call(t, "PUT", path, document(`{"sale":{`+fields+`}}`))
}

// each returns one value of each item of a list of a sale.
func each(t testing.TB, a answer, list, name string) []string {
	t.Helper()
	items, _ := a.want(t, 200).value(t).(map[string]any)["sale"].(map[string]any)[list].([]any)
	texts := []string{}
	for _, item := range items {
		texts = append(texts, within(t, item, name))
	}
	return texts
}

const sold = `"payment_method":"pix","nominal_amount":100,"occurred_at":"2026-08-31"`

func TestASaleRefersToNothingThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := newService(t)
	sibling := *s
	sibling.EntityID = s.anotherEntity(t).ID
	own, beside := s.newSaleAccount(t, `"payment_methods":"pix,credit"`), sibling.newSaleAccount(t, `"description":""`)
	classifier := s.newClassifier(t, "Canal")
	value := s.newValue(t, classifier, "Loja")
	elsewhere := lastID(s.newCenter(t, sibling.EntityID, "Loja"))
	foreign := *s
	foreign.Tenant = storagetest.NewTenant(t, s.store)
	foreign.newValue(t, foreign.newClassifier(t, "Canal"), "Loja") // classifier 2
	path := s.newSale(t, own, sold)

	for _, c := range []struct{ name, fields, want string }{
		{"a sale account that is not there", `"sale_account_id":999`, `{"sale_account":["não existe"]}`},
		{"one of another entity", fmt.Sprintf(`"sale_account_id":%d`, lastID(beside)),
			`{"sale_account":["não existe"]}`},
		{"a method that is not enabled", `"payment_method":"cash"`,
			`{"payment_method":["não está habilitado na conta de recebimento"]}`},
		{"category, person and center", `"category_id":999,"person_id":999,"classification_center_id":999`,
			`{"category":["não existe"],"person":["não existe"],"classification_center":["não existe"]}`},
		{"a center of another entity", fmt.Sprintf(`"classification_center_id":%d`, elsewhere),
			`{"classification_center":["não existe"]}`},
		{"values, one of them", `"custom_classifications":[{"custom_classifier_id":1,"name":"loja"},` +
			`{"custom_classifier_id":1,"name":"Site"},{"custom_classifier_id":2,"name":"Loja"}]`,
			`{"custom_classifications":["não existe: 1:Site, 2:Loja"]}`},
		{"centers that it is divided among", fmt.Sprintf(`"classification_center_classifications":[{"classification_c`+
			`enter_id":%d},{"classification_center_id":999}]`, elsewhere),
			fmt.Sprintf(`{"classification_center_classifications":["não existe: %d, 999"]}`, elsewhere)},
		{"no classifications", `"custom_classifications":[1]`, `{"custom_classifications":["não é válido"]}`},
		{"parts of too many decimals", `"custom_classifications":[{"custom_classifier_id":1,"name":"Loja",` +
			`"percentage":"0.12345","amount":"0.123"}]`,
			`{"custom_classifications.amount":["deve ter no máximo 2 casas decimais"],` +
				`"custom_classifications.percentage":["deve ter no máximo 4 casas decimais"]}`},
		{"an attachment", `"attachment_id_list":["1"]`, `{"attachment_id_list":["não existe"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.putSale(t, path, c.fields).wantBody(t, 422, c.want)
			s.call(t, "POST", "/entities/1/sales",
				document(fmt.Sprintf(`{"sale":{"sale_account_id":%d,%s,%s}}`, lastID(own), sold, c.fields))).wantBody(t,
				422, c.want)
		})
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM sales`), 1)
	t.Run("a value that is deleted is gone at once, and stays nowhere", func(t *testing.T) {
		const classified = `"custom_classifications":[{"custom_classifier_id":1,"name":"LOJA","amount":5}]`
		s.putSale(t, path, classified).want(t, 200)
		equal(t, each(t, s.call(t, "GET", path), "custom_classifications", "name"), []string{"Loja"})
		s.call(t, "DELETE", value).want(t, 204)
		equal(t, s.call(t, "GET", path).at(t, "sale.custom_classifications"), "[]")
		s.putSale(t, path, classified).wantBody(t, 422, `{"custom_classifications":["não existe: 1:LOJA"]}`)
		s.putSale(t, path, `"description":"b"`).want(t, 200)
	})
}

// .NET's DateTime.MinValue is 0001-01-01, the Date that is stored as no day.
func TestADateThatWasNotSetIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newSaleAccount(t, `"description":""`)
	sale := s.newSale(t, account, sold)
	payable := s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":1`)
	never := `"confirmed_at":"0001-01-01T00:00:00","document_emission_date":"0001-01-01"`
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/entities/1/sales", fmt.Sprintf(`{"sale":{"sale_account_id":%d,%s,%s}}`, lastID(account), sold,
			never),
			`{"confirmed_at":["não é uma data válida"],"document_emission_date":["não é uma data válida"]}`},
		{"PUT", sale, `{"sale":{` + never + `}}`,
			`{"confirmed_at":["não é uma data válida"],"document_emission_date":["não é uma data válida"]}`},
		{"POST", payables, `{"payable_account":{"due_date":"2026-03-04","amount":1,` +
			`"document_emission_date":"0001-01-01"}}`,
			`{"document_emission_date":["não é uma data válida"]}`},
		{"PUT", payable, `{"payable_account":{"document_emission_date":"0001-01-01"}}`,
			`{"document_emission_date":["não é uma data válida"]}`},
		{"PUT", payable, `{"payable_account":{"competency_month":"0001-01-01T00:00:00"}}`,
			`{"competency_month":["não é uma data válida"]}`},
		{"PUT", sale, `{"sale":{"competency_month":"0001-01"}}`, `{"competency_month":["não é uma data válida"]}`},
	} {
		s.call(t, c.method, c.path, document(c.body)).wantBody(t, 422, c.want)
	}
}

func TestASalesListsStayUnlessTheyAreSent(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newSaleAccount(t, `"description":""`)
	s.newValue(t, s.newClassifier(t, "Canal"), "Loja")
	center := lastID(s.newCenter(t, s.EntityID, "Centro"))
	lists := fmt.Sprintf(
		`"tax_charges":[{"tax_id":9,"amount":1},{"tax_id":1,"amount":2}],`+
			`"custom_classifications":[{"custom_classifier_id":1,"name":"Loja"}],
		"classification_center_classifications":[{"classification_center_id":%d,"percentage":50}]`, center)
	path := s.newSale(t, account, sold+","+lists)
	ids := func() string {
		t.Helper()
		a := s.call(t, "GET", path, with("Accept", "application/json"))
		return fmt.Sprint(each(t, a, "tax_charges", "id"), each(t, a, "custom_classifications", "id"),
			each(t, a, "classification_center_classifications", "name")) + " " + a.at(t, "sale.net_amount")
	}
	equal(t, ids(), "[1 2] [1] [Centro] 97.0")
	s.putSale(t, path, `"description":"b"`).wantBody(t, 200, "")
	equal(t, ids(), "[1 2] [1] [Centro] 97.0")
	s.putSale(t, path, `"tax_charges":[{"tax_id":1,"amount":4}]`).want(t, 200)
	equal(t, ids(), "[3] [1] [Centro] 96.0")
	s.putSale(t, path, `"tax_charges":null,"custom_classifications":[],"classification_center_classifications":[]`).
		want(t, 200)
	equal(t, ids(), "[] [] [] 100.0")
}

func TestASaleIsPricedAgainWhenThatDependsOnIt(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newSaleAccount(t, `"consolidate":true`)
	s.newSaleRule(t, account, `"payment_method":"pix","fee_percentage":1,"days_to_liquidation":1`)
	path := s.newSale(t, account, sold)
	state := func() string {
		return query[string](t, s, `SELECT concat_ws(' ', status, awaiting_pricing, receivable_amount,
			(SELECT count(*) FROM jobs WHERE kind = 'price_sales')) FROM sales`)
	}
	equal(t, state(), "0 t 2") // jobs: one of the rule, one of the sale
	s.price(t, lastID(account))
	s.exec(t, `DELETE FROM jobs`)
	equal(t, state(), "1 f 99.00 0")
	s.putSale(t, path, `"description":"b","document":"NF 1","category_id":1,"nominal_amount":"100.00"`).want(t, 200)
	equal(t, state(), "1 f 99.00 0")
	located := s.putSale(t, path, `"nominal_amount":200`).wantBody(t, 200, "")
	equal(t, located.header.Get("Location"), publicURL+path)
	equal(t, state(), "1 t 99.00 1")
	s.price(t, lastID(account))
	equal(t, state(), "1 f 198.00 1")
	t.Run("a method without a rule takes it out of its account", func(t *testing.T) {
		s.putSale(t, path, `"payment_method":"cash"`).want(t, 200)
		s.price(t, lastID(account))
		equal(t, state(), "0 f 2")
		equal(t, query[int](t, s, `SELECT count(*) FROM financial_accounts`), 0)
	})
}

func TestAPaidSaleDoesNotChangeItsPrice(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newSaleAccount(t, `"consolidate":true`)
	s.newSaleRule(t, account, `"payment_method":"pix","fixed_fee_amount":0`)
	path := s.newSale(t, account, sold)
	s.price(t, lastID(account))
	for status, refusal := range map[int]string{
		finance.SaleLiquidated: "A venda já foi liquidada: desfaça o recebimento antes.",
		finance.SaleReconciled: "A venda está conciliada: desfaça a conciliação e o recebimento antes."} {
		s.exec(t, `UPDATE sales SET status = $1, liquidated_at = '2026-09-01'`, status)
		paid := `{"base":["` + refusal + `"]}`
		before := s.call(t, "GET", path)
		for _, fields := range []string{`"nominal_amount":101`, `"occurred_at":"2026-09-01"`, `"payment_method":"cash"`,
			`"tax_charges":[{"tax_id":1,"amount":1}]`} {
			s.putSale(t, path, fields).wantBody(t, 422, paid)
		}
		s.call(t, "DELETE", path).wantBody(t, 422, paid)
		equal(t, s.call(t, "GET", path).body, before.body)
		s.putSale(t, path, fmt.Sprintf(`"description":"%d","observation":"b","nominal_amount":100`, status)).want(t,
			200)
		after := s.call(t, "GET", path)
		equal(t, after.at(t, "sale.description"), fmt.Sprint(status))
		equal(t, each(t, after, "links", "rel"), []string{"self", "sale_account", "receivable_account"})
		equal(t, query[bool](t, s, `SELECT awaiting_pricing FROM sales`), false)
	}
}

func TestASaleSplitsIntoInstallments(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newSaleAccount(t, `"description":""`)
	s.newWebhook(t, s.AccountID, s.EntityID, "active")
	s.exec(t, `DELETE FROM deliveries`)
	path := s.newSale(t, account,
		`"payment_method":"parcelled","issuer":"Elo","nominal_amount":"100.00","occurred_at":"2026-01-31",`+
			`"confirmed_at":"2026-02-28",
		"installment_count":3,"interest_amount":1,"tax_charges":[{"tax_id":1,"amount":2}],"description":"Forno"`)
	equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', id, installment_number, installment_count,
		occurred_at, confirmed_at, competency_month, nominal_amount,
		total_amount, total_taxes, description, coalesce(original_sale_id, 0), awaiting_pricing), E'\n' ORDER BY id)
			FROM sales`), strings.Join([]string{
		"1 1 3 2026-01-31 2026-02-28 2026-01-01 33.34 34.34 2.00 Forno 0 t",
		"2 2 3 2026-02-28 2026-03-28 2026-01-01 33.33 33.33 0.00 Forno 1 t",
		"3 3 3 2026-03-31 2026-04-28 2026-01-01 33.33 33.33 0.00 Forno 1 t"}, "\n"))
	equal(t, each(t, s.call(t, "GET", path), "installments", "id"), []string{"2", "3"})
	second := s.call(t, "GET", "/entities/1/sales/2")
	equal(t, second.at(t, "sale.installments"), "[]")
	equal(t, each(t, second, "links", "rel"), []string{"self", "destroy", "sale_account", "original_sale"})
	wantEvents := func(want string) {
		t.Helper()
		equal(t, query[string](t, s, `SELECT string_agg(family || '.' || action || ' ' || record_id,
			', ' ORDER BY family, action, record_id) FROM deliveries`), want)
		s.exec(t, `DELETE FROM deliveries`)
	}
	wantEvents("sales.created 1, sales.created 2, sales.created 3")

	t.Run("one that says its number is kept as it is", func(t *testing.T) {
		alone := s.call(t, "GET", s.newSale(t, account, sold+`,"installment_count":3,"installment_number":2`))
		equal(t, alone.at(t, "sale.installment_number")+" "+alone.at(t, "sale.nominal_amount"), "2 100.0")
		wantEvents("sales.created 4")
	})
	t.Run("with the first go those that were not paid", func(t *testing.T) {
		s.newSaleRule(t, account, `"payment_method":"parcelled","issuer":"Elo","fixed_fee_amount":0`)
		s.price(t, lastID(account))
		s.call(t, "PUT", "/entities/1/receivable_accounts/3/receive",
			document(`{"receivable_account":{"occurred_at":"2026-03-01","total_amount":"33.33"}}`)).want(t, 200)
		s.exec(t, `DELETE FROM deliveries`)
		s.call(t, "DELETE", path).wantBody(t, 204, "")
		equal(t, s.call(t, "GET", "/entities/1/sales").all(t, "sale.id"), []string{"3", "4"})
		equal(t, s.call(t, "GET", "/entities/1/sales/3").at(t, "sale.original_sale_id"), "<nil>")
		wantEvents("receivable_accounts.destroyed 1, receivable_accounts.destroyed 2, sales.destroyed 1, " +
			"sales.destroyed 2, sales.updated 3")
	})
}

func TestASplitSaleTakesTheSameStatementsWhateverItsInstallments(t *testing.T) {
	t.Parallel()
	s, statements := metered(t)
	account := s.newSaleAccount(t, `"description":""`)
	s.newValue(t, s.newClassifier(t, "Canal"), "Loja")
	split := func(n int) int64 {
		before := statements.Load()
		s.newSale(t, account, fmt.Sprintf(`%s,"installment_count":%d,"tax_charges":[{"tax_id":1,"amount":0.1}],
			"custom_classifications":[{"custom_classifier_id":1,"name":"Loja","amount":50}]`, sold, n))
		return statements.Load() - before
	}
	split(2) // prepares the statements
	if few, lots := split(2), split(120); few != lots {
		t.Errorf("%d statements for 2 installments, %d for 120", few, lots)
	}
	equal(t, query[string](t, s, `SELECT sum(amount)::text FROM sale_custom_classifications`), "150.00")
}
