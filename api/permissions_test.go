package api_test

import (
	"fmt"
	"testing"

	"bordero/finance"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

func TestPermissionsAreThoseOfTheUserInEachAccount(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.exec(t, `UPDATE entities SET name = 'Matriz ' || id`)
	second := s.anotherEntity(t)
	const all = `"financial_transactions":true,"payable_accounts":true,"receivable_accounts":true,"cash_flows":true,` +
		`"budgets":true,"bank_slips":true,"credit_cards":true,"read_only":false`
	both := fmt.Sprintf(`"entities":[{"id":1,"name":"Matriz 1"},{"id":%d,"name":"Matriz"}]`, second.ID)
	for _, c := range []struct{ name, token, accounts string }{
		{"an administrator", s.Token, `{"id":1,` + all + `,` + both + `}`},
		{"a member", s.member(t, finance.Access{AllEntities: true}), `{"id":1,` + all + `,` + both + `}`},
		{
			"a member of one entity, who lacks some",
			s.member(t, finance.Access{EntityIDs: []int64{second.ID}, Denied: []string{
				"budgets", "financial_transactions"}}),
			fmt.Sprintf(`{"id":1,"financial_transactions":false,"payable_accounts":true,"receivable_accounts":true,`+
				`"cash_flows":true,`+
				`"budgets":false,"bank_slips":true,"credit_cards":true,"read_only":false,"entities":[{"id":%d,`+
				`"name":"Matriz"}]}`, second.ID),
		},
		{"a member of no entity", s.member(t, finance.Access{}), `{"id":1,` + all + `,"entities":[]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.call(t, "GET", "/user/permissions", as(c.token)).wantBody(t, 200, `{"user":{"accounts":[`+c.accounts+
				`]}}`)
		})
	}
	t.Run("a user of two accounts, whichever he names", func(t *testing.T) {
		other := storagetest.NewTenant(t, s.store)
		s.exec(t, `INSERT INTO memberships (account_id, user_id, administrator, denied) VALUES ($1, $2, false,
			'{credit_cards}')`, other.AccountID, s.UserID)
		one := s.call(t, "GET", "/user/permissions").value(
			t).(map[string]any)["user"].(map[string]any)["accounts"].([]any)
		if len(one) != 1 {
			t.Errorf("a token for one account shows %v", one)
		}
		s.Token = storagetest.NewToken(t, s.store, members.NewToken{UserID: s.UserID})
		a := s.call(t, "GET", "/user/permissions")
		equal(t, a.at(t, "user.accounts.0.credit_cards")+" "+a.at(t, "user.accounts.1.credit_cards"), "true false")
		equal(t, a.at(t, "user.accounts.1.entities.0.id"), fmt.Sprint(other.EntityID))
		equal(t, s.call(t, "GET", "/user/permissions", with("ACCOUNT_ID", "2")).body, a.body)
		equal(t, s.call(t, "GET", "/user/permissions", with("ACCOUNT_ID", "99")).body, a.body)
	})
	t.Run("a user without accounts", func(t *testing.T) {
		alone := s.member(t, finance.Access{})
		s.exec(t, `DELETE FROM memberships USING tokens WHERE memberships.user_id = tokens.user_id AND prefix = $1`,
			alone[:6])
		s.call(t, "GET", "/user/permissions", as(alone)).wantBody(t, 200, `{"user":{"accounts":[]}}`)
	})
	s.call(t, "GET", "/user/permissions", as("nobody")).want(t, 401)
}
