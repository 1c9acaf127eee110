package api_test

import (
	"strings"
	"testing"
)

const (
	classifiersPath = "/custom_classifiers"
	classifierPath  = "/custom_classifiers/1"
)

// named and valued return the documents of a classifier and of a value.
func named(name string) option {
	return document(`{"custom_classifier":{"name":"` + name + `"}}`)
}

func valued(value string) option {
	return document(`{"custom_classifier_value":{"value":"` + value + `"}}`)
}

func TestACustomClassifierIsCreatedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	made := s.call(t, "POST", classifiersPath, document(`{"custom_classifier":{"name":"Obra","id":7,"account_id":9}}`)).
		want(t, 201)
	equal(t, made.header.Get("Location"), publicURL+classifierPath)
	equal(t, made.at(t, "custom_classifier.account_id"), "1")
	equal(t, s.call(t, "GET", classifierPath).body, made.body)

	changed := s.call(t, "PUT", classifierPath, named("Projeto")).want(t, 200)
	equal(t, changed.at(t, "custom_classifier.name"), "Projeto")
	equal(t, changed.header.Get("Location"), publicURL+classifierPath)
	equal(t, s.call(t, "GET", classifierPath).body, changed.body)

	s.call(t, "PUT", classifierPath, named(" ")).wantBody(t, 422, `{"name":["não pode ser vazio"]}`)
	s.call(t, "POST", classifiersPath, document(`{"custom_classifier":{}}`)).wantBody(t, 422,
		`{"name":["não pode ser vazio"]}`)
	s.call(t, "POST", classifiersPath, named(strings.Repeat("á", 256))).wantBody(t, 422,
		`{"name":["é muito longo (máximo: 255 caracteres)"]}`)
	s.call(t, "PUT", classifierPath, named("Obra"), with("If-Match", made.header.Get("ETag")+`"old"`)).want(t, 412)

	s.call(t, "DELETE", classifierPath).wantBody(t, 204, "")
	s.call(t, "DELETE", classifierPath).wantBody(t, 404, `{"error":"Couldn't find CustomClassifier with id=1"}`)
	s.call(t, "PUT", classifierPath, named("a")).want(t, 404)
	s.call(t, "GET", classifierPath).want(t, 404)
	s.call(t, "GET", classifiersPath).wantBody(t, 200, "[]")
}

func TestAValueOfAClassifierIsCreatedChangedAndDeletedUnderBothSpellings(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newClassifier(t, "Obra")
	for spelling, other := range map[string]string{"/values": "/value", "/value": "/values"} {
		made := s.call(t, "POST", classifierPath+spelling, valued("Loja")).want(t, 201)
		path := made.header.Get("Location")[len(publicURL):]
		if !strings.HasPrefix(path, classifierPath+"/values/") {
			t.Errorf("Location %s", path)
		}
		id := path[strings.LastIndex(path, "/"):]
		changed := s.call(t, "PUT", classifierPath+spelling+id, valued("Casa")).want(t, 200)
		equal(t, changed.header.Get("Location"), publicURL+path)
		equal(t, changed.at(t, "custom_classifier_value.custom_classifier_id"), "1")
		equal(t, s.call(t, "GET", classifierPath+other+id).body, changed.body)
		equal(t, s.call(t, "GET", classifierPath+spelling).all(t, "custom_classifier_value.value"), []string{"Casa"})

		s.call(t, "PUT", classifierPath+spelling+id, valued("")).wantBody(t, 422, `{"value":["não pode ser vazio"]}`)
		s.call(t, "POST", classifierPath+spelling, valued("")).wantBody(t, 422, `{"value":["não pode ser vazio"]}`)
		s.call(t, "DELETE", classifierPath+spelling+id).wantBody(t, 204, "")
		s.call(t, "GET", classifierPath+other+id).want(t, 404)
		s.call(t, "GET", classifierPath+other).wantBody(t, 200, "[]")
	}
}

func TestNamesOfClassifiersAndTheirValuesAreUnique(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newClassifier(t, "Região")
	second := s.newClassifier(t, "Obra")
	for _, name := range []string{"Região", "REGIAO"} {
		s.call(t, "POST", classifiersPath, named(name)).wantBody(t, 422, `{"name":["já está em uso"]}`)
		s.call(t, "PUT", second, named(name)).wantBody(t, 422, `{"name":["já está em uso"]}`)
	}
	s.call(t, "PUT", classifierPath, named("região")).want(t, 200) // its own name

	first := s.newValue(t, classifierPath, "São Paulo")
	other := s.newValue(t, classifierPath, "Bahia")
	s.newValue(t, second, "São Paulo") // of another classifier
	s.call(t, "POST", classifierPath+"/values", valued("sao paulo")).wantBody(t, 422, `{"value":["já está em uso"]}`)
	s.call(t, "PUT", other, valued("SÃO PAULO")).wantBody(t, 422, `{"value":["já está em uso"]}`)

	t.Run("a deleted one frees its name", func(t *testing.T) {
		s.call(t, "DELETE", first).want(t, 204)
		s.call(t, "PUT", other, valued("São Paulo")).want(t, 200)
		s.call(t, "DELETE", classifierPath).want(t, 204)
		s.call(t, "PUT", second, named("Região")).want(t, 200)
	})
}

func TestDeletingAClassifierHidesItsValues(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newClassifier(t, "Obra")
	value := s.newValue(t, classifierPath, "Loja")
	kept := s.newValue(t, s.newClassifier(t, "Região"), "Bahia")
	s.call(t, "DELETE", classifierPath).want(t, 204)
	for _, verb := range []string{"GET", "PUT", "DELETE"} {
		s.call(t, verb, value, valued("a")).wantBody(t, 404,
			`{"error":"Couldn't find CustomClassifierValue with id=1"}`)
	}
	for _, verb := range []string{"GET", "POST"} {
		s.call(t, verb, classifierPath+"/values", valued("a")).wantBody(t, 404,
			`{"error":"Couldn't find CustomClassifier with id=1"}`)
	}
	s.call(t, "GET", kept).want(t, 200)
}

func TestClassifiersAreListedByIDAndValuesAsPeopleSort(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.newClassifier(t, "b")
	s.newClassifier(t, "a")
	for _, value := range []string{"Zebra", "ábaco", "Banco", "água"} {
		s.newValue(t, classifierPath, value)
	}
	values := classifierPath + "/values"
	equal(t, s.call(t, "GET", classifiersPath).all(t, "custom_classifier.name"), []string{"b", "a"})
	equal(t, s.call(t, "GET", values).all(t, "custom_classifier_value.value"), []string{
		"ábaco", "água", "Banco", "Zebra"})
	equal(t, s.call(t, "GET", values+"?per_page=3&page=2").all(t, "custom_classifier_value.value"), []string{"Zebra"})

	s.exec(t, `UPDATE custom_classifiers SET updated_at = '2020-01-01' WHERE id = 1`)
	s.exec(t, `UPDATE custom_classifier_values SET updated_at = '2020-01-01' WHERE id <> 3`)
	equal(t, s.call(t, "GET", classifiersPath+"?search[updated_at_gte]=2021-01-01").all(t, "custom_classifier.name"),
		[]string{"a"})
	equal(t, s.call(t, "GET", values+"?search[updated_at_gte]=2021-01-01").all(t, "custom_classifier_value.value"),
		[]string{"Banco"})
	s.call(t, "GET", values+"?search[value]=a").wantBody(t, 422,
		`{"value":["não é um filtro conhecido: os filtros são ids, updated_at_gte"]}`)
}
