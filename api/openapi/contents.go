package openapi

import (
	"slices"

	"github.com/goccy/go-yaml"
)

// The files of the tags name the record of a response, of a list or of a request body instead of
// its content in each format:
//
//	record: Person
//	list: Person
//	totals: SaleTotal
//	input: Person   # with an example in JSON, and one in XML as xml
//
// An answer that is a sheet in CSV too, or also in XLSX, has the marks
//
//	sheet: true     # every list has it without saying so
//	workbook: true

// The marks of the response of an operation that answers in CSV too, and also in XLSX.
const (
	sheetMark    = "sheet"
	workbookMark = "workbook"
)

// XLSX is the media type of a workbook.
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// contents replaces these names by the content, at any depth of a value.
func contents(value any, records map[string]Record) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = contents(value[i], records)
		}
	case yaml.MapSlice:
		for _, shape := range []struct {
			key     string
			content func(yaml.MapSlice, Record) yaml.MapSlice
		}{{"record", recordContent}, {"list", listContent}, {"totals", totalsContent}, {"input", inputContent}} {
			if name, ok := at(value, shape.key).(string); ok && at(value, "content") == nil {
				r, known := records[name]
				if !known {
					panic("no record " + name)
				}
				value = replace(value, "content", shape.content(value, r))
				return withSheet(without(value, shape.key, "example", "xml"))
			}
		}
		value = withSheet(value)
		for i := range value {
			value[i].Value = contents(value[i].Value, records)
		}
		return value
	}
	return value
}

// withSheet adds the content in CSV and in XLSX to a response with the marks.
func withSheet(response yaml.MapSlice) yaml.MapSlice {
	content, has := at(response, "content").(yaml.MapSlice)
	if marked, _ := at(response, sheetMark).(bool); !marked || !has {
		return response
	}
	content = append(slices.Clone(content), yaml.MapItem{Key: "text/csv", Value: yaml.MapSlice{
		{Key: "schema", Value: ref("schemas", "Sheet")}}})
	if marked, _ := at(response, workbookMark).(bool); marked {
		content = append(content, yaml.MapItem{Key: XLSX, Value: yaml.MapSlice{
			{Key: "schema", Value: ref("schemas", "Workbook")}}})
	}
	return without(replace(response, "content", content), sheetMark, workbookMark)
}

func recordContent(_ yaml.MapSlice, r Record) yaml.MapSlice {
	name := r.Name
	if r.Root != rootless {
		name += "Document"
	}
	return formats(yaml.MapSlice{{Key: "schema", Value: ref("schemas", name)}}, yaml.MapSlice{
		{Key: "schema", Value: ref("schemas", r.Name+"XML")}})
}

func listContent(_ yaml.MapSlice, r Record) yaml.MapSlice {
	return formats(
		yaml.MapSlice{{Key: "schema", Value: yaml.MapSlice{{Key: "type", Value: "array"},
			{Key: "items", Value: ref("schemas", r.Name+"Document")}}}},
		yaml.MapSlice{{Key: "schema", Value: yaml.MapSlice{
			{Key: "type", Value: "array"},
			{Key: "xml", Value: yaml.MapSlice{{Key: "name", Value: kebab(r.Plural)}, {Key: "wrapped", Value: true}}},
			{Key: "items", Value: ref("schemas", r.Name+"XML")},
		}}})
}

// totalsContent describes the totals of a list: of all records, whose record is the plural of r, or a list of
// the totals of groups.
func totalsContent(_ yaml.MapSlice, r Record) yaml.MapSlice {
	either := func(all yaml.MapSlice, groups ...yaml.MapItem) yaml.MapSlice {
		return yaml.MapSlice{{Key: "schema", Value: yaml.MapSlice{{Key: "oneOf", Value: []any{
			all, yaml.MapSlice(groups)}}}}}
	}
	schema := func(format string) yaml.MapSlice {
		return at(at(listContent(nil, r), format).(yaml.MapSlice), "schema").(yaml.MapSlice)
	}
	return formats(
		either(ref("schemas", r.Name+"sDocument"), yaml.MapItem{Key: "type", Value: "object"},
			yaml.MapItem{Key: "required", Value: []any{r.Plural}},
			yaml.MapItem{Key: "properties", Value: yaml.MapSlice{
				{Key: r.Plural, Value: schema("application/json")}}}),
		either(ref("schemas", r.Name+"sXML"), schema("application/xml")...))
}

func inputContent(body yaml.MapSlice, r Record) yaml.MapSlice {
	in := ref("schemas", r.Name+"Input")
	return formats(
		yaml.MapSlice{
			{Key: "schema", Value: ref("schemas", r.Name+"InputDocument")},
			{Key: "example", Value: at(body, "example")},
		},
		yaml.MapSlice{{Key: "schema", Value: in}, {Key: "example", Value: at(body, "xml")}})
}

func formats(inJSON, inXML yaml.MapSlice) yaml.MapSlice {
	return yaml.MapSlice{{Key: "application/json", Value: inJSON}, {Key: "application/xml", Value: inXML}}
}
