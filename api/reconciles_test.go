package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/storage/storagetest"
)

// settled makes an account of the kind that was paid or received on 2026-03-04, and returns its id.
func (s *service) settled(t testing.TB, kind finance.AccountKind, amount string, more ...string) int64 {
	t.Helper()
	return lastID(s.newAccount(t, kind, fmt.Sprintf(`"due_date":"2026-03-04","occurred_at":"2026-03-04","amount":%q%s`,
		amount, strings.Join(more, ""))))
}

// moved makes a transaction and returns its id.
func (s *service) moved(t testing.TB, below, kind, amount string) int64 {
	t.Helper()
	return lastID(s.newTransaction(t, below, kind, amount, "2026-03-04"))
}

func TestManyAccountsAreReconciledWithManyTransactions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first, second := s.newDepositAccount(t), s.newDepositAccount(t)
	accounts := ids(s.settled(t, finance.Receivable, "10"), s.settled(t, finance.Receivable, "20.05"))
	transactions := ids(s.moved(t, first, finance.Credit, "30"), s.moved(t, second, finance.Credit, "0.05"))
	a := s.match(t, ids(accounts[1], accounts[0], accounts[1]), ids(transactions[1], transactions[0])).want(t, 200)
	equal(t, a.header.Get("Location"), publicURL+paths.FinancialAccount(s.EntityID, "receivable", accounts[0]))
	equal(t, a.at(t, "financial_accounts.0.id")+" "+a.at(t, "financial_transactions.1.id"),
		fmt.Sprint(accounts[0], transactions[1]))

	self := paths.FinancialAccount(s.EntityID, "receivable", accounts[1])
	account := s.call(t, "GET", self).want(t, 200)
	equal(t, account.at(t, "receivable_account.status_name"), "reconciled")
	equal(t, account.at(t, "receivable_account.expected_deposit_account_id"), fmt.Sprint(lastID(first)))
	equal(t, account.at(t, "receivable_account.reconciliations.financial_transactions.1.links.0.href"),
		publicURL+second+fmt.Sprintf("/financial_transactions/%d", transactions[1]))
	transaction := s.call(t, "GET", fmt.Sprintf("%s/financial_transactions/%d", first, transactions[0])).want(t, 200)
	equal(t, transaction.at(t, "financial_transaction.reconciled"), "true")
	// beside all of them
	equal(t, a.at(t, "financial_transactions.0.reconciliations"),
		"map[financial_accounts:[] financial_transactions:[]]")
	equal(t, transaction.at(t, "financial_transaction.reconciliations.financial_accounts.1.links.0.href"),
		publicURL+self)
	equal(t, transaction.at(t, "financial_transaction.reconciliations.financial_transactions"), "[]")

	reconcile := fmt.Sprintf("%s/%s", paths.Reconciles(s.EntityID), a.at(t, "reconcile_id"))
	tag := s.call(t, "GET", reconcile).want(t, 200).header.Get("ETag")
	s.call(t, "DELETE", reconcile, with("If-Match", `W/"json-0000000000000000"`)).want(t, http.StatusPreconditionFailed)
	s.call(t, "DELETE", reconcile, with("If-Match", tag)).wantBody(t, 200, "")
	s.call(t, "DELETE", reconcile).wantBody(t, 404, fmt.Sprintf(`{"error":"Couldn't find Reconcile with id=%s"}`,
		a.at(t, "reconcile_id")))
	equal(t, s.call(t, "GET", self).at(t, "receivable_account.status_name"), "received")
	equal(t, s.call(t, "GET", paths.Reconciles(s.EntityID)).wantBody(t, 200, "[]").status, 200)
	s.match(t, accounts, transactions).want(t, 200) // again
}

