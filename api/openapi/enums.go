package openapi

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/goccy/go-yaml"
)

// Enum is a set of values. With a name it is a schema of the document, to which the fields and the
// filters with the same values refer, so that a generated client has one type for it.
type Enum struct {
	Name   string // "SaleStatus", or ""
	Values any    // a slice of texts or of integers
}

func (e Enum) values() (list []any) {
	if e.Values == nil {
		return nil
	}
	for i, all := 0, reflect.ValueOf(e.Values); i < all.Len(); i++ {
		list = append(list, all.Index(i).Interface())
	}
	return list
}

// kind returns the type of the values.
func (e Enum) kind() yaml.MapSlice {
	if reflect.TypeOf(e.Values).Elem().Kind() == reflect.String {
		return yaml.MapSlice{{Key: "type", Value: "string"}}
	}
	return yaml.MapSlice{{Key: "type", Value: "integer"}, {Key: "format", Value: "int64"}}
}

// enums are the enumerations with a name, by name.
type enums map[string]Enum

// enumsOf returns the named enumerations of all fields. It panics if one name has two lists of
// values, or one list has two names.
func enumsOf(records []Record, common Fields) enums {
	all, names := enums{}, map[string]string{}
	add := func(fields Fields) {
		for _, f := range fields {
			if f.Enum.Name == "" {
				continue
			}
			values := fmt.Sprint(f.Enum.values())
			if known, ok := names[values]; ok && known != f.Enum.Name || !ok && all[f.Enum.Name].Values != nil {
				panic(fmt.Sprintf("%s has two lists of values, or %s has two names: %s", f.Enum.Name, values, known))
			}
			all[f.Enum.Name], names[values] = f.Enum, f.Enum.Name
		}
	}
	add(common)
	for _, r := range records {
		add(r.Fields)
	}
	return all
}

// named returns the name of the enumeration with these values, or "".
func (e enums) named(values []string) string {
	for name, enum := range e {
		if valueSet(enum.values()) == valueSet(Enum{Values: values}.values()) {
			return name
		}
	}
	return ""
}

// valueSet returns values as one text, which does not depend on their order.
func valueSet(values []any) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, fmt.Sprint(v))
	}
	slices.Sort(texts)
	return fmt.Sprintf("%q", texts)
}

// schemas returns a schema for each enumeration.
func (e enums) schemas() (list yaml.MapSlice) {
	for _, name := range slices.Sorted(maps.Keys(e)) {
		schema := append(e[name].kind(), yaml.MapItem{Key: "enum", Value: e[name].values()})
		list = append(list, yaml.MapItem{Key: name, Value: schema})
	}
	return list
}

// enumRef refers to an enumeration, in a form that allows a description in every version of
// OpenAPI.
func enumRef(name string, null bool) yaml.MapSlice {
	if null {
		return yaml.MapSlice{
			{Key: "anyOf", Value: []any{ref("schemas", name), yaml.MapSlice{{Key: "type", Value: "null"}}}}}
	}
	return yaml.MapSlice{{Key: "allOf", Value: []any{ref("schemas", name)}}}
}

// enumeration returns the enumeration to which a schema refers, and whether its values may be null.
// The part is missing if the schema refers to no enumeration.
func (p part) enumeration() (enum part, null bool) {
	all := append(p.at("allOf").items(), p.at("anyOf").items()...)
	if len(all) == 0 || all[0].at("enum").missing() {
		return part{}, false
	}
	return part{all[0].resolved().value, p.root}, len(all) > 1
}
