package console

import (
	"crypto/rand"
	"embed"
	"errors"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"bordero/internal/messages"
)

//go:embed pages
var sources embed.FS

// pages returns the template of each page, by the name of its file. It parses them once, because their 2.5 MB are of
// use to the API alone.
var pages = sync.OnceValue(func() map[string]*template.Template {
	all := map[string]*template.Template{}
	common := template.Must(template.New("").Funcs(functions).ParseFS(sources, "pages/common/*.html"))
	files, err := fs.Glob(sources, "pages/*.html")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for _, file := range files {
		t := template.Must(template.Must(common.Clone()).ParseFS(sources, file))
		all[strings.TrimSuffix(path.Base(file), ".html")] = t
	}
	return all
})

var functions = template.FuncMap{
	"money": money, "day": day, "moment": moment, "amount": amount, "zero": zero,
	"explanation": func(kind string) string { return messages.Explanations[kind] },
	"join":        strings.Join, "has": slices.Contains[[]string],
}

// visit is a request for a page, and what all pages show.
type visit struct {
	console *Console
	w       http.ResponseWriter
	r       *http.Request
	session string
	opens   []opened // the accounts that the session opens, once they were read

	memory   Memory    // of the page, once its account is known
	read     int64     // the bytes of answers before
	rendered *rendered // nil until the page is made

	Sent    url.Values // of the form, which is shown again with its faults
	Refused *refusal   // the refusal of the form
	Shown   any        // what the page alone shows
}

// opened is an account that a session opens, and its entities that the session may see.
type opened struct {
	ID           int64
	ReadOnly     bool `json:"read_only"`
	Transactions bool `json:"financial_transactions"`
	Payables     bool `json:"payable_accounts"`
	Receivables  bool `json:"receivable_accounts"`
	Entities     []named
}

// named is a record with a name, and a deposit account with its currency.
type named struct {
	ID         int64
	Name       string
	CurrencyID int64 `json:"currency_id"`
}

// readOpens reads what the session opens. It refuses an account or an entity that it does not open.
func (v *visit) readOpens() error {
	var shown struct{ User struct{ Accounts []opened } }
	if _, err := v.get("/user/permissions", nil, &shown); err != nil {
		return err
	}
	v.opens = shown.User.Accounts
	if v.Account() == nil && v.r.PathValue("account") != "" || v.Entity() == nil && v.r.PathValue("entity") != "" {
		return errNoPage
	}
	return nil
}

// Account is the account of the page; nil on pages of none.
func (v *visit) Account() *opened {
	for i := range v.opens {
		if strconv.FormatInt(v.opens[i].ID, 10) == v.r.PathValue("account") {
			return &v.opens[i]
		}
	}
	return nil
}

// Entity is the entity of the page or, on a page of the account, its only entity; nil if there are several.
func (v *visit) Entity() *named {
	a := v.Account()
	if a == nil {
		return nil
	}
	id := v.r.PathValue("entity")
	for i := range a.Entities {
		if strconv.FormatInt(a.Entities[i].ID, 10) == id || id == "" && len(a.Entities) == 1 {
			return &a.Entities[i]
		}
	}
	return nil
}

// Root is the prefix of the pages of the account.
func (v *visit) Root() string { return Root + "/" + v.r.PathValue("account") }

// At is the prefix of the pages of the entity of the page.
func (v *visit) At() string { return v.Root() + v.below() }

// Pages is the prefix of the pages of Entity.
func (v *visit) Pages() string { return entityPage(v.Account().ID, v.Entity().ID) }

// Writes reports whether the session may change the account of the page: without that, the page has no forms that do.
func (v *visit) Writes() bool {
	a := v.Account()
	return a != nil && !a.ReadOnly
}

// Sees reports whether the session may see a list of the account of the page, by the list's name in the path.
func (v *visit) Sees(list string) bool {
	a := v.Account()
	switch {
	case a == nil:
		return false
	case list == "payable_accounts":
		return a.Payables
	case list == "receivable_accounts" || list == "sales":
		return a.Receivables
	}
	return a.Transactions
}

// Several reports whether the account has other entities.
func (v *visit) Several() bool { return len(v.Account().Entities) > 1 }

// Here reports whether the page belongs to a part of the menu, by the part's name in the path; "" is the month.
func (v *visit) Here(part string) bool {
	rest := strings.TrimPrefix(v.Path(), v.Root())
	ofStatements := strings.Contains(rest, "/bank_statements") || strings.HasSuffix(rest, "/deposit_accounts")
	if part == "" {
		return v.r.PathValue("entity") != "" && !ofStatements
	}
	return strings.HasPrefix(rest, "/"+part) || part == "bank_statements" && ofStatements
}

// Session reports whether the page is of a session.
func (v *visit) Session() bool { return v.session != "" }

// below is the path of the entity in the API.
func (v *visit) below() string { return "/entities/" + v.r.PathValue("entity") }

// Path is the path of the page.
func (v *visit) Path() string { return v.r.URL.Path }

// Key makes a form that is sent twice one request. A form that is shown again has a new one: its values were refused.
func (v *visit) Key() string { return rand.Text() }

// Form is the proof in each form that a page of the session has made it.
func (v *visit) Form() string { return proof(v.session) }

// Done is the word in the address of a page that says what the last form did.
func (v *visit) Done() string { return v.r.URL.Query().Get("done") }

