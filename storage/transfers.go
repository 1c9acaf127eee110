package storage

import (
	"context"
	"slices"
	"strconv"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage/list"
)

// The columns of pairs p, with their debits d and credits c.
const (
	transferColumns = `p.id, p.account_id, p.entity_id, p.debit_transaction_id, p.credit_transaction_id,
		d.deposit_account_id AS debit_deposit_account_id, c.deposit_account_id AS credit_deposit_account_id, ` +
		`c.amount, p.created_at`
	pairs = `transfers p
		JOIN financial_transactions d ON d.account_id = p.account_id AND d.id = p.debit_transaction_id
		JOIN financial_transactions c ON c.account_id = p.account_id AND c.id = p.credit_transaction_id`
)

var transferFilters = list.Table("Transfer", map[string]list.Filter{
	"financial_transaction_id": list.Where(
		"p.id = (SELECT pair_id FROM financial_transactions WHERE account_id = @account AND id = ?)", list.ID,
		"The pair of this transaction."),
	"deposit_account_id": list.Where("? IN (d.deposit_account_id, c.deposit_account_id)", list.ID,
		"Pairs of which one side is in this deposit account."),
})

// Transfers lists one page of the pairs of the entity, newest first.
func (q Queries) Transfers(ctx context.Context, s Scope, l list.Query) (list.Page[finance.Transfer], error) {
	return list.Read[finance.Transfer](ctx, q.DB, l, transferFilters, transferColumns,
		pairs+` WHERE p.account_id = @account AND p.entity_id = @entity`,
		list.By("p.id").Down(), db.Args{"account": s.AccountID, "entity": s.EntityID})
}

// Transfer reads one pair of the entity.
func (q Queries) Transfer(ctx context.Context, s Scope, id int64) (*finance.Transfer, error) {
	t, err := db.One[finance.Transfer](ctx, q.DB, `SELECT `+transferColumns+` FROM `+pairs+`
		WHERE p.account_id = $1 AND p.entity_id = $2 AND p.id = $3`, s.AccountID, s.EntityID, id)
	return &t, err
}

// LockPairable is LockPairables for one.
func (tx *Tx) LockPairable(ctx context.Context, s Scope, t *finance.Transfer) error {
	faults, err := tx.LockPairables(ctx, s, []*finance.Transfer{t})
	if err != nil {
		return err
	}
	return faults[0]
}

// LockPairables locks the transactions that are to be pairs FOR NO KEY UPDATE (docs/locking.md), and returns the fault
// of each pair. Of two pairs with the same transaction the first is accepted. Their deposit accounts are locked FOR
// KEY SHARE, against deletion.
func (tx *Tx) LockPairables(ctx context.Context, s Scope, all []*finance.Transfer) ([]error, error) {
	var ids []int64
	for _, t := range all {
		ids = append(ids, t.DebitTransactionID, t.CreditTransactionID)
	}
	if err := tx.shareAccountsOf(ctx, s, ids); err != nil {
		return nil, err
	}
	locked, err := tx.lockSelected(ctx, s, ids)
	if err != nil {
		return nil, err
	}
	byID := map[int64]finance.FinancialTransaction{}
	for _, f := range locked {
		byID[f.ID] = f
	}
	faults := make([]error, len(all))
	for i, t := range all {
		var sides []finance.FinancialTransaction
		both := []int64{t.DebitTransactionID, t.CreditTransactionID}
		slices.Sort(both)
		for _, id := range slices.Compact(both) {
			if side, exists := byID[id]; exists {
				sides = append(sides, side)
			}
		}
		if faults[i] = t.Pair(sides); faults[i] == nil {
			for k := range sides {
				sides[k].TransferID = &sides[1-k].ID
				byID[sides[k].ID] = sides[k]
			}
		}
	}
	return faults, nil
}

