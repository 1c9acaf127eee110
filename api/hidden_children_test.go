package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/jobs"
)

// hiding is a service in which one record of each kind exists, and below one of its records others.
type hiding struct {
	*service
	ids    records
	parent string // path
}

// secret is in a text of every record below the parent.
const secret = "Segredo da matriz"

// hiddenChildren has, by "parent/child" or, for attachments, "parent/records/child", how to make a record whose path
// does not show that it is below the parent. It returns the id. One without has a reason.
var hiddenChildren = map[string]struct {
	make func(*hiding, *testing.T) int64
	none string
}{
	"sale_account_id/sale_id":               {make: (*hiding).sale},
	"sale_account_id/receivable_account_id": {make: (*hiding).receivable},
	"sale_account_id/payable_account_id":    {none: "a sale account has receivable accounts"},
	"sale_account_id/sales/attachment_id": {make: func(h *hiding, t *testing.T) int64 {
		return h.attach(t, paths.Sale(h.EntityID, h.sale(t)), "sale")
	}},
	"sale_account_id/financial_accounts/attachment_id": {make: func(h *hiding, t *testing.T) int64 {
		return h.attach(t, paths.FinancialAccount(h.EntityID, "receivable", h.receivable(t)), "receivable_account")
	}},
	"credit_card_id/payable_account_id":    {make: (*hiding).payable},
	"credit_card_id/receivable_account_id": {none: "a card has payable accounts"},
	"credit_card_id/financial_accounts/attachment_id": {make: func(h *hiding, t *testing.T) int64 {
		return h.attach(t, paths.FinancialAccount(h.EntityID, "payable", h.payable(t)), "payable_account")
	}},
	"deposit_account_id/reconciliation_rule_id": {make: func(h *hiding, t *testing.T) int64 {
		return lastID(h.newReconciliationRule(t, fmt.Sprintf(`"deposit_account_id":%d,"text_contains":[%q],`+
			`"new_account":{}`,
			lastID(h.parent), secret)))
	}},
	"deposit_account_id/financial_transactions/attachment_id": {make: func(h *hiding, t *testing.T) int64 {
		return h.attach(t, h.newTransaction(t, h.parent, finance.Debit, "3", "2026-03-04"), "financial_transaction")
	}},
	"deposit_account_id/transfer_id": {
		none: "a pair is of two accounts, and stays until the job or a request undoes it"},
}

func (h *hiding) sale(t *testing.T) int64 {
	return lastID(h.newSale(t, h.parent,
		fmt.Sprintf(`"payment_method":"pix","nominal_amount":10,"occurred_at":"2026-03-04","description":%q`, secret)))
}

func (h *hiding) receivable(t *testing.T) int64 {
	id := h.sale(t)
	h.price(t, lastID(h.parent))
	id = query[int64](t, h.service, `SELECT financial_account_id FROM sales WHERE id = $1`, id)
	h.call(t, "PUT", paths.FinancialAccount(h.EntityID, "receivable", id),
		document(fmt.Sprintf(`{"receivable_account":{"description":%q}}`, secret))).want(t, 200)
	return id
}

// payable buys in a month of its own, whose invoice has a payable account.
func (h *hiding) payable(t *testing.T) int64 {
	n := query[int](t, h.service, `SELECT count(*) FROM credit_card_transactions`)
	month := fmt.Sprintf("20%02d-03", 30+n)
	h.buy(t, h.parent, fmt.Sprintf(`"amount":10,"occurred_at":"%s-01"`, month))
	payable := h.payableOf(t, h.parent, month)
	h.call(t, "PUT", payable, document(fmt.Sprintf(`{"payable_account":{"description":%q}}`, secret))).want(t, 200)
	return lastID(payable)
}

// attach gives the record a new file.
func (h *hiding) attach(t *testing.T, record, root string) int64 {
	id := lastID(h.newAttachment(t, text("attachment[title]", secret)))
	sent := document(fmt.Sprintf(`{%q:{"observation":%q,"attachment_id_list":[%d]}}`, root, secret, id))
	h.call(t, "PUT", record, sent).want(t, 200)
	return id
}

// below returns the tables whose rows a table's hidden rows hide: those that refer to it, and to these, but for
// references that the job clears; and attachments, which belong to their records.
func (s *service) below(t *testing.T, table string) []string {
	t.Helper()
	all := query[string](t, s, `
		WITH RECURSIVE keys AS (
			SELECT c.conrelid::regclass::text AS child, c.confrelid::regclass::text AS parent
			FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
			WHERE c.contype = 'f' AND (c.conrelid::regclass::text LIKE '%\_attachments' OR a.attname NOT IN (
				'account_id', 'expected_deposit_account_id', 'reconcile_id', 'currency_id', 'transfer_id',
					'original_sale_id',
				'financial_account_id', 'bank_statement_id'))),
		below AS (
			SELECT $1 AS name
			UNION SELECT k.child FROM below b JOIN keys k ON k.parent = b.name AND b.name <> 'attachments')
		SELECT string_agg(name, ',') FROM below`, table)
	return strings.Split(all, ",")
}

