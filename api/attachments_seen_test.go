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
		"financial_transactions": {s.newTransaction(t, account, finance.Debit, "1", "2026-03-04"),
			"financial_transaction"},
		"payable_accounts": {s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10`),
			"payable_account"},
		"receivable_accounts": {s.newAccount(t, finance.Receivable, `"due_date":"2026-03-04","amount":10`),
			"receivable_account"},
		"sales": {s.newSale(t, s.newSaleAccount(t, `"description":"a"`),
			`"payment_method":"pix","nominal_amount":10,"occurred_at":"2026-03-04"`), "sale"},
	}
	attach := func(kind string, files ...string) {
		ids := []int64{}
		for _, file := range files {
			ids = append(ids, lastID(file))
		}
		list := strings.ReplaceAll(fmt.Sprint(ids), " ", ",")
		s.call(t, "PUT", records[kind].path,
			document(fmt.Sprintf(`{%q:{"observation":"a","attachment_id_list":%s}}`, records[kind].root, list))).want(t,
			200)
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

// What the user may not see, or is gone, takes no place among the first records of a kind; payable and
// receivable accounts are two kinds.
func TestAFileNamesTheFirstRecordsThatOneSees(t *testing.T) {
	t.Parallel()
	s := newService(t)
	file := s.newAttachment(t)
	gone := s.newDepositAccount(t)
	s.exec(t, `INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, amount, competency_month)
		SELECT $1, $2, 'payable', 1, '2026-03-04', 10, '2026-03-01' FROM generate_series(1, 501)`, s.AccountID,
		s.EntityID)
	s.exec(t, `INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id)
		SELECT $1, $2, -1, '2026-03-04', 1 FROM generate_series(1, 501)`, s.AccountID, lastID(gone))
	s.newAccount(t, finance.Receivable, `"due_date":"2026-03-04","amount":10`)
	s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "1", "2026-03-04")
	s.exec(t, `INSERT INTO financial_account_attachments SELECT account_id, id, $1 FROM financial_accounts`,
		lastID(file))
	s.exec(t, `INSERT INTO financial_transaction_attachments SELECT account_id, id, $1 FROM financial_transactions`,
		lastID(file))
	s.call(t, "DELETE", gone).want(t, 200)
	for name, c := range map[string]struct {
		denied        []string
		listed, shown string // payable accounts, receivable accounts, transactions
	}{
		"all":                 {nil, "20 1 1", "500 1 1"},
		"no payable accounts": {[]string{"payable_accounts"}, "0 1 1", "0 1 1"},
		"no receivable ones":  {[]string{"receivable_accounts"}, "20 0 1", "500 0 1"},
		"transactions alone":  {[]string{"payable_accounts", "receivable_accounts"}, "0 0 1", "0 0 1"},
		"accounts alone":      {[]string{"financial_transactions"}, "20 1 0", "500 1 0"},
	} {
		t.Run(name, func(t *testing.T) {
			user := as(s.member(t, finance.Access{AllEntities: true, Denied: c.denied}))
			for path, want := range map[string]string{paths.Attachments(s.EntityID): c.listed, file: c.shown} {
				a, counts := s.call(t, "GET", path, user).want(t, 200), []int{}
				for _, kind := range []string{"payable_account", "receivable_account", "financial_transaction"} {
					counts = append(counts, strings.Count(a.body, fmt.Sprintf(`"kind":%q`, kind)))
				}
				equal(t, strings.Trim(fmt.Sprint(counts), "[]"), want)
			}
		})
	}
}

// No user removes an account that its sales or purchases leave. Its file stays, for users who could see the account.
func TestAFileOfAnAccountThatIsEmptied(t *testing.T) {
	t.Parallel()
	pricedAnew := func(path, body string) func(*testing.T) (*service, string, func()) {
		return func(t *testing.T) (*service, string, func()) {
			s, account, receivable := newReceivables(t, false)
			return s, receivable, func() {
				s.call(t, "PUT", account+path, document(body)).want(t, 200)
				s.price(t, 1)
			}
		}
	}
	for name, emptied := range map[string]func(*testing.T) (s *service, account string, empty func()){
		"by the account of a day":   pricedAnew("", `{"sale_account":{"consolidate":true}}`),
		"by a rule for other sales": pricedAnew("/rules/1", `{"sale_rule":{"payment_method":"cash","apply_rules":1}}`),
		"by a sale that fits into no account": func(t *testing.T) (*service, string, func()) {
			s, account, receivable := newReceivables(t, true)
			s.exec(t, `DELETE FROM sales WHERE id = 2`)
			s.exec(t, `UPDATE financial_accounts SET amount = 98, sales_count = 1`)
			s.newSale(t, account, `"payment_method":"pix","nominal_amount":100,"occurred_at":"2026-03-02"`)
			s.price(t, 1)
			s.exec(t, `UPDATE financial_accounts SET amount = 9999999999999990 WHERE due_date = '2026-04-01'`)
			return s, receivable, func() {
				s.call(t, "PUT", "/entities/1/sales/1", document(`{"sale":{"occurred_at":"2026-03-02"}}`)).want(t, 200)
				s.price(t, 1)
			}
		},
		"by new days of a card": func(t *testing.T) (*service, string, func()) {
			s := newService(t)
			card := s.newCard(t, 5, 15)
			s.buy(t, card, `"amount":1,"occurred_at":"2090-01-04"`)
			s.buy(t, card, `"amount":2,"occurred_at":"2090-01-08"`)
			return s, s.payableOf(t, card, "2090-02"), func() {
				s.call(t, "PUT", card, document(`{"credit_card":{"closing_day":10,"expiration_day":20}}`)).want(t, 200)
				s.applyDays(t, card)
			}
		},
		"by a purchase of another day": func(t *testing.T) (*service, string, func()) {
			s := newService(t)
			card := s.newCard(t, 5, 15)
			purchase := s.buy(t, card, `"amount":1,"occurred_at":"2090-01-04"`)
			return s, s.payableOf(t, card, "2090-01"), func() {
				s.call(t, "PUT", purchase,
					document(`{"credit_card_transaction":{"occurred_at":"2090-01-08"}}`)).want(t, 200)
			}
		},
		"by a refund": func(t *testing.T) (*service, string, func()) {
			s := newService(t)
			card := s.newCard(t, 5, 15)
			s.buy(t, card, `"amount":1,"occurred_at":"2090-01-04"`)
			return s, s.payableOf(t, card, "2090-01"), func() {
				s.buy(t, card, `"amount":-1,"occurred_at":"2090-01-04"`)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, account, empty := emptied(t)
			none := s.member(t, finance.Access{AllEntities: true, Denied: kinds})
			const of = "attachment[associated_financial_account_ids][]"
			file := s.newAttachment(t, text(of, fmt.Sprint(lastID(account))))
			kept := s.newAccount(t, finance.Payable, `"due_date":"2026-05-10","amount":1`)
			both := s.newAttachment(t, text(of, fmt.Sprint(lastID(account))), text(of, fmt.Sprint(lastID(kept))))
			empty()
			s.has(t, s.Token, both, true)
			equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', financial_account_id, attachment_id), ', ')
				FROM financial_account_attachments`), fmt.Sprint(lastID(kept), " ", lastID(both)))
			s.call(t, "GET", account).want(t, 404)
			equal(t, s.call(t, "GET", file).at(t, "attachment.attachables"), "[]")
			s.has(t, s.Token, file, true)
			s.has(t, none, file, false)
		})
	}
}
