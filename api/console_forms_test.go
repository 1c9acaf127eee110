package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// fill sends a form of a page with some fields filled in: name, value, …; a click sends it as it is.
func (b *tab) fill(t testing.TB, page, action string, fields ...string) answer {
	t.Helper()
	form, has := b.forms(t, page)[action]
	if !has {
		t.Fatalf("%s has no form for %s", page, action)
	}
	sent := []string{}
	for name, values := range form {
		sent = append(sent, name, values[0])
	}
	for i := 0; i < len(fields); i += 2 {
		at := -1
		for j := 0; j < len(sent); j += 2 {
			if sent[j] == fields[i] {
				at = j
			}
		}
		if at < 0 || form.Get(fields[i]) != "" && sent[at+1] != form.Get(fields[i]) {
			sent = append(sent, fields[i], fields[i+1])
			continue
		}
		sent[at+1] = fields[i+1]
	}
	return b.post(t, action, sent...)
}

// A webhook is made, tested, described, rotated, and deleted by its pages; faults stand beside what was typed.
func TestTheFormsOfWebhooks(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	list := b.root() + "/webhooks"
	a := b.fill(t, list, list, "url", "ftp://<b>", "description", `"Loja" <script>`).want(t, 422)
	b.read(t, list, a)
	for _, want := range []string{"não é válido", `value="ftp://&lt;b&gt;"`,
		`aria-invalid="true" aria-describedby="url-faults"`, `value="&#34;Loja&#34; &lt;script&gt;"`} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the refused form lacks %s:\n%s", want, a.body)
		}
	}
	form := b.forms(t, list)[list]
	form.Set("url", "https://hooks.example.com/<a>")
	form.Set("events", "sales.*, people.created")
	form.Set("description", "<i>Loja</i>")
	var sent []string
	for name, values := range form {
		sent = append(sent, name, values[0])
	}
	made := b.post(t, list, sent...).want(t, http.StatusSeeOther).header.Get("Location")
	equal(t, b.post(t, list, sent...).want(t, http.StatusSeeOther).header.Get("Location"), made) // two clicks
	equal(t, query[int](t, s, `SELECT count(*) FROM webhooks`), 1)
	page, _, _ := strings.Cut(made, "?")
	secret := query[string](t, s, `SELECT secret FROM webhooks`)
	shown := b.open(t, made).want(t, http.StatusOK).body
	for _, want := range []string{secret, "&lt;i&gt;Loja&lt;/i&gt;", "sales.*, people.created", "Salvo."} {
		if !strings.Contains(shown, want) {
			t.Errorf("the webhook lacks %s:\n%s", want, shown)
		}
	}
	b.fill(t, page, page+"/describe", "description", "Outra").want(t, http.StatusSeeOther)
	b.fill(t, page, page+"/verify").want(t, http.StatusSeeOther)
	b.fill(t, page, page+"/rotate_secret").want(t, http.StatusSeeOther)
	b.fill(t, page, page+"/redeliver").want(t, http.StatusSeeOther)
	after := b.open(t, page).want(t, http.StatusOK).body
	if strings.Contains(after, secret) || !strings.Contains(after, "Outra") {
		t.Errorf("the webhook was not changed:\n%s", after)
	}
	s.made(t, "/people", `{"person":{"name":"Moinho"}}`)
	of := ""
	for _, link := range b.read(t, page, b.open(t, page)).links {
		if strings.Contains(link, "/deliveries/") {
			of = link
		}
	}
	b.fill(t, of, of+"/redeliver").want(t, http.StatusSeeOther)
	b.fill(t, page, page+"/delete").want(t, http.StatusSeeOther)
	b.open(t, page).want(t, http.StatusNotFound)
}

