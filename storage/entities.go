package storage

import (
	"context"
	"errors"
	"fmt"

	"bordero/finance"
	"bordero/finance/taxid"
	"bordero/internal/db"
	"bordero/storage/list"

	"github.com/lib/pq"
)

const entityColumns = `id, account_id, name, federation_subscription_number, force_destroy,
	suggested_fine_percentage, suggested_monthly_interest_percentage, created_at, updated_at, deleted_at`

var entityFilters = list.Table("Entity", map[string]list.Filter{
	"name": list.Where("name = ?", list.Text, "Exact name."),
	"name_contains": list.Where("fold(name) LIKE fold(?)", list.Containing,
		"Part of the name, whatever its case and accents."),
	"federation_subscription_number_equals": list.Where(
		"federation_subscription_code = ?", taxNumber, "Exact CPF or CNPJ, formatted or not."),
	"federation_subscription_number_contains": list.Where(
		"federation_subscription_code LIKE ?", partOfTaxNumber, "Part of the CPF or CNPJ, formatted or not."),
	"federation_subscription_number_is_null": list.Where("(federation_subscription_number IS NULL) = ?", list.Boolean,
		"Without CPF and CNPJ."),
	"updated_at_gte": list.ChangedSince(""),
})

// A CPF or CNPJ is searched without its points and dashes.
var (
	taxNumber       = list.Type{Name: "string", Parse: func(s string) (any, error) { return taxid.Compact(s), nil }}
	partOfTaxNumber = list.Type{Name: "string", Parse: func(s string) (any, error) {
		return list.Containing.Parse(taxid.Compact(s))
	}}
)

// Entities lists the entities that the user may see, by id, including those that are
// being deleted.
func (q Queries) Entities(ctx context.Context, a finance.Access, l list.Query) (list.Page[finance.Entity], error) {
	return list.Read[finance.Entity](ctx, q.DB, l, entityFilters, entityColumns,
		`entities WHERE account_id = @account AND (@sees_all OR id = ANY(@entities))`, list.By("id"), accessArgs(a))
}

// accessArgs returns the parameters of the conditions for the entities that the user may see.
func accessArgs(a finance.Access) db.Args {
	return db.Args{"account": a.AccountID, "sees_all": a.CanSeeAll(), "entities": a.EntityIDs}
}

// VisibleEntities lists id and name of the entities that the user may see in the accounts, by account
// and id, and when the deletion of an entity was requested.
func (q Queries) VisibleEntities(ctx context.Context, user int64, accounts []int64) ([]finance.Entity, error) {
	return db.Many[finance.Entity](ctx, q.DB, `
		SELECT e.account_id, e.id, e.name, e.deleted_at
		FROM memberships m JOIN entities e ON e.account_id = m.account_id
		WHERE m.user_id = $1 AND m.account_id = ANY($2) AND (m.administrator OR m.all_entities
			OR EXISTS (SELECT FROM membership_entities s
			WHERE s.account_id = e.account_id AND s.user_id = m.user_id AND s.entity_id = e.id))
		ORDER BY e.account_id, e.id`, user, pq.Array(accounts))
}

// Entity reads the entity of the scope.
func (q Queries) Entity(ctx context.Context, s Scope) (*finance.Entity, error) {
	e, err := db.One[finance.Entity](ctx, q.DB, `SELECT `+entityColumns+
		` FROM entities WHERE account_id = $1 AND id = $2`, s.AccountID, s.EntityID)
	return &e, err
}

// ShareEntity reads the entity of the scope and locks it FOR KEY SHARE until the end of
// the transaction, against a deletion, which locks it FOR UPDATE. Every write below an
// entity begins with it, so that nothing is created below an entity being deleted.
func (tx *Tx) ShareEntity(ctx context.Context, s Scope) (*finance.Entity, error) {
	e, err := db.One[finance.Entity](ctx, tx.DB, `SELECT `+entityColumns+
		` FROM entities WHERE account_id = $1 AND id = $2 FOR KEY SHARE`,
		s.AccountID, s.EntityID)
	return &e, err
}

// ShareEntities is ShareEntity for several entities of an account, in the order of their ids. An entity that the
// account does not have is missing in the result.
func (tx *Tx) ShareEntities(ctx context.Context, account int64, ids []int64) ([]finance.Entity, error) {
	return db.Many[finance.Entity](ctx, tx.DB, `SELECT `+entityColumns+`
		FROM entities WHERE account_id = $1 AND id = ANY($2) ORDER BY id FOR KEY SHARE`, account, ids)
}

