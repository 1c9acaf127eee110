package storage

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"

	"github.com/lib/pq"
)

// EventMapping describes the events of a table's rows when a job changes or removes many of them.
type EventMapping struct {
	family string // an expression of the row
	entity string // its column; "" for what has the entity of its parent
	parent string // the column of what is above it, and the table of that; "" for none
	above  string
	hides  bool // the event of a row with deleted_at was emitted when it was hidden
}

// EventMappings are those of the tables whose records have events, by table.
var EventMappings = map[string]*EventMapping{
	"attachments":              {family: `'attachments'`, entity: "entity_id"},
	"bank_statements":          {family: `'bank_statements'`, parent: "deposit_account_id", above: "deposit_accounts", hides: true},
	"classification_centers":   {family: `'classification_centers'`, entity: "entity_id", hides: true},
	"credit_card_transactions": {family: `'credit_card_transactions'`, parent: "credit_card_id", above: "credit_cards"},
	"credit_cards":             {family: `'credit_cards'`, entity: "entity_id", hides: true},
	"deposit_accounts":         {family: `'deposit_accounts'`, entity: "entity_id", hides: true},
	"financial_accounts":       {family: `kind || '_accounts'`, entity: "entity_id"},
	"financial_transactions":   {family: `'financial_transactions'`, parent: "deposit_account_id", above: "deposit_accounts"},
	"sale_accounts":            {family: `'sale_accounts'`, entity: "entity_id", hides: true},
	"sale_rules":               {family: `'sale_rules'`, parent: "sale_account_id", above: "sale_accounts"},
	"sales":                    {family: `'sales'`, entity: "entity_id"},
}

// Columns are what a statement returns of each row for Groups.
func (t *EventMapping) Columns() string {
	entity, parent, quiet := "NULL::bigint", "NULL::bigint", "false"
	if t.entity != "" {
		entity = t.entity
	}
	if t.parent != "" {
		parent = t.parent
	}
	if t.hides {
		quiet = "deleted_at IS NOT NULL"
	}
	return "id, " + t.family + " AS family, " + entity + " AS entity_id, " + parent + " AS parent_id, " + quiet + " AS quiet"
}

// Groups gathers the rows by event; $1 is the account.
func (t *EventMapping) Groups(rows string) string {
	entity := "entity_id"
	if t.entity == "" {
		entity = "(SELECT p.entity_id FROM " + t.above + " p WHERE p.account_id = $1 AND p.id = r.parent_id)"
	}
	return `SELECT family, ` + entity + ` AS entity_id, parent_id, ids FROM (
		SELECT family, entity_id, parent_id, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM ` + rows + ` GROUP BY 1, 2, 3) r`
}

// Changed runs a statement that changes records of a table, whose parameters begin
// with the account, and emits an event for each. The statement ends with RETURNING, to which the
// columns are added.
func (tx *Tx) Changed(ctx context.Context, table, statement string, action finance.Action, account int64, args ...any) error {
	t := EventMappings[table]
	groups, err := db.Many[struct {
		Family   finance.Family
		EntityID int64
		ParentID int64
		IDs      pq.Int64Array
	}](ctx, tx.DB, `WITH changed AS (`+statement+` `+t.Columns()+`)
		SELECT family, entity_id, coalesce(parent_id, 0) AS parent_id, coalesce(ids, '{}') AS ids FROM (`+t.Groups("changed")+`) g`,
		append([]any{account}, args...)...)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if len(g.IDs) == 0 {
			continue
		}
		err := tx.Emit(ctx, finance.Event{Family: g.Family, Action: action, AccountID: account, EntityID: g.EntityID, ParentID: g.ParentID, IDs: g.IDs})
		if err != nil {
			return err
		}
	}
	return nil
}
