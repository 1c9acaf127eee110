package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// reconciling returns a site with 50 rules and n transactions of a year that a worker, once it is
// started, can reconcile: six in ten pay an account of the same document, two are fees for which a rule
// makes an account, one pays the only account of its amount, which a rule matches, and one has two
// accounts of its document.
func reconciling(t *testing.T, n int) *e2etest.Site {
	t.Helper()
	s := e2etest.New(t, short)
	s.Serve()
	account := s.NewDepositAccount(t, "1")
	for i := range 50 {
		rule := map[string]any{"name": fmt.Sprint("Tarifa ", i), "automatic": true, "text_contains": []string{
			fmt.Sprintf("tarifa %d.", i)}, "new_account": map[string]any{}}
		if i >= 45 {
			delete(rule, "new_account")
			rule["match"] = map[string]any{"days": 7}
		}
		err := s.Post(fmt.Sprintf("/entities/%d/reconciliation_rules", s.Entity), map[string]any{
			"reconciliation_rule": rule}, &struct{}{})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, query := range []string{`
		INSERT INTO financial_transactions (account_id, deposit_account_id, currency_id, amount, occurred_at, document,
			original_description)
		SELECT account_id, id, 1, -(1000 + n) / 100.0, date '2026-01-01' + n % 365,
			CASE WHEN n % 10 < 6 OR n % 10 = 9 THEN n::text END,
			CASE WHEN n % 10 IN (6, 7) THEN 'TARIFA ' || n % 45 || '.' WHEN n % 10 = 8
				THEN 'TARIFA ' || 45 + n % 5 || '.' ELSE 'PIX' END
		FROM deposit_accounts, generate_series(1, $1::int) n`, `
		INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month, document)
		SELECT account_id, entity_id, 'payable', date '2026-01-03' + n % 365, (1000 + n) / 100.0, '2026-01-01',
			CASE WHEN n % 10 <> 8 THEN 'NF ' || n END
		FROM deposit_accounts, generate_series(1, $1::int) n, generate_series(1, CASE n % 10 WHEN 9 THEN 2 ELSE 1 END)
			WHERE n % 10 NOT IN (6, 7)`, `
		UPDATE deposit_accounts SET transactions_count = $1, last_transaction_date = '2026-12-31',
			transactions_sum = (SELECT sum(amount) FROM financial_transactions)`} {
		if _, err := s.DB.ExecContext(t.Context(), query, n); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := s.Do(http.MethodPut, fmt.Sprintf("/entities/%d/deposit_accounts/%d", s.Entity, account),
		"application/json",
		strings.NewReader(`{"deposit_account":{"automatic_reconciliation":true}}`))
	if err != nil || answer.Status != http.StatusOK {
		t.Fatalf("%d %s, %v", answer.Status, answer.Body, err)
	}
	return s
}

// areReconciled checks that all is as one run makes it, and that all stored data agrees.
func areReconciled(t *testing.T, s *e2etest.Site, n int) {
	t.Helper()
	s.Settled()
	for what, query := range map[string]string{
		"pairs": `
			SELECT count(*) FROM financial_transactions t JOIN financial_accounts f USING (account_id, reconcile_id)
			WHERE t.amount = -f.total_amount AND (f.document = 'NF ' || t.document) IS NOT FALSE`,
		"transactions, but for the ambiguous ones": `SELECT count(*) FROM financial_transactions
			WHERE reconcile_id IS NOT NULL AND right((-amount * 100)::int::text, 1) <> '9'`,
		"reconciles": `SELECT count(*) FROM reconciles WHERE made_by = 'automatic'`,
		"new accounts": fmt.Sprintf(`SELECT count(*) + %d FROM financial_accounts
			WHERE before_reconcile -> 'new' IS NOT NULL`, n*7/10),
	} {
		if got := e2etest.Value[int](t, s.DB, query); got != n*9/10 {
			t.Errorf("%d %s, want %d", got, what, n*9/10)
		}
	}
}

// What a killed worker had reconciled stays, and another does the rest.
func TestAKilledReconciliationIsFinishedByAnother(t *testing.T) {
	t.Parallel()
	n := tier.Size(4_000, 100_000)
	s := reconciling(t, n)
	worker := s.Start("work", "reconciliation").Ready()
	for range tier.Size(1, 5) {
		done := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM reconciles`)
		testkit.Eventually(t, "some are reconciled", func() bool {
			return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM reconciles`) > done
		})
		worker.Kill()
		if n := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM jobs WHERE queue = 'reconciliation'`); n == 0 {
			t.Fatal("it was done before")
		}
		worker = s.Start("work", "reconciliation").Ready()
	}
	s.Start("work", "reconciliation").Ready() // one of two takes the job
	areReconciled(t, s, n)
}
