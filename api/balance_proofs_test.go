package api_test

import (
	"fmt"
	"path"
	"sync"
	"testing"

	"bordero/finance"
)

// proven returns a deposit account with a statement whose file states the balance of 2026-03-09, and
// its one transaction of the 5th.
func (s *service) proven(t testing.TB, account string, balance string) (statement string) {
	t.Helper()
	id := query[int64](t, s, fmt.Sprintf(`
		WITH b AS (
			INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name, file_content_type,
				file_file_size, event_status, event_finished_at,
				ledger_balance, ledger_balance_on, period_start, period_end)
			VALUES (1, %[1]s, '%[2]s', 'a.ofx', 'x', 1, 'success', now(), %[2]s, '2026-03-09', '2026-03-01',
				'2026-03-09') RETURNING id),
		t AS (
			INSERT INTO financial_transactions (account_id, deposit_account_id, bank_statement_id, currency_id, amount,
				occurred_at)
			SELECT 1, d.id, b.id, d.currency_id, 100, '2026-03-05' FROM b, deposit_accounts d WHERE d.id = %[1]s
			RETURNING id),
		i AS (
			INSERT INTO imported_items (account_id, deposit_account_id, bank_statement_id, day, amount, ordinal,
				number, line, financial_transaction_id)
			SELECT 1, %[1]s, b.id, '2026-03-05', 100, 1, 1, 1, t.id FROM b, t),
		d AS (
			UPDATE deposit_accounts SET transactions_sum = 100, transactions_count = 1,
				last_transaction_date = '2026-03-05' WHERE id = %[1]s)
		SELECT id FROM b`, path.Base(account), balance))
	return fmt.Sprintf("%s/bank_statements/%d", account, id)
}

// shows fails unless the answer has the values.
func (a answer) shows(t testing.TB, values map[string]string) {
	t.Helper()
	for path, want := range values {
		equal(t, a.at(t, path), want)
	}
}

func TestTheOpeningBalanceComesFromTheFirstStatement(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	statement := s.proven(t, account, "350.50")
	s.call(t, "GET", statement).want(t, 200).shows(t, map[string]string{
		"bank_statement.balance_proof.status": finance.ProofDiffers, "bank_statement.balance_proof.difference": "250.5",
		"bank_statement.balance_proof.explanations.0.kind": "opening_balance",
	})
	etag := s.call(t, "GET", statement).header.Get("ETag")
	s.call(t, "DELETE", statement, with("If-Match", `"other"`)).want(t, 412)
	var both sync.WaitGroup // of two at once the second finds nothing to do
	for range 2 {
		both.Go(func() { s.call(t, "POST", statement+"/opening_balance").want(t, 200) })
	}
	both.Wait()
	s.call(t, "POST", statement+"/opening_balance").want(t, 200).shows(t, map[string]string{
		"bank_statement.balance_proof.status": finance.ProofAgrees, "bank_statement.balance_proof.our_balance": "350.5",
	})
	s.call(t, "GET", account).shows(t, map[string]string{"deposit_account.initial_balance": "250.5",
		"deposit_account.calculated_balance": "350.5"})
	equal(t, query[string](t, s, `SELECT string_agg(family || '.' || action || ' ' || (attributes::json ->
		'initial_balance')::text, ',') FROM unsealed_changes WHERE attributes LIKE '%initial_balance%'`),
		`deposit_accounts.updated [null,"250.5"]`)
	if s.call(t, "GET", statement).header.Get("ETag") == etag {
		t.Error("another proof has the same ETag")
	}
	s.call(t, "DELETE", statement, with("If-Match", s.call(t, "GET", statement).header.Get("ETag"))).want(t, 202)
}

