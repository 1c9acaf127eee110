// Package openapi is the API's contract for its users: the OpenAPI document with its examples, and
// the reference made from it. It is apart from package api because it is prose and data; package
// api serves it.
package openapi

import (
	"cmp"
	"embed"
	"io/fs"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// sources are document.yaml, with the parts that all operations share, and a file for each tag: its
// name and description, its place among the tags, and its operations.
//
//go:embed document.yaml tags
var sources embed.FS

// goldens are the expected answers of the tests of package api, and the examples of the document.
// Their names are <operationId>_<status> or <response component>, then _<case> if there are
// several.
//
//go:embed examples
var goldens embed.FS

// Document is an OpenAPI document.
type Document struct{ root yaml.MapSlice }

// New returns the document for the API at a URL, with the schemas of the records and the examples.
// common describes fields that their record does not describe.
func New(url string, records []Record, common Fields) Document {
	enums := enumsOf(records, common)
	document := withFilters(read("document.yaml"), enums)
	// The responses of document.yaml are refusals; the responses of the tags are answers.
	refusals := at(at(document, "components").(yaml.MapSlice), "responses").(yaml.MapSlice)
	for i, r := range refusals {
		refusals[i].Value = withProblem(r.Value.(yaml.MapSlice))
	}
	document = merge(document, yaml.MapSlice{
		{Key: "components", Value: yaml.MapSlice{{Key: "schemas", Value: schemas(records, common, enums)}}}})
	document = append(document, yaml.MapItem{Key: "servers", Value: []any{yaml.MapSlice{{Key: "url", Value: url}}}})
	guides := at(document, "externalDocs").(yaml.MapSlice)
	// Linters want a whole URL.
	document = replace(document, "externalDocs",
		replace(guides, "url", strings.TrimSuffix(url, "/")+at(guides, "url").(string)))
	byName := map[string]Record{}
	for _, r := range records {
		if known, ok := byName[r.Name]; !ok || known.JSON == nil { // others have only an input
			byName[r.Name] = r
		}
	}
	var tags []any
	for _, file := range tagFiles() {
		withBatches(file, byName)
		tag := at(file, "tag").(yaml.MapSlice)
		tags = append(tags, without(tag, "order"))
		complete(at(file, "paths").(yaml.MapSlice), at(tag, "name").(string))
		document = merge(document, without(file, "tag"))
	}
	document = replace(document, "tags", tags)
	document = contents(document, byName).(yaml.MapSlice)
	components, _ := at(document, "components").(yaml.MapSlice)
	shared, _ := at(components, "responses").(yaml.MapSlice)
	paths := at(document, "paths").(yaml.MapSlice)
	for _, path := range paths {
		for _, verb := range path.Value.(yaml.MapSlice) {
			exemplify(verb.Value.(yaml.MapSlice), shared)
		}
	}
	for i, r := range shared {
		shared[i].Value = withExamples(r.Value.(yaml.MapSlice), r.Key.(string))
	}
	return Document{document}
}

// JSON returns the document in JSON. It takes a second.
func (d Document) JSON() []byte {
	out, err := yaml.MarshalWithOptions(d.root, yaml.JSON())
	if err != nil {
		panic(err)
	}
	return out
}

// tagFiles returns the files of the tags, in the order of the document.
func tagFiles() (files []yaml.MapSlice) {
	entries, err := sources.ReadDir("tags")
	if err != nil {
		panic(err) // it is embedded
	}
	for _, e := range entries {
		files = append(files, read("tags/"+e.Name()))
	}
	order := func(file yaml.MapSlice) uint64 { return at(at(file, "tag").(yaml.MapSlice), "order").(uint64) }
	slices.SortFunc(files, func(a, b yaml.MapSlice) int { return cmp.Compare(order(a), order(b)) })
	return files
}

// read returns an embedded YAML file.
func read(name string) (m yaml.MapSlice) {
	content, err := sources.ReadFile(name)
	if err == nil {
		err = yaml.UnmarshalWithOptions(content, &m, yaml.UseOrderedMap())
	}
	if err != nil {
		panic(name + ": " + err.Error()) // a test reads every file
	}
	return m
}

// merge adds the members of b to a. A map in both gets the members of both.
func merge(a, b yaml.MapSlice) yaml.MapSlice {
	for _, item := range b {
		i := slices.IndexFunc(a, func(other yaml.MapItem) bool { return other.Key == item.Key })
		if i < 0 {
			a = append(a, item)
			continue
		}
		a[i].Value = merge(a[i].Value.(yaml.MapSlice), item.Value.(yaml.MapSlice))
	}
	return a
}

// exemplify adds the examples to the answers of an operation. A shared response is copied into
// the operation if the operation has examples of its own for it.
func exemplify(operation, shared yaml.MapSlice) {
	responses := at(operation, "responses").(yaml.MapSlice)
	for i, r := range responses {
		response := r.Value.(yaml.MapSlice)
		if ref, ok := at(response, "$ref").(string); ok {
			response = at(shared, strings.TrimPrefix(ref, "#/components/responses/")).(yaml.MapSlice)
		}
		name := at(operation, "operationId").(string) + "_" + r.Key.(string)
		if len(examples(name, "json")) > 0 {
			responses[i].Value = withExamples(response, name)
		}
	}
}

// withExamples returns a response with the goldens of a name as examples.
func withExamples(response yaml.MapSlice, name string) yaml.MapSlice {
	content, _ := at(response, "content").(yaml.MapSlice)
	content = slices.Clone(content)
	for i, media := range content {
		_, format, _ := strings.Cut(media.Key.(string), "/")
		list := examples(name, format)
		switch inner := media.Value.(yaml.MapSlice); len(list) {
		case 0:
		case 1: // the page offers no choice for a single example
			content[i].Value = replace(inner, "example", at(list[0].Value.(yaml.MapSlice), "value"))
		default:
			content[i].Value = replace(inner, "examples", list)
		}
	}
	if content == nil {
		return response
	}
	return replace(response, "content", content)
}

// examples returns the goldens of a name in a format, by case.
func examples(name, format string) (list yaml.MapSlice) {
	for _, pattern := range []string{name, name + "_*"} {
		files, _ := fs.Glob(goldens, "examples/"+pattern+"."+format)
		for _, file := range files {
			content, err := goldens.ReadFile(file)
			if err != nil {
				panic(err)
			}
			var value any = string(content)
			if strings.HasSuffix(format, "json") {
				if err := yaml.UnmarshalWithOptions(content, &value, yaml.UseOrderedMap()); err != nil {
					panic(err)
				}
			}
			kind := strings.Trim(strings.TrimSuffix(strings.TrimPrefix(file, "examples/"+name), "."+format), "_")
			list = append(list, yaml.MapItem{Key: cmp.Or(kind, "usual"), Value: yaml.MapSlice{
				{Key: "value", Value: value}}})
		}
	}
	return list
}

// at returns the value of a key, or nil.
func at(m yaml.MapSlice, key string) any {
	for _, item := range m {
		if item.Key == key {
			return item.Value
		}
	}
	return nil
}

// replace returns a copy of m with another value of a key, at the end.
func replace(m yaml.MapSlice, key string, value any) yaml.MapSlice {
	return append(without(m, key), yaml.MapItem{Key: key, Value: value})
}

// without returns a copy of m without some keys.
func without(m yaml.MapSlice, keys ...string) yaml.MapSlice {
	return slices.DeleteFunc(slices.Clone(m), func(item yaml.MapItem) bool {
		return slices.Contains(keys, item.Key.(string))
	})
}
