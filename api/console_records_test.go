package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"

	"golang.org/x/net/html"
)

// tells fails for each text that a page lacks, and for each text after "not " that the page has.
func (b *tab) tells(t testing.TB, path string, texts ...string) {
	t.Helper()
	a := b.open(t, path).want(t, http.StatusOK)
	b.read(t, path, a)
	for _, text := range texts {
		absent, not := strings.CutPrefix(text, "not ")
		if strings.Contains(a.body, absent) == not {
			t.Errorf("%s tells %q: %v\n%s", path, absent, !not, a.body)
		}
	}
}

// A form narrows each list to days and a state. It keeps the other filters, and shows a fault beside what was typed.
func TestTheConsoleSearchesLists(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	deposit, machine := s.newDepositAccount(t), s.newSaleAccount(t, `"description":"a"`)
	for day, amount := range map[string]string{"2026-08-03": "3.01", "2026-08-05": "5.01", "2026-08-07": "7.01"} {
		s.newTransaction(t, deposit, "Debit", amount, day)
		for _, kind := range []finance.AccountKind{finance.Payable, finance.Receivable} {
			s.newAccount(t, kind, fmt.Sprintf(`"due_date":%q,"amount":%q`, day, amount))
		}
		s.newSale(t, machine, fmt.Sprintf(`"occurred_at":%q,"nominal_amount":%q,"payment_method":"pix"`, day, amount))
	}
	for list, of := range map[string]struct{ day, state string }{
		"financial_transactions": {"occurred_at", "left"}, "payable_accounts": {"due_date", "status"},
		"receivable_accounts": {"due_date", "status"}, "sales": {"occurred_at", "status"},
	} {
		page := b.entityPage(s.EntityID) + "/" + list
		kept := page + "?" + url.Values{"search[ids]": {"1,2,3,4,5,6"}, "page": {"1"}}.Encode()
		form := b.forms(t, kept)[page]
		for name, want := range map[string]string{"search[ids]": "1,2,3,4,5,6", "search[" + of.day + "_gte]": "",
			"search[" + of.day + "_lte]": "", "search[" + of.state + "]": ""} {
			if !form.Has(name) || form.Get(name) != want || form.Has("page") {
				t.Errorf("%s has the form %v without %s=%s", list, form, name, want)
			}
		}
		form.Set("search["+of.day+"_gte]", "2026-08-04")
		form.Set("search["+of.day+"_lte]", "2026-08-06")
		b.tells(t, page+"?"+form.Encode(), "5,01", "not 3,01", "not 7,01", `value="2026-08-04"`, `value="2026-08-06"`)
		form.Set("search["+of.state+"]", b.lastState(t, page, of.state))
		b.tells(t, page+"?"+form.Encode(), "Nenhum registro.", " selected>")
		form.Set("search["+of.day+"_lte]", "6/8")
		a := b.open(t, page+"?"+form.Encode()).want(t, 422)
		b.read(t, page, a)
		for _, want := range []string{`value="6/8" aria-invalid="true" aria-describedby="search-faults"`,
			`class="fault" role="alert"`, `value="2026-08-04"`} {
			if !strings.Contains(a.body, want) {
				t.Errorf("%s lacks %s:\n%s", page, want, a.body)
			}
		}
		if strings.Contains(a.body, "Nenhum registro.") {
			t.Errorf("%s, which was refused, has no records:\n%s", page, a.body)
		}
	}
	b.tells(t, b.entityPage(s.EntityID)+"/sales?search[status]=4", `<option value="4" selected>sem regra</option>`)
	b.tells(t, b.entityPage(s.EntityID)+"/sales", `<td data-of="situação">aguarda regra</td>`)
	b.tells(t, fmt.Sprint(b.entityPage(s.EntityID), "/financial_transactions?search[occurred_at_lte]=2026-08-03"),
		"1 transação, no total de <b>")
}

// A state that the form does not offer, of an address with a filter of the API, stays in the form.
func TestTheSearchOfAListKeepsAnyState(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	for list, state := range map[string]string{"sales": "status]=4", "financial_transactions": "left]=1"} {
		page := b.entityPage(s.EntityID) + "/" + list
		name, value, _ := strings.Cut("search["+state, "=")
		if got := b.forms(t, page+"?"+url.Values{name: {value}}.Encode())[page].Get(name); got != value {
			t.Errorf("%s has the state %q, want %s", page, got, value)
		}
	}
}

