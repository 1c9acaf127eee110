package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
)

// series returns the accounts of the service: id, due date, competency month, status,
// parcel.
func (s *service) series(t testing.TB) string {
	t.Helper()
	return query[string](t, s, `SELECT coalesce(string_agg(concat_ws(' ', id, due_date,
		to_char(competency_month, 'YYYY-MM'), status,
		current_parcel || '/' || number_of_parcels), ', ' ORDER BY id), '') FROM financial_accounts`)
}

func TestASeriesIsCreatedWhole(t *testing.T) {
	t.Parallel()
	t.Run("of parcels, the first paid", func(t *testing.T) {
		t.Parallel()
		s := newService(t)
		s.newAccount(t, finance.Payable, `"due_date":"2026-01-31","amount":10,"occurred_at":"2026-01-30",`+
			`"create_as_parcelled":"monthly","number_of_parcels":4`)
		equal(t, s.series(t), "1 2026-01-31 2026-01 2 1/4, 2 2026-02-28 2026-01 1 2/4, 3 2026-03-31 2026-01 1 3/4, 4 "+
			"2026-04-30 2026-01 1 4/4")
		a := s.call(t, "GET", payables+"/2").want(t, 200)
		for name, want := range map[string]string{"parcelled": "true", "recurrent": "false", "recurrence_id": "1",
			"recurrence_period": "monthly", "total_amount": "<nil>"} {
			equal(t, a.at(t, "payable_account."+name), want)
		}
	})
	for period, last := range map[string]string{"monthly": "120 2035-12-31 2035-12 1",
		"annual": "10 2035-01-31 2035-01 1"} {
		t.Run(period, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			path := s.newAccount(t, finance.Receivable, `"due_date":"2026-01-31","amount":10,"description":"Aluguel",`+
				`"number_of_parcels":3,"create_as_recurrent":"`+period+`"`)
			rows := strings.Split(s.series(t), ", ")
			equal(t, rows[0], "1 2026-01-31 2026-01 1")
			equal(t, rows[len(rows)-1], last)
			a := s.call(t, "GET", path).want(t, 200)
			for name, want := range map[string]string{"parcelled": "false", "recurrent": "true",
				"recurrence_period": period, "number_of_parcels": "<nil>"} {
				equal(t, a.at(t, "receivable_account."+name), want)
			}
			equal(t, query[string](t, s, `SELECT string_agg(DISTINCT concat(recurrence_id, description, amount), '')
				FROM financial_accounts`), "1Aluguel10.00")
		})
	}
	t.Run("on creation only", func(t *testing.T) {
		t.Parallel()
		s := newService(t)
		path := s.newAccount(t, finance.Payable, `"due_date":"2026-01-31","amount":10`)
		s.call(t, "PUT", path, document(`{"payable_account":{"create_as_recurrent":"monthly",`+
			`"create_as_parcelled":"x","number_of_parcels":"x"}}`)).want(t, 200)
		equal(t, s.series(t), "1 2026-01-31 2026-01 1")
	})
}

