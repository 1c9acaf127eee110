package storage

import (
	"context"
	"errors"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage/list"
)

// reconciliationRuleWritable are the columns that a client's document sets: all but the position,
// which may follow from the other rules.
var reconciliationRuleWritable = db.ColumnsOf[finance.ReconciliationRule](
	`name, automatic, text_contains, amount_gte, amount_lte, type,
	deposit_account_id, counterpart_document, new_account, match, category_id, person_id, classification_center_id, ` +
		`description, document,
	observation, days`)

// ReconciliationRuleColumns are read with the alias r.
var ReconciliationRuleColumns = `r.id, r.account_id, r.entity_id, r.position, ` + reconciliationRuleWritable.List(
	"r.") + `, r.created_at, r.updated_at`

// ReconciliationRulesOf selects the rules of an entity, without rules of hidden deposit accounts.
var ReconciliationRulesOf = `reconciliation_rules r WHERE r.account_id = @account AND r.entity_id = @entity AND ` +
	OwnerVisible("reconciliation_rules", "r")

var (
	readReconciliationRule = db.Named("reconciliation_rules.read",
		`SELECT `+ReconciliationRuleColumns+` FROM `+ReconciliationRulesOf+` AND r.id = @id`)
	lockReconciliationRule = db.Named("reconciliation_rules.lock",
		`SELECT coalesce(r.deposit_account_id, 0) FROM `+ReconciliationRulesOf+` AND r.id = @id
		FOR NO KEY UPDATE OF r`)
	countReconciliationRules = db.Named("reconciliation_rules.count", `SELECT count(*) FROM `+ReconciliationRulesOf)
)

// rulePosition is the @position of a rule of the entity, or the one after all others for 0.
const rulePosition = `coalesce(nullif(@position::int, 0),
	(SELECT least(coalesce(max(o.position), 0) + 1, @max_position::int)
	FROM reconciliation_rules o WHERE o.account_id = @account AND o.entity_id = @entity))`

var (
	insertReconciliationRule = db.Named("reconciliation_rules.insert",
		`INSERT INTO reconciliation_rules AS r (account_id, entity_id, position, `+reconciliationRuleWritable.List("")+
			`)
		VALUES (@account, @entity, `+rulePosition+`, `+reconciliationRuleWritable.Parameters()+`) RETURNING `+
			ReconciliationRuleColumns)
	updateReconciliationRule = db.Named("reconciliation_rules.update",
		`UPDATE reconciliation_rules AS r SET position = `+rulePosition+`, `+reconciliationRuleWritable.Assignments()+`,
		updated_at = now() WHERE r.account_id = @account AND r.entity_id = @entity AND r.id = @id RETURNING `+
			ReconciliationRuleColumns)
)

var reconciliationRuleFilters = list.Table("ReconciliationRule", map[string]list.Filter{
	"updated_at_gte": list.ChangedSince("r.")})

// ReconciliationRules lists the rules of the entity in the order in which they count.
func (q Queries) ReconciliationRules(ctx context.Context, s Scope, l list.Query) (list.Page[finance.ReconciliationRule],
	error) {
	return list.Read[finance.ReconciliationRule](ctx, q.DB, l, reconciliationRuleFilters, ReconciliationRuleColumns,
		ReconciliationRulesOf,
		list.By("r.id", list.NumberKey("r.position")), db.Args{"account": s.AccountID, "entity": s.EntityID})
}

// ReconciliationRule reads one rule of the entity.
func (q Queries) ReconciliationRule(ctx context.Context, s Scope, id int64) (*finance.ReconciliationRule, error) {
	r, err := db.OneNamed[finance.ReconciliationRule](ctx, q.DB, readReconciliationRule,
		db.Args{"account": s.AccountID, "entity": s.EntityID, "id": id})
	return &r, err
}

// RulesGoWith reports whether reconciliation rules are removed with deleted records, because they match accounts by the
// column that refers to them.
func (tx *Tx) RulesGoWith(ctx context.Context, account int64, column string, ids []int64) (bool, error) {
	going := db.Bind(`
		SELECT EXISTS (
			SELECT FROM reconciliation_rules r
			WHERE r.account_id = @account AND r.match AND r.` + column + ` = ANY(@ids::bigint[])
				AND ` + OwnerVisible("reconciliation_rules", "r") + ` AND ` + EntityVisible("r") + `)`)
	return db.OneNamed[bool](ctx, tx.DB, going, db.Args{"account": account, "ids": ids})
}

