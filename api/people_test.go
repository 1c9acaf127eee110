package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/storage/storagetest"
)

func TestANewPersonHasDefaults(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a := s.call(t, "POST", "/people", document(`{"person":{"name":"Moinho","account_id":9,"use_count":9,"guid":"9",`+
		`"interested_users_ids":[9]}}`)).want(t, 201)
	equal(t, a.header.Get("Location"), publicURL+"/people/1")
	for field, want := range map[string]string{
		"account_id": "1", "customer": "true", "supplier": "true", "person_type": "<nil>",
		"federation_subscription_number":              "<nil>",
		"federation_subscription_number_only_numbers": "<nil>", "email": "<nil>", "force_destroy": "false",
		"use_count":            "0",
		"interested_users_ids": fmt.Sprintf("[%d]", s.UserID), "guid": "<nil>", "imported_from_sync": "false",
	} {
		if got := a.at(t, "person."+field); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
	equal(t, s.call(t, "GET", "/people/1").body, a.body)
	equal(t, s.call(t, "GET", "/people").body, "["+a.body+"]")
}

func TestAPersonIsChangedAndDeleted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newPerson(t, `{"name":"Moinho","federation_subscription_number":"12.abc.345/01de-35",`+
		`"type":"JuridicalPerson","supplier":false,"city":"Bagé"}`)
	equal(t, s.call(t, "GET", path).at(t, "person.federation_subscription_number_only_numbers"), "12ABC34501DE35")
	equal(t, s.call(t, "GET", path).at(t, "person.person_type"), "JuridicalPerson")

	s.call(t, "PUT", path, document(`{"person":{"name":"Moinho Sul",`+
		`"federation_subscription_number":"529.982.247-25","city":null}}`)).wantBody(t, 200, "")
	a := s.call(t, "GET", path)
	for field, want := range map[string]string{
		"name": "Moinho Sul", "federation_subscription_number": "529.982.247-25",
		"federation_subscription_number_only_numbers": "52998224725",
		"city": "<nil>", "supplier": "false", "person_type": "JuridicalPerson",
	} {
		equal(t, a.at(t, "person."+field), want)
	}
	s.call(t, "PUT", path, document(`{"person":{"name":"","city":"Pelotas"}}`)).wantBody(t, 422,
		`{"name":["não pode ser vazio"]}`)
	equal(t, s.call(t, "GET", path).body, a.body)

	s.call(t, "DELETE", path).wantBody(t, 200, "")
	equal(t, s.call(t, "GET", "/people").body, "[]")
	for _, verb := range []string{"GET", "PUT", "DELETE"} {
		s.call(t, verb, path, document(`{"person":{"name":"a"}}`)).wantBody(t, 404,
			`{"error":"Couldn't find Person with id=1"}`)
	}
}

func TestAPersonIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	long := strings.Repeat("a", 256)
	for fields, messages := range map[string]string{
		``:                                  `{"name":["não pode ser vazio"]}`,
		`"name":"a","person_type":"Loja"`:   `{"person_type":["não está incluso na lista"]}`,
		`"name":"a","customer":"sim"`:       `{"customer":["deve ser true ou false"]}`,
		`"name":"a","phone":"` + long + `"`: `{"phone":["é muito longo (máximo: 255 caracteres)"]}`,
	} {
		s.call(t, "POST", "/people", document(`{"person":{`+fields+`}}`)).wantBody(t, 422, messages)
	}
}

func TestPeopleAreFoundByTheirFilters(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, fields := range []string{
		`{"name":"moinho","federation_subscription_number":"42.308.611/0001-41","person_type":"JuridicalPerson"}`, // 1
		`{"name":"Ágata","federation_subscription_number":"52998224725","person_type":"NaturalPerson"}`,           // 2
		`{"name":"Moinho"}`, // 3
		`{"name":"abelha","federation_subscription_number":"DE-123 456","person_type":"JuridicalPerson"}`, // 4
		`{"name":"Adega"}`, // 5
	} {
		s.newPerson(t, fields)
	}
	s.call(t, "DELETE", "/people/5").want(t, 200)
	elsewhere := *s
	elsewhere.Tenant = storagetest.NewTenant(t, s.store)
	elsewhere.newPerson(t, `{"name":"Moinho"}`)
	s.exec(t, `UPDATE people SET updated_at = '2026-03-01' WHERE id < 4`)
	for filters, ids := range map[string]string{
		"":                   "4 2 1 3", // abelha, Ágata, moinho, Moinho
		"name_equals=Moinho": "3",
		"federation_subscription_number_equals=42308611000141": "1",
		"federation_subscription_number_equals=529.982.247-25": "2",
		"federation_subscription_number_equals=de123.456":      "4",
		"federation_subscription_number_equals=123":            "",
		"person_type_in=NaturalPerson":                         "2",
		"person_type_in=NaturalPerson,JuridicalPerson":         "4 2 1",
		"person_type_in=JuridicalPerson&name_equals=moinho":    "1",
		"updated_at_gte=2026-03-02":                            "4",
	} {
		if got := strings.Join(s.call(t, "GET", "/people?"+search(filters)).all(t, "person.id"), " "); got != ids {
			t.Errorf("%s: %s, want %s", filters, got, ids)
		}
	}
	list := "/people?search[person_type_in][]=NaturalPerson&search[person_type_in][]=JuridicalPerson&per_page=2"
	first := s.call(t, "GET", list)
	equal(t, first.all(t, "person.id"), []string{"4", "2"})
	equal(t, first.header.Get("Link"), fmt.Sprintf(`<%[1]s&per_page=2&%[2]s>; rel="last", <%[1]s&per_page=2&%[2]s>; `+
		`rel="next"`,
		publicURL+"/people.json?page=2", "search%5Bperson_type_in%5D=NaturalPerson%2CJuridicalPerson"))
	s.call(t, "GET", "/people?search[person_type_in]=Loja").wantBody(t, 422,
		`{"person_type_in":["não está incluso na lista"]}`)
	s.call(t, "GET", "/people?search[nome]=a").wantBody(t, 422,
		`{"nome":["não é um filtro conhecido: os filtros são external_id_equals, `+
			`federation_subscription_number_equals, ids, name_equals, person_type_in, updated_at_gte"]}`)
}

func TestPeopleAndCategoriesAreForEveryMemberOfTheAccount(t *testing.T) {
	t.Parallel()
	s := newService(t)
	member := s.member(t, finance.Access{Denied: []string{"financial_transactions", "payable_accounts"}})
	for root, list := range map[string]string{"person": "/people", "category": "/categories"} {
		a := s.call(t, "POST", list, as(member), document(`{"`+root+`":{"name":"Novo"}}`)).want(t, 201)
		path := a.header.Get("Location")[len(publicURL):]
		equal(t, s.call(t, "GET", path, as(member)).body, a.body)
	}
}

// A list without pages is refused before it takes the memory of the process.
func TestAnAnswerIsBounded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.exec(t, `INSERT INTO people (account_id, name, note, customer, supplier) SELECT 1, n, repeat('é', 10000), false,
		false FROM generate_series(1, 1700) n`)
	for _, path := range []string{"/people", "/people.xml"} {
		// its body would fill the log
		if a := s.call(t, "GET", path); a.status != 422 || a.header.Get("X-Error-Code") != "answer_too_large" {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	s.call(t, "GET", "/people?per_page=500").want(t, 200)
}