// lastState returns the last value of the select of a list's states, which no new record has.
func (b *tab) lastState(t testing.TB, page, name string) string {
	t.Helper()
	_, of, _ := strings.Cut(b.open(t, page).body, `name="search[`+name+`]">`)
	of, _, _ = strings.Cut(of, "</select>")
	values := strings.Split(of, `<option value="`)
	value, _, found := strings.Cut(values[len(values)-1], `"`)
	if !found || value == "" {
		t.Fatalf("%s has no states: %s", page, of)
	}
	return value
}

// A record has a page with its amounts, its other records and its history. A transaction that is in no reconcile can be
// deleted there.
func TestTheConsoleShowsRecords(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	b := s.enter(t, s.Token)
	deposit := s.newDepositAccount(t)
	paid := s.newTransaction(t, deposit, "Debit", "1234.5", "2026-08-05")
	alone := s.newTransaction(t, deposit, "Credit", "8.01", "2026-08-06")
	person := s.made(t, "/people", `{"person":{"name":"Moinho <b>"}}`)
	bill := s.newAccount(t, finance.Payable, fmt.Sprintf(`"due_date":"2026-08-05","amount":"1234.5","description":`+
		`"Farinha <i>","observation":"sem pressa","interest_amount":"2.5","occurred_at":"2026-08-05","total_amount":`+
		`"1234.5","discount_amount":"2.5","person_id":%d`, lastID(person)))
	s.call(t, "PUT", bill, document(`{"payable_account":{"description":"Farinha <u>"}}`)).want(t, 200)
	s.match(t, ids(lastID(bill)), ids(lastID(paid))).want(t, 200)
	sale := s.newSale(t, s.newSaleAccount(t, `"description":"a"`), `"occurred_at":"2026-08-05","nominal_amount":"77",`+
		`"payment_method":"pix","description":"Bolo"`)
	seal()
	root := b.root()
	b.tells(t, root+bill, "1.234,50", "Farinha &lt;u&gt;", "Moinho &lt;b&gt;", "sem pressa", "Conciliada com",
		`href="`+root+paid+`"`, "payable_accounts.updated", "Farinha &lt;i&gt; → Farinha &lt;u&gt;", "not Excluir")
	b.tells(t, root+paid, "-1.234,50", `href="`+root+bill+`"`, "financial_transactions.created", "not Excluir",
		"nenhum extrato")
	b.tells(t, root+sale, "Venda: Bolo", "77,00", "sales.created", "not Conciliada com", "not A receber")
	received := s.newAccount(t, finance.Receivable, `"due_date":"2026-08-05","amount":"1000","discount_amount":"10",`+
		`"occurred_at":"2026-08-06","total_amount":"990"`)
	b.tells(t, b.entityPage(s.EntityID)+"/receivable_accounts", root+received, "no total de <b>1.000,00</b>",
		"recebida em 06/08/2026, por 990,00<", `data-of="valor">1.000,00<`)
	s.exec(t, fmt.Sprintf(`UPDATE sales SET discount_amount = 7, total_amount = 70, total_taxes = 4, status = 1,
		receivable_amount = 68.5, estimated_liquidated_at = '2026-09-05', financial_account_id = %d`, lastID(received)))
	b.tells(t, root+sale, "<dt>Valor</dt><dd>77,00</dd>", "<dt>Total</dt><dd>70,00</dd>",
		"<dt>Sem os impostos retidos</dt><dd>66,00</dd>", "<dt>A receber, sem as taxas</dt><dd>68,50</dd>")
	b.tells(t, b.entityPage(s.EntityID)+"/sales", "no valor de <b>77,00</b>", "descontos, <b>70,00</b>",
		"impostos retidos, <b>66,00</b>", "taxas, <b>68,50</b> a receber", `data-of="valor">77,00<`,
		`data-of="sem os impostos retidos">66,00<`, `data-of="a receber">68,50<`)
	b.tells(t, b.root()+"/changes", `href="`+root+bill+`"`, `href="`+root+sale+`"`)
	for _, list := range []string{"/financial_transactions", "/payable_accounts", "/sales"} {
		b.tells(t, b.entityPage(s.EntityID)+list, map[string]string{"/financial_transactions": root + paid,
			"/payable_accounts": root + bill, "/sales": root + sale}[list])
	}
	limited := s.enter(t, s.member(t, finance.Access{AllEntities: true,
		Denied: []string{string(finance.FinancialTransactions)}}))
	limited.tells(t, root+bill, "Farinha", "not Conciliada com", "not "+root+paid)
	to := b.fill(t, root+alone, root+alone+"/delete").want(t, http.StatusSeeOther).header.Get("Location")
	b.tells(t, to, "Excluído.", "not Nenhum registro.", `not name="done"`)
	b.open(t, root+alone).want(t, http.StatusNotFound)
	b.open(t, root+alone+"/delete").want(t, http.StatusSeeOther) // an address that is read again
	again := b.post(t, root+paid+"/delete", "form", b.forms(t, root+paid)["/console/logout"].Get("form")).want(t, 422)
	if !strings.Contains(again.body, `role="alert"`) || strings.Contains(again.body, `"wide"><a href="`+root+paid) {
		t.Errorf("a reconciled transaction is deleted, or is reconciled with itself: %s", again.body)
	}
}