func TestTheOpeningBalanceMakesTheProofAgree(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	statement := s.proven(t, account, "350.50")
	s.call(t, "POST", account+"/financial_transactions",
		document(`{"financial_transaction":{"type":"Debit","amount":10,"occurred_at":"2026-03-06"}}`)).want(t, 201)
	s.call(t, "GET", statement).shows(t, map[string]string{
		"bank_statement.balance_proof.explanations.0.kind":   "opening_balance",
		"bank_statement.balance_proof.explanations.0.amount": "250.5",
		"bank_statement.balance_proof.explanations.1.kind":   "manual_transactions",
		"bank_statement.balance_proof.explanations.1.amount": "10.0",
	})
	for range 2 { // the second finds nothing to do
		s.call(t, "POST", statement+"/opening_balance").want(t, 200).shows(t, map[string]string{
			"bank_statement.balance_proof.status": finance.ProofAgrees})
		s.call(t, "GET", account).shows(t, map[string]string{"deposit_account.initial_balance": "260.5"})
	}
}

func TestAnOpeningBalanceIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	first := s.proven(t, account, "350.50")
	s.exec(t, `UPDATE bank_statements SET ledger_balance_on = '2026-03-08' WHERE id = 1`)
	other := s.newDepositAccount(t)
	second := query[int64](t, s, fmt.Sprintf(`
		INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name, file_content_type,
			file_file_size, event_status, ledger_balance, ledger_balance_on)
		VALUES (1, %s, 'second', 'a.ofx', 'x', 1, 'success', 1, '2026-03-31') RETURNING id`, path.Base(account)))
	none := query[int64](t, s, fmt.Sprintf(`
		INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name, file_content_type,
			file_file_size, event_status)
		VALUES (1, %s, 'none', 'a.ofx', 'x', 1, 'success') RETURNING id`, path.Base(account)))
	refused := func(statement string, code string) {
		t.Helper()
		equal(t, s.refusal(t, "POST", statement+"/opening_balance").Code, code)
	}
	refused(fmt.Sprintf("%s/bank_statements/%d", account, second), "not_first_statement")
	refused(fmt.Sprintf("%s/bank_statements/%d", account, none), "no_balance_stated")
	s.call(t, "DELETE", fmt.Sprintf("%s/bank_statements/%d", account, none)).want(t, 202)
	refused(first, "import_being_undone")
	s.exec(t, `DELETE FROM bank_statements WHERE deleted_at IS NOT NULL`) // as its job does
	s.call(t, "POST", account+"/bank_statements/99/opening_balance").want(t, 404)
	s.call(t, "POST", other+"/bank_statements/1/opening_balance").want(t, 404)
	s.call(t, "POST", account+"/financial_transactions",
		document(`{"financial_transaction":{"type":"Credit","amount":1,"occurred_at":"2026-02-28"}}`)).want(t, 201)
	refused(first, "transactions_before")
	s.call(t, "POST", first+"/opening_balance").wantBody(t, 422, `{"base":["Há transações com data anterior a `+
		`01/03/2026, o início do extrato."]}`)
	equal(t, query[string](t, s,
		`SELECT coalesce(string_agg(initial_balance::text, ','), 'none') FROM deposit_accounts`), "none")
}

func TestProofsAreListedByDay(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	s.proven(t, account, "100")
	s.exec(t, fmt.Sprintf(`
		INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name, file_content_type,
			file_file_size, event_status, ledger_balance, ledger_balance_on)
		SELECT 1, %s, 'k' || n, 'a.ofx', 'x', 1, 'success', n, date '2026-03-09' - n FROM generate_series(1, 3) n`,
		path.Base(account)))
	a := s.call(t, "GET", account+"/balance_proofs?per_page=2").want(t, 200)
	a.shows(t, map[string]string{"0.balance_proof.id": "1", "0.balance_proof.status": finance.ProofAgrees,
		"1.balance_proof.on": "2026-03-08", "1.balance_proof.difference": "-99.0"})
	equal(t, a.header.Get("X-Total-Count"), "4")
	cursor := s.call(t, "GET", account+"/balance_proofs?per_page=3&cursor=").want(t, 200).header.Get("X-Next-Cursor")
	s.call(t, "GET", account+"/balance_proofs?per_page=3&cursor="+cursor).want(t, 200).shows(t, map[string]string{
		"0.balance_proof.on": "2026-03-06"})
}
