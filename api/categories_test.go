package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/storage/storagetest"
)

func TestANewCategoryHasDefaults(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a := s.call(t, "POST", "/categories", document(`{"category":{"name":"Zoo","full_name":"Outro","use_count":9}}`)).
		want(t, 201)
	path := fmt.Sprintf("/categories/%d", len(finance.DefaultCategories())+1)
	equal(t, a.header.Get("Location"), publicURL+path)
	for field, want := range map[string]string{
		"account_id": "1", "full_name": "Zoo", "parent_id": "<nil>", "revenue": "true", "cost": "true",
		"force_destroy": "false", "use_count": "0",
		"interested_users_ids": fmt.Sprintf("[%d]", s.UserID),
	} {
		if got := a.at(t, "category."+field); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
	equal(t, s.call(t, "GET", path).body, a.body)
	equal(t, s.call(t, "GET", "/categories?"+search("full_name_equals=Pessoal / Salários")).all(t,
		"category.interested_users_ids"), []string{"[]"})
}

// newTree creates Zoo, Zoo / Aves and Zoo / Aves / Arara, and returns their ids.
func (s *service) newTree(t testing.TB) (root, middle, leaf int64) {
	t.Helper()
	root = lastID(s.newCategory(t, `{"name":"Zoo"}`))
	middle = lastID(s.newCategory(t, fmt.Sprintf(`{"name":"Aves","parent_id":%d}`, root)))
	leaf = lastID(s.newCategory(t, `{"name":"Arara","parent_full_name":"zoo / AVES"}`))
	return root, middle, leaf
}

// tree returns the full names of the categories that the test has created and not deleted.
func (s *service) tree(t testing.TB) string {
	t.Helper()
	names := s.call(t, "GET", "/categories?"+search("updated_at_gte=2026-01-01")).all(t, "category.full_name")
	return strings.Join(names, ", ")
}

// forgetDefaults excludes the default categories from tree.
func (s *service) forgetDefaults(t testing.TB) {
	t.Helper()
	s.exec(t, `UPDATE categories SET updated_at = '2020-01-01'`)
}

func TestCategoriesAreATree(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.forgetDefaults(t)
	root, middle, leaf := s.newTree(t)
	equal(t, s.tree(t), "Zoo / Aves / Arara, Zoo / Aves, Zoo") // by name
	put := func(id int64, fields string) answer {
		return s.call(t, "PUT", fmt.Sprintf("/categories/%d", id), document(`{"category":{`+fields+`}}`))
	}
	const cycle = `{"parent":["não pode ser a própria categoria nem uma subcategoria dela"]}`

	t.Run("whose names follow a rename", func(t *testing.T) {
		put(root, `"name":"Zona"`).wantBody(t, 200, "")
		equal(t, s.tree(t), "Zona / Aves / Arara, Zona / Aves, Zona")
	})
	t.Run("and a move", func(t *testing.T) {
		put(middle, `"parent_id":null`).wantBody(t, 200, "")
		equal(t, s.tree(t), "Aves / Arara, Aves, Zona")
		put(middle, `"parent_full_name":"Pessoal / Salários"`).wantBody(t, 200, "")
		equal(t, s.tree(t), "Pessoal / Salários / Aves / Arara, Pessoal / Salários / Aves, Zona")
		put(middle, `"parent_full_name":null`).wantBody(t, 200, "")
		put(middle, fmt.Sprintf(`"parent_id":%d`, root)).wantBody(t, 200, "")
		equal(t, s.tree(t), "Zona / Aves / Arara, Zona / Aves, Zona")
	})
	t.Run("without cycles", func(t *testing.T) {
		for _, parent := range []int64{root, middle, leaf} {
			put(root, fmt.Sprintf(`"parent_id":%d`, parent)).wantBody(t, 422, cycle)
		}
		put(root, `"parent_full_name":"Zona / Aves / Arara"`).wantBody(t, 422, cycle)
	})
	t.Run("that go with their parent", func(t *testing.T) {
		s.call(t, "DELETE", fmt.Sprintf("/categories/%d", middle)).wantBody(t, 200, "")
		equal(t, s.tree(t), "Zona")
		for _, id := range []int64{middle, leaf} {
			s.call(t, "GET", fmt.Sprintf("/categories/%d", id)).wantBody(t, 404,
				fmt.Sprintf(`{"error":"Couldn't find Category with id=%d"}`, id))
			put(root, fmt.Sprintf(`"parent_id":%d`, id)).wantBody(t, 422, `{"parent":["não existe"]}`)
		}
	})
	t.Run("and whose names are free again", func(t *testing.T) {
		s.newCategory(t, fmt.Sprintf(`{"name":"Aves","parent_id":%d}`, root))
		equal(t, s.tree(t), "Zona / Aves, Zona")
	})
}

func TestACategoryIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	elsewhere := *s
	elsewhere.Tenant = storagetest.NewTenant(t, s.store)
	foreign := lastID(elsewhere.newCategory(t, `{"name":"Alheia"}`))
	root, _, _ := s.newTree(t)
	long := strings.Repeat("a", 255)
	const taken, missing = `{"name":["já está em uso"]}`, `{"parent":["não existe"]}`
	for _, c := range []struct{ name, fields, messages string }{
		{"without a name", ``, `{"name":["não pode ser vazio"],"full_name":["não pode ser vazio"]}`},
		{"below a blank one", `"parent_id":"a"`, `{"parent":["não é um número inteiro"],"name":["não pode ser ` +
			`vazio"],"full_name":["não pode ser vazio"]}`},
		{"with a name too long", `"name":"` + long + `a"`, `{"name":["é muito longo (máximo: 255 caracteres)"]}`},
		{"with a full name too long", fmt.Sprintf(`"name":%q,"parent_id":%d`, long, root),
			`{"full_name":["é muito longo (máximo: 255 caracteres)"]}`},
		{"with a sibling's name", `"name":"Zoo"`, taken},
		{"with a sibling's name but for case and accents", fmt.Sprintf(`"name":"ÁVES","parent_id":%d`, root), taken},
		{"with a full name that is another's", `"name":"Zoo / Aves"`, taken},
		{"with a default name", `"name":"salarios","parent_full_name":"Pessoal"`, taken},
		{"below one that is not", `"name":"a","parent_id":987654321`, missing},
		{"below 0", `"name":"a","parent_id":0`, missing},
		{"below a name that is not", `"name":"a","parent_full_name":"Aves"`, missing},
		{"below another account's", fmt.Sprintf(`"name":"a","parent_id":%d`, foreign), missing},
		{"below another account's by name", `"name":"a","parent_full_name":"Alheia"`, missing},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.call(t, "POST", "/categories", document(`{"category":{`+c.fields+`}}`)).wantBody(t, 422, c.messages)
		})
	}
	t.Run("or renamed so that a name below becomes too long", func(t *testing.T) {
		s.call(t, "PUT", fmt.Sprintf("/categories/%d", root), document(fmt.Sprintf(`{"category":{"name":%q}}`, long))).
			wantBody(t, 422, `{"name":["daria mais de 255 caracteres ao nome completo de uma subcategoria"]}`)
	})
	t.Run("or renamed to a sibling's name, but not to its own in another spelling", func(t *testing.T) {
		path := s.newCategory(t, `{"name":"Zelo"}`)
		s.call(t, "PUT", path, document(`{"category":{"name":"ZOO"}}`)).wantBody(t, 422, taken)
		s.call(t, "PUT", path, document(`{"category":{"name":"zélo"}}`)).wantBody(t, 200, "")
	})
}

