package cascade

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
)

// unset returns the steps that clear a column in all tables that have it. Tables from which it
// is copied to new records come first.
//
// After unmatch, a client may turn a rule that names the record into one that matches by it. Such a rule is not
// cleared: it refers to the record, so the cascade ends with ErrReferred, begins again and removes it.
func unset(column string) []step {
	return slices.Concat([]step{unmatch(column)},
		clearing(column, "sale_accounts", "credit_cards", "sales", "credit_card_transactions", "financial_accounts",
			"financial_transactions"),
		[]step{clearColumn("reconciliation_rules", column, column+ofRecord+` AND NOT match`)})
}

// ofRecord is the condition of a column that refers to the record that goes, or to one below it.
const ofRecord = ` = ANY(@ids::bigint[])`

// unmatch returns the step that removes the reconciliation rules that match accounts by a column:
// with the column cleared they would match other accounts. No rule matches by a center.
func unmatch(column string) step {
	condition := `match AND ` + column + ofRecord
	return step{
		name:     "reconciliation_rules",
		estimate: `SELECT count(*) FROM reconciliation_rules WHERE account_id = @account AND ` + condition,
		runChunk: func(ctx context.Context, tx *storage.Tx, c *Cascade) (int64, error) {
			held, err := c.lockChunk(ctx, tx, "reconciliation_rules", condition)
			if err != nil || len(held) == 0 {
				return 0, err
			}
			return int64(len(held)), tx.ExecEmitting(ctx, "reconciliation_rules", `DELETE FROM reconciliation_rules
				WHERE account_id = @account AND id = ANY(@ids) RETURNING`, finance.Destroyed, c.of.AccountID,
				db.Args{"ids": held})
		},
	}
}

// clearing returns the steps that clear a column of the tables and emit an event for each
// record.
func clearing(column string, tables ...string) (steps []step) {
	for _, table := range tables {
		steps = append(steps, clearColumn(table, column, column+ofRecord))
	}
	return steps
}

// clearColumn returns the step that clears a column of the records of a table that meet the condition.
func clearColumn(table, column, condition string) step {
	return step{
		name:     table + "." + column,
		estimate: `SELECT count(*) FROM ` + table + ` WHERE account_id = @account AND ` + condition,
		runChunk: func(ctx context.Context, tx *storage.Tx, c *Cascade) (int64, error) {
			held, err := c.lockChunk(ctx, tx, table, condition)
			if err != nil || len(held) == 0 {
				return 0, err
			}
			return int64(len(held)), tx.ExecEmitting(ctx, table, `
				UPDATE `+table+` SET `+column+` = NULL, updated_at = now()
				WHERE account_id = @account AND id = ANY(@ids) RETURNING`, finance.Updated, c.of.AccountID,
				db.Args{"ids": held})
		},
	}
}

// lockChunk locks a chunk's records of a table FOR NO KEY UPDATE, in the order of ids
// (docs/locking.md).
func (c *Cascade) lockChunk(ctx context.Context, tx *storage.Tx, table, condition string) ([]int64, error) {
	return c.lockFound(ctx, tx, table, condition, `SELECT id FROM `+table+` WHERE account_id = @account AND `+condition)
}

// lockFound is lockChunk for the records that the query find returns, as far as they still meet the
// condition. IS TRUE prevents the planner from choosing an index by the condition.
func (c *Cascade) lockFound(ctx context.Context, tx *storage.Tx, table, condition, find string) ([]int64, error) {
	for {
		ids, err := c.next(ctx, tx, find)
		if err != nil || len(ids) == 0 {
			return nil, err
		}
		lock, args := c.bind(`
			SELECT id FROM `+table+` WHERE account_id = @account AND id = ANY(@found) AND (`+condition+`) IS TRUE
				ORDER BY id FOR NO KEY UPDATE`, db.Args{"found": ids})
		held, err := db.Many[int64](ctx, tx.DB, lock, args...)
		if err != nil || len(held) > 0 {
			return held, err
		}
	}
}

// foundAtOnce is the largest number of ids that a step reads at once.
const foundAtOnce = 20_000

// next returns the ids of the next chunk of a query, and an empty list at its end. Ids are read for
// many chunks at once: each query rescans index entries that earlier chunks left dead, which remain
// while an old snapshot, such as that of a dump, may see them.
func (c *Cascade) next(ctx context.Context, tx *storage.Tx, find string) (ids []int64, err error) {
	if len(c.ahead) == 0 {
		sql, args := c.bind(fmt.Sprintf(`SELECT DISTINCT id FROM (%s LIMIT %d) f ORDER BY id`, find, foundAtOnce))
		c.ahead, err = db.Many[int64](ctx, tx.DB, sql, args...)
	}
	n := min(c.size, len(c.ahead))
	ids, c.ahead = c.ahead[:n], c.ahead[n:]
	return ids, err
}

// unclassifying returns the steps that remove the classifications by centers, or by values of
// custom classifiers, that meet the condition.
func unclassifying(list, condition string) (steps []step) {
	for _, o := range []string{"sale_account", "credit_card_transaction", "sale", "financial_account"} {
		if list == "center" && o == "credit_card_transaction" {
			continue // has no list
		}
		steps = append(steps, unclassify(o, list, condition))
	}
	return steps
}

// unclassify returns the step that removes the classifications of one kind of record that meet
// the condition, and emits events for the records.
func unclassify(o, list, condition string) step {
	table, owner := o+"_"+list+"_classifications", o+"s"
	texts := strings.NewReplacer("{table}", table, "{owners}", owner, "{owner}", o, "{condition}", condition)
	return step{
		name:     table,
		estimate: texts.Replace(`SELECT count(*) FROM {table} WHERE account_id = @account AND {condition}`),
		runChunk: func(ctx context.Context, tx *storage.Tx, c *Cascade) (int64, error) {
			held, err := c.lockFound(ctx, tx, owner, texts.Replace(`EXISTS (
				SELECT FROM {table} x WHERE x.account_id = @account AND x.{owner}_id = {owners}.id AND {condition})`),
				texts.Replace(`SELECT {owner}_id AS id FROM {table} WHERE account_id = @account AND {condition}`))
			if err != nil || len(held) == 0 {
				return 0, err
			}
			remove, args := c.bind(texts.Replace(`DELETE FROM {table} WHERE account_id = @account
				AND {owner}_id = ANY(@held) AND {condition}`), db.Args{"held": held})
			gone, err := db.Exec(ctx, tx.DB, remove, args...)
			if err != nil {
				return 0, err
			}
			return gone, tx.ExecEmitting(ctx, owner, texts.Replace(`UPDATE {owners} SET updated_at = now()
				WHERE account_id = @account AND id = ANY(@ids) RETURNING`), finance.Updated, c.of.AccountID,
				db.Args{"ids": held})
		},
	}
}
