package storage

import (
	"context"
	"maps"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
)

// Hide removes a record from every list at once, and enqueues a job that clears references
// to it and removes it with all that belongs to it. It waits for open transactions that
// share the record (FOR KEY SHARE) to refer to it; later ones do not find it.
func (tx *Tx) Hide(ctx context.Context, table string, account, id int64) error {
	_, err := db.Exec(ctx, tx.DB, `UPDATE `+table+` SET deleted_at = now(), updated_at = now() WHERE account_id = $1
		AND id = (SELECT id FROM `+table+` WHERE account_id = $1 AND id = $2 FOR UPDATE)`, account, id)
	if err != nil {
		return err
	}
	return tx.Destroy(ctx, table, account, id)
}

// hidden selects the hidden records of a table for the account $1. A partial index has them.
func hidden(table string) string {
	return `SELECT id FROM ` + table + ` WHERE account_id = $1 AND deleted_at IS NOT NULL`
}

// hiddenRoots are the tables with hidden records that a cascade begins with, each with the condition under which a
// hidden record r has a job of its own; empty if each has one. The job of their hidden parent removes the others.
var hiddenRoots = map[string]string{
	"categories": ` AND NOT EXISTS (SELECT FROM categories p
				WHERE p.account_id = r.account_id AND p.id = r.parent_id AND p.deleted_at IS NOT NULL)`,
	"classification_centers": "",
	"credit_cards":           "",
	"custom_classifiers":     "",
	"custom_classifier_values": ` AND NOT EXISTS (SELECT FROM custom_classifiers p
				WHERE p.account_id = r.account_id AND p.id = r.custom_classifier_id AND p.deleted_at IS NOT NULL)`,
	"deposit_accounts": "",
	"entities":         "",
	"people":           "",
	"sale_accounts":    "",
	"webhooks":         ` AND ` + EntityVisible("r"),
}

// HiddenRecords returns the query for the account_id, the root and the id of each hidden record of all accounts that a
// job of its own, or one of its account, has to remove.
func HiddenRecords() string {
	var all []string
	for _, root := range slices.Sorted(maps.Keys(hiddenRoots)) {
		all = append(all, `SELECT account_id, '`+root+`' AS root, id FROM `+root+` r WHERE deleted_at IS NOT NULL`+
			hiddenRoots[root])
	}
	return strings.Join(all, `
			UNION ALL `)
}

// owners are, by table, the columns that refer to a parent that may be hidden, and the selections
// of the hidden parents. The records of these tables can also be found without their parent.
var owners = map[string]map[string]string{
	"budgets": {
		"category_id":              hidden("categories"),
		"classification_center_id": hidden("classification_centers"),
	},
	"credit_card_transactions": {"credit_card_id": hidden("credit_cards")},
	"credit_cards":             {"id": hidden("credit_cards")},
	"financial_accounts": {
		"sale_account_id": hidden("sale_accounts"),
		"credit_card_invoice_id": `SELECT id FROM credit_card_invoices
			WHERE account_id = $1 AND credit_card_id = ANY (ARRAY(` + hidden("credit_cards") + `))`,
	},
	"financial_transactions": {"deposit_account_id": hidden("deposit_accounts")},
	"reconciliation_rules":   {"deposit_account_id": hidden("deposit_accounts")},
	"sale_accounts":          {"id": hidden("sale_accounts")},
	"sales":                  {"sale_account_id": hidden("sale_accounts")},
}

// OwnerVisible returns the condition for records of a table, of the account $1, that are not below a
// hidden parent. A job has still to remove the others.
func OwnerVisible(table, alias string) string {
	var all []string
	for _, column := range slices.Sorted(maps.Keys(owners[table])) {
		// Null refers to no parent.
		all = append(all, `(`+alias+`.`+column+` <> ALL (ARRAY(`+owners[table][column]+`))) IS NOT FALSE`)
	}
	return strings.Join(all, ` AND `)
}

