package api_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// budgetOf returns a budget as it is sent.
func budgetOf(month string, category, center int64, amount string) string {
	of := "null"
	if center != 0 {
		of = fmt.Sprint(center)
	}
	return fmt.Sprintf(`{"budget":{"month":%q,"category_id":%d,"classification_center_id":%s,"amount":%q}}`, month,
		category, of, amount)
}

// A second budget of the same entity, month, category and center is refused, and the refusal names the first one.
func TestAnEntityHasOneBudgetOfEachMonthCategoryAndCenter(t *testing.T) {
	t.Parallel()
	s := newService(t)
	foreign := storagetest.NewTenant(t, s.store)
	center, list := lastID(s.newCenter(t, s.EntityID, "Loja")), paths.Budgets(s.EntityID)
	other := lastID(s.made(t, "/entities", `{"entity":{"name":"Filial"}}`))
	elsewhere := lastID(s.newCenter(t, other, "Loja"))
	theirs := query[int64](t, s, `SELECT min(id) FROM categories WHERE account_id = $1`, foreign.AccountID)
	for _, c := range []struct {
		name, method, path, sent string
		status                   int
		fault                    string // pointer, code and id
	}{
		{"a category", "POST", list, budgetOf("2026-08", 2, 0, "10"), 201, ""},
		{"one of its centers", "POST", list, budgetOf("2026-08", 2, center, "0"), 201, ""},
		{"another month, by a date", "POST", list, budgetOf("2026-09-17", 2, 0, "9999999999999.99"), 201, ""},
		{"another entity", "POST", paths.Budgets(other), budgetOf("2026-08", 2, 0, "10"), 201, ""},
		{"again", "POST", list, budgetOf("2026-08", 2, 0, "11"), 422, "/budget/month taken 1"},
		{"of the center again", "POST", list, budgetOf("2026-08", 2, center, "11"), 422, "/budget/month taken 2"},
		{"changed to another's month", "PUT", list + "/3", `{"budget":{"month":"2026-08"}}`, 422,
			"/budget/month taken 1"},
		{"changed to another's center", "PUT", list + "/1",
			fmt.Sprintf(`{"budget":{"classification_center_id":%d}}`, center), 422,
			"/budget/month taken 2"},
		{"the same again", "PUT", list + "/1", budgetOf("2026-08", 2, 0, "12.5"), 200, ""},
		{"a negative amount", "POST", list, budgetOf("2026-10", 2, 0, "-1"), 422, "/budget/amount negative 0"},
		{"a large amount", "POST", list, budgetOf("2026-10", 2, 0, "10000000000000"), 422,
			"/budget/amount too_large_a_number 0"},
		{"no month", "POST", list, budgetOf("2026-13", 2, 0, "1"), 422, "/budget/month not_a_date 0"},
		{"no amount", "PUT", list + "/1", `{"budget":{"amount":null}}`, 422, "/budget/amount blank 0"},
		{"no category", "PUT", list + "/1", `{"budget":{"category_id":null}}`, 422,
			"/budget/category_id blank 0"},
		{"a foreign category", "POST", list, budgetOf("2026-10", theirs, 0, "1"), 422,
			"/budget/category_id not_existing 0"},
		{"a center of another entity", "POST", list, budgetOf("2026-10", 2, elsewhere, "1"), 422,
			"/budget/classification_center_id not_existing 0"},
	} {
		if c.status < 400 {
			s.call(t, c.method, c.path, document(c.sent)).want(t, c.status)
			continue
		}
		p := s.refusal(t, c.method, c.path, document(c.sent))
		if len(p.Errors) != 1 {
			t.Errorf("%s: %v", c.name, p.Errors)
			continue
		}
		if got := fmt.Sprintf("%s %s %d", p.Errors[0].Pointer, p.Errors[0].Code, p.Errors[0].ID); got != c.fault {
			t.Errorf("%s: %s, want %s", c.name, got, c.fault)
		}
	}
	equal(t, s.call(t, "GET", list+"/1").at(t, "budget.amount"), "12.5")
	equal(t, s.call(t, "GET", list+"/3").at(t, "budget.month"), "2026-09")
	for search, want := range map[string]string{
		"": "[1 2 3]", "month=2026-09": "[3]", "month_gte=2026-09": "[3]", "month_lte=2026-08": "[1 2]",
		"category_id=2": "[1 2 3]", "category_id=1": "[]", "category_id=3": "[]",
		"classification_center_id_is_null=true":            "[1 3]",
		fmt.Sprintf("classification_center_id=%d", center): "[2]", "updated_at_gte=2999-01-01": "[]", "ids=3": "[3]",
	} {
		if name, value, sent := strings.Cut(search, "="); sent {
			search = "?search[" + name + "]=" + value
		}
		if got := fmt.Sprint(s.call(t, "GET", list+search).want(t, 200).all(t, "budget.id")); got != want {
			t.Errorf("%s: %s, want %s", search, got, want)
		}
	}
}

