package storage

import (
	"context"
	"maps"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/internal/db"

	"github.com/lib/pq"
)

// EventMapping describes the events of a table's rows when a job changes or removes many of them.
type EventMapping struct {
	family string // an expression of the row
	entity string // its column; "" for records that have the entity of their parent
	parent string // the column that refers to the parent, and the parent's table; or ""
	above  string
	hides  bool   // the event of a row with deleted_at was emitted when it was hidden
	silent string // a condition of rows without events, or ""
	// concerns is an expression of the row for the concerns of its changes, or "".
	concerns string
}

// accountLevel is the entity of records of account level.
const accountLevel = "NULL::bigint"

// EventMappings has the mapping of each table of records with events, by table. It is nil if jobs that remove rows tell
// nothing: the rows have no events, were told of when they were hidden, or go with their account.
var EventMappings = map[string]*EventMapping{
	"attachments": { // the links may be removed before
		family: `'attachments'`, entity: "entity_id",
		concerns: `ARRAY['financial_transactions', 'payable_accounts', 'receivable_accounts']`,
	},
	"budgets": {family: `'budgets'`, entity: "entity_id"},
	"bank_statements": {family: `'bank_statements'`, parent: "deposit_account_id", above: "deposit_accounts",
		hides: true, silent: "preview_until IS NOT NULL"},
	"classification_centers":   {family: `'classification_centers'`, entity: "entity_id", hides: true},
	"credit_card_transactions": {family: `'credit_card_transactions'`, parent: "credit_card_id", above: "credit_cards"},
	"credit_cards":             {family: `'credit_cards'`, entity: "entity_id", hides: true},
	"custom_classifier_values": {family: `'custom_classifier_values'`, entity: accountLevel,
		parent: "custom_classifier_id", hides: true},
	"deposit_accounts":   {family: `'deposit_accounts'`, entity: "entity_id", hides: true},
	"financial_accounts": {family: `kind || '_accounts'`, entity: "entity_id"},
	"financial_transactions": {family: `'financial_transactions'`, parent: "deposit_account_id",
		above: "deposit_accounts"},
	"reconciles":           {family: `'reconciles'`, entity: "entity_id", concerns: `ARRAY[kind || '_accounts']`},
	"reconciliation_rules": {family: `'reconciliation_rules'`, entity: "entity_id"},
	"register_sessions":    {family: `'register_sessions'`, parent: "deposit_account_id", above: "deposit_accounts"},
	"sale_accounts":        {family: `'sale_accounts'`, entity: "entity_id", hides: true},
	"sale_rules":           {family: `'sale_rules'`, parent: "sale_account_id", above: "sale_accounts"},
	"sales":                {family: `'sales'`, entity: "entity_id"},
	"transfers":            {family: `'transfers'`, entity: "entity_id"},
	"webhooks":             {family: `'webhooks'`, entity: "entity_id", hides: true},

	"credit_card_invoices": nil, "custom_classifiers": nil, "deliveries": nil, "entities": nil, "folded_items": nil,
	"idempotency_keys": nil, "ignored_items": nil, "imported_items": nil, "memberships": nil, "people": nil,
	"previewed_items": nil, "sale_rule_applications": nil,
}

// Columns are the columns of each row that a statement returns for Groups.
func (t *EventMapping) Columns() string {
	entity, parent, quiet, concerns := "NULL::bigint", "NULL::bigint", "false", "NULL::text[]"
	if t.entity != "" {
		entity = t.entity
	}
	if t.parent != "" {
		parent = t.parent
	}
	if t.hides {
		quiet = "deleted_at IS NOT NULL"
	}
	if t.silent != "" {
		quiet += " OR " + t.silent
	}
	if t.concerns != "" {
		concerns = t.concerns
	}
	return "id, " + t.family + " AS family, " + entity + " AS entity_id, " + parent + " AS parent_id, " + quiet +
		" AS quiet, " + concerns + " AS concerns"
}

// Groups gathers the rows of @account by event.
func (t *EventMapping) Groups(rows string) string {
	entity := "entity_id"
	if t.entity == "" {
		entity = "(SELECT p.entity_id FROM " + t.above + " p WHERE p.account_id = @account AND p.id = r.parent_id)"
	}
	return `SELECT family, ` + entity + ` AS entity_id, parent_id, ids, to_json(concerns) AS concerns FROM (
		SELECT family, entity_id, parent_id, concerns, array_agg(id) FILTER (WHERE NOT quiet) AS ids FROM ` + rows +
		` GROUP BY 1, 2, 3, 4) r`
}

