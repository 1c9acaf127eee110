package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/storage/storagetest"
)

const payables, receivables = "/entities/1/payable_accounts", "/entities/1/receivable_accounts"

// reconcile marks payable accounts as reconciled, each with a transaction of its own.
func (s *service) reconcile(t testing.TB, paths ...string) {
	t.Helper()
	account := s.newDepositAccount(t)
	for _, path := range paths {
		with := lastID(s.newTransaction(t, account, finance.Debit, "1", "2026-01-02"))
		id := query[int64](t, s, `INSERT INTO reconciles (account_id, entity_id, kind) VALUES ($1, $2, 'payable')
			RETURNING id`, s.AccountID, s.EntityID)
		s.exec(t, `UPDATE financial_transactions SET reconcile_id = $1 WHERE id = $2`, id, with)
		s.exec(t, `UPDATE financial_accounts SET status = 3, occurred_at = due_date, total_amount = amount,
			reconcile_id = $1 WHERE id = $2`, id, lastID(path))
	}
}

func TestAnAccountIsCreatedOutstandingOrSettled(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for kind, names := range map[finance.AccountKind][2]string{finance.Payable: {"unpaid", "paid"},
		finance.Receivable: {"unreceived", "received"}} {
		for _, c := range []struct{ fields, want string }{
			{``, "1 " + names[0] + " <nil> <nil> 2026-03"},
			{`,"total_amount":5`, "1 " + names[0] + " <nil> <nil> 2026-03"},
			{`,"competency_month":"2026-01"`, "1 " + names[0] + " <nil> <nil> 2026-01"},
			{`,"occurred_at":"2026-03-05"`, "2 " + names[1] + " 2026-03-05 199.0 2026-03"},
			{`,"occurred_at":"2026-03-05","interest_amount":"1.5","discount_amount":"0.25E1"`,
				"2 " + names[1] + " 2026-03-05 198.0 2026-03"},
			{`,"occurred_at":"2026-03-05","total_amount":"200"`, "2 " + names[1] + " 2026-03-05 200.0 2026-03"},
		} {
			path := s.newAccount(t, kind, `"due_date":"2026-03-04","amount":"0.199E3"`+c.fields)
			a := s.call(t, "GET", path).want(t, 200)
			var got []string
			for _, name := range []string{"status", "status_name", "occurred_at", "total_amount", "competency_month"} {
				got = append(got, a.at(t, string(kind)+"_account."+name))
			}
			equal(t, strings.Join(got, " "), c.want)
		}
	}
	t.Run("by its root alone", func(t *testing.T) {
		s.call(t, "POST", payables, document(`{"receivable_account":{"due_date":"2026-03-04","amount":1}}`)).
			wantBody(t, 422, `{"error":"Sua solicitação não é válida. Por favor, verifique os dados enviados."}`)
	})
}

func TestAnAccountIsSettledAndReopened(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, k := range []struct {
		kind         finance.AccountKind
		settle, undo string
	}{{finance.Payable, "/pay", "/undo_payment"}, {finance.Receivable, "/receive", "/undo_receivement"}} {
		root := string(k.kind) + "_account"
		path := s.newAccount(t, k.kind, `"due_date":"2026-03-04","amount":100`)
		settle := func(fields string) answer {
			return s.call(t, "PUT", path+k.settle, document(fmt.Sprintf(`{%q:{%s}}`, root, fields)))
		}
		settle(`"total_amount":null,"occurred_at":"2026-03-05"`).wantBody(t, 422,
			`{"total_amount":["não pode ser vazio"]}`)
		settle(`"total_amount":-1`).wantBody(t, 422, `{"occurred_at":["não pode ser vazio"],"total_amount":["não `+
			`pode ser negativo"]}`)
		s.call(t, "PUT", path+k.settle, document(`{}`)).wantBody(t, 422,
			`{"error":"Sua solicitação não é válida. Por favor, verifique os dados enviados."}`)
		s.call(t, "PUT", path+k.undo).wantBody(t, 422, `{"base":["A conta não está paga nem recebida."]}`)

		a := settle(
			`"total_amount":"101.50","occurred_at":"2026-03-05","interest_amount":"1.5","description":"ignored"`).want(
			t, 200)
		equal(t, a.at(t, root+".status")+" "+a.at(t, root+".total_amount")+" "+a.at(t, root+".interest_amount")+" "+
			a.at(t, root+".description"), "2 101.5 1.5 <nil>")
		settle(`"total_amount":"1","occurred_at":"2026-03-06"`).wantBody(t, 422,
			`{"base":["A conta já está paga ou recebida."]}`)

		for i, undo := range []option{document(""), document(fmt.Sprintf(`{%q:{}}`, root)),
			document(fmt.Sprintf(`{%q:{"amount":5}}`, root))} {
			if i > 0 {
				settle(`"total_amount":"1","occurred_at":"2026-03-06"`).want(t, 200)
			}
			a := s.call(t, "PUT", path+k.undo, undo).want(t, 200)
			equal(t, a.at(t, root+".status")+a.at(t, root+".occurred_at")+a.at(t, root+".total_amount")+a.at(t,
				root+".amount"), "1<nil><nil>100.0")
		}
		t.Run("also by a plain change", func(t *testing.T) {
			a := s.call(t, "PUT", path, document(fmt.Sprintf(`{%q:{"occurred_at":"2026-03-07"}}`, root))).want(t, 200)
			equal(t, a.at(t, root+".status")+" "+a.at(t, root+".total_amount"), "2 101.5")
			a = s.call(t, "PUT", path, document(fmt.Sprintf(`{%q:{"occurred_at":null}}`, root))).want(t, 200)
			equal(t, a.at(t, root+".status")+a.at(t, root+".total_amount"), "1<nil>")
		})
	}
}