// The page of a side of a transfer leads to the other side, and says before a deletion whether that goes too: a typed
// transfer is deleted whole, a pair is undone.
func TestTheConsoleShowsTheOtherSideOfATransfer(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	with := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.Name = "Caixa <b>" })
	typed := s.made(t, s.newDepositAccount(t)+"/financial_transactions", fmt.Sprintf(`{"financial_transaction":{`+
		`"type":"Debit","amount":"10","occurred_at":"2026-03-01","transfer_deposit_account_id":%d}}`, lastID(with)))
	debit := s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "20", "2026-03-01")
	credit := s.newTransaction(t, with, finance.Credit, "20", "2026-03-03")
	s.newPair(t, debit, credit)
	const goes, stays = "O outro lado da transferência é excluído com ela", "O outro lado da transferência fica"
	other := with + "/financial_transactions/" + s.call(t, "GET", typed).at(t, "financial_transaction.transfer_id")
	b.tells(t, b.root()+typed, goes, "not "+stays, `<a href="`+b.root()+other+`">na conta Caixa &lt;b&gt;</a>`)
	b.tells(t, b.root()+other, goes, "not "+stays, `<a href="`+b.root()+typed+`">`)
	b.tells(t, b.root()+debit, stays, "not "+goes, `<a href="`+b.root()+credit+`">na conta Caixa`)
	b.tells(t, b.root()+s.newTransaction(t, with, finance.Debit, "1", "2026-03-01"), "not "+stays, "not "+goes,
		"not Outro lado")
	b.fill(t, b.root()+debit, b.root()+debit+"/delete").want(t, http.StatusSeeOther)
	b.open(t, b.root()+credit).want(t, http.StatusOK)

	// While the other side is reconciled, the API refuses the deletion of both.
	bill := s.newAccount(t, finance.Receivable, `"due_date":"2026-03-01","amount":"10","occurred_at":"2026-03-01",`+
		`"total_amount":"10"`)
	form := fieldsOf(b.forms(t, b.root()+typed)[b.root()+typed+"/delete"])
	s.match(t, ids(lastID(bill)), ids(lastID(other))).want(t, 200)
	b.tells(t, b.root()+typed, "not Excluir")
	refused := b.post(t, b.root()+typed+"/delete", form...).want(t, 422)
	if b.read(t, typed, refused); strings.Contains(refused.body, "/delete") {
		t.Errorf("the refused deletion:\n%s", refused.body)
	}
	s.call(t, "DELETE", fmt.Sprint(paths.Reconciles(s.EntityID), "/", query[int64](t, s, `SELECT id FROM reconciles`))).
		want(t, 200)
	b.fill(t, b.root()+typed, b.root()+typed+"/delete").want(t, http.StatusSeeOther)
	b.open(t, b.root()+other).want(t, http.StatusNotFound)
}

