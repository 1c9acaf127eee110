package openapi

import (
	"bytes"
	_ "embed" // for the template
	"html/template"
	"slices"

	"bordero/internal/messages"
)

//go:embed errors.html
var errorsPage string

// errorEntry is what the error page says about a code.
type errorEntry struct {
	*messages.Fault
	Titles, Hints []string
}

// Errors returns the page of all error codes for the API at a URL, made from the catalogue. example
// is an answer with problem details.
func Errors(url, example string) []byte {
	var entries []*errorEntry
	byCode := map[string]*errorEntry{}
	for _, f := range messages.Catalogue {
		e, known := byCode[f.Code]
		if !known {
			e = &errorEntry{Fault: f}
			byCode[f.Code] = e
			entries = append(entries, e)
		}
		e.Titles = append(e.Titles, f.Title())
		if !slices.Contains(e.Hints, f.Hint) {
			e.Hints = append(e.Hints, f.Hint)
		}
	}
	var page bytes.Buffer
	err := template.Must(template.New("errors").Parse(errorsPage)).Execute(&page, map[string]any{
		"URL": url, "Example": example, "Faults": entries, "Invalid": messages.Invalid, "Several": messages.SeveralFaults,
	})
	if err != nil {
		panic(err) // a test renders it
	}
	return page.Bytes()
}
