package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"bordero/internal/paths"
	"bordero/storage"
	"bordero/storage/pricing"
	"bordero/storage/storagetest"
)

// newReceivables returns a service with two sales that bring 98 each on 2026-03-31, the path of
// their sale account, and the path of the first receivable account. With consolidate, both sales
// are in that one.
func newReceivables(t testing.TB, consolidate bool) (s *service, account, first string) {
	t.Helper()
	s = newService(t)
	account = s.newSaleAccount(t, fmt.Sprintf(`"consolidate":%v`, consolidate))
	s.newSaleRule(t, account, `"payment_method":"pix","fee_percentage":2,"days_to_liquidation":30`)
	for range 2 {
		s.newSale(t, account, `"payment_method":"pix","nominal_amount":100,"occurred_at":"2026-03-01"`)
	}
	s.price(t, 1)
	return s, account, "/entities/1/receivable_accounts/1"
}

// newLargeReceivable returns a service with a receivable account of 502 sales, more than follow it at once, its path
// and a function that receives it.
func newLargeReceivable(t testing.TB) (s *service, path string, receive func()) {
	t.Helper()
	s, _, path = newReceivables(t, true)
	s.exec(t, `INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at,
		competency_month, nominal_amount, total_amount)
		SELECT account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month, 100, 100
			FROM sales, generate_series(1, 250)`)
	s.price(t, 1)
	return s, path, func() {
		t.Helper()
		s.call(t, "PUT", path+"/receive",
			document(`{"receivable_account":{"occurred_at":"2026-04-02","total_amount":49196}}`)).want(t, 200)
	}
}

