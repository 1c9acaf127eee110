package api_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/tokens"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

const forbidden = `{"error":"Você não tem permissão para acessar este recurso."}`

func TestADepositAccountGoesByThePermissionsOfWhatGoes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	users := map[string]string{}
	for _, denied := range []string{"", "financial_transactions", "payable_accounts", "receivable_accounts"} {
		users[denied] = s.member(t, finance.Access{AllEntities: true, Denied: strings.Fields(denied)})
	}
	plain, payable, other := s.newDepositAccount(t), s.newDepositAccount(t), s.newDepositAccount(t)
	s.newTransaction(t, plain, finance.Debit, "1", "2026-03-04")
	reconcile := paths.Reconcile(s.EntityID, s.newReconcile(t, payable))
	// A transfer is deleted with either of its accounts.
	transfer := s.made(t, other+"/financial_transactions", fmt.Sprintf(
		`{"financial_transaction":{"type":"Credit","amount":10,"occurred_at":"2026-03-04",`+
			`"transfer_deposit_account_id":%d}}`, lastID(payable)))
	bill := s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10,"occurred_at":"2026-03-04",`+
		`"total_amount":10`)
	side := s.call(t, "GET", transfer).at(t, "financial_transaction.transfer_id")
	s.call(t, "POST", paths.Reconciles(s.EntityID), document(fmt.Sprintf(
		`{"selected_financial_account_ids":[%d],"selected_financial_transaction_ids":[%s]}`, lastID(bill), side))).want(
		t, 200)

	for _, path := range []string{plain, payable, other} {
		s.call(t, "DELETE", path, as(users["financial_transactions"])).wantBody(t, 403, forbidden)
	}
	for _, path := range []string{payable, other} {
		s.call(t, "DELETE", path, as(users["payable_accounts"])).wantBody(t, 403, forbidden)
		s.call(t, "GET", path).want(t, 200)
	}
	s.call(t, "GET", reconcile).want(t, 200)
	s.call(t, "DELETE", plain, as(users["payable_accounts"])).want(t, 200)
	s.call(t, "DELETE", payable, as(users["receivable_accounts"])).want(t, 200)
	s.call(t, "DELETE", other, as(users[""])).want(t, 200)
}

func TestWhatBudgetsAndRulesReferToGoesByTheirPermissions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	category := func(name string) string { return s.newCategory(t, `{"name":"`+name+`"}`) }
	stays := lastID(category("Obras"))
	budget := func(category int64, center string) string {
		return s.made(t, paths.Budgets(s.EntityID), fmt.Sprintf(
			`{"budget":{"month":"2026-08","amount":1,"category_id":%d,"classification_center_id":%s}}`, category,
			center))
	}
	ofCenter := func(id int64) string { return budget(stays, fmt.Sprint(id)) }
	ofCategory := func(id int64) string { return budget(id, "null") }
	rule := func(action, field string) func(id int64) string {
		return func(id int64) string {
			return s.made(t, paths.ReconciliationRules(s.EntityID), fmt.Sprintf(
				`{"reconciliation_rule":{"name":"a","text_contains":["tarifa"],"%s":{"%s":%d}}}`, action, field, id))
		}
	}
	above := category("Equipe")
	below := s.newCategory(t, fmt.Sprintf(`{"name":"Bônus","parent_id":%d}`, lastID(above)))
	kinds := "financial_transactions, payable_accounts, receivable_accounts"
	for _, c := range []struct {
		name, path string
		refers     func(id int64) string
		of         string // the record that is referred to, if it is not that of the path
		needed     string
	}{
		{"the center of a budget", s.newCenter(t, s.EntityID, "Loja"), ofCenter, "", "budgets"},
		{"the category of a budget", category("Moinho novo"), ofCategory, "", "budgets"},
		{"a category above one of a budget", above, ofCategory, below, "budgets"},
		{"the person by whom a rule matches", s.newPerson(t, `{"name":"Ana"}`), rule("match", "person_id"), "", kinds},
		{"the category by which a rule matches", category("Farinha"), rule("match", "category_id"), "", kinds},
	} {
		t.Run(c.name, func(t *testing.T) {
			referring := c.refers(lastID(cmp.Or(c.of, c.path)))
			for _, denied := range strings.Split(c.needed, ", ") {
				token := s.member(t, finance.Access{AllEntities: true, Denied: []string{denied}})
				a := s.call(t, "DELETE", c.path, as(token), with("Accept", "application/problem+json")).want(t, 403)
				if hint := a.at(t, "errors.0.hint"); !strings.Contains(hint, denied) {
					t.Errorf("the hint %q does not name %s", hint, denied)
				}
				s.call(t, "GET", c.path).want(t, 200)
				s.call(t, "GET", referring).want(t, 200)
			}
			var others []string
			for _, p := range finance.Permissions {
				if !strings.Contains(c.needed, string(p)) {
					others = append(others, string(p))
				}
			}
			s.call(t, "DELETE", c.path, as(s.member(t, finance.Access{AllEntities: true, Denied: others}))).want(t, 200)
		})
	}
	// A rule that makes accounts stays without them, and nothing refers to the others.
	confined := as(s.member(t, finance.Access{AllEntities: true, Denied: []string{"budgets", "payable_accounts"}}))
	made := category("Fermento")
	rule("new_account", "category_id")(lastID(made))
	for _, path := range []string{made, s.newCenter(t, s.EntityID, "Sede"), s.newPerson(t, `{"name":"Ivo"}`)} {
		s.call(t, "DELETE", path, confined).want(t, 200)
	}
}

// Changing or deleting a record that every entity may refer to requires access to all entities.
func TestRecordsOfTheAccountAreChangedByMembersWhoSeeAll(t *testing.T) {
	t.Parallel()
	s := newService(t)
	confined := as(s.member(t, finance.Access{EntityIDs: []int64{s.EntityID}}))
	whole := as(s.member(t, finance.Access{AllEntities: true}))
	classifier := s.newClassifier(t, "Obra")
	for path, sent := range map[string]string{
		s.newPerson(t, `{"name":"Moinho"}`):       `{"person":{"name":"a"}}`,
		s.newCategory(t, `{"name":"Trigo novo"}`): `{"category":{"name":"a"}}`,
		s.newValue(t, classifier, "Reforma"):      `{"custom_classifier_value":{"value":"a"}}`,
		s.newClassifier(t, "Frota"):               `{"custom_classifier":{"name":"a"}}`,
	} {
		before := s.call(t, "GET", path, confined).want(t, 200).body
		s.call(t, "PUT", path, confined, document(sent)).wantBody(t, 403, forbidden)
		s.call(t, "DELETE", path, confined).wantBody(t, 403, forbidden)
		equal(t, s.call(t, "GET", path).body, before)
		s.call(t, "PUT", path, whole, document(sent)).want(t, 200)
		if a := s.call(t, "DELETE", path, whole); a.status != 200 && a.status != 204 {
			t.Error(a)
		}
	}
	s.call(t, "POST", "/people", confined, document(`{"person":{"name":"Padaria"}}`)).want(t, 201)
}

func TestForceDestroyOfAnEntityIsTheAdministrators(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path, member := paths.Entity(s.EntityID), as(s.member(t, finance.Access{AllEntities: true}))
	s.call(t, "PUT", path, member, document(`{"entity":{"name":"a","force_destroy":true}}`)).wantBody(t, 403, forbidden)
	s.call(t, "PUT", path, member, document(`{"entity":{"name":"b","force_destroy":false}}`)).want(t, 200)
	s.call(t, "DELETE", path).want(t, 422)
	s.call(t, "PUT", path, document(`{"entity":{"force_destroy":true}}`)).want(t, 200)
	s.call(t, "PUT", path, member, document(`{"entity":{"force_destroy":false}}`)).wantBody(t, 403, forbidden)
	s.call(t, "PUT", path, member, document(`{"entity":{"name":"c"}}`)).want(t, 200)
	s.call(t, "DELETE", path).want(t, 202)
}

func TestACardGoesByThePermissionsOfWhatGoes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, lacking := range []string{"credit_cards", "payable_accounts"} {
		token := s.member(t, finance.Access{AllEntities: true, Denied: []string{lacking}})
		s.call(t, "DELETE", s.newCard(t, 5, 15), as(token)).want(t, 403)
	}
	token := s.member(t, finance.Access{AllEntities: true, Denied: []string{"receivable_accounts"}})
	s.call(t, "DELETE", s.newCard(t, 5, 15), as(token)).want(t, 200)
}

// A stored answer is repeated only to requests with the same rights.
func TestAKeyRepeatsNothingToATokenThatMayLess(t *testing.T) {
	t.Parallel()
	s := newService(t)
	second := s.anotherEntity(t)
	wide := s.member(t, finance.Access{Administrator: true, AllEntities: true})
	user := query[int64](t, s, `SELECT max(user_id) FROM memberships WHERE account_id = $1`, s.AccountID)
	other := storagetest.NewToken(t, s.store, members.NewToken{
		UserID: user, AccountID: &s.AccountID, Rights: finance.Rights{EntityIDs: []int64{s.EntityID}},
	})
	body := document(fmt.Sprintf(`{"sale_account":{"name":"Maquininha","provider":"cielo","payment_methods":"cash",`+
		`"entity_id":%d}}`, second.ID))
	s.call(t, "POST", "/sale_accounts", as(wide), key("a"), body).want(t, 201)
	s.call(t, "POST", "/sale_accounts", as(wide), key("a"), body).want(t, 201) // the same answer again
	s.call(t, "POST", "/sale_accounts", as(other), key("a"), body).want(t, 409)
}

// A user without the permission for a kind of accounts cannot find out which ids exist.
func TestReconcilingDoesNotRevealWhichAccountsExist(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := lastID(s.made(t, paths.Entity(s.EntityID)+"/payable_accounts",
		`{"payable_account":{"description":"a","nominal_amount":1,"due_date":"2026-03-04"}}`))
	transaction := lastID(s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "1", "2026-03-10"))
	token := s.member(t, finance.Access{AllEntities: true, Denied: []string{"payable_accounts"}})
	there := s.match(t, ids(account), ids(transaction), as(token)).want(t, 403)
	missing := s.match(t, ids(account+1000), ids(transaction), as(token)).want(t, 403)
	equal(t, missing.body, there.body)
	s.match(t, ids(account+1000), ids(transaction)).want(t, 422)
}

// A token may have fewer rights than its user. Narrowing it changes no membership.
func TestATokenMayLessThanItsUser(t *testing.T) {
	t.Parallel()
	s := newService(t)
	second := s.anotherEntity(t)
	admin := finance.Access{Administrator: true, AllEntities: true}
	narrow := func(of finance.Access, r finance.Rights) option {
		t.Helper()
		of.AccountID = s.AccountID
		user, _ := storagetest.NewUser(t, s.store, of)
		return as(storagetest.NewToken(t, s.store, members.NewToken{UserID: user, AccountID: &s.AccountID, Rights: r}))
	}
	here, there := paths.Entity(s.EntityID), paths.Entity(second.ID)
	account := s.newDepositAccount(t)
	for name, c := range map[string]struct {
		token                               option
		here, there, movements, administers int
		creates                             int
	}{
		"as its user": {narrow(admin, finance.Rights{}), 200, 200, 200, 200, 201},
		"without a permission": {narrow(admin, finance.Rights{Denied: []string{"financial_transactions"}}), 200, 200,
			403, 403, 201},
		"of an entity": {narrow(admin, finance.Rights{EntityIDs: []int64{s.EntityID}}), 200, 404, 200, 403,
			201},
		"read only": {narrow(admin, finance.Rights{ReadOnly: true}), 200, 200, 200, 403, 403},
		"of what a member sees": {
			narrow(finance.Access{EntityIDs: []int64{s.EntityID}}, finance.Rights{
				EntityIDs: []int64{s.EntityID, second.ID}}), 200, 404, 200, 403, 201},
		"beside what a member lacks": {
			narrow(finance.Access{AllEntities: true, Denied: []string{"financial_transactions"}},
				finance.Rights{Denied: []string{"payable_accounts"}}), 200, 200, 403, 403, 201},
	} {
		t.Run(name, func(t *testing.T) {
			s.call(t, "GET", here, c.token).want(t, c.here)
			s.call(t, "HEAD", here, c.token).want(t, c.here)
			s.call(t, "GET", there, c.token).want(t, c.there)
			s.call(t, "GET", account+"/financial_transactions", c.token).want(t, c.movements)
			s.call(t, "GET", "/integrations/webhooks", c.token).want(t, c.administers)
			s.call(t, "POST", "/people", c.token, document(`{"person":{"name":"Moinho"}}`)).want(t, c.creates)
			may := s.call(t, "GET", "/user/permissions", c.token)
			equal(t, may.at(t, "user.accounts.0.financial_transactions"), fmt.Sprint(c.movements == 200))
			equal(t, may.at(t, "user.accounts.0.read_only"), fmt.Sprint(c.creates == 403))
			equal(t, strings.Contains(may.body, fmt.Sprintf(`{"id":%d,"name"`, second.ID)), c.there == 200)
		})
	}
	t.Run("an entity of another account", func(t *testing.T) {
		foreign := storagetest.NewTenant(t, s.store).EntityID
		err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
			return members.InsertToken(t.Context(), tx, tokens.New(), members.NewToken{
				UserID: s.UserID, AccountID: &s.AccountID, Rights: finance.Rights{EntityIDs: []int64{foreign}},
			})
		})
		if !errors.As(err, new(*finance.Invalid)) {
			t.Error(err)
		}
	})
}

func TestATokenThatOnlyReadsGetsNoLinksToChanges(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.records(t)
	reader := as(storagetest.NewToken(t, s.store, members.NewToken{UserID: s.UserID, AccountID: &s.AccountID,
		Rights: finance.Rights{ReadOnly: true}}))
	changes := regexp.MustCompile(`\{"rel":"[a-z_]+","href":"[^"]+","method":"(put|post|delete)"\},?`)
	here := paths.Entity(s.EntityID)
	for _, list := range []string{"/payable_accounts", "/receivable_accounts", "/sales", "/transfers", "/reconciles"} {
		all := s.call(t, "GET", here+list).want(t, 200).body
		want := strings.ReplaceAll(changes.ReplaceAllString(all, ""), "},]", "}]")
		if list != "/reconciles" && want == all {
			t.Errorf("%s has no links to changes: %s", list, all)
		}
		s.call(t, "GET", here+list, reader).wantBody(t, 200, want)
	}
}

