package api_test

import (
	"fmt"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/storage/storagetest"
)

func TestOneRuleIsForEachMethodAndIssuer(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account, other := s.newSaleAccount(t, `"description":""`), s.newSaleAccount(t, `"description":""`)
	const taken = `{"payment_method":["já tem uma regra na conta de recebimento (com o mesmo emissor, se há emissor)"]}`
	post := func(fields string, below string) answer {
		t.Helper()
		return s.call(t, "POST", below+"/rules", document(`{"sale_rule":{"fixed_fee_amount":1,`+fields+`}}`))
	}
	pix := s.newSaleRule(t, account, `"payment_method":"pix","fixed_fee_amount":1`)
	post(`"payment_method":"pix"`, account).wantBody(t, 422, taken)
	post(`"payment_method":"pix","issuer":"Visa"`, account).wantBody(t, 422, taken) // pix has no issuer
	post(`"payment_method":"credit","issuer":"visa"`, account).want(t, 201)
	post(`"payment_method":"credit","issuer":"VISA"`, account).wantBody(t, 422, taken)
	post(`"payment_method":"debit","issuer":"VISA"`, account).want(t, 201)
	post(`"payment_method":"pix"`, other).want(t, 201)
	s.call(t, "PUT", pix, document(`{"sale_rule":{"payment_method":"debit","issuer":"Visa"}}`)).wantBody(t, 422, taken)
	s.call(t, "PUT", pix, document(`{"sale_rule":{"fixed_fee_amount":2}}`)).wantBody(t, 200, "")

	t.Run("also of many that come at once", func(t *testing.T) {
		var all sync.WaitGroup
		statuses := make([]int, 8)
		for i := range statuses {
			all.Go(func() {
				a, err := s.send(t.Context(), "POST", account+"/rules",
					document(`{"sale_rule":{"payment_method":"cash","fixed_fee_amount":1}}`))
				if err != nil || a.status != 201 && a.body != taken {
					t.Errorf("%d %s, %v", a.status, a.body, err)
				}
				statuses[i] = a.status
			})
		}
		all.Wait()
		made := 0
		for _, status := range statuses {
			if status == 201 {
				made++
			}
		}
		equal(t, made, 1)
		equal(t, query[int](t, s, `SELECT count(*) FROM sale_rules WHERE payment_method = 'cash'`), 1)
	})
}

func TestARuleIsForAMethodThatIsEnabled(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newSaleAccount(t, `"payment_methods":"pix,cash"`)
	rule, sale := s.newSaleRule(t, account, `"payment_method":"pix","fixed_fee_amount":1`), s.newSale(t, account, sold)
	const disabled = `{"payment_method":["não está habilitado na conta de recebimento"]}`
	s.call(t, "POST", account+"/rules", document(`{"sale_rule":{"payment_method":"billet","fixed_fee_amount":1}}`)).
		wantBody(t, 422, disabled)
	s.call(t, "PUT", rule, document(`{"sale_rule":{"payment_method":"billet"}}`)).wantBody(t, 422, disabled)

	t.Run("what has a method that is no more stays, and can change", func(t *testing.T) {
		s.call(t, "PUT", account, document(`{"sale_account":{"payment_methods":"cash"}}`)).want(t, 200)
		s.call(t, "PUT", rule, document(`{"sale_rule":{"fixed_fee_amount":2,"apply_rules":1}}`)).want(t, 200)
		s.putSale(t, sale, `"nominal_amount":20`).want(t, 200)
		s.price(t, lastID(account))
		equal(t, s.call(t, "GET", sale).at(t, "sale.receivable_amount"), "18.0")
	})
	t.Run("but later ones are refused", func(t *testing.T) {
		s.call(t, "POST", "/entities/1/sales", document(`{"sale":{"sale_account_id":1,`+sold+`}}`)).wantBody(t, 422,
			disabled)
	})
}

