package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
)

func TestATransactionIsSortedByOtherRecords(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	category := lastID(s.newCategory(t, `{"name":"Trigo"}`))
	other := lastID(s.newCategory(t, `{"name":"Açúcar"}`))
	person := lastID(s.newPerson(t, `{"name":"Ana"}`))
	center := lastID(s.newCenter(t, s.EntityID, "Loja"))
	path := s.newTransaction(t, account, "Debit", "1", "2026-01-02")
	sorted := func(a answer) string {
		t.Helper()
		var ids []string
		for _, name := range []string{"category_id", "person_id", "classification_center_id"} {
			ids = append(ids, a.at(t, "financial_transaction."+name))
		}
		return strings.NewReplacer(fmt.Sprint(category), "Trigo", fmt.Sprint(other), "Açúcar").Replace(
			strings.Join(ids, " "))
	}
	equal(t, sorted(s.call(t, "GET", path)), "<nil> <nil> <nil>")
	for _, c := range []struct{ name, fields, want string }{
		{"all at once", fmt.Sprintf(`"category_id":%d,"person_id":%d,"classification_center_id":%d`, category, person,
			center), "Trigo 1 1"},
		{"what is not sent stays", `"amount":2`, "Trigo 1 1"},
		{"a category by its name", `"category_full_name":"acucar"`, "Açúcar 1 1"},
		{"a name counts before an id", fmt.Sprintf(`"category_full_name":"TRIGO","category_id":%d`, other),
			"Trigo 1 1"},
		{"a name of null clears", `"category_full_name":null`, "<nil> 1 1"},
		{"null clears", `"category_id":null,"person_id":null,"classification_center_id":""`, "<nil> <nil> <nil>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.call(t, "PUT", path, document(`{"financial_transaction":{`+c.fields+`}}`)).want(t, 200)
			equal(t, sorted(a), c.want)
			equal(t, s.call(t, "GET", path).body, a.body)
		})
	}
	t.Run("and so is a new one", func(t *testing.T) {
		a := s.call(t, "POST", account+"/financial_transactions",
			document(fmt.Sprintf(`{"financial_transaction":{"type":"Debit","amount":1,
			"occurred_at":"2026-01-02","category_full_name":"Trigo","person_id":%d,"classification_center_id":%d}}`,
				person, center))).want(t, 201)
		equal(t, sorted(a), "Trigo 1 1")
	})
}

func TestATransactionRefersToNothingThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	category, person, center := s.newCategory(t, `{"name":"Trigo"}`), s.newPerson(t, `{"name":"Ana"}`),
		s.newCenter(t, s.EntityID, "Loja")
	elsewhere := lastID(s.newCenter(t, s.anotherEntity(t).ID, "Loja"))
	references := fmt.Sprintf(`"category_id":%d,"person_id":%d,"classification_center_id":%d`, lastID(category),
		lastID(person), lastID(center))
	path := s.newTransaction(t, account, "Debit", "1", "2026-01-02")
	put := func(fields string) answer {
		t.Helper()
		return s.call(t, "PUT", path, document(`{"financial_transaction":{`+fields+`}}`))
	}
	const none = `{"category":["não existe"],"person":["não existe"],"classification_center":["não existe"]}`
	put(`"category_id":9999,"person_id":9999,"classification_center_id":9999`).wantBody(t, 422, none)
	put(`"category_full_name":"Trigo / Farinha"`).wantBody(t, 422, `{"category":["não existe"]}`)
	put(fmt.Sprintf(`"classification_center_id":%d`, elsewhere)).wantBody(t, 422,
		`{"classification_center":["não existe"]}`)
	put(references).want(t, 200)
	for _, p := range []string{category, person, center} {
		s.call(t, "DELETE", p).want(t, 200)
	}
	t.Run("what is deleted stays where it was", func(t *testing.T) {
		a := put(`"amount":5,`+references).want(t, 200)
		equal(t, a.at(t, "financial_transaction.person_id"), fmt.Sprint(lastID(person)))
	})
	t.Run("and is not referred to anew", func(t *testing.T) {
		s.call(t, "POST", account+"/financial_transactions",
			document(`{"financial_transaction":{"type":"Debit","amount":1,"occurred_at":"2026-01-02",`+references+
				`}}`)).
			wantBody(t, 422, none)
		put(`"category_id":null,"person_id":null,"classification_center_id":null`).want(t, 200)
		put(references).wantBody(t, 422, none)
	})
}

func TestTransactionsAreSearched(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	category := lastID(s.newCategory(t, `{"name":"Trigo"}`))
	s.newPerson(t, `{"name":"Ana"}`)
	s.newCenter(t, s.EntityID, "Loja")
	s.exec(t, `INSERT INTO financial_transactions (account_id, deposit_account_id, occurred_at, amount, currency_id,
		document, original_description,
		user_description, category_id, person_id, classification_center_id)
		SELECT 1, 1, date(day), amount, 1, document, original, own, category, person, center
		FROM (VALUES ('2026-01-01', -10.50, 'NF 1', 'PIX JOÃO 100%', NULL, $1::bigint, NULL::bigint, NULL::bigint),
			('2026-01-02', 10.50, 'NF 10', NULL, 'Joao da padaria', NULL, 1, NULL),
			('2026-01-03', -3, NULL, 'TED', 'Farinha', NULL, NULL, 1)) AS v (day, amount, document, original, own,
				category, person, center)`, category)
	s.exec(t, `INSERT INTO reconciles (account_id, entity_id, kind) VALUES (1, 1, 'payable')`)
	s.exec(t, `UPDATE financial_transactions SET reconcile_id = 1 WHERE id = 3`)
	s.exec(t, `UPDATE deposit_accounts SET transactions_count = 3`)
	other := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.Name = "Outra" })
	s.newTransaction(t, other, "Debit", "10.5", "2026-01-01")
	for query, want := range map[string][]string{
		"occurred_at_gte=2026-01-02":                            {"3", "2"},
		"occurred_at_lte=2026-01-02T10:00:00":                   {"2", "1"},
		"occurred_at_gte=2026-01-02&occurred_at_lte=2026-01-02": {"2"},
		"type=Debit":                                    {"3", "1"},
		"type=Credit":                                   {"2"},
		"amount_equals=-10.5":                           {"1"},
		"amount_gte=-3":                                 {"3", "2"},
		"amount_lte=-3.00":                              {"3", "1"},
		"document_equals=NF 1":                          {"1"},
		"description_contains=joao":                     {"2", "1"},
		"description_contains=0%":                       {"1"},
		"category_id_equals=" + fmt.Sprint(category):    {"1"},
		"category_id_is_null=true":                      {"3", "2"},
		"person_id_equals=1":                            {"2"},
		"person_id_is_null=0":                           {"2"},
		"classification_center_id_equals=1":             {"3"},
		"classification_center_id_is_null=1&type=Debit": {"1"},
	} {
		a := s.call(t, "GET", account+"/financial_transactions?"+search(query))
		if got := a.all(t, "financial_transaction.id"); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	for query, message := range map[string]string{
		"occurred_at_gte=ontem": `{"occurred_at_gte":["não é uma data válida"]}`,
		"type=debit":            `{"type":["não está incluso na lista"]}`,
		"amount_gte=a":          `{"amount_gte":["não é um número: use ponto decimal, como 1234.56"]}`,
		"category_id_equals=a":  `{"category_id_equals":["não é um número inteiro"]}`,
	} {
		s.call(t, "GET", account+"/financial_transactions?"+search(query)).wantBody(t, 422, message)
	}
}
