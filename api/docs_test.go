package api_test

import (
	"cmp"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bordero/api"

	"github.com/getkin/kin-openapi/openapi3"
	"golang.org/x/net/html"
)

// visit requests a page as anybody may.
func (s *service) visit(t testing.TB, path string) answer {
	t.Helper()
	a, err := s.send(t.Context(), "GET", path, as(""))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTheDocumentIsServedToAnybody(t *testing.T) {
	t.Parallel()
	document := serve(t, nil).visit(t, "/openapi.json").want(t, http.StatusOK)
	equal(t, document.header.Get("Content-Type"), "application/json; charset=utf-8")
	equal(t, document.at(t, "info.title"), "bordero")
	equal(t, document.body, string(api.OpenAPI(publicURL)))
}

// The documentation is followed as a crawler would: every link of every page leads to something,
// and nothing needs a script, a style of its own or another host.
func TestEveryLinkOfTheDocumentationLeadsSomewhere(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	pages, links := map[string]*visited{}, map[string]string{} // by path; the page of each link
	for queue := []string{"/docs", "/llms.txt", "/llms-full.txt"}; len(queue) > 0; queue = queue[1:] {
		path := queue[0]
		if pages[path] != nil {
			continue
		}
		page := s.look(t, path)
		pages[path] = page
		for _, link := range page.links {
			u, err := url.Parse(strings.TrimPrefix(link, publicURL))
			switch {
			case err != nil:
				t.Errorf("%s links to %q: %v", path, link, err)
			case u.Host != "" || u.Path == "/":
			case u.Path == "":
				links[path+"#"+u.Fragment] = path
			default:
				links[u.Path+"#"+u.Fragment] = path
				queue = append(queue, u.Path)
			}
		}
	}
	for link, from := range links {
		path, anchor, _ := strings.Cut(link, "#")
		if strings.HasPrefix(anchor, "/") { // an operation of the page that sends requests
			anchor = ""
		}
		if anchor != "" && !pages[path].ids[anchor] {
			t.Errorf("%s links to %s, which has no %q", from, path, anchor)
		}
	}
	if len(pages) < 80 || len(links) < 400 {
		t.Errorf("%d pages with %d links", len(pages), len(links))
	}
}

// visited is what a test knows of a page.
type visited struct {
	links []string
	ids   map[string]bool
}

// look visits a path and checks what holds for all of them.
func (s *service) look(t *testing.T, path string) *visited {
	a := s.visit(t, path).want(t, http.StatusOK)
	policy := a.header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'self';") &&
		!(strings.HasSuffix(path, ".svg") && strings.HasPrefix(policy, "default-src 'none';")) ||
		strings.Contains(policy, "script-src") {
		t.Errorf("%s may go anywhere: %q", path, policy)
	}
	if a.header.Get("ETag") == "" {
		t.Errorf("%s has no ETag", path)
	}
	v := &visited{ids: map[string]bool{}}
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		return v
	}
	document, err := html.Parse(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range document.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, attribute := range n.Attr {
			switch attribute.Key {
			case "href":
				v.links = append(v.links, attribute.Val)
			case "src":
				v.links = append(v.links, attribute.Val)
				if !strings.HasPrefix(attribute.Val, "/docs/") {
					t.Errorf("%s asks for %s", path, attribute.Val)
				}
			case "id":
				if v.ids[attribute.Val] {
					t.Errorf("%s has two elements with the id %s", path, attribute.Val)
				}
				v.ids[attribute.Val] = true
			case "style", "onclick":
				t.Errorf("%s has the attribute %s, which the policy forbids", path, attribute.Key)
			case "alt":
				if attribute.Val == "" {
					t.Errorf("%s has a picture without a text", path)
				}
			}
		}
		switch n.Data {
		case "style":
			t.Errorf("%s has a style, which the policy forbids", path)
		case "script":
			if n.FirstChild != nil {
				t.Errorf("%s has a script, which the policy forbids: %s", path, n.FirstChild.Data)
			}
		}
	}
	return v
}

