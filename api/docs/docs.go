// Package docs renders the documentation that the API serves to everybody: the opening page, the
// guides, the errors, the reference, and a search in all of them. It is apart from package api
// because it is prose; package api serves it.
//
// Every page is a Markdown text, which is served as it is, with the suffix .md, and as HTML. The guides are
// files; the errors are made from the catalogue of messages, and the reference from the OpenAPI
// document. All is rendered once; nothing needs JavaScript: package charts draws tables that are complete.
package docs

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"path"
	"strings"
	"sync"

	"bordero/api/charts"
	"bordero/api/openapi"
	"bordero/docs/receivers"
)

//go:embed guides
var sources embed.FS

//go:embed static
var static embed.FS

// guides lists the guides in the order of the menu; each is a file of the directory guides.
var guides = []string{"extrato", "fechar-o-mes", "ver-o-dinheiro", "resultado-do-mes", "graficos", "lote", "saldo",
	"cartoes", "anexos", "webhooks", "sincronizar", "clientes-gerados", "errors", "dinheiro-e-datas", "linhas-iguais",
	"bancos", "estados", "tokens-e-membros", "console", "sandbox", "seguranca", "mudancas", "o-que-nao-faz"}

// exampleURL stands for the API's URL in the texts.
const exampleURL = "https://api.example.com"

// Root is the path of the opening page and the prefix of all others.
const Root = "/docs"

// File is the answer to a GET.
type File struct {
	Type    string
	Content []byte
}

// Site has all pages and the files that they need.
type Site struct {
	Files map[string]File // by path
	Tried []string        // the slugs of the tags that have a page to send requests from
	url   string
	pages []*page

	stemming sync.Once // before the first search
}

// New returns the pages about the API at a URL. problem is an answer with problem details, for the
// page of errors; reference is made from the OpenAPI document, which is one of the files.
func New(url, problem string, reference []openapi.Chapter, document []byte) *Site {
	s := &Site{url: url, Files: map[string]File{"/openapi.json": {"application/json; charset=utf-8", document}}}
	for _, name := range append([]string{"index"}, guides...) {
		text := read("guides/" + name + ".md")
		if name == "errors" {
			text += catalogue(problem)
		}
		s.add(name, "pt-BR", text)
	}
	for _, c := range reference {
		s.add("reference/"+c.Slug, "en", c.Markdown)
	}
	for _, p := range s.pages {
		s.Files[p.Href()] = s.html(p.Lang, p.Title, p, p.HTML)
		s.Files[p.Source()] = File{"text/markdown; charset=utf-8", []byte(p.source)}
	}
	s.embedded(sources, "guides/pictures", Root+"/pictures/")
	s.embedded(static, "static", Root+"/")
	s.embedded(receivers.Files, ".", Root+"/receivers/")
	s.embedded(charts.Files, ".", Root+"/charts/")
	s.tryIt(reference)
	s.models()
	for _, p := range s.pages {
		p.HTML, p.source = "", "" // searches read the sections
	}
	return s
}

// tryIt adds the pages that send requests: one for each tag, since the whole document takes a browser many seconds to
// draw, and the page that lists them. The document of a tag is at the path of its page, with .json.
func (s *Site) tryIt(reference []openapi.Chapter) {
	var list strings.Builder
	for _, c := range reference {
		if c.Slug == openapi.Overview {
			continue
		}
		path := Root + "/try/" + c.Slug
		s.Files[path] = s.Files[Root+"/try.html"]
		s.Tried = append(s.Tried, c.Slug)
		fmt.Fprintf(&list, "<li><a href=%q>%s</a></li>\n", path, template.HTMLEscapeString(c.Title))
	}
	delete(s.Files, Root+"/try.html")
	s.Files[Root+"/try"] = s.html("en", "Try it", nil, template.HTML("<h1>Try it</h1>\n<p>Requests to this server "+
		"from the browser, with your token. Choose a kind of record:</p>\n<ul class=\"tags\">\n"+list.String()+
		"</ul>"))
}

// add renders a page.
func (s *Site) add(name, lang, text string) {
	s.pages = append(s.pages, render(name, lang, strings.ReplaceAll(text, exampleURL, cmp.Or(s.url, exampleURL))))
}

// embedded adds the files of a directory under a prefix.
func (s *Site) embedded(files embed.FS, dir, prefix string) {
	entries, err := files.ReadDir(dir)
	if err != nil {
		panic(err) // it is embedded
	}
	types := map[string]string{".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml",
		".html": "text/html"}
	for _, e := range entries {
		content, err := files.ReadFile(path.Join(dir, e.Name()))
		if err != nil {
			panic(err)
		}
		s.Files[prefix+e.Name()] = File{cmp.Or(types[path.Ext(e.Name())], "text/plain") + "; charset=utf-8", content}
	}
}

// shell is the HTML around every page.
var shell = template.Must(template.ParseFS(static, "static/page.html"))

// shown has the data of the shell.
type shown struct {
	Lang, Title string
	Page        *page // nil for the results of a search
	HTML        template.HTML
	Guides      []*page
	Reference   []*page
	Query       string
	Found       []found
	Searched    bool
}

func (s *Site) html(lang, title string, p *page, html template.HTML) File {
	return s.fill(shown{Lang: lang, Title: title, Page: p, HTML: html})
}

func (s *Site) fill(content shown) File {
	for _, p := range s.pages {
		switch {
		case path.Base(p.name) == "index": // the headings of the menu
		case strings.HasPrefix(p.name, "reference/"):
			content.Reference = append(content.Reference, p)
		default:
			content.Guides = append(content.Guides, p)
		}
	}
	var b bytes.Buffer
	if err := shell.ExecuteTemplate(&b, "page.html", content); err != nil {
		panic(err) // a test renders every page
	}
	return File{"text/html; charset=utf-8", b.Bytes()}
}

// models adds the index for language models (https://llmstxt.org), and all guides in one text.
func (s *Site) models() {
	var list, full strings.Builder
	index := s.pages[0]
	fmt.Fprintf(&list, "# bordero\n\n> %s\n", index.Summary)
	section := ""
	for _, p := range s.pages[1:] {
		of := "Guias"
		if p.Lang == "en" {
			of = "Reference"
		}
		if of != section {
			fmt.Fprintf(&list, "\n## %s\n\n", of)
			section = of
		}
		fmt.Fprintf(&list, "- [%s](%s%s): %s\n", p.Title, s.url, p.Source(), p.Summary)
	}
	fmt.Fprintf(&list, "- [OpenAPI 3.1](%s/openapi.json): the reference for programs\n", s.url)
	for _, p := range s.pages {
		full.WriteString(p.source + "\n\n")
	}
	for name, b := range map[string]*strings.Builder{"/llms.txt": &list, "/llms-full.txt": &full} {
		s.Files[name] = File{"text/plain; charset=utf-8", []byte(b.String())}
	}
}

// read returns an embedded text.
func read(name string) string {
	content, err := sources.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(content)
}
