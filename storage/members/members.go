// Package members has the users of accounts, their rights and their tokens. It is apart because its records
// decide on requests and no rule of finance reads them.
package members

import (
	"context"
	"encoding/json"
	"errors"
	"net/mail"
	"reflect"
	"time"
	"unicode/utf8"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage"
	"bordero/storage/list"

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

// Member is a member of an account, with its rights.
type Member struct {
	ID            int64 // of the user
	AccountID     int64
	Email         string
	Administrator bool
	Denied        pq.StringArray
	AllEntities   bool
	EntityIDs     pq.Int64Array
	ReadOnly      bool
	CreatedAt     time.Time
}

// Access returns what the member may do.
func (m *Member) Access() finance.Access {
	return finance.Access{
		UserID: m.ID, UserEmail: m.Email, AccountID: m.AccountID, Administrator: m.Administrator, Denied: m.Denied,
		AllEntities: m.AllEntities, EntityIDs: m.EntityIDs, ReadOnly: m.ReadOnly,
	}
}

// Validate refuses a member without an e-mail address, and an administrator without all rights.
func (m *Member) Validate() error {
	var invalid finance.Invalid
	validateEmail(&invalid, m.Email)
	if m.Administrator && len(m.Denied) > 0 {
		invalid.Add("permissions", messages.AdministratorMayAll)
	}
	if m.Administrator && !m.AllEntities {
		invalid.Add("entities", messages.AdministratorMayAll)
	}
	if m.Administrator && m.ReadOnly {
		invalid.Add("read_only", messages.AdministratorMayAll)
	}
	return invalid.Err()
}

// validateEmail refuses a text that is no address.
func validateEmail(invalid *finance.Invalid, email string) {
	switch a, err := mail.ParseAddress(email); {
	case email == "":
		invalid.Add("email", messages.Blank)
	case utf8.RuneCountInString(email) > maxText:
		invalid.Add("email", messages.TooLong.With(maxText))
	case err != nil || a.Address != email:
		invalid.Add("email", messages.NotEmail)
	}
}

// The e-mail is in small letters: its spelling is of the account that added the user first.
const memberColumns = `u.id, m.account_id, lower(u.email) AS email, m.administrator, m.denied, m.all_entities,
	ARRAY(SELECT e.entity_id FROM membership_entities e
		WHERE e.account_id = m.account_id AND e.user_id = m.user_id ORDER BY e.entity_id) AS entity_ids,
	m.read_only, m.created_at`

const membersOf = `memberships m JOIN users u ON u.id = m.user_id`

var memberFilters = list.Table("Member", map[string]list.Filter{
	"email_equals": list.Where("lower(u.email) = lower(?)", list.Text, "With this e-mail, in any case of letters."),
})

// Members lists the members of an account, by the id of the user.
func Members(ctx context.Context, q storage.Queries, account int64, l list.Query) (list.Page[Member], error) {
	return list.Read[Member](ctx, q.DB, l, memberFilters, memberColumns, membersOf+` WHERE m.account_id = @account`,
		list.By("m.user_id"), db.Args{"account": account})
}

// MemberOf reads a member of an account. A user who is no member is ErrNotFound.
func MemberOf(ctx context.Context, q storage.Queries, account, user int64) (*Member, error) {
	m, err := db.One[Member](ctx, q.DB, `
		SELECT `+memberColumns+` FROM `+membersOf+` WHERE m.account_id = $1 AND m.user_id = $2`, account, user)
	return &m, err
}

// List lists the members of an account with their rights, by e-mail.
func List(ctx context.Context, q storage.Queries, account int64) ([]finance.Access, error) {
	members, err := db.Many[Member](ctx, q.DB, `
		SELECT `+memberColumns+` FROM `+membersOf+` WHERE m.account_id = $1 ORDER BY lower(u.email)`, account)
	all := make([]finance.Access, len(members))
	for i := range members {
		all[i] = members[i].Access()
	}
	return all, err
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
	going, err := BeingDeleted(ctx, tx.Queries, account)
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

// AddMember inserts a member and its user, if there is none with the e-mail. It sets the id and the time of creation,
// and emits the event. Tokens that the user has for all accounts do not open this one: who adds a member must not
// change what the tokens of somebody else need. The faults of PutMembership and an e-mail that a member has are a
// finance.Invalid.
func AddMember(ctx context.Context, tx *storage.Tx, m *Member) error {
	if err := lockMembers(ctx, tx, m.AccountID); err != nil {
		return err
	}
	_, err := MemberID(ctx, tx.Queries, m.AccountID, m.Email)
	switch {
	case err == nil:
		return finance.Refuse("email", messages.Taken)
	case !errors.Is(err, storage.ErrNotFound):
		return err
	}
	if m.ID, err = UpsertUser(ctx, tx, m.Email); err != nil {
		return err
	}
	if err := bar(ctx, tx, m.AccountID, m.ID); err != nil {
		return err
	}
	if err := PutMembership(ctx, tx, m.Access()); err != nil {
		return err
	}
	added, err := MemberOf(ctx, tx.Queries, m.AccountID, m.ID)
	*m = *added
	return err
}

// bar bars the tokens that a user has for all accounts from one account. It locks them first: a session that one of
// them starts meanwhile is then stored, and barred too.
func bar(ctx context.Context, tx *storage.Tx, account, user int64) error {
	of := `t.user_id = $2 AND t.account_id IS NULL AND $1 <> ALL (t.barred_accounts) AND ` + valid
	_, err := db.Exec(ctx, tx.DB, `SELECT FROM tokens t WHERE `+of+` ORDER BY t.id FOR NO KEY UPDATE`, account,
		user)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `
		UPDATE tokens t SET barred_accounts = array_append(t.barred_accounts, $1) WHERE `+of, account, user)
	return err
}

// RemoveMembership removes a user from an account, with effect at once in every process, and emits
// the event. The user's tokens for this account alone are revoked; other tokens remain. It returns ErrNotFound if
// the user is not a member, and ErrLastAdministrator for the last administrator.
func RemoveMembership(ctx context.Context, tx *storage.Tx, account, user int64) error {
	if err := lockMembers(ctx, tx, account); err != nil {
		return err
	}
	_, err := db.One[int64](ctx, tx.DB, `
		DELETE FROM memberships WHERE account_id = $1 AND user_id = $2 RETURNING user_id`, account, user)
	if err != nil {
		return err
	}
	// A later statement than the one that waited for the logins of the user: it finds their sessions.
	revoked, err := db.Many[int64](ctx, tx.DB, `
		UPDATE tokens t SET revoked_at = now() WHERE t.account_id = $1 AND t.user_id = $2 AND `+valid+`
			RETURNING t.id`, account, user)
	if err != nil {
		return err
	}
	if err := administered(ctx, tx, account); err != nil {
		return err
	}
	if len(revoked) > 0 {
		if err := tx.Emit(ctx, finance.Event{Family: finance.TokensFamily, Action: finance.Destroyed,
			AccountID: account, IDs: revoked}); err != nil {
			return err
		}
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
		INSERT INTO memberships (account_id, user_id, administrator, denied, all_entities, read_only)
		VALUES ($1, $2, $3, coalesce($4, '{}'::text[]), $5, $6)
		ON CONFLICT (account_id, user_id) DO UPDATE SET administrator = excluded.administrator,
			denied = excluded.denied, all_entities = excluded.all_entities, read_only = excluded.read_only`,
		a.AccountID, a.UserID, a.Administrator, pq.Array(a.Denied), a.AllEntities, a.ReadOnly)
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
	ReadOnly      bool
}

// rightsOf reads the rights of a member; nil for a user that is no member.
func rightsOf(ctx context.Context, tx *storage.Tx, account, user int64) (*rights, error) {
	r, err := db.One[rights](ctx, tx.DB, `
		SELECT administrator, denied, all_entities, read_only,
			ARRAY(SELECT entity_id FROM membership_entities e WHERE e.account_id = m.account_id
				AND e.user_id = m.user_id ORDER BY entity_id) AS entity_ids
		FROM memberships m WHERE account_id = $1 AND user_id = $2`, account, user)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	return &r, err
}

// shown returns the rights as the API writes them: the permissions that the member has, and null for all entities.
func (r *rights) shown() map[string]any {
	access := finance.Access{Administrator: r.Administrator, Denied: r.Denied, AllEntities: r.AllEntities}
	shown := map[string]any{"administrator": r.Administrator, "entities": nil, "read_only": r.ReadOnly,
		"permissions": append([]finance.Permission{}, access.Allowed()...)} // [] for none: null is all
	if !access.CanSeeAll() {
		shown["entities"] = r.EntityIDs
	}
	return shown
}

// changedRights returns the rights that differ, as the attributes of a change.
func changedRights(before, after *rights) string {
	changed, now := map[string][2]any{}, after.shown()
	for name, was := range before.shown() {
		if !reflect.DeepEqual(was, now[name]) {
			changed[name] = [2]any{was, now[name]}
		}
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
	// The entities come first, as in the removal of an entity, which then removes its rows here.
	if err := entitiesExist(ctx, tx, &a.AccountID, a.EntityIDs); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM membership_entities WHERE account_id = $1 AND user_id = $2`, a.AccountID,
		a.UserID)
	if err != nil || len(a.EntityIDs) == 0 {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `
		INSERT INTO membership_entities (account_id, user_id, entity_id)
		SELECT account_id, $2, id FROM entities WHERE account_id = $1 AND id = ANY($3)`, a.AccountID, a.UserID,
		pq.Array(a.EntityIDs))
	return err
}
