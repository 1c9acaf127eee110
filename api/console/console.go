// Package console serves the pages of /console, on which the people of an account look at their month, upload
// statements, and administer webhooks, tokens and members.
//
// It is apart from package api because it is a client of the API like any other: each page and form makes requests to
// the API's handler, in the same process, with the token of its session. So the rights, the rules, the messages, the
// idempotency and the audit are the API's, and nothing is possible here that the token could not do. All it has of its
// own are pages, sessions and the protection of forms. No page needs JavaScript.
package console

import (
	"embed"
	"log/slog"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// Root is the path of the first page and the prefix of all others.
const Root = "/console"

// policy allows only our own host and no inline scripts and styles.
const policy = "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// Session is the token of a session and the time of its expiry.
type Session struct {
	Token   string
	Expires time.Time
}

// Config has what the console needs of the process around it.
type Config struct {
	API       http.Handler // the whole API
	PublicURL string       // without a slash at its end; may be empty
	Now       func() time.Time
	Log       *slog.Logger
	Origins   *http.CrossOriginProtection // refuses forms from other origins

	// LogIn starts a session by a code of one use or by a token; with neither of them, it returns ErrUnknown or, after
	// too many, ErrGuesses. A token is ErrTooMany if its account has used up its quota of requests.
	LogIn func(r *http.Request, secret string) (Session, error)
	// LogOut ends a session.
	LogOut func(r *http.Request, token string) error
	// Hold counts a page as a request of its account, or of the session's user if it is of none (0), until the page is
	// sent, and returns the memory of the page. A session that has ended meanwhile is ErrUnknown.
	Hold func(r *http.Request, session string, account int64) (Memory, error)
	// Refuse answers as the API does to a request that ends with an error of LogOut, Hold or the Memory.
	Refuse func(w http.ResponseWriter, r *http.Request, err error)
	// Drain reads the rest of a form that is refused, as the API does.
	Drain func(r *http.Request)
}

// Console is the handler of all pages.
type Console struct {
	Config
	mux *http.ServeMux
}

//go:embed static
var static embed.FS

// New returns the handler of /console and everything below it.
func New(c Config) *Console {
	s := &Console{Config: c, mux: http.NewServeMux()}
	s.routes()
	pages() // parses the templates now, instead of at the first request
	return s
}

// The kinds of routes: GET for pages, POST for forms, whose method is the only one that browsers without a script have.
const (
	get  = "GET "
	post = "POST "

	account   = Root + "/{account}"
	entity    = account + "/entities/{entity}"
	deposit   = entity + "/deposit_accounts/{deposit_account}"
	statement = deposit + "/bank_statements/{bank_statement}"
	item      = statement + "/items/{item}"
	movement  = deposit + "/financial_transactions/{record}"
	webhook   = account + "/webhooks/{webhook}"
	aMember   = account + "/members/{member}"
	aToken    = account + "/tokens/{token}"
	delivery  = webhook + "/deliveries/{delivery}"

	uploads = post + entity + "/bank_statements"
)

// routes has a page for each list of the API that the console shows, at the API's path below /console/{account}.
func (s *Console) routes() {
	s.mux.HandleFunc(get+Root+"/console.css", s.file)
	s.mux.HandleFunc(get+Root+"/console.js", s.file)
	s.mux.HandleFunc(get+Root+"/login", s.showLogin)
	s.mux.HandleFunc(post+Root+"/login", s.logIn)
	all := map[string]handler{
		get + Root:                                     (*visit).begin,
		post + Root + "/logout":                        (*visit).logOut,
		get + account + "/entities":                    (*visit).entities,
		get + entity:                                   (*visit).month,
		get + entity + "/{list}":                       (*visit).list,
		get + entity + "/bank_statements":              (*visit).statements,
		uploads:                                        (*visit).upload,
		get + entity + "/deposit_accounts":             (*visit).newDepositAccount,
		post + entity + "/deposit_accounts":            (*visit).createDepositAccount,
		get + deposit + "/bank_statements":             (*visit).statements,
		get + statement:                                (*visit).statement,
		get + item:                                     func(v *visit) error { return v.done(v.StatementPage(), "") },
		get + movement:                                 recordOf("financial_transactions"),
		get + entity + "/payable_accounts/{record}":    recordOf("payable_accounts"),
		get + entity + "/receivable_accounts/{record}": recordOf("receivable_accounts"),
		get + entity + "/sales/{record}":               recordOf("sales"),
		get + account + "/webhooks":                    (*visit).webhooks,
		post + account + "/webhooks":                   (*visit).createWebhook,
		get + webhook:                                  (*visit).webhook,
		get + delivery:                                 (*visit).delivery,
		get + account + "/changes":                     (*visit).changes,
		get + account + "/members":                     (*visit).members,
		post + account + "/members":                    (*visit).createMember,
		get + aMember:                                  (*visit).member,
		get + account + "/tokens":                      (*visit).tokens,
		post + account + "/tokens":                     (*visit).createToken,
		get + aToken:                                   (*visit).token,
	}
	routesOf(all, statement, statementActions)
	routesOf(all, item, itemActions)
	routesOf(all, movement, movementActions)
	routesOf(all, webhook, webhookActions)
	routesOf(all, delivery, deliveryActions)
	routesOf(all, aMember, memberActions)
	routesOf(all, aToken, tokenActions)
	for pattern, show := range all {
		s.mux.HandleFunc(pattern, s.page(show))
	}
	s.mux.HandleFunc(Root+"/", s.page(func(*visit) error { return errNoPage }))
}

// ServeHTTP sets the security headers of a page, and refuses forms from other origins. As of the API, a path may have
// a slash at its end.
func (s *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers would send forms with the origin null
	h.Set("Cache-Control", "no-store")
	if err := s.Origins.Check(r); err != nil {
		s.refuse(w, r, "none", http.StatusForbidden, "cross-site")
		return
	}
	address := *r.URL
	address.Path = strings.TrimRight(address.Path, "/")
	r = r.WithContext(r.Context()) // a copy
	r.URL = &address
	s.mux.ServeHTTP(w, r)
}

// file serves the style and the script.
func (s *Console) file(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "max-age=0, must-revalidate")
	http.ServeFileFS(w, r, static, path.Join("static", path.Base(r.URL.Path)))
}

