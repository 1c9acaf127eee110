package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"time"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
)

// read decodes the document of a response.
func (c *client) read(a e2etest.Answer, v any) bool {
	if err := json.Unmarshal(a.Body, v); err != nil {
		c.t.Errorf("%s: %v", a.Body, err)
		return false
	}
	return true
}

// form returns a request that uploads a file, with the same bytes in each call.
func form(r request, part, name string, content []byte, texts map[string]string) request {
	var body bytes.Buffer
	f := multipart.NewWriter(&body)
	w, _ := f.CreateFormFile(part, name) // a Buffer accepts all writes
	_, _ = w.Write(content)
	for name, text := range texts {
		_ = f.WriteField(name, text)
	}
	_ = f.Close()
	r.method, r.contentType, r.body = http.MethodPost, f.FormDataContentType(), body.Bytes()
	return r
}

// files uploads, downloads and deletes attachments.
type files struct {
	*client
	all []file
}

type file struct {
	record
	content []byte
}

func (f *files) round() {
	if len(f.all) == 0 || f.rand.IntN(3) == 0 {
		one := file{record{marker: f.mark("")}, bytes.Repeat([]byte{byte('a' + f.rand.IntN(26))},
			1+f.rand.IntN(50_000))}
		r := form(request{what: "upload an attachment", path: paths.Attachments(f.entity)}, "attachment[attachment]",
			"nota.txt", one.content,
			map[string]string{"attachment[title]": one.marker})
		var ok bool
		if one.id, ok = f.posted(r, "attachment"); ok {
			f.ledger.record("attachments", one.marker, fmt.Sprint(len(one.content)))
			f.all = append(f.all, one)
		}
		return
	}
	i := f.rand.IntN(len(f.all))
	if f.rand.IntN(4) > 0 {
		f.download(f.all[i])
	} else if f.remove("delete an attachment", paths.Attachment(f.entity, f.all[i].id)) {
		f.ledger.drop("attachments", f.all[i].marker)
		f.all = append(f.all[:i], f.all[i+1:]...)
	}
}

// download follows the redirect to the file without a token.
func (f *files) download(one file) {
	for begun := time.Now(); time.Since(begun) < 2*time.Minute; pass(f.rand, 50*time.Millisecond,
		300*time.Millisecond) {
		a, _ := f.ask(request{what: "ask for a download", method: http.MethodGet,
			path: paths.Attachment(f.entity, one.id) + "/download"})
		if a.Status != http.StatusFound {
			f.t.Errorf("a download: %v", e2etest.Refused{Answer: a})
			return
		}
		got, err := f.fetch(a.Header.Get("Location"))
		switch {
		case err != nil || got.Status == http.StatusServiceUnavailable: // killed meanwhile, or without its database
			continue
		case got.Status != http.StatusOK || !bytes.Equal(got.Body, one.content):
			f.t.Errorf("the file of %s: %d, %d bytes, want %d", one.marker, got.Status, len(got.Body), len(one.content))
		}
		return
	}
	f.t.Errorf("the file of %s does not come", one.marker)
}

