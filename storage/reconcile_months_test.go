package storage_test

import (
	"os"
	"regexp"
	"testing"

	"bordero/storage/storagetest"
)

// A migration fills the months of the reconciles of earlier releases, leaves reconciles of several months without one,
// and may be run again.
func TestMonthsOfOldReconcilesAreFilled(t *testing.T) {
	t.Parallel()
	i := verified(t)
	storagetest.NewTenant(t, i.Store)
	i.exec(t, `UPDATE reconciles SET month = NULL;
		INSERT INTO reconciles (account_id, entity_id, kind) VALUES (1, 1, 'payable');
		UPDATE financial_transactions SET reconcile_id = 2 WHERE id IN (9, 10);
		UPDATE financial_transactions SET occurred_at = '2026-02-28' WHERE id = 10`)
	migration, err := os.ReadFile("../migrations/00081_months_of_reconciles.sql")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile(`(?s)DO \$\$.*END \$\$;`).Find(migration)
	for range 2 {
		i.exec(t, string(block))
		var months string
		err := i.DB.QueryRowxContext(t.Context(), `SELECT string_agg(coalesce(month::text, 'several'), ' ' ORDER BY id)
			FROM reconciles`).Scan(&months)
		if err != nil || months != "2026-03-01 several" {
			t.Errorf("%s, error %v", months, err)
		}
	}
}
