package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// newSandbox returns a service whose tenant's account is a sandbox.
func newSandbox(t *testing.T) *service {
	t.Helper()
	s := newService(t)
	s.exec(t, `UPDATE accounts SET sandbox = true WHERE id = $1`, s.AccountID)
	return s
}

// everyRow counts the rows of every table of the account, and those that are hidden; requests are written to the log of
// tokens' use only.
const everyRow = `SELECT string_agg(format('%s %s', c.relname, (xpath('/row/c/text()', query_to_xml(
		'SELECT count(*) AS c FROM ' || c.oid::regclass, false, true, '')))[1]), ' ' ORDER BY c.relname)
		|| (SELECT format(' hidden %s', count(*)) FROM entities WHERE deleted_at IS NOT NULL)
	FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`

func reset(name string) option { return document(fmt.Sprintf(`{"name":%q}`, name)) }

// Whoever asks, by whatever token, format, name or header: of an account that is no sandbox nothing is reset, and not
// a row is written.
func TestNothingOfAResetIsPossibleOnOtherAccounts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	sandbox := storagetest.NewTenant(t, s.store)
	s.exec(t, `UPDATE accounts SET sandbox = true, name = 'Testes' WHERE id = $1`, sandbox.AccountID)
	s.join(t, sandbox.AccountID)
	both := storagetest.NewToken(t, s.store, members.NewToken{UserID: s.UserID})
	narrowed := func(r finance.Rights) string {
		return storagetest.NewToken(t, s.store, members.NewToken{UserID: s.UserID, AccountID: &s.AccountID, Rights: r})
	}
	tokens := map[string]struct {
		token  string
		status int
	}{
		"an administrator's":      {s.Token, 422},
		"of both accounts":        {both, 422},
		"a member's":              {s.member(t, finance.Access{AllEntities: true}), 403},
		"a member of an entity's": {s.member(t, finance.Access{EntityIDs: []int64{s.EntityID}}), 403},
		"read only":               {narrowed(finance.Rights{ReadOnly: true}), 403},
		"without a permission":    {narrowed(finance.Rights{Denied: []string{"budgets"}}), 403},
		"nobody's":                {"0123456789", 401},
		"of the sandbox, bound":   {sandbox.Token, 422},
	}
	own := with("ACCOUNT_ID", fmt.Sprint(s.AccountID))
	for _, of := range tokens { // the list of tokens shows their first use
		s.call(t, "GET", "/accounts", as(of.token))
	}
	before, answers := query[string](t, s, everyRow), s.everything(t, ids)
	for whose, of := range tokens {
		for _, name := range []string{"Conta", "Testes", "", "conta"} {
			for format, sent := range map[string]string{
				"application/json": fmt.Sprintf(`{"name":%q}`, name),
				"application/xml":  "<hash><name>" + name + "</name></hash>",
			} {
				a := s.call(t, "POST", "/sandbox/reset", as(of.token), own, document(sent), with("Accept", format),
					key(whose+name+format))
				if a.status != of.status {
					t.Errorf("%s, %q, %s: %v", whose, name, format, a)
				}
				if whose == "an administrator's" && !strings.Contains(a.body,
					"Só uma conta de testes (sandbox) pode ser reiniciada.") {
					t.Errorf("%q: %s", name, a.body)
				}
			}
		}
	}
	equal(t, query[string](t, s, everyRow), before)
	equal(t, s.everything(t, ids), answers)

	// The reset of the sandbox by a token of both changes nothing of the other account.
	s.call(t, "POST", "/sandbox/reset", as(both), with("ACCOUNT_ID", fmt.Sprint(sandbox.AccountID)), reset("Testes")).
		want(t, 202)
	equal(t, s.everything(t, ids), answers)
	equal(t, query[int64](t, s, `SELECT account_id FROM jobs WHERE kind = 'delete_cascade'`), sandbox.AccountID)
	equal(t, query[int64](t, s, `SELECT min(account_id) FROM entities WHERE deleted_at IS NOT NULL`), sandbox.AccountID)
}