// The permission budgets alone allows them, in reading and writing.
func TestBudgetsHaveAPermissionOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := newService(t)
	list := paths.Budgets(s.EntityID)
	allowed, denied := s.member(t, finance.Access{AllEntities: true, Denied: []string{"financial_transactions",
		"payable_accounts", "receivable_accounts", "cash_flows", "bank_slips", "credit_cards"}}),
		s.member(t, finance.Access{AllEntities: true, Denied: []string{"budgets"}})
	budget := budgetOf("2026-08", 2, 0, "10")
	for _, c := range []struct {
		method, path, sent string
		status             int
	}{
		{"POST", list, budget, 201}, {"POST", list + "/batch", `{"items":[` + budget + `]}`, 200},
		{"GET", list, "", 200}, {"GET", list + "/new", "", 200}, {"GET", list + "/1", "", 200},
		{"PUT", list + "/1", budget, 200}, {"DELETE", list + "/1", `{}`, 200},
	} {
		s.call(t, c.method, c.path, document(c.sent), as(denied)).want(t, 403)
		s.call(t, c.method, c.path, document(c.sent), as(allowed)).want(t, c.status)
	}
}

// A batch with on_conflict updates the budgets that exist.
func TestABatchOfBudgetsUpdatesThoseThatExist(t *testing.T) {
	t.Parallel()
	s := newService(t)
	center, list := lastID(s.newCenter(t, s.EntityID, "Loja")), paths.Budgets(s.EntityID)
	send := func(more string, items ...string) answer {
		return s.call(t, "POST", list+"/batch", document(`{`+more+`"items":[`+strings.Join(items, ",")+`]}`))
	}
	first, second := budgetOf("2026-08", 2, 0, "10"), budgetOf("2026-08", 2, center, "20")
	s.newChanges(t)
	equal(t, batchOutcome(t, send("", first, second, first, budgetOf("2026-08", 999999, 0, "1"),
		`{"budget":{"month":"2026-08"}}`).want(t, 200)), "201 1, 201 2, 422 month, 422 category, "+
		"422 amount category; 2 3")
	equal(t, s.newChanges(t), "budgets.created 1, budgets.created 2")
	equal(t, batchOutcome(t, send(`"atomic":true,`, budgetOf("2026-09", 2, 0, "1"), second).want(t, 422)),
		"null, 422 month; 0 1")
	equal(t, batchOutcome(t, send(`"on_conflict":"update",`, budgetOf("2026-08", 2, 0, "11"),
		budgetOf("2026-09", 2, 0, "30"), budgetOf("2026-09", 2, 0, "31"), budgetOf("2026-08", 2, center, "-1"))),
		"200 1, 201 4, 200 4, 422 amount; 3 1")
	equal(t, s.newChanges(t), "budgets.updated 1 changed, budgets.created 4, budgets.updated 4 changed")
	equal(t, fmt.Sprint(s.call(t, "GET", list).all(t, "budget.amount")), "[11.0 20.0 31.0]")
}

// A budget is missing as soon as its category, one above it, or its center is deleted, and the job removes it.
func TestABudgetGoesWithItsCategoryAndItsCenter(t *testing.T) {
	t.Parallel()
	s := newHarness(t)
	center, list := s.newCenter(t, s.EntityID, "Loja"), paths.Budgets(s.EntityID)
	above := s.newCategory(t, `{"name":"Frota"}`)
	below := lastID(s.newCategory(t, fmt.Sprintf(`{"name":"Pneus","parent_id":%d}`, lastID(above))))
	for _, b := range []string{budgetOf("2026-08", 2, 0, "1"), budgetOf("2026-08", 2, lastID(center), "1"),
		budgetOf("2026-08", below, 0, "1"), budgetOf("2026-08", lastID(above), lastID(center), "1")} {
		s.made(t, list, b)
	}
	for _, c := range []struct{ deleted, gone, destroyed string }{
		{center, "2 4", "budgets.destroyed 2+4"}, {above, "3", "budgets.destroyed 3"},
	} {
		s.newChanges(t)
		s.call(t, "DELETE", c.deleted).want(t, 200)
		for _, id := range strings.Fields(c.gone) {
			for _, verb := range []string{"GET", "PUT", "DELETE"} {
				s.call(t, verb, list+"/"+id, document(`{"budget":{"amount":2}}`)).want(t, 404)
			}
		}
		s.work(t)
		if got := s.newChanges(t); !strings.HasSuffix(got, ", "+c.destroyed) {
			t.Errorf("%s: %s", c.deleted, got)
		}
	}
	equal(t, fmt.Sprint(s.call(t, "GET", list).all(t, "budget.id")), "[1]")
	equal(t, query[int](t, s.service, `SELECT count(*) FROM budgets`), 1)
	s.agrees(t)
}

