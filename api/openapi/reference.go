package openapi

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Chapter is a part of the reference: the common parts of all operations, or the operations and
// records of a tag. Its Markdown begins with the title, and links to other chapters by their slug
// and .md.
type Chapter struct{ Slug, Title, Markdown string }

// Overview is the slug of the chapter with the common parts of all operations.
const Overview = "index"

// Reference returns the document for people to read: the overview, and a chapter for each tag.
// Anchors are the ids of operations and the names of schemas.
func (d Document) Reference() []Chapter {
	w := writer{part: part{d.root, d.root}, homes: map[string]string{}}
	w.operations = w.list()
	w.assignChapters()
	chapters := []Chapter{w.overview()}
	for _, tag := range w.at("tags").items() {
		name := tag.at("name").text()
		chapters = append(chapters, Chapter{slug(name), name, w.tag(tag)})
	}
	return chapters
}

func slug(tag string) string { return strings.ReplaceAll(strings.ToLower(tag), " ", "_") }

// writer writes a document as Markdown.
type writer struct {
	part
	operations []listed
	homes      map[string]string // the chapter that describes each schema, by the schema's name
	chapter    string            // the current chapter
}

// listed is an operation with its place.
type listed struct {
	tag, verb, path string
	part
}

// list returns all operations, in the order of the document.
func (w *writer) list() (all []listed) {
	for _, kind := range []string{"paths", "webhooks"} {
		for path, item := range w.at(kind).members() {
			if kind == "webhooks" {
				path = "(the URL of the webhook)"
			}
			for verb, o := range item.members() {
				all = append(all, listed{o.at("tags").items()[0].text(), strings.ToUpper(verb), path, o})
			}
		}
	}
	return all
}

// uses counts how often chapters refer to a schema, by schema and chapter.
type uses map[string]map[string]int

// Weights of a reference: a reference of an operation outweighs the references of records, so it
// decides which chapter describes a schema.
const byOperation, byRecord = 100, 1

// add counts the references of a chapter to a schema, and to the schemas inside it.
func (u uses) add(chapter string, schema part, weight int) {
	if !schema.at("enum").missing() {
		return // the reference lists the values at each field
	}
	if name := schema.ref(); name != "" && !strings.HasSuffix(name, "Document") {
		if u[name] == nil {
			u[name] = map[string]int{}
		}
		before := u[name][chapter]
		u[name][chapter] += weight
		if before > 0 {
			return // the schemas inside were counted
		}
		weight = byRecord
	}
	for _, inner := range inner(schema) {
		u.add(chapter, inner, weight)
	}
}

// assignChapters chooses the chapter that describes each schema: the chapter with the most
// references to it. A schema that is only part of the records of several chapters, such as a link,
// is in the overview.
func (w *writer) assignChapters() {
	uses := uses{}
	for _, o := range w.operations {
		uses.add(slug(o.tag), o.at("requestBody", "content", "application/json", "schema"), byOperation)
		for status, r := range o.at("responses").members() {
			if status < "400" {
				uses.add(slug(o.tag), r.at("content", "application/json", "schema"), byOperation)
			}
		}
	}
	for name, chapters := range uses {
		most := slices.MaxFunc(slices.Sorted(maps.Keys(chapters)), func(a, b string) int {
			return cmp.Compare(chapters[a], chapters[b])
		})
		w.homes[name] = most
		if len(chapters) > 3 && chapters[most] < byOperation {
			w.homes[name] = Overview
		}
	}
}

// inner returns the schemas of the members of a schema.
func inner(schema part) (list []part) {
	for _, p := range schema.at("properties").members() {
		list = append(list, p)
	}
	if items := schema.at("items"); !items.missing() {
		list = append(list, items)
	}
	for _, choice := range []string{"allOf", "anyOf", "oneOf"} {
		list = append(list, schema.at(choice).items()...)
	}
	return list
}

// overview returns the chapter with the introduction and the common parts of all operations.
func (w *writer) overview() Chapter {
	w.chapter = Overview
	var b strings.Builder
	fmt.Fprintf(&b, "# Reference\n\n%s\n\n", w.at("info", "summary").text())
	for _, tag := range w.at("tags").items() {
		name := tag.at("name").text()
		fmt.Fprintf(&b, "- [%s](%s.md): %s\n", name, slug(name), oneLine(tag.at("description").text()))
	}
	fmt.Fprintf(&b, "\nThis reference and [/openapi.json](/openapi.json) have one source. [Try it](/docs/try) sends "+
		"requests from the browser.\n\n%s\n\n", w.at("info", "description").text())
	b.WriteString("## Headers of requests {#headers}\n\n| header | type | meaning |\n|---|---|---|\n")
	for _, p := range w.at("components", "parameters").members() {
		if p.at("in").text() == "header" {
			b.WriteString(w.row(p.at("name").text(), p.at("schema"), p.at("description").text()))
		}
	}
	b.WriteString("\n## Refusals {#refusals}\n\nWhat every operation may answer, as far as it applies. The [page of " +
		"errors](../errors.md) lists the codes.\n\n")
	for name, r := range w.at("components", "responses").members() {
		if status := w.statusOf(name); status >= "304" {
			fmt.Fprintf(&b, "- **%s** %s\n", status, oneLine(r.at("description").text()))
		}
	}
	b.WriteString("\n" + w.records())
	return Chapter{Overview, "Reference", b.String()}
}

