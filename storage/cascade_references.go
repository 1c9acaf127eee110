package storage

import (
	"context"
	"fmt"
	"strings"

	"bordero/finance"
)

// unset are the steps that clear the references of a column, wherever records have
// it. What copies it to new records comes before these.
func unset(column string) []step {
	return clearing(column, "sale_accounts", "credit_cards", "sales", "credit_card_transactions", "financial_accounts", "financial_transactions")
}

// clearing are the steps that clear a column of the tables, which stay as they are
// otherwise, and tell of each record.
func clearing(column string, tables ...string) (steps []step) {
	for _, table := range tables {
		condition := column + ` = ANY($2::bigint[])`
		steps = append(steps, step{
			name:     table + "." + column,
			estimate: `SELECT count(*) FROM ` + table + ` WHERE account_id = $1 AND ` + condition,
			again: func(ctx context.Context, tx *Tx, c *Cascade) (int64, error) {
				held, err := tx.hold(ctx, table, condition, c)
				if err != nil || len(held) == 0 {
					return 0, err
				}
				return int64(len(held)), tx.changed(ctx, table, fmt.Sprintf(`UPDATE %[1]s SET %[2]s = NULL, updated_at = now()
					WHERE account_id = $1 AND id = ANY($2) RETURNING`, table, column), finance.Updated, c.account, held)
			},
		})
	}
	return steps
}

// hold locks a chunk's records of a table in the order of their ids, as others do.
func (tx *Tx) hold(ctx context.Context, table, condition string, c *Cascade) ([]int64, error) {
	return many[int64](ctx, tx.q, fmt.Sprintf(`
		SELECT id FROM %[1]s WHERE account_id = $1 AND id = ANY(ARRAY(SELECT id FROM %[1]s WHERE account_id = $1 AND %[2]s LIMIT %[3]d))
		ORDER BY id FOR NO KEY UPDATE`, table, condition, c.size), c.account, c.ids)
}

// unclassifying are the steps that take the centers or values of custom
// classifiers that meet the condition from the records that are classified by them.
func unclassifying(list, condition string) (steps []step) {
	for _, o := range []classified{saleAccount, classifiedCardTransaction, sale, financialAccount} {
		if list == "center" && o == classifiedCardTransaction {
			continue // has none
		}
		steps = append(steps, unclassify(o, list, condition))
	}
	return steps
}

// unclassify is the step that removes the classifications of a kind of record that
// meet the condition, and tells of the records.
func unclassify(o classified, list, condition string) step {
	table, owner := fmt.Sprintf("%s_%s_classifications", o, list), string(o)+"s"
	texts := strings.NewReplacer("{table}", table, "{owners}", owner, "{owner}", string(o), "{condition}", condition)
	return step{
		name:     table,
		estimate: texts.Replace(`SELECT count(*) FROM {table} WHERE account_id = $1 AND {condition}`),
		again: func(ctx context.Context, tx *Tx, c *Cascade) (int64, error) {
			held, err := many[int64](ctx, tx.q, texts.Replace(fmt.Sprintf(`
				SELECT id FROM {owners} WHERE account_id = $1 AND id = ANY(ARRAY(
					SELECT {owner}_id FROM {table} WHERE account_id = $1 AND {condition} LIMIT %d))
				ORDER BY id FOR NO KEY UPDATE`, c.size)), c.account, c.ids)
			if err != nil || len(held) == 0 {
				return 0, err
			}
			gone, err := exec(ctx, tx.q, texts.Replace(`DELETE FROM {table} WHERE account_id = $1 AND {owner}_id = ANY($3) AND {condition}`),
				c.account, c.ids, held)
			if err != nil {
				return 0, err
			}
			return gone, tx.changed(ctx, owner, texts.Replace(`UPDATE {owners} SET updated_at = now()
				WHERE account_id = $1 AND id = ANY($2) RETURNING`), finance.Updated, c.account, held)
		},
	}
}
