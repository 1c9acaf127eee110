package api_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bordero/api"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// contract is the OpenAPI document, which every answer in these tests is held to.
type contract struct {
	*openapi3.T
	router routers.Router
}

var openAPI = sync.OnceValue(func() contract {
	openapi3.DefineStringFormatValidator("decimal", openapi3.NewRegexpFormatValidator(`^-?(0|[1-9]\d*)\.(\d|\d[1-9])$`))
	openapi3.DefineStringFormatValidator("percentage", openapi3.NewRegexpFormatValidator(`^-?(0|[1-9]\d*)\.(\d|\d{1,3}[1-9])$`))
	openapi3.DefineStringFormatValidator("date", openapi3.NewRegexpFormatValidator(`^\d{4}-\d\d-\d\d$`))
	openapi3.DefineStringFormatValidator("date-time", openapi3.NewRegexpFormatValidator(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$`))
	openapi3.DefineStringFormatValidator("uri", openapi3.NewRegexpFormatValidator(`^https?://`))
	openapi3filter.RegisterBodyDecoder("application/xml",
		func(body io.Reader, _ http.Header, s *openapi3.SchemaRef, _ openapi3filter.EncodingFn) (any, error) {
			return readXML(body, s.Value)
		})
	document, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	if err != nil {
		panic(err)
	}
	router, err := gorillamux.NewRouter(document)
	if err != nil {
		panic(err)
	}
	return contract{document, router}
})

// operation finds what the document says of a request. A path or verb that it
// does not have may only be answered as such.
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

// check tells in what an answer is not what the document says.
func (c contract) check(method, path string, a answer) error {
	route := c.operation(method, plain(path))
	response := route.Operation.Responses.Status(a.status)
	if response != nil && len(response.Value.Content) == 0 && a.body != "" {
		return fmt.Errorf("a body where there is none: %q", a.body)
	}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: &http.Request{Method: method}, Route: route},
		Status:                 a.status, Header: a.header, Body: io.NopCloser(strings.NewReader(a.body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
}

// plain is a path as the document has it: decoded, without query, needless
// slashes and suffix.
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
	return path
}

// element is an XML element as it is written.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []element  `xml:",any"`
	Text     string     `xml:",chardata"`
}

// readXML reads a document as its schema says that it is written, so that names,
// types and nulls of XML are held to the document too.
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
	if want := s.XML.Name; root.XMLName.Local != want {
		return nil, fmt.Errorf("the root is %s, not %s", root.XMLName.Local, want)
	}
	return root.value(s, true)
}

// value reads an element by its schema. written tells whether the service wrote
// it: then every value says its type.
func (e element) value(s *openapi3.Schema, written bool) (any, error) {
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

// properties are those of a schema and of all that it is made of.
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

func xmlName(property string, s *openapi3.Schema) string {
	if s.XML != nil && s.XML.Name != "" {
		return s.XML.Name
	}
	return property
}

// xmlType is what XML says in the type attribute of a value.
func xmlType(s *openapi3.Schema) string {
	switch {
	case s.Type == nil:
		return ""
	case s.Type.Permits("string"):
		return map[string]string{"date": "date", "date-time": "datetime", "decimal": "decimal", "percentage": "decimal"}[s.Format]
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
