package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"

	"pgregory.net/rapid"
)

// A batch of sales that is sent again leaves every amount, before and after its sales are priced.
func TestAnyBatchOfSalesIsSentAgain(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newSaleAccount(t, `"consolidate":true`)
	account := lastID(path)
	s.newSaleRule(t, path, `"payment_method":"pix","fee_percentage":"1.99","days_to_liquidation":30`)
	s.exec(t, `INSERT INTO classification_centers (account_id, entity_id, name, cost_center, revenue_center)
		VALUES ($1, $2, 'Loja', false, true), ($1, $2, 'Site', false, true)`, s.AccountID, s.EntityID)
	state := func() string {
		return query[string](t, s, `
			SELECT string_agg(concat_ws(' ', id, nominal_amount, interest_amount, discount_amount, total_amount,
				total_taxes, receivable_amount, financial_account_id, installment_number,
				(SELECT string_agg(c.amount::text, '+' ORDER BY c.id) FROM sale_center_classifications c
					WHERE c.sale_id = sales.id)), ', ' ORDER BY id) FROM sales`) + "; " + query[string](t, s, `
			SELECT coalesce(string_agg(concat_ws(' ', id, amount, sales_count), ', ' ORDER BY id), '')
			FROM financial_accounts`)
	}
	batches := 0
	rapid.Check(t, func(rt *rapid.T) {
		batches++
		var items []string
		var whole finance.Amount
		for i := range rapid.IntRange(1, 4).Draw(rt, "items") {
			item, amount := anySale(rt, fmt.Sprintf(`"sale_account_id":%d,"external_id":"%d-%d"`, account, batches, i))
			items, whole = append(items, item), whole+amount
		}
		batch := document(`{"on_conflict":"update","items":[` + strings.Join(items, ",") + `]}`)
		send := func(status string) {
			a := s.call(t, "POST", paths.Entity(s.EntityID)+"/sales/batch", batch).want(t, 200)
			if n := strings.Count(a.body, `"status":`+status+`,`); n != len(items) {
				rt.Fatalf("%d of %d items are %s: %s", n, len(items), status, a.body)
			}
		}
		unchanged := func(before string) {
			if now := state(); now != before {
				rt.Fatalf("%s\nbecame\n%s\nby %v", before, now, items)
			}
		}
		before := query[finance.Amount](t, s, `SELECT coalesce(sum(nominal_amount), 0) FROM sales`)
		send("201")
		if stored := query[finance.Amount](t, s, `SELECT sum(nominal_amount) FROM sales`); stored-before != whole {
			rt.Fatalf("%v stored of %v", stored-before, whole)
		}
		if wrong := query[int](t, s, `SELECT count(*) FROM sales WHERE nominal_amount <>
			(SELECT sum(c.amount) FROM sale_center_classifications c WHERE c.sale_id = sales.id)`); wrong > 0 {
			rt.Fatalf("the centers of %d sales do not add up: %s", wrong, state())
		}
		created := state()
		send("200")
		unchanged(created)
		s.price(t, account)
		priced := state()
		send("200")
		s.price(t, account)
		unchanged(priced)
	})
}

// anySale draws the document of a sale of up to six installments, and returns its nominal amount.
func anySale(t *rapid.T, fields string) (document string, amount finance.Amount) {
	// The first installment has the whole discount and the whole tax.
	amount = finance.Amount(rapid.Int64Range(6*(300+99), 1_000_000).Draw(t, "nominal amount"))
	if n := rapid.IntRange(1, 6).Draw(t, "installments"); n > 1 {
		fields += fmt.Sprintf(`,"installment_count":%d`, n)
	}
	for _, name := range []string{"discount_amount", "interest_amount"} {
		if cents := rapid.Int64Range(0, 300).Draw(t, name); cents > 0 {
			fields += fmt.Sprintf(`,"%s":"%v"`, name, finance.Amount(cents))
		}
	}
	if tax := rapid.Int64Range(0, 99).Draw(t, "tax"); tax > 0 {
		fields += fmt.Sprintf(`,"tax_charges":[{"tax_id":1,"amount":"%v"}]`, finance.Amount(tax))
	}
	if part := rapid.Int64Range(0, int64(amount)).Draw(t, "first center"); part > 0 {
		fields += fmt.Sprintf(`,"classification_center_classifications":[{"classification_center_id":1,"amount":"%v"},`+
			`{"classification_center_id":2,"amount":"%v"}]`, finance.Amount(part), amount-finance.Amount(part))
	}
	return fmt.Sprintf(`{"sale":{%s,"payment_method":"pix","occurred_at":"2026-11-05","nominal_amount":"%v"}}`, fields,
		amount), amount
}
