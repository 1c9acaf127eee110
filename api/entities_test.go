package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"bordero/finance"
)

func TestAnEntityIsCreatedAndChanged(t *testing.T) {
	t.Parallel()
	s := newService(t)
	made := s.call(t, "POST", "/entities", document(`{"entity":{"name":"Loja",`+
		`"federation_subscription_number":"529.982.247-25","force_destroy":true}}`)).want(t, 201)
	path := made.header.Get("Location")[len(publicURL):]
	equal(t, made.header.Get("Location"), publicURL+"/entities/2")
	equal(t, made.at(t, "entity.account_id"), fmt.Sprint(s.AccountID))

	t.Run("what is absent stays", func(t *testing.T) {
		a := s.call(t, "PUT", path, document(`{"entity":{"name":"Loja nova"}}`)).want(t, 200)
		equal(t, a.at(t, "entity.name"), "Loja nova")
		equal(t, a.at(t, "entity.federation_subscription_number"), "529.982.247-25")
		equal(t, a.at(t, "entity.force_destroy"), "true")
		equal(t, s.call(t, "GET", path).body, a.body)
	})
	t.Run("null clears", func(t *testing.T) {
		a := s.call(t, "PUT", path,
			document(`{"entity":{"federation_subscription_number":null,"force_destroy":null}}`)).want(t, 200)
		equal(t, a.at(t, "entity.federation_subscription_number"), "<nil>")
		equal(t, a.at(t, "entity.force_destroy"), "false")
	})
	t.Run("what is refused changes nothing", func(t *testing.T) {
		s.call(t, "PUT", path, document(`{"entity":{"name":"","force_destroy":true}}`)).wantBody(t, 422,
			`{"name":["não pode ser vazio"]}`)
		equal(t, s.call(t, "GET", path).at(t, "entity.force_destroy"), "false")
	})
	t.Run("a change is seen by its moment", func(t *testing.T) {
		s.exec(t, `UPDATE entities SET updated_at = '2020-01-01' WHERE id = 2`)
		s.call(t, "PUT", path, document(`{"entity":{}}`)).want(t, 200)
		equal(t, s.call(t, "GET", "/entities?search[updated_at_gte]=2021-01-01").all(t, "entity.id"),
			[]string{"1", "2"})
	})
}

func TestTheNameOfAnEntityHasALimit(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, letter := range []string{"a", "á", "💣"} {
		s.call(t, "POST", "/entities", document(`{"entity":{"name":"`+strings.Repeat(letter, 255)+`"}}`)).want(t, 201)
		s.call(t, "POST", "/entities", document(`{"entity":{"name":"`+strings.Repeat(letter, 256)+`"}}`)).
			wantBody(t, 422, `{"name":["é muito longo (máximo: 255 caracteres)"]}`)
	}
}

func TestTheCPFOrCNPJOfAnEntity(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for number, kept := range map[string]string{
		"529.982.247-25": "529.982.247-25", "52998224725": "52998224725",
		"42.308.611/0001-41": "42.308.611/0001-41", "42308611000141": "42308611000141",
		"12.ABC.345/01DE-35": "12.ABC.345/01DE-35", "12.abc.345/01de-35": "12.abc.345/01de-35",
		"00000000E08G12": "00000000E08G12",
		"":               "<nil>", "  ": "<nil>",
	} {
		a := s.call(t, "POST", "/entities",
			document(fmt.Sprintf(`{"entity":{"name":"a","federation_subscription_number":%q}}`, number))).want(t, 201)
		equal(t, a.at(t, "entity.federation_subscription_number"), kept)
	}
	for _, number := range []string{"529.982.247-26", "111.111.111-11", "42.308.611/0001-42", "12.ABC.345/01DE-36",
		"123", "abc", "52998224725 ", "529 982 247 25"} {
		s.call(t, "POST", "/entities",
			document(fmt.Sprintf(`{"entity":{"name":"a","federation_subscription_number":%q}}`, number))).
			wantBody(t, 422, `{"federation_subscription_number":["não é válido"]}`)
	}
}