// A statement is uploaded as a preview; its page waits for the worker, and confirms or drops it.
func TestTheFormsOfStatements(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	list := b.entityPage(s.EntityID) + "/bank_statements"
	deposit := lastID(s.newDepositAccount(t))
	upload := func(to, name, content string, more ...part) answer {
		t.Helper()
		form := b.forms(t, list)[list]
		all := append([]part{text("form", form.Get("form")), text("key", form.Get("key")),
			text("deposit_account", to)}, more...)
		all = append(all, part{fmt.Sprintf(`form-data; name="file"; filename=%q`, name), "application/octet-stream",
			content})
		a, err := s.send(t.Context(), "POST", list, as(""), with("Cookie", "bordero_console="+b.cookie), parts(all...))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	id := fmt.Sprint(deposit)
	refused := upload(id, "nota.txt", "isto não é um extrato").want(t, 422)
	b.read(t, list, refused)
	if !strings.Contains(refused.body, `class="fault" role="alert"`) ||
		!strings.Contains(refused.body, `<option value="`+id+`" selected>`) {
		t.Errorf("a file that is no statement:\n%s", refused.body)
	}
	upload(id, "", "").want(t, 422)
	upload("", "a.ofx", threeItems).want(t, 422) // no deposit account has its number
	unknown := upload(id, "outro.csv", otherTable, text("statement_mapping[date]", "Data")).want(t, 422)
	if b.read(t, list, unknown); !strings.Contains(unknown.body, `name="statement_mapping[date]" maxlength="255" `+
		`value="Data"`) {
		t.Errorf("a table with a wrong column:\n%s", unknown.body)
	}
	mapped := upload(id, "outro.csv", otherTable, text("statement_mapping[date]", "Dia"), text(
		"statement_mapping[description]", "Texto"), text("statement_mapping[credit]", "Entrou"), text(
		"statement_mapping[debit]", "Saiu"), text("statement_mapping[amount]", "")).want(t, http.StatusSeeOther)
	equal(t, query[string](t, s, `SELECT statement_mapping->>'credit' FROM bank_statements`), "Entrou")
	s.exec(t, `UPDATE bank_statements SET event_status = 'previewed'`)
	b.fill(t, mapped.header.Get("Location"), mapped.header.Get("Location")+"/delete").want(t, http.StatusSeeOther)
	s.exec(t, `DELETE FROM bank_statements`)
	page := upload(id, "agosto <b>.ofx", threeItems).want(t, http.StatusSeeOther).header.Get("Location")
	shown := b.open(t, page).want(t, http.StatusOK).body
	if !strings.Contains(shown, "data-waits") || !strings.Contains(shown, "agosto &lt;b&gt;.ofx") {
		t.Errorf("a statement in the queue:\n%s", shown)
	}
	s.exec(t, `UPDATE bank_statements SET event_status = 'previewed', imported_items_count = 1`)
	b.fill(t, page, page+"/confirm").want(t, http.StatusSeeOther)
	equal(t, query[string](t, s, `SELECT event_status FROM bank_statements`), finance.ImportQueued)
	s.exec(t, `UPDATE bank_statements SET event_status = 'success'`)
	again := b.post(t, page+"/confirm", "form", b.forms(t, page)["/console/logout"].Get("form")).want(t, 422)
	if !strings.Contains(again.body, `role="alert"`) {
		t.Errorf("a second confirmation:\n%s", again.body)
	}
	b.fill(t, page, page+"/delete").want(t, http.StatusSeeOther)
	b.open(t, page).want(t, http.StatusNotFound)
}

// The pages and forms of the console refuse what the API refuses to the same token.
func TestTheConsoleRefusesWhatTheAPIRefuses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	entity := lastID(s.made(t, "/entities", `{"entity":{"name":"Filial"}}`))
	tokens := map[string]string{
		"no transactions": s.member(t, finance.Access{AllEntities: true,
			Denied: []string{string(finance.FinancialTransactions)}}),
		"no accounts": s.member(t, finance.Access{AllEntities: true,
			Denied: []string{string(finance.PayableAccounts), string(finance.ReceivableAccounts)}}),
		"another entity": s.member(t, finance.Access{EntityIDs: []int64{entity}}),
		"read only": storagetest.NewToken(t, s.store, members.NewToken{UserID: s.UserID, AccountID: &s.AccountID,
			Rights: finance.Rights{ReadOnly: true}}),
	}
	compared := 0
	for name, token := range tokens {
		b := s.enter(t, token)
		proof := b.forms(t, b.root()+"/entities")["/console/logout"].Get("form")
		for _, r := range api.Routes() {
			page, action := consolePage(r)
			if page == "" {
				continue
			}
			asked := s.call(t, r.Method, ids.path(r), document("{}"), as(token))
			if asked.status < http.StatusBadRequest || asked.status == 422 {
				continue
			}
			path := b.root() + strings.Replace(ids.path(api.Route{Path: page}), "/integrations", "", 1) + action
			got := b.open(t, path)
			if r.Method != "GET" {
				got = b.post(t, path, "form", proof)
			}
			if b.read(t, path, got); got.status != asked.status && (got.status != 404 || name != "another entity") {
				t.Errorf("%s: %s is answered with %d, and by the API with %d:\n%s", name, path, got.status,
					asked.status, got.body)
			}
			compared++
		}
	}
	if compared < 80 {
		t.Errorf("only %d refusals were compared", compared)
	}
	t.Logf("%d refusals of %d tokens were compared", compared, len(tokens))
}

