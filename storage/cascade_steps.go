package storage

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
)

// markEntitiesDeleted marks all entities of an account as deleted.
var markEntitiesDeleted = step{name: "entities.deleted_at", runChunk: func(ctx context.Context, tx *Tx, c *Cascade) (int64, error) {
	return db.Exec(ctx, tx.DB, `
		UPDATE entities SET deleted_at = now(), updated_at = now() WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT id FROM entities WHERE account_id = $1 AND deleted_at IS NULL ORDER BY id FOR UPDATE))`, c.account)
}}

// muteWebhooks marks the webhooks as deleted: no delivery is inserted after that.
var muteWebhooks = step{name: "webhooks.deleted_at", runChunk: func(ctx context.Context, tx *Tx, c *Cascade) (int64, error) {
	b := c.ownedTable("webhooks")
	return db.Exec(ctx, tx.DB, fmt.Sprintf(`
		UPDATE webhooks SET deleted_at = now() WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT id FROM webhooks WHERE account_id = $1 AND %s = ANY(ARRAY(%s)) AND deleted_at IS NULL ORDER BY id FOR UPDATE))`,
		b.owner, c.ownersOf(b)), c.account, c.ids)
}}

// deleteLeafCategories removes the categories of an account, from the leaves of the tree upwards.
var deleteLeafCategories = step{
	name: "categories", estimate: `SELECT count(*) FROM categories WHERE account_id = $1 AND account_id = ANY($2)`,
	runChunk: func(ctx context.Context, tx *Tx, c *Cascade) (int64, error) {
		return db.Exec(ctx, tx.DB, fmt.Sprintf(`
			DELETE FROM categories WHERE account_id = $1 AND id = ANY(ARRAY(
				SELECT id FROM categories c WHERE account_id = $1 AND NOT EXISTS (
					SELECT FROM categories b WHERE b.account_id = $1 AND b.parent_id = c.id) LIMIT %d))`, c.size), c.account)
	},
}

// otherReceivables assigns the remaining receivable accounts to the sale account to which
// their sales have moved.
var otherReceivables = step{name: "financial_accounts.sale_account_id", runChunk: func(ctx context.Context, tx *Tx, c *Cascade) (int64, error) {
	held, err := tx.lockChunk(ctx, "financial_accounts", `sale_account_id = ANY($2::bigint[])`, c)
	if err != nil || len(held) == 0 {
		return 0, err
	}
	return int64(len(held)), tx.changed(ctx, "financial_accounts", `
		UPDATE financial_accounts f SET sale_account_id = (
				SELECT max(s.sale_account_id) FROM sales s WHERE s.account_id = $1 AND s.financial_account_id = f.id),
			gathering = false, updated_at = now()
		WHERE account_id = $1 AND id = ANY($2) RETURNING`, finance.Updated, c.account, held)
}}

