package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/storage/storagetest"
)

// external is a kind of records with external ids: how one is made, and the parent with which it is removed.
type external struct{ list, root, fields, parent string }

func (s *service) externals(t *testing.T) map[string]external {
	t.Helper()
	account, card := s.newDepositAccount(t), s.newCard(t, 5, 15)
	saleAccount := s.newSaleAccount(t, `"payment_methods":"pix"`)
	entity := fmt.Sprintf("/entities/%d", s.EntityID)
	return map[string]external{
		"people":     {"/people", "person", `"name":"Moinho"`, ""},
		"categories": {"/categories", "category", `"name":"Trigo %d"`, ""},
		"centers": {"/classification_centers", "classification_center",
			fmt.Sprintf(`"name":"Loja","entity_id":%d`, s.EntityID), ""},
		"deposit accounts": {entity + "/deposit_accounts", "deposit_account",
			`"name":"Banco","deposit_account_type_id":1`, ""},
		"transactions": {account + "/financial_transactions", "financial_transaction",
			`"type":"Debit","amount":1,"occurred_at":"2026-03-04"`, account},
		"payable accounts": {entity + "/payable_accounts", "payable_account",
			`"due_date":"2026-03-04","amount":10,"create_as_recurrent":"monthly"`, ""},
		"receivable accounts": {entity + "/receivable_accounts", "receivable_account",
			`"due_date":"2026-03-04","amount":10`, ""},
		"sales": {entity + "/sales", "sale", fmt.Sprintf(`"sale_account_id":%d,"payment_method":"pix",`+
			`"nominal_amount":10,"occurred_at":"2026-03-04","installment_count":2`, lastID(saleAccount)), saleAccount},
		"purchases": {card + "/transactions", "credit_card_transaction",
			`"amount":10,"occurred_at":"2026-03-04","number_of_parcels":2`, card},
	}
}

func TestARecordIsFoundByItsExternalID(t *testing.T) {
	t.Parallel()
	s := newService(t)
	n := 0
	for name, k := range s.externals(t) {
		body := func(external string) option {
			fields := k.fields
			if strings.Contains(fields, "%d") {
				n++
				fields = fmt.Sprintf(fields, n)
			}
			return document(`{"` + k.root + `":{` + fields + `,"external_id":` + external + `}}`)
		}
		only := func(external string) option { return document(`{"` + k.root + `":{"external_id":` + external + `}}`) }
		made := s.call(t, "POST", k.list, body(`"ERP 1/ã"`)).want(t, 201)
		if got := made.at(t, k.root+".external_id"); got != "ERP 1/ã" {
			t.Fatalf("%s: %s", name, got)
		}
		first := strings.TrimPrefix(made.header.Get("Location"), publicURL)
		list := k.list
		if k.root == "credit_card_transaction" { // those of a card are listed by invoice
			list = fmt.Sprintf("/entities/%d/credit_cards/transactions", s.EntityID)
		}
		find := func(external string) answer {
			return s.call(t, "GET", list+"?search[external_id_equals]="+url.QueryEscape(external)).want(t, 200)
		}
		found := find("ERP 1/ã")
		if got := found.header.Get("X-Total-Count"); got != "1" { // of a series only the first has it
			t.Errorf("%s: %s found", name, got)
		}
		equal(t, found.at(t, "0."+k.root+".id"), fmt.Sprint(lastID(first)))

		taken := s.refusal(t, "POST", k.list, body(`"ERP 1/ã"`))
		equal(t, len(taken.Errors), 1)
		fault := taken.Errors[0]
		equal(t, fmt.Sprintf("%s %s %d", fault.Pointer, fault.Code, fault.ID),
			fmt.Sprintf("/%s/external_id taken %d", k.root, lastID(first)))
		if name == "people" {
			item := s.call(t, "POST", k.list+"/batch", document(`{"items":[{"person":{"name":"Moinho","customer":true,`+
				`"external_id":"ERP 1/ã"}}]}`)).want(t, 200)
			equal(t, item.at(t, "results.0.record_id"), fmt.Sprint(lastID(first)))
		}
		other := s.call(t, "POST", k.list, body(`""`)).want(t, 201)
		second := strings.TrimPrefix(other.header.Get("Location"), publicURL)
		s.call(t, "PUT", second, only(`"ERP 1/ã"`)).wantBody(t, 422, `{"external_id":["já está em uso"]}`)
		s.call(t, "PUT", first, only(`"ERP 1/ã"`)).want(t, 200)
		s.call(t, "PUT", second, only(`"`+strings.Repeat("ã", 256)+`"`)).want(t, 422)
		s.call(t, "PUT", second, only(`"\u0000"`)).wantBody(t, 422, `{"external_id":["não é válido"]}`)
		s.call(t, "PUT", second, only(`"ERP 2"`)).want(t, 200)
		equal(t, s.call(t, "GET", second).at(t, k.root+".external_id"), "ERP 2")
		s.call(t, "PUT", second, only(`null`)).want(t, 200)
		equal(t, find("ERP 2").body, "[]")

		s.call(t, "DELETE", first)
		equal(t, find("ERP 1/ã").body, "[]")
		s.call(t, "PUT", second, only(`"ERP 1/ã"`)).want(t, 200)
	}
}

