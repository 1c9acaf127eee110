package api_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bordero/api"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// contract is the OpenAPI document. These tests check every answer against it.
type contract struct {
	*openapi3.T
	router  routers.Router
	schemas *schemas
}

// stringFormats has the patterns of the document's string formats.
var stringFormats = map[string]string{
	"decimal":    `^-?(0|[1-9]\d*)\.(\d|\d[1-9])$`,
	"percentage": `^-?(0|[1-9]\d*)\.(\d|\d{1,3}[1-9])$`,
	"date":       `^\d{4}-\d\d-\d\d$`,
	"date-time":  `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$`,
	"uri":        `^https?://`,
}

var openAPI = sync.OnceValue(func() contract {
	for name, pattern := range stringFormats {
		openapi3.DefineStringFormatValidator(name, openapi3.NewRegexpFormatValidator(pattern))
	}
	document, err := openapi3.NewLoader().LoadFromData(api.OpenAPI(""))
	if err != nil {
		panic(err)
	}
	router, err := gorillamux.NewRouter(document)
	if err != nil {
		panic(err)
	}
	return contract{document, router, newSchemas(document)}
})

// operation returns the document's operation for a request. For an unknown path or method, it has
// only a 404 or a 405.
func (c contract) operation(method, path string) *routers.Route {
	route, _, err := c.router.FindRoute(&http.Request{Method: method, URL: &url.URL{Path: path}})
	if err == nil {
		return route
	}
	status, response := 404, "NotFound"
	if errors.Is(err, routers.ErrMethodNotAllowed) {
		status, response = 405, "MethodNotAllowed"
	}
	only := openapi3.NewResponses(openapi3.WithStatus(status, c.Components.Responses[response]))
	return &routers.Route{Spec: c.T, Path: path, Method: method, Operation: &openapi3.Operation{Responses: only}}
}

// check returns an error that describes how an answer differs from the document.
func (c contract) check(method, path string, a answer) error {
	if method == http.MethodHead || a.status == http.StatusNotModified {
		return nil
	}
	response := c.operation(method, plain(path)).Operation.Responses.Status(a.status)
	if a.status == http.StatusNotAcceptable { // of a path that only looks like that of an operation
		response = c.Components.Responses["NotAcceptable"]
	}
	if response == nil {
		return fmt.Errorf("the document has no status %d", a.status)
	}
	for name, header := range response.Value.Headers {
		if err := c.checkHeader(header.Value, a.header[http.CanonicalHeaderKey(name)]); err != nil {
			return fmt.Errorf("header %s: %w", name, err)
		}
	}
	if len(response.Value.Content) == 0 {
		if a.body != "" {
			return fmt.Errorf("a body where there is none: %q", a.body)
		}
		return nil
	}
	kind := a.header.Get("Content-Type")
	content := response.Value.Content.Get(kind)
	if content == nil {
		return fmt.Errorf("the document has no answer of type %q", kind)
	}
	if content.Schema == nil {
		return nil
	}
	same := checked{content.Schema.Value, sha256.Sum256([]byte(a.body))}
	if _, ok := c.schemas.valid.Load(same); ok {
		return nil
	}
	var value any = a.body
	var err error
	switch mediaType, _, _ := mime.ParseMediaType(kind); mediaType {
	case "application/json", "application/problem+json":
		value, err = jsonschema.UnmarshalJSON(strings.NewReader(a.body))
	case "application/xml":
		value, err = readXML(strings.NewReader(a.body), content.Schema.Value)
	}
	if err == nil {
		err = c.schemas.validate(content.Schema, value)
	}
	if err == nil {
		c.schemas.valid.Store(same, true)
	}
	return err
}

func (c contract) checkHeader(header *openapi3.Header, sent []string) error {
	if len(sent) == 0 {
		if header.Required {
			return errors.New("is missing")
		}
		return nil
	}
	var value any = sent[0]
	if t := header.Schema.Value.Type; t.Is("integer") || t.Is("number") {
		value = json.Number(sent[0])
	}
	return c.schemas.validate(header.Schema, value)
}

// schemas validates by the schemas of the document. Each is compiled once: compiling them for each
// answer took most of the time of these tests.
type schemas struct {
	components any
	mu         sync.Mutex
	compiled   map[*openapi3.Schema]*jsonschema.Schema
	valid      sync.Map // of checked: the walks get the same answer thousands of times
}

// checked is a schema and the hash of a body.
type checked struct {
	schema *openapi3.Schema
	body   [sha256.Size]byte
}

func newSchemas(document *openapi3.T) *schemas {
	return &schemas{components: asJSON(document)["components"], compiled: map[*openapi3.Schema]*jsonschema.Schema{}}
}

func (s *schemas) validate(ref *openapi3.SchemaRef, value any) error {
	compiled, err := s.of(ref)
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}

func (s *schemas) of(ref *openapi3.SchemaRef) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if compiled := s.compiled[ref.Value]; compiled != nil {
		return compiled, nil
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for name, pattern := range stringFormats {
		matches := regexp.MustCompile(pattern)
		compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			if text, ok := v.(string); ok && !matches.MatchString(text) {
				return fmt.Errorf("%q is no %s", text, name)
			}
			return nil
		}})
	}
	resource := asJSON(ref)
	resource["components"] = s.components // its references point there
	if err := compiler.AddResource("document.json", resource); err != nil {
		return nil, err
	}
	compiled, err := compiler.Compile("document.json")
	if err == nil {
		s.compiled[ref.Value] = compiled
	}
	return compiled, err
}

// asJSON returns v as a JSON document.
func asJSON(v any) map[string]any {
	written, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	read, err := jsonschema.UnmarshalJSON(bytes.NewReader(written))
	if err != nil {
		panic(err)
	}
	return read.(map[string]any)
}

