package api_test

import (
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/matching"
)

// reconcileAutomatically does what the worker does for all transactions of August 2026.
func (s *service) reconcileAutomatically(t testing.TB) {
	t.Helper()
	first, _ := finance.NewDate(2026, 8, 1)
	p := finance.Period{First: first, Last: first.AddDays(30)}
	books, err := matching.ReadOpenBooks(t.Context(), s.store, s.Scope, p, 1000)
	if err != nil {
		t.Fatal(err)
	}
	err = s.store.InTx(t.Context(), func(tx *storage.Tx) error {
		_, err := matching.ReconcileDecided(t.Context(), tx, books, books.Decide(p))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// automatic returns a deposit account of which a statement brought a transaction that was reconciled
// automatically, and the path of that statement.
func (s *service) automatic(t testing.TB) (account, statement string) {
	t.Helper()
	account = s.newDepositAccount(t)
	s.call(t, "PUT", account, document(`{"deposit_account":{"automatic_reconciliation":true}}`)).want(t, 200)
	transaction := s.newTransaction(t, account, finance.Debit, "150.99", "2026-08-05")
	s.call(t, "PUT", transaction, document(`{"financial_transaction":{"document":"1"}}`)).want(t, 200)
	s.newAccount(t, finance.Payable, `"due_date":"2026-08-04","amount":150.99,"document":"NF 1"`)
	s.exec(t, `
		INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name, file_content_type,
			file_file_size, event_status, event_finished_at)
		VALUES (1, 1, 'x', 'x', 'x', 1, 'success', now())`)
	s.exec(t, `UPDATE financial_transactions SET bank_statement_id = 1`)
	s.reconcileAutomatically(t)
	return account, account + "/bank_statements/1"
}

func TestAnAutomaticReconcileSaysWhyAndIsUndone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account, _ := s.automatic(t)
	equal(t, s.call(t, "GET", account).at(t, "deposit_account.automatic_reconciliation"), "true")
	made := s.call(t, "GET", "/entities/1/reconciles/1").want(t, 200)
	for name, want := range map[string]string{
		"made_by": "automatic", "rule_id": "<nil>",
		"reasons": "[Mesmo valor 1 dia de diferença Mesmo documento Estava em aberto: a conciliação pagou ou recebeu " +
			"a conta]",
	} {
		equal(t, made.at(t, "reconcile."+name), want)
	}
	s.call(t, "DELETE", "/entities/1/reconciles/1").want(t, 200)
	equal(t, s.call(t, "GET", "/entities/1/payable_accounts/1").at(t, "payable_account.status"), "1")
	s.reconcileAutomatically(t)
	s.call(t, "GET", "/entities/1/reconciles").wantBody(t, 200, `[]`)
	suggested := s.call(t, "GET", "/entities/1/reconciles/"+
		"suggestions?search[deposit_account_id]=1&search[occurred_at_gte]=2026-08-01"+
		"&search[occurred_at_lte]=2026-08-31").want(t, 200)
	equal(t, suggested.at(t, "suggestions.0.reconcile.selected_financial_transaction_ids"), "[1]")
	s.call(t, "PUT", account, document(`{"deposit_account":{"automatic_reconciliation":"maybe"}}`)).wantBody(t, 422,
		`{"automatic_reconciliation":["deve ser true ou false"]}`)
}

// The worker would do for such a user what the API refuses.
func TestOnlyThoseWhoMayReconcileSwitchTheWorkerOn(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	for _, denied := range []string{"financial_transactions", "payable_accounts", "receivable_accounts"} {
		confined := as(s.member(t, finance.Access{AllEntities: true, Denied: []string{denied}}))
		for method, path := range map[string]string{"PUT": account, "POST": "/entities/1/deposit_accounts"} {
			s.call(t, method, path, confined, document(`{"deposit_account":{"name":"Caixa",`+
				`"deposit_account_type_id":1,"automatic_reconciliation":true}}`)).want(t, 403)
		}
		s.call(t, "PUT", account, confined, document(`{"deposit_account":{"name":"Caixa",`+
			`"automatic_reconciliation":false}}`)).want(t, 200)
	}
	s.call(t, "PUT", account, document(`{"deposit_account":{"automatic_reconciliation":true}}`)).want(t, 200)
}

func TestAStatementTakesItsAutomaticReconcilesWithIt(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, statement := s.automatic(t)
	confined := as(s.member(t, finance.Access{AllEntities: true, Denied: []string{"payable_accounts"}}))
	s.call(t, "DELETE", statement, confined).want(t, 403)
	s.call(t, "DELETE", statement).want(t, 202)
}

// A change enqueues the job if it leaves something open.
func TestWhatIsNewIsReconciledAutomatically(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account, _ := s.automatic(t)
	if n := query[int](t, s, `SELECT count(*) FROM jobs WHERE kind = 'reconcile_automatically'`); n != 4 {
		t.Errorf("%d jobs after switching it on, a new transaction, its change and a new account", n)
	}
	s.call(t, "PUT", account, document(`{"deposit_account":{"name":"Outra"}}`)).want(t, 200)
	s.call(t, "PUT", "/entities/1/payable_accounts/1", document(`{"payable_account":{"observation":"paga"}}`)).want(t,
		200)
	s.call(t, "PUT", account+"/financial_transactions/1", document(`{"financial_transaction":{"observation":"paga"}}`)).
		want(t, 200)
	if n := query[int](t, s, `SELECT count(*) FROM jobs WHERE kind = 'reconcile_automatically'`); n != 4 {
		t.Errorf("%d jobs after changes that leave nothing open", n)
	}
}

// What else may change a decision enqueues the job too: for all days, or for those of what is open.
func TestRulesAndPeopleThatChangeAreFollowedByTheWorker(t *testing.T) {
	t.Parallel()
	s := newService(t)
	person := s.newPerson(t, `{"name":"Moinho"}`)
	s.newAccount(t, finance.Payable, `"due_date":"2026-08-04","amount":1,"person_id":1`)
	s.newAccount(t, finance.Receivable, `"due_date":"2026-08-02","occurred_at":"2026-08-09","amount":1,"person_id":1`)
	s.newAccount(t, finance.Payable, `"due_date":"2026-10-04","amount":1`)
	rule := s.made(t, "/entities/1/reconciliation_rules", `{"reconciliation_rule":{"name":"Tarifas",`+
		`"text_contains":["tarifa"],"match":{}}}`)
	change := func(fields string) string { return `{"person":{` + fields + `}}` }
	account := s.newDepositAccount(t)
	enqueues := func(method, path, sent, want string) {
		t.Helper()
		s.exec(t, `DELETE FROM jobs WHERE kind = 'reconcile_automatically'`)
		s.call(t, method, path, document(sent)).want(t, 200)
		got := query[string](t, s, `
			SELECT coalesce(string_agg(key || ' ' || coalesce((args::json ->> 'from') || '..' || (args::json ->> 'to'),
				'all'), ', '), '')
			FROM jobs WHERE kind = 'reconcile_automatically'`)
		if got != want {
			t.Errorf("%s %s: jobs for %q, want %q", method, path, got, want)
		}
	}
	enqueues("PUT", person, change(`"federation_subscription_number":"52998224725"`), "") // nothing is automatic
	enqueues("PUT", account, `{"deposit_account":{"automatic_reconciliation":true}}`, "1:1 all")
	enqueues("PUT", person, change(`"federation_subscription_number":"529.982.247-25"`), "") // the same one
	enqueues("PUT", person, change(`"city":"Bagé"`), "")
	enqueues("PUT", person, change(`"federation_subscription_number":null`), "1:1 2026-08-04..2026-08-09")
	enqueues("PUT", person, change(`"name":"Moinho Sul"`), "1:1 2026-08-04..2026-08-09")
	enqueues("DELETE", rule, `{}`, "1:1 all")
	// Of a person with many records a request does not look for the open ones.
	s.exec(t, `INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month,
			person_id)
		SELECT 1, 1, 'payable', '2026-08-05', 1, '2026-08-01', 1 FROM generate_series(1, 10000)`)
	enqueues("PUT", person, change(`"name":"Moinho Norte"`), "1:1 all")
}
