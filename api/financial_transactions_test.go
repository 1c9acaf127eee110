package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
)

func TestTheSignOfATransactionIsThatOfItsType(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t) + "/financial_transactions"
	for _, c := range []struct{ kind, sent, amount, absolute string }{
		{"Debit", `"12.50"`, "-12.5", "12.5"},
		{"Debit", `-12.5`, "-12.5", "12.5"},
		{"Credit", `12.5`, "12.5", "12.5"},
		{"Credit", `"0.199E3"`, "199.0", "199.0"},
		{"Credit", `"0.5e3"`, "500.0", "500.0"},
		{"Debit", `1.999e1`, "-19.99", "19.99"},
		{"Credit", `"+1.1000"`, "1.1", "1.1"},
		{"Credit", `"9999999999999.99"`, "9999999999999.99", "9999999999999.99"},
		{"Debit", `0.01`, "-0.01", "0.01"},
	} {
		a := s.call(t, "POST", below, document(fmt.Sprintf(`{"financial_transaction":{"type":%q,"amount":%s,`+
			`"occurred_at":"2026-01-02"}}`, c.kind, c.sent))).want(t, 201)
		equal(t, a.at(t, "financial_transaction.type"), c.kind)
		equal(t, a.at(t, "financial_transaction.amount"), c.amount)
		equal(t, a.at(t, "financial_transaction.absolute_amount"), c.absolute)
		equal(t, s.call(t, "GET", a.header.Get("Location")[len(publicURL):]).body, a.body)
	}
}

func TestATransactionIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	for _, c := range []struct{ name, fields, messages string }{
		{"without anything", `"a":1`, `{"type":["não pode ser vazio","não está incluso na lista"],"amount":["não ` +
			`pode ser vazio"],"occurred_at":["não pode ser vazio"]}`},
		{"of an unknown type", `"type":"Transfer"`, `{"type":["não está incluso na lista"]}`},
		{"of a type in another case", `"type":"debit"`, `{"type":["não está incluso na lista"]}`},
		{"of a type that is no text", `"type":{}`, `{"type":["não pode ser vazio","não está incluso na lista"]}`},
		{"in thousandths", `"amount":"1.005"`, `{"amount":["deve ter no máximo 2 casas decimais"]}`},
		{"in thousandths of scientific form", `"amount":"1005e-3"`,
			`{"amount":["deve ter no máximo 2 casas decimais"]}`},
		{"of 14 digits", `"amount":"10000000000000"`, `{"amount":["deve ter no máximo 13 dígitos inteiros"]}`},
		{"of 14 digits in scientific form", `"amount":1e13`, `{"amount":["deve ter no máximo 13 dígitos inteiros"]}`},
		{"of zero", `"amount":"-0.00"`, `{"amount":["deve ser diferente de zero"]}`},
		{"of a credit below zero", `"type":"Credit","amount":-3`, `{"amount":["não pode ser negativo em um crédito"]}`},
		{"of nothing", `"amount":null`, `{"amount":["deve ser diferente de zero"]}`},
		{"of an amount with a comma", `"amount":"1,50"`, `{"amount":["não é um número: use ponto decimal, como ` +
			`1234.56"]}`},
		{"of an amount that is a list", `"amount":[1]`,
			`{"amount":["não é um número: use ponto decimal, como 1234.56"]}`},
		{"of no day", `"occurred_at":""`, `{"occurred_at":["não pode ser vazio"]}`},
		{"of a day that the calendar has not", `"occurred_at":"2026-02-29"`,
			`{"occurred_at":["não é uma data válida"]}`},
		{"of a day in another form", `"occurred_at":"02/01/2026"`, `{"occurred_at":["não é uma data válida"]}`},
		{"of a day that is a number", `"occurred_at":20260102`, `{"occurred_at":["não é uma data válida"]}`},
		{"of the year 0", `"occurred_at":"0000-01-01"`, `{"occurred_at":["não é uma data válida"]}`},
		{"with texts too long", `"document":"` + strings.Repeat("a", 256) + `","user_description":"` +
			strings.Repeat("a", 256) + `"`,
			`{"document":["é muito longo (máximo: 255 caracteres)"],"user_description":["é muito longo (máximo: 255 ` +
				`caracteres)"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			fields := c.fields
			if fields != `"a":1` { // the rest is valid; the last of two equal names counts
				fields = `"type":"Debit","amount":"5","occurred_at":"2026-01-02",` + fields
			}
			s.call(t, "POST", account+"/financial_transactions", document(`{"financial_transaction":{`+fields+`}}`)).
				wantBody(t, 422, c.messages)
		})
	}
	equal(t, s.call(t, "GET", account+"/financial_transactions").body, "[]")
	equal(t, s.call(t, "GET", account).at(t, "deposit_account.calculated_balance"), "0.0")
}

func TestATransactionIsChanged(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newTransaction(t, s.newDepositAccount(t), "Debit", "150.99", "2026-01-02")
	for _, c := range []struct{ name, fields, kind, amount, day string }{
		{"an amount keeps the type", `"amount":500`, "Debit", "-500.0", "2026-01-02"},
		{"a type flips the sign", `"type":"Credit"`, "Credit", "500.0", "2026-01-02"},
		{"type and amount change together", `"type":"Debit","amount":"1.5"`, "Debit", "-1.5", "2026-01-02"},
		{"a day changes alone", `"occurred_at":"2026-03-04"`, "Debit", "-1.5", "2026-03-04"},
		{"of a timestamp the day counts", `"occurred_at":"2026-03-05T23:59:59-03:00"`, "Debit", "-1.5", "2026-03-05"},
		{"nothing changes", `"sale":1`, "Debit", "-1.5", "2026-03-05"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.call(t, "PUT", path, document(`{"financial_transaction":{`+c.fields+`}}`)).want(t, 200)
			equal(t, a.at(t, "financial_transaction.type"), c.kind)
			equal(t, a.at(t, "financial_transaction.amount"), c.amount)
			equal(t, a.at(t, "financial_transaction.occurred_at"), c.day)
			equal(t, s.call(t, "GET", path).body, a.body)
		})
	}
	t.Run("texts come and go", func(t *testing.T) {
		a := s.call(t, "PUT", path, document(`{"financial_transaction":{"document":"NF 1","user_description":"b",`+
			`"observation":"c\nd"}}`))
		equal(t, a.at(t, "financial_transaction.document")+a.at(t, "financial_transaction.user_description")+a.at(t,
			"financial_transaction.observation"), "NF 1bc\nd")
		a = s.call(t, "PUT", path, document(`{"financial_transaction":{"document":null,"user_description":" ",`+
			`"observation":""}}`))
		equal(t, a.at(t, "financial_transaction.document")+a.at(t, "financial_transaction.user_description")+a.at(t,
			"financial_transaction.observation"), "<nil><nil><nil>")
	})
	t.Run("and refused as a new one is", func(t *testing.T) {
		s.call(t, "PUT", path, document(`{"financial_transaction":{"amount":0,"occurred_at":null}}`)).
			wantBody(t, 422, `{"amount":["deve ser diferente de zero"],"occurred_at":["não pode ser vazio"]}`)
		equal(t, s.call(t, "GET", path).at(t, "financial_transaction.amount"), "-1.5")
	})
}

func TestTheBalanceFollowsEveryTransaction(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t, func(d *finance.DepositAccount) {
		initial := finance.Amount(100_00)
		d.InitialBalance = &initial
	})
	is := func(balance, day string) {
		t.Helper()
		a := s.call(t, "GET", account)
		equal(t, a.at(t, "deposit_account.calculated_balance")+" "+a.at(t, "deposit_account.last_transaction_date"),
			balance+" "+day)
	}
	put := func(path, fields string) {
		t.Helper()
		s.call(t, "PUT", path, document(`{"financial_transaction":{`+fields+`}}`)).want(t, 200)
	}
	is("100.0", "<nil>")
	first := s.newTransaction(t, account, "Debit", "30.1", "2026-01-10")
	is("69.9", "2026-01-10")
	older := s.newTransaction(t, account, "Credit", "0.2", "2026-01-05")
	is("70.1", "2026-01-10")
	newest := s.newTransaction(t, account, "Debit", "100", "2026-02-01")
	is("-29.9", "2026-02-01")
	put(newest, `"amount":"50.05"`)
	is("20.05", "2026-02-01")
	put(newest, `"type":"Credit"`)
	is("120.15", "2026-02-01")
	put(newest, `"occurred_at":"2026-01-01"`)
	is("120.15", "2026-01-10")
	put(older, `"occurred_at":"2026-03-01","amount":1`)
	is("120.95", "2026-03-01")
	s.call(t, "DELETE", older).wantBody(t, 200, "")
	is("119.95", "2026-01-10")
	s.call(t, "DELETE", first).wantBody(t, 200, "")
	is("150.05", "2026-01-01")
	s.call(t, "DELETE", newest).wantBody(t, 200, "")
	is("100.0", "<nil>")
	s.call(t, "DELETE", newest).wantBody(t, 404, `{"error":"Couldn't find FinancialTransaction with id=3"}`)
	is("100.0", "<nil>")
}

func TestABalanceHasNoBound(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	first := s.newTransaction(t, account, "Credit", "1", "2026-01-01")
	for kept, want := range map[string]string{
		"9999999999999999.98": "10000000000000001.0", "-92233720368547758.08": "-92233720368547757.06",
		"12345678901234567890.12": "12345678901234567891.14",
	} {
		s.exec(t, `UPDATE deposit_accounts SET transactions_sum = `+kept)
		second := s.newTransaction(t, account, "Credit", "0.02", "2026-01-01")
		s.call(t, "PUT", first, document(`{"financial_transaction":{"amount":"2"}}`)).want(t, 200)
		equal(t, s.call(t, "GET", account).at(t, "deposit_account.calculated_balance"), want)
		s.call(t, "PUT", first, document(`{"financial_transaction":{"amount":"1"}}`)).want(t, 200)
		s.call(t, "DELETE", second).want(t, 200)
	}
}

func TestTransactionsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account, other := s.newDepositAccount(t), s.newDepositAccount(t)
	for _, day := range []string{"2026-01-02", "2026-01-03", "2026-01-02", "2025-12-31", "2026-01-03"} {
		s.newTransaction(t, account, "Debit", "1", day)
	}
	s.newTransaction(t, other, "Debit", "1", "2026-01-02")
	equal(t, s.call(t, "GET", account+"/financial_transactions").all(t, "financial_transaction.id"),
		[]string{"5", "2", "3", "1", "4"})
	t.Run("and found by their change", func(t *testing.T) {
		s.exec(t, `UPDATE financial_transactions SET updated_at = '2026-01-01' WHERE id <> ALL('{2,3,6}')`)
		changed := s.call(t, "GET", account+"/financial_transactions?per_page=1&search[updated_at_gte]=2026-01-02")
		equal(t, changed.all(t, "financial_transaction.id"), []string{"2"})
		equal(t, changed.header.Get("Link"), link(account+"/financial_transactions.json",
			"search%5Bupdated_at_gte%5D=2026-01-02", 1, "last 2", "next 2"))
		s.call(t, "GET", account+"/financial_transactions?search[documento]=1").wantBody(t, 422,
			`{"documento":["não é um filtro conhecido: o mais parecido é document_equals"]}`)
	})
}

func TestLinksOfferOnlyWhatWouldBeAccepted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account, other := s.newDepositAccount(t), s.newDepositAccount(t)
	below := account + "/financial_transactions"
	here, there := s.transferred(t, account, other, "12.5", "2026-03-04")
	free, bound := s.newTransaction(t, account, "Debit", "12.5", "2026-03-04"),
		s.newTransaction(t, account, "Debit", "12.5", "2026-03-04")
	paid, reconciled := s.settled(t, finance.Payable, "12.5"), s.settled(t, finance.Payable, "12.5")
	s.match(t, []int64{reconciled}, []int64{lastID(bound)}).want(t, 200)
	received := s.settled(t, finance.Receivable, "12.5")
	s.match(t, []int64{received}, []int64{lastID(there)}).want(t, 200)
	for path, want := range map[string]bool{
		free: true, bound: false, here: false, there: false,
		fmt.Sprint(payables, "/", paid): true, fmt.Sprint(payables, "/", reconciled): false,
		fmt.Sprint(receivables, "/", received): false,
	} {
		offered := strings.Contains(s.call(t, "GET", path).want(t, 200).body, `"rel":"destroy"`)
		equal(t, fmt.Sprint(path, " ", offered), fmt.Sprint(path, " ", want))
		defer func() {
			status := s.call(t, "DELETE", path).status
			equal(t, fmt.Sprint(path, " ", status == 200), fmt.Sprint(path, " ", want))
		}()
	}
	equal(t, strings.Count(s.call(t, "GET", below).body, `"rel":"destroy"`), 1)
	s.call(t, "PUT", free, document(`{"financial_transaction":{"amount":-500}}`)).want(t, 200)
	s.call(t, "PUT", free, document(`{"financial_transaction":{"type":"Credit","amount":-500}}`)).wantBody(t, 422,
		`{"amount":["não pode ser negativo em um crédito"]}`)
	s.call(t, "PUT", free, document(`{"financial_transaction":{"type":"Credit"}}`)).want(t, 200)
	s.call(t, "PUT", free, document(`{"financial_transaction":{"amount":-500}}`)).want(t, 422)
}

func TestASelectionOfTransactionsIsDeletedCompletelyOrNotAtAll(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account, other := s.newDepositAccount(t), s.newDepositAccount(t)
	all, elsewhere := account+"/financial_transactions", lastID(s.newTransaction(t, other, "Credit", "3", "2026-01-01"))
	for range 9 {
		s.newTransaction(t, account, "Debit", "12.5", "2026-01-02")
	}
	here, there := s.transferred(t, account, other, "7", "2026-01-03")
	bound, far := s.transferred(t, account, other, "12.5", "2026-01-03")
	s.match(t, []int64{s.settled(t, finance.Payable, "12.5")}, []int64{2}).want(t, 200)
	s.match(t, []int64{s.settled(t, finance.Receivable, "12.5")}, []int64{lastID(far)}).want(t, 200)
	many := make([]string, 1001)
	for i := range many {
		many[i] = fmt.Sprint(i + 1)
	}
	state := func() string {
		return query[string](t, s, `SELECT (SELECT count(*) FROM financial_transactions) || ': ' ||
			string_agg(trim_scale(transactions_sum) || ' in ' || transactions_count, ', ' ORDER BY id)
				FROM deposit_accounts`)
	}
	before := state()
	for selected, want := range map[string]string{
		"":                `{"selected_ids":["não pode ser vazio"]}`,
		"?selected_ids=a": `{"selected_ids":["não é um número inteiro"]}`,
		fmt.Sprintf("?selected_ids=3,%d,99", elsewhere): fmt.Sprintf(`{"selected_ids":["não existe: %d, 99"]}`,
			elsewhere),
		fmt.Sprintf("?selected_ids=3,%d", lastID(there)): fmt.Sprintf(`{"selected_ids":["não existe: %d"]}`,
			lastID(there)),
		fmt.Sprintf("?selected_ids=2,3,%d", lastID(bound)): fmt.Sprintf(
			`{"base":["Há transações conciliadas: 2, %d. Desfaça a conciliação antes."]}`, lastID(bound)),
		"?selected_ids=" + strings.Join(many, ","): `{"selected_ids":["tem itens demais (máximo: 1000)"]}`,
	} {
		s.call(t, "DELETE", all+"/destroy_many"+selected).wantBody(t, 422, want)
	}
	s.call(t, "DELETE", all+"/destroy_many?selected_ids=3", with("If-Match", `"x"`)).want(t, 412)
	for _, missing := range []string{"/entities/1/deposit_accounts/99", "/entities/2/deposit_accounts/1"} {
		s.call(t, "DELETE", missing+"/financial_transactions/destroy_many?selected_ids=3").want(t, 404)
	}
	equal(t, state(), before)

	s.call(t, "DELETE", all+"/destroy_many?selected_ids=3,4,4").wantBody(t, 200, "")
	s.call(t, "DELETE", all+"/destroy_many?selected_ids[]=5", document(`{}`)).wantBody(t, 200, "")
	s.call(t, "DELETE", all+"/destroy_many", document(fmt.Sprintf(`{"selected_ids":[6,"%d"]}`, lastID(here)))).wantBody(
		t, 200, "")
	s.call(t, "DELETE", all+"/destroy_many.xml", document(`<hash><selected-ids type="array"><selected-id>`+
		`7</selected-id></selected-ids></hash>`)).wantBody(t, 200, "")
	equal(t, s.call(t, "GET", all).all(t, "financial_transaction.id"), []string{fmt.Sprint(lastID(bound)), "10", "9",
		"8", "2"})
	equal(t, state(), "7: -62.5 in 5, 15.5 in 2")
	s.call(t, "GET", there).want(t, 404)
	s.agrees(t)
}

// link returns the Link header for pages such as "first 1" and "next 3".
func link(path, search string, perPage int, pages ...string) string {
	var all []string
	for _, p := range pages {
		rel, number, _ := strings.Cut(p, " ")
		query := strings.Join([]string{"page=" + number, fmt.Sprint("per_page=", perPage), search}, "&")
		all = append(all, fmt.Sprintf(`<%s%s?%s>; rel="%s"`, publicURL, path, strings.TrimSuffix(query, "&"), rel))
	}
	return strings.Join(all, ", ")
}

func TestPages(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t) + "/financial_transactions"
	s.exec(t, `INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id)
		SELECT 1, 1, 1, '2026-01-01', 1 FROM generate_series(1, 501)`)
	s.exec(t, `UPDATE deposit_accounts SET transactions_count = 501`)
	for _, c := range []struct {
		name, query string
		first, size int // the first id, and the number of records
		perPage     int
		pages       []string
	}{
		{"the first", "", 501, 20, 20, []string{"last 26", "next 2"}},
		{"one in the middle", "?page=3", 461, 20, 20, []string{"first 1", "last 26", "next 4", "prev 2"}},
		{"the last", "?page=26", 1, 1, 20, []string{"first 1", "prev 25"}},
		{"one past the end", "?page=27", 0, 0, 20, []string{"first 1", "prev 26"}},
		{"one far past the end", "?page=42424241", 0, 0, 20, []string{"first 1", "prev 42424240"}},
		{"a page beyond int64", "?page=99999999999999999999", 0, 0, 20, []string{"first 1", "prev 2147483646"}},
		{"another size", "?per_page=30&page=2", 471, 30, 30, []string{"first 1", "last 17", "next 3", "prev 1"}},
		{"a size too large is the largest", "?per_page=501", 501, 500, 500, []string{"last 2", "next 2"}},
		{"a size beyond int64 is the largest", "?per_page=99999999999999999999", 501, 500, 500,
			[]string{"last 2", "next 2"}},
		{"a size too small is the smallest", "?per_page=0", 501, 1, 1, []string{"last 501", "next 2"}},
		{"a size below zero is the smallest", "?per_page=-7", 501, 1, 1, []string{"last 501", "next 2"}},
		{"a size that is no number is the default", "?per_page=a&page=b", 501, 20, 20, []string{"last 26", "next 2"}},
		{"a page below one is the first", "?page=-3", 501, 20, 20, []string{"last 26", "next 2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, suffix := range []string{".json", ".xml"} {
				a := s.call(t, "GET", below+suffix+c.query).want(t, 200)
				equal(t, a.header.Get("Links"), link(below+suffix, "", c.perPage, c.pages...))
				equal(t, a.header.Get("Link"), a.header.Get("Links"))
			}
			a := s.call(t, "GET", below+"/"+c.query)
			equal(t, a.header.Get("X-Total-Count"), "501")
			equal(t, a.header.Get("X-Total-Pages"), fmt.Sprint((501+c.perPage-1)/c.perPage))
			equal(t, a.header.Get("Link"), link(below+".json", "", c.perPage, c.pages...))
			ids := a.all(t, "financial_transaction.id")
			equal(t, len(ids), c.size)
			if c.size > 0 {
				equal(t, ids[0], fmt.Sprint(c.first))
			}
		})
	}
}

func TestListsWithoutPagesAreComplete(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.exec(t, `INSERT INTO deposit_accounts (account_id, entity_id, name, deposit_account_type_id, currency_id)
		SELECT 1, 1, 'a ' || lpad(i::text, 3, '0'), 1, 1 FROM generate_series(1, 60) i`)
	for query, c := range map[string]struct {
		size int
		link string
	}{
		"":                        {60, ""},
		"?page=x":                 {60, ""},
		"?page=1":                 {50, link(accountsPath+".json", "", 50, "last 2", "next 2")},
		"?page=2":                 {10, link(accountsPath+".json", "", 50, "first 1", "prev 1")},
		"?per_page=60":            {60, ""},
		"?per_page=59":            {59, link(accountsPath+".json", "", 59, "last 2", "next 2")},
		"?search[name]=b":         {0, ""},
		"?search[name]=b&page=1":  {0, ""},
		"?search[name]=b&page=2":  {0, link(accountsPath+".json", "search%5Bname%5D=b", 50, "first 1", "prev 1")},
		"?search[name]=a+003":     {1, ""},
		"?search[name]=a%20003":   {1, ""},
		"?search%5Bname%5D=a+003": {1, ""},
	} {
		a := s.call(t, "GET", accountsPath+query)
		equal(t, len(a.all(t, "deposit_account.id")), c.size)
		if c.link == "" {
			equal(t, a.header.Get("X-Total-Count"), fmt.Sprint(c.size))
			equal(t, a.header.Get("X-Total-Pages"), "1")
		}
		equal(t, a.header.Get("Links"), c.link)
	}
}