// shareAccountsOf locks the deposit accounts of transactions FOR KEY SHARE.
func (tx *Tx) shareAccountsOf(ctx context.Context, s Scope, transactions []int64) error {
	_, err := db.Exec(ctx, tx.DB, `
		SELECT FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND id = ANY(ARRAY(
			SELECT deposit_account_id FROM financial_transactions WHERE account_id = $1 AND id = ANY($3)))
		ORDER BY id FOR KEY SHARE`, s.AccountID, s.EntityID, transactions)
	return err
}

// InsertTransfers stores pairs of locked transactions of an entity, which then show each other, and fills in their
// columns. It emits an event for each pair, and the updates of their transactions.
func (tx *Tx) InsertTransfers(ctx context.Context, all []*finance.Transfer) error {
	of := all[0]
	var debits, credits []int64
	for _, t := range all {
		debits, credits = append(debits, t.DebitTransactionID), append(credits, t.CreditTransactionID)
	}
	kept, err := db.Many[finance.Transfer](ctx, tx.DB, `
		INSERT INTO transfers (account_id, entity_id, debit_transaction_id, credit_transaction_id)
		SELECT $1, $2, debit, credit
		FROM unnest($3::bigint[], $4::bigint[]) WITH ORDINALITY AS n (debit, credit, line) ORDER BY line
		RETURNING id, created_at`, of.AccountID, of.EntityID, debits, credits)
	if err != nil {
		return err
	}
	var pairs []int64
	events := make([]finance.Event, len(all))
	for i, t := range all {
		t.ID, t.CreatedAt = kept[i].ID, kept[i].CreatedAt
		pairs = append(pairs, t.ID)
		events[i] = finance.Event{Family: finance.TransfersFamily, Action: finance.Created, AccountID: t.AccountID,
			EntityID: t.EntityID, IDs: []int64{t.ID}}
	}
	_, err = db.Exec(ctx, tx.DB, `
		UPDATE financial_transactions t SET pair_id = s.pair, transfer_id = o.id,
			transfer_deposit_account_id = o.deposit_account_id, updated_at = now()
		FROM (
			SELECT * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[])
			UNION ALL SELECT * FROM unnest($2, $4, $3)) AS s (pair, id, other_id)
		JOIN financial_transactions o ON o.account_id = $1 AND o.id = s.other_id
		WHERE t.account_id = $1 AND t.id = s.id`, of.AccountID, pairs, debits, credits)
	if err != nil {
		return err
	}
	if err := tx.EmitEach(ctx, events); err != nil {
		return err
	}
	return tx.emitTransactions(ctx, finance.Event{Family: finance.FinancialTransactionsFamily, Action: finance.Updated,
		AccountID: of.AccountID, EntityID: of.EntityID, IDs: slices.Concat(debits, credits)})
}

// LockTransfer locks the transactions of one pair of the entity FOR NO KEY UPDATE, and reads the
// pair. A pair is made and undone only under the locks of its transactions.
func (tx *Tx) LockTransfer(ctx context.Context, s Scope, id int64) (*finance.Transfer, error) {
	_, err := db.Exec(ctx, tx.DB, `
		SELECT FROM financial_transactions WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT unnest(ARRAY[debit_transaction_id, credit_transaction_id]) FROM transfers WHERE account_id = $1
				AND entity_id = $2 AND id = $3))
		ORDER BY id FOR NO KEY UPDATE`, s.AccountID, s.EntityID, id)
	if err != nil {
		return nil, err
	}
	return tx.Transfer(ctx, s, id)
}

// RemoveTransfer undoes a locked pair: its transactions remain. It emits the events of all three.
func (tx *Tx) RemoveTransfer(ctx context.Context, t *finance.Transfer) error {
	return tx.Unpair(ctx, t.AccountID, []int64{t.DebitTransactionID}, nil)
}

