package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
)

// kinds lists the permissions for the records that files are attached to.
var kinds = []string{"financial_transactions", "payable_accounts", "receivable_accounts"}

// has checks whether the user of a token sees a file: the list, the record, the download, a change
// and a deletion must agree.
func (s *service) has(t *testing.T, token, file string, want bool) {
	t.Helper()
	status := map[bool]int{true: 200, false: 404}
	s.call(t, "GET", file, as(token)).want(t, status[want])
	s.call(t, "PUT", file, as(token), document(`{"attachment":{"title":"a"}}`)).want(t, status[want])
	s.call(t, "GET", file+"/download", as(token)).want(t, map[bool]int{true: 302, false: 404}[want])
	list := s.call(t, "GET", paths.Attachments(s.EntityID), as(token)).want(t, 200)
	equal(t, strings.Contains(list.body, publicURL+file+`"`), want)
	if !want {
		s.call(t, "DELETE", file, as(token)).want(t, 404)
	}
}

func TestAFileIsSeenByItsRecords(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	records := map[string]struct{ path, root string }{
		"financial_transactions": {s.newTransaction(t, account, finance.Debit, "1", "2026-03-04"), "financial_transaction"},
		"payable_accounts":       {s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10`), "payable_account"},
		"receivable_accounts":    {s.newAccount(t, finance.Receivable, `"due_date":"2026-03-04","amount":10`), "receivable_account"},
		"sales": {s.newSale(t, s.newSaleAccount(t, `"description":"a"`),
			`"payment_method":"pix","nominal_amount":10,"occurred_at":"2026-03-04"`), "sale"},
	}
	attach := func(kind string, files ...string) {
		ids := []int64{}
		for _, file := range files {
			ids = append(ids, lastID(file))
		}
		list := strings.ReplaceAll(fmt.Sprint(ids), " ", ",")
		s.call(t, "PUT", records[kind].path, document(fmt.Sprintf(`{%q:{"observation":"a","attachment_id_list":%s}}`, records[kind].root, list))).want(t, 200)
	}
	none := s.member(t, finance.Access{AllEntities: true, Denied: kinds})
	only := map[string]string{}
	for i, kind := range kinds {
		others := append(append([]string{}, kinds[:i]...), kinds[i+1:]...)
		only[kind] = s.member(t, finance.Access{AllEntities: true, Denied: others})
	}
	only["sales"] = only["receivable_accounts"]
	seenBy := func(t *testing.T, file string, who ...string) {
		t.Helper()
		s.has(t, s.Token, file, true)
		s.has(t, none, file, false)
		for _, kind := range kinds {
			s.has(t, only[kind], file, strings.Contains(fmt.Sprint(who), kind))
		}
	}
	for kind := range records {
		t.Run(kind, func(t *testing.T) {
			of := strings.Replace(kind, "sales", "receivable_accounts", 1)
			file := s.newAttachment(t)
			s.has(t, none, file, true) // visible before it is attached
			attach(kind, file)
			seenBy(t, file, of)
			attach(kind)
			seenBy(t, file, of) // still by the permission of its last record
		})
	}
	t.Run("one of several records is enough", func(t *testing.T) {
		file := s.newAttachment(t)
		attach("payable_accounts", file)
		attach("sales", file)
		seenBy(t, file, "payable_accounts", "receivable_accounts")
		attach("payable_accounts")
		seenBy(t, file, "receivable_accounts")
	})
	t.Run("nobody gives himself one", func(t *testing.T) {
		file := s.newAttachment(t)
		attach("payable_accounts", file)
		body := document(fmt.Sprintf(`{"financial_transaction":{"attachment_id_list":[%d]}}`, lastID(file)))
		s.call(t, "PUT", records["financial_transactions"].path, as(only["financial_transactions"]), body).
			wantBody(t, 422, `{"attachment_id_list":["não existe"]}`)
	})
	t.Run("that of a transaction whose account is gone", func(t *testing.T) {
		file := s.newAttachment(t)
		attach("financial_transactions", file)
		s.call(t, "DELETE", account).want(t, 200)
		s.has(t, s.Token, file, false)
	})
}