func TestAFeeThatCannotBeReadIsNotMissing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newSaleAccount(t, `"description":""`)
	for fields, want := range map[string]string{
		`"fee_percentage":"dois"`:    `{"fee_percentage":["não é um número: use ponto decimal, como 1234.56"]}`,
		`"fixed_fee_amount":"1,2,3"`: `{"fixed_fee_amount":["não é um número: use ponto decimal, como 1234.56"]}`,
		`"weekdays":"9"`: `{"weekdays":["deve ter dígitos de 0 (domingo) a 6 (sábado) separados por vírgulas"],` +
			`"base":["Precisa ter pelo menos taxa percentual ou taxa fixa"]}`,
		`"fee_percentage":null`: `{"base":["Precisa ter pelo menos taxa percentual ou taxa fixa"]}`,
	} {
		s.call(t, "POST", account+"/rules", document(`{"sale_rule":{"payment_method":"pix",`+fields+`}}`)).wantBody(t,
			422, want)
	}
}

func TestEachRequestSpecifiesWhetherARuleIsApplied(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newSaleAccount(t, `"description":""`)
	sale := s.newSale(t, account, sold)
	// always on creation
	rule := s.newSaleRule(t, account, `"payment_method":"pix","fixed_fee_amount":1,"apply_rules":0`)
	for _, c := range []struct{ fields, applies, receivable string }{
		{"", "1", "99.0"},
		{`"fixed_fee_amount":2`, "0", "99.0"},
		{`"fixed_fee_amount":3,"apply_rules":1`, "1", "97.0"},
		{`"fixed_fee_amount":4,"apply_rules":0`, "0", "97.0"},
	} {
		if c.fields != "" {
			s.call(t, "PUT", rule, document(`{"sale_rule":{`+c.fields+`}}`)).wantBody(t, 200, "")
		}
		s.price(t, lastID(account))
		equal(t, s.call(t, "GET", rule).at(t, "sale_rule.apply_rules")+" "+s.call(t, "GET", sale).at(t,
			"sale.receivable_amount"), c.applies+" "+c.receivable)
	}
	s.call(t, "DELETE", rule).wantBody(t, 204, "")
	s.price(t, lastID(account))
	equal(t, s.call(t, "GET", sale).at(t, "sale.receivable_amount"), "97.0")
	s.call(t, "GET", rule).want(t, 404)
}

