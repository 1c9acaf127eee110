// Package members has the users of accounts, their rights and their tokens. It is apart because its records
// decide on requests and no rule of finance reads them.
package members

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/jobs"
	"bordero/storage"

	"github.com/lib/pq"
)

// UpsertUser returns the id of the user with the e-mail, in any case of letters. It inserts
// the user if necessary.
func UpsertUser(ctx context.Context, tx *storage.Tx, email string) (int64, error) {
	return db.One[int64](ctx, tx.DB, `
		INSERT INTO users (email) VALUES ($1)
		ON CONFLICT (lower(email)) DO UPDATE SET email = users.email RETURNING id`, email)
}

// Email returns the e-mail of a user. An unknown user is ErrNotFound.
func Email(ctx context.Context, q storage.Queries, user int64) (string, error) {
	return db.One[string](ctx, q.DB, `SELECT email FROM users WHERE id = $1`, user)
}

// MemberID returns the id of the member of an account with the e-mail, in any case of letters. Somebody who is no
// member of the account is ErrNotFound, whether a user or not.
func MemberID(ctx context.Context, q storage.Queries, account int64, email string) (int64, error) {
	return db.One[int64](ctx, q.DB, `
		SELECT u.id FROM users u JOIN memberships m ON m.user_id = u.id
		WHERE m.account_id = $1 AND lower(u.email) = lower($2)`, account, email)
}

// ErrLastAdministrator refuses a change that leaves an account without an administrator.
var ErrLastAdministrator = errors.New("the account would have no administrator")

// List lists the members of an account with their rights, by e-mail.
func List(ctx context.Context, q storage.Queries, account int64) ([]finance.Access, error) {
	rows, err := db.Rows(ctx, q.DB, `
		SELECT u.id, u.email, m.account_id, m.administrator, m.denied, m.all_entities,
			ARRAY(SELECT e.entity_id FROM membership_entities e WHERE e.account_id = m.account_id AND e.user_id = u.id
				ORDER BY e.entity_id)
		FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.account_id = $1 ORDER BY lower(u.email)`, account)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var members []finance.Access
	for rows.Next() {
		var a finance.Access
		err := rows.Scan(&a.UserID, &a.UserEmail, &a.AccountID, &a.Administrator, pq.Array(&a.Denied), &a.AllEntities,
			pq.Array(&a.EntityIDs))
		if err != nil {
			return nil, err
		}
		members = append(members, a)
	}
	return members, rows.Err()
}

// Administrator is a member that receives the notifications that concern the account.
type Administrator struct {
	ID    int64
	Email string
}

// Administrators lists the administrators of an account, by id.
func Administrators(ctx context.Context, q storage.Queries, account int64) ([]Administrator, error) {
	return db.Many[Administrator](ctx, q.DB, `
		SELECT u.id, u.email FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.account_id = $1 AND m.administrator ORDER BY u.id`, account)
}

// lockMembers serialises changes of an account's memberships until the end of the
// transaction: whether an administrator remains depends on all rows. An unknown account, or
// one that is being deleted, is ErrNotFound.
func lockMembers(ctx context.Context, tx *storage.Tx, account int64) error {
	if err := tx.LockAccount(ctx, account); err != nil {
		return err
	}
	going, err := db.One[bool](ctx, tx.DB, `
		SELECT EXISTS (SELECT FROM jobs WHERE kind = $2 AND account_id = $1 AND args::json ->> 'root' = 'accounts')`,
		account, jobs.DeleteCascadeKind.Name)
	if err == nil && going {
		err = storage.ErrNotFound
	}
	return err
}

// administered returns ErrLastAdministrator if the account has no administrator left.
func administered(ctx context.Context, tx *storage.Tx, account int64) error {
	is, err := db.One[bool](ctx, tx.DB,
		`SELECT EXISTS (SELECT FROM memberships WHERE account_id = $1 AND administrator)`, account)
	if err == nil && !is {
		err = ErrLastAdministrator
	}
	return err
}

// RemoveMembership removes a user from an account, with effect at once in every process, and emits
// the event. The user's tokens remain. It returns ErrNotFound if the user is not a member, and
// ErrLastAdministrator for the last administrator.
func RemoveMembership(ctx context.Context, tx *storage.Tx, account int64, email string) error {
	if err := lockMembers(ctx, tx, account); err != nil {
		return err
	}
	user, err := db.One[int64](ctx, tx.DB, `
		DELETE FROM memberships USING users
		WHERE memberships.account_id = $1 AND users.id = memberships.user_id AND lower(users.email) = lower($2)
			RETURNING user_id`, account, email)
	if err != nil {
		return err
	}
	if err := administered(ctx, tx, account); err != nil {
		return err
	}
	return tx.Emit(ctx, finance.Event{Family: finance.MembersFamily, Action: finance.Destroyed, AccountID: account,
		IDs: []int64{user}})
}

