package storage

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage/list"
)

const saleAccount Classified = "sale_account"

// saleAccountWritable are the columns that a client's document sets.
var saleAccountWritable = db.ColumnsOf[finance.SaleAccount](
	`name, provider, description, payment_methods, consolidate, category_id,
	person_id, classification_center_id, expected_deposit_account_id`)

// saleAccountColumns are read with the alias a.
var saleAccountColumns = `a.id, a.account_id, a.entity_id, ` + saleAccountWritable.List("a.") +
	`, a.created_at, a.updated_at, ` +
	saleAccount.Classifications("a")

var (
	insertSaleAccount = db.Named("sale_accounts.insert",
		`INSERT INTO sale_accounts (account_id, entity_id, `+saleAccountWritable.List("")+`)
		VALUES (@account, @entity, `+saleAccountWritable.Parameters()+`) RETURNING id`)
	updateSaleAccount = db.Named("sale_accounts.update",
		`UPDATE sale_accounts AS a SET `+saleAccountWritable.Assignments()+`, updated_at = now()
		WHERE a.account_id = @account AND a.id = @id RETURNING `+saleAccountColumns)
)

// visibleSaleAccounts selects the sale accounts of the entities that the user may see.
const visibleSaleAccounts = `sale_accounts a WHERE a.account_id = @account AND a.deleted_at IS NULL
	AND (@sees_all OR a.entity_id = ANY(@entities))`

var (
	readSaleAccount = db.Named("sale_accounts.read",
		`SELECT `+saleAccountColumns+` FROM `+visibleSaleAccounts+` AND a.id = @id`)
	lockVisibleSaleAccount = db.Named("sale_accounts.lock",
		`SELECT a.id FROM `+visibleSaleAccounts+` AND a.id = @id FOR NO KEY UPDATE`)
	shareSaleAccount = db.Named("sale_accounts.share",
		`SELECT a.id, a.account_id, a.entity_id, a.payment_methods FROM `+visibleSaleAccounts+
			` AND a.id = @id FOR KEY SHARE`)
)

var saleAccountFilters = list.Table("SaleAccount", map[string]list.Filter{
	"entity_id_equals": list.Where("a.entity_id = ?", list.ID, "Of this entity."),
	"name_equals":      list.Where("a.name = ?", list.Text, "Exact name."),
	"updated_at_gte":   list.ChangedSince("a."),
})

// SaleAccounts lists the sale accounts of the entities that the user may see, by
// id.
func (q Queries) SaleAccounts(ctx context.Context, a finance.Access, l list.Query) (list.Page[finance.SaleAccount],
	error) {
	return list.Read[finance.SaleAccount](ctx, q.DB, l, saleAccountFilters, saleAccountColumns, visibleSaleAccounts,
		list.By("a.id"), accessArgs(a))
}

// SaleAccount reads one sale account of an entity that the user may see.
func (q Queries) SaleAccount(ctx context.Context, a finance.Access, id int64) (*finance.SaleAccount, error) {
	s, err := db.OneNamed[finance.SaleAccount](ctx, q.DB, readSaleAccount, accessArgs(a), db.Args{"id": id})
	return &s, err
}

// LockSaleAccount reads one sale account, as SaleAccount does, and locks it FOR NO KEY UPDATE, to
// change it. The lock is a separate statement: while it waited, the classifications may have changed
// too.
func (tx *Tx) LockSaleAccount(ctx context.Context, a finance.Access, id int64) (*finance.SaleAccount, error) {
	if err := tx.lockVisibleSaleAccount(ctx, a, id); err != nil {
		return nil, err
	}
	return tx.SaleAccount(ctx, a, id)
}

func (tx *Tx) lockVisibleSaleAccount(ctx context.Context, a finance.Access, id int64) error {
	_, err := db.OneNamed[int64](ctx, tx.DB, lockVisibleSaleAccount, accessArgs(a), db.Args{"id": id})
	return err
}

// ShareSaleAccount locks a sale account that the user may see FOR KEY SHARE until the transaction
// ends, for a record below it, and reads its entity and methods.
func (tx *Tx) ShareSaleAccount(ctx context.Context, a finance.Access, id int64) (*finance.SaleAccount, error) {
	s, err := db.OneNamed[finance.SaleAccount](ctx, tx.DB, shareSaleAccount, accessArgs(a), db.Args{"id": id})
	return &s, err
}

// InsertSaleAccount stores a new sale account with locked references, and completes it with the
// values that the database set.
func (tx *Tx) InsertSaleAccount(ctx context.Context, s *finance.SaleAccount) error {
	id, err := db.OneNamed[int64](ctx, tx.DB, insertSaleAccount, saleAccountWritable.Args(s), db.Args{
		"account": s.AccountID, "entity": s.EntityID,
	})
	if err != nil {
		return err
	}
	if err := tx.InsertClassifications(ctx, saleAccount, s.AccountID, []int64{id}, ByValue(s.CustomClassifications),
		ByCenter(s.CenterClassifications)); err != nil {
		return err
	}
	*s, err = db.One[finance.SaleAccount](ctx, tx.DB, `SELECT `+saleAccountColumns+
		` FROM sale_accounts a WHERE a.account_id = $1 AND a.id = $2`,
		s.AccountID, id)
	return err
}

// UpdateSaleAccount stores the changes of a locked sale account. If its sales must now be grouped
// in another way, it enqueues a job that regroups them.
func (tx *Tx) UpdateSaleAccount(ctx context.Context, s *finance.SaleAccount) error {
	consolidated, err := db.One[bool](ctx, tx.DB, `SELECT consolidate FROM sale_accounts WHERE account_id = $1
		AND id = $2`, s.AccountID, s.ID)
	if err != nil {
		return err
	}
	if err := tx.UpdateClassifications(ctx, saleAccount, s.AccountID, s.ID, ByValue(s.CustomClassifications),
		ByCenter(s.CenterClassifications)); err != nil {
		return err
	}
	*s, err = db.OneNamed[finance.SaleAccount](ctx, tx.DB, updateSaleAccount, saleAccountWritable.Args(s), db.Args{
		"account": s.AccountID, "id": s.ID,
	})
	if err != nil || s.Consolidate == consolidated {
		return err
	}
	return tx.groupAgain(ctx, s.AccountID, s.ID)
}

// RemoveSaleAccount hides a locked sale account. A job removes its rules and sales, with
// their receivable accounts. A sale account with liquidated or reconciled sales is a finance.Invalid.
func (tx *Tx) RemoveSaleAccount(ctx context.Context, s *finance.SaleAccount) error {
	if err := tx.Hide(ctx, "sale_accounts", s.AccountID, s.ID); err != nil {
		return err
	}
	// A sale that moved here remains in a received account of its former sale account, and awaits
	// its pricing. A job may still have to set its status.
	status, err := db.One[int64](ctx, tx.DB, `
		SELECT coalesce(max(status), 0) FROM (
			SELECT status FROM financial_accounts WHERE account_id = $1 AND sale_account_id = $2
			UNION ALL
			SELECT f.status FROM sales s JOIN financial_accounts f ON f.account_id = s.account_id
				AND f.id = s.financial_account_id
			WHERE s.account_id = $1 AND s.sale_account_id = $2 AND s.awaiting_pricing) f`,
		s.AccountID, s.ID)
	switch {
	case err != nil:
		return err
	case status > finance.Settled:
		return finance.Refuse(finance.Base, messages.SalesReconciled)
	case status == finance.Settled:
		return finance.Refuse(finance.Base, messages.SalesLiquidated)
	}
	return nil
}