func TestASaleAccountStaysInItsEntity(t *testing.T) {
	t.Parallel()
	s := newService(t)
	second := s.anotherEntity(t).ID
	account := s.newSaleAccount(t, `"description":""`)
	deposit := s.newDepositAccount(t)
	center := lastID(s.newCenter(t, s.EntityID, "Loja"))
	for fields, want := range map[string]string{
		fmt.Sprintf(`"entity_id":%d`, second): `{"entity":["não pode ser alterada"]}`,
		`"entity_id":null`:                    `{"entity":["não pode ser vazio"]}`,
		`"expected_deposit_account_id":999`:   `{"expected_deposit_account":["não existe"]}`,
		`"category_id":999,"person_id":999`:   `{"category":["não existe"],"person":["não existe"]}`,
		`"classification_center_id":999`:      `{"classification_center":["não existe"]}`,
		`"payment_methods":""`:                `{"payment_methods":["não pode ser vazio"]}`,
		`"payment_methods":"credit,fiado"`:    `{"payment_methods":["não está incluso na lista"]}`,
		`"custom_classifications":[{"name":""}]`: `{"custom_classifications.custom_classifier":["não pode ser ` +
			`vazio"],"custom_classifications.name":["não pode ser vazio"]}`,
	} {
		s.call(t, "PUT", account, document(`{"sale_account":{`+fields+`}}`)).wantBody(t, 422, want)
	}
	for fields, want := range map[string]string{
		`"entity_id":999`: `{"entity":["não existe"]}`,
		fmt.Sprintf(`"entity_id":%d,"expected_deposit_account_id":%d`, second,
			lastID(deposit)): `{"expected_deposit_account":["não existe"]}`,
		fmt.Sprintf(`"entity_id":%d,"classification_center_id":%d`, second,
			center): `{"classification_center":["não existe"]}`,
	} {
		s.call(t, "POST", "/sale_accounts", document(`{"sale_account":{"name":"a","provider":"stone",`+
			`"payment_methods":"pix",`+fields+`}}`)).wantBody(t, 422, want)
	}
	t.Run("and only those who see that see it", func(t *testing.T) {
		outsider := s.member(t, finance.Access{EntityIDs: []int64{second}})
		s.call(t, "GET", "/sale_accounts", as(outsider)).wantBody(t, 200, "[]")
		s.call(t, "POST", "/sale_accounts", as(outsider),
			document(`{"sale_account":{"entity_id":1,"name":"a","provider":"stone","payment_methods":"pix"}}`)).
			wantBody(t, 422, `{"entity":["não existe"]}`)
		equal(t, s.call(t, "GET", "/sale_accounts").all(t, "sale_account.id"), []string{"1"})
		equal(t, s.call(t, "GET", "/sale_accounts?search[entity_id_equals]=2").body, "[]")
	})
	t.Run("its sales are gathered anew when it consolidates", func(t *testing.T) {
		s.newSaleRule(t, account, `"payment_method":"pix","fixed_fee_amount":1`)
		s.newSale(t, account, sold)
		s.newSale(t, account, sold)
		s.price(t, 1)
		equal(t, query[int](t, s, `SELECT count(*) FROM financial_accounts`), 2)
		s.call(t, "PUT", account, document(`{"sale_account":{"consolidate":true}}`)).want(t, 200)
		s.price(t, 1)
		equal(t, query[int](t, s, `SELECT count(*) FROM financial_accounts`), 1)
	})
}

// TestWritesOfSalesNotifyTheirWebhooks covers sale accounts, rules and sales, as
// TestEveryWriteNotifiesItsWebhooks covers other records.
func TestWritesOfSalesNotifyTheirWebhooks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newWebhook(t, s.AccountID, s.EntityID, "active")
	s.newWebhook(t, s.AccountID, s.anotherEntity(t).ID, "active")
	foreign := storagetest.NewTenant(t, s.store)
	s.newWebhook(t, foreign.AccountID, foreign.EntityID, "active")
	told := func(want string) {
		t.Helper()
		equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', webhook_id, family || '.' || action, record_id,
			entity_id, coalesce(parent_id::text, '-')), ', ') FROM deliveries`), want)
		s.exec(t, `DELETE FROM deliveries`)
	}
	account := s.newSaleAccount(t, `"description":""`)
	told("1 sale_accounts.created 1 1 -")
	s.call(t, "PUT", account, document(`{"sale_account":{"name":"b"}}`)).want(t, 200)
	told("1 sale_accounts.updated 1 1 -")
	rule := s.newSaleRule(t, account, `"payment_method":"pix","fixed_fee_amount":1`)
	told("1 sale_rules.created 1 1 1")
	s.call(t, "PUT", rule, document(`{"sale_rule":{"fixed_fee_amount":2}}`)).want(t, 200)
	told("1 sale_rules.updated 1 1 1")
	s.call(t, "DELETE", rule).want(t, 204)
	told("1 sale_rules.destroyed 1 1 1")
	sale := s.newSale(t, account, sold)
	told("1 sales.created 1 1 -")
	s.putSale(t, sale, `"description":"b"`).want(t, 200)
	told("1 sales.updated 1 1 -")
	s.call(t, "DELETE", sale).want(t, 204)
	told("1 sales.destroyed 1 1 -")
	s.call(t, "POST", account+"/rules", document(`{"sale_rule":{}}`)).want(t, 422)
	s.call(t, "DELETE", sale).want(t, 404)
	equal(t, query[int](t, s, `SELECT count(*) FROM deliveries`), 0)
}