// PutMembership inserts or replaces the rights of a user in an account, and emits the event of the
// change. An entity that the account does not have is a finance.Invalid; an account that is
// unknown, or being deleted, is ErrNotFound; a change of the last administrator to a member is
// ErrLastAdministrator.
func PutMembership(ctx context.Context, tx *storage.Tx, a finance.Access) error {
	if err := lockMembers(ctx, tx, a.AccountID); err != nil {
		return err
	}
	before, err := rightsOf(ctx, tx, a.AccountID, a.UserID)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `
		INSERT INTO memberships (account_id, user_id, administrator, denied, all_entities) VALUES ($1, $2, $3,
			coalesce($4, '{}'::text[]), $5)
		ON CONFLICT (account_id, user_id) DO UPDATE
		SET administrator = excluded.administrator, denied = excluded.denied, all_entities = excluded.all_entities`,
		a.AccountID, a.UserID, a.Administrator, pq.Array(a.Denied), a.AllEntities)
	if err != nil {
		return err
	}
	if err := administered(ctx, tx, a.AccountID); err != nil {
		return err
	}
	if err := putMembershipEntities(ctx, tx, a); err != nil {
		return err
	}
	after, err := rightsOf(ctx, tx, a.AccountID, a.UserID)
	if err != nil {
		return err
	}
	e := finance.Event{Family: finance.MembersFamily, Action: finance.Created, AccountID: a.AccountID, IDs: []int64{
		a.UserID}}
	if before != nil {
		e.Action, e.Attributes = finance.Updated, changedRights(before, after)
		if e.Attributes == "" {
			return nil
		}
	}
	return tx.Emit(ctx, e)
}

// rights are the rights of a member, as a change shows them.
type rights struct {
	Administrator bool
	Denied        pq.StringArray
	AllEntities   bool
	EntityIDs     pq.Int64Array
}

// rightsOf reads the rights of a member; nil for a user that is no member.
func rightsOf(ctx context.Context, tx *storage.Tx, account, user int64) (*rights, error) {
	r, err := db.One[rights](ctx, tx.DB, `
		SELECT administrator, denied, all_entities,
			ARRAY(SELECT entity_id FROM membership_entities e WHERE e.account_id = m.account_id
				AND e.user_id = m.user_id ORDER BY entity_id) AS entity_ids
		FROM memberships m WHERE account_id = $1 AND user_id = $2`, account, user)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	return &r, err
}

// changedRights returns the rights that differ, as the attributes of a change.
func changedRights(before, after *rights) string {
	changed := map[string][2]any{}
	if before.Administrator != after.Administrator {
		changed["administrator"] = [2]any{before.Administrator, after.Administrator}
	}
	if !slices.Equal(before.Denied, after.Denied) {
		changed["denied"] = [2]any{before.Denied, after.Denied}
	}
	if before.AllEntities != after.AllEntities {
		changed["all_entities"] = [2]any{before.AllEntities, after.AllEntities}
	}
	if !slices.Equal(before.EntityIDs, after.EntityIDs) {
		changed["entity_ids"] = [2]any{before.EntityIDs, after.EntityIDs}
	}
	if len(changed) == 0 {
		return ""
	}
	text, err := json.Marshal(changed)
	if err != nil {
		panic(err) // these values always marshal
	}
	return string(text)
}

// putMembershipEntities replaces the entities that a member may see.
func putMembershipEntities(ctx context.Context, tx *storage.Tx, a finance.Access) error {
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM membership_entities WHERE account_id = $1 AND user_id = $2`, a.AccountID,
		a.UserID)
	if err != nil || len(a.EntityIDs) == 0 {
		return err
	}
	n, err := db.Exec(ctx, tx.DB, `
		INSERT INTO membership_entities (account_id, user_id, entity_id)
		SELECT account_id, $2, id FROM entities WHERE account_id = $1 AND id = ANY($3)`, a.AccountID, a.UserID,
		a.EntityIDs)
	if err == nil && n < int64(len(a.EntityIDs)) {
		err = finance.Refuse("entity", messages.NotExisting)
	}
	return err
}
