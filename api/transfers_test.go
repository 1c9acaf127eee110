package api_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
)

// pairing returns the request that pairs the transactions at two paths.
func pairing(debit, credit string) option {
	return document(fmt.Sprintf(`{"transfer":{"debit_transaction_id":%d,"credit_transaction_id":%d}}`, lastID(debit),
		lastID(credit)))
}

// newPair pairs the transactions at two paths, and returns the id of the pair.
func (s *service) newPair(t testing.TB, debit, credit string) int64 {
	t.Helper()
	a := s.call(t, "POST", paths.Transfers(s.EntityID), pairing(debit, credit)).want(t, 201)
	return lastID(a.header.Get("Location"))
}

// twoSides makes a debit and a credit of the same amount, two days apart, in two deposit accounts.
func (s *service) twoSides(t testing.TB) (debit, credit string) {
	t.Helper()
	return s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "10", "2026-03-01"),
		s.newTransaction(t, s.newDepositAccount(t), finance.Credit, "10", "2026-03-03")
}

func (s *service) put(t testing.TB, path, fields string) answer {
	t.Helper()
	return s.call(t, "PUT", path, document(`{"financial_transaction":{`+fields+`}}`))
}

func TestAPairIsATransferOfTwoTransactions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	debit, credit := s.twoSides(t)
	is := func(texts ...string) {
		t.Helper()
		equal(t, s.sides(t, debit, credit), texts)
		s.agrees(t)
	}
	a := s.call(t, "POST", "/entities/1/transfers", pairing(debit, credit)).want(t, 201)
	pair := a.header.Get("Location")[len(publicURL):]
	equal(t, pair, "/entities/1/transfers/1")
	a.shows(t, map[string]string{"transfer.amount": "10.0", "transfer.debit_deposit_account_id": "1",
		"transfer.credit_deposit_account_id": "2"})
	is("Debit -10.0 2026-03-01 <nil> 2 2 = -10.0 2026-03-01", "Credit 10.0 2026-03-03 <nil> 1 1 = 10.0 2026-03-03")
	equal(t, s.call(t, "GET", pair).want(t, 200).body, a.body)

	t.Run("and is found by its sides", func(t *testing.T) {
		s.newPair(t, s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "5", "2026-03-01"),
			s.newTransaction(t, paths.DepositAccount(1, 2), finance.Credit, "5", "2026-03-01"))
		for search, ids := range map[string]string{
			"": "2 1 ", "?search[financial_transaction_id]=2": "1 ", "?search[financial_transaction_id]=9": "",
			"?search[ids]=2,9":              "2 ",
			"?search[deposit_account_id]=1": "1 ", "?search[deposit_account_id]=2": "2 1 ",
			"?search[deposit_account_id]=3": "2 ",
		} {
			var found string
			for _, one := range s.call(t, "GET", "/entities/1/transfers"+search).want(t, 200).value(t).([]any) {
				found += within(t, one, "transfer.id") + " "
			}
			equal(t, found, ids)
		}
	})
	t.Run("whose texts are of each alone", func(t *testing.T) {
		s.put(t, debit, `"document":"D","amount":"10","type":"Debit","occurred_at":"2026-03-01",`+
			`"transfer_deposit_account_id":2`).want(t, 200)
		s.put(t, debit, `"transfer_deposit_account_id":null`).want(t, 200)
		s.put(t, debit, `"transfer_deposit_account_id":3`).wantBody(t, 422,
			`{"transfer_deposit_account":["não pode ser alterada"]}`)
		is("Debit -10.0 2026-03-01 D 2 2 = -10.0 2026-03-01", "Credit 10.0 2026-03-03 <nil> 1 1 = 15.0 2026-03-03")
	})
	t.Run("whose amount, type and day stay", func(t *testing.T) {
		const refused = `{"base":["A transação é um lado de uma transferência: desfaça a transferência antes."]}`
		for _, fields := range []string{`"amount":"11"`, `"occurred_at":"2026-03-02"`} {
			s.put(t, debit, fields).wantBody(t, 422, refused)
			s.put(t, credit, fields).wantBody(t, 422, refused)
		}
		s.put(t, debit, `"type":"Credit"`).wantBody(t, 422, refused)
	})
	t.Run("which are not reconciled", func(t *testing.T) {
		bill := s.settled(t, finance.Payable, "10")
		s.match(t, ids(bill), ids(lastID(debit))).wantBody(t, 422,
			`{"base":["Há lados de transferências: 1. Desfaça a transferência antes."]}`)
	})
	t.Run("until it is undone", func(t *testing.T) {
		s.call(t, "DELETE", pair).wantBody(t, 200, "")
		is("Debit -10.0 2026-03-01 D <nil> <nil> = -10.0 2026-03-01",
			"Credit 10.0 2026-03-03 <nil> <nil> <nil> = 15.0 2026-03-03")
		s.call(t, "GET", pair).want(t, 404)
		s.call(t, "DELETE", pair).want(t, 404)
		s.put(t, debit, `"occurred_at":"2026-03-02"`).want(t, 200)
		s.newPair(t, debit, credit)
		s.agrees(t)
	})
}

func TestAPairIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first, second := s.newDepositAccount(t), s.newDepositAccount(t)
	dollars := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.CurrencyID = 2 })
	elsewhere := *s
	elsewhere.EntityID = s.anotherEntity(t).ID
	in := func(account, kind, amount, day string) string { return s.newTransaction(t, account, kind, amount, day) }
	debit, credit := in(first, finance.Debit, "10", "2026-03-01"), in(second, finance.Credit, "10", "2026-03-01")
	reconciled := in(second, finance.Debit, "10", "2026-03-01")
	s.match(t, ids(s.settled(t, finance.Payable, "10")), ids(lastID(reconciled))).want(t, 200)
	here, there := s.transferred(t, first, second, "10", "2026-03-01")
	paired, with := in(first, finance.Debit, "10", "2026-03-01"), in(second, finance.Credit, "10", "2026-03-01")
	s.newPair(t, paired, with)
	for name, c := range map[string]struct{ debit, credit, body string }{
		"without transactions": {"/0", "/0", `{"debit_transaction":["não pode ser vazio"],` +
			`"credit_transaction":["não pode ser vazio"]}`},
		"of what is not there": {"/9999", "/9998", `{"debit_transaction":["não existe"],` +
			`"credit_transaction":["não existe"]}`},
		"of another entity": {
			debit, elsewhere.newTransaction(t, elsewhere.newDepositAccount(t), finance.Credit, "10", "2026-03-01"),
			`{"credit_transaction":["não existe"]}`},
		"the wrong way round": {credit, debit, `{"debit_transaction":["deve ser um débito"],` +
			`"credit_transaction":["deve ser um crédito"]}`},
		"of one transaction": {debit, debit, `{"credit_transaction":["deve ser um crédito"]}`},
		"of one deposit account": {debit, in(first, finance.Credit, "10", "2026-03-01"),
			`{"credit_transaction":["deve ser de outra conta bancária"]}`},
		"of two currencies": {debit, in(dollars, finance.Credit, "10", "2026-03-01"),
			`{"credit_transaction":["deve ser de uma conta na mesma moeda"]}`},
		"of two amounts": {debit, in(second, finance.Credit, "10.01", "2026-03-01"),
			`{"amount":["difere: o débito é 10,00, o crédito é 10,01, a diferença é 0,01"]}`},
		"eleven days apart": {debit, in(second, finance.Credit, "10", "2026-03-12"),
			`{"occurred_at":["difere: o débito é de 01/03/2026, o crédito é de 12/03/2026, com 11 dias de diferença ` +
				`(máximo: 10)"]}`},
		"of a reconciled one": {reconciled, in(first, finance.Credit, "10", "2026-03-01"),
			fmt.Sprintf(`{"base":["Há transações conciliadas: %d. Desfaça a conciliação antes."]}`,
				lastID(reconciled))},
		"of a side of a typed one": {
			here, credit, fmt.Sprintf(`{"base":["Há lados de transferências: %d. Desfaça a transferência antes."]}`,
				lastID(here))},
		"of both sides of a typed one": {
			here, there, fmt.Sprintf(`{"base":["Há lados de transferências: %d, %d. Desfaça a transferência antes."]}`,
				lastID(here), lastID(there))},
		"of a side of another": {debit, with, fmt.Sprintf(`{"base":["Há lados de transferências: %d. Desfaça a `+
			`transferência antes."]}`, lastID(with))},
	} {
		t.Run(name, func(t *testing.T) {
			s.call(t, "POST", "/entities/1/transfers", pairing(c.debit, c.credit)).wantBody(t, 422, c.body)
		})
	}
	t.Run("but not ten days apart", func(t *testing.T) {
		s.newPair(t, debit, in(second, finance.Credit, "10", "2026-03-11"))
	})
	equal(t, query[int](t, s, `SELECT count(*) FROM transfers`), 2)
	s.agrees(t)
}