// consolePage returns the path below the account of the console's page, or of the form, that asks for a route.
func consolePage(r api.Route) (page, action string) {
	const (
		entity      = "/entities/:entity_id"
		deposit     = entity + "/deposit_accounts/:deposit_account_id"
		statement   = deposit + "/bank_statements/:bank_statement_id"
		transaction = deposit + "/financial_transactions/:financial_transaction_id"
		webhook     = "/integrations/webhooks/:webhook_id"
		delivery    = webhook + "/deliveries/:webhook_delivery_id"
	)
	switch key := r.Method + " " + r.Path; key {
	case "GET " + entity + "/financial_transactions", "GET " + entity + "/payable_accounts",
		"GET " + entity + "/receivable_accounts", "GET " + entity + "/sales", "GET " + statement,
		"GET " + transaction, "GET " + entity + "/payable_accounts/:payable_account_id",
		"GET " + entity + "/receivable_accounts/:receivable_account_id", "GET " + entity + "/sales/:sale_id",
		"POST " + statement + "/items/:bank_statement_item_id/import", "POST " + statement + "/import_suspects",
		"GET " + webhook, "GET " + delivery,
		"GET /integrations/webhooks", "POST /integrations/webhooks", "GET /changes",
		"GET " + strings.TrimSuffix(statement, "/:bank_statement_id"), "POST " + statement + "/confirm",
		"POST " + statement + "/opening_balance", "POST " + delivery + "/redeliver",
		"PUT " + webhook + "/rotate_secret":
		return r.Path, ""
	case "PUT " + webhook + "/verify_status":
		return webhook, "/verify"
	case "PUT " + webhook:
		return webhook, "/describe"
	case "DELETE " + webhook, "DELETE " + statement, "DELETE " + transaction:
		return r.Path, "/delete"
	case "POST " + webhook + "/deliveries/redeliver":
		return webhook, "/redeliver"
	case "GET /tokens", "POST /tokens", "GET /tokens/:token_id", "GET /members", "POST /members",
		"GET /members/:member_id":
		return r.Path, ""
	case "PUT /tokens/:token_id":
		return r.Path, "/rename"
	case "DELETE /tokens/:token_id":
		return r.Path, "/revoke"
	case "PUT /members/:member_id":
		return r.Path, "/rights"
	case "DELETE /members/:member_id":
		return r.Path, "/remove"
	}
	return "", ""
}