// statuses returns the status of each sale by id, with the day and the difference of its reception.
func (s *service) statuses(t testing.TB) (got string) {
	t.Helper()
	err := s.db.QueryRowContext(t.Context(), `SELECT string_agg(concat_ws(' ', status, liquidated_at,
		amount_difference), ', ' ORDER BY id) FROM sales`).Scan(&got)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// verified fails if bordero verify finds anything. It first deletes the jobs, whose work the test
// has done itself.
func (s *service) verified(t testing.TB) {
	t.Helper()
	s.exec(t, `DELETE FROM jobs`)
	storagetest.Agrees(t, s.store)
}

func TestAReceivableAccountOfSalesIsTheirSum(t *testing.T) {
	t.Parallel()
	s, _, path := newReceivables(t, true)
	shown := s.call(t, "GET", path).want(t, 200).body
	for _, want := range []string{`"amount":"196.0"`, `"due_date":"2026-03-31"`, `"sale_account_id":1`,
		`"sale_ids":[1,2]`, `"sales_count":2`, `"description":"Maquininha 31/03/2026"`} {
		if !strings.Contains(shown, want) {
			t.Errorf("it lacks %s: %s", want, shown)
		}
	}
	if strings.Contains(shown, `"rel":"destroy"`) {
		t.Errorf("it offers to be deleted: %s", shown)
	}
	for _, refused := range []struct{ method, path, body string }{
		{"PUT", path, `{"receivable_account":{"amount":1}}`},
		{"PUT", path, `{"receivable_account":{"due_date":"2026-04-01"}}`},
		{"PUT", path + "/receive", `{"receivable_account":{"occurred_at":"2026-04-01","total_amount":196,"amount":1}}`},
		{"DELETE", path, ``},
		{"DELETE", "/entities/1/receivable_accounts?selected_ids=1", ``},
	} {
		a := s.call(t, refused.method, refused.path, document(refused.body)).want(t, 422)
		if !strings.HasPrefix(a.body, `{"base":["`) || !strings.Contains(a.body, "vendas") {
			t.Errorf("%s %s: %s", refused.method, refused.path, a.body)
		}
	}
	s.call(t, "DELETE", path+"/recurrence").want(t, 422)
	s.call(t, "PUT", path,
		document(`{"receivable_account":{"description":"Março","amount":196,"due_date":"2026-03-31"}}`)).want(t, 200)
	s.verified(t)
}

func TestSalesGoWithTheReceptionOfTheirAccountAndBack(t *testing.T) {
	t.Parallel()
	s, _, path := newReceivables(t, true)
	is := func(want string) {
		t.Helper()
		if got := s.statuses(t); got != want {
			t.Errorf("sales are %s, want %s", got, want)
		}
		s.verified(t)
	}
	is("1, 1")
	s.call(t, "PUT", path+"/receive", document(`{"receivable_account":{"occurred_at":"2026-04-02",`+
		`"total_amount":"195.99"}}`)).want(t, 200)
	is("2 2026-04-02 -0.01, 2 2026-04-02 0.00")
	s.call(t, "PUT", "/entities/1/sales/1", document(`{"sale":{"nominal_amount":1}}`)).want(t, 422)
	s.call(t, "DELETE", "/entities/1/sales/1").want(t, 422)
	s.call(t, "PUT", "/entities/1/sales/1", document(`{"sale":{"description":"Bolo"}}`)).want(t, 200)

	account := s.newDepositAccount(t)
	s.newTransaction(t, account, "Credit", "195.99", "2026-04-02")
	s.call(t, "POST", "/entities/1/reconciles", document(`{"selected_financial_account_ids":[1],`+
		`"selected_financial_transaction_ids":[1]}`)).want(t, 200)
	is("3 2026-04-02 -0.01, 3 2026-04-02 0.00")
	s.call(t, "DELETE", "/entities/1/reconciles/1").want(t, 200)
	is("2 2026-04-02 -0.01, 2 2026-04-02 0.00")
	s.call(t, "PUT", path+"/undo_receivement").want(t, 200)
	is("1, 1")
	s.call(t, "PUT", path, document(`{"receivable_account":{"occurred_at":"2026-04-03"}}`)).want(t, 200)
	is("2 2026-04-03, 2 2026-04-03")
}

// More than 500 sales follow their account by a job. A change or a deletion before it is refused as after it.
func TestASaleOfAReceivedAccountIsLiquidatedBeforeItsJob(t *testing.T) {
	t.Parallel()
	s, path, receive := newLargeReceivable(t)
	receive()
	equal(t, s.call(t, "GET", "/entities/1/sales/1").at(t, "sale.status"), "1")
	s.putSale(t, "/entities/1/sales/1", `"nominal_amount":999`).want(t, 422)
	s.putSale(t, "/entities/1/sales/1", `"document_emission_date":"2026-03-02"`).want(t, 422)
	s.call(t, "DELETE", "/entities/1/sales/1").want(t, 422)
	s.putSale(t, "/entities/1/sales/1", `"description":"Bolo"`).want(t, 200)
	s.call(t, "PUT", path+"/undo_receivement").want(t, 200)
	s.putSale(t, "/entities/1/sales/1", `"nominal_amount":999`).want(t, 200)
}

// An account that is received again before the job of its reopening leaves one open account of its day, not two.
func TestAnAccountIsReceivedAgainBeforeItsJob(t *testing.T) {
	t.Parallel()
	s, path, receive := newLargeReceivable(t)
	oneMore := func() {
		s.settle(t, 1)
		s.exec(t, `INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at,
			competency_month, nominal_amount, total_amount)
			SELECT account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month, 100, 100
				FROM sales WHERE id = 1`)
		s.price(t, 1)
	}
	receive()
	oneMore()
	s.call(t, "PUT", path+"/undo_receivement").want(t, 200)
	receive()
	oneMore()
	equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', status, sales_count), ', ' ORDER BY id)
		FROM financial_accounts`), "2 502, 1 2")
	s.verified(t)
}

// settle has the sales of a sale account follow their receivable accounts, as the worker does.
func (s *service) settle(t testing.TB, saleAccount int64) {
	t.Helper()
	for all := false; !all; {
		err := s.store.InTx(t.Context(), func(tx *storage.Tx) (err error) {
			all, err = pricing.Settle(t.Context(), tx, s.AccountID, saleAccount, 1000)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestADiscountIsNoMoreThanWhatTheSalesBring(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newSaleAccount(t, `"consolidate":true`)
	s.newSaleRule(t, account, `"payment_method":"pix","fixed_fee_amount":100,"days_to_liquidation":30`)
	s.newSale(t, account, `"payment_method":"pix","nominal_amount":100,"occurred_at":"2026-03-01"`)
	s.price(t, 1)
	s.call(t, "PUT", "/entities/1/receivable_accounts/1",
		document(`{"receivable_account":{"occurred_at":"2026-03-31","discount_amount":1}}`)).
		wantBody(t, 422, `{"discount_amount":["não pode passar do valor com multa e juros"]}`)
	s.call(t, "PUT", "/entities/1/receivable_accounts/1",
		document(`{"receivable_account":{"occurred_at":"2026-03-31"}}`)).want(t, 200)
	s.verified(t)
}

// The account of one sale follows it to another day: also with its competency month, unless a user has set that.
func TestACompetencyMonthThatAUserSetStays(t *testing.T) {
	t.Parallel()
	s, _, path := newReceivables(t, false)
	s.call(t, "PUT", path, document(`{"receivable_account":{"competency_month":"2026-02"}}`)).want(t, 200)
	for _, sale := range []string{"1", "2"} {
		s.call(t, "PUT", "/entities/1/sales/"+sale, document(`{"sale":{"confirmed_at":"2026-03-10"}}`)).want(t, 200)
	}
	s.price(t, 1)
	equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', due_date, competency_month), ', ' ORDER BY id)
		FROM financial_accounts`), "2026-04-09 2026-02-01, 2026-04-09 2026-04-01")
	s.verified(t)
}