// What the first page promises: every guide and every tag of the reference is one step away, and
// is Markdown too.
func TestEveryPageIsMarkdownToo(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	list := s.visit(t, "/llms.txt").want(t, http.StatusOK).body
	count := 0
	for line := range strings.SplitSeq(list, "\n") {
		_, rest, ok := strings.Cut(line, "](")
		if !ok {
			continue
		}
		address, _, _ := strings.Cut(rest, ")")
		path := strings.TrimPrefix(address, publicURL)
		text := s.visit(t, path).want(t, http.StatusOK)
		if path == "/openapi.json" {
			continue
		}
		count++
		equal(t, text.header.Get("Content-Type"), "text/markdown; charset=utf-8")
		title, _, _ := strings.Cut(strings.TrimPrefix(line, "- ["), "]")
		if !strings.HasPrefix(text.body, "# "+title+"\n") {
			t.Errorf("%s does not begin with its title %q", path, title)
		}
		page := s.visit(t, strings.TrimSuffix(strings.TrimSuffix(path, ".md"), "/index")).want(t, http.StatusOK)
		if !strings.Contains(page.body, `<link rel="alternate" type="text/markdown" href="`+path+`">`) {
			t.Errorf("the page does not name %s", path)
		}
		if strings.Contains(page.body, "api.example.org") {
			t.Errorf("%s names another API", path)
		}
	}
	if count < 25 {
		t.Errorf("only %d pages in\n%s", count, list)
	}
}

func TestTheReferenceHasEveryOperation(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	all := ""
	for line := range strings.SplitSeq(s.visit(t, "/docs/reference/index.md").body, "\n") {
		if _, rest, ok := strings.Cut(line, "]("); ok && strings.HasPrefix(line, "- [") {
			file, _, _ := strings.Cut(rest, ")")
			all += s.visit(t, "/docs/reference/"+file).want(t, http.StatusOK).body
		}
	}
	for path, item := range openAPI().Paths.Map() {
		for method, o := range item.Operations() {
			if !strings.Contains(all, "## "+o.Summary+" {#"+o.OperationID+"}\n\n`"+method+" "+path+"`\n") {
				t.Errorf("the reference lacks %s %s", method, path)
			}
			for _, p := range o.Parameters {
				if name := p.Value.Name; p.Value.In == "query" && name != "search" &&
					!strings.Contains(all, "| `"+name+"` |") {
					t.Errorf("the reference lacks the parameter %s of %s %s", name, method, path)
				}
			}
		}
	}
	for _, want := range []string{"| `search[provider_code_equals]` | string |", "| `bank_statement[file]` | binary |",
		"| `tax_charges[].amount` | ", "[Sale](#Sale) under `sale`"} {
		if !strings.Contains(all, want) {
			t.Errorf("the reference lacks %q", want)
		}
	}
}

// A batch takes what requests of one take: the table of its attributes leads to the same fields.
func TestTheReferenceOfABatchSaysWhatItTakes(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	bodyOf := func(path string) *openapi3.SchemaRef {
		body := openAPI().operation("POST", documented(path)).Operation.RequestBody.Value
		return body.Content["application/json"].Schema
	}
	name := func(s *openapi3.SchemaRef) string {
		return strings.TrimSuffix(strings.TrimPrefix(s.Ref, "#/components/schemas/"), "Document")
	}
	for _, r := range api.Routes() {
		if !isBatch(r) {
			continue
		}
		o := openAPI().operation("POST", documented(r.Path)).Operation
		section := func(file, anchor string) string {
			page := s.visit(t, "/docs/reference/"+file).want(t, http.StatusOK).body
			_, after, _ := strings.Cut(page, "{#"+anchor+"}\n")
			text, _, _ := strings.Cut(after, "\n## ")
			return text
		}
		item, attribute := bodyOf(r.Path).Value.Properties["items"].Value.Items, "items"
		for root, p := range item.Value.Properties {
			if item.Ref == "" {
				item, attribute = p.Value.AllOf[0], "items[]."+root
			}
		}
		if one, is := strings.CutSuffix(r.Path, "/batch"); is {
			equal(t, name(item), name(bodyOf(one)))
		}
		chapter := strings.ReplaceAll(strings.ToLower(o.Tags[0]), " ", "_") + ".md"
		sent := section(chapter, o.OperationID)
		row := regexp.QuoteMeta("\n| `" + attribute + "` | ")
		link := regexp.MustCompile(row + `.*\]\((.*)#` + name(item) + `\) \|`).FindStringSubmatch(sent)
		if link == nil || !strings.Contains(sent, "\n| `atomic` | boolean |") ||
			!strings.Contains(sent, "\n| `items` | list of ") {
			t.Errorf("%s does not say what it takes:\n%s", o.OperationID, sent)
			continue
		}
		fields := section(cmp.Or(link[1], chapter), name(item))
		for field := range properties(item.Value) {
			if !strings.Contains(fields, "\n| `"+field+"` |") {
				t.Errorf("%s lacks %s", name(item), field)
			}
		}
	}
}