// A page of the audit whose window was made smaller, because its filter finds more than the API sends, leads to the
// newer changes beside it. A filter that is refused finds no changes, and does not say that there are none.
func TestTheAuditLeadsToTheChangesBeside(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	s.exec(t, `INSERT INTO unsealed_changes (account_id, family, action, record_ids)
		SELECT $1, 'people', 'created', ARRAY[n] FROM generate_series(1, 1200) n`, s.AccountID)
	seal()
	b := s.enter(t, s.Token)
	page := b.root() + "/changes"
	links := b.read(t, page, b.open(t, page+"?event=people.*&until=600").want(t, http.StatusOK)).links
	for _, until := range []string{"100", "1100"} {
		if want := "?event=people.%2A&until=" + until; !slices.Contains(links, want) {
			t.Errorf("the page leads to %q, and not to %s", links, want)
		}
	}
	refused := b.open(t, page+"?event=nothing").want(t, 422)
	if b.read(t, page, refused); strings.Contains(refused.body, "Nenhuma") {
		t.Errorf("a refused filter:\n%s", refused.body)
	}
}

// On the page of a statement, our balance and each part of the difference that is of transactions lead to the list of
// these transactions, with the same sum.
func TestTheConsoleShowsWhatAProofSums(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	deposit := s.newDepositAccount(t)
	page := b.root() + s.proven(t, deposit, "350.50")
	s.newTransaction(t, deposit, finance.Debit, "10.01", "2026-03-06")
	s.newTransaction(t, deposit, finance.Credit, "5.55", "2026-03-10") // after the day of the balance
	s.newTransaction(t, s.newDepositAccount(t), finance.Credit, "4.44", "2026-03-06")
	figures := map[string]string{}
	for _, f := range linkedFigures.FindAllStringSubmatch(b.open(t, page).body, -1) {
		figures[f[2]] = html.UnescapeString(f[1])
	}
	equal(t, slices.Sorted(maps.Keys(figures)), []string{"10,01", "89,99"})
	b.tells(t, figures["89,99"], "89,99</b>", "100,00", "-10,01", "not 5,55", "not 4,44")
	b.tells(t, figures["10,01"], "-10,01</b>", "só estas", "not 100,00", "not 5,55", "not 4,44")
	s.exec(t, fmt.Sprintf(`
		WITH t AS (
			INSERT INTO financial_transactions (account_id, deposit_account_id, currency_id, amount, occurred_at)
			SELECT 1, %[1]d, 1, -1, date '2026-03-07' FROM generate_series(1, 501))
		UPDATE deposit_accounts SET transactions_sum = transactions_sum - 501,
			transactions_count = transactions_count + 501 WHERE id = %[1]d`, lastID(deposit)))
	b.tells(t, page, ">-411,01</a>", "511,01", "not 511,01</a>") // more than a list can name
}

// An administrator sees the suspects of a file beside their twins, and imports one or all; the others stay out.
func TestTheConsoleShowsSuspects(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	deposit, id := s.importedStatement(t)
	s.exec(t, `UPDATE ignored_items SET suspect = true, description = 'CAFE <b>' WHERE number = 2`)
	s.exec(t, `INSERT INTO ignored_items (account_id, bank_statement_id, number, line, day, amount, mark, outcome,
			fitid, description, suspect, replaces)
		SELECT i.account_id, bank_statement_id, n, 60 + n, CASE n WHEN 9 THEN date '2026-08-04' ELSE day END,
			CASE n WHEN 9 THEN -13 ELSE amount END, mark, outcome, 'B' || n, 'BAR ' || n, true,
			CASE n WHEN 9 THEN (SELECT id FROM financial_transactions) END
		FROM ignored_items i, generate_series(8, 10) n WHERE number = 2`)
	page := fmt.Sprint(b.root(), deposit, "/bank_statements/", id)
	twin := fmt.Sprint(b.root(), deposit, "/financial_transactions/",
		query[int64](t, s, `SELECT id FROM financial_transactions`))
	b.tells(t, page, "CAFE &lt;b&gt;", "BAR 8", "BAR 9", "que este item substitui", `<a href="`+twin+`">PADARIA</a>`)
	equal(t, strings.Count(b.open(t, page).body, `<a href="`+twin+`">PADARIA</a>`), 5) // and its own item
	b.fill(t, page, page+"/items/8/import").want(t, http.StatusSeeOther)
	b.tells(t, page, "not >BAR 8 <small>", "BAR 9", "BAR 10")
	b.fill(t, page, page+"/import_suspects").want(t, http.StatusSeeOther)
	b.tells(t, page, "BAR 9 <small>", "not BAR 10 <small>", "not CAFE &lt;b&gt; <small>", "not Importar todos")
	equal(t, query[int](t, s, `SELECT count(*) FROM financial_transactions`), 4)
	b.open(t, page+"/items/9/import").want(t, http.StatusSeeOther)
	b.fill(t, page, page+"/items/9/import").want(t, http.StatusSeeOther)
	b.tells(t, page, "not Suspeitos")
	again := b.post(t, page+"/items/9/import", "form", b.forms(t, page)["/console/logout"].Get("form")).want(t, 422)
	if !strings.Contains(again.body, `role="alert"`) {
		t.Errorf("an item that is imported again: %s", again.body)
	}
}