// The changes of a pair are seen with the permission of its transactions.
func TestChangesOfAPair(t *testing.T) {
	t.Parallel()
	s, seal := newFeed(t)
	debit, credit := s.twoSides(t)
	s.forgetChanges(t)
	s.call(t, "DELETE", paths.Transfer(s.EntityID, s.newPair(t, debit, credit))).want(t, 200)
	seal()
	equal(t, s.feed(t, "").events(), []string{
		"transfers.created 1", "financial_transactions.updated 1", "financial_transactions.updated 2",
		"transfers.destroyed 1", "financial_transactions.updated 1", "financial_transactions.updated 2"})
	equal(t, s.call(t, "GET", "/changes?event=transfers.created").at(t, "changes.0.change.path"),
		"/entities/1/transfers/1")
	denied := s.member(t, finance.Access{AllEntities: true, Denied: []string{"financial_transactions"}})
	equal(t, s.feed(t, "?after=0", as(denied)).events(), nil)
}

// Whatever takes a side away undoes the pair, and the other side stays, and notifies.
func TestTheOtherSideOfAPairStays(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(t *testing.T, s *harness, debit string){
		"when one is deleted": func(t *testing.T, s *harness, debit string) { s.call(t, "DELETE", debit).want(t, 200) },
		"when many are deleted": func(t *testing.T, s *harness, _ string) {
			s.call(t, "DELETE", "/entities/1/deposit_accounts/1/financial_transactions/destroy_many?selected_ids=1").
				want(t, 200)
		},
		"when its deposit account is": func(t *testing.T, s *harness, _ string) {
			s.call(t, "DELETE", paths.DepositAccount(1, 1)).want(t, 200)
			s.work(t)
		},
		"when its import is undone": func(t *testing.T, s *harness, _ string) {
			s.exec(t, `WITH b AS (INSERT INTO bank_statements (account_id, deposit_account_id, file_key,
				file_file_name, file_content_type, file_file_size, event_status, event_finished_at)
				VALUES (1, 1, 'k', 'k', 'x', 1, 'success', now()) RETURNING id) UPDATE financial_transactions
					SET bank_statement_id = b.id FROM b WHERE financial_transactions.id = 1`)
			s.call(t, "DELETE", paths.BankStatement(1, 1, 1)).want(t, 202)
			s.work(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newHarness(t)
			s.newWebhook(t, s.AccountID, s.EntityID, "error") // its deliveries are held
			debit, credit := s.twoSides(t)
			s.newPair(t, debit, credit)
			s.exec(t, `DELETE FROM deliveries; DELETE FROM unsealed_changes; DELETE FROM changes`)
			remove(t, s, debit)
			s.call(t, "GET", debit).want(t, 404)
			s.call(t, "GET", credit).want(t, 200).shows(t, map[string]string{
				"financial_transaction.amount": "10.0", "financial_transaction.transfer_id": "<nil>",
				"financial_transaction.transfer_deposit_account_id": "<nil>"})
			equal(t, query[int](t, s.service, `SELECT count(*) FROM transfers`), 0)
			equal(t, query[string](t, s.service, `SELECT string_agg(concat_ws(' ', action, record_id, parent_id),
				', ' ORDER BY record_id, action) FROM deliveries WHERE family = 'financial_transactions'`),
				"destroyed 1 1, updated 2 2")
			equal(t, query[string](t, s.service, `SELECT string_agg(concat_ws(' ', family, action, record_ids), ', ')
				FROM (
				SELECT family, action, record_ids FROM unsealed_changes UNION ALL SELECT family, action, record_ids
					FROM changes) c WHERE family = 'transfers'`), "transfers destroyed {1}")
			s.agrees(t)
			s.newPair(t, s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "10", "2026-03-01"), credit)
		})
	}
}

// A deleted entity takes its pairs with it.
func TestAnEntityGoesWithItsPairs(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	s.newPair(t, s.newTransaction(t, s.newDepositAccount(t), finance.Debit, "10", "2026-03-01"),
		s.newTransaction(t, s.newDepositAccount(t), finance.Credit, "10", "2026-03-03"))
	s.anotherEntity(t)
	s.call(t, "DELETE", "/entities/1?force_destroy=true").want(t, 202)
	s.work(t)
	equal(t, query[int](t, s.service, `SELECT (SELECT count(*) FROM transfers) + (SELECT count(*)
		FROM financial_transactions) + (SELECT count(*) FROM entities WHERE id = 1)`), 0)
	s.agrees(t)
}

