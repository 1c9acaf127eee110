package deliveries

import (
	"strings"
	"testing"

	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/storagetest"

	"github.com/lib/pq"
)

func TestMain(m *testing.M) { storagetest.Main(m) }

// The statistics do not contain the backlog yet: a plan by them would read it all in each batch.
func TestABatchReadsNoBacklog(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s := storagetest.Open(t, url, storage.Options{})
	tenant := storagetest.NewTenant(t, s)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := storagetest.DB(t, url).ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO webhooks (account_id, entity_id, url, format, secret)
		VALUES ($1, $2, 'https://example.com/', 'json', 's')`, tenant.AccountID, tenant.EntityID)
	insert := `INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status)
		SELECT $1, 1, 'sales', 'created', n, $2 FROM generate_series(1, $3) n`
	exec(insert, tenant.AccountID, "delivered", 2000)
	exec(`ANALYZE deliveries`)
	exec(insert, tenant.AccountID, "pending", 20000)
	for _, n := range []int{4, 16} { // with a reused plan and with one of its own
		ids := make([]int64, n)
		for i := range ids {
			ids[i] = int64(2001 + i)
		}
		for _, plan := range roundPlans(t, s, tenant.AccountID, ids) {
			if strings.Contains(plan, "deliveries_due") || !strings.Contains(plan, "deliveries_pkey") {
				t.Errorf("deliveries are not found by their keys:\n%s", plan)
			}
		}
	}
}

// roundPlans returns the plans of the statements that open and close the attempts of the
// deliveries.
func roundPlans(t *testing.T, s *storage.Store, account int64, deliveries pq.Int64Array) (plans []string) {
	t.Helper()
	n := len(deliveries)
	accounts, numbers, texts := make(pq.Int64Array, n), make(pq.Int64Array, n), make(pq.StringArray, n)
	for i := range n {
		accounts[i], numbers[i] = account, 1
	}
	for _, x := range []struct {
		statement db.Sized
		args      []any
	}{
		{openAttemptsBySize, openAttempts.Args(db.Args{
			"accounts": accounts, "ids": deliveries, "bodies": make(pq.ByteaArray, n), "requests": texts,
		})},
		{closeAttemptsBySize, []any{accounts, deliveries, numbers, numbers, make(pq.BoolArray, n), texts, texts,
			make(pq.Float64Array, n), make(pq.Float64Array, n), numbers}},
	} {
		err := s.InTx(t.Context(), func(tx *storage.Tx) error {
			lines, err := db.Many[string](t.Context(), tx.DB, `EXPLAIN (COSTS OFF) `+x.statement.Of(n), x.args...)
			plans = append(plans, strings.Join(lines, "\n"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return plans
}
