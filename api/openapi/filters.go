package openapi

import (
	"slices"
	"strings"

	"bordero/storage/list"

	"github.com/goccy/go-yaml"
)

// withFilters adds the parameter search of each list with filters in storage to the components,
// under a name such as SaleFilters. An example in document.yaml stays.
func withFilters(document yaml.MapSlice, enums enums) yaml.MapSlice {
	parameters := yaml.MapSlice{}
	known := part{document, document}.at("components", "parameters")
	for list, filters := range list.Filters() {
		name := list + "Filters"
		parameter := filterParameter(filters, enums)
		if known.at(name, "example").missing() {
			parameter = append(parameter, yaml.MapItem{Key: "example", Value: yaml.MapSlice{}})
		}
		parameters = append(parameters, yaml.MapItem{Key: name, Value: parameter})
	}
	slices.SortFunc(parameters, func(a, b yaml.MapItem) int { return strings.Compare(a.Key.(string), b.Key.(string)) })
	return merge(document, yaml.MapSlice{
		{Key: "components", Value: yaml.MapSlice{{Key: "parameters", Value: parameters}}}})
}

// filterParameter returns the parameter with the filters of a list.
func filterParameter(filters []list.Description, enums enums) yaml.MapSlice {
	var properties yaml.MapSlice
	var required []any
	for _, f := range filters {
		properties = append(properties, yaml.MapItem{Key: f.Name, Value: filterSchema(f, enums)})
		if f.Required {
			required = append(required, f.Name)
		}
	}
	schema := yaml.MapSlice{
		{Key: "type", Value: "object"}, {Key: "additionalProperties", Value: false},
		{Key: "properties", Value: properties},
	}
	parameter := yaml.MapSlice{
		{Key: "name", Value: "search"}, {Key: "in", Value: "query"},
		{Key: "style", Value: "deepObject"}, {Key: "explode", Value: true},
		{Key: "description", Value: "Filters, sent as `search[name]=…`."},
	}
	if required != nil {
		schema = append(schema, yaml.MapItem{Key: "required", Value: required})
		parameter = append(parameter, yaml.MapItem{Key: "required", Value: true})
	}
	return append(parameter, yaml.MapItem{Key: "schema", Value: schema})
}

// filterSchema returns the schema of the values of a filter.
func filterSchema(f list.Description, enums enums) yaml.MapSlice {
	out := yaml.MapSlice{{Key: "type", Value: f.Type}}
	if name := enums.named(f.Enum); name != "" {
		return append(enumRef(name, false), yaml.MapItem{Key: "description", Value: f.Doc})
	}
	if f.Format != "" {
		out = append(out, yaml.MapItem{Key: "format", Value: f.Format})
	}
	if f.Enum != nil {
		out = append(out, yaml.MapItem{Key: "enum", Value: f.Enum})
	}
	return append(out, yaml.MapItem{Key: "description", Value: f.Doc})
}
