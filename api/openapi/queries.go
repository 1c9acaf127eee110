package openapi

import (
	"strings"

	"github.com/goccy/go-yaml"
)

// Query has the names that the query of an operation may have: the names of parameters, and of
// filters, which are sent as search[…]. Sheet reports whether the operation answers in CSV too,
// and Workbook whether it also answers in XLSX; List is the record of a list.
type Query struct {
	Parameters, Filters []string
	Sheet, Workbook     bool
	List                string
}

// Queries returns the queries of all operations, by method and path: "GET /people/{person_id}". It takes
// some tenths of a second.
func Queries() map[string]Query {
	document := withFilters(read("document.yaml"), nil)
	for _, file := range tagFiles() {
		withBatches(file, nil) // the bodies do not matter here
		complete(at(file, "paths").(yaml.MapSlice), "")
		document = merge(document, without(file, "tag"))
	}
	all := map[string]Query{}
	for path, item := range (part{document, document}).at("paths").members() {
		for verb, operation := range item.members() {
			answer := operation.at("responses", "200")
			q := Query{Sheet: !answer.at(sheetMark).missing(), Workbook: !answer.at(workbookMark).missing(),
				List: answer.at("list").text()}
			for _, p := range operation.at("parameters").items() {
				if p.at("in").text() != "query" {
					continue
				}
				if p.at("name").text() != "search" {
					q.Parameters = append(q.Parameters, p.at("name").text())
					continue
				}
				for name := range p.at("schema", "properties").members() {
					q.Filters = append(q.Filters, name)
				}
			}
			all[strings.ToUpper(verb)+" "+path] = q
		}
	}
	return all
}