// tableOf returns the table of the records that a parameter names.
func tableOf(parameter string) string {
	if strings.HasSuffix(parameter, "able_account_id") {
		return "financial_accounts"
	}
	return strings.TrimSuffix(parameter, "_id") + "s"
}

// children returns the keys that hiddenChildren must have for a parent: those of the routes of the tables below it.
func (s *service) children(t *testing.T, parent string) (keys []string) {
	t.Helper()
	below := s.below(t, tableOf(parent))
	for _, r := range api.Routes() {
		name, item := "", r.Method == "GET" && strings.Contains(r.Path, "/:")
		if item {
			name = r.Path[strings.LastIndex(r.Path, "/:")+2:]
		}
		switch {
		case !item || strings.Contains(name, "/") || strings.Contains(r.Path, "/:"+parent+"/") || name == parent:
		case name == "attachment_id":
			for _, link := range below {
				if record, links := strings.CutSuffix(link, "_attachments"); links {
					keys = append(keys, parent+"/"+record+"s/"+name)
				}
			}
		case slices.Contains(below, tableOf(name)):
			keys = append(keys, parent+"/"+name)
		}
	}
	return keys
}

// What a deleted parent takes with it is missing at once for every verb in every format, and in every list, also
// where the path does not name the parent.
func TestWhatGoesWithAHiddenParentIsMissing(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	asked, made := 0, 0
	for _, parent := range []string{"sale_account_id", "credit_card_id", "deposit_account_id"} {
		s := newService(t)
		keys := s.children(t, parent)
		if len(keys) == 0 {
			t.Errorf("nothing is below %s", parent)
		}
		h := hiding{service: s, ids: s.records(t)}
		h.parent = map[string]func() string{
			"sale_account_id": func() string {
				acquirer := s.newSaleAccount(t, `"consolidate":false`)
				s.newSaleRule(t, acquirer, `"payment_method":"pix","fee_percentage":0,"days_to_liquidation":1`)
				return acquirer
			},
			"credit_card_id":     func() string { return s.newCard(t, 5, 15) },
			"deposit_account_id": func() string { return s.newDepositAccount(t) },
		}[parent]()
		hidden := map[string]records{} // by key
		for _, key := range keys {
			seen[key] = true
			c, known := hiddenChildren[key]
			if !known {
				t.Errorf("hiddenChildren lacks %s", key)
			}
			if c.make != nil {
				hidden[key] = maps.Clone(h.ids)
				hidden[key][key[strings.LastIndex(key, "/")+1:]] = c.make(&h, t)
			}
		}
		for key, ids := range hidden {
			h.listed(t, key, ids, true)
		}
		if a := s.call(t, "DELETE", h.parent); a.status >= 300 {
			t.Fatal(a)
		}
		before := s.tables(t)
		made += len(hidden)
		for key, ids := range hidden {
			asked += h.missing(t, key, ids)
			h.listed(t, key, ids, false)
		}
		h.silent(t)
		equal(t, s.tables(t), before)
	}
	for key := range hiddenChildren {
		if !seen[key] {
			t.Errorf("no route has %s", key)
		}
	}
	t.Logf("%d requests for %d hidden records", asked, made)
}

// missing asks every verb of every route of the record, and returns how many requests that were.
func (h *hiding) missing(t *testing.T, key string, ids records) (asked int) {
	t.Helper()
	name := key[strings.LastIndex(key, "/")+1:]
	for _, r := range api.Routes() {
		if !strings.Contains(r.Path+"/", "/:"+name+"/") {
			continue
		}
		for i, format := range []string{"application/json", "application/xml", "application/problem+json"} {
			for j, match := range []string{"", "*", `W/"1"`} {
				if match != "" && (r.Method == "GET" || r.Method == "POST") || !tried(i, j, 3) {
					continue
				}
				asked++
				options := []option{valid(t, r), with("Accept", format)}
				if match != "" {
					options = append(options, with("If-Match", match))
				}
				if a := h.call(t, r.Method, ids.path(r), options...); a.status != http.StatusNotFound {
					t.Errorf("%s: %s %s as %s, If-Match %q: %d %s", key, r.Method, r.Path, format, match, a.status,
						a.body)
				}
			}
		}
	}
	if asked == 0 {
		t.Errorf("%s: no route", key)
	}
	return asked
}

// listed checks whether the lists of the record's kind have it: whole, by a cursor, by its id, and in their totals.
func (h *hiding) listed(t *testing.T, key string, ids records, want bool) {
	t.Helper()
	name := key[strings.LastIndex(key, "/")+1:]
	for _, r := range api.Routes() {
		list, item := strings.CutSuffix(r.Path, "/:"+name)
		if !item || r.Method != "GET" {
			continue
		}
		list = ids.path(api.Route{Method: "GET", Path: list})
		for _, page := range []string{"?per_page=500", "?per_page=500&cursor=",
			fmt.Sprintf("?search[ids]=%d", ids[name])} {
			if has := slices.Contains(h.idsAt(t, list+page), ids[name]); has != want {
				t.Errorf("%s: GET %s%s has it: %v, want %v", key, list, page, has, want)
			}
		}
		all := fmt.Sprint(len(h.idsAt(t, list)))
		if total := h.call(t, "GET", list+"?per_page=1").header.Get("X-Total-Count"); total != all {
			t.Errorf("%s: of %s records in %s, X-Total-Count counts %s", key, all, list, total)
		}
	}
}

