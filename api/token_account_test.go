package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// An operator opens another account for a person whose programs are running.
func TestASecondAccountOfAPersonStopsNoIntegration(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	reads := storagetest.NewToken(t, s.store, members.NewToken{UserID: s.UserID, AccountID: &s.AccountID,
		Rights: finance.Rights{ReadOnly: true}})
	before := s.everything(t, ids)
	other := storagetest.NewTenant(t, s.store).AccountID
	s.join(t, other)

	if !slices.Equal(s.everything(t, ids), before) {
		t.Error("another answer than before")
	}
	for _, header := range []option{with("ACCOUNT_ID", "1"), with("X-Account-Id", "1"), with("ACCOUNT_ID", "")} {
		s.call(t, "POST", "/people", header, document(`{"person":{"name":"Ana"}}`)).want(t, http.StatusCreated)
	}
	for format, body := range map[string]string{
		"application/json": `{"error":"O cabeçalho da requisição não possui o atributo ACCOUNT_ID",` +
			`"status":"unprocessable_entity",` +
			`"accounts":[{"account":{"id":1,"name":"Conta"}}]}`,
		"application/xml": `<?xml version="1.0" encoding="UTF-8"?><errors><error>O cabeçalho da requisição não ` +
			`possui o atributo ACCOUNT_ID</error>` +
			`<status>unprocessable_entity</status><accounts type="array"><account><id type="integer">1</id><name>` +
			`Conta</name></account></accounts></errors>`,
	} {
		for _, r := range api.Routes() {
			if r.Path == "/accounts" || r.Path == "/user/permissions" {
				continue
			}
			for _, token := range []string{s.Token, reads} {
				for _, account := range []string{fmt.Sprint(other), "99"} {
					a := s.call(t, r.Method, ids.path(r), as(token), with("ACCOUNT_ID", account), valid(t, r),
						with("Accept", format))
					a.wantBody(t, http.StatusUnprocessableEntity, body)
				}
			}
		}
	}
	for _, account := range []string{"", "1", fmt.Sprint(other)} {
		equal(t, s.call(t, "GET", "/accounts", with("ACCOUNT_ID", account)).all(t, "account.id"), []string{"1"})
		if may := s.call(t, "GET", "/user/permissions", with("ACCOUNT_ID", account)).body; !strings.HasPrefix(may,
			`{"user":{"accounts":[{"id":1,`) ||
			strings.Count(may, `"read_only"`) != 1 {
			t.Error(may)
		}
	}
}

// Such a token is as one of a user without accounts.
func TestATokenOpensNothingWithoutTheMembershipOfItsAccount(t *testing.T) {
	t.Parallel()
	s := newService(t)
	storagetest.NewUser(t, s.store, finance.Access{AccountID: s.AccountID, Administrator: true, AllEntities: true})
	s.join(t, storagetest.NewTenant(t, s.store).AccountID)
	s.exec(t, `DELETE FROM memberships WHERE account_id = $1 AND user_id = $2`, s.AccountID, s.UserID)
	for _, account := range []string{"", "1", "2"} {
		s.call(t, "GET", "/entities", with("ACCOUNT_ID", account)).wantBody(t, http.StatusUnprocessableEntity,
			`{"error":"O cabeçalho da requisição não possui o atributo ACCOUNT_ID","status":"unprocessable_entity",`+
				`"accounts":[]}`)
		equal(t, s.call(t, "GET", "/entities", with("ACCOUNT_ID", account), with("Accept", "application/problem+json")).
			at(t, "errors.0.hint"),
			messages.OpensNoAccount)
		s.call(t, "GET", "/accounts", with("ACCOUNT_ID", account)).wantBody(t, http.StatusOK, "[]")
		s.call(t, "GET", "/user/permissions", with("ACCOUNT_ID", account)).wantBody(t, http.StatusOK,
			`{"user":{"accounts":[]}}`)
	}
}

// A token is seen in the accounts that it opens, and its creation is one change.
func TestTheChangesOfATokenAreThoseOfTheAccountsThatItOpens(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	other := storagetest.NewTenant(t, s.store)
	s.join(t, other.AccountID)
	s.forgetChanges(t)
	for _, n := range []members.NewToken{
		{UserID: s.UserID, AccountID: &s.AccountID, Rights: finance.Rights{Denied: []string{"budgets"},
			ReadOnly: true}},
		{UserID: s.UserID, AccountID: &other.AccountID},
		{UserID: s.UserID},
	} {
		token := storagetest.NewToken(t, s.store, n)
		if err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
			return members.RevokeToken(t.Context(), tx, token[:6])
		}); err != nil {
			t.Fatal(err)
		}
	}
	seal()
	first := query[int64](t, s, `SELECT max(id) FROM tokens`) - 2
	for token, ids := range map[string][]int64{s.Token: {first, first + 2}, other.Token: {first + 1, first + 2}} {
		var want []string
		for i, id := range ids {
			want = append(want, fmt.Sprintf("tokens.created %d [%d]", 2*i+1, id),
				fmt.Sprintf("tokens.destroyed %d [%d]", 2*i+2, id))
		}
		var got []string
		for _, c := range s.feed(t, "?after=0", as(token)).Changes {
			got = append(got, fmt.Sprintf("%s %d %v", c.Change.Event, c.Change.Sequence, c.Change.RecordIDs))
		}
		equal(t, got, want)
	}
}