// Of everything that clients do at once to two transactions, what succeeds agrees: of two pairs of
// one transaction one is made, and a reconcile, a change or a deletion comes before or after a pair.
func TestPairsAtOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first, second, third := s.newDepositAccount(t), s.newDepositAccount(t), s.newDepositAccount(t)
	for range 8 {
		debit := s.newTransaction(t, first, finance.Debit, "10", "2026-03-01")
		credit, other := s.newTransaction(t, second, finance.Credit, "10", "2026-03-03"),
			s.newTransaction(t, third, finance.Credit, "10", "2026-03-03")
		bill := s.settled(t, finance.Payable, "10")
		income := s.settled(t, finance.Receivable, "10")
		reconcile := func(account int64, transaction string) func() (string, string, option) {
			return func() (string, string, option) {
				return "POST", "/entities/1/reconciles", document(reconciling(ids(account), ids(lastID(transaction))))
			}
		}
		requests := []func() (string, string, option){
			func() (string, string, option) { return "POST", "/entities/1/transfers", pairing(debit, credit) },
			func() (string, string, option) { return "POST", "/entities/1/transfers", pairing(debit, other) },
			reconcile(bill, debit), reconcile(income, credit),
			func() (string, string, option) {
				return "PUT", credit, document(`{"financial_transaction":{"amount":"9"}}`)
			},
			func() (string, string, option) { return "DELETE", other, document("") },
		}
		made := make([]int, len(requests))
		var clients sync.WaitGroup
		for i, request := range requests {
			clients.Go(func() {
				method, path, sent := request()
				a, err := s.send(context.WithoutCancel(t.Context()), method, path, sent)
				if err != nil || a.status >= 500 || a.status == 409 {
					t.Errorf("%s %s: %v %d %s", method, path, err, a.status, a.body)
				}
				made[i] = a.status
			})
		}
		clients.Wait()
		if made[0] == 201 && made[1] == 201 && made[5] != 200 {
			t.Error("one transaction is in two pairs")
		}
		s.agrees(t)
	}
}

func TestTransferSuggestions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first, second := s.newDepositAccount(t), s.newDepositAccount(t)
	made := func(account, kind, amount, day, text string) string {
		t.Helper()
		return s.made(t, account+"/financial_transactions", fmt.Sprintf(
			`{"financial_transaction":{"type":%q,"amount":%q,"occurred_at":%q,"user_description":%q}}`, kind, amount,
			day, text))
	}
	debit, credit := made(first, finance.Debit, "10", "2026-03-31", "TED"),
		made(second, finance.Credit, "10", "2026-04-02", "")
	far, near := made(first, finance.Credit, "20", "2026-03-01", ""), made(second, finance.Debit, "20", "2026-03-11",
		"")
	made(first, finance.Debit, "30", "2026-03-01", "") // the other is 11 days away
	made(second, finance.Credit, "30", "2026-03-12", "")
	made(first, finance.Debit, "40", "2026-03-01", "") // both go the same way
	made(second, finance.Debit, "40", "2026-03-01", "")
	s.transferred(t, first, second, "50", "2026-03-01")
	s.newPair(t, made(first, finance.Debit, "60", "2026-03-01", ""), made(second, finance.Credit, "60", "2026-03-01",
		""))
	reconciled := made(first, finance.Debit, "70", "2026-03-01", "")
	made(second, finance.Credit, "70", "2026-03-01", "")
	s.match(t, ids(s.settled(t, finance.Payable, "70")), ids(lastID(reconciled))).want(t, 200)
	dollars := s.newDepositAccount(t, func(d *finance.DepositAccount) { d.CurrencyID = 2 })
	made(first, finance.Debit, "80", "2026-03-01", "")
	made(dollars, finance.Credit, "80", "2026-03-01", "")

	const from = "/entities/1/transfers/suggestions"
	list := func(account string) (found []string) {
		for _, one := range s.call(t, "GET", from+period(account)).want(t, 200).value(
			t).(map[string]any)["suggestions"].([]any) {
			found = append(found, fmt.Sprintf("%s: %s to %s", within(t, one, "score"),
				within(t, one, "transfer.debit_transaction_id"), within(t, one, "transfer.credit_transaction_id")))
		}
		return found
	}
	equal(t, list(first), []string{
		fmt.Sprintf("76: %d to %d", lastID(debit), lastID(credit)), fmt.Sprintf("50: %d to %d", lastID(near),
			lastID(far))})
	// the first is of April there
	equal(t, list(second), []string{fmt.Sprintf("50: %d to %d", lastID(near), lastID(far))})
	equal(t, len(list(dollars)), 0)
	equal(t, len(list(s.newDepositAccount(t))), 0) // without transactions

	t.Run("can be posted as they are", func(t *testing.T) {
		a := s.call(t, "GET", from+period(first)+"&per_page=1").want(t, 200)
		s.call(t, "POST", "/entities/1/transfers",
			document(strings.TrimSuffix(strings.TrimPrefix(a.body, `{"suggestions":[`), `]}`))).want(t, 201)
		equal(t, list(first), []string{fmt.Sprintf("50: %d to %d", lastID(near), lastID(far))})
	})
	t.Run("need all their filters", func(t *testing.T) {
		s.call(t, "GET", from).wantBody(t, 422, `{"deposit_account_id":["não pode ser vazio"],`+
			`"occurred_at_gte":["não pode ser vazio"],"occurred_at_lte":["não pode ser vazio"]}`)
		s.call(t, "GET", from+period("/9999")).wantBody(t, 422, `{"deposit_account_id":["não existe"]}`)
		s.call(t, "GET", from+period(first)+"&cursor=").want(t, 422)
	})
}

