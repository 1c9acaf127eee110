package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/storage/storagetest"
)

func TestACenterIsCreatedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a := s.call(t, "POST", "/classification_centers",
		document(`{"classification_center":{"entity_id":1,"name":"Loja","use_count":9}}`)).want(t, 201)
	path := "/classification_centers/1"
	equal(t, a.header.Get("Location"), publicURL+path)
	for field, want := range map[string]string{
		"account_id": "1", "entity_id": "1", "name": "Loja", "cost_center": "true", "revenue_center": "true",
		"use_count": "0", "guid": "<nil>",
	} {
		equal(t, a.at(t, "classification_center."+field), want)
	}
	equal(t, s.call(t, "GET", path).body, a.body)

	s.call(t, "PUT", path,
		document(`{"classification_center":{"name":"Filial","revenue_center":false,"entity_id":"1"}}`)).wantBody(t, 200,
		"")
	equal(t, s.call(t, "GET", path).at(t, "classification_center.name"), "Filial")
	equal(t, s.call(t, "GET", path).at(t, "classification_center.revenue_center"), "false")
	s.call(t, "PUT", path, document(`{"classification_center":{"name":""}}`)).wantBody(t, 422,
		`{"name":["não pode ser vazio"]}`)

	s.call(t, "DELETE", path).wantBody(t, 200, "")
	equal(t, s.call(t, "GET", "/classification_centers").body, "[]")
	for _, verb := range []string{"GET", "PUT", "DELETE"} {
		s.call(t, verb, path, document(`{"classification_center":{"name":"a"}}`)).wantBody(t, 404,
			`{"error":"Couldn't find ClassificationCenter with id=1"}`)
	}
}

func TestACenterBelongsToAnEntityThatTheUserSees(t *testing.T) {
	t.Parallel()
	s := newService(t)
	second := s.anotherEntity(t).ID
	foreign := storagetest.NewTenant(t, s.store)
	member := s.member(t, finance.Access{EntityIDs: []int64{second}})
	own := s.newCenter(t, s.EntityID, "Própria")
	const missing = `{"entity":["não existe"]}`
	for _, c := range []struct{ name, token, fields, messages string }{
		{"none", s.Token, ``, `{"entity":["não pode ser vazio"],"name":["não pode ser vazio"]}`},
		{"none that can be read", s.Token, `"name":"a","entity_id":"loja"`, `{"entity":["não é um número inteiro"]}`},
		{"one that is not", s.Token, `"name":"a","entity_id":987654321`, missing},
		{"another account's", s.Token, fmt.Sprintf(`"name":"a","entity_id":%d`, foreign.EntityID), missing},
		{"one that the user may not see", member, `"name":"a","entity_id":1`, missing},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.call(t, "POST", "/classification_centers", as(c.token),
				document(`{"classification_center":{`+c.fields+`}}`)).wantBody(t, 422, c.messages)
		})
	}
	t.Run("and stays in it", func(t *testing.T) {
		put := func(entity string) answer {
			return s.call(t, "PUT", own, document(`{"classification_center":{"name":"b","entity_id":`+entity+`}}`))
		}
		put(fmt.Sprint(second)).wantBody(t, 422, `{"entity":["não pode ser alterada"]}`)
		put(fmt.Sprint(foreign.EntityID)).wantBody(t, 422, missing)
		put("null").wantBody(t, 422, `{"entity":["não pode ser vazio"]}`)
		equal(t, s.call(t, "GET", own).at(t, "classification_center.name"), "Própria")
	})
	t.Run("and is seen by who sees the entity", func(t *testing.T) {
		theirs := s.newCenter(t, second, "Deles")
		none := s.member(t, finance.Access{})
		for token, names := range map[string]string{s.Token: "Deles Própria", member: "Deles", none: ""} {
			got := strings.Join(s.call(t, "GET", "/classification_centers", as(token)).all(t,
				"classification_center.name"), " ")
			equal(t, got, names)
		}
		for _, verb := range []string{"GET", "PUT", "DELETE"} {
			s.call(t, verb, own, as(member), document(`{"classification_center":{"name":"a"}}`)).want(t, 404)
		}
		s.call(t, "PUT", theirs, as(member), document(`{"classification_center":{"name":"Nosso"}}`)).want(t, 200)
		s.call(t, "DELETE", theirs, as(member)).want(t, 200)
	})
}

func TestCentersAreFoundByTheirFilters(t *testing.T) {
	t.Parallel()
	s := newService(t)
	second := s.anotherEntity(t).ID
	for i, name := range []string{"loja", "Água 100%", "Depósito", "LOJA"} {
		s.newCenter(t, []int64{s.EntityID, second}[i%2], name)
	}
	s.exec(t, `UPDATE classification_centers SET updated_at = '2026-03-01' WHERE id < 4`)
	for filters, ids := range map[string]string{
		"":                                     "2 3 1 4", // Água 100%, Depósito, loja, LOJA
		"entity_id_equals=1":                   "3 1",
		"entity_id_equals=9223372036854775807": "",
		"name_equals=LOJA":                     "4",
		"name_contains=Loj":                    "1 4",
		"name_contains=agua":                   "2",
		"name_contains=0%":                     "2",
		"name_contains=_":                      "",
		"name_contains=o&entity_id_equals=1":   "3 1",
		"updated_at_gte=2026-03-02":            "4",
	} {
		if got := strings.Join(s.call(t, "GET", "/classification_centers?"+search(filters)).all(t,
			"classification_center.id"), " "); got != ids {
			t.Errorf("%s: %s, want %s", filters, got, ids)
		}
	}
	// Some clients request pages until one is empty.
	for page, ids := range map[int]string{1: "2 3 1", 2: "4", 3: ""} {
		a := s.call(t, "GET", fmt.Sprintf("/classification_centers?page=%d&per_page=3", page))
		equal(t, strings.Join(a.all(t, "classification_center.id"), " "), ids)
	}
	s.call(t, "GET", "/classification_centers?search[entity_id_equals]=loja").wantBody(t, 422,
		`{"entity_id_equals":["não é um número inteiro"]}`)
	s.call(t, "GET", "/classification_centers?search[nome]=a").wantBody(t, 422,
		`{"nome":["não é um filtro conhecido: os filtros são entity_id_equals, external_id_equals, ids, `+
			`name_contains, name_equals, updated_at_gte"]}`)
}
