package deliveries

import (
	"strings"
	"testing"
	"time"

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
		plan := roundPlan(t, s, tenant.AccountID, n)
		for _, changes := range []string{"closed_deliveries", "opened"} {
			_, of, _ := strings.Cut(plan, "CTE "+changes+"\n")
			of, _, _ = strings.Cut(of, "\n  CTE ")
			if strings.Contains(of, "deliveries_due") || !strings.Contains(of, "deliveries_pkey") {
				t.Errorf("%d: %s does not find deliveries by their keys:\n%s", n, changes, of)
			}
		}
		if _, due, _ := strings.Cut(plan, "CTE due\n"); !strings.Contains(due, "Index Scan using deliveries_due") {
			t.Errorf("%d: the due deliveries are not the first of their index:\n%s", n, plan)
		} else if cond, _, _ := strings.Cut(due, "Filter: CASE"); !strings.Contains(cond, "AND (next_at > (") {
			t.Errorf("%d: the round reads the index from its beginning, not from Turn.Since:\n%s", n, due)
		}
	}
}

// roundPlan returns the plan of a round of one turn that closes n attempts.
func roundPlan(t *testing.T, s *storage.Store, account int64, n int) string {
	t.Helper()
	r := NewRounds(s, 16)
	ended := make([]Attempt, n)
	for i := range ended {
		ended[i] = Attempt{AccountID: account, DeliveryID: int64(2001 + i), Number: 1, Allowed: 5}
	}
	one := pq.Int64Array{1}
	lines, err := db.Many[string](t.Context(), s.DB, `EXPLAIN (COSTS OFF) `+r.sized.Of(n),
		r.round.Args(endedArgs(ended, make(pq.Int64Array, n)), db.Args{"jobs": one, "fences": one,
			"subscribers": pq.Int64Array{account}, "webhooks": one, "since": pq.Array(make([]time.Time, 1)),
			"families": knownFamilies, "rooms": pq.Int64Array{16}, "posting": pq.Int64Array{},
			"posting_of": pq.Int64Array{}})...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
