package reports

import (
	"strings"
	"testing"

	"bordero/storage"
	"bordero/storage/storagetest"
)

func TestMain(m *testing.M) { storagetest.Main(m) }

// While a deposit account is being deleted, as many reconciles may have hidden transactions as not. They are looked
// up in a hash table, even if the planner expects it to exceed work_mem: to compare each with each would take
// minutes.
func TestHiddenReconcilesAreHashed(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	storagetest.NewTenant(t, storagetest.Open(t, url, storage.Options{}))
	p := storagetest.NewPlans(t, url, `SET session_replication_role = replica`, `SET work_mem = '64kB'`,
		`INSERT INTO deposit_accounts (account_id, entity_id, name, deposit_account_type_id, currency_id, deleted_at)
			SELECT account_id, id, 'Banco', 1, 1, now() FROM entities`,
		`INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id,
				reconcile_id)
			SELECT account_id, id, 1, '2026-01-05', 1, n FROM deposit_accounts, generate_series(1, 10000) n`,
		`ANALYZE`, `PREPARE whole AS `+paidWhole.SQL, `PREPARE in_parts AS `+paidInParts.SQL)
	for execute, months := range map[string]int{
		`whole (1, '{1}', '2026-01-01', '2026-12-01')`:                         3,
		`in_parts (1, '{1}', '2026-01-01', '2026-12-31', false, '2026-12-01')`: 1,
	} {
		if plan := p.Of(execute); strings.Count(plan, "NOT (hashed SubPlan") != months {
			t.Errorf("not each of %d conditions is hashed:\n%s", months, plan)
		}
	}
}
