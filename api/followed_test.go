package api_test

import (
	"database/sql"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/storage"
	"bordero/storage/storagetest"

	"github.com/getkin/kin-openapi/openapi3"
)

// Every list of records with updated_at can be filtered by it.
func TestListsOfWhatChangesCanBeFollowed(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	followed := 0
	for _, r := range api.Routes() {
		item := listed(r)
		if item == nil || item.Properties["updated_at"] == nil {
			continue
		}
		followed++
		if filters(r)["updated_at_gte"] == nil {
			t.Errorf("%s: updated_at_gte is not documented", r.Path)
		}
		all := s.call(t, "GET", ids.path(r)).want(t, 200).value(t).([]any)
		since := s.call(t, "GET", ids.path(r)+"?search[updated_at_gte]=2020-01-01").want(t, 200).value(t).([]any)
		equal(t, len(since), len(all))
		later := s.call(t, "GET", ids.path(r)+"?search[updated_at_gte]=2099-01-01").want(t, 200).value(t).([]any)
		equal(t, len(later), 0)
	}
	if followed < 6 {
		t.Errorf("only %d lists have updated_at", followed)
	}
}

// Changes become visible at commit, but carry the time at which their transaction began. So
// X-Changes-Until must not be later than the beginning of any open transaction.
func TestFollowersMissNoSlowTransaction(t *testing.T) {
	t.Parallel()
	databaseURL := storagetest.DatabaseURL(t)
	s := serve(t, storagetest.Open(t, databaseURL, storage.Options{}))
	s.Tenant = storagetest.NewTenant(t, s.store)
	below := s.newDepositAccount(t)
	path := below + "/financial_transactions?search[updated_at_gte]="
	db, err := sql.Open("postgres", databaseURL) // with the API's role, which cannot see the sessions of the owner
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	slow, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Rollback() // after a commit it is a no-op
	_, err = slow.ExecContext(t.Context(), `
		INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id)
			VALUES (1, 1, -1, '2026-03-04', 1);
		SELECT pg_sleep(2.5)`) // longer than the margin of X-Changes-Until
	if err != nil {
		t.Fatal(err)
	}
	s.newTransaction(t, below, finance.Debit, "2", "2026-03-04") // commits meanwhile
	a := s.call(t, "GET", path+"2020-01-01").want(t, 200)
	equal(t, len(a.all(t, "financial_transaction.id")), 1)
	mark := a.header.Get("X-Changes-Until")
	again := s.call(t, "GET", path+"2020-01-01", with("If-None-Match", a.header.Get("ETag"))).want(t, 304)
	equal(t, again.header.Get("X-Changes-Until") != "", true)
	if err := slow.Commit(); err != nil {
		t.Fatal(err)
	}
	next := s.call(t, "GET", path+mark).want(t, 200)
	equal(t, len(next.all(t, "financial_transaction.id")), 2)
	if until := next.header.Get("X-Changes-Until"); until < mark {
		t.Errorf("the mark goes back from %s to %s", mark, until)
	}
	equal(t, s.call(t, "GET", below+"/financial_transactions").want(t, 200).header.Get("X-Changes-Until"), "")
}

// listed returns the schema of the records that a route lists, or nil.
func listed(r api.Route) *openapi3.Schema {
	if r.Method != "GET" || strings.HasSuffix(r.Path, "/value") {
		return nil
	}
	ok := openAPI().operation(r.Method, documented(r.Path)).Operation.Responses.Status(200)
	if ok == nil || ok.Value.Content["application/json"] == nil {
		return nil
	}
	schema := ok.Value.Content["application/json"].Schema.Value
	if schema.Items == nil {
		return nil
	}
	for _, root := range schema.Items.Value.Properties {
		return root.Value
	}
	return nil
}