func TestTheSearchIgnoresCaseAndAccents(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	for query, want := range map[string]string{
		"sale": "/docs/reference/sales#createSale", "SALE create": "/docs/reference/sales#createSale",
		"webhook": "/docs/webhooks", "payable": "/docs/reference/payable_accounts",
		"conciliacao": "/docs/extrato#6-a-conciliacao", "CONCILIAÇÃO": "/docs/extrato#6-a-conciliacao",
		"not_a_date": "/docs/errors#not_a_date", "createSale": "/docs/reference/sales#createSale",
	} {
		a := s.visit(t, "/docs/search?q="+url.QueryEscape(query)).want(t, http.StatusOK)
		language := "pt-BR"
		if strings.HasPrefix(want, "/docs/reference/") {
			language = "en"
		}
		if !strings.Contains(a.body, `<li lang="`+language+`"><a href="`+want+`">`) {
			t.Errorf("%s does not find %s, in %s", query, want, language)
		}
	}
	a := s.visit(t, "/docs/search?q="+url.QueryEscape(`<script>alert("x")</script>`)).want(t, http.StatusOK)
	if !strings.Contains(a.body, "Nada foi encontrado") || strings.Contains(a.body, "<script>alert") {
		t.Errorf("the search for a script: %s", a.body)
	}
}

// Whatever form of a word readers search for, or what they call it: the page is among the first three.
func TestTheSearchKnowsFormsAndSynonyms(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	for query, want := range map[string]string{
		"conciliações": "/docs/extrato", "conciliacoes": "/docs/extrato", "conciliar": "/docs/extrato",
		"extratos": "/docs/extrato", "saldos": "/docs/saldo", "webhook": "/docs/webhooks", "anexo": "/docs/anexos",
		"vencidas": "/docs/ver-o-dinheiro", "dar baixa": "/docs/lote",
		"sandbox": "/docs/sandbox", "homologação": "/docs/sandbox", "SDK": "/docs/clientes-gerados",
		"typescript": "/docs/clientes-gerados", "PHP": "/docs/clientes-gerados",
		"changelog": "/docs/clientes-gerados", "id externo": "/docs/lote", "DRE": "/docs/resultado-do-mes",
	} {
		if first := s.finds(t, query, 3); !slices.ContainsFunc(first, func(href string) bool {
			return strings.HasPrefix(href, want)
		}) {
			t.Errorf("%s finds %q, not %s", query, first, want)
		}
	}
	for query, want := range map[string]string{ // the first of all
		"OAuth": "/docs/seguranca#o-token", "login": "/docs/seguranca#o-token",
		"Autenticação": "/docs/seguranca#o-token", "paginação": "/docs/reference#lists",
		"paginacao": "/docs/reference#lists", "páginas": "/docs/reference#lists", "filtros": "/docs/reference#lists",
		"limites":      "/docs/reference#versions-repetition-and-limits",
		"idempotência": "/docs/reference#versions-repetition-and-limits",
		"categorias":   "/docs/reference/categories", "categoria": "/docs/reference/categories",
		"plano de contas": "/docs/reference/categories", "pessoas": "/docs/reference/people",
		"fornecedores": "/docs/reference/people", "vendas": "/docs/reference/sales",
		"transferências": "/docs/reference/transfers", "orçamentos": "/docs/reference/budgets",
		"classificadores":  "/docs/reference/custom_classifiers",
		"centros de custo": "/docs/reference/classification_centers",
		"contas a pagar":   "/docs/reference/payable_accounts",
		"contas a receber": "/docs/reference/receivable_accounts",
		"recorrência":      "/docs/dinheiro-e-datas#parcelas-e-repeticoes", "429": "/docs/errors#too_many_requests",
		"exportar": "/docs/ver-o-dinheiro#planilhas",
		"extrato":  "/docs/extrato", "webhooks": "/docs/webhooks", "sandbox": "/docs/sandbox",
		"cartões": "/docs/cartoes",
		"anexos":  "/docs/anexos", "console": "/docs/console",
	} {
		if first := s.finds(t, query, 1); strings.Join(first, "") != want {
			t.Errorf("%s finds %q first, not %s", query, first, want)
		}
	}
}

// finds returns the addresses of the first results of a search.
func (s *service) finds(t *testing.T, query string, most int) (first []string) {
	t.Helper()
	a := s.visit(t, "/docs/search?q="+url.QueryEscape(query)).want(t, http.StatusOK)
	_, main, _ := strings.Cut(a.body, "<main")
	for _, found := range results.FindAllStringSubmatch(main, most) {
		first = append(first, found[1])
	}
	return first
}

var results = regexp.MustCompile(`<li lang="[^"]+"><a href="([^"]+)"`)

func TestPagesThatDoNotExist(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	for _, path := range []string{"/docs/nothing", "/docs/../docs.go", "/docs/guides/index.md", "/docs/static/docs.css",
		"/docs/swagger-ui.js"} {
		s.visit(t, path).want(t, http.StatusNotFound)
	}
	equal(t, s.visit(t, "/docs/").want(t, http.StatusOK).body, s.visit(t, "/docs").body)
}