// links returns the rels of the links of an account, with the ids of its neighbours.
func (s *service) links(t testing.TB, path string) string {
	t.Helper()
	var names []string
	list := s.call(t, "GET", path).want(t, 200).value(
		t).(map[string]any)["payable_account"].(map[string]any)["links"].([]any)
	for _, l := range list {
		name, href := within(t, l, "rel"), within(t, l, "href")
		if name == "previous" || name == "next" {
			name = fmt.Sprint(name, " ", lastID(href))
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func TestAnAccountLinksToItsNeighbours(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newAccount(t, finance.Payable, `"due_date":"2026-01-31","amount":10,"create_as_parcelled":"monthly",`+
		`"number_of_parcels":4`)
	alone := s.newAccount(t, finance.Payable, `"due_date":"2026-01-31","amount":10,"occurred_at":"2026-01-31"`)
	equal(t, s.links(t, payables+"/1"), "self, destroy, pay, next 2, destroy_recurrence")
	equal(t, s.links(t, payables+"/2"), "self, destroy, pay, previous 1, next 3, destroy_recurrence")
	equal(t, s.links(t, payables+"/4"), "self, destroy, pay, previous 3, destroy_recurrence")
	equal(t, s.links(t, alone), "self, destroy, undo_payment")
	s.call(t, "DELETE", payables+"/2").want(t, 200)
	s.reconcile(t, payables+"/3")
	equal(t, s.links(t, payables+"/1"), "self, destroy, pay, next 3, destroy_recurrence")
	equal(t, s.links(t, payables+"/3"), "self, previous 1, next 4, destroy_recurrence")
}

func TestASeriesIsDeletedButForWhatIsReconciled(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const three = `"due_date":"2026-01-10","amount":10,"occurred_at":"2026-01-10","create_as_parcelled":"monthly",` +
		`"number_of_parcels":3`
	s.newAccount(t, finance.Payable, three)
	s.newAccount(t, finance.Payable, three)
	alone := s.newAccount(t, finance.Payable, `"due_date":"2026-01-10","amount":10`)
	s.reconcile(t, payables+"/2")
	s.call(t, "DELETE", payables+"/3/recurrence").wantBody(t, 200, "")
	const left = "2 2026-02-10 2026-01 3 2/3, 4 2026-01-10 2026-01 2 1/3, 5 2026-02-10 2026-01 1 2/3, 6 2026-03-10 " +
		"2026-01 1 3/3, 7 2026-01-10 2026-01 1"
	equal(t, s.series(t), left)
	s.call(t, "DELETE", payables+"/2/recurrence").wantBody(t, 200, "")
	s.call(t, "DELETE", alone+"/recurrence").wantBody(t, 422, `{"base":["A conta não faz parte de uma série."]}`)
	s.call(t, "DELETE", payables+"/3/recurrence").want(t, 404)
	equal(t, s.series(t), left)
}

func TestASelectionIsDeletedCompletelyOrNotAtAll(t *testing.T) {
	t.Parallel()
	s := newService(t)
	elsewhere := *s
	elsewhere.EntityID = s.anotherEntity(t).ID
	for range 2 {
		s.newAccount(t, finance.Payable, `"due_date":"2026-01-10","amount":10,"create_as_parcelled":"monthly",`+
			`"number_of_parcels":5,"financial_account_taxes_attributes":[{"tax_id":1,"amount":1}]`)
	}
	beside := lastID(elsewhere.newAccount(t, finance.Payable, `"due_date":"2026-01-10","amount":10`)) // 11
	s.reconcile(t, payables+"/3")
	many := make([]string, 1001)
	for i := range many {
		many[i] = fmt.Sprint(i + 1)
	}
	for query, want := range map[string]string{
		"":                `{"selected_ids":["não pode ser vazio"]}`,
		"?selected_ids=":  `{"selected_ids":["não pode ser vazio"]}`,
		"?selected_ids=a": `{"selected_ids":["não é um número inteiro"]}`,
		fmt.Sprintf("?selected_ids=1,%d,99", beside): `{"selected_ids":["não existe: 11, 99"]}`,
		"?selected_ids=3,1,99": `{"selected_ids":["não existe: 99"],"base":["Há contas ` +
			`conciliadas: 3. Desfaça a conciliação antes."]}`,
		"?selected_ids=" + strings.Join(many, ","): `{"selected_ids":["tem itens demais (máximo: 1000)"]}`,
	} {
		s.call(t, "DELETE", payables+query).wantBody(t, 422, want)
	}
	for _, sent := range []option{
		body("application/x-www-form-urlencoded", "selected_ids=1&selected_ids=2"),
		body("application/xml", "<hash><selected-ids>1</selected-ids><selected-ids>2</selected-ids></hash>"),
	} {
		s.call(t, "DELETE", payables, sent, with("Accept", "application/json")).wantBody(t, 422,
			`{"selected_ids":["foi enviado mais de uma vez: escreva selected_ids[]=a&selected_ids[]=b, `+
				`ou em JSON [\"a\", \"b\"]"]}`)
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM financial_accounts`), 11)
	for i, sent := range []struct {
		query string
		body  option
	}{
		{"?selected_ids=1,2,2", document("")},
		{"?selected_ids[]=4&selected_ids[]=5", document(`{"payable_account":{}}`)},
		{"", document(`{"selected_ids":[6,"7"]}`)},
		{".xml", document(`<hash><selected-ids type="array"><selected-id>8</selected-id><selected-id>9</selected-id>` +
			`</selected-ids></hash>`)},
	} {
		s.call(t, "DELETE", payables+sent.query, sent.body).wantBody(t, 200, "")
		equal(t, query[int](t, s, `SELECT count(*) FROM financial_accounts`), 9-2*i)
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM financial_account_taxes`), 2)
}

// One small request may not make half a million rows.
func TestASeriesIsRefusedForTooManyAttachments(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.exec(t, `INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name, attachment_content_type,
		attachment_file_size)
		SELECT 1, 1, n, 'a', 'a', 1 FROM generate_series(1, 11) n`)
	files := `"attachment_id_list":[1,2,3,4,5,6,7,8,9,10,11]`
	s.call(t, "POST", "/entities/1/payable_accounts",
		document(`{"payable_account":{"due_date":"2026-01-31","amount":10,"create_as_parcelled":"monthly",`+
			`"number_of_parcels":480,`+files+`}}`)).
		wantBody(t, 422, `{"attachment_id_list":["criaria 5280 registros de anexos (máximo: 5000)"]}`)
	s.newAccount(t, finance.Payable, `"due_date":"2026-01-31","amount":10,"create_as_parcelled":"monthly",`+
		`"number_of_parcels":400,`+files)
	equal(t, fmt.Sprint(query[int](t, s, `SELECT count(*) FROM financial_account_attachments`)), "4400")
}
