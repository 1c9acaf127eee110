package storage_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/storagetest"
	"bordero/storage/verify"
)

// What an account keeps follows its statements and attachments, whatever changes or removes them, and so does the sum
// that the scheduler makes.
func TestUsageFollowsFilesAndItems(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	s, db := database.Store, database.Owner
	tenant, other := storagetest.NewTenant(t, s), storagetest.NewTenant(t, s)
	exec := func(query string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	used := func(bytes, items int64) {
		t.Helper()
		for range 2 { // before the sum and after it
			u, err := s.Usage(t.Context(), tenant.AccountID)
			if err != nil || u != (finance.Usage{FileBytes: bytes, StatementRows: items}) {
				t.Errorf("%+v, %v, want %d bytes and %d items", u, err, bytes, items)
			}
			found, err := verify.Run(t.Context(), s, func(string) {})
			for _, d := range found {
				if err != nil || d.Check == "usage of accounts" {
					t.Errorf("%+v, %v", d, err)
				}
			}
			if _, err := s.SumUsage(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		var more int
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) - count(DISTINCT account_id) FROM account_usage`).
			Scan(&more); err != nil || more != 0 {
			t.Errorf("%d rows too many remain, %v", more, err)
		}
	}
	for _, of := range []storagetest.Tenant{tenant, other} {
		if err := storagetest.Contents(t.Context(), db, of.AccountID, of.EntityID, 10); err != nil {
			t.Fatal(err)
		}
	}
	used(3, 31) // a statement of 21 items, a preview of 10 and an attachment, of 1 byte each
	exec(`UPDATE bank_statements SET items_count = NULL WHERE event_status = 'success'`)
	used(3, 20) // of an earlier release: the 10 that it imported
	exec(`UPDATE bank_statements SET items_count = 25, file_file_size = 7 WHERE event_status = 'success'`)
	used(9, 35)
	exec(`DELETE FROM previewed_items; DELETE FROM bank_statements WHERE preview_until IS NOT NULL`)
	used(8, 25)
	exec(`DELETE FROM attachments`)
	used(7, 25)
	exec(`DELETE FROM account_usage WHERE account_id = (SELECT min(account_id) FROM account_usage)`)
	migrate := func() {
		t.Helper()
		migration, err := os.ReadFile("../migrations/00091_quotas.sql")
		if err != nil {
			t.Fatal(err)
		}
		_, before, _ := strings.Cut(string(migration), "RESET lock_timeout;")
		exec(before)
	}
	migrate()
	migrate()
	used(7, 25)
}

func TestQuotasOfAnAccount(t *testing.T) {
	t.Parallel()
	s := storagetest.Borrow(t).Store
	tenant, other := storagetest.NewTenant(t, s), storagetest.NewTenant(t, s)
	put := func(account int64, set map[finance.Quota]*int64) error {
		return s.InTx(t.Context(), func(tx *storage.Tx) error { return tx.PutQuotas(t.Context(), account, set) })
	}
	read := func(account int64) finance.Quotas {
		t.Helper()
		q, err := s.Quotas(t.Context(), account)
		if err != nil {
			t.Fatal(err)
		}
		return q.Quotas
	}
	most, none := int64(7), int64(0)
	want := finance.DefaultQuotas
	if got := read(tenant.AccountID); got != want {
		t.Errorf("%v", got)
	}
	for _, q := range finance.AllQuotas() {
		if err := put(tenant.AccountID, map[finance.Quota]*int64{q: &most}); err != nil {
			t.Fatal(err)
		}
		want[q] = most
		if err := put(tenant.AccountID, map[finance.Quota]*int64{q: &none}); (err == nil) != (q.Least() == 0) {
			t.Errorf("%s of 0: %v", q, err)
		} else if err == nil {
			want[q] = none
		}
		if got := read(tenant.AccountID); got != want {
			t.Errorf("after %s: %v", q, got)
		}
	}
	if err := put(tenant.AccountID, map[finance.Quota]*int64{finance.Webhooks: nil}); err != nil {
		t.Fatal(err)
	}
	want[finance.Webhooks] = finance.DefaultQuotas[finance.Webhooks]
	if got := read(tenant.AccountID); got != want || read(other.AccountID) != finance.DefaultQuotas {
		t.Errorf("%v", got)
	}
	if err := put(999, nil); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("quotas of no account: %v", err)
	}
	all, err := s.AllQuotas(t.Context())
	if err != nil || len(all) != 2 || all[0].Quotas != want || !all[0].Set[finance.FileBytes] ||
		all[0].Set[finance.Webhooks] || all[1].Set[finance.FileBytes] {
		t.Errorf("%+v, %v", all, err)
	}
}

// What a setting changes is one event of the account; a setting that changes nothing is none.
func TestChangedQuotasAreAnEvent(t *testing.T) {
	t.Parallel()
	b := storagetest.Borrow(t)
	tenant := storagetest.NewTenant(t, b.Store)
	seven, usual := int64(7), finance.DefaultQuotas[finance.Webhooks]
	for _, c := range []struct {
		set  map[finance.Quota]*int64
		want string
	}{
		{map[finance.Quota]*int64{finance.Webhooks: &seven, finance.Exports: &seven},
			`{"exports":[100,7],"webhooks":[64,7]}`},
		{map[finance.Quota]*int64{finance.Webhooks: &seven}, ""},
		{map[finance.Quota]*int64{finance.Webhooks: nil, finance.Exports: &seven}, `{"webhooks":[7,64]}`},
		{map[finance.Quota]*int64{finance.Webhooks: &usual, finance.FileBytes: nil}, ""},
	} {
		if _, err := b.Owner.ExecContext(t.Context(), `DELETE FROM unsealed_changes`); err != nil {
			t.Fatal(err)
		}
		if err := b.Store.InTx(t.Context(), func(tx *storage.Tx) error {
			return tx.PutQuotas(t.Context(), tenant.AccountID, c.set)
		}); err != nil {
			t.Fatal(err)
		}
		var got, want string
		if err := b.Owner.QueryRowContext(t.Context(), `
			SELECT coalesce(string_agg(
				concat_ws(' ', account_id, family, action, entity_id, record_ids, attributes), ';'), '')
			FROM unsealed_changes`).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if c.want != "" {
			want = fmt.Sprintf("%d settings updated {%[1]d} %s", tenant.AccountID, c.want)
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
