package openapi

import (
	"cmp"
	"slices"
	"strings"

	"bordero/internal/wire"

	"github.com/goccy/go-yaml"
)

// Record is a kind of record: its schemas, which are recorded from the functions that write and
// read it, and the meaning of its fields. The document has a schema of its name (JSON), one with
// the suffix XML, one with the suffix Input for requests, and two with the further suffix Document
// for the record and the input under the root key. A nil schema is left out.
type Record struct {
	Name             string // "Person"
	Root, Plural     string // "person", "people"
	Embedded         bool   // only part of other records, never a document
	JSON, XML, Input *wire.Schema
	Required         []string         // the required fields of Input
	MaxLength        map[string]int64 // of the texts of Input
	Fields           Fields
}

// rootless is the root element in XML of a record that has no root key in JSON.
const rootless = "hash"

// Fields describe the fields of records by name, and the fields of inner records by path:
// "installments.status".
type Fields map[string]Field

// Field describes a field beyond the code that reads and writes it.
type Field struct {
	Doc     string // the description in answers, and in requests unless In is set
	In      string // the description in requests
	Enum    Enum   // all values, or all values of the elements of a list
	Example any    // in answers
	Format  string
	Pattern string // in answers
	Min     any
	Max     any

	NotNull  bool     // never null, although the code could write null
	Nullable bool     // may be null in a request, which then counts as absent
	Type     string   // in requests, if clients should send a narrower type than is read
	Alias    bool     // read as another name of a field, and not documented
	XML      string   // its name in the XML of requests, if it differs
	Items    string   // the record of each element
	AnyOf    []string // the records that an element may be
}

// schemas returns the schemas of the records and of their enumerations.
func schemas(records []Record, common Fields, enums enums) (list yaml.MapSlice) {
	for _, r := range records {
		d := describer{record: r, common: common, enums: enums}
		if r.JSON != nil {
			list = append(list, yaml.MapItem{Key: r.Name, Value: d.object(r.JSON, "", "", "")})
		}
		if r.XML != nil {
			d.xml = true
			list = append(list, yaml.MapItem{Key: r.Name + "XML", Value: d.object(r.XML, "", r.Root, "")})
		}
		if r.JSON != nil && r.Root != rootless && !r.Embedded {
			document := append(under(r.Root, r.Name), yaml.MapItem{Key: "additionalProperties", Value: false})
			list = append(list, yaml.MapItem{Key: r.Name + "Document", Value: document})
		}
		if r.Input != nil {
			d.xml, d.input = true, true
			list = append(list, yaml.MapItem{Key: r.Name + "Input", Value: d.object(r.Input, "", r.Root, "")})
			if r.Root != rootless {
				list = append(list, yaml.MapItem{Key: r.Name + "InputDocument", Value: under(r.Root, r.Name+"Input")})
			}
		}
	}
	return append(list, enums.schemas()...)
}

// under returns the schema of a document with a record under its root key.
func under(root, name string) yaml.MapSlice {
	return yaml.MapSlice{
		{Key: "type", Value: "object"},
		{Key: "required", Value: []any{root}},
		{Key: "properties", Value: yaml.MapSlice{{Key: root, Value: ref("schemas", name)}}},
	}
}

// describer makes one of the schemas of a record.
type describer struct {
	record     Record
	common     Fields
	enums      enums
	xml, input bool
}

// object returns the schema of an object. path is its place in the record, element its
// name in XML.
func (d describer) object(s *wire.Schema, path, element, doc string) yaml.MapSlice {
	out := yaml.MapSlice{{Key: "type", Value: "object"}}
	if doc != "" {
		out = append(out, yaml.MapItem{Key: "description", Value: doc})
	}
	if d.xml && element != "" {
		out = append(out, xmlName(element))
	}
	var required []any
	var properties yaml.MapSlice
	for _, m := range s.Members {
		f := d.field(path + m.Name)
		if d.input && f.Alias {
			continue
		}
		if !m.Optional {
			required = append(required, m.Name)
		}
		properties = append(properties, yaml.MapItem{Key: m.Name, Value: d.property(m, path+m.Name, f)})
	}
	if !d.input {
		out = append(out, yaml.MapItem{Key: "additionalProperties", Value: false}, yaml.MapItem{
			Key: "required", Value: required})
	}
	return append(out, yaml.MapItem{Key: "properties", Value: properties})
}

// field returns the description of the field at a path: the description of this record, else the
// common one. The whole path precedes its ends.
func (d describer) field(path string) Field {
	if f, ok := d.record.Fields[path]; ok {
		return f
	}
	for {
		if f, ok := d.common[path]; ok {
			return f
		}
		_, rest, more := strings.Cut(path, ".")
		if !more {
			return Field{}
		}
		path = rest
	}
}

