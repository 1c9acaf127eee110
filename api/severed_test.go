package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// severed returns a service, and the number of its statements until its connections to the database are closed, in
// place of the last of them: PostgreSQL then rolls back, as when the process is killed there.
func severed(t *testing.T) (*service, *atomic.Int64) {
	t.Helper()
	direct := storagetest.DatabaseURL(t)
	w, cabled := newCable(t, direct)
	left := &atomic.Int64{}
	tapped := tap(t, cabled, func(kind byte, body []byte) {
		counts := kind == 'E' || kind == 'Q' && !bytes.HasPrefix(body, []byte("DISCARD"))
		if counts && left.Add(-1) == 0 {
			w.set(true, false)
			w.set(false, false)
		}
	}, func(byte, []byte) {})
	s := serve(t, storagetest.Open(t, tapped, storage.Options{}))
	s.db = storagetest.DB(t, direct)
	s.Tenant = storagetest.NewTenant(t, s.store)
	return s, left
}

// The items of a batch are stored once each, whichever statement was the last before a crash: the client sends the
// batch again with its key.
func TestABatchThatWasKilledIsDoneOnce(t *testing.T) {
	t.Parallel()
	s, left := severed(t)
	bank := s.newDepositAccount(t)
	open := func(n int64) int64 {
		return lastID(s.newAccount(t, finance.Payable, fmt.Sprintf(`"due_date":"2026-03-04","amount":1,"document":"%d"`,
			n)))
	}
	moved := func() int64 { return lastID(s.newTransaction(t, bank, finance.Debit, "1", "2026-03-04")) }
	// items returns two items that are marked with the number; done counts what they made, with the mark in front.
	for _, c := range []struct {
		path  string
		items func(n int64) string
		done  string
		want  string
	}{
		{"/people/batch", func(n int64) string {
			return fmt.Sprintf(`{"person":{"name":"A","external_id":"%d a"}},`+
				`{"person":{"name":"B","external_id":"%[1]d b"}}`, n)
		}, `SELECT count(*) || ' ' || count(DISTINCT external_id) FROM people WHERE external_id LIKE $1 || ' %'`,
			"2 2"},
		{payables + "/batch", func(n int64) string {
			return fmt.Sprintf(`{"payable_account":{"due_date":"2026-03-04","amount":1,"description":"%d a"}},`+
				`{"payable_account":{"due_date":"2026-03-04","amount":1,"description":"%[1]d b",`+
				`"create_as_parcelled":"monthly","number_of_parcels":2}}`, n)
		}, `SELECT count(*) || ' ' || count(DISTINCT description) FROM financial_accounts
			WHERE description LIKE $1 || ' %'`, "3 2"},
		{payables + "/pay_many", func(n int64) string {
			return fmt.Sprintf(`{"id":%d,"occurred_at":"2026-03-05"},{"id":%d,"occurred_at":"2026-03-05"}`, open(n),
				open(n))
		}, `SELECT string_agg(status::text, ' ') FROM financial_accounts WHERE document = $1`, "2 2"},
		{"/entities/1/reconciles/batch", func(n int64) string {
			item := func() string {
				return fmt.Sprintf(`{"reconcile":{"selected_financial_account_ids":[%d],`+
					`"selected_financial_transaction_ids":[%d],"settle_open":true}}`, open(1000+n), moved())
			}
			return item() + "," + item()
		}, `SELECT string_agg(status::text, ' ') FROM financial_accounts WHERE document = ($1::int + 1000)::text`,
			"3 3"},
	} {
		killed, ended := 0, true
		for n := int64(1); ended; n++ {
			body, again := document(`{"items":[`+c.items(n)+`]}`), key(fmt.Sprint(c.path, n))
			left.Store(n)
			a := s.call(t, "POST", c.path, body, again)
			ended = left.Swap(0) <= 0
			if a.status == http.StatusServiceUnavailable {
				killed++
			}
			// PostgreSQL may not have noticed yet: then the key is still busy.
			for a.status == http.StatusServiceUnavailable || a.status == http.StatusConflict {
				a = s.call(t, "POST", c.path, body, again)
			}
			a.want(t, 200)
			equal(t, query[string](t, s, c.done, fmt.Sprint(n)), c.want)
		}
		if killed < 5 {
			t.Errorf("%s was killed before %d statements", c.path, killed)
		}
		t.Logf("%s: killed before %d statements", c.path, killed)
	}
	s.agrees(t)
}
