package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/storage/storagetest"
)

// period returns the query for suggestions in March 2026 of the deposit account at the path.
func period(below string) string {
	return fmt.Sprintf(
		"?search[deposit_account_id]=%d&search[occurred_at_gte]=2026-03-01&search[occurred_at_lte]=2026-03-31",
		lastID(below))
}

// suggestions returns "score: accounts with transactions" of each suggestion.
func (s *service) suggestions(t testing.TB, below string, options ...option) []string {
	t.Helper()
	a := s.call(t, "GET", paths.Reconciles(s.EntityID)+"/suggestions"+period(below)+"&per_page=500", options...).want(t,
		200)
	var all []string
	for _, one := range a.value(t).(map[string]any)["suggestions"].([]any) {
		of := func(name string) (ids []string) {
			for _, record := range one.(map[string]any)[name].([]any) {
				ids = append(ids, within(t, record, "id"))
			}
			return ids
		}
		all = append(all, fmt.Sprintf("%s: %s with %s", within(t, one, "score"),
			strings.Join(of("financial_accounts"), " "), strings.Join(of("financial_transactions"), " ")))
	}
	return all
}

func TestSuggestionsAreOfWhatIsOpen(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below, there := s.newDepositAccount(t), s.newDepositAccount(t)
	open := func(amount string, day string) int64 {
		return lastID(s.newTransaction(t, below, finance.Debit, amount, day))
	}

	pair := s.settled(t, finance.Payable, "10", `,"document":"NF 77"`)
	with := open("10", "2026-03-05")
	reconciled, reconciledWith := s.settled(t, finance.Payable, "20"), open("20", "2026-03-04")
	s.match(t, ids(reconciled), ids(reconciledWith)).want(t, 200)
	unpaid := lastID(s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":31,"interest_amount":1,`+
		`"discount_amount":2`))
	unpaidWith := open("30", "2026-03-04")
	// paid elsewhere
	s.settled(t, finance.Payable, "40", fmt.Sprintf(`,"expected_deposit_account_id":%d`, lastID(there)))
	open("40", "2026-03-04")
	s.settled(t, finance.Payable, "50")
	lastID(s.newTransaction(t, there, finance.Debit, "50", "2026-03-04")) // of another deposit account
	s.settled(t, finance.Payable, "60")
	s.call(t, "POST", below+"/financial_transactions",
		document(fmt.Sprintf(`{"financial_transaction":{"type":"Debit","amount":60,"occurred_at":"2026-03-04",`+
			`"transfer_deposit_account_id":%d}}`, lastID(there)))).want(t, 201) // transfers pay no account
	// before the period, within the window of a match
	s.newAccount(t, finance.Payable, `"due_date":"2026-02-27","occurred_at":"2026-02-27","amount":70`)
	early := open("70", "2026-03-01")
	s.settled(t, finance.Payable, "80")
	open("80", "2026-02-28") // before the period

	s.settled(t, finance.Payable, "90")
	s.exec(t, `WITH b AS (INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name,
				file_content_type, file_file_size, deleted_at)
			SELECT account_id, deposit_account_id, 'a', 'a.ofx', '', 1, now() FROM financial_transactions WHERE id = $1
			RETURNING id)
		UPDATE financial_transactions SET bank_statement_id = (SELECT id FROM b) WHERE id = $1`,
		open("90", "2026-03-04")) // of a statement that is being deleted

	before := query[string](t, s, `SELECT string_agg(f::text, ' ' ORDER BY id) FROM financial_accounts f`)
	equal(t, s.suggestions(t, below), []string{
		fmt.Sprintf("77: %d with %d", pair, with), fmt.Sprintf("75: %d with %d", unpaid, unpaidWith),
		fmt.Sprintf("74: %d with %d", 7, early)})
	equal(t, query[string](t, s, `SELECT string_agg(f::text, ' ' ORDER BY id) FROM financial_accounts f`), before)

	for _, want := range []string{"[]", fmt.Sprintf("[%d]", unpaid), "[]"} { // each can be posted as it is
		first := s.call(t, "GET", paths.Reconciles(s.EntityID)+"/suggestions"+period(below)+"&per_page=1").value(
			t).(map[string]any)["suggestions"].([]any)[0].(map[string]any)
		equal(t, fmt.Sprint(first["settles"]), want)
		body, err := json.Marshal(first["reconcile"])
		if err != nil {
			t.Fatal(err)
		}
		s.call(t, "POST", paths.Reconciles(s.EntityID), document(string(body))).want(t, 200)
	}
	equal(t, len(s.suggestions(t, below)), 0)
	s.exec(t, `UPDATE financial_transactions SET bank_statement_id = NULL`)
	s.exec(t, `DELETE FROM bank_statements`)
	s.agrees(t)
}

