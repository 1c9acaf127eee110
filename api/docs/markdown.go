package docs

import (
	"bytes"
	"html/template"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"golang.org/x/text/unicode/norm"
)

// page is a text in Markdown and its rendered parts.
type page struct {
	Lang, Title, Summary string // the summary is the first paragraph
	HTML                 template.HTML
	Sections             []section

	name   string // below Root, without suffix: "extrato", "reference/sales"
	source string
}

// section is a heading and the text up to the next one.
type section struct {
	Title, ID, Text string
	level           int
	title, text     string // without case and accents

	titleStems, textStems map[string]bool
}

// markdown renders our own texts, so raw HTML is allowed: it folds long examples.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithAttribute()),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

// render returns the page of a Markdown text that begins with its title.
func render(name, lang, source string) *page {
	p := &page{name: name, Lang: lang, source: source}
	b := []byte(source)
	document := markdown.Parser().Parse(text.NewReader(b),
		parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))))
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			anchor, _ := id.([]byte)
			p.Sections = append(p.Sections, section{Title: plainText(h, b), ID: string(anchor), level: h.Level})
			continue
		}
		words := plainText(n, b)
		if _, ok := n.(*ast.Paragraph); ok && p.Summary == "" {
			p.Summary = words
		}
		last := &p.Sections[len(p.Sections)-1]
		last.Text = strings.TrimSpace(last.Text + " " + words)
	}
	for i, s := range p.Sections {
		p.Sections[i].title, p.Sections[i].text = plain(s.Title), plain(s.Text)
	}
	p.Title = p.Sections[0].Title
	p.resolve(document)
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, b, document); err != nil {
		panic(err) // a buffer never fails
	}
	p.HTML = template.HTML(breakable(out.String())) //nolint:gosec // of our own text
	return p
}

// longNames matches names of fields that are too long for the first column of a table.
var longNames = regexp.MustCompile(`<td><code>[^<]{45,}</code>`)

// breakable lets long names in tables break after their dots and underscores, and nowhere else. A page with them would
// be wider than a small desktop.
func breakable(html string) string {
	return longNames.ReplaceAllStringFunc(html, func(cell string) string {
		name := strings.NewReplacer(".", ".<wbr>", "_", "_<wbr>").Replace(strings.TrimPrefix(cell, "<td><code>"))
		return `<td><code class="long">` + name
	})
}

// Href is the path of the page.
func (p *page) Href() string { return address(p.name) }

// Charts reports whether tables of the page are drawn as charts.
func (p *page) Charts() bool { return strings.Contains(string(p.HTML), "<div data-chart=") }

// Source is the path of the page's Markdown.
func (p *page) Source() string { return Root + "/" + p.name + ".md" }

// address returns the path of the page of a text.
func address(name string) string {
	return strings.TrimSuffix(Root+"/"+strings.TrimSuffix(name, "index"), "/")
}

// resolve makes the links to other texts, which work between files too, links to their pages.
func (p *page) resolve(document ast.Node) {
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			link.Destination = []byte(p.target(string(link.Destination)))
		}
		if image, ok := n.(*ast.Image); ok && entering {
			image.Destination = []byte(p.target(string(image.Destination)))
		}
		return ast.WalkContinue, nil
	})
}

// target returns the address that a link of the page points to.
func (p *page) target(link string) string {
	file, anchor, anchored := strings.Cut(link, "#")
	if file == "" || strings.HasPrefix(file, "/") || strings.Contains(file, ":") {
		return link
	}
	to := path.Join(path.Dir(p.name), file)
	if name, isPage := strings.CutSuffix(to, ".md"); isPage {
		to = address(name)
	} else {
		to = Root + "/" + to
	}
	if anchored {
		to += "#" + anchor
	}
	return to
}

// plainText returns the words of a node, without its marks.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil // examples would be found for every word
		default:
			if !entering && n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// anchors makes the ids of headings: their words without accents.
type anchors map[string]bool

// Generate implements parser.IDs.
func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	words := strings.FieldsFunc(plain(string(value)), func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
	id := strings.Join(words, "-")
	for a[id] {
		id += "-"
	}
	a.Put([]byte(id))
	return []byte(id)
}

// Put implements parser.IDs.
func (a anchors) Put(value []byte) { a[string(value)] = true }

// plain removes case and accents.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(text))
}
