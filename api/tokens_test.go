package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// TestNoTokenMakesOneThatMayMore asks each kind of token for each kind of token and member, and compares what the
// made ones may do, and until when, with the maker.
func TestNoTokenMakesOneThatMayMore(t *testing.T) {
	t.Parallel()
	s := newService(t)
	second := s.anotherEntity(t)
	admin := finance.Access{AccountID: s.AccountID, Administrator: true, AllEntities: true}
	soon := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	kind := func(a finance.Access, n members.NewToken) string {
		a.AccountID = s.AccountID
		n.UserID, _ = storagetest.NewUser(t, s.store, a)
		if n.AccountID == nil {
			n.AccountID = &s.AccountID
		}
		return storagetest.NewToken(t, s.store, n)
	}
	narrowed := func(r finance.Rights) string { return kind(admin, members.NewToken{Rights: r}) }
	expiring := kind(admin, members.NewToken{ExpiresAt: &soon})
	makers := map[string]string{
		"administrator":        s.Token,
		"expiring":             expiring,
		"session":              s.session(t, s.Token),
		"session of expiring":  s.session(t, expiring),
		"read only":            narrowed(finance.Rights{ReadOnly: true}),
		"without a permission": narrowed(finance.Rights{Denied: []string{"budgets"}}),
		"of an entity":         narrowed(finance.Rights{EntityIDs: []int64{s.EntityID}}),
		"of no entity":         narrowed(finance.Rights{EntityIDs: []int64{}}),
		"plain member":         kind(finance.Access{AllEntities: true}, members.NewToken{}),
		"member without permission": kind(finance.Access{AllEntities: true, Denied: []string{"budgets"}},
			members.NewToken{}),
		"member of an entity": kind(finance.Access{EntityIDs: []int64{s.EntityID}}, members.NewToken{}),
		"member who reads":    kind(finance.Access{AllEntities: true, ReadOnly: true}, members.NewToken{}),
	}
	// What a session makes ends by the expiry of what started the session.
	startedBy := map[string]string{"session": s.Token, "session of expiring": expiring}
	later := soon.Add(time.Hour).UTC().Format(time.RFC3339)
	earlier := soon.Add(-time.Minute).UTC().Format(time.RFC3339)
	rights := []string{``, `,"permissions":["budgets","cash_flows"]`, `,"permissions":[]`, `,"permissions":null`,
		fmt.Sprintf(`,"entities":[%d]`, second.ID), `,"entities":[]`, `,"read_only":true`}
	var asked []string // each a path and a document
	for _, r := range rights {
		for _, expiry := range []string{``, `,"expires_at":null`, `,"expires_at":"` + later + `"`,
			`,"expires_at":"` + earlier + `"`} {
			asked = append(asked, `/tokens {"token":{"name":"a"`+r+expiry+`}}`)
		}
		asked = append(asked, `/members {"member":{"email":"%s"`+r+`}}`)
	}
	asked = append(asked, `/members {"member":{"email":"%s","administrator":true}}`)

	made, refused := 0, 0
	for name, maker := range makers {
		_, accesses, err := members.Accesses(t.Context(), s.store, maker)
		if err != nil {
			t.Fatal(err)
		}
		may, ends := accesses[0], s.expiry(t, cmp.Or(startedBy[name], maker))
		for i, ask := range asked {
			path, body, _ := strings.Cut(ask, " ")
			body = strings.Replace(body, "%s", fmt.Sprintf("u%d-%s@example.com", i, maker[:12]), 1)
			a := s.call(t, "POST", path, as(maker), document(body))
			if !may.Administrator {
				a.want(t, http.StatusForbidden)
				refused++
				continue
			}
			if strings.Contains(body, later) && ends != nil && ends.Before(soon.Add(time.Hour)) {
				if a.want(t, 422).header.Get("X-Error-Code") != "after_own_expiry" {
					t.Errorf("%s: %s: %s", name, body, a.body)
				}
				refused++
				continue
			}
			a.want(t, 201)
			secret := ""
			if path == "/tokens" {
				secret = a.at(t, "token.value")
			} else {
				session, err := s.redeem(t, a.at(t, "member.login_code"))
				if err != nil {
					t.Fatal(err)
				}
				secret = session.Token
			}
			s.mustNotExceed(t, name+": "+body, secret, may, ends)
			made++
		}
	}
	if made == 0 || refused == 0 {
		t.Errorf("%d made, %d refused", made, refused)
	}
	t.Logf("%d kinds of tokens asked for %d things: %d made, %d refused", len(makers), len(asked), made, refused)
}