// Unpair undoes the pairs of transactions of one entity, and emits the events. Both sides of each
// pair are locked. Transactions that are about to be removed get no event of an update.
func (tx *Tx) Unpair(ctx context.Context, account int64, transactions, removed []int64) error {
	sides, err := db.Many[int64](ctx, tx.DB, `
		UPDATE financial_transactions SET pair_id = NULL, transfer_id = NULL, transfer_deposit_account_id = NULL,
			updated_at = now()
		WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT unnest(ARRAY[id, transfer_id]) FROM financial_transactions WHERE account_id = $1 AND id = ANY($2)
				AND pair_id IS NOT NULL))
		RETURNING id`, account, transactions)
	if err != nil || len(sides) == 0 {
		return err
	}
	undone, err := db.Many[finance.Transfer](ctx, tx.DB, `
		DELETE FROM transfers WHERE account_id = $1 AND debit_transaction_id = ANY($2) RETURNING id, entity_id`,
		account, sides)
	if err != nil || len(undone) == 0 { // no pairs if their entity is being removed
		return err
	}
	e := finance.Event{AccountID: account, EntityID: undone[0].EntityID, Action: finance.Destroyed}
	for _, t := range undone {
		e.IDs = append(e.IDs, t.ID)
	}
	return tx.emitPairs(ctx, e, Without(sides, slices.Sorted(slices.Values(removed))))
}

// emitPairs emits the events of pairs, and the updates of their transactions.
func (tx *Tx) emitPairs(ctx context.Context, e finance.Event, transactions []int64) error {
	e.Family = finance.TransfersFamily
	if err := tx.Emit(ctx, e); err != nil || len(transactions) == 0 {
		return err
	}
	e.Family, e.Action, e.IDs = finance.FinancialTransactionsFamily, finance.Updated, transactions
	return tx.emitTransactions(ctx, e)
}

// CheckPairs is the rule of Verify for pairs.
var CheckPairs = `
	SELECT p.account_id, format('transfer %s', p.id),
		format('transactions %s and %s: sides of it in two deposit accounts of entity %s, of opposite amounts, '
			|| 'not reconciled',
			p.debit_transaction_id, p.credit_transaction_id, p.entity_id),
		concat_ws(', ', format('%s in deposit account %s, pair %s, other side %s', d.amount, d.deposit_account_id,
			d.pair_id, d.transfer_id),
			format('%s in deposit account %s, pair %s, other side %s', c.amount, c.deposit_account_id, c.pair_id,
				c.transfer_id),
			'reconciled in ' || coalesce(d.reconcile_id, c.reconcile_id))
	FROM transfers p
	LEFT JOIN financial_transactions d ON d.account_id = p.account_id AND d.id = p.debit_transaction_id
	LEFT JOIN financial_transactions c ON c.account_id = p.account_id AND c.id = p.credit_transaction_id
	LEFT JOIN deposit_accounts da ON da.account_id = p.account_id AND da.id = d.deposit_account_id
	WHERE (d.pair_id, d.transfer_id, d.transfer_deposit_account_id, c.pair_id, c.transfer_id,
		c.transfer_deposit_account_id, d.amount, d.currency_id, da.entity_id)
			IS DISTINCT FROM (p.id, c.id, c.deposit_account_id, p.id, d.id, d.deposit_account_id, -c.amount,
				c.currency_id, p.entity_id)
		OR d.amount > 0 OR d.reconcile_id IS NOT NULL OR c.reconcile_id IS NOT NULL
		OR abs(d.occurred_at - c.occurred_at) > ` + strconv.Itoa(finance.TransferWindow) + `
	UNION ALL
	SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
		format('a side of transfer %s', t.pair_id), 'not a side of it'
	FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
	WHERE t.pair_id IS NOT NULL AND NOT EXISTS (
		SELECT FROM transfers p WHERE p.account_id = t.account_id AND p.id = t.pair_id
			AND t.id IN (p.debit_transaction_id, p.credit_transaction_id))
		AND ` + EntityVisible("d")
