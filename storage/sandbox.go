package storage

import (
	"context"
	"errors"

	"bordero/finance"
	"bordero/internal/db"
)

// ResetSandbox hides all records of the account, if it is a sandbox with this name, enqueues the job that removes
// them, and returns the entity with which the account begins again. Of any other account nothing is touched, and the
// error is a finance.Invalid. Members, tokens and the changes of the account stay; of the answers stored under
// idempotency keys, those about records that go.
func (tx *Tx) ResetSandbox(ctx context.Context, account int64, name string) (*finance.Entity, error) {
	// Its lock makes resets take turns, and stops the deletion of the account and changes of its categories.
	_, err := db.One[int64](ctx, tx.DB, `UPDATE accounts SET updated_at = now()
		WHERE id = $1 AND sandbox AND name = $2 RETURNING id`, account, name)
	if errors.Is(err, ErrNotFound) {
		return nil, tx.refuseReset(ctx, account, name)
	}
	if err != nil {
		return nil, err
	}
	for i, r := range resetTables {
		if i == 1 {
			// All below entities, the first, has ended. FOR UPDATE awaits the other records that are being created
			// with a reference to the account. Otherwise one that commits between two of the statements below could
			// stay and lose the answer stored under its key: repeated, it would be two.
			if _, err := db.Exec(ctx, tx.DB, `SELECT FROM accounts WHERE id = $1 FOR UPDATE`, account); err != nil {
				return nil, err
			}
		}
		ids, err := db.ManyNamed[int64](ctx, tx.DB, r.hide, db.Args{"account": account})
		if err != nil {
			return nil, err
		}
		if err := tx.emitReset(ctx, account, r.family, ids); err != nil {
			return nil, err
		}
	}
	_, err = db.ExecNamed(ctx, tx.DB, deleteSandboxKeys, db.Args{"account": account})
	if err != nil {
		return nil, err
	}
	if err := tx.insertDefaultCategories(ctx, account); err != nil {
		return nil, err
	}
	e, err := tx.InsertFirstEntity(ctx, account, name)
	if err != nil {
		return nil, err
	}
	return e, tx.Destroy(ctx, "sandboxes", account, account)
}

func (tx *Tx) refuseReset(ctx context.Context, account int64, name string) error {
	a, err := db.One[finance.Account](ctx, tx.DB, `SELECT name, sandbox FROM accounts WHERE id = $1`, account)
	if err != nil {
		return err
	}
	return a.Resettable(name)
}

// emitReset emits the deletion of the records. An entity is told only to those who may see it: its event is its own.
func (tx *Tx) emitReset(ctx context.Context, account int64, family finance.Family, ids []int64) error {
	e := finance.Event{Family: family, Action: finance.Destroyed, AccountID: account, IDs: ids}
	switch family {
	case finance.CustomClassifierValuesFamily:
		return tx.EmitRecords(ctx, e, emitValues, db.Args{"ids": ids})
	case finance.EntitiesFamily:
	default:
		return tx.Emit(ctx, e)
	}
	for _, id := range ids { // an account has few
		e.EntityID, e.IDs = id, []int64{id}
		if err := tx.Emit(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// emitValues is Emit for values of several classifiers: the parent of each is its own.
var emitValues = EmissionOf("emit.custom_classifier_values", `SELECT id, custom_classifier_id AS parent_id
	FROM custom_classifier_values WHERE account_id = @account AND id = ANY(@ids::bigint[])`,
	finance.CustomClassifierValuesFamily)

// ofSandbox is a condition of each statement of a reset: it selects no row of an account that is no sandbox.
const ofSandbox = `account_id = (SELECT id FROM accounts WHERE id = @account AND sandbox)`

// resetTables are the tables that a reset hides, entities first (docs/locking.md); all other records of the account
// are below their rows.
var resetTables = []struct {
	family finance.Family
	hide   db.Statement
}{
	{finance.EntitiesFamily, hideSandbox("entities")},
	{finance.CategoriesFamily, hideSandbox("categories")},
	{finance.PeopleFamily, hideSandbox("people")},
	{finance.CustomClassifiersFamily, hideSandbox("custom_classifiers")},
	{finance.CustomClassifierValuesFamily, hideSandbox("custom_classifier_values")},
}

func hideSandbox(table string) db.Statement {
	return db.Named("sandbox.hide_"+table, `
		UPDATE `+table+` SET deleted_at = now(), updated_at = now()
		WHERE `+ofSandbox+` AND id = ANY(ARRAY(
			SELECT id FROM `+table+` WHERE account_id = @account AND deleted_at IS NULL ORDER BY id FOR UPDATE))
		RETURNING id`)
}

// deleteSandboxKeys leaves the keys of the paths of records that a reset leaves: a repetition would make another token.
var deleteSandboxKeys = db.Named("sandbox.delete_keys", `DELETE FROM idempotency_keys WHERE `+ofSandbox+`
	AND path NOT IN ('/tokens', '/members', '/sandbox/reset')`)