// mustNotExceed compares a secret's rights and expiry with those of its maker.
func (s *service) mustNotExceed(t *testing.T, what, secret string, maker finance.Access, ends *time.Time) {
	t.Helper()
	_, got, err := members.Accesses(t.Context(), s.store, secret)
	if err != nil || len(got) != 1 || got[0].AccountID != maker.AccountID {
		t.Fatalf("%s: opens %+v, %v", what, got, err)
	}
	for _, p := range finance.Permissions {
		if got[0].Allows(p) && !maker.Allows(p) {
			t.Errorf("%s: has %s", what, p)
		}
	}
	if got[0].Administrator && !maker.Administrator || got[0].CanSeeAll() && !maker.CanSeeAll() ||
		!got[0].ReadOnly && maker.ReadOnly {
		t.Errorf("%s: %+v of %+v", what, got[0], maker)
	}
	if has := s.expiry(t, secret); ends != nil && (has == nil || has.After(*ends)) {
		t.Errorf("%s: expires at %v, its maker at %s", what, has, ends)
	}
}

// expiry reads when a token expires.
func (s *service) expiry(t *testing.T, token string) *time.Time {
	t.Helper()
	sum := members.TokenSum(token)
	return query[*time.Time](t, s, `SELECT expires_at FROM tokens WHERE sha256 = $1`, sum[:])
}

// session starts a session of a token.
func (s *service) session(t *testing.T, token string) string {
	t.Helper()
	var made members.Session
	err := s.store.InTx(t.Context(), func(tx *storage.Tx) (err error) {
		made, err = members.NewSession(t.Context(), tx, token)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return made.Token
}

func (s *service) redeem(t *testing.T, code string) (made members.Session, err error) {
	t.Helper()
	err = s.store.InTx(t.Context(), func(tx *storage.Tx) (err error) {
		made, err = members.Redeem(t.Context(), tx, code)
		return err
	})
	return made, err
}

// No route lets a token that is not a full administrator's change who may do what.
func TestNoRouteWidensRightsForOthers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	narrow := func(r finance.Rights) string {
		return storagetest.NewToken(t, s.store, members.NewToken{UserID: s.UserID, AccountID: &s.AccountID, Rights: r})
	}
	tokens := []string{
		narrow(finance.Rights{ReadOnly: true}), narrow(finance.Rights{Denied: []string{"bank_slips"}}),
		narrow(finance.Rights{EntityIDs: []int64{s.EntityID}}), s.member(t, finance.Access{AllEntities: true}),
	}
	const everyRight = `SELECT md5(concat_ws(' ',
		(SELECT string_agg(m::text, ' ' ORDER BY account_id, user_id) FROM memberships m),
		(SELECT string_agg(e::text, ' ' ORDER BY account_id, user_id, entity_id) FROM membership_entities e
			JOIN entities USING (account_id) WHERE e.entity_id = id AND deleted_at IS NULL),
		(SELECT string_agg(concat_ws(' ', id, user_id, account_id, name, denied, entity_ids, read_only, expires_at,
			revoked_at, barred_accounts), ' ' ORDER BY id) FROM tokens),
		(SELECT count(*) FROM login_codes), (SELECT count(*) FROM users)))`
	before := query[string](t, s, everyRight)
	asked, forbidden := 0, 0
	for _, token := range tokens {
		for _, r := range api.Routes() {
			a := s.call(t, r.Method, ids.path(r), as(token), valid(t, r))
			asked++
			if a.status == http.StatusForbidden {
				forbidden++
			} else if ofMembers(r) {
				t.Errorf("%s %s: %d", r.Method, r.Path, a.status)
			}
		}
		if after := query[string](t, s, everyRight); after != before {
			t.Errorf("a token of %s changed rights", token[:6])
		}
	}
	t.Logf("%d requests, %d forbidden", asked, forbidden)
}

func TestTheValueOfATokenIsShownOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for path, c := range map[string]struct{ body, secret string }{
		"/tokens":  {`{"token":{"name":"ERP"}}`, "token.value"},
		"/members": {`{"member":{"email":"bia@example.com"}}`, "member.login_code"},
	} {
		first := s.call(t, "POST", path, key("a"), document(c.body)).want(t, 201)
		secret := first.at(t, c.secret)
		again := s.call(t, "POST", path, key("a"), document(c.body)).want(t, 201)
		equal(t, again.header.Get("Idempotency-Replayed"), "true")
		equal(t, again.at(t, c.secret), "<nil>")
		equal(t, first.header.Get("Location"), again.header.Get("Location"))
		for _, body := range []string{
			s.call(t, "GET", path).body,
			s.call(t, "GET", strings.TrimPrefix(first.header.Get("Location"), publicURL)).body,
			query[string](t, s, `SELECT string_agg(convert_from(body, 'UTF8'), ' ') FROM idempotency_keys`),
			query[string](t, s, `SELECT string_agg(u::text, ' ') FROM unsealed_changes u`),
		} {
			if strings.Contains(body, secret) || len(secret) < 32 {
				t.Errorf("%s: %q in %s", path, secret, body)
			}
		}
	}
}

func TestADeletedTokenFailsAtOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	made := s.call(t, "POST", "/tokens", document(`{"token":{"name":"ERP"}}`)).want(t, 201)
	path, value := strings.TrimPrefix(made.header.Get("Location"), publicURL), made.at(t, "token.value")
	session := s.session(t, value)
	s.call(t, "GET", "/entities", as(value)).want(t, 200)
	s.call(t, "DELETE", path, as(value)).want(t, 200) // a token may end itself
	for _, token := range []string{value, session} {
		s.call(t, "GET", "/entities", as(token)).want(t, 401)
	}
	s.call(t, "GET", path).want(t, 404)
	s.call(t, "DELETE", path).want(t, 404)
	if list := s.call(t, "GET", "/tokens").want(t, 200); strings.Contains(list.body, value[:6]) {
		t.Error(list)
	}
}

// A token for all accounts of its user is shown, named and ended in each account as if there were no other.
func TestATokenOfSeveralAccountsIsBarredFromOne(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other := storagetest.NewTenant(t, s.store)
	s.join(t, other.AccountID)
	all := storagetest.NewToken(t, s.store, members.NewToken{UserID: s.UserID})
	session := s.session(t, all)
	id := query[int64](t, s, `SELECT id FROM tokens WHERE prefix = $1`, all[:6])
	path := fmt.Sprintf("/tokens/%d", id)
	s.call(t, "GET", "/entities", as(all), with("ACCOUNT_ID", fmt.Sprint(other.AccountID))).want(t, 200)
	shown := s.call(t, "GET", path).want(t, 200)
	equal(t, shown.at(t, "token.all_accounts"), "true")
	equal(t, shown.at(t, "token.last_used_at"), "<nil>") // it may be that of the other account
	s.call(t, "PUT", path, document(`{"token":{"name":"ERP"}}`)).wantBody(t, 422,
		`{"name":["não pode ser alterado: o token abre todas as contas do usuário"]}`)
	s.call(t, "DELETE", path).want(t, 200)
	s.call(t, "GET", path).want(t, 404)
	for _, token := range []string{all, session} {
		s.call(t, "GET", "/accounts", as(token)).want(t, 200)
		s.call(t, "GET", "/entities", as(token), with("ACCOUNT_ID", fmt.Sprint(s.AccountID))).want(t, 422)
		s.call(t, "GET", "/entities", as(token)).want(t, 200) // that of the other account, alone now
	}
	s.call(t, "GET", path, as(other.Token)).want(t, 200)
}