// idsAt returns the ids of the records of a list.
func (h *hiding) idsAt(t *testing.T, list string) (ids []int64) {
	t.Helper()
	var all []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(h.call(t, "GET", list).want(t, 200).body), &all); err != nil {
		t.Fatalf("%s: %v", list, err)
	}
	for _, one := range all {
		record := struct{ ID int64 }{}
		for _, inner := range one { // the root key, where the list has them
			if len(one) == 1 {
				_ = json.Unmarshal(inner, &record)
			}
		}
		if len(one) > 1 {
			_ = json.Unmarshal(one["id"], &record.ID)
		}
		ids = append(ids, record.ID)
	}
	return ids
}

// silent checks that no other record shows a text of what is hidden. The feed of changes does: it is about the past.
func (h *hiding) silent(t *testing.T) {
	t.Helper()
	for _, r := range api.Routes() {
		if r.Method != "GET" || strings.HasPrefix(r.Path, "/changes") {
			continue
		}
		for _, format := range formats {
			if a := h.call(t, "GET", h.ids.path(r), with("Accept", format)); strings.Contains(a.body, secret) {
				t.Errorf("GET %s shows a hidden record: %s", r.Path, a.body)
			}
		}
	}
}

// A file is not lost with a hidden sale: no other record can take one of a hidden sale alone, and one that a
// record gives up stays, although a hidden sale has it too.
func TestAFileIsNotLostWithAHiddenSale(t *testing.T) {
	t.Parallel()
	s := newService(t)
	acquirer := s.newSaleAccount(t, `"consolidate":false`)
	sale := s.newSale(t, acquirer, `"payment_method":"pix","nominal_amount":10,"occurred_at":"2026-03-14"`)
	payable := s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10`)
	its, given, free := s.newAttachment(t), s.newAttachment(t), s.newAttachment(t)
	put := func(record, root string, status int, files ...string) answer {
		t.Helper()
		list := []int64{}
		for _, file := range files {
			list = append(list, lastID(file))
		}
		sent := document(fmt.Sprintf(`{%q:{"attachment_id_list":%s}}`, root, strings.ReplaceAll(fmt.Sprint(list), " ",
			",")))
		return s.call(t, "PUT", record, sent).want(t, status)
	}
	put(sale, "sale", 200, its, given)
	put(payable, "payable_account", 200, given)
	s.call(t, "DELETE", acquirer).want(t, 204)

	put(sale, "sale", 404, free)
	s.has(t, s.Token, its, false)
	put(payable, "payable_account", 422, given, its).wantBody(t, 422, `{"attachment_id_list":["não existe"]}`)
	if a := s.call(t, "GET", given).want(t, 200); strings.Contains(a.body, sale) {
		t.Errorf("a file shows its hidden sale: %s", a.body)
	}
	put(payable, "payable_account", 200, free)
	s.has(t, s.Token, given, true)
	s.removeHidden(t, jobs.DeleteCascade{AccountID: s.AccountID, Root: "sale_accounts", ID: lastID(acquirer)})
	s.has(t, s.Token, its, false)
	s.has(t, s.Token, given, true)
	s.has(t, s.Token, free, true)
}

// A reconciliation and a pair with a transaction of a hidden deposit account stay until the job undoes them. The
// reconciliation does not show that transaction, and a request may undo both.
func TestWhatAHiddenTransactionIsPartOfCanBeUndone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	goes, stays := s.newDepositAccount(t), s.newDepositAccount(t)
	reconcile := paths.Reconcile(s.EntityID, s.newReconcile(t, goes))
	debit := s.newTransaction(t, goes, finance.Debit, "7", "2026-03-04")
	pair := paths.Transfer(s.EntityID,
		s.newPair(t, debit, s.newTransaction(t, stays, finance.Credit, "7", "2026-03-04")))
	s.call(t, "DELETE", goes).want(t, 200)
	for _, path := range []string{reconcile, reconcile[:strings.LastIndex(reconcile, "/")], paths.Entity(s.EntityID) +
		"/payable_accounts"} {
		if a := s.call(t, "GET", path).want(t, 200); strings.Contains(a.body, goes+"/financial_transactions") {
			t.Errorf("%s shows a hidden transaction: %s", path, a.body)
		}
	}
	equal(t, query[int](t, s, `SELECT status FROM financial_accounts`), 3)
	s.call(t, "DELETE", reconcile).want(t, 200)
	equal(t, query[int](t, s, `SELECT status FROM financial_accounts`), 2)
	s.call(t, "DELETE", pair).want(t, 200)
	s.call(t, "GET", pair).want(t, 404)
}