func TestASubcategoryIsCreatedBelowThePath(t *testing.T) {
	t.Parallel()
	s := newService(t)
	root, middle, _ := s.newTree(t)
	path := fmt.Sprintf("/categories/%d/create_subcategory", root)
	a := s.call(t, "POST", path, document(fmt.Sprintf(`{"category":{"name":"Répteis","parent_id":%d,`+
		`"parent_full_name":"Pessoal","cost":false}}`, middle))).want(t, 201)
	equal(t, a.at(t, "category.full_name"), "Zoo / Répteis")
	equal(t, a.at(t, "category.parent_id"), fmt.Sprint(root))
	equal(t, a.at(t, "category.cost"), "false")
	equal(t, a.header.Get("Location"), publicURL+"/categories/"+a.at(t, "category.id"))
	s.call(t, "POST", path, document(`{"category":{"name":"repteis"}}`)).wantBody(t, 422, `{"name":["já está em uso"]}`)
	s.made(t, "/categories", `{"category":{"name":"Aves","external_id":"A"}}`)
	taken := s.call(t, "POST", path, document(`{"category":{"name":"repteis","external_id":"A"}}`)).want(t, 422)
	if !strings.Contains(taken.body, `"name":["`) || !strings.Contains(taken.body, `"external_id":["`) {
		t.Error(taken.body)
	}
	s.call(t, "DELETE", fmt.Sprintf("/categories/%d", root)).want(t, 200)
	s.call(t, "POST", path, document(`{"category":{"name":"Peixes"}}`)).wantBody(t, 404,
		fmt.Sprintf(`{"error":"Couldn't find Category with id=%d"}`, root))
}

