package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// operation writes an operation: its parameters, its request and its answers.
func (w *writer) operation(b *strings.Builder, o listed) {
	id := o.at("operationId").text()
	fmt.Fprintf(b, "\n## %s {#%s}\n\n`%s %s`\n\n%s\n\n", o.at("summary").text(), id, o.verb, o.path,
		o.at("description").text())
	headers := w.parameters(b, o)
	w.body(b, o)
	w.answers(b, o)
	if len(headers) > 0 {
		fmt.Fprintf(b, "[Headers](%s): %s. ", w.overviewOf("headers"), strings.Join(headers, ", "))
	}
	var refusals []string
	for status := range o.at("responses").members() {
		if status >= "400" {
			refusals = append(refusals, status)
		}
	}
	// A notification has no refusals, and clients cannot try it.
	if len(refusals) > 0 {
		fmt.Fprintf(b, "[Refusals](%s): %s. [Try it](/docs/try/%s#/%s/%s).\n", w.overviewOf("refusals"),
			strings.Join(refusals, ", "), slug(o.tag), strings.ReplaceAll(o.tag, " ", "%20"), id)
	}
}

// parameters writes the parameters of an operation, filters one by one, and returns the headers
// that the overview describes. Ids in the path need no description.
func (w *writer) parameters(b *strings.Builder, o listed) (headers []string) {
	rows := ""
	for _, p := range o.at("parameters").items() {
		name, in := p.at("name").text(), p.at("in").text()
		switch {
		case in == "header" && p.ref() != "":
			headers = append(headers, "`"+name+"`")
		case in == "path" && strings.HasSuffix(name, "_id"):
		case p.at("style").text() == "deepObject":
			for filter, schema := range p.at("schema", "properties").members() {
				rows += w.row(name+"["+filter+"]", schema, schema.at("description").text())
			}
		default:
			rows += w.row(name, p.at("schema"), p.at("description").text())
		}
	}
	if rows != "" {
		b.WriteString("| parameter | type | meaning |\n|---|---|---|\n" + rows + "\n")
	}
	return headers
}

func (w *writer) overviewOf(anchor string) string { return Overview + ".md#" + anchor }

// body writes the request body of an operation.
func (w *writer) body(b *strings.Builder, o listed) {
	content := o.at("requestBody", "content")
	if form := content.at("multipart/form-data"); !form.missing() {
		b.WriteString("**Sent** as `multipart/form-data`:\n\n| part | type | meaning |\n|---|---|---|\n")
		w.fields(b, "", form.at("schema"))
		b.WriteString("\n")
		return
	}
	media := content.at("application/json")
	if media.missing() {
		return
	}
	schema, attributes := media.at("schema"), 0
	for range schema.at("properties").members() {
		attributes++
	}
	if schema.ref() == "" && attributes > 1 { // no record under its root
		b.WriteString("**Sent**:\n\n| attribute | type | meaning |\n|---|---|---|\n")
		w.fields(b, "", schema)
		b.WriteString("\n")
	} else {
		fmt.Fprintf(b, "**Sent**: %s.\n\n", w.document(schema))
	}
	folded(b, "An example", exampleIn(content, "application/json"), exampleIn(content, "application/xml"))
}

// answers writes the answers of an operation: every success, and each refusal with an example of
// its own.
func (w *writer) answers(b *strings.Builder, o listed) {
	for status, r := range o.at("responses").members() {
		content := r.at("content")
		own := r.ref() == "" && !content.missing()
		if status < "400" && status != "304" {
			what := ""
			if schema := content.at("application/json", "schema"); !schema.missing() {
				what = " " + w.document(schema) + "."
			}
			fmt.Fprintf(b, "**%s** %s%s\n\n", status, oneLine(r.at("description").text()), what)
		}
		if own && (status < "400" || status == "422") {
			folded(b, "Example of "+status, exampleIn(content, "application/json"),
				exampleIn(content, "application/xml"))
		}
	}
}

// document names the record of a schema, and its root key.
func (w *writer) document(schema part) string {
	if items := schema.at("items"); !items.missing() {
		return "A list of " + w.document(items)
	}
	if record := schema.ref(); record != "" && !strings.HasSuffix(record, "Document") {
		return w.link(record)
	}
	if choices := schema.at("anyOf").items(); len(choices) > 0 {
		return w.document(choices[0]) + ", or the same fields without that root"
	}
	for root, p := range schema.at("properties").members() {
		return fmt.Sprintf("%s under `%s`", w.kind(p), root)
	}
	return "An object"
}

// exampleIn returns the first example in a format.
func exampleIn(content part, format string) string {
	media := content.at(format)
	example := media.at("example")
	if example.missing() {
		for _, e := range media.at("examples").members() {
			example = e.at("value")
			break
		}
	}
	if example.missing() {
		return ""
	}
	if text, ok := example.value.(string); ok {
		return strings.TrimSpace(text)
	}
	flat, err := yaml.MarshalWithOptions(example.value, yaml.JSON())
	if err != nil {
		panic(err) // it was YAML
	}
	var out bytes.Buffer
	if err := json.Indent(&out, flat, "", "  "); err != nil {
		panic(err)
	}
	return strings.TrimSpace(out.String())
}

// folded writes an example in both formats, folded.
func folded(b *strings.Builder, title, inJSON, inXML string) {
	if inJSON == "" && inXML == "" {
		return
	}
	fmt.Fprintf(b, "<details>\n<summary>%s</summary>\n\n", title)
	for _, e := range []struct{ language, text string }{{"json", inJSON}, {"xml", inXML}} {
		if e.text != "" {
			fmt.Fprintf(b, "```%s\n%s\n```\n\n", e.language, e.text)
		}
	}
	b.WriteString("</details>\n\n")
}