func TestSuggestionsNameAPersonAndComeInPages(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	person := lastID(s.newPerson(t, `{"name":"Moinho São Jorge"}`))
	s.settled(t, finance.Payable, "10")
	of := s.settled(t, finance.Payable, "10", fmt.Sprintf(`,"person_id":%d`, person))
	at := s.moved(t, below, finance.Debit, "10")
	s.exec(t, `UPDATE financial_transactions SET original_description = 'PIX ENVIADO MOINHO SAO JORGE' WHERE id = $1`,
		at)
	last := s.moved(t, below, finance.Debit, "10")
	equal(t, s.suggestions(t, below), []string{fmt.Sprintf("90: %d with %d", of, at),
		fmt.Sprintf("80: 1 with %d", last)})
	a := s.call(t, "GET", paths.Reconciles(s.EntityID)+"/suggestions"+period(below)+"&per_page=1&page=2").want(t, 200)
	equal(t, a.at(t, "suggestions.0.score"), "80")
	if !strings.Contains(a.header.Get("Link"), `rel="prev"`) {
		t.Errorf("no page before: %v", a.header)
	}
}

// What is open beyond the period, or in another deposit account, may be meant as well: it is a rival.
func TestRivalsAreOfAllDepositAccountsAndDays(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below, there := s.newDepositAccount(t), s.newDepositAccount(t)
	dollars := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.CurrencyID = 2 })
	hidden := s.newDepositAccount(t)
	rivals := func(list, account, want string) {
		t.Helper()
		equal(t, s.call(t, "GET", paths.Entity(s.EntityID)+list+"/suggestions"+period(account)).want(t, 200).at(t,
			"suggestions.0.rivals"), want)
	}

	s.newAccount(t, finance.Receivable, `"due_date":"2026-03-31","amount":500`)
	credit := func(account, amount, day string) { s.newTransaction(t, account, finance.Credit, amount, day) }
	credit(below, "500", "2026-03-31")
	rivals("/reconciles", below, "0")
	credit(dollars, "500", "2026-03-31")
	credit(hidden, "500", "2026-03-31")
	s.exec(t, `UPDATE deposit_accounts SET deleted_at = now() WHERE id = $1`, lastID(hidden))
	credit(below, "500", "2026-04-08") // beyond the window
	credit(below, "500.01", "2026-04-01")
	s.newTransaction(t, below, finance.Debit, "500", "2026-04-01")
	rivals("/reconciles", below, "0")
	credit(below, "500", "2026-04-01")
	rivals("/reconciles", below, "1")
	credit(there, "500", "2026-03-31")
	rivals("/reconciles", below, "2")
	rivals("/reconciles", there, "2")

	s.newTransaction(t, below, finance.Debit, "40", "2026-03-31")
	credit(there, "40", "2026-04-05")
	rivals("/transfers", below, "0")
	s.newTransaction(t, there, finance.Debit, "40", "2026-04-05") // in the deposit account of the credit
	rivals("/transfers", below, "0")
	s.newTransaction(t, below, finance.Debit, "40", "2026-04-15")
	rivals("/transfers", below, "1")
}

func TestSuggestionsNeedADepositAccountAndAPeriod(t *testing.T) {
	t.Parallel()
	s := newService(t)
	stranger := *s
	stranger.Tenant = storagetest.NewTenant(t, s.store)
	path := paths.Reconciles(s.EntityID) + "/suggestions"
	s.call(t, "GET", path).wantBody(t, 422,
		`{"deposit_account_id":["não pode ser vazio"],"occurred_at_gte":["não pode ser vazio"],`+
			`"occurred_at_lte":["não pode ser vazio"]}`)
	s.call(t, "GET", path+
		"?search[deposit_account_id]=a&search[occurred_at_gte]=2026-02-30&search[occurred_at_lte]=x&search[name]=a").
		wantBody(t, 422,
			`{"deposit_account_id":["não é um número inteiro"],"name":["não é um filtro conhecido: os filtros são `+
				`deposit_account_id, occurred_at_gte, occurred_at_lte"],"occurred_at_gte":["não é uma data válida"],`+
				`"occurred_at_lte":["não é uma data válida"]}`)
	for _, below := range []string{stranger.newDepositAccount(t), fmt.Sprintf("/%d", missingID)} {
		s.call(t, "GET", path+period(below)).wantBody(t, 422, `{"deposit_account_id":["não existe"]}`)
	}
}

func TestSuggestionsOfADepositAccountUnderBothNames(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below, there := s.newDepositAccount(t), s.newDepositAccount(t)
	s.settled(t, finance.Payable, "10")
	s.newTransaction(t, below, finance.Debit, "10", "2026-03-04")
	path := paths.Reconciles(s.EntityID) + "/suggestions" + period(below)
	for other, want := range map[string]string{below: "1", there: "0"} { // both hold
		a := s.call(t, "GET", fmt.Sprintf("%s&search[deposit_account_id_equals]=%d", path, lastID(other))).want(t, 200)
		equal(t, a.header.Get("X-Total-Count"), want)
	}
}