// plain returns a path in the document's form: decoded, without query, extra slashes or suffix.
func plain(path string) string {
	path, _, _ = strings.Cut(path, "?")
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	path = strings.TrimSuffix(path, "/")
	path, _ = strings.CutSuffix(path, ".json")
	path, _ = strings.CutSuffix(path, ".xml")
	path, _ = strings.CutSuffix(path, ".csv")
	path, _ = strings.CutSuffix(path, ".xlsx")
	return path
}

// element is an XML element.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []element  `xml:",any"`
	Text     string     `xml:",chardata"`
}

// readXML reads an XML document by its schema, so that names, types and nulls are checked too.
func readXML(r io.Reader, s *openapi3.Schema) (any, error) {
	body, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(body, []byte(`<?xml version="1.0" encoding="UTF-8"?><`)) {
		return nil, errors.New("no XML declaration")
	}
	var root element
	if err := xml.Unmarshal(body, &root); err != nil {
		return nil, err
	}
	for _, one := range s.OneOf {
		if s = one.Value; s.XML.Name == root.XMLName.Local && s.Type.Is("array") == root.isArray() {
			break
		}
	}
	if want := s.XML.Name; root.XMLName.Local != want {
		return nil, fmt.Errorf("the root is %s, not %s", root.XMLName.Local, want)
	}
	return root.value(s, true)
}

// isArray reports whether an element has the type of an array.
func (e element) isArray() bool {
	return slices.ContainsFunc(e.Attrs, func(a xml.Attr) bool { return a.Name.Local == "type" && a.Value == "array" })
}

// value reads an element by its schema. written reports whether the service wrote the element:
// then every value must have its type attribute.
func (e element) value(s *openapi3.Schema, written bool) (any, error) {
	s = withoutName(s)
	attributes := map[string]string{}
	for _, a := range e.Attrs {
		attributes[a.Name.Local] = a.Value
	}
	kind := xmlType(s)
	if got := attributes["type"]; written && got != kind {
		return nil, fmt.Errorf("<%s> says type %q, not %q", e.XMLName.Local, got, kind)
	}
	if attributes["nil"] == "true" {
		return nil, nil
	}
	switch {
	case kind == "array":
		items := []any{}
		for _, child := range e.Children {
			if want := s.Items.Value.XML.Name; child.XMLName.Local != want {
				return nil, fmt.Errorf("<%s> in <%s> is not <%s>", child.XMLName.Local, e.XMLName.Local, want)
			}
			item, err := child.value(s.Items.Value, written)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		return items, nil
	case s.Type == nil || s.Type.Permits("object"):
		return e.object(s, written)
	case kind == "integer":
		n, err := strconv.ParseInt(e.Text, 10, 64)
		return float64(n), err
	case kind == "boolean":
		return strconv.ParseBool(e.Text)
	case s.Type.Is("number"):
		return strconv.ParseFloat(e.Text, 64)
	}
	return e.Text, nil
}

func (e element) object(s *openapi3.Schema, written bool) (any, error) {
	members := map[string]any{}
	properties := properties(s)
	for _, child := range e.Children {
		name, p := child.XMLName.Local, (*openapi3.Schema)(nil)
		for key, ref := range properties {
			if xmlName(key, ref.Value) == child.XMLName.Local {
				name, p = key, ref.Value
			}
		}
		if any := s.AdditionalProperties.Has; p == nil && any != nil && *any {
			members[name] = child.Text
			continue
		}
		if p == nil {
			return nil, fmt.Errorf("<%s> in <%s> is unknown", child.XMLName.Local, e.XMLName.Local)
		}
		repeated := p.Type != nil && p.Type.Is("array") && !(p.XML != nil && p.XML.Wrapped)
		if repeated {
			p = p.Items.Value
		}
		v, err := child.value(p, written)
		if err != nil {
			return nil, err
		}
		if repeated {
			list, _ := members[name].([]any)
			members[name] = append(list, v)
			continue
		}
		if _, twice := members[name]; twice {
			return nil, fmt.Errorf("<%s> twice in <%s>", child.XMLName.Local, e.XMLName.Local)
		}
		members[name] = v
	}
	return members, nil
}

// properties returns the properties of a schema and of the schemas that it is composed of.
func properties(s *openapi3.Schema) openapi3.Schemas {
	all := openapi3.Schemas{}
	for name, p := range s.Properties {
		all[name] = p
	}
	for _, part := range slices.Concat(s.AllOf, s.AnyOf) {
		for name, p := range properties(part.Value) {
			all[name] = p
		}
	}
	return all
}

// withoutName returns the enumeration to which a schema refers, or the schema.
func withoutName(s *openapi3.Schema) *openapi3.Schema {
	if all := slices.Concat(s.AllOf, s.AnyOf); s.Type == nil && len(all) > 0 && all[0].Value.Enum != nil {
		return all[0].Value
	}
	return s
}

func xmlName(property string, s *openapi3.Schema) string {
	if s.XML != nil && s.XML.Name != "" {
		return s.XML.Name
	}
	return property
}

// xmlType returns the type attribute of a value in XML.
func xmlType(s *openapi3.Schema) string {
	switch {
	case s.Type == nil:
		return ""
	case s.Type.Permits("string"):
		return map[string]string{"date": "date", "date-time": "datetime", "decimal": "decimal",
			"percentage": "decimal"}[s.Format]
	case s.Type.Is("number"):
		return "decimal"
	}
	for _, t := range []string{"integer", "boolean", "array"} {
		if s.Type.Permits(t) {
			return t
		}
	}
	return ""
}