// Of a change and the deletion of the category, the second one waits, and does not find the budget.
func TestABudgetIsNotChangedBesideTheDeletionOfItsCategory(t *testing.T) {
	t.Parallel()
	s := newService(t)
	budget := s.newBudget(t, `"month":"2026-08","category_id":2,"amount":10`)
	waited := make(chan error, 1)
	err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
		if err := tx.RemoveCategory(t.Context(), &finance.Category{AccountID: s.AccountID, ID: 2}); err != nil {
			return err
		}
		go func() {
			waited <- s.store.InTx(t.Context(), func(tx *storage.Tx) error {
				_, err := tx.LockBudget(t.Context(), storage.Scope{AccountID: s.AccountID, EntityID: s.EntityID},
					lastID(budget))
				return err
			})
		}()
		storagetest.AwaitLock(t, s.db, 1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-waited; !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
}

// Of two writes of the budgets of an entity at once, the second one waits and sees what the first one did.
func TestWritesOfBudgetsWaitForEachOther(t *testing.T) {
	t.Parallel()
	type request struct{ method, below, sent string }
	batch := request{"POST", "/batch", `{"on_conflict":"update","items":[` + budgetOf("2026-07", 3, 0, "21") + `,` +
		budgetOf("2026-09", 2, 0, "31") + `,` + budgetOf("2026-08", 2, 0, "11") + `]}`}
	for name, c := range map[string]struct {
		first, second request
		want          string // the statuses, and the budgets in the end
	}{
		"two creations": {request{"POST", "", budgetOf("2026-10", 3, 0, "1")},
			request{"POST", "", budgetOf("2026-10", 3, 0, "2")},
			"201 422: 2026-07 20.00, 2026-08 10.00, 2026-10 1.00"},
		"a batch, and a change to a month that it makes": {batch,
			request{"PUT", "/1", `{"budget":{"month":"2026-09"}}`},
			"200 422: 2026-07 21.00, 2026-08 11.00, 2026-09 31.00"},
		"a batch, and a change of a budget that it updates": {batch,
			request{"PUT", "/1", `{"budget":{"month":"2026-11"}}`},
			"200 200: 2026-07 21.00, 2026-09 31.00, 2026-11 11.00"},
		"a change, and a batch": {request{"PUT", "/2", `{"budget":{"month":"2026-10"}}`}, batch,
			"200 200: 2026-07 21.00, 2026-08 11.00, 2026-09 31.00, 2026-10 20.00"},
		"a deletion, and a batch": {request{"DELETE", "/2", `{}`}, batch,
			"200 200: 2026-07 21.00, 2026-08 11.00, 2026-09 31.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.newBudget(t, `"month":"2026-08","category_id":2,"amount":10`)
			s.newBudget(t, `"month":"2026-07","category_id":3,"amount":20`)
			const deadlocks = `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`
			before := query[int](t, s, deadlocks)
			tx, err := s.db.BeginTx(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback() // does nothing after the first one
			if _, err := tx.ExecContext(t.Context(), `SELECT FROM categories WHERE id = 3 FOR UPDATE`); err != nil {
				t.Fatal(err)
			}
			var statuses [2]chan int
			for i, r := range []request{c.first, c.second} {
				statuses[i] = make(chan int, 1)
				go func() {
					a, err := s.send(t.Context(), r.method, paths.Budgets(s.EntityID)+r.below, document(r.sent))
					if err != nil {
						t.Error(err)
					}
					statuses[i] <- a.status
				}()
				storagetest.AwaitLock(t, s.db, i+1)
			}
			if err := tx.Rollback(); err != nil {
				t.Fatal(err)
			}
			equal(t, fmt.Sprintf("%d %d: %s", <-statuses[0], <-statuses[1], query[string](t, s, `
				SELECT string_agg(to_char(month, 'YYYY-MM ') || amount, ', ' ORDER BY month) FROM budgets`)), c.want)
			equal(t, query[int](t, s, deadlocks), before)
		})
	}
}
