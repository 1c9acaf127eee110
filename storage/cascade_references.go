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
	return tx.holdFound(ctx, table, condition, `SELECT id FROM `+table+` WHERE account_id = $1 AND `+condition, c)
}

// holdFound is hold for records that a query finds, those that the condition is still
// true of. IS TRUE keeps it out of the choice of an index.
func (tx *Tx) holdFound(ctx context.Context, table, condition, find string, c *Cascade) ([]int64, error) {
	for {
		ids, err := c.next(ctx, tx, find)
		if err != nil || len(ids) == 0 {
			return nil, err
		}
		held, err := many[int64](ctx, tx.q, fmt.Sprintf(`
			SELECT id FROM %s WHERE account_id = $1 AND id = ANY($3) AND (%s) IS TRUE ORDER BY id FOR NO KEY UPDATE`, table, condition), c.account, c.ids, ids)
		if err != nil || len(held) > 0 {
			return held, err
		}
	}
}

// foundAtOnce is how many ids a step looks for at once.
const foundAtOnce = 20_000

// next are the ids of the next chunk of what a query finds, none when it finds nothing
// more. It is not asked for each chunk: it passes over all that chunks before have
// left dead in the index, which stays there while an old snapshot, as of a dump, may
// see it.
func (c *Cascade) next(ctx context.Context, tx *Tx, find string) (ids []int64, err error) {
	if len(c.ahead) == 0 {
		c.ahead, err = many[int64](ctx, tx.q, fmt.Sprintf(`SELECT DISTINCT id FROM (%s LIMIT %d) f ORDER BY id`, find, foundAtOnce), c.account, c.ids)
	}
	n := min(c.size, len(c.ahead))
	ids, c.ahead = c.ahead[:n], c.ahead[n:]
	return ids, err
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
			held, err := tx.holdFound(ctx, owner, texts.Replace(`EXISTS (
				SELECT FROM {table} x WHERE x.account_id = $1 AND x.{owner}_id = {owners}.id AND {condition})`),
				texts.Replace(`SELECT {owner}_id AS id FROM {table} WHERE account_id = $1 AND {condition}`), c)
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