func TestAKindDoesNotKnowTheOther(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":1`)
	other := fmt.Sprintf("%s/%d", receivables, lastID(path))
	const missing = `{"error":"Não foi possível localizar a Conta a receber solicitada."}`
	for _, verb := range []string{"GET", "PUT", "DELETE"} {
		s.call(t, verb, other, document(`{"receivable_account":{}}`)).wantBody(t, 404, missing)
	}
	s.call(t, "PUT", other+"/receive", document(`{"receivable_account":{}}`)).wantBody(t, 404, missing)
	s.call(t, "PUT", other+"/undo_receivement").wantBody(t, 404, missing)
	s.call(t, "DELETE", other+"/recurrence").wantBody(t, 404, missing)
	s.call(t, "DELETE", fmt.Sprintf("%s?selected_ids=%d", receivables, lastID(path))).
		wantBody(t, 422, fmt.Sprintf(`{"selected_ids":["não existe: %d"]}`, lastID(path)))
	s.call(t, "GET", receivables).wantBody(t, 200, "[]")
	s.call(t, "GET", payables+"/conta").wantBody(t, 404, `{"error":"Não foi possível localizar a Conta a pagar `+
		`solicitada."}`)
	s.call(t, "GET", path).want(t, 200)
}

func TestAccountsAreListedByStatusAndDueDate(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, fields := range []string{`"due_date":"2026-03-01","occurred_at":"2026-01-01"`, `"due_date":"2026-03-02"`,
		`"due_date":"2026-03-01"`, `"due_date":"2026-03-02"`} {
		s.newAccount(t, finance.Payable, fields+`,"amount":1`)
	}
	equal(t, s.call(t, "GET", payables).all(t, "payable_account.id"), []string{"3", "2", "4", "1"})
	s.newAccount(t, finance.Payable, `"due_date":"2027-03-01","amount":1,"create_as_recurrent":"monthly"`)
	first := s.call(t, "GET", payables)
	equal(t, len(first.all(t, "payable_account.id")), 50)
	if want := `page=3&per_page=50>; rel="last"`; !strings.Contains(first.header.Get("Links"), want) {
		t.Errorf("Links %s without %s", first.header.Get("Links"), want)
	}
}