// ImportStays returns the condition for transactions, of the account $1, that no deleted statement brought. A job
// has still to remove the others: they can be read, but no request changes them or refers to them.
func ImportStays(alias string) string {
	return `NOT EXISTS (
		SELECT FROM bank_statements b WHERE b.account_id = $1 AND b.id = ` + alias + `.bank_statement_id
			AND b.deleted_at IS NOT NULL)`
}

// ListVisible returns the condition OwnerVisible, after an AND, for a list: "" if nothing is hidden, which is
// nearly always so. No index of the lists has the columns of the condition, and with it counting a million
// sales takes four times as long.
func (q Queries) ListVisible(ctx context.Context, account int64, table, alias string) (string, error) {
	found, err := q.anyHidden(ctx, account)
	if err != nil || !found {
		return "", err
	}
	return ` AND ` + OwnerVisible(table, alias), nil
}

// anyHidden reports whether the account has a hidden parent.
func (q Queries) anyHidden(ctx context.Context, account int64) (bool, error) {
	return db.One[bool](ctx, q.DB, `SELECT EXISTS (`+hidden("sale_accounts")+`) OR EXISTS (`+hidden("credit_cards")+`)
		OR EXISTS (`+hidden("deposit_accounts")+`)`, account)
}

// ShareOwners leaves out locked financial accounts that will be removed with a hidden credit card
// or sale account, and sets Awaits of the others. It protects the owners from being hidden
// until the transaction ends: it locks the sale accounts FOR KEY SHARE, and a card is hidden, or gets
// pending days, under the locks of its open payable accounts, as a sale that awaits pricing under the
// lock of its receivable account. The check is a statement of its own, because a statement that waited
// for a lock does not see a record that was hidden meanwhile.
func (tx *Tx) ShareOwners(ctx context.Context, account int64, accounts []finance.FinancialAccount) (
	[]finance.FinancialAccount, error) {
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
	_, err := db.Exec(ctx, tx.DB, `SELECT FROM sale_accounts WHERE account_id = $1 AND id = ANY($2)
		ORDER BY id FOR KEY SHARE`, account, saleAccounts)
	if err != nil {
		return nil, err
	}
	held, err := db.Many[struct {
		ID                  int64
		Gone, Days, Pricing bool
	}](ctx, tx.DB, `
		SELECT f.id, NOT (`+OwnerVisible("financial_accounts", "f")+`) AS gone, EXISTS (
			SELECT FROM credit_card_invoices i JOIN pending_card_days p ON p.account_id = $1
				AND p.credit_card_id = i.credit_card_id
			WHERE i.account_id = $1 AND i.id = f.credit_card_invoice_id AND i.end_date >= p.starts_on) AS days,
			f.status = 1 AND EXISTS (SELECT FROM sales s WHERE s.account_id = $1 AND s.financial_account_id = f.id
				AND s.awaiting_pricing) AS pricing
		FROM financial_accounts f WHERE f.account_id = $1 AND f.id = ANY($2)`, account, ids)
	gone, awaiting := map[int64]bool{}, map[int64]*messages.Fault{}
	for _, h := range held {
		gone[h.ID] = h.Gone
		switch {
		case h.Days:
			awaiting[h.ID] = messages.InvoiceAwaitsDays
		case h.Pricing:
			awaiting[h.ID] = messages.ReceivableAwaitsPricing
		}
	}
	accounts = slices.DeleteFunc(accounts, func(f finance.FinancialAccount) bool { return gone[f.ID] })
	for i := range accounts {
		accounts[i].Awaits = awaiting[accounts[i].ID]
	}
	return accounts, err
}

// EntityVisible returns the condition for records whose entity is not being deleted.
func EntityVisible(alias string) string {
	return `NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = ` + alias + `.account_id AND e.id = ` + alias +
		`.entity_id AND e.deleted_at IS NOT NULL)`
}
