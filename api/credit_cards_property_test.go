package api_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"bordero/finance"

	"pgregory.net/rapid"
)

// statement is the expected state of a card after a sequence of requests: its transactions by id,
// and its paid invoices by month.
type statement struct {
	*service
	t         *rapid.T
	tb        testing.TB // the enclosing test
	card      string
	purchases map[int64]purchase
	paid      map[string]bool
}

type purchase struct {
	cents  int
	series int64 // the id of the first installment; 0 for none
	month  string
}

func (w *statement) ask(method, path, text string, want ...int) answer {
	a, err := w.send(context.Background(), method, path, document(text))
	if err != nil || !slices.Contains(want, a.status) {
		w.t.Fatalf("%s %s %s: %d %s %v, want %d", method, path, text, a.status, a.body, err, want)
	}
	return a
}

func (w *statement) equal(got, want any) {
	if got != want {
		w.t.Fatalf("%v, want %v", got, want)
	}
}

func (w *statement) at(id int64) string { return fmt.Sprintf("%s/transactions/%d", w.card, id) }

// read returns a transaction as the service shows it.
func (w *statement) read(id, series int64) purchase {
	a := w.ask("GET", w.at(id), ``, 200)
	var amount finance.Amount
	_ = amount.UnmarshalText([]byte(a.at(w.tb, "credit_card_transaction.amount")))
	return purchase{int(amount), series, a.at(w.tb, "credit_card_transaction.credit_card_invoice.due_date")[:7]}
}

func (w *statement) day() string {
	return fmt.Sprintf("2090-%02d-%02d", rapid.IntRange(1, 4).Draw(w.t, "month"),
		rapid.IntRange(1, 28).Draw(w.t, "day"))
}

func (w *statement) buy() {
	cents, parcels := rapid.SampledFrom([]int{100, 1, -50, 3000, -100}).Draw(w.t, "cents"),
		rapid.Int64Range(1, 4).Draw(w.t, "parcels")
	a := w.ask("POST", w.card+"/transactions", fmt.Sprintf(`{"credit_card_transaction":{"amount":"%s",`+
		`"occurred_at":%q,"number_of_parcels":%d}}`,
		finance.Amount(cents), w.day(), parcels), 201, 422)
	if a.status == 422 {
		w.equal(len(w.paid) > 0, true)
		return
	}
	first := lastID(a.header.Get("Location"))
	for id := first; id < first+parcels; id++ {
		w.purchases[id] = w.read(id, map[bool]int64{true: first}[parcels > 1])
	}
}

func (w *statement) change() {
	if id, ok := one(w.t, "transaction", w.purchases); ok {
		a := w.ask("PUT", w.at(id), fmt.Sprintf(`{"credit_card_transaction":{"amount":7,"occurred_at":%q}}`, w.day()),
			200, 422)
		if before := w.purchases[id]; a.status == 422 {
			w.equal(len(w.paid) > 0, true)
			w.equal(w.read(id, before.series), before)
		} else {
			w.equal(w.paid[before.month], false)
			w.purchases[id] = w.read(id, before.series)
			w.equal(w.paid[w.purchases[id].month], false)
		}
	}
}

func (w *statement) remove() {
	if id, ok := one(w.t, "transaction", w.purchases); ok {
		w.ask("DELETE", w.at(id), ``, unless(w.paid[w.purchases[id].month]))
		if !w.paid[w.purchases[id].month] {
			delete(w.purchases, id)
		}
	}
}

func (w *statement) removeSeries() {
	if id, ok := one(w.t, "transaction", w.purchases); ok {
		series := w.purchases[id].series
		w.ask("DELETE", w.at(id)+"/recurrence", ``, unless(series == 0))
		for id, p := range w.purchases {
			if series != 0 && p.series == series && !w.paid[p.month] {
				delete(w.purchases, id)
			}
		}
	}
}

// settle pays an invoice, or undoes its payment.
func (w *statement) settle() {
	w.apply()
	owed := map[string]int{}
	for _, p := range w.purchases {
		owed[p.month] += p.cents
	}
	var months []string
	for month, sum := range owed {
		if sum > 0 {
			months = append(months, month)
		}
	}
	if len(months) == 0 {
		return
	}
	slices.Sort(months)
	month := rapid.SampledFrom(months).Draw(w.t, "invoice")
	payable := w.payableOf(w.tb, w.card, month)
	if w.paid[month] {
		w.ask("PUT", payable+"/undo_payment", ``, 200)
		delete(w.paid, month)
		return
	}
	w.ask("PUT", payable+"/pay", `{"payable_account":{"total_amount":1,"occurred_at":"2027-01-01"}}`, 200)
	w.paid[month] = true
}

func (w *statement) changeDays() {
	w.ask("PUT", w.card, fmt.Sprintf(`{"credit_card":{"closing_day":%d,"expiration_day":%d}}`,
		rapid.IntRange(1, 31).Draw(w.t, "closing"), rapid.IntRange(1, 31).Draw(w.t, "expiration")), 200)
	for id, p := range w.purchases {
		w.equal(w.read(id, p.series), p)
	}
}

// apply applies changed days. The purchases in paid invoices stay there, and no other comes to one.
func (w *statement) apply() {
	w.applyDays(w.tb, w.card)
	for id, p := range w.purchases {
		now := w.read(id, p.series)
		if w.paid[p.month] {
			w.equal(now, p)
		}
		w.equal(w.paid[now.month], w.paid[p.month])
		w.purchases[id] = now
	}
}

// check compares the card and every invoice that the service lists with the expected transactions.
func (w *statement) check() {
	w.apply()
	open, sums := 0, map[string]int{}
	for _, p := range w.purchases {
		sums[p.month] += p.cents
		if !w.paid[p.month] {
			open += p.cents
		}
	}
	w.equal(w.ask("GET", w.card, ``, 200).at(w.tb, "credit_card.balance"), finance.Amount(open).String())
	listed := w.ask("GET", w.card+"/invoices?per_page=500", ``, 200)
	months := listed.all(w.tb, "credit_card_invoice.due_date")
	w.equal(len(months), len(sums))
	for i, due := range months {
		month := due[:7]
		w.equal(listed.at(w.tb, fmt.Sprintf("%d.credit_card_invoice.balance", i)), finance.Amount(sums[month]).String())
		for _, text := range w.ask("GET", w.card+"/invoices/"+month+"?per_page=500", ``, 200).all(w.tb,
			"credit_card_transaction.id") {
			id := lastID("/" + text)
			w.equal(w.purchases[id].month, month)
			delete(w.purchases, id)
		}
	}
	w.equal(len(w.purchases), 0) // each was in an invoice
}

func TestWhateverIsDoneInvoicesAndPayablesAgree(t *testing.T) {
	t.Parallel()
	s := newService(t)
	rapid.Check(t, func(rt *rapid.T) {
		w := &statement{s, rt, t, s.newCard(t, rapid.IntRange(1, 31).Draw(rt, "closing"),
			rapid.IntRange(1, 31).Draw(rt, "expiration")),
			map[int64]purchase{}, map[string]bool{}}
		steps := map[string]func(){"buy": w.buy, "change": w.change, "remove": w.remove,
			"remove a series": w.removeSeries, "settle": w.settle, "change days": w.changeDays}
		// Buying first makes the rest likely.
		names := []string{"buy", "buy", "buy", "change", "change days", "remove", "remove a series", "settle", "settle"}
		for range rapid.IntRange(1, 14).Draw(rt, "steps") {
			steps[rapid.SampledFrom(names).Draw(rt, "step")]()
		}
		w.check()
	})
	s.agrees(t)
}