// What a member loses, its tokens and sessions lose with the next request.
func TestTokensLoseWhatTheirMemberLoses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	second := s.anotherEntity(t)
	made := s.call(t, "POST", "/members", document(`{"member":{"email":"bia@example.com","administrator":true}}`)).
		want(t, 201)
	path := strings.TrimPrefix(made.header.Get("Location"), publicURL)
	session, err := s.redeem(t, made.at(t, "member.login_code"))
	if err != nil {
		t.Fatal(err)
	}
	token := s.call(t, "POST", "/tokens", document(`{"token":{"name":"a","email":"Bia@example.com"}}`)).
		at(t, "token.value")
	status := func(method, path string) [2]int {
		return [2]int{s.call(t, method, path, as(token)).status, s.call(t, method, path, as(session.Token)).status}
	}
	there := fmt.Sprintf("/entities/%d", second.ID)
	equal(t, status("GET", "/tokens"), [2]int{200, 200})
	for _, c := range []struct {
		rights, method, path string
		before, after        int
	}{
		{`"administrator":false`, "GET", "/members", 200, 403},
		{fmt.Sprintf(`"entities":[%d]`, s.EntityID), "GET", there, 200, 404},
		{`"permissions":["cash_flows"]`, "GET", fmt.Sprintf("/entities/%d/sales", s.EntityID), 200, 403},
		{`"read_only":true`, "PUT", "/people/1", 403, 403},
	} {
		equal(t, status(c.method, c.path), [2]int{c.before, c.before})
		s.call(t, "PUT", path, document(`{"member":{`+c.rights+`}}`)).want(t, 200)
		equal(t, status(c.method, c.path), [2]int{c.after, c.after})
	}
	equal(t, s.call(t, "GET", "/user/permissions", as(token)).at(t, "user.accounts.0.read_only"), "true")
	s.call(t, "DELETE", path).want(t, 200)
	equal(t, status("GET", "/entities"), [2]int{401, 401})
	again := s.call(t, "POST", "/members", document(`{"member":{"email":"bia@example.com"}}`)).want(t, 201)
	equal(t, strings.TrimPrefix(again.header.Get("Location"), publicURL), path)
	equal(t, status("GET", "/entities"), [2]int{401, 401}) // they stay revoked
}

// Whoever adds somebody from another account changes nothing of what that person's tokens need.
func TestAMemberOfTwoAccountsKeepsItsTokens(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other := storagetest.NewTenant(t, s.store)
	all := storagetest.NewToken(t, s.store, members.NewToken{UserID: other.UserID})
	s.exec(t, `UPDATE users SET email = upper(email) WHERE id = $1`, other.UserID) // as the other account spelt it
	email := other.Token[:12] + "@example.com"
	added := s.call(t, "POST", "/members", document(`{"member":{"email":"`+email+`"}}`)).want(t, 201)
	equal(t, added.at(t, "member.email"), email)
	equal(t, strings.Contains(s.call(t, "GET", "/members").body, strings.ToUpper(email)), false)
	s.call(t, "GET", "/entities", as(all)).want(t, 200) // without the header
	equal(t, strings.Contains(s.call(t, "GET", "/tokens").body, all[:6]), false)
}

// Of two administrators who remove or demote each other at once, one stays.
func TestAnAccountKeepsAnAdministrator(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const last = `{"base":["A conta ficaria sem administrador."]}`
	self := fmt.Sprintf("/members/%d", s.UserID)
	s.call(t, "DELETE", self).wantBody(t, 422, last)
	s.call(t, "PUT", self, document(`{"member":{"administrator":false}}`)).wantBody(t, 422, last)
	for _, method := range []string{"DELETE", "PUT"} {
		for range 3 {
			tenant := *s
			tenant.Tenant = storagetest.NewTenant(t, s.store)
			user, token := storagetest.NewUser(t, s.store, finance.Access{AccountID: tenant.AccountID,
				Administrator: true, AllEntities: true})
			answers := make(chan int, 2)
			for of, by := range map[int64]string{user: tenant.Token, tenant.UserID: token} {
				go func() {
					answers <- s.call(t, method, fmt.Sprintf("/members/%d", of), as(by),
						document(`{"member":{"administrator":false}}`)).status
				}()
			}
			got := []int{<-answers, <-answers}
			slices.Sort(got)
			// The loser finds that its own rights are gone, or that it is the last.
			if got[0] != 200 || got[1] < 401 || got[1] > 422 {
				t.Errorf("%s: %v", method, got)
			}
			equal(t, query[int](t, s, `SELECT count(*) FROM memberships WHERE account_id = $1 AND administrator`,
				tenant.AccountID), 1)
		}
	}
}