func TestHowFarAPeriodIsReconciled(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account, other := s.newDepositAccount(t), s.newDepositAccount(t)
	ask := func(query string) answer { return s.call(t, "GET", account+"/reconciliation"+query) }
	is := func(tallies string) {
		t.Helper()
		a := ask("?from=2026-03-01&to=2026-03-31").want(t, 200)
		text := ""
		for _, name := range []string{"lines", "reconciled", "paired", "left"} {
			text += a.at(t, name+".count") + " " + a.at(t, name+".sum") + ", "
		}
		equal(t, text, tallies)
	}
	is("0 0.0, 0 0.0, 0 0.0, 0 0.0, ")
	for _, day := range []string{"2026-02-28", "2026-03-01", "2026-03-31", "2026-04-01"} {
		s.newTransaction(t, account, finance.Debit, "1", day)
	}
	is("2 -2.0, 0 0.0, 0 0.0, 2 -2.0, ")
	reconciled := s.newTransaction(t, account, finance.Debit, "10", "2026-03-04")
	s.match(t, ids(s.settled(t, finance.Payable, "10")), ids(lastID(reconciled))).want(t, 200)
	is("3 -12.0, 1 -10.0, 0 0.0, 2 -2.0, ")
	s.newPair(t, s.newTransaction(t, other, finance.Debit, "30", "2026-03-04"),
		s.newTransaction(t, account, finance.Credit, "30", "2026-03-04"))
	is("4 18.0, 1 -10.0, 1 30.0, 2 -2.0, ")
	here, _ := s.transferred(t, account, other, "5", "2026-03-04")
	is("5 13.0, 1 -10.0, 2 25.0, 2 -2.0, ")
	s.match(t, ids(s.settled(t, finance.Payable, "5")), ids(lastID(here))).want(t, 200)
	is("5 13.0, 2 -15.0, 1 30.0, 2 -2.0, ") // each line counts once
	for range 2 {
		s.newTransaction(t, account, finance.Credit, "9999999999999.99", "2026-03-31")
	}
	is("7 20000000000012.98, 2 -15.0, 1 30.0, 4 19999999999997.98, ") // no amount is as large
	equal(t, ask("?from=0001-01-01&to=2026-12-31").want(t, 200).at(t, "lines.count"), "9")

	ask("").wantBody(t, 422, `{"from":["não pode ser vazio"],"to":["não pode ser vazio"]}`)
	ask("?from=2026-02-30&to=x").wantBody(t, 422, `{"from":["não é uma data válida"],"to":["não é uma data válida"]}`)
	ask("?from=2026-03-02&to=2026-03-01").wantBody(t, 422, `{"to":["não pode ser antes de from"]}`)
	s.call(t, "GET", account+"/reconciliation?from=2026-03-02", with("Accept", "application/problem+json")).want(t,
		422).
		shows(t, map[string]string{"errors.0.parameter": "to", "errors.0.code": "blank"})
	s.call(t, "GET", "/entities/1/deposit_accounts/9999/reconciliation?from=2026-03-01&to=2026-03-31").want(t, 404)
}