func TestReconcilesAreRefusedByTheRules(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	paid, received := s.settled(t, finance.Payable, "10"), s.settled(t, finance.Receivable, "10")
	open := lastID(s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10`))
	debit, credit, cent := s.moved(t, below, finance.Debit, "10"), s.moved(t, below, finance.Credit, "10"),
		s.moved(t, below, finance.Debit, "10.01")
	gone := s.settled(t, finance.Payable, "7")
	goneWith := s.moved(t, below, finance.Debit, "7")
	s.match(t, ids(gone), ids(goneWith)).want(t, 200)

	other := *s
	other.EntityID = s.anotherEntity(t).ID
	beside, besideWith := other.settled(t, finance.Payable, "10"), other.moved(t, other.newDepositAccount(t),
		finance.Debit, "10")
	stranger := *s
	stranger.Tenant = storagetest.NewTenant(t, s.store)
	foreign, foreignWith := stranger.settled(t, finance.Payable, "10"), stranger.moved(t, stranger.newDepositAccount(t),
		finance.Debit, "10")
	narrow := s.member(t, finance.Access{EntityIDs: []int64{s.EntityID}})

	unknown := func(accounts, transactions int64) string {
		return fmt.Sprintf(`{"selected_financial_account_ids":["não existe: %d"],`+
			`"selected_financial_transaction_ids":["não existe: %d"]}`, accounts, transactions)
	}
	many := make([]int64, 1001)
	for i := range many {
		many[i] = int64(i + 1)
	}
	for _, c := range []struct {
		name                   string
		accounts, transactions []int64
		want                   string
		options                []option
	}{
		{"sums that differ by a cent", ids(paid), ids(cent),
			`{"amount":["difere: a soma das contas é 10,00, a das transações é 10,01, a diferença é 0,01; some-a em ` +
				`adjustments como interest_amount, ticket_amount ou fee_amount"]}`, nil},
		{"a payable account and a credit", ids(paid), ids(credit),
			fmt.Sprintf(`{"type":["difere: contas a pagar só são conciliadas com débitos, e são créditos as `+
				`transações %d"]}`, credit), nil},
		{"a receivable account and a debit", ids(received), ids(debit),
			fmt.Sprintf(`{"type":["difere: contas a receber só são conciliadas com créditos, e são débitos as `+
				`transações %d"]}`, debit), nil},
		{"both kinds", ids(paid, received), ids(debit), `{"type":["difere: as contas devem ser todas a pagar ou ` +
			`todas a receber"]}`, nil},
		{"an outstanding account", ids(open), ids(debit),
			fmt.Sprintf(`{"status":["deve ser pago ou recebido: ainda estão em aberto as contas %d"]}`, open), nil},
		{"reconciled ones", ids(gone), ids(goneWith),
			fmt.Sprintf(`{"selected_financial_account_ids":["já conciliado: %d"],`+
				`"selected_financial_transaction_ids":["já conciliado: %d"]}`, gone, goneWith), nil},
		{"none", nil, ids(), `{"selected_financial_account_ids":["não pode ser vazio"],` +
			`"selected_financial_transaction_ids":["não pode ser vazio"]}`, nil},
		{"1,001", many, many, `{"selected_financial_account_ids":["tem itens demais (máximo: 1000)"],` +
			`"selected_financial_transaction_ids":["tem itens demais (máximo: 1000)"]}`, nil},
		{"missing ones", ids(missingID), ids(missingID), unknown(missingID, missingID), nil},
		{"another tenant's", ids(foreign), ids(foreignWith), unknown(foreign, foreignWith), nil},
		{"those of an entity that the user may not see", ids(beside), ids(besideWith), unknown(beside, besideWith),
			[]option{as(narrow)}},
		{"those of an entity that the user may see", ids(paid), ids(besideWith),
			fmt.Sprintf(`{"selected_financial_transaction_ids":["não existe: %d"],`+
				`"entity":["difere: são de outra entidade as contas bancárias das transações %[1]d"]}`, besideWith),
			nil},
		{"missing ones beside ones that break other rules", ids(open, missingID), ids(credit, goneWith),
			fmt.Sprintf(`{"selected_financial_account_ids":["não existe: %d"],`+
				`"selected_financial_transaction_ids":["já conciliado: %d"],`+
				`"type":["difere: contas a pagar só são conciliadas com débitos, e são créditos `+
				`as transações %d"],`+
				`"status":["deve ser pago ou recebido: ainda estão em aberto as contas %d"]}`, missingID, goneWith,
				credit, open), nil},
		{"no account beside a reconciled transaction", nil, ids(goneWith),
			fmt.Sprintf(`{"selected_financial_account_ids":["não pode ser vazio"],`+
				`"selected_financial_transaction_ids":["já conciliado: %d"]}`, goneWith), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.match(t, c.accounts, c.transactions, c.options...).wantBody(t, 422, c.want)
		})
	}
	equal(t, query[string](t, s, `SELECT concat_ws(' ', (SELECT count(*) FROM reconciles),
		(SELECT count(*) FROM financial_accounts WHERE status = 3),
		(SELECT count(*) FROM financial_transactions WHERE reconcile_id IS NOT NULL))`), "1 1 1")
	s.call(t, "POST", paths.Reconciles(s.EntityID),
		document(`{"selected_financial_account_ids":["a"],"selected_financial_transaction_ids":[1]}`)).want(t, 422)
}

func TestReconciledRecordsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below, there := s.newDepositAccount(t), s.newDepositAccount(t)
	account, transaction := s.settled(t, finance.Payable, "10"), s.moved(t, below, finance.Debit, "10")
	s.match(t, ids(account), ids(transaction)).want(t, 200)
	const bound = `{"base":["A transação está conciliada: desfaça a conciliação antes."]}`
	self := fmt.Sprintf("%s/financial_transactions/%d", below, transaction)
	for _, change := range []string{`"amount":11`, `"occurred_at":"2026-03-05"`, `"type":"Credit"`} {
		s.call(t, "PUT", self, document(`{"financial_transaction":{`+change+`}}`)).wantBody(t, 422, bound)
	}
	s.call(t, "PUT", self, document(`{"financial_transaction":{"amount":10,"type":"Debit","occurred_at":"2026-03-04",`+
		`"document":"NF 1"}}`)).want(t, 200)
	s.call(t, "DELETE", self).wantBody(t, 422, bound)
	of := paths.FinancialAccount(s.EntityID, "payable", account)
	for _, path := range []string{of + "/undo_payment", of + "/pay"} {
		s.call(t, "PUT", path, document(`{"payable_account":{"total_amount":10,"occurred_at":"2026-03-04"}}`)).
			wantBody(t, 422, `{"base":["A conta está conciliada: desfaça a conciliação antes."]}`)
	}

	t.Run("also an account of nothing", func(t *testing.T) {
		nothing := s.settled(t, finance.Payable, "5", `,"discount_amount":5`)
		s.match(t, ids(nothing, s.settled(t, finance.Payable, "7")), ids(s.moved(t, below, finance.Debit, "7"))).want(t,
			200)
		s.call(t, "PUT", paths.FinancialAccount(s.EntityID, "payable", nothing),
			document(`{"payable_account":{"total_amount":null}}`)).
			wantBody(t, 422, `{"base":["A conta está conciliada: desfaça a conciliação antes."]}`)
	})

	t.Run("and so does the other side of a transfer", func(t *testing.T) {
		a := s.call(t, "POST", below+"/financial_transactions",
			document(fmt.Sprintf(`{"financial_transaction":{"type":"Debit","amount":5,"occurred_at":"2026-03-04",`+
				`"transfer_deposit_account_id":%d}}`, lastID(there)))).want(t, 201)
		s.match(t, ids(s.settled(t, finance.Payable, "5")), ids(lastID(a.header.Get("Location")))).want(t, 200)
		other := there + "/financial_transactions/" + a.at(t, "financial_transaction.transfer_id")
		s.call(t, "PUT", other, document(`{"financial_transaction":{"amount":6}}`)).wantBody(t, 422, bound)
		s.call(t, "DELETE", other).wantBody(t, 422, bound)
	})
}

// Payable and receivable accounts are in reais.
func TestTransactionsOfAnotherCurrencyAreNotReconciled(t *testing.T) {
	t.Parallel()
	s := newService(t)
	dollars := s.made(t, paths.DepositAccounts(s.EntityID), `{"deposit_account":{"name":"b",`+
		`"deposit_account_type_id":1,"currency_id":2}}`)
	account, transaction := s.settled(t, finance.Payable, "10"), s.moved(t, dollars, finance.Debit, "10")
	s.match(t, ids(account), ids(transaction)).wantBody(t, 422,
		fmt.Sprintf(`{"currency":["deve ser real (BRL), como a das contas a pagar e a receber: são de outra moeda as `+
			`transações %d"]}`, transaction))
	equal(t, len(s.suggestions(t, dollars)), 0)
}

func TestReconcilesNeedThePermissionOfTheirKind(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	account, transaction := s.settled(t, finance.Receivable, "10"), s.moved(t, below, finance.Credit, "10")
	token := s.member(t, finance.Access{AllEntities: true, Denied: []string{"receivable_accounts"}})
	s.match(t, ids(account), ids(transaction), as(token)).want(t, 403)
	equal(t, len(s.suggestions(t, below, as(token))), 0)
	equal(t, len(s.suggestions(t, below)), 1)
	reconcile := paths.Reconciles(s.EntityID) + "/" + s.match(t, ids(account), ids(transaction)).want(t, 200).at(t,
		"reconcile_id")
	s.call(t, "GET", reconcile, as(token)).want(t, 403)
	s.call(t, "DELETE", reconcile, as(token)).want(t, 403)
	s.call(t, "GET", paths.Reconciles(s.EntityID), as(token)).wantBody(t, 200, "[]")
	equal(t, len(s.call(t, "GET", paths.Reconciles(s.EntityID)).all(t, "reconcile.id")), 1)
}

