package cascade

import (
	"context"
	"slices"

	"bordero/storage"
	"bordero/storage/cards"
)

// A cascade empties tables in the order of these lists: rows that refer to a row are removed
// before it. A test compares the lists with the foreign keys of the schema, so that a new
// table cannot be forgotten.

// roots are the tables that cascades begin with. Each query finds the ids to remove, for the
// account $1 and the record $2. It finds a record only while it is hidden; an account is never
// hidden. The root "sandboxes" is the account too, but stays: only hidden rows go.
var roots = map[string]string{
	"accounts": `SELECT id FROM accounts WHERE id = $1 AND id = $2`,
	"categories": `
		WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL
			UNION ALL SELECT c.id FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id)
		SELECT id FROM tree`,
	"classification_centers":   hidden("classification_centers"),
	"credit_cards":             hidden("credit_cards"),
	"custom_classifiers":       hidden("custom_classifiers"),
	"custom_classifier_values": hidden("custom_classifier_values"),
	"deposit_accounts":         hidden("deposit_accounts"),
	"entities":                 hidden("entities"),
	"people":                   hidden("people"),
	"sale_accounts":            hidden("sale_accounts"),
	"sandboxes":                `SELECT id FROM accounts WHERE id = $1 AND id = $2 AND sandbox`,
	"webhooks":                 hidden("webhooks"),
}

func hidden(table string) string {
	return `SELECT id FROM ` + table + ` WHERE account_id = $1 AND id = $2 AND deleted_at IS NOT NULL`
}

var cascades = map[string][]step{
	"accounts": account,
	"categories": slices.Concat([]step{
		of(ownedTable{table: "budgets", owner: "category_id", parentTable: "categories", key: "month, id"}),
	}, unset("category_id")),
	"classification_centers": slices.Concat([]step{
		of(ownedTable{table: "budgets", owner: "classification_center_id", parentTable: "classification_centers",
			key: "month, id"}),
	}, unset("classification_center_id"),
		unclassifying("center", `classification_center_id = ANY(@ids::bigint[])`)),
	"credit_cards": slices.Concat([]step{exactly(purchases, cards.CascadePurchases)},
		belowCreditCards[1:]),
	"custom_classifiers": append(
		unclassifying("custom", `custom_classifier_value_id = ANY(ARRAY(
			SELECT id FROM custom_classifier_values WHERE account_id = @account
				AND custom_classifier_id = ANY(@ids::bigint[])))`),
		of(ownedTable{table: "custom_classifier_values", owner: "custom_classifier_id",
			parentTable: "custom_classifiers", key: "id"})),
	"custom_classifier_values": unclassifying("custom", `custom_classifier_value_id = ANY(@ids::bigint[])`),
	"deposit_accounts": slices.Concat([]step{exactly(transactions, byMethod((*storage.Tx).CascadeTransactions))},
		belowDepositAccounts,
		[]step{of(ownedTable{table: "reconciliation_rules", owner: "deposit_account_id",
			parentTable: "deposit_accounts", key: "id"})},
		clearing("expected_deposit_account_id", "sale_accounts", "financial_accounts")),
	"entities": entity,
	"people":   unset("person_id"),
	"sale_accounts": slices.Concat([]step{
		exactly(ownedTable{table: "sales", owner: "sale_account_id", parentTable: "sale_accounts", key: "id",
			newest: true}, RemoveSales),
		otherReceivables,
	}, belowSaleAccounts),
	"sandboxes": sandbox,
	"webhooks":  belowWebhooks,
}

// entity lists the tables of an entity, in the order that the schema's foreign keys require.
// Attachments come first: an attachment without records would be visible to every member. Webhooks
// come last, because they receive the events of the removal.
var entity = slices.Concat(
	[]step{
		of(ownedTable{table: "attachments", owner: "entity_id", parentTable: "entities", key: "id", files: true}),
		of(ownedTable{table: "sales", owner: "entity_id", parentTable: "entities", key: "id", newest: true}),
		of(ownedTable{table: "financial_accounts", owner: "entity_id", parentTable: "entities",
			key: "kind, status, due_date, id"}),
		of(ownedTable{table: "transfers", owner: "entity_id", parentTable: "entities", key: "id"}),
		of(transactions),
		of(ownedTable{table: "reconciles", owner: "entity_id", parentTable: "entities", key: "id"}),
		of(ownedTable{table: "reconciliation_rules", owner: "entity_id", parentTable: "entities", key: "position, id"}),
		of(ownedTable{table: "budgets", owner: "entity_id", parentTable: "entities", key: "month, id"}),
	},
	belowDepositAccounts, belowCreditCards,
	[]step{of(ownedTable{table: "credit_cards", owner: "entity_id", parentTable: "entities", key: "id"})},
	belowSaleAccounts,
	[]step{
		of(ownedTable{table: "sale_accounts", owner: "entity_id", parentTable: "entities", key: "id"}),
		of(ownedTable{table: "deposit_accounts", owner: "entity_id", parentTable: "entities", key: "id"}),
		of(ownedTable{table: "classification_centers", owner: "entity_id", parentTable: "entities", key: "id"}),
		muteWebhooks,
	},
	belowWebhooks,
	[]step{of(ownedTable{table: "webhooks", owner: "entity_id", parentTable: "entities", key: "id"})},
)

