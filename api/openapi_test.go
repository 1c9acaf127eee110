package api_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bordero/api"

	"github.com/getkin/kin-openapi/openapi3"
)

var documentFile = flag.String("document", "", "write the OpenAPI document to this `file`")

// TestWriteDocument writes the document for the linters and the clients of tools/clients.
func TestWriteDocument(t *testing.T) {
	if *documentFile == "" {
		t.Skip("for tools/clients")
	}
	inJSON := serve(t, nil).visit(t, "/openapi.json?format=json").want(t, http.StatusOK).body
	for name, content := range map[string][]byte{
		*documentFile: api.OpenAPI(publicURL),
		strings.TrimSuffix(*documentFile, ".json") + ".only.json": []byte(inJSON),
	} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheDocumentIsOpenAPI(t *testing.T) {
	t.Parallel()
	// The library cannot validate XML examples, which are texts; examples_test.go does.
	if err := openAPI().Validate(t.Context(), openapi3.DisableExamplesValidation()); err != nil {
		t.Error(err)
	}
}

// Strict readers, such as the one of /docs/try, refuse a document with a repeated key, and others take
// one of the two.
func TestNoKeyOfTheDocumentIsThereTwice(t *testing.T) {
	t.Parallel()
	if key := repeated(t, json.NewDecoder(bytes.NewReader(api.OpenAPI(publicURL)))); key != "" {
		t.Errorf("%q is there twice", key)
	}
}

// repeated reads a value and returns the path to the first key that one of its objects has twice.
func repeated(t *testing.T, d *json.Decoder) string {
	t.Helper()
	token := func() json.Token {
		next, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	begin := token()
	if begin != json.Delim('{') && begin != json.Delim('[') {
		return ""
	}
	seen := map[any]bool{}
	for n := 0; d.More(); n++ {
		var key any = n
		if begin == json.Delim('{') {
			key = token()
		}
		if seen[key] {
			return fmt.Sprint(key)
		}
		seen[key] = true
		if inner := repeated(t, d); inner != "" {
			return fmt.Sprint(key, " ", inner)
		}
	}
	token()
	return ""
}

// documented returns the path of a route in the notation of the document.
func documented(path string) string {
	return regexp.MustCompile(`:(\w+)`).ReplaceAllString(path, "{$1}")
}

func TestRoutesAndDocumentAreTheSameList(t *testing.T) {
	t.Parallel()
	var served, written []string
	for _, r := range api.Routes() {
		served = append(served, r.Method+" "+documented(r.Path))
	}
	for path, item := range openAPI().Paths.Map() {
		for method := range item.Operations() {
			written = append(written, method+" "+path)
		}
	}
	slices.Sort(served)
	slices.Sort(written)
	equal(t, written, served)
}

func TestEveryFieldThatTheServiceWritesIsRequired(t *testing.T) {
	t.Parallel()
	for name, ref := range openAPI().Components.Schemas {
		closed := ref.Value.AdditionalProperties.Has != nil || ref.Value.UnevaluatedProperties.Has != nil ||
			strings.HasSuffix(name, "Fields")
		if !closed || name == "Errors" { // its other members are optional
			continue
		}
		all := slices.Sorted(maps.Keys(properties(ref.Value)))
		if strings.TrimSuffix(name, "XML") == "DepositAccount" {
			all = slices.DeleteFunc(all, ofRegister)
		}
		if strings.HasPrefix(name, "CashFlow") { // its accounts only if they are asked for
			all = slices.DeleteFunc(all, func(field string) bool { return field == "accounts" })
		}
		if name == "Problem" { // of some refusals only
			all = slices.DeleteFunc(all, func(field string) bool {
				return slices.Contains([]string{"accounts", "latest", "oldest"}, field)
			})
		}
		if strings.HasSuffix(strings.TrimSuffix(name, "XML"), "Total") { // its keys only if they are asked for
			all = slices.DeleteFunc(all, func(field string) bool {
				return !slices.Contains(required(ref.Value), field) && !strings.HasSuffix(field, "amount")
			})
		}
		equal(t, required(ref.Value), all)
	}
}

func TestWhatMustBeSentIsCalledRequired(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"PayableAccountInput": {"amount", "due_date"}, // the month follows from the day
		"SaleAccountInput":    {"entity_id", "name", "payment_methods", "provider"},
		"SaleInput":           {"nominal_amount", "occurred_at", "payment_method", "sale_account_id"},
	} {
		var got []string
		for field, ref := range properties(openAPI().Components.Schemas[name].Value) {
			if strings.HasPrefix(ref.Value.Description, "Required.") {
				got = append(got, field)
			}
		}
		slices.Sort(got)
		equal(t, got, want)
	}
}

// ofRegister reports whether a field is one that only the deposit accounts that are cash registers have.
func ofRegister(field string) bool {
	return field == "register_status" || strings.HasPrefix(field, "open") || strings.HasPrefix(field, "clos")
}

func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	for _, r := range api.Routes() {
		if o := openAPI().operation(r.Method, documented(r.Path)).Operation; o.Description == "" {
			t.Errorf("%s has no description", o.OperationID)
		}
	}
	for name, ref := range openAPI().Components.Schemas {
		if !strings.HasSuffix(name, "Document") { // the one property is the record
			described(t, name, ref.Value)
		}
	}
}