func TestCategoriesAreFoundByTheirFilters(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.forgetDefaults(t)
	root, _, _ := s.newTree(t)
	s.newCategory(t, `{"name":"Aves"}`)
	for filters, names := range map[string]string{
		"name=Aves":                              "Zoo / Aves, Aves", // by id
		"name=aves":                              "",
		"full_name_equals=Zoo / Aves":            "Zoo / Aves",
		fmt.Sprintf("parent_id_equals=%d", root): "Zoo / Aves",
		fmt.Sprintf("parent_id_equals=%d&name=Foo", root): "",
	} {
		if got := strings.Join(s.call(t, "GET", "/categories?"+search(filters)).all(t, "category.full_name"),
			", "); got != names {
			t.Errorf("%s: %s, want %s", filters, got, names)
		}
	}
	s.call(t, "GET", "/categories?search[parent_id_equals]=raiz").wantBody(t, 422,
		`{"parent_id_equals":["não é um número inteiro"]}`)
	t.Run("and whoever follows changes sees those that a rename reached", func(t *testing.T) {
		s.exec(t, `UPDATE categories SET updated_at = '2020-01-01'`)
		s.call(t, "PUT", fmt.Sprintf("/categories/%d", root), document(`{"category":{"name":"Zona"}}`)).want(t, 200)
		equal(t, s.tree(t), "Zona / Aves / Arara, Zona / Aves, Zona")
	})
}

func TestTheEventsOfCategoriesReachAllThatIsBelow(t *testing.T) {
	t.Parallel()
	s := newService(t)
	foreign := storagetest.NewTenant(t, s.store)
	s.newWebhook(t, foreign.AccountID, foreign.EntityID, "active")
	s.newWebhook(t, s.AccountID, s.EntityID, "active")
	s.newWebhook(t, s.AccountID, s.anotherEntity(t).ID, "active")
	root, middle, leaf := s.newTree(t)
	path := fmt.Sprintf("/categories/%d", root)
	told := func() string {
		return query[string](t, s, `SELECT coalesce(string_agg(e, ', ' ORDER BY e), '') FROM (
			SELECT concat_ws(' ', account_id, action, record_id, entity_id, count(*)) AS e FROM deliveries
				WHERE family = 'categories'
			GROUP BY account_id, action, record_id, entity_id) x`)
	}
	equal(t, told(), fmt.Sprintf("1 created %d 2, 1 created %d 2, 1 created %d 2", root, middle, leaf))
	for _, c := range []struct{ method, body, want string }{
		{"PUT", `{"category":{"cost":false}}`, fmt.Sprintf("1 updated %d 2", root)},
		{"PUT", `{"category":{"name":"Zona"}}`, fmt.Sprintf("1 updated %d 2, 1 updated %d 2, 1 updated %d 2", root,
			middle, leaf)},
		{"PUT", `{"category":{"name":"Pessoal"}}`, ""},
		{"DELETE", ``, fmt.Sprintf("1 destroyed %d 2, 1 destroyed %d 2, 1 destroyed %d 2", root, middle, leaf)},
	} {
		s.exec(t, `DELETE FROM deliveries`)
		s.call(t, c.method, path, document(c.body))
		equal(t, told(), c.want)
	}
}