// fetch requests a URL from one of the apis, which share all URLs.
func (f *files) fetch(address string) (e2etest.Answer, error) {
	u, err := url.Parse(address)
	if err != nil {
		return e2etest.Answer{}, err
	}
	u.Host = f.apis[f.rand.IntN(len(f.apis))]
	answer, err := browser.Get(u.String())
	if err != nil {
		return e2etest.Answer{}, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return e2etest.Answer{Status: answer.StatusCode, Header: answer.Header, Body: body}, err
}

// imports uploads statements of all formats into an account of its own, some of them twice, and deletes some. The files
// that name their account are sometimes routed by its number.
type imports struct {
	*client
	routes  bool // at most one of an entity may, since all files have the same number
	account record
	files   int
}

// doors are the formats of files, and whether a file names its account.
var doors = []struct {
	write statementtest.Write
	named bool
}{
	{statementtest.WriteOFX, true}, {statementtest.WriteOFC, true}, {statementtest.WriteQIF, false},
	{statementtest.WriteCSV, false}, {statementtest.WriteJSON, false}, {statementtest.WriteCNAB240, true},
}

const perFile = 40 // items of a file; no two files have one in common

func (m *imports) round() {
	if m.account.id == 0 {
		m.open()
		return
	}
	if m.rand.IntN(6) == 0 {
		r := form(request{what: "upload what is no statement", path: paths.BankStatements(m.entity, m.account.id)},
			"bank_statement[file]", m.mark(m.account.marker), []byte("no statement"), nil)
		if a, _ := m.ask(r); a.Status != http.StatusUnprocessableEntity {
			m.t.Errorf("%s: %v", r.what, e2etest.Refused{Answer: a})
		}
		return
	}
	content, routed, total := m.next()
	first, ok := m.upload(content, routed, perFile)
	if !ok {
		return
	}
	m.balance(total)
	if m.rand.IntN(2) == 0 {
		m.upload(content, routed, 0)
	}
	if m.rand.IntN(3) == 0 && m.remove("undo an import", paths.BankStatement(m.entity, m.account.id, first.id)) {
		m.ledger.drop("statements", first.marker)
		m.balance(-total)
	}
}

func (m *imports) balance(by finance.Amount) {
	m.account.amount += by
	m.ledger.record("deposit accounts", m.account.marker, cents(m.account.amount))
}

// open creates the account, with the number of all files if it is the only one of the entity.
func (m *imports) open() {
	a := record{marker: m.mark("")}
	fields := map[string]any{"name": a.marker, "deposit_account_type_id": 1}
	if m.routes {
		fields["account_number"] = statementtest.Account
	}
	var ok bool
	if a.id, ok = m.post("open a deposit account", paths.DepositAccounts(m.entity), "deposit_account", fields); ok {
		m.account = a
		m.balance(0)
	}
}

// next returns a file whose items are in no other file, and whether it is routed.
func (m *imports) next() (content []byte, routed bool, total finance.Amount) {
	from, door := statementtest.From(perFile*m.files), doors[m.rand.IntN(len(doors))]
	m.files++
	return statementtest.Bytes(door.write, perFile, from), m.routes && door.named && m.rand.IntN(2) == 0,
		statementtest.Total(perFile, from)
}

// upload uploads a file and waits for its import, of which items items must be new.
func (m *imports) upload(content []byte, routed bool, items int) (s record, ok bool) {
	s = record{marker: m.mark(m.account.marker)}
	if s.id, ok = m.send(s.marker, content, routed); !ok {
		return s, false
	}
	var got struct {
		Statement e2etest.Statement `json:"bank_statement"`
	}
	for begun := time.Now(); !got.Statement.Ended(); pass(m.rand, 50*time.Millisecond, 150*time.Millisecond) {
		if time.Since(begun) > 2*time.Minute {
			m.t.Errorf("%s is not imported within %v", s.marker, time.Since(begun))
			return s, false
		}
		if !m.get("read a statement", paths.BankStatement(m.entity, m.account.id, s.id), &got) {
			return s, false
		}
	}
	if got.Statement.Event.Status != finance.ImportSuccess ||
		got.Statement.Counts != (e2etest.Counts{Imported: items, Duplicate: perFile - items}) {
		m.t.Errorf("%s ended as %+v, want %d items", s.marker, got.Statement, items)
		return s, false
	}
	m.ledger.record("statements", s.marker, fmt.Sprintf("success %d", items))
	return s, true
}

func (m *imports) send(name string, content []byte, routed bool) (id int64, ok bool) {
	if routed {
		return m.route(name, content)
	}
	return m.posted(form(request{what: "upload a statement", path: paths.BankStatements(m.entity, m.account.id)},
		"bank_statement[file]", name, content, nil), "bank_statement")
}

// route uploads a file without naming its account, and returns the statement's id.
func (m *imports) route(name string, content []byte) (id int64, ok bool) {
	a, _ := m.ask(form(request{what: "route a statement", path: paths.Entity(m.entity) + "/bank_statements"},
		"bank_statement[file]", name, content, nil))
	var made []struct {
		Statement struct {
			ID               int64
			DepositAccountID int64 `json:"deposit_account_id"`
		} `json:"bank_statement"`
	}
	if a.Status != http.StatusCreated || !m.read(a, &made) || len(made) != 1 ||
		made[0].Statement.DepositAccountID != m.account.id {
		m.t.Errorf("route a statement: %v", e2etest.Refused{Answer: a})
		return 0, false
	}
	return made[0].Statement.ID, true
}

// leaveOne uploads a file and does not wait for its import.
func (m *imports) leaveOne() {
	m.round() // opens the account
	content, routed, _ := m.next()
	if m.account.id != 0 {
		m.send(m.mark(m.account.marker), content, routed)
	}
}

// hooks creates and deletes webhooks.
type hooks struct {
	*client
	all []record
}

func (h *hooks) round() {
	switch {
	case len(h.all) == 0 && h.rand.IntN(3) == 0:
		if one, ok := h.subscribe(); ok {
			h.all = append(h.all, one)
		}
	case len(h.all) > 0 && h.rand.IntN(10) == 0:
		if h.remove("delete a webhook", paths.Webhook(h.all[0].id)) {
			h.ledger.drop("webhooks", h.all[0].marker)
			h.all = nil
		}
	default:
		var page []struct {
			Webhook struct {
				ID     int64
				Status string
			}
		}
		h.get("list webhooks", "/integrations/webhooks", &page)
		for _, one := range page {
			if one.Webhook.Status == finance.WebhookInError.Label() {
				h.verify(fmt.Sprint(one.Webhook.ID))
			}
		}
	}
}

// verify requests the verification of a webhook in error, as its owner would.
func (c *client) verify(id string) {
	c.ask(request{what: "verify a webhook", method: http.MethodPut, path: "/integrations/webhooks/" + id +
		"/verify_status"})
}

// subscribe creates a webhook whose endpoint responds unreliably. The API refuses a webhook
// whose test fails, so subscribe tries again.
func (c *client) subscribe() (one record, ok bool) {
	one.marker = c.mark("")
	c.receiver.Answers("/"+one.marker, e2etest.Moody)
	r := request{what: "create a webhook", method: http.MethodPost, path: "/integrations/webhooks"}
	r.contentType, r.body = c.document("webhook", map[string]any{
		"entity_id": c.entity, "url": c.receiver.URL + "/" + one.marker,
		"format": []string{"json", "xml"}[c.rand.IntN(2)], "description": one.marker})
	for range 20 {
		a, _ := c.ask(r)
		var made struct{ Webhook struct{ ID int64 } }
		switch {
		case a.Status == http.StatusCreated && c.read(a, &made):
			one.id = made.Webhook.ID
			c.ledger.record("webhooks", one.marker, "")
			return one, true
		case a.Status != http.StatusUnprocessableEntity:
			c.t.Errorf("%s: %v", r.what, e2etest.Refused{Answer: a})
			return one, false
		}
	}
	c.t.Errorf("%s: refused 20 times", r.what)
	return one, false
}
