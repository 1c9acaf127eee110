package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/storage/demo"

	"golang.org/x/net/html"
)

// tab is a browser's tab in the console.
type tab struct {
	*service
	cookie string // of the session
}

// login sends the form of the login.
func (s *service) login(t testing.TB, secret string) answer {
	t.Helper()
	return (&tab{s, ""}).post(t, "/console/login", "secret", secret)
}

// enter returns a tab that has logged in with a token.
func (s *service) enter(t testing.TB, secret string) *tab {
	t.Helper()
	a := s.login(t, secret).want(t, http.StatusSeeOther)
	equal(t, a.header.Get("Location"), "/console")
	cookie, err := http.ParseSetCookie(a.header.Get("Set-Cookie"))
	if err != nil {
		t.Fatal(err)
	}
	return &tab{s, cookie.Value}
}

// open requests a page.
func (b *tab) open(t testing.TB, path string, options ...option) answer {
	t.Helper()
	a, err := b.send(t.Context(), "GET", path, append(options, as(""), with("Cookie", "bordero_console="+b.cookie))...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// post sends a form to the path: name, value, name, value, …
func (b *tab) post(t testing.TB, path string, fields ...string) answer {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	a, err := b.send(t.Context(), "POST", path, as(""), with("Cookie", "bordero_console="+b.cookie),
		body("application/x-www-form-urlencoded", form.Encode()), with("Sec-Fetch-Site", "same-origin"))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// root is the prefix of the pages of the tenant's account.
func (b *tab) root() string { return fmt.Sprint("/console/", b.AccountID) }

// entityPage is the page of an entity.
func (b *tab) entityPage(entity int64) string { return b.root() + paths.Entity(entity) }

// forms returns the fields of the forms of a page, by the path that they are sent to.
func (b *tab) forms(t testing.TB, path string) map[string]url.Values {
	t.Helper()
	all := map[string]url.Values{}
	for _, f := range b.read(t, path, b.open(t, path).want(t, http.StatusOK)).forms {
		all[f.action] = f.fields
	}
	return all
}

// formed is a form of a page: its fields with their values, by name.
type formed struct {
	method, action string
	fields         url.Values
}

// crawled is what a test knows of a page of the console.
type crawled struct {
	links []string
	forms []formed
}

// read checks what holds for all pages of the console, and returns the links and the forms of the page.
func (b *tab) read(t testing.TB, path string, a answer) (c crawled) {
	t.Helper()
	if policy := a.header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'self';") ||
		strings.Contains(policy, "unsafe") || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s has the policy %q and is kept: %s", path, policy, a.header.Get("Cache-Control"))
	}
	document, err := html.Parse(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	ids, selects := map[string]bool{}, ""
	for n := range document.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		value := map[string]string{}
		for _, attribute := range n.Attr {
			value[attribute.Key] = attribute.Val
			if attribute.Key == "style" || strings.HasPrefix(attribute.Key, "on") {
				t.Errorf("%s has the attribute %s, which the policy forbids", path, attribute.Key)
			}
		}
		if id := value["id"]; ids[id] && id != "" {
			t.Errorf("%s has two elements with the id %s", path, id)
		}
		ids[value["id"]] = true
		switch n.Data {
		case "style":
			t.Errorf("%s has a style, which the policy forbids", path)
		case "script":
			if n.FirstChild != nil {
				t.Errorf("%s has a script, which the policy forbids: %s", path, n.FirstChild.Data)
			}
			c.links = append(c.links, value["src"])
		case "a", "link":
			c.links = append(c.links, value["href"])
		case "form":
			c.forms = append(c.forms, formed{strings.ToUpper(value["method"]), value["action"], url.Values{}})
		case "option":
			_, selected := value["selected"]
			if fields := c.forms[len(c.forms)-1].fields; !fields.Has(selects) || selected {
				fields.Set(selects, value["value"])
			}
		case "select":
			selects = value["name"]
		case "input":
			if len(c.forms) > 0 && value["name"] != "" && value["type"] != "checkbox" {
				c.forms[len(c.forms)-1].fields.Add(value["name"], value["value"])
			}
		}
	}
	return c
}

// crawl follows all links from the first page, and returns the pages by their path.
func (b *tab) crawl(t testing.TB, most int) map[string]crawled {
	t.Helper()
	pages := map[string]crawled{}
	for queue := []string{"/console"}; len(queue) > 0 && len(pages) < most; queue = queue[1:] {
		path := queue[0]
		if _, known := pages[path]; known {
			continue
		}
		a := b.open(t, path)
		if a.status == http.StatusSeeOther {
			queue = append(queue, a.header.Get("Location"))
			continue
		}
		a.want(t, http.StatusOK)
		if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			pages[path] = crawled{}
			continue
		}
		if strings.HasPrefix(path, "/docs") {
			continue
		}
		pages[path] = b.read(t, path, a)
		base, _ := url.Parse(path)
		for _, link := range pages[path].links {
			u, err := base.Parse(link)
			if err != nil || u.Host != "" || u.Path == "" {
				t.Errorf("%s links to %q: %v", path, link, err)
				continue
			}
			if u.Fragment = ""; !strings.Contains(u.RawQuery, "month=") || u.RawQuery == "month=2026-07" {
				queue = append(queue, u.String()) // of the months, one more
			}
		}
	}
	return pages
}

// TestEveryLinkOfTheConsoleLeadsSomewhere follows the links of the console over the books of a company.
func TestEveryLinkOfTheConsoleLeadsSomewhere(t *testing.T) {
	t.Parallel()
	s := newServiceOn(t, "2026-08-31")
	today, _ := finance.NewDate(2026, 8, 31)
	filled, err := demo.Fill(t.Context(), s.store, demo.Options{AccountID: s.AccountID, Sales: 60, Transactions: 120,
		Seed: 1, Today: today}, func(string, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	b := s.enter(t, s.Token)
	pages := b.crawl(t, 200)
	month := b.entityPage(filled.EntityID)
	for _, want := range []string{b.root() + "/entities", month, month + "?month=2026-07", month + "/bank_statements",
		b.root() + "/webhooks", b.root() + "/tokens", b.root() + "/members", b.root() + "/changes"} {
		if _, has := pages[want]; !has {
			t.Errorf("%s is missing", want)
		}
	}
	if len(pages) < 100 {
		t.Errorf("only %d pages", len(pages))
	}
	// One side of a transfer is before the end of the month, the other after it and after today.
	ofDemo := func(d *finance.DepositAccount) { d.EntityID = filled.EntityID }
	one, two := s.newDepositAccount(t, ofDemo), s.newDepositAccount(t, ofDemo)
	out := s.newTransaction(t, one, finance.Debit, "77.77", "2026-08-30")
	in := s.newTransaction(t, two, finance.Credit, "77.77", "2026-09-02")
	s.call(t, "POST", paths.Entity(filled.EntityID)+"/transfers", document(fmt.Sprintf(`{"transfer":{`+
		`"debit_transaction_id":%d,"credit_transaction_id":%d}}`, lastID(out), lastID(in)))).want(t, 201)
	for page, least := range map[string]int{month: 12, month + "?month=2026-09": 7} {
		shown := b.open(t, page).body
		summed := 0
		for _, f := range linkedFigures.FindAllStringSubmatch(shown, -1) {
			address, figure := html.UnescapeString(f[1]), f[2]
			if list := b.open(t, address).want(t, http.StatusOK).body; !strings.Contains(list, figure+"</b>") {
				t.Errorf("%s: the figure %s leads to a list with another sum: %s", page, figure, address)
			}
			summed++
		}
		if summed < least {
			t.Errorf("%s: only %d figures lead to lists", page, summed)
		}
		opening := openingFigure.FindStringSubmatch(shown)
		if opening == nil {
			t.Errorf("%s does not begin with the end of another month:\n%s", page, shown)
			continue
		}
		before := b.open(t, month+html.UnescapeString(opening[1])).want(t, http.StatusOK).body
		_, row, _ := strings.Cut(before, `<tr id="`+opening[2]+`">`)
		if row, _, _ = strings.Cut(row, "</tr>"); !strings.HasSuffix(row, "<td>"+opening[3]+"</td>") {
			t.Errorf("%s begins with %s, and the day before ends with %s", page, opening[3], row)
		}
	}
}

// openingFigure matches the link of the month to the day before it, with the balance of that day.
var openingFigure = regexp.MustCompile(`Começa com <a href="(\?month=[^"#]+)#(d[^"]+)">(-?[\d.]+,\d\d)</a>`)

// linkedFigures matches the links of the month to lists, with the amounts that they stand for.
var linkedFigures = regexp.MustCompile(
	`<a href="([^"]+/(?:financial_transactions|(?:payable|receivable)_accounts)\?[^"]+)">\s*(-?[\d.]+,\d\d)`)