func TestAReconcileNotifiesOfAllItsRecords(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first, second := s.newDepositAccount(t), s.newDepositAccount(t)
	account := s.settled(t, finance.Payable, "10")
	transactions := ids(s.moved(t, first, finance.Debit, "4"), s.moved(t, second, finance.Debit, "6"))
	s.exec(t, `INSERT INTO webhooks (account_id, entity_id, url, format, secret) VALUES ($1, $2, 'https://a.example',
		'json', 'x')`, s.AccountID, s.EntityID)
	const told = `SELECT coalesce(string_agg(concat_ws(' ', family, action, record_id, parent_id), ', ' ORDER BY id),
		'') FROM deliveries`
	want := fmt.Sprintf("payable_accounts updated %d, financial_transactions updated %d %d, financial_transactions "+
		"updated %d %d",
		account, transactions[0], lastID(first), transactions[1], lastID(second))
	id := s.match(t, ids(account), transactions).want(t, 200).at(t, "reconcile_id")
	equal(t, query[string](t, s, told), want)
	s.call(t, "DELETE", paths.Reconciles(s.EntityID)+"/"+id).want(t, 200)
	equal(t, query[string](t, s, told), want+", "+want)
}

// One client succeeds, in whatever order the two name the records.
func TestOfTwoReconcilesAtOnceOneIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	const rounds = 100
	s.exec(t, `INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at, amount,
		total_amount, competency_month)
		SELECT $1, $2, 'payable', 2, '2026-03-04', '2026-03-04', 1, 1, '2026-03-01' FROM generate_series(1, $3 * 2)`,
		s.AccountID, s.EntityID, rounds)
	s.exec(t, `INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id)
		SELECT $1, $2, -1, '2026-03-04', 1 FROM generate_series(1, $3 * 2)`, s.AccountID, lastID(below), rounds)
	for round := range rounds {
		a, b := int64(2*round+1), int64(2*round+2)
		equal(t, s.atOnce(t,
			func() (answer, error) {
				return s.send(t.Context(), "POST", paths.Reconciles(s.EntityID),
					document(reconciling(ids(a, b), ids(b, a))))
			},
			func() (answer, error) {
				return s.send(t.Context(), "POST", paths.Reconciles(s.EntityID), document(reconciling(ids(b), ids(a))))
			}), [2]int{200, 422})
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM reconciles`), rounds)
	equal(t, query[int](t, s, inexact), 0)
}

// inexact counts the reconciles whose sums differ and the accounts with a wrong status.
const inexact = `SELECT
	(SELECT count(*) FROM reconciles r
		WHERE (SELECT sum(total_amount) FROM financial_accounts WHERE reconcile_id = r.id)
			IS DISTINCT FROM (SELECT abs(sum(amount)) FROM financial_transactions WHERE reconcile_id = r.id)) +
	(SELECT count(*) FROM financial_accounts WHERE (status = 3) <> (reconcile_id IS NOT NULL)
		OR (status = 1) <> (total_amount IS NULL))`

// atOnce runs both concurrently and returns their statuses, sorted.
func (s *service) atOnce(t *testing.T, both ...func() (answer, error)) (statuses [2]int) {
	t.Helper()
	var all sync.WaitGroup
	for i, do := range both {
		all.Go(func() {
			a, err := do()
			if err != nil {
				t.Error(err)
			}
			statuses[i] = a.status
		})
	}
	all.Wait()
	if statuses[0] > statuses[1] {
		statuses[0], statuses[1] = statuses[1], statuses[0]
	}
	return statuses
}

func TestPayingWhileDeletingLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for range 20 {
		path := s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10`)
		statuses := s.atOnce(t,
			func() (answer, error) {
				return s.send(t.Context(), "PUT", path+"/pay",
					document(`{"payable_account":{"total_amount":10,"occurred_at":"2026-03-04"}}`))
			},
			func() (answer, error) { return s.send(t.Context(), "DELETE", path) })
		if statuses != [2]int{200, 200} && statuses != [2]int{200, 404} {
			t.Errorf("%v", statuses)
		}
		s.call(t, "GET", path).want(t, 404)
	}
}