// InTxBelow is InTx for writes below an entity. The transaction begins with the lock of ShareEntity, in the
// round trip of BEGIN, and shared is true. If the scope has no entity, or if its entity is missing or being
// deleted, shared is false and nothing is locked: ShareEntity tells which.
func (s *Store) InTxBelow(ctx context.Context, scope Scope, fn func(tx *Tx, shared bool) error) error {
	if scope.EntityID != 0 {
		first := db.First{
			Prepare: `PREPARE share_entity (bigint, bigint) AS
				SELECT FROM entities WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR KEY SHARE`,
			Execute: fmt.Sprintf(`EXECUTE share_entity (%d, %d)`, scope.AccountID, scope.EntityID),
			Missed:  errNotShared,
		}
		err := s.inTx(ctx, first.Of(s.pool), func(tx *Tx) error { return fn(tx, true) })
		if !errors.Is(err, errNotShared) {
			return err
		}
	}
	return s.InTx(ctx, func(tx *Tx) error { return fn(tx, false) })
}

var errNotShared = errors.New("there is no entity to share")

// LockEntity reads the entity of the scope and locks it FOR NO KEY UPDATE, to change it.
func (tx *Tx) LockEntity(ctx context.Context, s Scope) (*finance.Entity, error) {
	e, err := db.One[finance.Entity](ctx, tx.DB, `SELECT `+entityColumns+
		` FROM entities WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`,
		s.AccountID, s.EntityID)
	return &e, err
}

// InsertEntity stores a new entity and fills in the columns that the database sets. It locks the account: a reset of a
// sandbox either removes the entity or precedes it.
func (tx *Tx) InsertEntity(ctx context.Context, e *finance.Entity) error {
	if err := tx.LockAccount(ctx, e.AccountID); err != nil {
		return err
	}
	return tx.storeEntity(ctx, insertEntity, e, nil)
}

var insertEntity = db.Named("entities.insert", `
	INSERT INTO entities (account_id, name, federation_subscription_number, federation_subscription_code,
		force_destroy, suggested_fine_percentage, suggested_monthly_interest_percentage)
	VALUES (@account, @name, @number, @code, @force_destroy, @fine, @interest)
	RETURNING `+entityColumns)

// storeEntity runs a statement that stores an entity, and fills in the columns that the database sets.
func (tx *Tx) storeEntity(ctx context.Context, statement db.Statement, e *finance.Entity, which db.Args) (err error) {
	*e, err = db.OneNamed[finance.Entity](ctx, tx.DB, statement, which, db.Args{
		"account": e.AccountID, "name": e.Name, "number": e.FederationSubscriptionNumber,
		"code": compactNumber(e.FederationSubscriptionNumber), "force_destroy": e.ForceDestroy,
		"fine": e.SuggestedFinePercentage, "interest": e.SuggestedMonthlyInterestPercentage,
	})
	return err
}

// UpdateEntity stores the changes of an entity.
func (tx *Tx) UpdateEntity(ctx context.Context, e *finance.Entity) error {
	return tx.storeEntity(ctx, updateEntity, e, db.Args{"id": e.ID})
}

var updateEntity = db.Named("entities.update", `
	UPDATE entities
	SET name = @name, federation_subscription_number = @number, federation_subscription_code = @code,
		force_destroy = @force_destroy, suggested_fine_percentage = @fine,
		suggested_monthly_interest_percentage = @interest, updated_at = now()
	WHERE account_id = @account AND id = @id
	RETURNING `+entityColumns)

// compactNumber returns a tax number in the form that searches compare.
func compactNumber(number *string) *string {
	if number == nil {
		return nil
	}
	code := taxid.Compact(*number)
	return &code
}

// LockEntityForDelete reads the entity of the scope and locks it FOR UPDATE, against every write
// below it. The deletion may have begun already. The account's row is locked first: its lock
// serialises deletions in the account, so that one entity remains.
func (tx *Tx) LockEntityForDelete(ctx context.Context, s Scope) (*finance.Entity, error) {
	if err := tx.LockAccount(ctx, s.AccountID); err != nil {
		return nil, err
	}
	e, err := db.One[finance.Entity](ctx, tx.DB, `SELECT `+entityColumns+
		` FROM entities WHERE account_id = $1 AND id = $2 FOR UPDATE`,
		s.AccountID, s.EntityID)
	return &e, err
}

// EntityContents reports the contents that prevent the deletion of a locked entity. Records that
// are being deleted themselves do not count.
func (tx *Tx) EntityContents(ctx context.Context, s Scope) (finance.EntityContents, error) {
	return db.One[finance.EntityContents](ctx, tx.DB, `
		SELECT NOT EXISTS (SELECT FROM entities WHERE account_id = $1 AND id <> $2 AND deleted_at IS NULL) AS last,
			EXISTS (SELECT FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2
				AND deleted_at IS NULL) AS deposit_accounts,
			EXISTS (SELECT FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2 AND `+
		OwnerVisible("financial_accounts", "f")+`) AS financial_accounts,
			EXISTS (SELECT FROM classification_centers WHERE account_id = $1 AND entity_id = $2
				AND deleted_at IS NULL) AS classification_centers`,
		s.AccountID, s.EntityID)
}

// RemoveEntity hides a locked entity and enqueues the deletion of it and of everything
// below it.
func (tx *Tx) RemoveEntity(ctx context.Context, e *finance.Entity) error {
	return tx.Hide(ctx, "entities", e.AccountID, e.ID)
}