func TestTooManyOpenRecordsAreRefused(t *testing.T) {
	t.Parallel()
	s, statements := metered(t)
	below := s.newDepositAccount(t)
	count := func(status int) int64 {
		before := statements.Load()
		s.call(t, "GET", paths.Reconciles(s.EntityID)+"/suggestions"+period(below)+"&per_page=500").want(t, status)
		return statements.Load() - before
	}
	s.settled(t, finance.Payable, "10")
	s.moved(t, below, finance.Debit, "10")
	few := count(200)
	s.exec(t, `INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id)
		SELECT $1, $2, -1, '2026-03-04', 1 FROM generate_series(1, 19999)`, s.AccountID, lastID(below))
	s.exec(t, `INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at, amount,
		total_amount, competency_month)
		SELECT $1, $2, 'payable', 2, '2026-03-04', '2026-03-04', 1, 1, '2026-03-01' FROM generate_series(1, 2000)`,
		s.AccountID, s.EntityID)
	count(200)
	if lots := count(200); lots > few {
		t.Errorf("%d statements for one suggestion, %d for 500", few, lots)
	}
	s.moved(t, below, finance.Debit, "10")
	count(422)
}

// A payment that differs from the amount due is suggested with its explanation, within the bounds of the entity, and
// accepted as it is shown.
func TestADifferenceIsSuggestedAndAccepted(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	person := lastID(s.newPerson(t, `{"name":"Ana Souza","federation_subscription_number":"529.982.247-25"}`))
	owed := func(day, amount string) int64 {
		return lastID(s.newAccount(t, finance.Receivable, fmt.Sprintf(
			`"due_date":%q,"amount":%s,"interest_amount":1,"person_id":%d`, day, amount, person)))
	}
	late, early, older := owed("2026-01-20", "999"), owed("2026-04-14", "499"), owed("2026-01-05", "300")
	newer := owed("2026-03-09", "300")
	paid := func(day, amount string) int64 {
		id := lastID(s.newTransaction(t, below, finance.Credit, amount, day))
		s.exec(t, `UPDATE financial_transactions SET counterpart_document = '52998224725' WHERE id = $1`, id)
		return id
	}
	lately, earlily, equally := paid("2026-03-10", "1099.90"), paid("2026-03-20", "460"), paid("2026-03-05", "301")
	equal(t, s.suggestions(t, below), []string{
		fmt.Sprintf("65: %d with %d", early, earlily), fmt.Sprintf("65: %d with %d", older, equally)})
	s.call(t, "PUT", paths.Entity(s.EntityID), document(`{"entity":{"suggested_fine_percentage":"10"}}`)).want(t, 200)

	path := paths.Reconciles(s.EntityID) + "/suggestions" + period(below)
	first := s.call(t, "GET", path+"&per_page=1").want(t, 200).value(t).(map[string]any)["suggestions"].([]any)[0]
	reconcile := first.(map[string]any)["reconcile"]
	equal(t, fmt.Sprint(first.(map[string]any)["reasons"]), "[Pagamento 49 dias depois do vencimento: multa de R$ "+
		"99,90 49 dias de diferença Mesmo CPF ou CNPJ Ainda em aberto: a conciliação paga ou recebe a conta]")
	body, err := json.Marshal(reconcile)
	if err != nil {
		t.Fatal(err)
	}
	made := s.call(t, "POST", paths.Reconciles(s.EntityID), document(string(body))).want(t, 200)
	for field, want := range map[string]string{
		"financial_accounts.0.id": fmt.Sprint(late), "financial_accounts.0.total_amount": "1099.9",
		"financial_accounts.0.ticket_amount": "99.9", "financial_accounts.0.interest_amount": "1.0",
		"financial_transactions.0.id": fmt.Sprint(lately),
	} {
		equal(t, made.at(t, field), want)
	}
	equal(t, s.suggestions(t, below), []string{
		fmt.Sprintf("65: %d with %d", early, earlily), fmt.Sprintf("65: %d with %d", older, equally)})
	s.call(t, "DELETE", paths.FinancialAccount(s.EntityID, "receivable", older)).want(t, 200)
	equal(t, s.suggestions(t, below), []string{fmt.Sprintf("73: %d with %d", newer, equally),
		fmt.Sprintf("65: %d with %d", early, earlily)})
	s.agrees(t)
}

func TestLateChargesOfAnEntityAreBounded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, c := range []struct{ sent, want string }{
		{`"-0.1"`, "deve ser de 0 a 100"}, {`"100.0001"`, "deve ser de 0 a 100"},
		{`"x"`, "não é um número: use ponto decimal, como 1234.56"},
		{`1.00001`, "deve ter no máximo 4 casas decimais"},
	} {
		for _, attribute := range []string{"suggested_fine_percentage", "suggested_monthly_interest_percentage"} {
			s.call(t, "PUT", paths.Entity(s.EntityID), document(fmt.Sprintf(`{"entity":{%q:%s}}`, attribute, c.sent))).
				wantBody(t, 422, fmt.Sprintf(`{%q:[%q]}`, attribute, c.want))
		}
	}
}
