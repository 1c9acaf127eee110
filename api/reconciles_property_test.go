package api_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"

	"pgregory.net/rapid"
)

// reconcileModel is the expected state after a sequence of requests: the status and amount of each
// account, the transactions and which of them are reconciled, and the reconciliations.
type reconcileModel struct {
	*service
	t            *rapid.T
	below        string
	status       map[int64]int // of existing accounts
	amount       map[int64]int // of accounts
	moved        map[int64]int // amounts of existing transactions
	bound        map[int64]bool
	reconciles   map[int64][2][]int64
	entityScoped string
}

func (w *reconcileModel) ask(method, path, text string, want int) answer {
	a, err := w.send(context.Background(), method, path, document(text))
	if err != nil || a.status != want {
		w.t.Fatalf("%s %s %s: %d %s %v, want %d", method, path, text, a.status, a.body, err, want)
	}
	return a
}

// one draws one of the ids. They are sorted, so that a failure can be reproduced.
func one[T any](t *rapid.T, name string, of map[int64]T) (int64, bool) {
	all := slices.Sorted(maps.Keys(of))
	if len(all) == 0 {
		return 0, false
	}
	return rapid.SampledFrom(all).Draw(t, name), true
}

func some[T any](w *reconcileModel, name string, of map[int64]T) (chosen []int64) {
	for _, id := range slices.Sorted(maps.Keys(of)) {
		if rapid.IntRange(0, 2).Draw(w.t, name) == 0 {
			chosen = append(chosen, id)
		}
	}
	return chosen
}

// unless returns the status of a request that is refused if so.
func unless(so bool) int {
	if so {
		return 422
	}
	return 200
}

func (w *reconcileModel) account(id int64) string {
	return paths.FinancialAccount(w.EntityID, "payable", id)
}

func (w *reconcileModel) transaction(id int64) string {
	return fmt.Sprintf("%s/financial_transactions/%d", w.below, id)
}

func (w *reconcileModel) steps() map[string]func() {
	return map[string]func(){
		"create": func() {
			n := rapid.IntRange(1, 3).Draw(w.t, "amount")
			a := w.ask("POST", w.entityScoped+"/payable_accounts",
				fmt.Sprintf(`{"payable_account":{"due_date":"2026-03-04","amount":%d}}`, n), 201)
			id := lastID(a.header.Get("Location"))
			w.status[id], w.amount[id] = finance.Outstanding, n
			a = w.ask("POST", w.below+"/financial_transactions",
				fmt.Sprintf(`{"financial_transaction":{"type":"Debit","amount":%d,"occurred_at":"2026-03-04"}}`, n),
				201)
			w.moved[lastID(a.header.Get("Location"))] = n
		},
		"pay": func() {
			if id, ok := one(w.t, "account", w.status); ok {
				w.ask("PUT", w.account(id)+"/pay",
					fmt.Sprintf(`{"payable_account":{"total_amount":%d,"occurred_at":"2026-03-04"}}`, w.amount[id]),
					unless(w.status[id] != finance.Outstanding))
				w.status[id] = max(w.status[id], finance.Settled)
			}
		},
		"undo": func() {
			if id, ok := one(w.t, "account", w.status); ok {
				w.ask("PUT", w.account(id)+"/undo_payment", ``, unless(w.status[id] != finance.Settled))
				if w.status[id] == finance.Settled {
					w.status[id] = finance.Outstanding
				}
			}
		},
		"delete": func() {
			if id, ok := one(w.t, "account", w.status); ok {
				w.ask("DELETE", w.account(id), ``, unless(w.status[id] == finance.Reconciled))
				if w.status[id] != finance.Reconciled {
					delete(w.status, id)
				}
			}
		},
		"delete a transaction": func() {
			if id, ok := one(w.t, "transaction", w.moved); ok {
				w.ask("DELETE", w.transaction(id), ``, unless(w.bound[id]))
				if !w.bound[id] {
					delete(w.moved, id)
				}
			}
		},
		"reconcile":        func() { w.reconcile(some(w, "accounts", w.status), some(w, "transactions", w.moved)) },
		"undo a reconcile": w.undo,
	}
}

func (w *reconcileModel) reconcile(accounts, transactions []int64) {
	refused, owed, moved := len(accounts) == 0 || len(transactions) == 0, 0, 0
	for _, id := range accounts {
		refused, owed = refused || w.status[id] != finance.Settled, owed+w.amount[id]
	}
	for _, id := range transactions {
		refused, moved = refused || w.bound[id], moved+w.moved[id]
	}
	a := w.ask("POST", w.entityScoped+"/reconciles", reconciling(accounts, transactions),
		unless(refused || owed != moved))
	if a.status != 200 {
		return
	}
	for _, id := range accounts {
		w.status[id] = finance.Reconciled
	}
	for _, id := range transactions {
		w.bound[id] = true
	}
	_, rest, _ := strings.Cut(a.body[strings.LastIndex(a.body, `"reconcile_id"`):], ":")
	number, _, _ := strings.Cut(rest, ",")
	id := lastID("/" + number)
	w.reconciles[id] = [2][]int64{accounts, transactions}
}

func (w *reconcileModel) undo() {
	id, ok := one(w.t, "reconcile", w.reconciles)
	if !ok {
		return
	}
	w.ask("DELETE", fmt.Sprintf("%s/reconciles/%d", w.entityScoped, id), ``, 200)
	for _, account := range w.reconciles[id][0] {
		w.status[account] = finance.Settled
	}
	for _, transaction := range w.reconciles[id][1] {
		delete(w.bound, transaction)
	}
	delete(w.reconciles, id)
}

func TestWhateverIsDoneSumsAndStatusesAgree(t *testing.T) {
	t.Parallel()
	s := newService(t)
	rapid.Check(t, func(rt *rapid.T) {
		scoped := *s
		scoped.EntityID = s.anotherEntity(t).ID
		w := &reconcileModel{
			service: &scoped, t: rt, below: scoped.newDepositAccount(t), status: map[int64]int{},
			amount: map[int64]int{}, moved: map[int64]int{},
			bound: map[int64]bool{}, reconciles: map[int64][2][]int64{}, entityScoped: paths.Entity(scoped.EntityID),
		}
		steps := w.steps()
		// Each sequence begins with a reconciliation.
		steps["create"]()
		steps["pay"]()
		w.reconcile(slices.Collect(maps.Keys(w.status)), slices.Collect(maps.Keys(w.moved)))
		// More creations and payments make a successful reconcile likely.
		names := append([]string{"create", "create", "pay", "pay", "pay", "reconcile", "reconcile", "reconcile"},
			slices.Sorted(maps.Keys(steps))...)
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			steps[rapid.SampledFrom(names).Draw(rt, "step")]()
		}
		for id, status := range w.status {
			if got := query[int](t, s, `SELECT status FROM financial_accounts WHERE id = $1`, id); got != status {
				rt.Errorf("account %d is %d, want %d", id, got, status)
			}
		}
		for id := range w.moved {
			if got := query[bool](t, s, `SELECT reconcile_id IS NOT NULL FROM financial_transactions WHERE id = $1`,
				id); got != w.bound[id] {
				rt.Errorf("transaction %d is reconciled: %v", id, got)
			}
		}
	})
	equal(t, query[int](t, s, inexact), 0)
	s.agrees(t)
}