// described checks that the properties of a schema have descriptions.
func described(t *testing.T, name string, s *openapi3.Schema) {
	t.Helper()
	for property, ref := range s.Properties {
		if ref.Ref == "" && ref.Value.Description == "" {
			t.Errorf("%s.%s has no description: give it one in the Fields beside the function that writes or reads "+
				"it, or in commonFields", name, property)
		}
		described(t, name+"."+property, ref.Value)
		if items := ref.Value.Items; items != nil && items.Ref == "" {
			described(t, name+"."+property, items.Value)
		}
	}
}

// A generated client has one type for an enumeration with a name, and one for each place of any other.
func TestEnumerationsAreNamed(t *testing.T) {
	t.Parallel()
	var document any
	if err := json.Unmarshal(api.OpenAPI(publicURL), &document); err != nil {
		t.Fatal(err)
	}
	seen := 0
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case []any:
			for i, v := range value {
				walk(fmt.Sprint(path, "/", i), v)
			}
		case map[string]any:
			if enum, ok := value["enum"].([]any); ok &&
				len(slices.DeleteFunc(enum, func(v any) bool { return v == nil })) > 1 {
				seen++
				if !regexp.MustCompile(`^/components/schemas/\w+$`).MatchString(path) {
					t.Errorf("%s has values without a name", path)
				}
			}
			for key, v := range value {
				if key != "example" && key != "examples" {
					walk(path+"/"+key, v)
				}
			}
		}
	}
	walk("", document)
	if seen < 20 {
		t.Errorf("%d enumerations", seen)
	}
	sale := openAPI().Components.Schemas["Sale"].Value.Properties["payment_method"].Value
	filter := openAPI().Components.Parameters["SaleFilters"].Value.Schema.Value.Properties["payment_method"].Value
	equal(t, sale.AllOf[0].Ref, "#/components/schemas/PaymentMethod")
	equal(t, filter.AllOf[0].Ref, "#/components/schemas/PaymentMethod")
}

// Generators have one space for the names of all components: they would rename a body Sale to Sale2.
func TestComponentsHaveDifferentNames(t *testing.T) {
	t.Parallel()
	var document struct{ Components map[string]map[string]any }
	if err := json.Unmarshal(api.OpenAPI(publicURL), &document); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, kind := range []string{"schemas", "requestBodies", "responses", "parameters"} {
		if len(document.Components[kind]) == 0 {
			t.Errorf("no %s", kind)
		}
		for name := range document.Components[kind] {
			if other := seen[name]; other != "" {
				t.Errorf("%s is a name of %s and of %s", name, other, kind)
			}
			seen[name] = kind
		}
	}
}

// Each schema is used: a generated client has a type for it.
func TestEverySchemaIsUsed(t *testing.T) {
	t.Parallel()
	document := string(api.OpenAPI(publicURL))
	for name := range openAPI().Components.Schemas {
		if !strings.Contains(document, `"#/components/schemas/`+name+`"`) {
			t.Errorf("nothing refers to %s", name)
		}
	}
}

func TestTheDocumentNamesItsServer(t *testing.T) {
	t.Parallel()
	if !strings.Contains(string(api.OpenAPI(publicURL)), `"servers": [{"url": "`+publicURL+`"}]`) {
		t.Errorf("no server %s", publicURL)
	}
	for url, guides := range map[string]string{publicURL: publicURL + "/docs", "": "/docs"} {
		var document struct{ ExternalDocs struct{ URL string } }
		if err := json.Unmarshal(api.OpenAPI(url), &document); err != nil || document.ExternalDocs.URL != guides {
			t.Errorf("the guides of %q are at %q, want %s: %v", url, document.ExternalDocs.URL, guides, err)
		}
	}
}

func required(s *openapi3.Schema) []string {
	names := slices.Clone(s.Required)
	for _, part := range s.AllOf {
		names = append(names, required(part.Value)...)
	}
	slices.Sort(names)
	return names
}

