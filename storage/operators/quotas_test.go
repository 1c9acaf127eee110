package operators_test

import (
	"reflect"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/operators"
	"bordero/storage/storagetest"
)

// The quotas that accounts nearly use are listed by what is left of them, by default or as an operator has set them.
func TestNearQuotas(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	s := database.Store
	files, rows := storagetest.NewTenant(t, s).AccountID, storagetest.NewTenant(t, s).AccountID
	near := func(want ...operators.UsedQuota) {
		t.Helper()
		got, err := operators.NearQuotas(t.Context(), s.Queries, 10)
		for i := range got {
			got[i].Name = ""
		}
		if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	use := func(account, bytes, items int64) {
		t.Helper()
		_, err := database.Owner.ExecContext(t.Context(), `INSERT INTO account_usage (account_id, file_bytes,
			statement_rows) VALUES ($1, $2, $3)`, account, bytes, items)
		if err != nil {
			t.Fatal(err)
		}
	}
	set := func(account int64, q finance.Quota, most int64) {
		t.Helper()
		err := s.InTx(t.Context(), func(tx *storage.Tx) error {
			return tx.PutQuotas(t.Context(), account, map[finance.Quota]*int64{q: &most})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	use(files, 500, 0)
	use(files, 299, 0)
	use(rows, 0, finance.DefaultQuotas[finance.StatementRows]*9/10)
	set(files, finance.FileBytes, 1000)
	nine := operators.UsedQuota{AccountID: rows, Quota: "statement_rows", Limit: 20_000_000, Used: 18_000_000}
	near(nine)
	use(files, 1, 0)
	near(nine, operators.UsedQuota{AccountID: files, Quota: "file_bytes", Limit: 1000, Used: 800})
	set(files, finance.FileBytes, 0)
	near(operators.UsedQuota{AccountID: files, Quota: "file_bytes", Used: 800}, nine)
	use(files, -800, 0)
	near(nine)

	// Webhooks of an entity that is being deleted do not count.
	set(rows, finance.Webhooks, 2)
	_, err := database.Owner.ExecContext(t.Context(), `WITH old AS (
			INSERT INTO entities (account_id, name, deleted_at) VALUES ($1, 'old', now()) RETURNING id)
		INSERT INTO webhooks (account_id, entity_id, url, format, secret)
		SELECT $1, id, 'https://example.com', 'json', 's' FROM (SELECT id FROM old
			UNION ALL (SELECT id FROM entities WHERE account_id = $1 LIMIT 1)) e, generate_series(1, 2)`, rows)
	if err != nil {
		t.Fatal(err)
	}
	hooks := operators.UsedQuota{AccountID: rows, Quota: "webhooks", Limit: 2, Used: 2}
	near(hooks, nine)

	// Of two imports, one waits for its next attempt.
	set(files, finance.RunningImports, 1)
	_, err = database.Owner.ExecContext(t.Context(), `INSERT INTO jobs (kind, queue, account_id, running, leased_until)
		VALUES ('import_statement', 'statements', $1, true, now()), ('import_statement', 'statements', $1, true, NULL)`,
		files)
	if err != nil {
		t.Fatal(err)
	}
	near(operators.UsedQuota{AccountID: files, Quota: "running_imports", Limit: 1, Used: 1}, hooks, nine)
	if of, err := s.Quotas(t.Context(), files); err != nil || of.Used[finance.RunningImports] != 1 {
		t.Errorf("%+v %v", of.Used, err)
	}
}
