package cascade

import (
	"context"
	"fmt"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
)

// markEntitiesDeleted marks all entities of an account as deleted.
var markEntitiesDeleted = step{name: "entities.deleted_at", runChunk: func(ctx context.Context, tx *storage.Tx,
	c *Cascade) (int64, error) {
	return db.Exec(ctx, tx.DB, `
		UPDATE entities SET deleted_at = now(), updated_at = now() WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT id FROM entities WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id FOR UPDATE))`,
		c.of.AccountID)
}}

// muteWebhooks marks the webhooks as deleted: no delivery is inserted after that.
var muteWebhooks = step{name: "webhooks.deleted_at", runChunk: func(ctx context.Context, tx *storage.Tx, c *Cascade) (
	int64, error) {
	b := c.ownedTable("webhooks")
	mute, args := c.bind(fmt.Sprintf(`
		UPDATE webhooks SET deleted_at = now() WHERE account_id = @account AND id = ANY(ARRAY(
			SELECT id FROM webhooks WHERE account_id = @account AND %s = ANY(ARRAY(%s)) AND deleted_at IS NULL
				ORDER BY id FOR UPDATE))
		RETURNING id, entity_id`, b.owner, c.ownersOf(b)))
	muted, err := db.Many[struct{ ID, EntityID int64 }](ctx, tx.DB, mute, args...)
	if err != nil {
		return 0, err
	}
	for _, w := range muted {
		err := tx.Emit(ctx, finance.Event{
			Family: finance.WebhooksFamily, Action: finance.Destroyed, AccountID: c.of.AccountID, EntityID: w.EntityID,
			IDs: []int64{w.ID},
		})
		if err != nil {
			return 0, err
		}
	}
	return int64(len(muted)), nil
}}

// deleteLeafCategories returns the step that removes the categories of an account that a condition selects, from the
// leaves of the tree upwards.
func deleteLeafCategories(condition string) step {
	return step{
		name:     "categories",
		estimate: `SELECT count(*) FROM categories WHERE account_id = @account AND account_id = ANY(@ids)` + condition,
		runChunk: func(ctx context.Context, tx *storage.Tx, c *Cascade) (int64, error) {
			return db.Exec(ctx, tx.DB, fmt.Sprintf(`
				DELETE FROM categories WHERE account_id = $1 AND id = ANY(ARRAY(
					SELECT id FROM categories c WHERE account_id = $1%s AND NOT EXISTS (
						SELECT FROM categories b WHERE b.account_id = $1 AND b.parent_id = c.id) LIMIT %d))`,
				condition, c.size), c.of.AccountID)
		},
	}
}

// deleteChanges removes the changes of an account, including the changes of its deletion. The sealer may move some
// meanwhile, so the head is removed only after a chunk has found no changes. The DELETE begins at the first sequence
// that is left: without a lower bound it would read the dead rows of all earlier chunks.
var deleteChanges = step{
	name:     "changes",
	estimate: `SELECT count(*) FROM changes WHERE account_id = @account AND account_id = ANY(@ids)`,
	runChunk: func(ctx context.Context, tx *storage.Tx, c *Cascade) (int64, error) {
		unsealed, err := db.Exec(ctx, tx.DB, `DELETE FROM unsealed_changes WHERE account_id = $1`, c.of.AccountID)
		if err != nil {
			return 0, err
		}
		sealed, err := c.next(ctx, tx, `SELECT sequence AS id FROM changes WHERE account_id = @account
			AND account_id = ANY(@ids) ORDER BY sequence`)
		if err != nil {
			return 0, err
		}
		if len(sealed) == 0 {
			heads, err := db.Exec(ctx, tx.DB, `DELETE FROM change_heads h WHERE account_id = $1 AND NOT EXISTS (
				SELECT FROM changes c WHERE c.account_id = h.account_id)`, c.of.AccountID)
			return unsealed + heads, err
		}
		gone, err := db.Exec(ctx, tx.DB, `DELETE FROM changes WHERE account_id = $1 AND sequence BETWEEN $2 AND $3`,
			c.of.AccountID, sealed[0], sealed[len(sealed)-1])
		return unsealed + gone, err
	},
}

// otherReceivables assigns the remaining receivable accounts to the sale account to which their
// sales have moved. If their sales have not followed them yet, it enqueues the job of that sale
// account, because the job of the former sale account no longer finds them.
var otherReceivables = step{name: "financial_accounts.sale_account_id",
	runChunk: func(ctx context.Context, tx *storage.Tx, c *Cascade) (int64, error) {
		held, err := c.lockChunk(ctx, tx, "financial_accounts", `sale_account_id = ANY(@ids::bigint[])`)
		if err != nil || len(held) == 0 {
			return 0, err
		}
		err = tx.ExecEmitting(ctx, "financial_accounts", `
		UPDATE financial_accounts f SET sale_account_id = (
				SELECT max(s.sale_account_id) FROM sales s
				WHERE s.account_id = @account AND s.financial_account_id = f.id),
			gathering = false, updated_at = now()
		WHERE account_id = @account AND id = ANY(@ids) RETURNING`, finance.Updated, c.of.AccountID,
			db.Args{"ids": held})
		if err != nil {
			return 0, err
		}
		settling, err := db.Many[int64](ctx, tx.DB, `
		SELECT DISTINCT sale_account_id FROM financial_accounts WHERE account_id = $1 AND id = ANY($2) AND settling
			ORDER BY 1`, c.of.AccountID, held)
		if err != nil {
			return 0, err
		}
		for _, id := range settling {
			if err := tx.EnqueueSettling(ctx, c.of.AccountID, id); err != nil {
				return 0, err
			}
		}
		return int64(len(held)), nil
	}}