// All other tests rely on the check of answers against the document.
func TestAnswersThatAreNotAsDocumentedAreSeen(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, c := range []struct {
		name, path string
		break_     func(*answer)
	}{
		{"a field is missing in JSON", "/entities/1.json", cut(`"force_destroy":false,`)},
		{"a field is missing in XML", "/entities/1.xml", cut(`<force-destroy type="boolean">false</force-destroy>`)},
		{"a field is missing in a list", "/entities.json", cut(`"force_destroy":false,`)},
		{"a field is missing in a list in XML", "/entities.xml",
			cut(`<force-destroy type="boolean">false</force-destroy>`)},
		{"a field is missing in a composed record", "/entities/1/deposit_accounts.json", cut(`"archive":false,`)},
		{"a field is unknown in JSON", "/entities/1.json", swap(`"name"`, `"age":3,"name"`)},
		{"a field is unknown in XML", "/entities/1.xml", swap(`<name>`, `<age>3</age><name>`)},
		{"a field is unknown in a composed record", "/entities/1/deposit_accounts.json",
			swap(`"name"`, `"age":3,"name"`)},
		{"a value is of another type in JSON", "/entities/1.json", swap(`"name":"Matriz"`, `"name":3`)},
		{"a value is of another type in XML", "/entities/1.xml", swap(`>1</account-id>`, `>one</account-id>`)},
		{"a value does not say its type in XML", "/entities/1.xml",
			swap(`<account-id type="integer">`, `<account-id>`)},
		{"a decimal is padded", "/entities/1/deposit_accounts.json", swap(`"0.0"`, `"0.00"`)},
		{"a moment has no offset", "/entities/1.json", swap(`-03:00"`, `"`)},
		{"the root is another", "/entities/1.xml", swap(`entity>`, `entidade>`)},
		{"a null is not allowed", "/entities/1.json", swap(`"Matriz"`, `null`)},
		{"the status is not documented", "/entities/1.json", func(a *answer) { a.status = http.StatusTeapot }},
		{"a header is missing", "/entities/1.json", func(a *answer) { a.header.Del("X-Request-Id") }},
		{"the format is not documented", "/entities/1.json", func(a *answer) {
			a.header.Set("Content-Type", "text/html")
		}},
		{"an error has more than its sentence", "/entities/9.json", swap(`{`, `{"id":9,`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Contains(c.path, "deposit_accounts") {
				s.newDepositAccount(t)
			}
			a := s.call(t, "GET", c.path)
			before := a.body
			c.break_(&a)
			if err := openAPI().check("GET", c.path, a); err == nil {
				t.Errorf("nothing seen in %s\nmade of %s", a.body, before)
			}
		})
	}
}

func swap(old, new string) func(*answer) {
	return func(a *answer) { a.body = strings.ReplaceAll(a.body, old, new) }
}

func cut(text string) func(*answer) { return swap(text, "") }

// The document for clients of JSON has the same operations, and no schema that only XML needs.
func TestTheDocumentOfJSONHasNoXML(t *testing.T) {
	t.Parallel()
	document := api.OpenAPIOfJSON(publicURL)
	for _, word := range []string{`"xml":`, `"application/xml"`, `XML"`} {
		if strings.Contains(string(document), word) {
			t.Errorf("the document has %s", word)
		}
	}
	read, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err) // a reference leads nowhere
	}
	if err := read.Validate(t.Context(), openapi3.DisableExamplesValidation()); err != nil {
		t.Error(err)
	}
	for path, item := range openAPI().Paths.Map() {
		for method, o := range item.Operations() {
			same := read.Paths.Value(path).GetOperation(method)
			equal(t, len(same.Parameters), len(o.Parameters))
			for status, r := range o.Responses.Map() {
				if r.Value.Content.Get("application/json") != nil && same.Responses.Value(status).Value.Content.Get(
					"application/json") == nil {
					t.Errorf("%s %s: %s has no content", method, path, status)
				}
			}
		}
	}
	for name := range read.Components.Schemas {
		if !strings.Contains(string(document), `"#/components/schemas/`+name+`"`) {
			t.Errorf("nothing refers to %s", name)
		}
	}
}

// A Content-Length with gzip shows that the document was compressed in advance.
func TestTheDocumentIsCompressedOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	whole, ofJSON := string(api.OpenAPI(publicURL)), string(api.OpenAPIOfJSON(publicURL))
	for _, c := range []struct{ path, accepted, encoding, document string }{
		{"/openapi.json", "gzip", "gzip", whole},
		{"/openapi.json", "br, gzip;q=0.5, *;q=0.1", "gzip", whole},
		{"/openapi.json", "identity", "", whole},
		{"/openapi.json", "gzip;q=0", "", whole},
		{"/openapi.json", "gzip;x", "", whole}, // which gzhttp takes for gzip
		{"/openapi.json?format=json", "gzip", "gzip", ofJSON},
		{"/openapi.json?format=json", "identity", "", ofJSON},
	} {
		t.Run(c.path+" "+c.accepted, func(t *testing.T) {
			t.Parallel()
			get := func(tag string) answer {
				t.Helper()
				a, err := s.send(t.Context(), "GET", c.path, as(""), with("Accept-Encoding", c.accepted),
					with("If-None-Match", tag))
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			whole := get("").want(t, http.StatusOK)
			equal(t, whole.header.Get("Content-Encoding"), c.encoding)
			equal(t, whole.header.Get("Content-Length"), strconv.Itoa(len(whole.body)))
			tag := whole.header.Get("ETag")
			if !strings.HasPrefix(tag, `W/"json-`) {
				t.Errorf("ETag %q", tag)
			}
			equal(t, get(tag).status, http.StatusNotModified)
			if c.encoding != "gzip" {
				equal(t, whole.body, c.document)
				return
			}
			r, err := gzip.NewReader(strings.NewReader(whole.body))
			if err != nil {
				t.Fatal(err)
			}
			unpacked, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, string(unpacked), c.document)
		})
	}
}