// An external id is free as soon as its record cannot be found, though a job has still to remove it.
func TestAParentGivesTheExternalIDsBelowItUp(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for name, k := range s.externals(t) {
		if k.parent == "" {
			continue
		}
		s.call(t, "POST", k.list, document(`{"`+k.root+`":{`+k.fields+`,"external_id":"A"}}`)).want(t, 201)
		if status := s.call(t, "DELETE", k.parent).status; status >= 300 {
			t.Errorf("%s: %d", name, status)
		}
		k = s.externals(t)[name]
		s.call(t, "POST", k.list, document(`{"`+k.root+`":{`+k.fields+`,"external_id":"A"}}`)).want(t, 201)
	}
}

// A transaction of a deleted statement can be read until a job has removed it. No request changes it or refers to it,
// because that would be lost.
func TestATransactionOfADeletedStatementDoesNotChange(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	s.proven(t, account, "100")
	list := account + "/financial_transactions"
	s.put(t, list+"/1", `"external_id":"A"`).want(t, 200)
	gate, err := s.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{`SELECT FROM financial_transactions FOR UPDATE`,
		`UPDATE bank_statements SET deleted_at = now()`} {
		if _, err := gate.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan answer, 1)
	go func() {
		a, _ := s.send(t.Context(), "POST", list+"/batch", document(`{"on_conflict":"update","items":[`+
			`{"financial_transaction":`+
			`{"type":"Debit","amount":1,"occurred_at":"2026-03-04","external_id":"A"}}]}`))
		done <- a
	}()
	storagetest.AwaitLock(t, s.db, 1)
	if err := gate.Commit(); err != nil {
		t.Fatal(err)
	}
	equal(t, batchOutcome(t, <-done), "201 2; 1 0")
	s.call(t, "GET", list+"/1").want(t, 200)
	s.put(t, list+"/1", `"external_id":"B"`).want(t, 404)
	s.call(t, "DELETE", list+"/1").want(t, 404)
	s.call(t, "DELETE", list+"/destroy_many?selected_ids=1").want(t, 422)
	s.call(t, "POST", paths.Attachments(s.EntityID), parts(attachment("nota.pdf", "application/pdf", pdf),
		text("attachment[associated_financial_transaction_ids][]", "1"))).want(t, 422)
}

// Two entities, and two accounts, may use the same external id.
func TestExternalIDsAreOfTheirEntityOrAccount(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other := *s
	other.Tenant = storagetest.NewTenant(t, s.store)
	for name, k := range s.externals(t) {
		fields := strings.ReplaceAll(k.fields, "%d", "1")
		s.call(t, "POST", k.list, document(`{"`+k.root+`":{`+fields+`,"external_id":"A"}}`)).want(t, 201)
		k = other.externals(t)[name]
		fields = strings.ReplaceAll(k.fields, "%d", "1")
		other.call(t, "POST", k.list, document(`{"`+k.root+`":{`+fields+`,"external_id":"A"}}`)).want(t, 201)
	}
	entity := strings.TrimPrefix(s.call(t, "POST", "/entities", document(`{"entity":{"name":"Filial"}}`)).
		header.Get("Location"), publicURL)
	for _, kind := range []string{"payable", "receivable"} {
		s.call(t, "POST", entity+"/"+kind+"_accounts", document(`{"`+kind+
			`_account":{"due_date":"2026-03-04","amount":10,"external_id":"A"}}`)).want(t, 201)
	}
}

// A member who does not see an entity cannot find out its external ids.
func TestExternalIDsOfAHiddenEntityAreHidden(t *testing.T) {
	t.Parallel()
	s := newService(t)
	body := fmt.Sprintf(`{"classification_center":{"name":"Loja","entity_id":%d,"external_id":"A"}}`, s.EntityID)
	s.call(t, "POST", "/classification_centers", document(body)).want(t, 201)
	member := as(s.member(t, finance.Access{EntityIDs: []int64{s.anotherEntity(t).ID}}))
	s.call(t, "POST", "/classification_centers", document(body), member).wantBody(t, 422, `{"entity":["não existe"]}`)
	for _, more := range []string{"", `"on_conflict":"update",`} {
		a := s.call(t, "POST", "/classification_centers/batch", document(`{`+more+`"items":[`+body+`]}`), member)
		equal(t, batchOutcome(t, a), "422 entity; 0 1")
	}
}

// Of concurrent requests with the same external id, one creates the record, and the others are refused.
func TestAnExternalIDIsTakenOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	statuses := s.sendMany(t, 6, "POST", "/people", document(`{"person":{"name":"Moinho","external_id":"A"}}`))
	counts := map[int]int{}
	for range 6 {
		counts[<-statuses]++
	}
	equal(t, fmt.Sprint(counts), "map[201:1 422:5]")
}