// importedStatement imports a statement into a new deposit account. It returns the path of the account and the id of
// the statement.
func (s *service) importedStatement(t *testing.T) (deposit string, id int64) {
	t.Helper()
	deposit = s.newDepositAccount(t)
	s.call(t, "POST", deposit+"/bank_statements", parts(file("extrato.ofx", threeItems))).want(t, 201)
	id = query[int64](t, s, `SELECT id FROM bank_statements`)
	s.finishImport(t, id)
	return deposit, id
}

// While a statement is being deleted, the API refuses to delete one of its transactions. The page of the transaction
// shows the refusal in Portuguese and keeps its form.
func TestTheConsoleRefusesToDeleteWhatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	deposit, id := s.importedStatement(t)
	page := fmt.Sprint(b.root(), deposit, "/financial_transactions/",
		query[int64](t, s, `SELECT id FROM financial_transactions`))
	form := fieldsOf(b.forms(t, page)[page+"/delete"])
	s.call(t, "DELETE", fmt.Sprint(deposit, "/bank_statements/", id)).want(t, http.StatusAccepted)
	refused := b.post(t, page+"/delete", form...).want(t, http.StatusNotFound)
	if !strings.Contains(refused.body, "Nada foi feito: o registro não existe mais") ||
		strings.Contains(refused.body, "Couldn") {
		t.Errorf("the refused deletion:\n%s", refused.body)
	}
	for _, f := range b.read(t, page, refused).forms {
		if strings.Contains(f.action, "/delete") && f.action != page+"/delete" {
			t.Errorf("the refused form leads to %s", f.action)
		}
	}
}

// A file with more suspects than a page shows has further pages of them. One that replaces a transaction comes in only
// by its own form.
func TestTheConsolePagesSuspects(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	deposit, id := s.importedStatement(t)
	page := fmt.Sprint(b.root(), deposit, "/bank_statements/", id)
	s.exec(t, `INSERT INTO ignored_items (account_id, bank_statement_id, number, line, day, amount, mark, outcome,
			fitid, description, suspect, replaces)
		SELECT account_id, id, n, 60 + n, date '2026-08-04', -13, '', 'duplicate', 'C' || n, 'LOJA ' || n, true,
			(SELECT min(id) FROM financial_transactions)
		FROM bank_statements, generate_series(20, 40) n`)
	b.tells(t, page, "São 21 ao todo", "LOJA 39 <small>", "not LOJA 40 <small>")
	second := page + "?suspects=2"
	if links := b.read(t, page, b.open(t, page)).links; !slices.Contains(links, second+"#suspects") {
		t.Errorf("the suspects do not lead to their second page: %q", links)
	}
	b.tells(t, second, "LOJA 40 <small>", "que este item substitui", "not LOJA 39 <small>")
	b.fill(t, second, page+"/items/40/import").want(t, http.StatusSeeOther)
	b.tells(t, page, "LOJA 39 <small>", "not São 21")
}
