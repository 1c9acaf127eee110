package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bordero/internal/db"
)

// referring are the tables of records with a category, a person and a center; budgets have no person. A test compares
// them with the schema.
var referring = []string{"sale_accounts", "credit_cards", "sales", "credit_card_transactions", "financial_accounts",
	"financial_transactions",
	"reconciliation_rules", "budgets"}

// centerLists are the tables of referring with lists of centers, and the column of the list that
// refers to the record.
var centerLists = map[string]Classified{"sale_accounts": saleAccount, "sales": sale,
	"financial_accounts": financialAccount}

// countUses are the statements that count, for the account $1, the records that refer to each
// record of the column's table: all of them, and the remaining ones if a parent is hidden, which no
// index has. Rows that are being changed are left to the next time.
var countUses = map[bool][]string{false: countUsesBy(false), true: countUsesBy(true)}

func countUsesBy(hidden bool) []string {
	return []string{
		countUsesOf("categories", "category_id", hidden), countUsesOf("people", "person_id", hidden),
		countUsesOf("classification_centers", "classification_center_id", hidden),
	}
}

func countUsesOf(used, column string, hidden bool) string {
	var records []string
	for _, table := range referring {
		if table == "budgets" && column == "person_id" {
			continue
		}
		of := fmt.Sprintf(`SELECT %[1]s AS used, id FROM %[2]s WHERE account_id = $1 AND %[1]s IS NOT NULL`, column,
			table)
		if o, has := centerLists[table]; has && column == "classification_center_id" {
			// UNION would sort all records, also those without a list.
			of += fmt.Sprintf(` UNION ALL SELECT DISTINCT l.%[1]s, l.%[2]s_id FROM %[2]s_center_classifications l
				WHERE l.account_id = $1 AND NOT EXISTS (
					SELECT FROM %[3]s o WHERE o.account_id = $1 AND o.id = l.%[2]s_id AND o.%[1]s = l.%[1]s)`,
				column, o, table)
		}
		of = `(` + of + `) u`
		if hidden {
			of += ` JOIN ` + table + ` r ON r.account_id = $1 AND r.id = u.id WHERE ` + OwnerVisible(table, "r")
		}
		records = append(records, `SELECT used, count(*) AS count FROM `+of+` GROUP BY used`)
	}
	return fmt.Sprintf(`
		UPDATE %[1]s SET use_count = n.count
		FROM (
			SELECT k.id, coalesce(u.count, 0) AS count
			FROM %[1]s k LEFT JOIN (SELECT used, sum(count) AS count FROM (%[2]s) t GROUP BY used) u ON u.used = k.id
			WHERE k.account_id = $1 AND k.use_count <> coalesce(u.count, 0)
				ORDER BY k.id FOR NO KEY UPDATE OF k SKIP LOCKED) n
		WHERE %[1]s.account_id = $1 AND %[1]s.id = n.id`, used, strings.Join(records, " UNION ALL "))
}

// CountUses counts, in every account, the records that refer to each of its categories,
// people and centers, and returns the number of changed counts. It emits no event and
// is no change of the record: updated_at stays. Two calls may run at once. An error in one account
// does not stop the others from being counted.
func (s *Store) CountUses(ctx context.Context) (changed int64, err error) {
	accounts, err := db.Many[int64](ctx, s.DB, `SELECT id FROM accounts ORDER BY id`)
	if err != nil {
		return 0, fmt.Errorf("accounts to count uses of: %w", err)
	}
	var failed error
	for _, account := range accounts {
		hidden, err := Queries{s.DB}.anyHidden(ctx, account)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("count uses of account %d: %w", account, err))
			continue
		}
		for _, statement := range countUses[hidden] {
			n, err := db.Exec(ctx, s.DB, statement, account)
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("count uses of account %d: %w", account, err))
				break
			}
			changed += n
		}
	}
	return changed, failed
}