// property returns the schema of a field.
func (d describer) property(m wire.Member, path string, f Field) yaml.MapSlice {
	if m.Type == "object" && m.Members != nil { // an object without members is stored as a whole
		out := d.object(m.Schema, path+".", m.Name, f.Doc)
		if m.Null && !d.input {
			out[0].Value = []any{"object", "null"}
		}
		return out
	}
	out := d.typed(m, f)
	add := func(key string, value any) { out = append(out, yaml.MapItem{Key: key, Value: value}) }
	if d.xml {
		name := yaml.MapSlice{{Key: "name", Value: kebab(m.Name)}}
		if d.input && f.XML != "" {
			name[0].Value = kebab(f.XML)
		}
		if m.Type == "array" {
			name = append(name, yaml.MapItem{Key: "wrapped", Value: true})
		}
		add("xml", name)
	}
	if doc := d.doc(path, f); doc != "" {
		add("description", doc)
	}
	if f.Min != nil {
		add("minimum", f.Min)
	}
	if f.Max != nil {
		add("maximum", f.Max)
	}
	switch {
	case !d.input && f.Pattern != "":
		add("pattern", f.Pattern)
	case d.input && d.record.MaxLength[path] > 0:
		add("maxLength", d.record.MaxLength[path])
	}
	if !d.input && f.Example != nil {
		add("examples", []any{f.Example})
	}
	switch m.Type {
	case "array":
		add("items", d.items(m, path, f))
	case "object":
		add("additionalProperties", true)
	}
	return out
}

// typed returns the type of a field, its format and its values.
func (d describer) typed(m wire.Member, f Field) (out yaml.MapSlice) {
	types, null := []any{m.Type}, m.Null && !f.NotNull
	if d.input && f.Type != "" {
		types = []any{f.Type}
	} else if m.Numeric {
		types = append(types, "number")
	}
	if null = null || d.input && f.Nullable; null {
		types = append(types, "null")
	}
	if m.Type == "array" { // the values belong to the elements
		f.Enum = Enum{}
	}
	if f.Enum.Name != "" {
		return enumRef(f.Enum.Name, null)
	}
	if len(types) == 1 {
		out = append(out, yaml.MapItem{Key: "type", Value: types[0]})
	} else {
		out = append(out, yaml.MapItem{Key: "type", Value: types})
	}
	if format := cmp.Or(f.Format, m.Format); format != "" && (format == "int64" || !d.input) {
		out = append(out, yaml.MapItem{Key: "format", Value: format})
	}
	if values := f.Enum.values(); values != nil {
		if null {
			values = append(values, nil)
		}
		out = append(out, yaml.MapItem{Key: "enum", Value: values})
	}
	return out
}

// refer refers to the schema of another record in the same format and direction.
func (d describer) refer(name string) yaml.MapSlice {
	switch {
	case d.input:
		name += "Input"
	case d.xml:
		name += "XML"
	}
	return ref("schemas", name)
}

// singular returns the name of an element of a list.
func singular(list string) string {
	if stem, is := strings.CutSuffix(list, "ies"); is {
		return stem + "y"
	}
	return strings.TrimSuffix(strings.TrimSuffix(list, "_list"), "s")
}

// items returns the schema of the elements of an array.
func (d describer) items(m wire.Member, path string, f Field) yaml.MapSlice {
	element := cmp.Or(m.Item, singular(m.Name))
	switch {
	case f.Items != "":
		return d.refer(f.Items)
	case len(f.AnyOf) > 0:
		var all []any
		for _, name := range f.AnyOf {
			all = append(all, d.refer(name))
		}
		out := yaml.MapSlice{{Key: "anyOf", Value: all}}
		if d.xml {
			out = append(out, xmlName(element))
		}
		return out
	case m.Schema.Items == nil: // the list is always empty so far
		return yaml.MapSlice{{Key: "type", Value: "object"}}
	case m.Schema.Items.Type == "object":
		return d.object(m.Schema.Items, path+".", element, "")
	}
	out := d.typed(wire.Member{Schema: m.Schema.Items}, Field{Enum: f.Enum})
	if d.xml {
		out = append(out, xmlName(element))
	}
	return out
}

// doc returns the description of a field.
func (d describer) doc(path string, f Field) string {
	if !d.input {
		return f.Doc
	}
	text := cmp.Or(f.In, f.Doc)
	if slices.Contains(d.record.Required, path) {
		text = strings.TrimSpace("Required. " + text)
	}
	return text
}

func xmlName(name string) yaml.MapItem {
	return yaml.MapItem{Key: "xml", Value: yaml.MapSlice{{Key: "name", Value: kebab(name)}}}
}

func kebab(name string) string { return strings.ReplaceAll(name, "_", "-") }