// LockReconciliationRule reads one rule of the entity, locks it FOR NO KEY UPDATE, to change it,
// and protects its deposit account from deletion until the transaction ends. It reads in a
// statement of its own: while it waited for the locks, the deposit account may have been hidden.
func (tx *Tx) LockReconciliationRule(ctx context.Context, s Scope, id int64) (*finance.ReconciliationRule, error) {
	of, err := db.OneNamed[int64](ctx, tx.DB, lockReconciliationRule,
		db.Args{"account": s.AccountID, "entity": s.EntityID, "id": id})
	if err != nil {
		return nil, err
	}
	if _, err := db.Exec(ctx, tx.DB, `SELECT FROM deposit_accounts WHERE account_id = $1 AND id = $2 FOR KEY SHARE`,
		s.AccountID, of); err != nil {
		return nil, err
	}
	return tx.ReconciliationRule(ctx, s, id)
}

// ReconciliationRuleConflicts refuses a new rule if its entity has the most rules allowed.
func (tx *Tx) ReconciliationRuleConflicts(ctx context.Context, r *finance.ReconciliationRule) error {
	if r.ID != 0 {
		return nil
	}
	n, err := db.OneNamed[int64](ctx, tx.DB, countReconciliationRules,
		db.Args{"account": r.AccountID, "entity": r.EntityID})
	if err == nil && n >= finance.MaxReconciliationRules {
		err = finance.Refuse(finance.Base, messages.TooManyRules.With(finance.MaxReconciliationRules))
	}
	return err
}

// InsertReconciliationRule stores a new rule and completes it with the values that the database
// set. The 101st rule of an entity is a finance.Invalid; additions to one entity wait for each
// other.
func (tx *Tx) InsertReconciliationRule(ctx context.Context, r *finance.ReconciliationRule) error {
	s := Scope{AccountID: r.AccountID, EntityID: r.EntityID}
	if _, err := tx.LockEntity(ctx, s); err != nil {
		return err
	}
	if err := tx.ReconciliationRuleConflicts(ctx, r); err != nil {
		return err
	}
	kept, err := db.OneNamed[finance.ReconciliationRule](ctx, tx.DB, insertReconciliationRule,
		reconciliationRuleWritable.Args(r), db.Args{
			"account": r.AccountID, "entity": r.EntityID, "position": r.Position,
			"max_position": finance.MaxRulePosition,
		})
	if err != nil {
		return err
	}
	*r = kept
	return nil
}

// UpdateReconciliationRule stores the changes of a locked rule.
func (tx *Tx) UpdateReconciliationRule(ctx context.Context, r *finance.ReconciliationRule) error {
	kept, err := db.OneNamed[finance.ReconciliationRule](ctx, tx.DB, updateReconciliationRule,
		reconciliationRuleWritable.Args(r), db.Args{
			"account": r.AccountID, "entity": r.EntityID, "id": r.ID, "position": r.Position,
			"max_position": finance.MaxRulePosition,
		})
	if err != nil {
		return err
	}
	*r = kept
	return nil
}

// RemoveReconciliationRule removes a rule. The reconciliations that it made stay.
func (tx *Tx) RemoveReconciliationRule(ctx context.Context, r *finance.ReconciliationRule) error {
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM reconciliation_rules WHERE account_id = $1 AND id = $2`, r.AccountID,
		r.ID)
	return err
}

// ShareRuleReferences finds the references of a rule and locks them FOR KEY SHARE until the
// transaction ends, as Share does. A missing deposit account is a finance.Invalid under
// deposit_account; any other missing record is one under its association's name, within match or
// new_account.
func (tx *Tx) ShareRuleReferences(ctx context.Context, s Scope, r *finance.ReconciliationRule,
	before finance.ReconciliationRule) error {
	var invalid finance.Invalid
	if r.DepositAccountID != nil && !finance.SameID(r.DepositAccountID, before.DepositAccountID) {
		err := tx.ShareDepositAccount(ctx, s, *r.DepositAccountID)
		if errors.Is(err, ErrNotFound) {
			invalid.Add("deposit_account", messages.NotExisting)
		} else if err != nil {
			return err
		}
	}
	action := "match"
	switch {
	case r.NewAccount == r.Match: // refused by Validate
		return invalid.Err()
	case r.NewAccount:
		action = "new_account"
	}
	err := tx.Share(ctx, s, finance.Access{}, Refers{References: &r.References},
		Refers{References: &before.References})
	if err := invalid.Within(action, err); err != nil {
		return err
	}
	return invalid.Err()
}