// handler shows a page or takes a form.
type handler func(*visit) error

// page returns the handler of a route for people with a session; others are sent to the login. The ids of a path are
// numbers: a path with anything else has no page.
func (s *Console) page(show handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{console: s, w: w, r: r, session: sessionOf(r)}
		if v.session == "" {
			v.toLogin()
			return
		}
		err := v.check()
		if err == nil {
			err = v.readOpens()
		}
		if err == nil {
			err = v.hold()
		}
		if err == nil {
			err = show(v)
		}
		if err != nil {
			v.fail(err)
		}
		v.deliver()
	}
}

// check refuses a path with an id that is no number, and a form that was not made for the session.
func (v *visit) check() error {
	for _, name := range []string{"account", "entity", "deposit_account", "bank_statement", "item", "record",
		"webhook", "delivery", "token", "member"} {
		if id := v.r.PathValue(name); id != "" && !isID(id) {
			return errNoPage
		}
	}
	if v.r.Method != http.MethodPost || v.r.Pattern == uploads {
		return nil // the form of an upload is checked as it is read
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	if err := v.r.ParseForm(); err != nil {
		return errNoForm
	}
	v.Sent = v.r.PostForm
	return v.checkForm(v.Sent.Get(formToken))
}

// maxForm and maxLogin are how many bytes a form without a file may have, and that of the login, which needs no token.
const maxForm, maxLogin = 256 << 10, 4 << 10

func isID(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && n > 0 && strconv.FormatInt(n, 10) == text
}