func TestADeletedSaleLeavesItsReceivableAccount(t *testing.T) {
	t.Parallel()
	for _, consolidate := range []bool{true, false} {
		s, _, _ := newReceivables(t, consolidate)
		s.call(t, "DELETE", "/entities/1/sales/1").want(t, 204)
		s.verified(t)
		s.call(t, "DELETE", "/entities/1/sales/2").want(t, 204)
		s.verified(t)
		if list := s.call(t, "GET", "/entities/1/receivable_accounts").want(t, 200).body; list != "[]" {
			t.Errorf("left are %s", list)
		}
	}
}

func TestAPreviewAgreesWithApplyingTheRule(t *testing.T) {
	t.Parallel()
	s, account, _ := newReceivables(t, true)
	preview := func(want string, got answer) {
		t.Helper()
		if got.want(t, 200).body != want {
			t.Errorf("%s\nwant %s", got.body, want)
		}
	}
	preview(`{"sales_count":2,"changed_sales_count":0,"total_amount":"200.0","receivable_amount":"196.0",`+
		`"new_receivable_amount":"196.0","changed_days_count":0,"days":[]}`,
		s.call(t, "GET", account+"/rules/1/preview"))
	s.call(t, "PUT", account+"/rules/1", document(`{"sale_rule":{"fee_percentage":"10"}}`)).want(t, 200)
	s.price(t, 1)
	want := `{"sales_count":2,"changed_sales_count":2,"total_amount":"200.0","receivable_amount":"196.0",` +
		`"new_receivable_amount":"180.0","changed_days_count":1,` +
		`"days":[{"estimated_liquidated_at":"2026-03-31","receivable_amount":"196.0","new_receivable_amount":"180.0"}]}`
	preview(want, s.call(t, "GET", account+"/rules/1/preview"))
	preview(want, s.call(t, "POST", account+"/rules/preview", document(`{"sale_rule":{"payment_method":"pix",`+
		`"fee_percentage":"10","days_to_liquidation":30}}`)))
	if got := s.statuses(t); got != "1, 1" {
		t.Errorf("afterwards the sales are %s", got)
	}
	s.call(t, "PUT", account+"/rules/1", document(`{"sale_rule":{"apply_rules":1}}`)).want(t, 200)
	s.price(t, 1)
	if shown := s.call(t, "GET", "/entities/1/receivable_accounts/1").want(t, 200).body; !strings.Contains(shown,
		`"amount":"180.0"`) {
		t.Errorf("applied it came to %s", shown)
	}
}