// ExecEmitting runs a statement that changes records of a table, and emits an event for each. The
// statement has the parameter @account and the names of args. It ends with RETURNING, to which ExecEmitting
// adds the columns.
func (tx *Tx) ExecEmitting(ctx context.Context, table, statement string, action finance.Action, account int64,
	args db.Args) error {
	t := EventMappings[table]
	change := db.Bind(`WITH changed AS (` + statement + ` ` + t.Columns() + `)
		SELECT family, coalesce(entity_id, 0) AS entity_id, coalesce(parent_id, 0) AS parent_id,
			coalesce(ids, '{}') AS ids, coalesce(concerns, '[]') AS concerns FROM (` + t.Groups("changed") + `) g`)
	groups, err := db.ManyNamed[struct {
		Family   finance.Family
		EntityID int64
		ParentID int64
		IDs      pq.Int64Array
		Concerns finance.FamilyList
	}](ctx, tx.DB, change, db.Args{"account": account}, args)
	if err != nil {
		return err
	}
	for _, g := range groups {
		if len(g.IDs) == 0 {
			continue
		}
		err := tx.Emit(ctx, finance.Event{
			Family: g.Family, Action: action, AccountID: account, EntityID: g.EntityID, ParentID: g.ParentID,
			IDs: g.IDs, VisibleTo: g.Concerns,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// EmitLoaded emits the creation of an entity and of all its records: for records that were loaded
// in bulk, without their single events.
func (tx *Tx) EmitLoaded(ctx context.Context, s Scope) error {
	err := tx.Emit(ctx, finance.Event{
		Family: finance.EntitiesFamily, Action: finance.Created, AccountID: s.AccountID, EntityID: s.EntityID,
		IDs: []int64{s.EntityID},
	})
	if err != nil {
		return err
	}
	for _, l := range loadedKinds() {
		e := finance.Event{Family: l.family, Action: finance.Created, AccountID: s.AccountID, EntityID: s.EntityID,
			VisibleTo: l.concerns}
		if err := tx.emit(ctx, e, l.statement, nil); err != nil {
			return err
		}
	}
	return nil
}

// loadedKind is a part of a table, with the statement that emits the creation of an entity's records in it.
type loadedKind struct {
	eventKind
	statement db.Statement
}

// loadedKinds returns the parts of all tables of an entity's records. It is bound on each call, because few
// processes load records.
func loadedKinds() (all []loadedKind) {
	for _, table := range slices.Sorted(maps.Keys(EventMappings)) {
		t := EventMappings[table]
		if t == nil || t.entity == accountLevel {
			continue
		}
		of, parent := t.entity+" = @entity", "NULL::bigint"
		if t.parent != "" {
			of, parent = t.parent+` IN (SELECT id FROM `+t.above+
				` WHERE account_id = @account AND entity_id = @entity)`, t.parent
		}
		for _, kind := range t.kinds() {
			records := `SELECT id, ` + parent + ` AS parent_id FROM ` + table + ` WHERE account_id = @account AND ` +
				of + kind.condition
			follow := following.event(finance.Event{Family: kind.family, Action: finance.Created})
			all = append(all, loadedKind{kind, db.Bind(emitRecords(records, changesOf(records), follow))})
		}
	}
	return all
}

// eventKind is a part of a table: the changes of its rows have one family and the same concerns.
type eventKind struct {
	family    finance.Family
	condition string
	concerns  finance.FamilyList
}

// kinds returns the parts of a table: financial accounts and reconciliations are parted by kind.
func (t *EventMapping) kinds() (all []eventKind) {
	name, constant := strings.CutPrefix(t.family, "'")
	if family := finance.Family(strings.TrimSuffix(name, "'")); constant && family != finance.ReconcilesFamily {
		return []eventKind{{family: family}}
	}
	for _, kind := range []finance.AccountKind{finance.Payable, finance.Receivable} {
		k := eventKind{family: finance.Family(kind + "_accounts"), condition: ` AND kind = ` +
			pq.QuoteLiteral(string(kind))}
		if constant {
			k.family, k.concerns = finance.ReconcilesFamily, finance.FamilyList{k.family}
		}
		all = append(all, k)
	}
	return all
}
