package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/internal/paths"
)

// A worker is killed while it moves 480 parcels to invoices of new days. None has moved, and another worker moves all.
func TestAKilledWorkersNewCardDaysAreAppliedByAnother(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, short)
	s.Serve()
	send := func(method, path, body string) {
		t.Helper()
		answer, err := s.Do(method, path, "application/json", bytes.NewReader([]byte(body)))
		if err != nil || answer.Status >= http.StatusMultipleChoices {
			t.Fatalf("%s %s: %v %d %s", method, path, err, answer.Status, answer.Body)
		}
	}
	send(http.MethodPost, paths.CreditCards(s.Entity), `{"credit_card":{"name":"Loja","flag":"Visa","closing_day":5,`+
		`"expiration_day":15}}`)
	card := fmt.Sprint(paths.CreditCards(s.Entity), "/", e2etest.Value[int64](t, s.DB, `SELECT id FROM credit_cards`))
	send(http.MethodPost, card+"/transactions", `{"credit_card_transaction":{"amount":10,"occurred_at":"2090-01-10",`+
		`"number_of_parcels":480,"description":"Forno"}}`)
	invoices := func() string {
		return e2etest.Value[string](t, s.DB, `
			SELECT concat_ws(' ', count(*), min(end_date), max(end_date), sum(balance), (
				SELECT count(*) FROM credit_card_transactions t
				JOIN credit_card_invoices i ON i.id = t.credit_card_invoice_id
				WHERE t.occurred_at BETWEEN i.start_date AND i.end_date))
			FROM credit_card_invoices`)
	}
	before := invoices()
	send(http.MethodPut, card, `{"credit_card":{"closing_day":12,"expiration_day":20}}`)
	release := s.Hold(`SELECT FROM financial_accounts WHERE id = (SELECT max(id) FROM financial_accounts) FOR UPDATE`)
	w := s.Start("work", "sales").Ready()
	s.AwaitBlocked("financial_accounts")
	w.Kill()
	if got := invoices(); got != before {
		t.Errorf("killed in the middle it leaves %s instead of %s", got, before)
	}
	release()
	s.Start("work", "sales").Ready()
	s.Settled()
	if got, want := invoices(), "480 2090-01-12 2129-12-12 4800.00 480"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