// A receivable account waits for the new price of a sale: received before, it would keep the old one for ever. The sale
// may have left for another sale account.
func TestAReceivableAccountWaitsForThePriceOfASale(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, change, total, want string
	}{
		{"another amount", `{"sale":{"nominal_amount":50}}`, "147", "49.00 2"},
		{"another sale account", `{"sale":{"sale_account_id":2}}`, "98", "99.00 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, _, path := newReceivables(t, true)
			other := s.newSaleAccount(t, `"name":"Outra"`)
			s.newSaleRule(t, other, `"payment_method":"pix","fee_percentage":1,"days_to_liquidation":30`)
			s.call(t, "PUT", "/entities/1/sales/1", document(c.change)).want(t, 200)
			receive := document(`{"receivable_account":{"occurred_at":"2026-04-02","total_amount":` + c.total + `}}`)
			equal(t, s.refusal(t, "PUT", path+"/receive", receive).Errors[0].Code, "receivable_awaits_pricing")
			equal(t, s.refusal(t, "POST", paths.Reconciles(s.EntityID), document(fmt.Sprintf(
				`{"settle_open":true,"selected_financial_account_ids":[1],"selected_financial_transaction_ids":[%d]}`,
				s.moved(t, s.newDepositAccount(t), "Credit", c.total)))).Errors[0].Code, "receivable_awaits_pricing")
			s.price(t, 1)
			s.price(t, 2)
			s.call(t, "PUT", path+"/receive", receive).want(t, 200)
			s.price(t, 1)
			equal(t, query[string](t, s, `SELECT concat_ws(' ', receivable_amount, status) FROM sales WHERE id = 1`),
				c.want)
			s.verified(t)
		})
	}
}

// Of the receipt of an account and a change of one of its sales at once, the second sees the first.
func TestAnAccountIsReceivedWhileItsSaleChanges(t *testing.T) {
	t.Parallel()
	s, _, path := newReceivables(t, true)
	s.meanwhile(t, `SELECT FROM financial_accounts FOR SHARE`, `UPDATE sales SET awaiting_pricing = true WHERE id = 1`,
		func(ctx context.Context) (answer, error) {
			return s.send(ctx, "PUT", path+"/receive",
				document(`{"receivable_account":{"occurred_at":"2026-04-02","total_amount":196}}`))
		}).wantBody(t, 422, `{"base":["Uma venda da conta está recebendo o novo preço."]}`)
	s.meanwhile(t, `SELECT FROM financial_accounts FOR NO KEY UPDATE`, `UPDATE financial_accounts SET status = 2,
		occurred_at = '2026-04-02', total_amount = 196 WHERE id = 1`, func(ctx context.Context) (answer, error) {
		return s.send(ctx, "PUT", "/entities/1/sales/1", document(`{"sale":{"nominal_amount":50}}`))
	}).want(t, 422)
}

// An account that was received before its sale had its new price can be reconciled: nothing prices the sale until the
// account is open again.
func TestAnAccountThatWasReceivedBeforeThePriceIsReconciled(t *testing.T) {
	t.Parallel()
	s, _, path := newReceivables(t, true)
	s.call(t, "PUT", path+"/receive",
		document(`{"receivable_account":{"occurred_at":"2026-04-02","total_amount":196}}`)).want(t, 200)
	s.exec(t, `UPDATE sales SET awaiting_pricing = true WHERE id = 1`)
	s.call(t, "POST", paths.Reconciles(s.EntityID), document(fmt.Sprintf(
		`{"selected_financial_account_ids":[1],"selected_financial_transaction_ids":[%d]}`,
		s.moved(t, s.newDepositAccount(t), "Credit", "196")))).want(t, 200)
}

// A batch that updates sales locks their accounts in one order, as pricing does, whatever the order of its items.
func TestABatchOfSalesHoldsTheirAccountsInOrder(t *testing.T) {
	t.Parallel()
	s, _, _ := newReceivables(t, false)
	s.exec(t, `UPDATE sales SET external_id = 'V' || id`)
	a := s.meanwhile(t, `SELECT FROM financial_accounts WHERE id = 1 FOR NO KEY UPDATE`,
		`SELECT FROM financial_accounts WHERE id = 2 FOR NO KEY UPDATE NOWAIT`,
		func(ctx context.Context) (answer, error) {
			return s.send(ctx, "POST", "/entities/1/sales/batch", document(`{"on_conflict":"update","items":[
				{"sale":{"external_id":"V2","nominal_amount":50}},{"sale":{"external_id":"V1","nominal_amount":50}}]}`))
		})
	equal(t, batchOutcome(t, a.want(t, 200)), "200 2, 200 1; 2 0")
}
