package api_test

import (
	"context"
	"testing"

	"bordero/storage"
	"bordero/storage/cards"
)

// Whichever statement is the last before the worker is killed, all open invoices have the former dates, or all have
// the new ones.
func TestNewDaysOfACardSurviveAKill(t *testing.T) {
	t.Parallel()
	s, left := severed(t)
	card := s.newCard(t, 5, 15)
	s.buy(t, card, `"amount":10,"occurred_at":"2090-01-10","number_of_parcels":480`)
	s.buy(t, card, `"amount":3,"occurred_at":"2090-03-08"`)
	s.pay(t, s.payableOf(t, card, "2090-02"))
	before := query[string](t, s, invoicesByTime)
	s.changeDays(t, card, 10, 20, "2090-03")
	killed := 0
	for n := int64(2); ; n++ { // the first begins the transaction, and is repeated
		left.Store(n)
		err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
			return cards.ApplyDays(t.Context(), tx, s.AccountID, lastID(card))
		})
		if left.Swap(0) > 0 {
			break
		}
		if err == nil {
			t.Fatalf("statement %d was not to be answered", n)
		}
		killed++
		if got := query[string](t, s, invoicesByTime); got != before {
			t.Fatalf("after statement %d: %s", n, got)
		}
	}
	t.Logf("killed before %d statements", killed)
	if killed < 15 {
		t.Errorf("killed before %d statements", killed)
	}
	s.applyDays(t, card)
	// After the paid invoice February is taken: the first new one has the purchases of February and March.
	equal(t, query[string](t, s, `SELECT concat_ws(' ', count(*), min(end_date), max(end_date), sum(balance),
		max(balance), count(DISTINCT month)) FROM credit_card_invoices`),
		"479 2090-02-05 2129-12-10 4803.00 23.00 479")
	equal(t, query[bool](t, s, `SELECT bool_and(before_id < id) FROM (
		SELECT id, lag(id) OVER (ORDER BY end_date) AS before_id FROM credit_card_invoices) i`), true)
	s.agrees(t)
}

const invoicesByTime = `SELECT md5(string_agg(concat_ws(' ', i.id, start_date, end_date, i.due_date, balance, f.id,
	f.due_date, f.amount), ',' ORDER BY end_date)) FROM credit_card_invoices i
	LEFT JOIN financial_accounts f ON f.credit_card_invoice_id = i.id`

// Of a payment and a change of the card's days at once, the second sees the first.
func TestAnInvoiceIsPaidWhileTheDaysOfItsCardChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, first, status, from string }{
		{"the payment first", `UPDATE financial_accounts SET status = 2, occurred_at = '2026-03-10', total_amount = 10
			WHERE id = 1`, "", "2090-03"},
		{"the days first", `INSERT INTO pending_card_days VALUES (1, 1, '0001-01-01', '0001-01-01', 10, 20)`,
			"422", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			card := s.newCard(t, 5, 15)
			s.buy(t, card, `"amount":10,"occurred_at":"2090-01-10","number_of_parcels":2`)
			payable := s.payableOf(t, card, "2090-02")
			a := s.meanwhile(t, `SELECT FROM financial_accounts FOR NO KEY UPDATE`, c.first,
				func(ctx context.Context) (answer, error) {
					if c.status != "" {
						return s.send(ctx, "PUT", payable+"/pay",
							document(`{"payable_account":{"total_amount":1,"occurred_at":"2026-03-10"}}`))
					}
					return s.send(ctx, "PUT", card, document(`{"credit_card":{"closing_day":10,"expiration_day":20}}`))
				})
			if c.status != "" {
				a.wantBody(t, 422, `{"base":["A fatura está recebendo os novos dias do cartão."]}`)
				return
			}
			equal(t, a.want(t, 200).at(t, "credit_card.applies_from"), c.from)
			s.applyDays(t, card)
			equal(t, s.invoices(t, card), "2090-01-06..2090-02-05 due 2090-02-15: 10.0 payable, "+
				"2090-02-06..2090-03-10 due 2090-03-20: 10.0 payable")
			s.agrees(t)
		})
	}
}

// A release that does not know of pending days pays an open invoice: it keeps its dates.
func TestAnInvoiceThatWasPaidMeanwhileKeepsItsDates(t *testing.T) {
	t.Parallel()
	s := newService(t)
	card := s.newCard(t, 5, 15)
	s.buy(t, card, `"amount":10,"occurred_at":"2090-01-10","number_of_parcels":2`)
	s.changeDays(t, card, 10, 20, "2090-01")
	s.exec(t, `UPDATE financial_accounts SET status = 2, occurred_at = '2026-03-10', total_amount = 10 WHERE id = 1`)
	s.applyDays(t, card)
	equal(t, s.invoices(t, card), "2090-01-06..2090-02-05 due 2090-02-15: 10.0 payable, "+
		"2090-02-06..2090-03-10 due 2090-03-20: 10.0 payable")
	equal(t, s.call(t, "GET", card).at(t, "credit_card.applies_from"), "2090-03")
	s.agrees(t)
}

// A purchase that the card's pending days could not place is refused: their job would fail for ever. A client
// that repeats the days has them applied, even if their job is lost.
func TestPendingDaysCanAlwaysBeApplied(t *testing.T) {
	t.Parallel()
	s := newService(t)
	card := s.newCard(t, 5, 15)
	s.buy(t, card, `"amount":9999999999999.99,"occurred_at":"2090-01-20"`)
	refund := s.buy(t, card, `"amount":-5,"occurred_at":"2090-02-07"`)
	s.buy(t, card, `"amount":5,"occurred_at":"2090-02-08"`)
	s.changeDays(t, card, 10, 3, "2090-03")
	s.call(t, "POST", card+"/transactions", document(`{"credit_card_transaction":{"amount":1,
		"occurred_at":"2090-02-06"}}`)).wantBody(t, 422, `{"amount":["levaria o total da fatura além do limite"]}`)
	s.call(t, "PUT", refund, document(`{"credit_card_transaction":{"amount":-4}}`)).want(t, 422)
	s.call(t, "DELETE", refund).want(t, 422)
	s.call(t, "POST", card+"/transactions", document(`{"credit_card_transaction":{"amount":1,
		"occurred_at":"9999-12-02"}}`)).wantBody(t, 422, `{"occurred_at":["está fora do intervalo permitido"]}`)
	s.exec(t, `DELETE FROM jobs`)
	s.call(t, "PUT", card, document(`{"credit_card":{"closing_day":10,"expiration_day":3}}`)).want(t, 200)
	equal(t, query[int64](t, s, `SELECT count(*) FROM jobs WHERE kind = 'apply_card_days'`), 1)
	s.applyDays(t, card)
	s.agrees(t)
}
