package api_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// severed returns a service whose sessions with the database end before the statement that a countdown reaches.
func severed(t *testing.T) (s *service, left *atomic.Int64) {
	t.Helper()
	direct := storagetest.DatabaseURL(t)
	owner := storagetest.DB(t, direct+"&application_name=owner")
	left = &atomic.Int64{}
	tapped := tap(t, direct, func(kind byte, body []byte) {
		statement := kind == 'E' || kind == 'Q' && !bytes.HasPrefix(body, []byte("DISCARD"))
		if statement && left.Add(-1) == 0 {
			// The test may be over once its countdown has reached a statement in the background.
			_, _ = owner.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND application_name <> 'owner'`)
		}
	}, func(byte, []byte) {})
	s = serve(t, storagetest.Open(t, tapped, storage.Options{}))
	s.db = owner
	s.Tenant = storagetest.NewTenant(t, s.store)
	return s, left
}

// A batch whose session ends before any of its statements, and that is sent again with its key, has each item once.
func TestABatchThatIsCutOffAndSentAgainHasEachItemOnce(t *testing.T) {
	t.Parallel()
	s, left := severed(t)
	below, saleAccount := s.newDepositAccount(t), lastID(s.newSaleAccount(t, `"payment_methods":"pix"`))
	bills := func(n int) (ids []int64) {
		for range 3 {
			ids = append(ids, lastID(s.newAccount(t, finance.Payable, fmt.Sprintf(
				`"due_date":"2026-03-04","amount":2,"description":"bill %d"`, n))))
		}
		return ids
	}
	three := func(item func(i int) string) string {
		return `{"items":[` + item(1) + "," + item(2) + "," + item(3) + `]}`
	}
	for _, b := range []struct {
		path  string
		body  func(n int) string
		count string // of the n-th batch's items
	}{
		{"/people/batch", func(n int) string {
			return three(func(i int) string {
				return fmt.Sprintf(`{"person":{"name":"P%d","external_id":"%[1]d-%d"}}`, n, i)
			})
		}, `SELECT count(*) FROM people WHERE name = 'P%d'`},
		{below + "/financial_transactions/batch", func(n int) string {
			return three(func(int) string {
				return fmt.Sprintf(`{"financial_transaction":{"type":"Debit","amount":1,"occurred_at":"2026-03-04",`+
					`"user_description":"T%d"}}`, n)
			})
		}, `SELECT count(*) FROM financial_transactions WHERE user_description = 'T%d'`},
		{paths.Entity(s.EntityID) + "/sales/batch", func(n int) string {
			return three(func(int) string {
				return fmt.Sprintf(`{"sale":{"sale_account_id":%d,"payment_method":"pix","nominal_amount":1,`+
					`"occurred_at":"2026-03-04","document":"S%d"}}`, saleAccount, n)
			})
		}, `SELECT count(*) FROM sales WHERE document = 'S%d'`},
		{paths.FinancialAccounts(s.EntityID, "payable") + "/pay_many", func(n int) string {
			ids := bills(n)
			return three(func(i int) string { return fmt.Sprintf(`{"id":%d,"occurred_at":"2026-03-05"}`, ids[i-1]) })
		}, `SELECT count(*) FROM financial_accounts WHERE description = 'bill %d' AND status = 2 AND total_amount = 2`},
	} {
		s.call(t, "POST", b.path, document(b.body(0))).want(t, 200) // prepares the statements
		cut, reached := 0, true
		for n := 1; reached; n++ {
			body, named := b.body(n), key(fmt.Sprint(b.path, n))
			left.Store(int64(n))
			status := s.call(t, "POST", b.path, document(body), named).status
			reached = left.Swap(0) <= 0
			switch status {
			case 503:
				cut++
			case 200: // the session was cut off where the statement can be sent again
			default:
				t.Fatalf("%s cut off before statement %d: %d", b.path, n, status)
			}
			var again answer
			for again = s.call(t, "POST", b.path, document(body), named); again.status == 503; {
				again = s.call(t, "POST", b.path, document(body), named)
			}
			if !strings.HasSuffix(batchOutcome(t, again.want(t, 200)), "; 3 0") {
				t.Errorf("%s cut off before statement %d: %s", b.path, n, again.body)
			}
			if got := query[int](t, s, fmt.Sprintf(b.count, n)); got != 3 {
				t.Errorf("%s cut off before statement %d: %d records", b.path, n, got)
			}
			s.call(t, "POST", b.path, document(`{"items":[]}`), named).want(t, 409) // the key is of the other body
		}
		if cut < 6 {
			t.Errorf("%s was cut off before %d statements", b.path, cut)
		}
	}
	s.agrees(t)
}

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
