package openapi

import (
	"slices"
	"strings"

	"bordero/internal/wire"

	"github.com/goccy/go-yaml"
)

// In the file of a tag, batch describes an operation that creates or changes many records:
//
//	batch: Sale             # each item is a body of the request that creates one
//
//	batch: SettledAccount   # each item is this input, without a root
//	item: {example: …, xml: …}
//	answers: PayableAccount # the records of the answer, if they are others
//
//	batch: Budget
//	identity: "`month`, …"  # what on_conflict compares, of records without external_id
//
// withBatches replaces these members by the body of the request and by its answers, and begins the description with
// the text that all batches share.
func withBatches(file yaml.MapSlice, records map[string]Record) {
	components, _ := at(file, "components").(yaml.MapSlice)
	bodies, _ := at(components, "requestBodies").(yaml.MapSlice)
	paths := at(file, "paths").(yaml.MapSlice)
	for _, path := range paths {
		verbs := path.Value.(yaml.MapSlice)
		for i, verb := range verbs {
			operation, _ := verb.Value.(yaml.MapSlice) // none for the parameters of a path
			name, is := at(operation, "batch").(string)
			if !is {
				continue
			}
			body, own := at(operation, "item").(yaml.MapSlice)
			if !own {
				body = bodyOfOne(paths, path.Key.(string), bodies)
			}
			answers, other := at(operation, "answers").(string)
			if !other {
				answers = name
			}
			identity, _ := at(operation, "identity").(string)
			if records[name].hasExternalID() {
				identity = "`external_id`"
			}
			more, _ := at(operation, "description").(string)
			operation = without(operation, "batch", "item", "answers", "identity")
			operation = replace(operation, "description", strings.TrimSpace(batchText(identity)+more))
			operation = replace(operation, "requestBody", batchBody(records[name], identity, body))
			verbs[i].Value = replace(operation, "responses", batchResponses(answers+"Batch"))
		}
	}
}

// batchText returns the beginning of the description of a batch. An item updates the record with the same identity;
// none if it is "".
func batchText(identity string) string {
	text := "Up to 500 items in one request. The results say, in order, what a request with each item alone would " +
		"have been answered. A refused item changes nothing, and the others stand; with `atomic: true` one refused " +
		"item refuses all (422, with all `results`). The document may have four times the size of others, and its " +
		"items may make and select 5,000 records together, among them attachments, taxes and classifications. One " +
		"`Idempotency-Key` stands for the batch. "
	if identity != "" {
		text += "With `on_conflict: update` an item whose " + identity + " exists, also from an earlier item, " +
			"updates that record (200 instead of 201). "
	}
	return text
}

func (r Record) hasExternalID() bool {
	return r.Input != nil && slices.ContainsFunc(r.Input.Members, func(m wire.Member) bool {
		return m.Name == "external_id"
	})
}

// bodyOfOne returns the body of the request that makes one record, of the path without its last segment.
func bodyOfOne(paths yaml.MapSlice, path string, bodies yaml.MapSlice) yaml.MapSlice {
	one := at(at(paths, strings.TrimSuffix(path, "/batch")).(yaml.MapSlice), "post").(yaml.MapSlice)
	body := at(one, "requestBody").(yaml.MapSlice)
	if shared, is := at(body, "$ref").(string); is {
		body = at(bodies, strings.TrimPrefix(shared, "#/components/requestBodies/")).(yaml.MapSlice)
	}
	return body
}

// batchBody returns the body of a batch whose items are the input of r, with the examples of one.
func batchBody(r Record, identity string, one yaml.MapSlice) yaml.MapSlice {
	schema := named(object([]any{"items"}, batchProperties(r, identity)...), "hash")
	lines := strings.Split(strings.TrimRight(at(one, "xml").(string), "\n"), "\n")
	inXML := "<hash>\n  <items type=\"array\">\n    <item>\n      " + strings.Join(lines, "\n      ") +
		"\n    </item>\n  </items>\n</hash>\n"
	inJSON := yaml.MapSlice{{Key: "atomic", Value: false}, {Key: "items", Value: []any{at(one, "example")}}}
	return yaml.MapSlice{{Key: "required", Value: true}, {Key: "content", Value: formats(
		yaml.MapSlice{{Key: "schema", Value: schema}, {Key: "example", Value: inJSON}},
		yaml.MapSlice{{Key: "schema", Value: schema}, {Key: "example", Value: inXML}})}}
}

func batchProperties(r Record, identity string) yaml.MapSlice {
	properties := yaml.MapSlice{{Key: "atomic", Value: yaml.MapSlice{{Key: "type", Value: "boolean"},
		{Key: "description", Value: "Whether one refused item refuses all; false where absent."}}}}
	if identity != "" {
		properties = append(properties, yaml.MapItem{Key: "on_conflict", Value: yaml.MapSlice{
			{Key: "type", Value: "string"}, {Key: "enum", Value: []any{"update"}}, {Key: "description",
				Value: "`update`: an item whose " + identity + " exists updates its record, instead of being " +
					"refused."}}})
	}
	item := ref("schemas", r.Name+"Input")
	if r.Root != rootless {
		root := named(yaml.MapSlice{{Key: "allOf", Value: []any{item}},
			{Key: "description", Value: "Required. The attributes of an item."}}, kebab(r.Root))
		item = object([]any{r.Root}, yaml.MapItem{Key: r.Root, Value: root})
	}
	return append(properties, yaml.MapItem{Key: "items", Value: yaml.MapSlice{
		{Key: "type", Value: "array"}, {Key: "minItems", Value: 1}, {Key: "maxItems", Value: 500},
		{Key: "description", Value: "Required. From 1 to 500 items, each as in a request of its own."},
		{Key: "items", Value: named(item, "item")},
		{Key: "xml", Value: yaml.MapSlice{{Key: "wrapped", Value: true}}}}})
}

// named returns a schema with the name of its element in XML.
func named(schema yaml.MapSlice, element string) yaml.MapSlice {
	return append(schema, yaml.MapItem{Key: "xml", Value: yaml.MapSlice{{Key: "name", Value: element}}})
}

func object(required []any, properties ...yaml.MapItem) yaml.MapSlice {
	return yaml.MapSlice{{Key: "type", Value: "object"}, {Key: "additionalProperties", Value: false},
		{Key: "required", Value: required}, {Key: "properties", Value: yaml.MapSlice(properties)}}
}

// batchResponses returns the answers of a batch, whose results are a record.
func batchResponses(record string) yaml.MapSlice {
	oneOf := func(schemas ...string) yaml.MapSlice {
		var all []any
		for _, name := range schemas {
			all = append(all, ref("schemas", name))
		}
		return yaml.MapSlice{{Key: "schema", Value: yaml.MapSlice{{Key: "oneOf", Value: all}}}}
	}
	return yaml.MapSlice{
		{Key: "200", Value: yaml.MapSlice{{Key: "description", Value: "The result of each item, in order."},
			{Key: "record", Value: record}}},
		{Key: "403", Value: ref("responses", "Forbidden")},
		{Key: "422", Value: yaml.MapSlice{
			{Key: "description", Value: "The batch cannot be read, or it is atomic and one of its items is refused; " +
				"then `results` say which, and why."},
			{Key: "headers", Value: yaml.MapSlice{{Key: "X-Request-Id", Value: ref("headers", "X-Request-Id")}}},
			{Key: "content", Value: formats(oneOf(record, "Messages", "Sentence", "AccountChoice"),
				oneOf(record+"XML", "Errors"))}}}}
}
