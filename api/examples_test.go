package api_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"

	"github.com/getkin/kin-openapi/openapi3"
)

// examples returns the examples of a media type as texts.
func examples(t testing.TB, m *openapi3.MediaType) (texts []string) {
	t.Helper()
	if m == nil {
		return nil
	}
	var values []any
	if m.Example != nil {
		values = append(values, m.Example)
	}
	for _, e := range m.Examples {
		values = append(values, e.Value.Value)
	}
	for _, v := range values {
		text, ok := v.(string)
		if !ok {
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
		texts = append(texts, text)
	}
	return texts
}

// requestExample returns the example body of a route in the document, "" for none.
func requestExample(t testing.TB, r api.Route, mediaType string) string {
	t.Helper()
	b := openAPI().operation(r.Method, documented(r.Path)).Operation.RequestBody
	if b == nil {
		return ""
	}
	return strings.Join(examples(t, b.Value.Content[mediaType]), "") // there is at most one
}

// To add a missing example, write one in the request body's YAML, or for an answer add a line to
// TestGoldens and run it with -update.
func TestEveryBodyHasExamplesThatMatchTheDocument(t *testing.T) {
	t.Parallel()
	for _, r := range api.Routes() {
		o := openAPI().operation(r.Method, documented(r.Path)).Operation
		if o.RequestBody != nil {
			exemplified(t, "the request of "+o.OperationID, o.RequestBody.Value.Content, false)
		}
		for status, response := range o.Responses.Map() {
			exemplified(t, o.OperationID+"_"+status, response.Value.Content, true)
		}
	}
	nowhere := "MethodNotAllowed" // belongs to no operation
	exemplified(t, nowhere, openAPI().Components.Responses[nowhere].Value.Content, true)
}

func TestEveryExampleIsOfSomething(t *testing.T) {
	t.Parallel()
	names := slices.Collect(maps.Keys(openAPI().Components.Responses))
	for _, r := range api.Routes() {
		names = append(names, openAPI().operation(r.Method, documented(r.Path)).Operation.OperationID)
	}
	files, err := os.ReadDir("openapi/examples")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if name, _, _ := strings.Cut(strings.TrimSuffix(file.Name(), filepath.Ext(file.Name())), "_"); !slices.Contains(
			names, name) {
			t.Errorf("%s is of no operation and no response", file.Name())
		}
	}
}

// The page groups by tags, and makes up parameters that have no empty example.
func TestTheDocumentIsMadeForThePage(t *testing.T) {
	t.Parallel()
	for _, tag := range openAPI().Tags {
		if tag.Description == "" || strings.Contains(strings.TrimSpace(tag.Description), "\n") {
			t.Errorf("the tag %s does not have a description of one line", tag.Name)
		}
	}
	for _, r := range api.Routes() {
		o := openAPI().operation(r.Method, documented(r.Path)).Operation
		if len(o.Tags) != 1 || openAPI().Tags.Get(o.Tags[0]) == nil || o.Summary == "" || len(o.Summary) > 60 {
			t.Errorf("%s does not have one known tag and a short summary: %q, %q", o.OperationID, o.Tags, o.Summary)
		}
		for _, p := range o.Parameters {
			if p.Value.Style == "deepObject" && p.Value.Example == nil {
				t.Errorf("%s: %s needs `example: {}`, else the page sends made-up ones", o.OperationID, p.Value.Name)
			}
		}
	}
}

// exemplified fails if a body has no examples, or one that does not match its schema. written
// reports whether the service writes the body.
func exemplified(t *testing.T, of string, content openapi3.Content, written bool) {
	t.Helper()
	mediaTypes := formats
	if len(content) == 0 || content["multipart/form-data"] != nil {
		mediaTypes = slices.Collect(maps.Keys(content))
	}
	for _, mediaType := range mediaTypes {
		texts := examples(t, content[mediaType])
		if len(texts) == 0 {
			t.Errorf("%s has no example of %s", of, mediaType)
		}
		for _, text := range texts {
			if err := reads(text, content[mediaType].Schema.Value, written); err != nil {
				t.Errorf("%s: %v in the example\n%s", of, err, text)
			}
		}
	}
}

// reads returns an error that describes how a document differs from its schema.
func reads(text string, s *openapi3.Schema, written bool) error {
	var v any
	var err error
	var root element
	switch {
	case !strings.HasPrefix(text, "<"):
		err = json.Unmarshal([]byte(text), &v)
	case written:
		v, err = readXML(strings.NewReader(strings.Replace(text, "?>\n<", "?><", 1)), s)
	default:
		if err = xml.Unmarshal([]byte(text), &root); err == nil && root.XMLName.Local != s.XML.Name {
			err = fmt.Errorf("the root is %s", root.XMLName.Local)
		}
		if err == nil {
			v, err = root.value(s, false)
		}
	}
	if err != nil {
		return err
	}
	return openAPI().schemas.validate(&openapi3.SchemaRef{Value: s}, v)
}

func TestTheExamplesWork(t *testing.T) {
	t.Parallel()
	for _, mediaType := range formats {
		s := newService(t)
		ids, register := s.records(t), s.records(t)
		for _, r := range api.Routes() {
			text := requestExample(t, r, mediaType)
			if text == "" || r.Path == "/sandbox/reset" { // the account is none
				continue
			}
			path := ids.path(r)
			if strings.HasSuffix(path, "/reconciles") {
				text = s.reconcilable(t, text)
			}
			if strings.HasSuffix(path, "/transfers") {
				debit, credit := s.twoSides(t)
				text = strings.NewReplacer("2001", fmt.Sprint(lastID(debit)), "2002", fmt.Sprint(lastID(credit))).
					Replace(text)
			}
			if strings.HasSuffix(path, "/open") || strings.HasSuffix(path, "/close") { // open comes before close
				path = register.path(r)
			}
			if strings.HasSuffix(path, "/confirm") {
				s.exec(t, `UPDATE bank_statements SET event_status = 'previewed',
					preview_until = now() + interval '1 day'`)
			}
			if a := s.call(t, r.Method, path, document(text)); a.status >= 300 {
				t.Errorf("%s: %d %s", a.request, a.status, a.body)
			}
		}
	}
}

// reconcilable returns the example of a reconciliation with the ids of reconcilable records.
func (s *service) reconcilable(t testing.TB, text string) string {
	t.Helper()
	account := s.newAccount(t, finance.Receivable, `"due_date":"2026-03-04","occurred_at":"2026-03-04","amount":2.5`)
	transaction := s.newTransaction(t, s.newDepositAccount(t), finance.Credit, "2.5", "2026-03-04")
	return strings.NewReplacer("1001", fmt.Sprint(lastID(account)), "2001", fmt.Sprint(lastID(transaction))).Replace(
		text)
}