// A reset leaves what an account begins with, at once for its clients: requests that name what was there before are
// answered as for what is gone, and below the entity as for one that is being deleted.
func TestASandboxIsReset(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	ids := s.records(t)
	first := s.call(t, "GET", "/categories").want(t, 200)
	s.call(t, "POST", "/people", key("a"), document(`{"person":{"name":"Moinho"}}`)).want(t, 201)
	token := []option{key("a"), document(`{"token":{"name":"ERP"}}`)}
	member := []option{key("a"), document(`{"member":{"name":"Ana","email":"ana@example.com"}}`)}
	s.call(t, "POST", "/tokens.json", token...).want(t, 201)
	s.call(t, "POST", "/members", member...).want(t, 201)
	old := fmt.Sprint("/entities/", s.EntityID)
	a := s.call(t, "POST", "/sandbox/reset", key("r"), reset("Conta")).want(t, 202)
	fresh := "/entities/" + a.at(t, "entity.id")
	equal(t, a.header.Get("Location"), publicURL+fresh)
	equal(t, a.at(t, "entity.name"), "Conta")
	equal(t, s.call(t, "POST", "/sandbox/reset", key("r"), reset("Conta")).want(t, 202).header.Get(
		"Idempotency-Replayed"), "true")

	for _, list := range []string{"/people", "/custom_classifiers", fresh + "/deposit_accounts", fresh + "/sales"} {
		s.call(t, "GET", list).wantBody(t, 200, "[]")
	}
	if now := s.call(t, "GET", "/categories").want(t, 200); len(now.all(t, "category.id")) != len(
		finance.DefaultCategories()) || now.body == first.body {
		t.Errorf("categories: %s", now.body)
	}
	for _, path := range []string{"/people/:person_id", "/categories/:category_id",
		"/custom_classifiers/:custom_classifier_id", "/custom_classifiers/:custom_classifier_id/values"} {
		for name, id := range ids {
			path = strings.ReplaceAll(path, ":"+name, fmt.Sprint(id))
		}
		s.call(t, "GET", path).want(t, 404)
	}
	account := document(`{"deposit_account":{"name":"a","deposit_account_type_id":1}}`)
	s.call(t, "POST", old+"/deposit_accounts", account).wantBody(t, 422, `{"base":["A entidade está sendo excluída."]}`)
	s.call(t, "GET", old+"/deletion").want(t, 200)
	s.call(t, "POST", fresh+"/deposit_accounts", account).want(t, 201)
	again := s.call(t, "POST", "/people", key("a"), document(`{"person":{"name":"Moinho"}}`)).want(t, 201)
	equal(t, again.header.Get("Idempotency-Replayed"), "") // the stored answer told of one that is gone

	// A second reset in the meantime is one more.
	s.call(t, "POST", "/sandbox/reset", reset("Conta")).want(t, 202)
	for _, stays := range []answer{s.call(t, "POST", "/tokens", token...), s.call(t, "POST", "/members", member...),
		s.call(t, "POST", "/sandbox/reset", key("r"), reset("Conta"))} {
		equal(t, stays.header.Get("Idempotency-Replayed"), "true")
	}
	s.call(t, "GET", "/people").wantBody(t, 200, "[]")
	equal(t, query[int](t, s, `SELECT count(*) FROM entities WHERE deleted_at IS NULL`), 1)
	equal(t, s.call(t, "GET", "/accounts").at(t, "0.account.sandbox"), "true")
	// So is one of an account without entities.
	s.exec(t, `UPDATE entities SET deleted_at = now()`)
	s.call(t, "POST", "/sandbox/reset", reset("Conta")).want(t, 202)
}

// The name says which account is meant; a wrong one is answered with the right one.
func TestAResetIsConfirmedByTheName(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.records(t)
	before := query[string](t, s, everyRow)
	const wrong = `{"name":["deve ser o nome da conta, como está em GET /accounts: Conta"]}`
	for _, sent := range []string{`{"name":"conta"}`, `{"name":""}`, `{}`, ``, `{"name":null}`,
		`{"account":{"name":"Conta"}}`} {
		s.call(t, "POST", "/sandbox/reset", document(sent), with("Content-Type", "application/json")).
			wantBody(t, 422, wrong)
	}
	equal(t, s.refusal(t, "POST", "/sandbox/reset", reset("x")).places(), "/name not_the_account_name")
	equal(t, query[string](t, s, everyRow), before)
}

// The feed goes on, and tells of everything that the reset took and made.
func TestTheFeedGoesOnAfterAReset(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	s.exec(t, `UPDATE accounts SET sandbox = true`)
	person := s.newPerson(t, `{"name":"Moinho"}`)
	classifier := s.newClassifier(t, "Obra")
	value := s.newValue(t, classifier, "Reforma")
	seal()
	before := s.feed(t, "?after=0")
	s.call(t, "POST", "/sandbox/reset", reset("Conta")).want(t, 202)
	seal()
	after := s.feed(t, fmt.Sprintf("?after=%d", before.Next))
	if after.Next <= before.Next || s.feed(t, "?after=0").Changes[0].Change.Sequence != 1 {
		t.Errorf("it goes on from %d to %d", before.Next, after.Next)
	}
	told, n := after.events(), len(finance.DefaultCategories())
	for _, want := range []string{
		fmt.Sprint("entities.destroyed ", s.EntityID), fmt.Sprint("people.destroyed ", lastID(person)),
		fmt.Sprint("custom_classifiers.destroyed ", lastID(classifier)),
		fmt.Sprint("custom_classifier_values.destroyed ", lastID(value)),
		"categories.destroyed 1 2 ", fmt.Sprintf("categories.created %d ", n+1), "entities.created ",
	} {
		if !slices.ContainsFunc(told, func(line string) bool { return strings.HasPrefix(line, want) }) {
			t.Errorf("%q is not told: %q", want, told)
		}
	}
	for _, c := range after.Changes {
		if c.Change.Event == "custom_classifier_values.destroyed" && (c.Change.ParentID == nil ||
			*c.Change.ParentID != lastID(classifier)) {
			t.Errorf("the parent of the value: %+v", c.Change)
		}
	}
}

func TestGoldensOfASandbox(t *testing.T) {
	t.Parallel()
	for format, sent := range map[string]string{"json": `{"name":"%s"}`, "xml": `<hash><name>%s</name></hash>`} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.golden(t, format, "POST", "/sandbox/reset", 202, document(fmt.Sprintf(sent, "Conta")))
			s.golden(t, format, "POST", "/sandbox/reset", 422, document(fmt.Sprintf(sent, "Outra")))
		})
	}
}
