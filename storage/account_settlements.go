package storage

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
)

// LockFinancialAccountsForDelete locks accounts of a kind FOR UPDATE, and reads them, by id. It leaves out accounts
// that the entity does not have, and accounts that are being removed with their parent.
func (tx *Tx) LockFinancialAccountsForDelete(ctx context.Context, s Scope, kind finance.AccountKind, ids []int64) (
	map[int64]*finance.FinancialAccount, error) {
	locked, err := db.ManyNamed[finance.FinancialAccount](ctx, tx.DB, lockFinancialAccountsForDelete, db.Args{
		"account": s.AccountID, "entity": s.EntityID, "kind": kind, "ids": ids,
	})
	if err != nil {
		return nil, err
	}
	if locked, err = tx.ShareOwners(ctx, s.AccountID, locked); err != nil {
		return nil, err
	}
	remaining := make([]int64, len(locked))
	for i := range locked {
		remaining[i] = locked[i].ID
	}
	read, err := db.Many[finance.FinancialAccount](ctx, tx.DB, `SELECT `+FinancialAccountColumns+`
		FROM financial_accounts f WHERE f.account_id = $1 AND f.id = ANY($2)`, s.AccountID, remaining)
	all := map[int64]*finance.FinancialAccount{}
	for i := range read {
		all[read[i].ID] = &read[i]
	}
	for _, f := range locked {
		if read := all[f.ID]; read != nil {
			read.Awaits = f.Awaits
		}
	}
	return all, err
}

var (
	settledColumns = db.ColumnsOf[finance.FinancialAccount](
		`id, status, occurred_at, total_amount, expected_deposit_account_id`)
	settleFinancialAccounts = db.Named("financial_accounts.settle", `
		UPDATE financial_accounts f
		SET status = n.status, occurred_at = n.occurred_at, total_amount = n.total_amount,
			expected_deposit_account_id = n.expected_deposit_account_id, updated_at = now()
		FROM json_populate_recordset(NULL::financial_accounts, @accounts) n
		WHERE f.account_id = @account AND f.id = n.id RETURNING f.id, f.updated_at`)
)

// SettleFinancialAccounts stores that locked accounts of an entity were paid or received. The status of their sales
// follows.
func (tx *Tx) SettleFinancialAccounts(ctx context.Context, s Scope, accounts []*finance.FinancialAccount) error {
	rows := make([]finance.FinancialAccount, len(accounts))
	byID := map[int64]*finance.FinancialAccount{}
	var ofSales []finance.FinancialAccount
	for i, f := range accounts {
		rows[i], byID[f.ID] = *f, f
		if f.SaleAccountID != nil {
			ofSales = append(ofSales, *f)
		}
	}
	document, err := settledColumns.JSON(rows)
	if err != nil {
		return err
	}
	stored, err := db.ManyNamed[finance.FinancialAccount](ctx, tx.DB, settleFinancialAccounts,
		db.Args{"account": s.AccountID, "accounts": string(document)})
	if err != nil {
		return refused(err)
	}
	for _, r := range stored {
		byID[r.ID].UpdatedAt = r.UpdatedAt
	}
	if len(ofSales) == 0 {
		return nil
	}
	return tx.FollowReceivables(ctx, s, ofSales)
}
