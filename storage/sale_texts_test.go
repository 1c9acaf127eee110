package storage_test

import (
	"os"
	"regexp"
	"testing"

	"bordero/internal/tier"
	"bordero/storage/storagetest"
)

// The texts that are searched are those of the sales, whichever statement changed them.
func TestTextsFollowTheirSales(t *testing.T) {
	t.Parallel()
	i := verified(t)
	i.exec(t, twoSales)
	for _, step := range []struct{ change, want string }{
		{`SELECT 1`, "pao | "},
		{`UPDATE sales SET observation = 'À VISTA' WHERE id = 2`, "pao |  |  | a vista"},
		{`UPDATE sales SET description = 'Bolo', observation = NULL`, "bolo |  | bolo | "},
		{`UPDATE sales SET description = NULL WHERE id = 1`, " |  | bolo | "},
		{`DELETE FROM sales WHERE id = 2`, " | "},
		{`DELETE FROM sales`, ""},
	} {
		i.exec(t, step.change)
		var got string
		err := i.owner.QueryRow(`SELECT coalesce(string_agg(concat(description, ' | ', observation),
			' | ' ORDER BY sale_id), '') FROM sale_texts`).Scan(&got)
		if err != nil || got != step.want {
			t.Errorf("%s: %q, %v, want %q", step.change, got, err, step.want)
		}
		storagetest.Agrees(t, i.Store)
	}
}

// twoSales are one with a description and one without a text.
const twoSales = `
	INSERT INTO sale_accounts (account_id, entity_id, name, provider, payment_methods) VALUES (1, 1, 'c', 'cielo',
		'credit');
	INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month,
		description, nominal_amount, total_amount, awaiting_pricing)
		VALUES (1, 1, 1, 'credit', '2026-01-01', '2026-01-01', 'Pão', 1, 1, false),
			(1, 1, 1, 'credit', '2026-01-01', '2026-01-01', NULL, 1, 1, false)`

// A migration writes the texts of the sales that were there before, in several
// transactions, may be run again, and leaves newer texts alone.
func TestTextsOfOldSalesAreWritten(t *testing.T) {
	tier.NeedsLong(t, "a migration that every installation has")
	t.Parallel()
	i := verified(t)
	storagetest.NewTenant(t, i.Store)
	i.exec(t, twoSales+`;
		INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month,
			description, nominal_amount, total_amount, awaiting_pricing)
			SELECT 1, 1, 1, 'credit', '2026-01-01', '2026-01-01', 'Pão ' || n, 1, 1, false
				FROM generate_series(3, 20002) n;
		INSERT INTO sale_accounts (account_id, entity_id, name, provider, payment_methods) VALUES (2, 2, 'c', 'cielo',
			'credit');
		INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month,
			observation, nominal_amount, total_amount, awaiting_pricing)
			SELECT 2, 2, 2, 'credit', '2026-01-01', '2026-01-01', 'Pão ' || n, 1, 1, false
				FROM generate_series(1, 10) n;
		DELETE FROM sale_texts WHERE sale_id <> 5`)
	migration, err := os.ReadFile("../migrations/00038_sale_texts_of_old.sql")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile(`(?s)DO \$\$.*\$\$;`).Find(migration)
	for range 2 {
		i.exec(t, string(block))
		storagetest.Agrees(t, i.Store)
	}
}