// Changes of members and tokens are in the feed, and the use of a token is none.
func TestMembersAndTokensAreInTheFeed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.exec(t, `DELETE FROM unsealed_changes`)
	member := strings.TrimPrefix(s.call(t, "POST", "/members", document(`{"member":{"email":"bia@example.com"}}`)).
		header.Get("Location"), publicURL)
	made := s.call(t, "POST", "/tokens", document(`{"token":{"name":"ERP","email":"bia@example.com"}}`)).want(t, 201)
	token := strings.TrimPrefix(made.header.Get("Location"), publicURL)
	s.call(t, "PUT", token, document(`{"token":{"name":"Loja"}}`)).want(t, 200)
	s.call(t, "PUT", member, document(`{"member":{"read_only":true}}`)).want(t, 200)
	s.call(t, "PUT", member, document(`{"member":{"permissions":["budgets"],"entities":[1]}}`)).want(t, 200)
	s.call(t, "PUT", member, document(`{"member":{"permissions":[]}}`)).want(t, 200)
	s.call(t, "GET", "/people", as(made.at(t, "token.value"))).want(t, 200)
	s.call(t, "DELETE", member).want(t, 200)
	equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', family || '.' || action, record_ids, attributes),
		'; ' ORDER BY id) FROM unsealed_changes`), fmt.Sprintf(`members.created {%[1]d}; tokens.created {%[2]d}; `+
		`tokens.updated {%[2]d} {"name":["ERP","Loja"]}; members.updated {%[1]d} {"read_only":[false,true]}; `+
		`members.updated {%[1]d} {"entities":[null,[1]],"permissions":[%[3]s,["budgets"]]}; `+
		`members.updated {%[1]d} {"permissions":[["budgets"],[]]}; `+
		`tokens.destroyed {%[2]d}; members.destroyed {%[1]d}`, lastID(member), lastID(token),
		strings.ReplaceAll(fmt.Sprintf("%q", finance.Permissions), " ", ",")))
}

// A list of rights that has no element grants nothing, however it is spelled; null grants all.
func TestOnlyNullGrantsAllRights(t *testing.T) {
	t.Parallel()
	s := newService(t)
	all := fmt.Sprintf("%d null", len(finance.Permissions))
	for body, want := range map[string]string{
		`{"token":{"name":"a"}}`:                                                           all,
		`{"token":{"name":"a","permissions":null,"entities":null}}`:                        all,
		`{"token":{"name":"a","permissions":[],"entities":[]}}`:                            "0 []",
		`{"token":{"name":"a","permissions":"","entities":""}}`:                            "0 []",
		`{"token":{"name":"a","permissions":" , ","entities":","}}`:                        "0 []",
		`{"token":{"name":"a","permissions":"","entities":{"0":""}}}`:                      "0 []",
		`{"token":{"name":"a","permissions":[],"entities":[null,""]}}`:                     "0 []",
		`<token><name>a</name></token>`:                                                    all,
		`<token><name>a</name><permissions nil="true"/><entities nil="true"/></token>`:     all,
		`<token><name>a</name><permissions/><entities></entities></token>`:                 "0 []",
		`<token><name>a</name><permissions type="array"/><entities type="array"/></token>`: "0 []",
		"token[name]=a&token[permissions]=&token[entities]=":                               "0 []",
	} {
		kind := map[byte]string{'{': "application/json", '<': "application/xml",
			't': "application/x-www-form-urlencoded"}
		made := s.call(t, "POST", "/tokens.json", document(body), with("Content-Type", kind[body[0]])).want(t, 201)
		var got struct {
			Token struct {
				Permissions []string
				Entities    json.RawMessage
			}
		}
		if err := json.Unmarshal([]byte(made.body), &got); err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprintf("%d %s", len(got.Token.Permissions), got.Token.Entities), want)
	}
}