// The feed shows a family to exactly the members that may list its records.
func TestTheFeedHidesTheFamiliesOfRefusedLists(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	s.exec(t, `INSERT INTO unsealed_changes (account_id, entity_id, parent_id, family, action, record_ids)
		SELECT $1, $2, 1, unnest(string_to_array($3, ' ')), 'created', '{1}'`, s.AccountID, s.EntityID,
		strings.Trim(fmt.Sprint(finance.ChangeFamilies), "[]"))
	seal()
	lists := map[finance.Family]string{
		finance.RegisterSessionsFamily: paths.DepositAccount(s.EntityID, 1) + "/sessions",
		finance.CardTransactionsFamily: paths.CreditCards(s.EntityID) + "/transactions",
		finance.SettingsFamily:         "/tokens", // has no list, and is for administrators alone, as tokens are
	}
	for _, denied := range finance.Permissions {
		member := as(s.member(t, finance.Access{AllEntities: true, Denied: []string{string(denied)}}))
		seen := s.feed(t, "", member).events()
		for _, family := range finance.ChangeFamilies {
			record, _ := paths.Record(string(family), s.EntityID, 1, 1)
			list := cmp.Or(lists[family], strings.TrimSuffix(record, "/1"))
			refused := s.call(t, "GET", list, member).status == http.StatusForbidden
			if shown := slices.Contains(seen, string(family)+".created 1"); shown == refused {
				t.Errorf("without %s: the feed shows %s is %t, %s is refused is %t", denied, family, shown, list,
					refused)
			}
		}
	}
}
