package monitor

import (
	"bytes"
	"html/template"
	"net/http"
	"regexp"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
)

// documentLink matches a link to another document, which the monitor does not serve.
var documentLink = regexp.MustCompile(`(?s)<a href="([\w-]+\.md)(?:#[\w-]*)?">(.*?)</a>`)

// showRunbook returns the handler of the runbook's page, which has a heading with an id for each alert. The page
// needs no login: alerts link to it, and its text is public.
func showRunbook(markdown string) (http.HandlerFunc, error) {
	var text bytes.Buffer
	reader := goldmark.New(goldmark.WithExtensions(extension.Table),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	if err := reader.Convert([]byte(markdown), &text); err != nil {
		return nil, err
	}
	named := documentLink.ReplaceAllString(text.String(), "$2 (<code>docs/operations/$1</code>)")
	var page bytes.Buffer
	//nolint:gosec // our own text, without raw HTML
	if err := templates.ExecuteTemplate(&page, "runbook.html", template.HTML(named)); err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.Bytes()) // the client may be gone
	}, nil
}
