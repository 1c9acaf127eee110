package openapi

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// WithoutXML returns the document for clients that use JSON alone: without the content in XML, the
// names in XML, and the schemas that only XML has.
func (d Document) WithoutXML() Document {
	root := withoutXML(d.root).(yaml.MapSlice)
	components := at(root, "components").(yaml.MapSlice)
	used := map[string]bool{}
	for _, item := range root {
		if item.Key != "components" {
			markSchemas(root, item.Value, used)
		}
	}
	for _, item := range components {
		if item.Key != "schemas" {
			markSchemas(root, item.Value, used)
		}
	}
	schemas := slices.DeleteFunc(at(components, "schemas").(yaml.MapSlice), func(item yaml.MapItem) bool {
		return !used[item.Key.(string)]
	})
	return Document{replace(root, "components", replace(components, "schemas", schemas))}
}

// withoutXML returns a copy of a part of a document.
func withoutXML(value any) any {
	switch value := value.(type) {
	case []any:
		list := make([]any, len(value))
		for i, v := range value {
			list[i] = withoutXML(v)
		}
		return list
	case yaml.MapSlice:
		out := make(yaml.MapSlice, 0, len(value))
		for _, item := range value {
			switch item.Key {
			case "xml", "application/xml":
			case "example", "examples":
				out = append(out, item)
			default:
				out = append(out, yaml.MapItem{Key: item.Key, Value: withoutXML(item.Value)})
			}
		}
		return out
	}
	return value
}

// markSchemas marks the schemas to which a part of a document refers, directly or by other schemas.
func markSchemas(root yaml.MapSlice, value any, used map[string]bool) {
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			markSchemas(root, v, used)
		}
	case yaml.MapSlice:
		for _, item := range value {
			path, _ := item.Value.(string)
			name, isSchema := strings.CutPrefix(path, "#/components/schemas/")
			if item.Key == "$ref" && isSchema && !used[name] {
				used[name] = true
				markSchemas(root, part{root, root}.at("components", "schemas", name).value, used)
			}
			markSchemas(root, item.Value, used)
		}
	}
}
