package storage

import (
	"context"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
)

// hide removes a record from every list at once, and enqueues a job that clears references
// to it and removes it with all that belongs to it. It waits for open transactions that
// share the record (FOR KEY SHARE) to refer to it; later ones do not find it.
func (tx *Tx) hide(ctx context.Context, table string, account, id int64) error {
	_, err := db.Exec(ctx, tx.DB, `UPDATE `+table+` SET deleted_at = now(), updated_at = now() WHERE account_id = $1
		AND id = (SELECT id FROM `+table+` WHERE account_id = $1 AND id = $2 FOR UPDATE)`, account, id)
	if err != nil {
		return err
	}
	return tx.destroy(ctx, table, account, id)
}

// remaining is the condition for financial accounts f whose credit card or sale account is not hidden:
// others go with it.
const remaining = `
	NOT EXISTS (
		SELECT FROM credit_card_invoices i JOIN credit_cards k ON k.account_id = i.account_id AND k.id = i.credit_card_id
		WHERE i.account_id = f.account_id AND i.id = f.credit_card_invoice_id AND k.deleted_at IS NOT NULL)
	AND NOT EXISTS (SELECT FROM sale_accounts o WHERE o.account_id = f.account_id AND o.id = f.sale_account_id AND o.deleted_at IS NOT NULL)`

// shareOwners leaves out locked financial accounts that go with a hidden credit card or sale account,
// and protects the others from that until the transaction ends: it locks the sale accounts FOR KEY
// SHARE, and a card is hidden under the locks of all its payable accounts. The check is a statement of
// its own, because one that waited for a lock does not see what was hidden meanwhile.
func (tx *Tx) shareOwners(ctx context.Context, account int64, accounts []finance.FinancialAccount) ([]finance.FinancialAccount, error) {
	var ids, saleAccounts []int64
	for _, f := range accounts {
		if f.Derived() != nil {
			ids = append(ids, f.ID)
		}
		if f.SaleAccountID != nil {
			saleAccounts = append(saleAccounts, *f.SaleAccountID)
		}
	}
	if len(ids) == 0 {
		return accounts, nil
	}
	_, err := db.Exec(ctx, tx.DB, `SELECT FROM sale_accounts WHERE account_id = $1 AND id = ANY($2) ORDER BY id FOR KEY SHARE`, account, saleAccounts)
	if err != nil {
		return nil, err
	}
	gone, err := db.Many[int64](ctx, tx.DB, `SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.id = ANY($2) AND NOT (`+remaining+`)`, account, ids)
	return slices.DeleteFunc(accounts, func(f finance.FinancialAccount) bool { return slices.Contains(gone, f.ID) }), err
}