// removeTransactions removes transactions of a hidden deposit account, with the other sides of
// transfers. It undoes every reconciliation that contains one of them, as a whole.
func (tx *Tx) removeTransactions(ctx context.Context, account int64, ids []int64) error {
	sides, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM unnest($2::bigint[]) AS t (id)
		UNION SELECT id FROM financial_transactions WHERE account_id = $1 AND transfer_id = ANY($2)`, account, ids)
	if err != nil {
		return err
	}
	if err := tx.undoReconciles(ctx, account, `financial_transactions WHERE account_id = $1 AND id = ANY($2)`, sides); err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `SELECT FROM financial_transactions WHERE account_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE`, account, sides)
	if err != nil {
		return err
	}
	// One may have been reconciled while its lock was awaited.
	if err := tx.undoReconciles(ctx, account, `financial_transactions WHERE account_id = $1 AND id = ANY($2)`, sides); err != nil {
		return err
	}
	if err := tx.removeAttachmentsOf(ctx, attachedTransaction, account, sides); err != nil {
		return err
	}
	gone, err := db.Many[struct {
		ID, DepositAccountID, EntityID int64
		Amount                         finance.Amount
	}](ctx, tx.DB, `
		DELETE FROM financial_transactions t WHERE account_id = $1 AND id = ANY($2)
		RETURNING id, deposit_account_id, (SELECT entity_id FROM deposit_accounts d WHERE d.account_id = $1 AND d.id = t.deposit_account_id) AS entity_id,
			amount`, account, sides)
	if err != nil {
		return err
	}
	events := map[int64]finance.Event{}
	for _, t := range gone {
		tx.move(account, t.DepositAccountID, movement{sum: -t.Amount, count: -1, settled: true})
		events[t.DepositAccountID] = finance.Event{
			Family: finance.FinancialTransactionsFamily, Action: finance.Destroyed,
			AccountID: account, EntityID: t.EntityID, ParentID: t.DepositAccountID, IDs: append(events[t.DepositAccountID].IDs, t.ID),
		}
	}
	for _, id := range slices.Sorted(maps.Keys(events)) {
		if err := tx.Emit(ctx, events[id]); err != nil {
			return err
		}
	}
	return nil
}

// undoReconciles undoes the reconciliations of the records of a table and a condition on the
// account $1 and the ids $2. It locks in the same order as LockReconcileForDelete.
func (tx *Tx) undoReconciles(ctx context.Context, account int64, of string, ids []int64) error {
	reconciles, err := db.Many[finance.Reconcile](ctx, tx.DB, `SELECT id, entity_id FROM reconciles WHERE account_id = $1 AND id = ANY(ARRAY(
		SELECT reconcile_id FROM `+of+` AND reconcile_id IS NOT NULL)) ORDER BY id FOR UPDATE`, account, ids)
	if err != nil || len(reconciles) == 0 {
		return err
	}
	undone := make([]int64, len(reconciles))
	for i, r := range reconciles {
		undone[i] = r.ID
	}
	accounts, err := db.Many[finance.FinancialAccount](ctx, tx.DB, `
		SELECT id, kind, sale_account_id, sales_count FROM financial_accounts
		WHERE account_id = $1 AND reconcile_id = ANY($2) ORDER BY id FOR NO KEY UPDATE`, account, undone)
	if err != nil {
		return err
	}
	transactions, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM financial_transactions WHERE account_id = $1 AND reconcile_id = ANY($2) ORDER BY id FOR NO KEY UPDATE`, account, undone)
	if err != nil {
		return err
	}
	if err := tx.release(ctx, account, undone); err != nil {
		return err
	}
	for i := range accounts {
		accounts[i].Status = finance.Settled
	}
	s := Scope{AccountID: account, EntityID: reconciles[0].EntityID} // all are of one entity
	if err := tx.followReceivables(ctx, s, accounts); err != nil {
		return err
	}
	told := map[finance.Family][]int64{}
	for _, f := range accounts {
		family := finance.Family(string(f.Kind) + "_accounts")
		told[family] = append(told[family], f.ID)
	}
	e := finance.Event{Action: finance.Updated, AccountID: account, EntityID: s.EntityID}
	for _, e.Family = range slices.Sorted(maps.Keys(told)) {
		e.IDs = told[e.Family]
		if err := tx.Emit(ctx, e); err != nil {
			return err
		}
	}
	e.Family, e.IDs = finance.FinancialTransactionsFamily, transactions
	return tx.EmitTransactions(ctx, e)
}

