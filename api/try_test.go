package api_test

import (
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"bordero/api"

	"github.com/getkin/kin-openapi/openapi3"
)

// Each operation is in the document of one tag, which is complete, has nothing that it does not need, and is a small
// part of the whole.
func TestEachTagHasADocument(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	chooser := s.visit(t, "/docs/try").want(t, http.StatusOK).body
	_, chooser, _ = strings.Cut(chooser, `<ul class="tags">`)
	chooser, _, _ = strings.Cut(chooser, "</ul>")
	operations := map[string]int{}
	for _, link := range regexp.MustCompile(`href="([^"]+)"`).FindAllStringSubmatch(chooser, -1) {
		if page := s.visit(t, link[1]).want(t, http.StatusOK).body; !strings.Contains(page, "swagger-ui-bundle.js") {
			t.Errorf("%s sends no requests", link[1])
		}
		text := s.visit(t, link[1]+".json").want(t, http.StatusOK).body
		if len(text) > len(api.OpenAPI(publicURL))/4 {
			t.Errorf("%s.json has %d bytes", link[1], len(text))
		}
		part, err := openapi3.NewLoader().LoadFromData([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := part.Validate(t.Context(), openapi3.DisableExamplesValidation()); err != nil || len(part.Tags) != 1 {
			t.Errorf("%s.json has %d tags: %v", link[1], len(part.Tags), err)
		}
		for path, item := range part.Paths.Map() {
			for method := range item.Operations() {
				operations[method+" "+path]++
			}
		}
		for name := range part.Components.Schemas {
			if strings.Count(text, `schemas/`+name+`"`) == 0 {
				t.Errorf("%s.json has the schema %s, which nothing refers to", link[1], name)
			}
		}
	}
	want := map[string]int{}
	for path, item := range openAPI().Paths.Map() {
		for method := range item.Operations() {
			want[method+" "+path] = 1
		}
	}
	if !maps.Equal(operations, want) {
		t.Errorf("the documents of the tags have %d operations, the whole has %d", len(operations), len(want))
	}
	s.visit(t, "/docs/try/nothing").want(t, http.StatusNotFound)
	s.visit(t, "/docs/try/nothing.json").want(t, http.StatusNotFound)
}
