package openapi

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"bordero/storage/list"

	"github.com/goccy/go-yaml"
)

// The files of the tags leave out the parts of an operation that follow from its path, verb and
// tag; complete adds them. The parts of one operation alone come last.

// complete adds the common parts to the operations of a tag:
//
//   - the tag
//   - the parameters for the account, the request, its handling and the path, unless the path lists its own
//   - the parameters If-None-Match (GET), Idempotency-Key (POST) and If-Match (PUT, DELETE)
//   - the parameter cursor and the filter by ids of a list
//   - the responses to mistakes, and 304
//   - the headers X-Request-Id, Location of a new record, and the headers of pages, X-Changes-Until if the list can be
//     followed
//   - the mark of a list, which is a sheet too
func complete(paths yaml.MapSlice, tag string) {
	for i, p := range paths {
		path, item := p.Key.(string), p.Value.(yaml.MapSlice)
		common, own := at(item, "parameters").([]any)
		if !own {
			common = append(refs("parameters", "AccountId", "RequestId", "Prefer"), pathParameters(path)...)
		}
		var operations yaml.MapSlice
		for _, o := range item {
			if verb := o.Key.(string); verb != "parameters" {
				operations = append(operations, yaml.MapItem{
					Key: verb, Value: operation(path, verb, tag, common, o.Value.(yaml.MapSlice))})
			}
		}
		paths[i].Value = operations
	}
}

func operation(path, verb, tag string, common []any, o yaml.MapSlice) yaml.MapSlice {
	parameters, _ := at(o, "parameters").([]any)
	paged := slices.ContainsFunc(parameters, func(p any) bool {
		return at(p.(yaml.MapSlice), "$ref") == "#/components/parameters/Page"
	})
	filters := filtersOf(parameters)
	var page []string // the headers of its page
	if paged {
		page = []string{"X-Total-Count", "X-Total-Pages", "Links", "Link"}
		if followed(filters) {
			page = append(page, "X-Changes-Until")
		}
	}
	responses := at(o, "responses").(yaml.MapSlice)
	if ok, _ := at(responses, "200").(yaml.MapSlice); at(ok, "list") != nil {
		parameters = withCursor(parameters)
		responses = replace(responses, "200", replace(ok, sheetMark, true))
	}
	for i, r := range responses {
		responses[i].Value = withHeaders(r.Key.(string), page, r.Value.(yaml.MapSlice))
	}
	statuses := map[string]string{"401": "Unauthorized", "422": "Invalid", "429": "TooMany", "500": "Failed",
		"503": "Unavailable"}
	if strings.Contains(path, "{") {
		statuses["404"] = "NotFound"
	}
	if paged || filters != "" || verb != "get" { // a body may have the filters of a list or of its totals
		maps.Copy(statuses, map[string]string{"400": "Malformed", "413": "TooLarge", "415": "UnsupportedType"})
	}
	var precondition string
	switch verb {
	case "get":
		if at(responses, "200") != nil {
			precondition, statuses["304"] = "IfNoneMatch", "NotModified"
		}
	case "post":
		precondition, statuses["403"], statuses["409"] = "IdempotencyKey", "Forbidden", "Conflict"
	default:
		precondition, statuses["403"], statuses["412"] = "IfMatch", "Forbidden", "Precondition"
	}
	for status, component := range statuses {
		if at(responses, status) == nil {
			responses = append(responses, yaml.MapItem{Key: status, Value: ref("responses", component)})
		}
	}
	slices.SortFunc(responses, func(a, b yaml.MapItem) int { return cmp.Compare(a.Key.(string), b.Key.(string)) })
	all := slices.Clone(common)
	if precondition != "" {
		all = append(all, ref("parameters", precondition))
	}
	o = append(yaml.MapSlice{{Key: "tags", Value: []any{tag}}}, o...)
	return replace(replace(o, "parameters", append(all, parameters...)), "responses", responses)
}

// withHeaders adds the headers that follow from the status of a response, and the headers of a
// page.
func withHeaders(status string, page []string, r yaml.MapSlice) yaml.MapSlice {
	if at(r, "$ref") != nil || status >= "300" && status < "400" {
		return r
	}
	if status >= "400" {
		return withProblem(r)
	}
	names := append([]string{"X-Request-Id"}, page...)
	if page != nil && at(r, "list") != nil {
		names = append(names, "X-Next-Cursor")
	}
	if status == "201" {
		names = append(names, "Location")
	}
	headers, _ := at(r, "headers").(yaml.MapSlice)
	for _, name := range names {
		headers = append(headers, yaml.MapItem{Key: name, Value: ref("headers", name)})
	}
	return replace(r, "headers", headers)
}

// withProblem adds the code, the link to its explanation and the form of problem details to a
// refusal.
func withProblem(r yaml.MapSlice) yaml.MapSlice {
	content, _ := at(r, "content").(yaml.MapSlice)
	if at(content, "application/xml") == nil { // of a success without a document
		return r
	}
	headers, _ := at(r, "headers").(yaml.MapSlice)
	headers = append(headers,
		yaml.MapItem{Key: "X-Error-Code", Value: ref("headers", "X-Error-Code")},
		yaml.MapItem{Key: "Link", Value: ref("headers", "Help")})
	content = append(content, yaml.MapItem{Key: "application/problem+json", Value: yaml.MapSlice{
		{Key: "schema", Value: ref("schemas", "Problem")}}})
	return replace(replace(r, "headers", headers), "content", content)
}

// withCursor adds the parameter cursor to the parameters of a list, and the filter by ids unless
// the list has a table of filters, which includes it.
func withCursor(parameters []any) []any {
	filtered := filtersOf(parameters) != ""
	parameters = append(parameters, ref("parameters", "Cursor"))
	if !filtered {
		parameters = append(parameters, ref("parameters", "IDFilters"))
	}
	return parameters
}

// filtersOf returns the list, as list.Filters names it, of the filters among the parameters; "" without filters.
func filtersOf(parameters []any) string {
	for _, p := range parameters {
		component, _ := at(p.(yaml.MapSlice), "$ref").(string)
		if name, ok := strings.CutSuffix(strings.TrimPrefix(component, "#/components/parameters/"), "Filters"); ok {
			return name
		}
	}
	return ""
}

// followed reports whether clients can ask for the records of a list that have changed since a moment.
func followed(filters string) bool {
	return slices.ContainsFunc(list.Filters()[filters], func(f list.Description) bool {
		return f.Name == list.UpdatedAtGTE
	})
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// pathParameters returns the parameters of a path: ids, and the month of an invoice, which the
// components describe.
func pathParameters(path string) (list []any) {
	for _, m := range placeholder.FindAllStringSubmatch(path, -1) {
		record, isID := strings.CutSuffix(m[1], "_id")
		if !isID {
			list = append(list, ref("parameters", strings.ToUpper(m[1][:1])+m[1][1:]))
			continue
		}
		list = append(list, yaml.MapSlice{
			{Key: "name", Value: m[1]}, {Key: "in", Value: "path"}, {Key: "required", Value: true},
			{Key: "description", Value: "Id of the " + strings.ReplaceAll(record, "_", " ") + "."},
			{Key: "schema", Value: yaml.MapSlice{{Key: "type", Value: "integer"}, {Key: "format", Value: "int64"}}},
		})
	}
	return list
}

// refs refers to components of a kind.
func refs(kind string, names ...string) (list []any) {
	for _, name := range names {
		list = append(list, ref(kind, name))
	}
	return list
}

func ref(kind, name string) yaml.MapSlice {
	return yaml.MapSlice{{Key: "$ref", Value: "#/components/" + kind + "/" + name}}
}