// statusOf returns the status with which operations refer to a shared response, or "".
func (w *writer) statusOf(response string) string {
	for _, o := range w.operations {
		for status, r := range o.at("responses").members() {
			if r.ref() == response {
				return status
			}
		}
	}
	return ""
}

// tag returns the chapter of a tag: its operations, then its records.
func (w *writer) tag(tag part) string {
	name := tag.at("name").text()
	w.chapter = slug(name)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", name, tag.at("description").text())
	for _, o := range w.operations {
		if o.tag == name {
			fmt.Fprintf(&b, "- [%s](#%s) `%s %s`\n", o.at("summary").text(), o.at("operationId").text(), o.verb, o.path)
		}
	}
	for _, o := range w.operations {
		if o.tag == name {
			w.operation(&b, o)
		}
	}
	b.WriteString("\n" + w.records())
	return b.String()
}

// records returns the fields of all schemas that the chapter describes.
func (w *writer) records() string {
	var b strings.Builder
	for name, schema := range w.at("components", "schemas").members() {
		if w.homes[name] != w.chapter {
			continue
		}
		title, what := name, "Its fields"
		if record, sent := strings.CutSuffix(name, "Input"); sent {
			title, what = record+", as it is sent", "The fields that a client may send"
		}
		fmt.Fprintf(&b, "## %s {#%s}\n\n%s in JSON; XML writes their names in `kebab-case`.\n\n| field | type | "+
			"meaning |\n|---|---|---|\n", title, name, what)
		w.fields(&b, "", schema)
		b.WriteString("\n")
	}
	return b.String()
}

// fields writes a row for each field of a schema, and of the objects inside it.
func (w *writer) fields(b *strings.Builder, prefix string, schema part) {
	for name, p := range schema.at("properties").members() {
		b.WriteString(w.row(prefix+name, p, p.at("description").text()))
		if p.ref() == "" {
			w.fields(b, prefix+name+".", p)
		}
		if items := p.at("items"); items.ref() == "" {
			w.fields(b, prefix+name+"[].", items)
		}
	}
}

// row returns a row of a table: a name, its type, and its meaning with the bounds.
func (w *writer) row(name string, schema part, meaning string) string {
	meaning = oneLine(meaning)
	add := func(format string, values ...any) {
		meaning = strings.TrimSpace(meaning + " " + fmt.Sprintf(format, values...))
	}
	var values []string
	enum, _ := schema.enumeration()
	for _, v := range append(schema.at("enum").items(), enum.at("enum").items()...) {
		if !v.missing() {
			values = append(values, fmt.Sprintf("`%v`", v.value))
		}
	}
	if len(values) > 0 {
		add("One of %s.", strings.Join(values, ", "))
	}
	least, most := schema.at("minimum"), schema.at("maximum")
	switch {
	case !least.missing() && !most.missing():
		add("From %v to %v.", least.value, most.value)
	case !least.missing():
		add("At least %v.", least.value)
	case !most.missing():
		add("At most %v.", most.value)
	}
	if n := schema.at("maxLength"); !n.missing() {
		add("At most %v characters.", n.value)
	}
	if v := schema.at("default"); !v.missing() {
		add("By default %v.", v.value)
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", name, w.kind(schema), strings.ReplaceAll(meaning, "|", `\|`))
}

// kind returns the type of a schema in words.
func (w *writer) kind(schema part) string {
	if name := schema.ref(); name != "" && schema.at("enum").missing() {
		return w.link(name)
	}
	if enum, null := schema.enumeration(); null {
		return w.kind(enum) + " or null"
	} else if !enum.missing() {
		return w.kind(enum)
	}
	if all := schema.at("allOf").items(); len(all) == 1 {
		return w.kind(all[0])
	}
	types := schema.at("type").items()
	if t := schema.at("type"); t.text() != "" {
		types = []part{t}
	}
	var words []string
	for _, t := range types {
		word := t.text()
		if format := schema.at("format").text(); word == "string" && format != "" {
			word = format
		}
		if word == "array" {
			word = "list of " + cmp.Or(w.elements(schema.at("items")), "anything")
		}
		words = append(words, word)
	}
	return strings.Join(words, " or ")
}

func (w *writer) elements(items part) string {
	if all := items.at("anyOf").items(); len(all) > 0 {
		var names []string
		for _, p := range all {
			names = append(names, w.kind(p))
		}
		return strings.Join(names, ", ")
	}
	return w.kind(items)
}

// link returns a link to the fields of a schema.
func (w *writer) link(name string) string {
	home, known := w.homes[name]
	if !known {
		return "object"
	}
	file := ""
	if home != w.chapter {
		file = home + ".md"
	}
	return fmt.Sprintf("[%s](%s#%s)", strings.TrimSuffix(name, "Input"), file, name)
}

// oneLine joins the lines of a text, for a row of a table or an item of a list.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
