package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestGoldensOfListsAndPermissions is TestGoldens for records that belong to no entity.
func TestGoldensOfListsAndPermissions(t *testing.T) {
	t.Parallel()
	const classifier = "/custom_classifiers/1"
	for format, documents := range map[string]map[string]string{
		"json": {
			"classifier": `{"custom_classifier":{"name":%q}}`,
			"value":      `{"custom_classifier_value":{"value":%q}}`,
		},
		"xml": {
			"classifier": `<custom-classifier><name>%s</name></custom-classifier>`,
			"value":      `<custom-classifier-value><value>%s</value></custom-classifier-value>`,
		},
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			golden := func(method, path string, status int, options ...option) {
				t.Helper()
				s.golden(t, format, method, path, status, options...)
			}
			send := func(kind, text string) option {
				return document(strings.Replace(fmt.Sprintf(documents[kind], text), `""`, "null", 1))
			}

			golden("GET", "/user/permissions", 200)
			golden("GET", "/quotas", 200)
			golden("GET", "/taxes", 200)
			golden("GET", "/taxes/9", 200)
			golden("GET", "/banks?per_page=3", 200)
			golden("GET", "/banks/237", 200)
			golden("GET", "/currencies?per_page=3", 200)
			golden("GET", "/currencies/1", 200)

			golden("POST", "/custom_classifiers", 201, send("classifier", "Obra"))
			golden("POST", "/custom_classifiers", 422, send("classifier", ""))
			golden("PUT", classifier, 200, send("classifier", "Obras e reformas"))
			golden("GET", classifier, 200)
			golden("GET", "/custom_classifiers", 200)
			for i, spelling := range []string{"/values", "/value"} {
				one := fmt.Sprintf("%s%s/%d", classifier, spelling, i+1)
				golden("POST", classifier+spelling, 201, send("value", "Loja"))
				golden("POST", classifier+spelling, 422, send("value", ""))
				golden("PUT", one, 200, send("value", fmt.Sprintf("Loja %d", i+1)))
				golden("GET", one, 200)
				golden("GET", classifier+spelling, 200)
			}
		})
	}
}
