package api_test

import (
	"net/http"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

func TestASecondAccountIsChosenByAHeader(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	s.join(t, storagetest.NewTenant(t, s.store).AccountID)
	s.Token = storagetest.NewToken(t, s.store, members.NewToken{UserID: s.UserID}) // for all accounts
	choice := map[string]string{
		"application/json": `{"error":"O cabeçalho da requisição não possui o atributo ACCOUNT_ID",` +
			`"status":"unprocessable_entity",` +
			`"accounts":[{"account":{"id":1,"name":"Conta"}},{"account":{"id":2,"name":"Conta"}}]}`,
		"application/xml": `<?xml version="1.0" encoding="UTF-8"?><errors><error>O cabeçalho da requisição não ` +
			`possui o atributo ACCOUNT_ID</error>` +
			`<status>unprocessable_entity</status><accounts type="array"><account><id type="integer">1</id><name>` +
			`Conta</name></account>` +
			`<account><id type="integer">2</id><name>Conta</name></account></accounts></errors>`,
	}
	for _, r := range api.Routes() {
		if r.Path == "/accounts" {
			equal(t, s.call(t, "GET", "/accounts").all(t, "account.id"), []string{"1", "2"})
			continue
		}
		if r.Path == "/user/permissions" {
			equal(t, len(s.call(t, "GET", r.Path).value(
				t).(map[string]any)["user"].(map[string]any)["accounts"].([]any)), 2)
			continue
		}
		for format, body := range choice {
			for name, options := range map[string][]option{
				"no header":             {},
				"somebody else's":       {with("ACCOUNT_ID", "3")},
				"no number":             {with("ACCOUNT_ID", "Conta")},
				"a number beyond int64": {with("X-Account-Id", "99999999999999999999")},
			} {
				a := s.call(t, r.Method, ids.path(r), append(options, valid(t, r), with("Accept", format))...)
				if a.status != http.StatusUnprocessableEntity || a.body != body {
					t.Errorf("%s, %s: %d %s", name, a.request, a.status, a.body)
				}
			}
		}
	}
	for _, header := range []string{"ACCOUNT_ID", "Account-Id", "X-Account-Id"} {
		equal(t, s.call(t, "GET", "/entities", with(header, "1")).all(t, "entity.id"), []string{"1"})
		equal(t, s.call(t, "GET", "/entities", with(header, "2")).all(t, "entity.id"), []string{"2"})
		s.call(t, "GET", "/entities/1", with(header, "2")).want(t, http.StatusNotFound)
	}
	t.Run("a user without accounts has none to choose", func(t *testing.T) {
		alone := s.member(t, finance.Access{AllEntities: true})
		s.exec(t, `DELETE FROM memberships USING tokens WHERE memberships.user_id = tokens.user_id AND prefix = $1`,
			alone[:6])
		s.call(t, "GET", "/accounts", as(alone)).wantBody(t, http.StatusOK, "[]")
		s.call(t, "GET", "/entities", as(alone)).want(t, http.StatusUnprocessableEntity)
	})
}