func TestAccountsAreFoundByTheirFilters(t *testing.T) {
	t.Parallel()
	s := newService(t)
	person, category := lastID(s.newPerson(t, `{"name":"Moinho"}`)), lastID(s.newCategory(t, `{"name":"Trigo"}`))
	center := lastID(s.newCenter(t, s.EntityID, "Loja"))
	s.newAccount(t, finance.Payable, fmt.Sprintf(`"due_date":"2026-03-01","amount":"10.50","description":"Pão de `+
		`Açúcar","document":"NF 1","person_id":%d`, person))
	s.newAccount(t, finance.Payable, fmt.Sprintf(`"due_date":"2026-03-02","amount":20,"description":"100%% açucar",`+
		`"category_id":%d,"occurred_at":"2026-03-05"`, category))
	s.newAccount(t, finance.Payable, fmt.Sprintf(`"due_date":"2026-03-03","amount":30,"classification_center_id":%d,`+
		`"occurred_at":"2026-03-06"`, center))
	s.exec(t, `UPDATE financial_accounts SET updated_at = '2020-01-01' WHERE id = 1`)
	for filters, ids := range map[string]string{
		"status_equals=1": "1", "status_equals=2": "2,3", "status_equals=7": "",
		"due_date_gte=2026-03-02": "2,3", "due_date_lte=2026-03-02": "1,2",
		"due_date_gte=2026-03-02&due_date_lte=2026-03-02": "2",
		"occurred_at_gte=2026-03-06":                      "3", "occurred_at_lte=2026-03-05": "2",
		"amount_equals=10.5": "1", "amount_gte=0.2E2": "2,3", "amount_lte=20": "1,2",
		fmt.Sprintf("person_id_equals=%d", person): "1", "person_name_equals=Moinho": "1",
		"person_name_equals=moinho":                    "",
		fmt.Sprintf("category_id_equals=%d", category): "2", "category_full_name_equals=Trigo": "2",
		fmt.Sprintf("classification_center_id_equals=%d", center): "3", "classification_center_name_equals=Loja": "3",
		"description_contains=acucar": "1,2", "description_like=AÇÚ": "1,2", "description_like=0%": "2",
		"description_contains=_": "",
		"document_equals=NF 1":   "1", "document_equals=NF": "", "updated_at_gte=2020-01-02": "2,3",
	} {
		if got := strings.Join(s.call(t, "GET", payables+"?"+search(filters)).all(t, "payable_account.id"),
			","); got != ids {
			t.Errorf("%s: %s, want %s", filters, got, ids)
		}
	}
	s.call(t, "GET", payables+"?"+search("due_date_gte=ontem&amount_equals=1.005&statu=1")).
		wantBody(t, 422, `{"amount_equals":["deve ter no máximo 2 casas decimais"],"due_date_gte":["não é uma data `+
			`válida"],"statu":["não é um filtro conhecido: o mais parecido é status_equals"]}`)
}

func TestAnAccountRefersToWhatThereIs(t *testing.T) {
	t.Parallel()
	s := newService(t)
	elsewhere := *s
	elsewhere.EntityID = s.anotherEntity(t).ID
	center, beside := lastID(s.newCenter(t, s.EntityID, "Loja")), lastID(s.newCenter(t, elsewhere.EntityID, "Matriz"))
	bank, foreign := lastID(s.newDepositAccount(t)), lastID(elsewhere.newDepositAccount(t))
	category := s.newCategory(t, `{"name":"Trigo"}`)
	path := s.newAccount(t, finance.Payable, fmt.Sprintf(`"due_date":"2026-03-04","amount":1,`+
		`"classification_center_id":%d,"expected_deposit_account_id":%d,"category_full_name":"TRIGO"`, center, bank))
	for fields, want := range map[string]string{
		`"person_id":9`:               `{"person":["não existe"]}`,
		`"category_id":9999`:          `{"category":["não existe"]}`,
		`"category_full_name":"Soja"`: `{"category":["não existe"]}`,
		fmt.Sprintf(`"classification_center_id":%d`, beside):     `{"classification_center":["não existe"]}`,
		fmt.Sprintf(`"expected_deposit_account_id":%d`, foreign): `{"expected_deposit_account":["não existe"]}`,
	} {
		s.call(t, "PUT", path, document(`{"payable_account":{`+fields+`}}`)).wantBody(t, 422, want)
	}
	t.Run("and keeps what goes meanwhile, until it is cleared", func(t *testing.T) {
		s.call(t, "DELETE", category).want(t, 200)
		a := s.call(t, "PUT", path, document(`{"payable_account":{"remind":true}}`)).want(t, 200)
		equal(t, a.at(t, "payable_account.category_id"), fmt.Sprint(lastID(category)))
		a = s.call(t, "PUT", path, document(`{"payable_account":{"category_id":null,"classification_center_id":"",`+
			`"expected_deposit_account_id":null}}`)).want(t, 200)
		for _, name := range []string{"category_id", "classification_center_id", "expected_deposit_account_id"} {
			equal(t, a.at(t, "payable_account."+name), "<nil>")
		}
	})
}

func TestTaxesAreReplacedByThoseSent(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newAccount(t, finance.Receivable, `"due_date":"2026-03-04","amount":1,`+
		`"financial_account_taxes_attributes":[{"tax_id":9,"amount":2},{"tax_id":1},{"tax_id":9,"amount":1}],`+
		`"create_as_recurrent":"annual"`)
	taxes := func(a answer) string {
		text := a.body[strings.Index(a.body, `attributes":`)+len(`attributes":`):]
		return text[:strings.Index(text, "]")+1]
	}
	for _, id := range []int64{lastID(path), lastID(path) + 9} {
		equal(t, taxes(s.call(t, "GET", fmt.Sprintf("%s/%d", receivables, id))),
			`[{"tax_id":9,"amount":"2.0"},{"tax_id":1,"amount":"0.0"},{"tax_id":9,"amount":"1.0"}]`)
	}
	for _, c := range []struct{ sent, want string }{
		{`"remind":true`, `[{"tax_id":9,"amount":"2.0"},{"tax_id":1,"amount":"0.0"},{"tax_id":9,"amount":"1.0"}]`},
		{`"financial_account_taxes_attributes":[{"tax_id":13,"amount":"0.5"}]`, `[{"tax_id":13,"amount":"0.5"}]`},
		{`"financial_account_taxes_attributes":null`, `[]`},
	} {
		equal(t, taxes(s.call(t, "PUT", path, document(`{"receivable_account":{`+c.sent+`}}`)).want(t, 200)), c.want)
	}
}

