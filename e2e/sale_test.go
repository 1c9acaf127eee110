package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// repriced is how many sales are priced again: a batch of 20,000 and more.
func repriced(t *testing.T) int { return tier.Set(t, "BORDERO_FAULT_SALES", 21_000, 45_000) }

// repricing returns a site whose only sales worker is pricing all sales again, from 2 % to 3 %.
// It stays in the middle until goOn is called. A trigger counts how often each sale was priced.
func repricing(t *testing.T, sales int) (s *e2etest.Site, worker *e2etest.Process, goOn func() error) {
	t.Helper()
	s = e2etest.New(t, short)
	s.Serve()
	worker = s.Start("work", "sales").Ready()
	var account struct {
		SaleAccount struct{ ID int64 } `json:"sale_account"`
	}
	var rule struct {
		SaleRule struct{ ID int64 } `json:"sale_rule"`
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.Post("/sale_accounts", map[string]any{"sale_account": map[string]any{
		"entity_id": s.Entity, "name": "Cielo", "provider": "cielo", "payment_methods": "pix,cash",
		"consolidate": true}}, &account))
	rules := fmt.Sprintf("/sale_accounts/%d/rules", account.SaleAccount.ID)
	must(s.Post(rules, map[string]any{"sale_rule": map[string]any{"payment_method": "pix", "fee_percentage": "2",
		"days_to_liquidation": 30}}, &rule))
	_, err := s.DB.ExecContext(t.Context(), `
		ALTER TABLE sales ADD COLUMN times int NOT NULL DEFAULT 0;
		CREATE FUNCTION count_times() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN NEW.times := OLD.times + 1; RETURN NEW; END';
		CREATE TRIGGER times BEFORE UPDATE ON sales FOR EACH ROW EXECUTE FUNCTION count_times()`)
	must(err)
	_, err = s.DB.ExecContext(t.Context(), `
		INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month,
			nominal_amount, total_amount)
		SELECT account_id, entity_id, id, 'pix', date '2026-03-01' + n % 30, '2026-03-01', 10, 10 FROM sale_accounts,
			generate_series(1, $1) n`, sales)
	must(err)
	must(s.Post(fmt.Sprintf("/entities/%d/sales", s.Entity), map[string]any{"sale": map[string]any{
		"sale_account_id": account.SaleAccount.ID, "payment_method": "cash", "nominal_amount": "1",
		"occurred_at": "2026-03-01"}}, &struct{}{}))
	testkit.Eventually(t, "all sales are priced", func() bool {
		return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM jobs`) == 0 &&
			e2etest.Value[int](t, s.DB, `SELECT count(*) FROM sales WHERE receivable_amount = 9.80`) == sales
	})
	last, err := s.DB.BeginTx(t.Context(), nil)
	must(err)
	_, err = last.ExecContext(t.Context(), `SELECT FROM sales WHERE payment_method = 'pix' ORDER BY id DESC LIMIT 1
		FOR UPDATE`)
	must(err)
	answer, err := s.Do(http.MethodPut, fmt.Sprintf("%s/%d", rules, rule.SaleRule.ID), "application/json",
		strings.NewReader(`{"sale_rule":{"fee_percentage":"3","apply_rules":1}}`))
	if err != nil || answer.Status != http.StatusOK {
		t.Fatalf("%d %s, %v", answer.Status, answer.Body, err)
	}
	testkit.Eventually(t, "some are priced again", func() bool {
		return e2etest.Value[bool](t, s.DB, `SELECT EXISTS (SELECT FROM sale_rule_applications WHERE priced_up_to > 0)`)
	})
	return s, worker, last.Rollback
}

// areRepriced checks that each sale was priced twice, once for each percentage, and that all
// stored data agrees.
func areRepriced(t *testing.T, s *e2etest.Site, sales int) {
	t.Helper()
	s.Settled()
	if n := e2etest.Value[int](t, s.DB,
		`SELECT count(*) FROM sales WHERE receivable_amount = 9.70 AND times = 2`); n != sales {
		t.Errorf("%d of %d sales were priced once more", n, sales)
	}
	if n, sum := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM financial_accounts`),
		e2etest.Value[string](t, s.DB, `SELECT sum(amount) * 10 FROM financial_accounts`); n != 30 ||
		sum != fmt.Sprintf("%d.00", 97*sales) {
		t.Errorf("%d accounts of %s together", n, sum)
	}
}

func TestAKilledWorkersPricingIsFinishedByAnother(t *testing.T) {
	t.Parallel()
	sales := repriced(t)
	s, worker, goOn := repricing(t, sales)
	worker.Kill()
	killed := time.Now()
	if left := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM sales WHERE receivable_amount = 9.80`); left == 0 {
		t.Fatal("it was done before")
	}
	if err := goOn(); err != nil {
		t.Fatal(err)
	}
	s.Start("work", "sales").Ready()
	areRepriced(t, s, sales)
	t.Logf("all priced %.1fs after the kill", time.Since(killed).Seconds())
}

func TestAFlushLosesNoPricing(t *testing.T) {
	tier.NeedsLong(t, "45,000 sales; a killed pricing stays")
	t.Parallel()
	sales := repriced(t)
	s, worker, goOn := repricing(t, sales)
	s.Flush()
	if err := goOn(); err != nil {
		t.Fatal(err)
	}
	worker.Kill()
	s.Flush()
	s.Start("work", "sales").Ready()
	s.Flush()
	areRepriced(t, s, sales)
}
