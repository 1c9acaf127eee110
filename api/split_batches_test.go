package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/internal/paths"
)

// A batch that is sent again changes no sale that was split; an item that differs from the sale is refused.
func TestASplitSaleIsSentAgain(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := lastID(s.newSaleAccount(t, `"consolidate":true`))
	s.exec(t, `INSERT INTO classification_centers (account_id, entity_id, name, cost_center, revenue_center)
		VALUES ($1, $2, 'Loja', false, true), ($1, $2, 'Site', false, true)`, s.AccountID, s.EntityID)
	s.exec(t, `INSERT INTO categories (account_id, name, full_name, cost, revenue)
		VALUES ($1, 'Cursos', 'Cursos', false, true)`, s.AccountID)
	s.exec(t, `INSERT INTO custom_classifiers (account_id, name) VALUES ($1, 'Obra')`, s.AccountID)
	s.exec(t, `INSERT INTO custom_classifier_values (account_id, custom_classifier_id, value) VALUES ($1, 1, 'Casa')`,
		s.AccountID)
	item := func(more string) string {
		return fmt.Sprintf(`{"sale":{"external_id":"V1","sale_account_id":%d,"payment_method":"pix",`+
			`"occurred_at":"2026-11-05","installment_count":3,"nominal_amount":"100.00","discount_amount":"1.5",`+
			`"description":"Curso","category_full_name":"Cursos","custom_classifications":[`+
			`{"custom_classifier_id":1,"name":"casa","amount":"100"}],`+
			`"tax_charges":[{"tax_id":2,"amount":"2"},{"tax_id":1,"amount":"3"}],`+
			`"classification_center_classifications":[{"classification_center_id":1,"amount":"40"},`+
			`{"classification_center_id":2,"amount":"60"}]%s}}`, account, more)
	}
	send := func(item string) answer {
		return s.call(t, "POST", paths.Entity(s.EntityID)+"/sales/batch", document(`{"on_conflict":"update","items":[`+
			item+`]}`))
	}
	state := func() string {
		return query[string](t, s, `SELECT string_agg(concat_ws(' ', s.id, nominal_amount, total_amount, total_taxes,
			description, (SELECT string_agg(c.amount::text, '+' ORDER BY c.id)
				FROM sale_center_classifications c WHERE c.sale_id = s.id)), ', ' ORDER BY s.id) FROM sales s`)
	}
	equal(t, batchOutcome(t, send(item("")).want(t, 200)), "201 1; 1 0")
	created := state()
	s.newChanges(t)
	for more, want := range map[string]string{
		"": "200 1; 1 0", `,"competency_month":"2026-11"`: "200 1; 1 0", `,"observation":null`: "200 1; 1 0",
		`,"installment_number":null`:                  "200 1; 1 0",
		`,"nominal_amount":"100.01"`:                  "422 installment_count; 0 1",
		`,"description":"Outro"`:                      "422 installment_count; 0 1",
		`,"installment_count":4`:                      "422 installment_count; 0 1",
		`,"occurred_at":"2026-11-06"`:                 "422 installment_count; 0 1",
		`,"tax_charges":[]`:                           "422 installment_count; 0 1",
		`,"classification_center_classifications":[]`: "422 installment_count; 0 1",
		`,"installment_count":1`:                      "422 installment_count; 0 1",
	} {
		equal(t, more+": "+batchOutcome(t, send(item(more)).want(t, 200)), more+": "+want)
		equal(t, state(), created)
		equal(t, s.newChanges(t), "")
	}
	problem := s.call(t, "POST", paths.Entity(s.EntityID)+"/sales/batch", document(`{"on_conflict":"update",`+
		`"atomic":true,"items":[`+item(`,"description":"Outro"`)+`]}`), with("Accept", "application/problem+json"))
	if !strings.Contains(problem.want(t, 422).body, `"code":"split_differs"`) {
		t.Error(problem.body)
	}
	// Without the others, the first installment is still one.
	path := paths.Entity(s.EntityID) + "/sales/"
	s.call(t, "DELETE", path+"3").want(t, 204)
	s.call(t, "DELETE", path+"2").want(t, 204)
	equal(t, batchOutcome(t, send(item("")).want(t, 200)), "200 1; 1 0")
	equal(t, query[string](t, s, `SELECT string_agg(nominal_amount::text, ' ' ORDER BY id) FROM sales`), "33.34")
	// With its number, an item is the installment.
	one := item(`,"installment_number":1,"nominal_amount":"33.40","tax_charges":[],` +
		`"classification_center_classifications":[]`)
	equal(t, batchOutcome(t, send(one).want(t, 200)), "200 1; 1 0")
	equal(t, query[string](t, s, `SELECT string_agg(nominal_amount::text, ' ' ORDER BY id) FROM sales`),
		"33.40")
	// An installment that no split made is an ordinary sale.
	lone := strings.Replace(item(`,"installment_number":2`), "V1", "V2", 1)
	equal(t, batchOutcome(t, send(lone).want(t, 200)), "201 4; 1 0")
	equal(t, batchOutcome(t, send(strings.Replace(item(""), "V1", "V2", 1)).want(t, 200)), "200 4; 1 0")
	// 0.3.0 divided the amount of each center by itself.
	halves := strings.Replace(item(`,"classification_center_classifications":[`+
		`{"classification_center_id":1,"amount":"50"},{"classification_center_id":2,"amount":"50"}]`), "V1", "V3", 1)
	equal(t, batchOutcome(t, send(halves).want(t, 200)), "201 5; 1 0")
	s.exec(t, `UPDATE sale_center_classifications SET amount = 16.68 WHERE sale_id = 5`)
	equal(t, batchOutcome(t, send(halves).want(t, 200)), "200 5; 1 0")
}
