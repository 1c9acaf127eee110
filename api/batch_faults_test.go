package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
)

// Two batches with the same external ids, in opposite orders, at once: each record is made once, and the loser is
// refused, or updates it.
func TestBatchesThatShareExternalIDsMakeEachRecordOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const items = 40
	for n, c := range []struct {
		more string
		want map[string]int // statuses of both
	}{
		{"", map[string]int{"201": items, "422": items}},
		{`"on_conflict":"update",`, map[string]int{"201": items, "200": items}},
	} {
		batch := func(from, step int) string {
			var all []string
			for i := range items {
				all = append(all, fmt.Sprintf(`{"person":{"name":"P","external_id":"%d-%d"}}`, n, from+step*i))
			}
			return `{` + c.more + `"items":[` + strings.Join(all, ",") + `]}`
		}
		answers := make(chan answer, 2)
		for _, body := range []string{batch(0, 1), batch(items-1, -1)} {
			go func() {
				a, err := s.send(t.Context(), "POST", "/people/batch", document(body))
				if err != nil {
					a.body = err.Error()
				}
				answers <- a
			}()
		}
		got := map[string]int{}
		for range 2 {
			outcome, _, _ := strings.Cut(batchOutcome(t, (<-answers).want(t, 200)), ";")
			for _, one := range strings.Split(outcome, ", ") {
				got[one[:3]]++
			}
		}
		equal(t, fmt.Sprint(got), fmt.Sprint(c.want))
		equal(t, query[string](t, s, fmt.Sprintf(`SELECT count(*) || ' ' || count(DISTINCT external_id) FROM people
			WHERE external_id LIKE '%d-%%'`, n)), fmt.Sprint(items, items))
	}
}

// 499 good items and a bad one: the good ones are made, or with atomic nothing is.
func TestABadItemAmongMany(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var all []string
	for i := range 500 {
		name := "P"
		if i == 250 {
			name = ""
		}
		all = append(all, fmt.Sprintf(`{"person":{"name":%q}}`, name))
	}
	items := `"items":[` + strings.Join(all, ",") + `]}`
	for _, c := range []struct {
		more         string
		status, made int
	}{{`{"atomic":true,`, 422, 0}, {`{`, 200, 499}} {
		s.call(t, "POST", "/people/batch", document(c.more+items)).want(t, c.status)
		equal(t, query[int](t, s, `SELECT count(*) FROM people`), c.made)
	}
}

// Four mebibytes of nested lists are refused at once, whatever they are nested in.
func TestNestedBatchesAreRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	deep := strings.Repeat("[", 2<<20-100) + strings.Repeat("]", 2<<20-100)
	for _, body := range []string{deep, `{"items":` + deep + `}`, `{"items":[{"person":{"name":` + deep + `}}]}`} {
		s.call(t, "POST", "/people/batch", document(body)).want(t, 400)
	}
	wide := strings.TrimSuffix(strings.Repeat("[[[[[[]]]]]],", 300_000), ",")
	for _, body := range []string{`{"items":[` + wide + `]}`, `{"items":[{"person":{"name":[` + wide + `]}}]}`} {
		if status := s.call(t, "POST", "/people/batch", document(body)).status; status != 400 && status != 422 {
			t.Errorf("status %d", status)
		}
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM people`), 0)
}

// A batch of reconciliations takes the external ids of all its new accounts at first, in one order: of two batches with
// the same ids in another order, one waits for the other.
func TestABatchOfReconciliationsTakesExternalIDsInOrder(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bank := s.newDepositAccount(t)
	var items []string
	const keys = `(SELECT id, hashtextextended(concat_ws(' ', 'external id', 'payable_accounts', 1, 1, id), 0) AS key
		FROM unnest(ARRAY['A', 'B']) id) k`
	for _, id := range strings.Fields(query[string](t, s, `SELECT string_agg(id, ' ' ORDER BY key DESC) FROM `+keys)) {
		paid := lastID(s.newTransaction(t, bank, finance.Debit, "7", "2026-03-04"))
		items = append(items, fmt.Sprintf(`{"reconcile":{"selected_financial_transaction_ids":[%d],"new_accounts":[`+
			`{"amount":7,"external_id":%q}]}}`, paid, id))
	}
	a := s.meanwhile(t, `SELECT pg_advisory_xact_lock(min(key)) FROM `+keys,
		`SELECT 1 / CAST(pg_try_advisory_xact_lock(max(key)) AS int) FROM `+keys,
		func(ctx context.Context) (answer, error) {
			return s.send(ctx, "POST", "/entities/1/reconciles/batch", document(`{"items":[`+strings.Join(items, ",")+
				`]}`))
		})
	equal(t, a.want(t, 200).at(t, "results.0.status")+" "+a.at(t, "results.1.status"), "200 200")
}