func TestAReconciledAccountIsNotDeleted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":100`)
	s.reconcile(t, path)
	const refused = `{"base":["A conta está conciliada: desfaça a conciliação antes."]}`
	for _, fields := range []string{`"amount":101`, `"due_date":"2026-03-05"`, `"occurred_at":"2026-03-05"`,
		`"occurred_at":null`, `"total_amount":1`, `"total_amount":null`, `"discount_amount":1`} {
		s.call(t, "PUT", path, document(`{"payable_account":{`+fields+`}}`)).wantBody(t, 422, refused)
	}
	s.call(t, "PUT", path+"/pay", document(`{"payable_account":{"total_amount":1,"occurred_at":"2026-01-01"}}`)).
		wantBody(t, 422, refused)
	s.call(t, "PUT", path+"/undo_payment").wantBody(t, 422, refused)
	s.call(t, "DELETE", path).wantBody(t, 422, refused)
	s.call(t, "DELETE", fmt.Sprintf("%s?selected_ids=%d", payables, lastID(path))).
		wantBody(t, 422, fmt.Sprintf(`{"base":["Há contas conciliadas: %d. Desfaça a conciliação antes."]}`,
			lastID(path)))
	a := s.call(t, "PUT", path, document(`{"payable_account":{"amount":"100","occurred_at":"2026-03-04",`+
		`"description":"Trigo"}}`)).want(t, 200)
	equal(t, a.at(t, "payable_account.status_name")+" "+a.at(t, "payable_account.description"), "reconciled Trigo")
	if strings.Contains(a.body, `"rel":"pay"`) || strings.Contains(a.body, `"rel":"undo_payment"`) {
		t.Errorf("a reconciled account offers to be undone: %s", a.body)
	}
}

