package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
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
	// A transfer goes with either of its accounts.
	transfer := s.made(t, other+"/financial_transactions", fmt.Sprintf(
		`{"financial_transaction":{"type":"Credit","amount":10,"occurred_at":"2026-03-04","transfer_deposit_account_id":%d}}`, lastID(payable)))
	bill := s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10,"occurred_at":"2026-03-04","total_amount":10`)
	side := s.call(t, "GET", transfer).at(t, "financial_transaction.transfer_id")
	s.call(t, "POST", paths.Reconciles(s.EntityID), document(fmt.Sprintf(
		`{"selected_financial_account_ids":[%d],"selected_financial_transaction_ids":[%s]}`, lastID(bill), side))).want(t, 200)

	for _, path := range []string{plain, payable, other} {
		s.call(t, "DELETE", path, as(users["financial_transactions"])).says(t, 403, forbidden)
	}
	for _, path := range []string{payable, other} {
		s.call(t, "DELETE", path, as(users["payable_accounts"])).says(t, 403, forbidden)
		s.call(t, "GET", path).want(t, 200)
	}
	s.call(t, "GET", reconcile).want(t, 200)
	s.call(t, "DELETE", plain, as(users["payable_accounts"])).want(t, 200)
	s.call(t, "DELETE", payable, as(users["receivable_accounts"])).want(t, 200)
	s.call(t, "DELETE", other, as(users[""])).want(t, 200)
}

// What every entity refers to is changed and deleted by those who see them all.
func TestRecordsOfTheAccountAreOfThoseWhoSeeAll(t *testing.T) {
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
		s.call(t, "PUT", path, confined, document(sent)).says(t, 403, forbidden)
		s.call(t, "DELETE", path, confined).says(t, 403, forbidden)
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
	s.call(t, "PUT", path, member, document(`{"entity":{"name":"a","force_destroy":true}}`)).says(t, 403, forbidden)
	s.call(t, "PUT", path, member, document(`{"entity":{"name":"b","force_destroy":false}}`)).want(t, 200)
	s.call(t, "DELETE", path).want(t, 422)
	s.call(t, "PUT", path, document(`{"entity":{"force_destroy":true}}`)).want(t, 200)
	s.call(t, "PUT", path, member, document(`{"entity":{"force_destroy":false}}`)).says(t, 403, forbidden)
	s.call(t, "PUT", path, member, document(`{"entity":{"name":"c"}}`)).want(t, 200)
	s.call(t, "DELETE", path).want(t, 202)
}