// Count is the number in the address of a page that says how many records the last form was about.
func (v *visit) Count() int {
	n, _ := strconv.Atoi(v.r.URL.Query().Get("count")) // 0 in an address that no form has led to
	return n
}

// Faults returns the faults of a field of the form. For the field "", it returns the faults of all fields except but,
// and except those with brackets after a name of but.
func (v *visit) Faults(field string, but ...string) (of []fault) {
	if v.Refused == nil {
		return nil
	}
	for _, f := range v.Refused.Errors {
		name := f.field()
		base, _, _ := strings.Cut(name, "[")
		if name == field || field == "" && !slices.Contains(but, base) {
			of = append(of, f)
		}
	}
	return of
}

// show makes a page, which is sent when its handler has returned.
func (v *visit) show(status int, name string, shown any) error {
	v.Shown = shown
	return v.render(status, name)
}

// again calls show to render a refused form again, with the typed values and the faults. It returns an error that is no
// refusal of the form's values.
func (v *visit) again(err error, show handler) error {
	var no *refusal
	if !errors.As(err, &no) || no.Status == http.StatusUnauthorized || no.Status == http.StatusForbidden ||
		no.Status >= http.StatusInternalServerError || v.Repeatable(no) {
		return err
	}
	v.Refused = no
	return show(v)
}

// Repeatable reports whether the page of a refusal has the form, to be sent again as it was, with its key: the refusal
// is for a while, or it is not known whether the form was done. The file of an upload is gone.
func (v *visit) Repeatable(no *refusal) bool {
	if v.r.Pattern == uploads || len(v.Sent) == 0 || len(v.Sent.Encode()) > mostRepeated {
		return false
	}
	return no.Code == "key_busy" || no.Status == http.StatusTooManyRequests ||
		no.Status >= http.StatusInternalServerError
}

// mostRepeated is how many bytes of a form the page of a refusal may repeat: it takes no memory of the account.
const mostRepeated = 16 << 10

// status is the status of a page: that of the refusal of its form, or 200.
func (v *visit) status() int {
	if v.Refused != nil {
		return v.Refused.Status
	}
	return http.StatusOK
}

// done redirects the browser from a submitted form to a page that confirms the action.
func (v *visit) done(to, what string) error {
	switch {
	case what == "":
	case strings.Contains(to, "?"):
		to += "&done=" + what
	default:
		to += "?done=" + what
	}
	http.Redirect(v.w, v.r, to, http.StatusSeeOther)
	return nil
}

var (
	errNoPage      = errors.New("no such page")
	errNoForm      = errors.New("the form is not readable")
	errForeignForm = errors.New("the form is not of this session")
)

// fail makes the page of an error, for which there is always room.
func (v *visit) fail(err error) {
	s := v.console
	if v.memory != nil {
		v.memory.Keep(0)
		v.memory, v.Shown = nil, nil
	}
	s.Drain(v.r)
	status, why := http.StatusInternalServerError, "failed"
	var no *refusal
	switch {
	case errors.Is(err, errNoPage):
		status, why = http.StatusNotFound, "no-page"
	case errors.Is(err, errNoForm):
		status, why = http.StatusBadRequest, "no-form"
	case errors.Is(err, errForeignForm):
		status, why = http.StatusForbidden, "foreign-form"
	case errors.As(err, &no) && no.Status == http.StatusUnauthorized: // the session has ended
		s.setCookie(v.w, v.r, "", s.Now())
		v.toLogin()
		return
	case errors.As(err, &no):
		v.Refused = no
		if err = v.render(no.Status, "refused"); err == nil {
			return
		}
	}
	if why == "failed" {
		s.Log.ErrorContext(v.r.Context(), "a page of the console failed", "path", v.r.URL.Path, "error", err)
	}
	_ = v.show(status, "none", why) // tests render it
}

// refuse shows a page for which no session is needed: the login, or why there is no page.
func (s *Console) refuse(w http.ResponseWriter, r *http.Request, name string, status int, why string) {
	v := &visit{console: s, w: w, r: r}
	_ = v.show(status, name, why) // tests render them
	v.deliver()
}

// link returns the page of an address of the API: of a list with its filters, or of a record.
func (v *visit) link(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	base, _ := url.Parse(v.console.PublicURL)
	if base != nil {
		u.Path = strings.TrimPrefix(u.Path, strings.TrimRight(base.Path, "/"))
	}
	to := v.Root() + strings.TrimSuffix(u.Path, ".json")
	if u.RawQuery != "" {
		to += "?" + u.RawQuery
	}
	return to
}

// pager has the addresses of the pages around one, and how many records the whole list has.
type pager struct {
	Previous, Next string
	Total          int
}

// pager reads the headers of a list.
func (v *visit) pager(h http.Header) (p pager) {
	p.Total, _ = strconv.Atoi(h.Get("X-Total-Count")) // absent is 0
	for link := range strings.SplitSeq(h.Get("Links"), ", ") {
		address, rel, _ := strings.Cut(link, ">; rel=")
		switch page := v.link(strings.TrimPrefix(address, "<")); rel {
		case `"next"`:
			p.Next = page
		case `"prev"`:
			p.Previous = page
		}
	}
	return p
}

// within replaces the links of the pager of a list that is only a part of a page: address returns the address of the
// whole page for a page number of the list.
func (p *pager) within(address func(number string) string) {
	for _, list := range []*string{&p.Previous, &p.Next} {
		if u, err := url.Parse(*list); err == nil && *list != "" {
			*list = address(u.Query().Get("page"))
		}
	}
}