func TestEntitiesAreFoundByTheirFilters(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, text := range []string{
		`{"name":"Padaria São João","federation_subscription_number":"42.308.611/0001-41"}`, // 2
		`{"name":"padaria 100%","federation_subscription_number":"12.abc.345/01DE-35"}`,     // 3
		`{"name":"PADARIA","federation_subscription_number":"52998224725"}`,                 // 4
	} {
		s.call(t, "POST", "/entities", document(`{"entity":`+text+`}`)).want(t, 201)
	}
	s.exec(t, `UPDATE entities SET updated_at = '2026-03-01T00:00:00-03:00' WHERE id < 4`)
	for _, c := range []struct {
		filters string // name=value&name=value
		ids     []string
	}{
		{"", []string{"1", "2", "3", "4"}},
		{"name=PADARIA", []string{"4"}},
		{"name=Padaria", []string{}},
		{"name_contains=padaria", []string{"2", "3", "4"}},
		{"name_contains=SAO JOAO", []string{"2"}},
		{"name_contains=0%", []string{"3"}},
		{"name_contains=%", []string{"3"}},
		{"name_contains=_", []string{}},
		{`name_contains=\`, []string{}},
		{"federation_subscription_number_equals=42308611000141", []string{"2"}},
		{"federation_subscription_number_equals=42.308.611/0001-41", []string{"2"}},
		{"federation_subscription_number_equals=12ABC34501DE35", []string{"3"}},
		{"federation_subscription_number_equals=12.abc.345/01de-35", []string{"3"}},
		{"federation_subscription_number_equals=423086110001", []string{}},
		{"federation_subscription_number_contains=8.611/0", []string{"2"}},
		{"federation_subscription_number_contains=abc34", []string{"3"}},
		{"federation_subscription_number_contains=9822", []string{"4"}},
		{"federation_subscription_number_is_null=true", []string{"1"}},
		{"federation_subscription_number_is_null=0", []string{"2", "3", "4"}},
		{"updated_at_gte=2026-03-01", []string{"1", "2", "3", "4"}},
		{"updated_at_gte=2026-03-02", []string{"4"}},
		{"updated_at_gte=2026-03-01T00:00:00", []string{"1", "2", "3", "4"}},
		{"updated_at_gte=2026-03-01T00:00:01", []string{"4"}},
		{"updated_at_gte=2026-03-01T03:00:00Z", []string{"1", "2", "3", "4"}},
		{"updated_at_gte=2026-03-01T00:00:00-02:00", []string{"1", "2", "3", "4"}},
		{"updated_at_gte=2026-03-01T00:00:00-04:00", []string{"4"}},
		{"updated_at_gte=2026-03-01T00:00-04:00", []string{"4"}},
		{"updated_at_gte=2026-03-01T00:00", []string{"1", "2", "3", "4"}},
		{"updated_at_gte=2026-03-01 00:00:01", []string{"4"}},
		{"updated_at_gte=2026-03-01T06:00:00 03:00", []string{"1", "2", "3", "4"}}, // a + that was not encoded
		{"updated_at_gte=2026-03-01 07:00 03:00", []string{"4"}},
		{"name_contains=padaria&federation_subscription_number_contains=1", []string{"2", "3"}},
	} {
		a := s.call(t, "GET", "/entities?"+search(c.filters))
		if got := a.all(t, "entity.id"); strings.Join(got, " ") != strings.Join(c.ids, " ") {
			t.Errorf("%s: %v, want %v", c.filters, got, c.ids)
		}
	}
	t.Run("and refused by what is no filter", func(t *testing.T) {
		s.call(t, "GET", "/entities?search[cnpj]=1&search[name]=a").wantBody(t, 422,
			`{"cnpj":["não é um filtro conhecido: os filtros são federation_subscription_number_contains, `+
				`federation_subscription_number_equals, federation_subscription_number_is_null, ids, name, `+
				`name_contains, updated_at_gte"]}`)
		s.call(t, "GET", "/entities?search[federation_subscription_number_is_null]=x&search[a]=b").
			wantBody(t, 422, `{"a":["não é um filtro conhecido: os filtros são `+
				`federation_subscription_number_contains, federation_subscription_number_equals, `+
				`federation_subscription_number_is_null, ids, name, name_contains, updated_at_gte"],`+
				`"federation_subscription_number_is_null":["deve ser true ou false"]}`)
		s.call(t, "GET", "/entities?search[updated_at_gte]=ontem").wantBody(t, 422,
			`{"updated_at_gte":["não é uma data válida"]}`)
		s.call(t, "GET", "/entities?search[name]=%00").wantBody(t, 422, `{"name":["não é válido"]}`)
	})
	t.Run("an offset whose plus was not encoded", func(t *testing.T) {
		equal(t, s.call(t, "GET", "/entities?search[updated_at_gte]=2026-03-01T03:00:00+00:00").all(t, "entity.id"),
			[]string{"1", "2", "3", "4"})
		equal(t, s.call(t, "GET", "/entities?search[updated_at_gte]=2026-03-01T03:00:00-00:30").all(t, "entity.id"),
			[]string{"4"})
	})
}

// search returns the query that sends filters, encoded as clients do.
func search(filters string) string {
	q := url.Values{}
	for pair := range strings.SplitSeq(filters, "&") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			q.Set("search["+name+"]", value)
		}
	}
	return q.Encode()
}

func TestVisibleEntitiesAreListed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	second, third := s.anotherEntity(t), s.anotherEntity(t)
	for token, ids := range map[string][]string{
		s.Token: {"1", "2", "3"},
		s.member(t, finance.Access{AllEntities: true}):                           {"1", "2", "3"},
		s.member(t, finance.Access{EntityIDs: []int64{third.ID, second.ID}}):     {"2", "3"},
		s.member(t, finance.Access{}):                                            {},
		s.member(t, finance.Access{EntityIDs: []int64{s.EntityID}, Denied: nil}): {"1"},
	} {
		equal(t, s.call(t, "GET", "/entities", as(token)).all(t, "entity.id"), ids)
	}
}