// account lists the tables of an account.
var account = slices.Concat([]step{markEntitiesDeleted}, entity, []step{
	of(ownedTable{table: "entities", owner: "account_id", parentTable: "accounts", key: "id"}),
	of(ownedTable{table: "people", owner: "account_id", parentTable: "accounts", key: "id"}),
	deleteLeafCategories(""),
	of(ownedTable{table: "custom_classifier_values", owner: "account_id", parentTable: "accounts", key: "id"}),
	of(ownedTable{table: "custom_classifiers", owner: "account_id", parentTable: "accounts", key: "id"}),
	of(ownedTable{table: "memberships", owner: "account_id", parentTable: "accounts", key: "user_id"}),
	of(ownedTable{table: "idempotency_keys", owner: "account_id", parentTable: "accounts", key: "path, key"}),
	deleteChanges,
})

// sandbox lists the tables of an account that a reset hides, and those below them. Records that were created since
// stay, as do members, tokens and changes.
var sandbox = slices.Concat(entity, []step{
	of(ownedTable{table: "entities", owner: "account_id", parentTable: "sandboxes", key: "id", hidden: true}),
	of(ownedTable{table: "people", owner: "account_id", parentTable: "sandboxes", key: "id", hidden: true}),
	deleteLeafCategories(` AND deleted_at IS NOT NULL`),
	of(ownedTable{table: "custom_classifier_values", owner: "custom_classifier_id", parentTable: "custom_classifiers",
		key: "id"}),
	of(ownedTable{table: "custom_classifiers", owner: "account_id", parentTable: "sandboxes", key: "id", hidden: true}),
})

var (
	transactions = ownedTable{
		table: "financial_transactions", owner: "deposit_account_id", parentTable: "deposit_accounts",
		key: "occurred_at, id", pairs: true,
	}
	purchases = ownedTable{
		table: "credit_card_transactions", owner: "credit_card_invoice_id", parentTable: "credit_card_invoices",
		key: "occurred_at, id",
	}
	belowDepositAccounts = []step{
		of(ownedTable{table: "imported_items", owner: "deposit_account_id", parentTable: "deposit_accounts",
			key: "day, amount, mark, ordinal"}),
		of(ownedTable{table: "ignored_items", owner: "bank_statement_id", parentTable: "bank_statements",
			key: "number"}),
		of(ownedTable{table: "folded_items", owner: "bank_statement_id", parentTable: "bank_statements",
			key: "outcome, first"}),
		of(ownedTable{table: "previewed_items", owner: "bank_statement_id", parentTable: "bank_statements",
			key: "number"}),
		of(ownedTable{table: "bank_statements", owner: "deposit_account_id", parentTable: "deposit_accounts", key: "id",
			files: true}),
		of(ownedTable{table: "register_sessions", owner: "deposit_account_id", parentTable: "deposit_accounts",
			key: "id"}),
	}
	belowCreditCards = []step{
		of(purchases),
		of(ownedTable{table: "credit_card_invoices", owner: "credit_card_id", parentTable: "credit_cards",
			key: "month"}),
	}
	belowSaleAccounts = []step{
		of(ownedTable{table: "sale_rule_applications", owner: "sale_account_id", parentTable: "sale_accounts",
			key: "id"}),
		of(ownedTable{table: "sale_rules", owner: "sale_account_id", parentTable: "sale_accounts", key: "id"}),
	}
	belowWebhooks = []step{of(ownedTable{table: "deliveries", owner: "webhook_id", parentTable: "webhooks", key: "id"})}
)

// of returns the step that removes a table's rows that belong to the root.
func of(b ownedTable) step {
	b.tells = storage.EventMappings[b.table]
	return step{name: b.table, ownedTable: &b}
}

// exactly returns the step that removes rows by a function, which keeps the sums of the
// remaining records in agreement.
func exactly(b ownedTable, remove rowRemover) step {
	b.removeRows = remove
	return of(b)
}

// rowRemover removes rows of the account by their ids.
type rowRemover func(ctx context.Context, tx *storage.Tx, account int64, ids []int64) error

// byMethod returns the rowRemover that a method of Tx is.
func byMethod(remove func(*storage.Tx, context.Context, int64, []int64) error) rowRemover {
	return func(ctx context.Context, tx *storage.Tx, account int64, ids []int64) error {
		return remove(tx, ctx, account, ids)
	}
}
