package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

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
			isUpload := r.Method == "POST" && strings.HasSuffix(r.Path, "/bank_statements")
			sent := document("{}")
			if isUpload {
				sent = parts(file("a.ofx", ofx))
			}
			asked := s.call(t, r.Method, ids.path(r), sent, as(token))
			if asked.status < http.StatusBadRequest || asked.status == 422 {
				continue
			}
			path := b.root() + strings.Replace(ids.path(api.Route{Path: page}), "/integrations", "", 1) + action
			var got answer
			switch {
			case r.Method == "GET":
				got = b.open(t, path)
			case isUpload:
				got = b.upload(t, path, "a.ofx", ofx, text("form", proof),
					text("deposit_account", fmt.Sprint(ids["deposit_account_id"])))
			default:
				got = b.post(t, path, "form", proof)
			}
			if b.read(t, path, got); got.status != asked.status && (got.status != 404 || name != "another entity") {
				t.Errorf("%s: %s is answered with %d, and by the API with %d:\n%s", name, path, got.status,
					asked.status, got.body)
			}
			code := got.header.Get("X-Error-Code")
			if code != asked.header.Get("X-Error-Code") && got.status != http.StatusNotFound {
				t.Errorf("%s: %s is refused with the code %q", name, path, code)
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
		"GET " + deposit + "/bank_statements", "POST " + statement + "/confirm",
		"POST " + statement + "/opening_balance", "POST " + delivery + "/redeliver",
		"PUT " + webhook + "/rotate_secret":
		return r.Path, ""
	case "POST " + entity + "/bank_statements", "POST " + deposit + "/bank_statements":
		return entity + "/bank_statements", ""
	case "PUT " + webhook + "/verify_status":
		return webhook, "/verify"
	case "PUT " + webhook:
		return webhook, "/describe"
	case "DELETE " + webhook, "DELETE " + statement, "DELETE " + transaction:
		return r.Path, "/delete"
	case "POST " + webhook + "/deliveries/redeliver":
		return webhook, "/redeliver"
	case "POST " + entity + "/deposit_accounts",
		"GET /tokens", "POST /tokens", "GET /tokens/:token_id", "GET /members", "POST /members",
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

// consolePage has every form that the console's pages have, and no other: the walk above sends them all.
func TestTheWalkOverRightsSendsEveryForm(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.records(t)
	s.exec(t, `UPDATE ignored_items SET suspect = true WHERE outcome = 'duplicate'`)
	s.proven(t, s.newDepositAccount(t), "350.50") // whose opening balance explains the difference
	preview := s.call(t, "POST", s.newDepositAccount(t)+"/bank_statements", parts(file("b.ofx", threeItems),
		preview("true"))).want(t, http.StatusCreated).header.Get("Location")
	s.exec(t, `UPDATE bank_statements SET event_status = 'previewed' WHERE id = $1`, lastID(preview))

	sent, shown := map[string]bool{}, map[string]bool{}
	for _, r := range api.Routes() {
		if page, action := consolePage(r); page != "" && r.Method != "GET" {
			sent[pathID.ReplaceAllString(strings.Replace(page, "/integrations", "", 1)+action, "/1")] = true
		}
	}
	b := s.enter(t, s.Token)
	pages := b.crawl(t, 300)
	for _, page := range pages {
		for _, f := range page.forms {
			if f.method == "POST" && f.action != "/console/logout" { // which every session may send
				shown[pathID.ReplaceAllString(strings.TrimPrefix(f.action, b.root()), "/1")] = true
			}
		}
	}
	equal(t, slices.Sorted(maps.Keys(shown)), slices.Sorted(maps.Keys(sent)))

	reader := s.enter(t, storagetest.NewToken(t, s.store, members.NewToken{UserID: s.UserID, AccountID: &s.AccountID,
		Rights: finance.Rights{ReadOnly: true}}))
	for path, page := range pages {
		if len(page.forms) == 0 { // no page of the console
			continue
		}
		a := reader.open(t, path)
		if a.status != http.StatusOK {
			continue
		}
		for _, f := range reader.read(t, path, a).forms {
			if f.method == "POST" && f.action != "/console/logout" {
				t.Errorf("%s has a form for %s, which a session that only reads may not send", path, f.action)
			}
		}
	}
}

// pathID matches the ids of paths, and the parameters that stand for them.
var pathID = regexp.MustCompile(`/(?::\w+|\d+)`)
