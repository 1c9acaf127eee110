package docs

import (
	"fmt"
	"slices"
	"strings"
	"text/template"

	"bordero/internal/messages"
)

// code is an entry of the page of errors.
type code struct {
	Code   string
	Status int
	Titles []string
	Hints  []string
}

// catalogue returns the part of the page of errors that lists the codes. problem is an answer with
// problem details.
func catalogue(problem string) string {
	var codes []*code
	byCode := map[string]*code{}
	for _, f := range messages.Catalogue {
		c, known := byCode[f.Code]
		if !known {
			c = &code{Code: f.Code, Status: f.Status}
			byCode[f.Code] = c
			codes = append(codes, c)
		}
		c.Titles = append(c.Titles, escaped(f.Title()))
		if hint := escaped(f.Hint); !slices.Contains(c.Hints, hint) {
			c.Hints = append(c.Hints, hint)
		}
	}
	var b strings.Builder
	err := template.Must(template.New("errors").Parse(read("guides/errors.tmpl"))).Execute(&b, map[string]any{
		"Problem": problem, "Codes": codes, "Invalid": messages.Invalid, "Several": messages.SeveralFaults,
	})
	if err != nil {
		panic(fmt.Errorf("the page of errors: %w", err)) // a test renders it
	}
	return b.String()
}

// escaped returns a text with the marks of Markdown escaped.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "]", `\]`).Replace(
		text)
}