// Concurrent series and other inserts draw ids from one sequence. The ids of each series must
// be consecutive all the same.
func TestTheIDsOfASeriesFollowOneAnother(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var all sync.WaitGroup
	all.Go(func() {
		for range 1000 {
			if _, err := s.db.ExecContext(t.Context(), `SELECT nextval('financial_accounts_id_seq')`); err != nil {
				t.Error(err)
			}
		}
	})
	for range 6 {
		all.Go(func() {
			a, err := s.send(t.Context(), "POST", payables,
				document(`{"payable_account":{"due_date":"2026-03-04","amount":1,"create_as_parcelled":"monthly",`+
					`"number_of_parcels":480}}`))
			if err != nil || a.status != http.StatusCreated {
				t.Errorf("%v %d %s", err, a.status, a.body)
			}
		})
	}
	all.Wait()
	equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', last - first, n, parcels), ', ') FROM (
		SELECT min(id) AS first, max(id) AS last, count(*) AS n,
			bool_and(current_parcel = id - recurrence_id + 1) AS parcels
		FROM financial_accounts GROUP BY recurrence_id) x`), strings.TrimSuffix(strings.Repeat("479 480 t, ", 6), ", "))
}

func TestAccountsNotifyTheirWebhooksByKind(t *testing.T) {
	t.Parallel()
	s := newService(t)
	foreign := storagetest.NewTenant(t, s.store)
	s.newWebhook(t, s.AccountID, s.EntityID, "active")
	s.newWebhook(t, s.AccountID, s.anotherEntity(t).ID, "active")
	s.newWebhook(t, foreign.AccountID, foreign.EntityID, "active")
	told := func(want string) {
		t.Helper()
		equal(t, query[string](t, s, `SELECT coalesce(string_agg(e, ', ' ORDER BY e), '') FROM (
			SELECT concat_ws(' ', webhook_id, family || '.' || action, entity_id,
				string_agg(record_id::text, '+' ORDER BY record_id)) AS e
			FROM deliveries GROUP BY webhook_id, family, action, entity_id) x`), want)
		s.exec(t, `DELETE FROM deliveries`)
	}
	const three = `"due_date":"2026-03-04","amount":1,"create_as_parcelled":"monthly","number_of_parcels":3`
	path := s.newAccount(t, finance.Payable, three)
	told("1 payable_accounts.created 1 1+2+3")
	s.call(t, "PUT", path+"/pay", document(`{"payable_account":{"total_amount":1,"occurred_at":"2026-03-04"}}`)).want(t,
		200)
	told("1 payable_accounts.updated 1 1")
	s.call(t, "PUT", path+"/undo_payment").want(t, 200)
	told("1 payable_accounts.updated 1 1")
	s.call(t, "DELETE", path).wantBody(t, 200, "")
	told("1 payable_accounts.destroyed 1 1")
	s.call(t, "DELETE", payables+"/2/recurrence").wantBody(t, 200, "")
	told("1 payable_accounts.destroyed 1 2+3")
	s.newAccount(t, finance.Receivable, three)
	told("1 receivable_accounts.created 1 4+5+6")
	s.call(t, "DELETE", receivables+"?selected_ids=4,9").want(t, 422)
	told("")
	s.call(t, "DELETE", receivables+"?selected_ids=4,6").wantBody(t, 200, "")
	told("1 receivable_accounts.destroyed 1 4+6")
}

// A payable or receivable account is divided among values and centers as a sale is.
func TestAnAccountIsClassified(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.call(t, "POST", "/custom_classifiers", document(`{"custom_classifier":{"name":"Obra"}}`)).want(t, 201)
	s.call(t, "POST", "/custom_classifiers/1/values", document(`{"custom_classifier_value":{"value":"Norte"}}`)).want(t,
		201)
	s.newCenter(t, s.EntityID, "Um")
	s.newCenter(t, s.EntityID, "Dois")
	const centers = `"classification_center_classifications":[{"classification_center_id":1,"percentage":60},` +
		`{"classification_center_id":2,"amount":40}]`
	path := s.newAccount(t, finance.Payable,
		`"due_date":"2026-01-31","amount":100,"create_as_parcelled":"monthly","number_of_parcels":2,
		"custom_classifications":[{"custom_classifier_id":1,"name":"norte","percentage":100}],`+
			`"tax_charges":[{"tax_id":1,"amount":5}],`+centers)
	parts := func(path string) string {
		t.Helper()
		a := s.call(t, "GET", path).want(t, 200)
		return fmt.Sprint(a.at(t, "payable_account.custom_classifications.0.name"), " ",
			a.at(t, "payable_account.classification_center_classifications.0.percentage"), " ",
			a.at(t, "payable_account.classification_center_classifications.1.amount"), " ",
			a.at(t, "payable_account.financial_account_taxes_attributes.0.amount"))
	}
	equal(t, parts(path), "Norte 60.0 40.0 5.0")
	s.call(t, "GET", path).shows(t, map[string]string{
		"payable_account.tax_charges.0.id": "1", "payable_account.tax_charges.0.tax_id": "1",
		"payable_account.tax_charges.0.amount": "5.0",
	})
	equal(t, parts("/entities/1/payable_accounts/2"), "Norte 60.0 40.0 5.0")
	s.call(t, "PUT", path+"/pay", document(`{"payable_account":{"total_amount":100,"occurred_at":"2026-01-30"}}`)).want(
		t, 200)
	equal(t, parts(path), "Norte 60.0 40.0 5.0")
	s.call(t, "PUT", path, document(`{"payable_account":{"custom_classifications":[],`+
		`"classification_center_classifications":[{"classification_center_id":2,"percentage":100}]}}`)).want(t, 200)
	a := s.call(t, "GET", path).want(t, 200)
	equal(t, a.at(t, "payable_account.custom_classifications"), "[]")
	equal(t, a.at(t, "payable_account.classification_center_classifications.0.classification_center_id"), "2")
	equal(t, parts("/entities/1/payable_accounts/2"), "Norte 60.0 40.0 5.0")
	s.call(t, "PUT", path, document(`{"payable_account":{"custom_classifications":[{"custom_classifier_id":1,`+
		`"name":"Sul"}],"classification_center_classifications":[{"classification_center_id":3}]}}`)).
		wantBody(t, 422, `{"custom_classifications":["não existe: 1:Sul"],`+
			`"classification_center_classifications":["não existe: 3"]}`)
	s.call(t, "POST", "/entities/1/receivable_accounts",
		document(`{"receivable_account":{"due_date":"2026-01-31","amount":1,
		"classification_center_classifications":[{"classification_center_id":1,"percentage":60},`+
			`{"classification_center_id":2,"percentage":41}]}}`)).want(t, 422)
}