// removePurchases removes transactions of a hidden credit card, and updates or removes the
// invoices and their payable accounts.
func (tx *Tx) removePurchases(ctx context.Context, account int64, ids []int64) error {
	card, err := db.One[struct{ ID, EntityID int64 }](ctx, tx.DB, `
		SELECT id, entity_id FROM credit_cards WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT credit_card_id FROM credit_card_transactions WHERE account_id = $1 AND id = ANY($2))) FOR NO KEY UPDATE`, account, ids)
	if err != nil {
		return err
	}
	invoices, err := db.Many[int64](ctx, tx.DB, `
		SELECT DISTINCT credit_card_invoice_id FROM credit_card_transactions WHERE account_id = $1 AND id = ANY($2)`, account, ids)
	if err != nil {
		return err
	}
	// One may have been paid since the deletion was accepted, or while its lock is awaited below.
	err = tx.undoReconciles(ctx, account, `financial_accounts WHERE account_id = $1 AND credit_card_invoice_id = ANY($2)`, invoices)
	if err != nil {
		return err
	}
	if _, err := tx.lockInvoices(ctx, account, invoices); err != nil {
		return err
	}
	err = tx.undoReconciles(ctx, account, `financial_accounts WHERE account_id = $1 AND credit_card_invoice_id = ANY($2)`, invoices)
	if err != nil {
		return err
	}
	t := finance.CreditCardTransaction{AccountID: account, CreditCardID: card.ID}
	if err := tx.removeCardTransactions(ctx, &t, ids); err != nil {
		return err
	}
	return tx.Emit(ctx, finance.Event{
		Family: finance.CardTransactionsFamily, Action: finance.Destroyed, AccountID: account, EntityID: card.EntityID, ParentID: card.ID, IDs: ids,
	})
}

// removeSales removes sales of a hidden sale account, and subtracts them from their receivable
// accounts. A receivable account without sales is removed.
func (tx *Tx) removeSales(ctx context.Context, account int64, ids []int64) error {
	// One may have been received since the deletion was accepted, or while its lock is awaited below.
	err := tx.undoReconciles(ctx, account, `financial_accounts WHERE account_id = $1 AND id = ANY(ARRAY(
		SELECT financial_account_id FROM sales WHERE account_id = $1 AND id = ANY($2)))`, ids)
	if err != nil {
		return err
	}
	if err := tx.LockReceivables(ctx, account, ids); err != nil {
		return err
	}
	err = tx.undoReconciles(ctx, account, `financial_accounts WHERE account_id = $1 AND id = ANY(ARRAY(
		SELECT financial_account_id FROM sales WHERE account_id = $1 AND id = ANY($2)))`, ids)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `SELECT FROM sales WHERE account_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE`, account, ids)
	if err != nil {
		return err
	}
	// An installment of a sale may have moved to another sale account.
	err = tx.changed(ctx, "sales", `UPDATE sales SET original_sale_id = NULL, updated_at = now()
		WHERE account_id = $1 AND original_sale_id = ANY($2) AND id <> ALL($2) RETURNING`, finance.Updated, account, ids)
	if err != nil {
		return err
	}
	if err := tx.removeAttachmentsOf(ctx, attachedSale, account, ids); err != nil {
		return err
	}
	deltas, err := db.Many[struct {
		ID, Count int64
		Amount    finance.Amount
	}](ctx, tx.DB, `
		SELECT financial_account_id AS id, count(*) AS count, sum(receivable_amount) AS amount FROM sales
		WHERE account_id = $1 AND id = ANY($2) AND financial_account_id IS NOT NULL GROUP BY 1`, account, ids)
	if err != nil {
		return err
	}
	if err := tx.changed(ctx, "sales", `DELETE FROM sales WHERE account_id = $1 AND id = ANY($2) RETURNING`, finance.Destroyed, account, ids); err != nil {
		return err
	}
	var accounts, counts []int64
	var amounts []string
	for _, d := range deltas {
		accounts, counts, amounts = append(accounts, d.ID), append(counts, d.Count), append(amounts, d.Amount.String())
	}
	changed, err := db.Many[receivable](ctx, tx.DB, `
		UPDATE financial_accounts f SET amount = f.amount - d.amount,`+discountWithin("f.amount - d.amount")+`, sales_count = f.sales_count - d.count, updated_at = now()
		FROM unnest($2::bigint[], $3::bigint[], $4::numeric[]) AS d (id, count, amount) WHERE f.account_id = $1 AND f.id = d.id
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action`, account, accounts, counts, amounts)
	if err != nil {
		return err
	}
	if err := tx.removeEmptied(ctx, account, changed); err != nil {
		return err
	}
	return tx.emitReceivables(ctx, account, changed)
}
