package api

import (
	"context"
	"errors"
	"slices"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/members"
)

// accountMember is a member with the names in a request that are no permissions.
type accountMember struct {
	members.Member
	unknown []string
}

// accountMembers are the members of the account, by the id of the user. Storage emits their events, which the commands
// share.
var accountMembers = resource[accountMember]{
	root: "member", plural: "members",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[accountMember], error) {
		listed, err := members.Members(ctx, q, c.access.AccountID, l)
		all := list.Page[accountMember]{Total: listed.Total, Next: listed.Next}
		for _, m := range listed.Items {
			all.Items = append(all.Items, accountMember{Member: m})
		}
		return all, err
	},
	find: findMember,
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*accountMember, error) {
		if _, err := c.lockMaker(ctx, tx); err != nil {
			return nil, err
		}
		return findMember(ctx, tx.Queries, c, id)
	},
	assign:   assignMember,
	validate: validateMember,
	update: func(tx *storage.Tx, ctx context.Context, m *accountMember) error {
		return administered(members.PutMembership(ctx, tx, m.Access()))
	},
	remove: func(tx *storage.Tx, ctx context.Context, m *accountMember) error {
		return administered(members.RemoveMembership(ctx, tx, m.AccountID, m.ID))
	},
	show: showMember,
	path: func(_ *call, m *accountMember) string { return paths.Member(m.ID) },
}

func findMember(ctx context.Context, q storage.Queries, c *call, id int64) (*accountMember, error) {
	m, err := members.MemberOf(ctx, q, c.access.AccountID, id)
	return &accountMember{Member: *m}, err
}

// administered refuses a change that leaves the account without an administrator.
func administered(err error) error {
	if errors.Is(err, members.ErrLastAdministrator) {
		return finance.Refuse(finance.Base, messages.LastAdministrator)
	}
	return err
}

// assignMember assigns the rights of a member. A new administrator has all rights; one that becomes a plain member
// keeps all that are not taken away.
func assignMember(in *wire.Input, m *accountMember) {
	was := m.Administrator
	in.Bool("administrator", &m.Administrator)
	rights := requestedRights{denied: m.Denied, allEntities: m.AllEntities, entityIDs: m.EntityIDs,
		readOnly: m.ReadOnly}
	if m.Administrator && !was {
		rights = requestedRights{allEntities: true}
	}
	rights.assign(in)
	m.Denied, m.unknown, m.ReadOnly = rights.denied, rights.unknown, rights.readOnly
	m.AllEntities, m.EntityIDs = rights.allEntities, rights.entityIDs
}

// assignNewMember also assigns the e-mail, which names the user and never changes.
func assignNewMember(in *wire.Input, m *accountMember) {
	in.String("email", &m.Email)
	assignMember(in, m)
}

func validateMember(m *accountMember) error {
	var invalid finance.Invalid
	if err := invalid.Join(m.Validate()); err != nil {
		return err
	}
	validatePermissions(&invalid, m.unknown)
	return invalid.Err()
}

// validatePermissions adds a fault for each name that is no permission.
func validatePermissions(invalid *finance.Invalid, unknown []string) {
	names := permissionNames(finance.Permissions)
	for _, name := range unknown {
		invalid.AddAt("permissions/="+name, "permissions", messages.NotInList.Named(name, names).Of(names))
	}
}

// createMember adds a member: 201 with the member and, once, a code that logs it in.
func (a *API) createMember(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		limit, err := c.lockMaker(ctx, tx)
		if err != nil {
			return answer{}, err
		}
		m := &accountMember{Member: members.Member{AccountID: c.access.AccountID, AllEntities: true}}
		if err := reading(accountMembers, assignNewMember).apply(ctx, tx, c, in, m); err != nil {
			return answer{}, err
		}
		if err := members.AddMember(ctx, tx, &m.Member); err != nil {
			return answer{}, placed(in, err)
		}
		code, err := members.NewLoginCode(ctx, tx, m.AccountID, m.ID, limit)
		if err != nil {
			return answer{}, err
		}
		return onceShown(c, accountMembers, m, &code, showNewMember), nil
	})
}

func showMember(_ *call, w *wire.Writer, m *accountMember) {
	w.Int("id", m.ID)
	w.String("email", m.Email)
	showRights(w, m.Access())
	w.Time("created_at", m.CreatedAt)
}

func showNewMember(c *call, w *wire.Writer, m *secretly[accountMember]) {
	showMember(c, w, &m.Record)
	w.StringPtr("login_code", m.Secret)
}

// requestedRights are the rights of a member or a token as a request describes them.
type requestedRights struct {
	denied, unknown []string // permissions
	allEntities     bool
	entityIDs       []int64 // nil for all
	readOnly        bool
}

// assign assigns the rights that were sent. Null grants all; a list that is empty, or blank, grants nothing.
func (r *requestedRights) assign(in *wire.Input) {
	if in.Has("permissions") {
		var granted []string
		in.Strings("permissions", &granted)
		r.denied, r.unknown = nil, nil
		if !in.IsNull("permissions") {
			r.denied, r.unknown = finance.Denying(granted)
		}
	}
	if in.Has("entities") {
		r.entityIDs = nil
		in.IDs("entities", &r.entityIDs)
		slices.Sort(r.entityIDs)
		if r.allEntities = in.IsNull("entities"); !r.allEntities && r.entityIDs == nil {
			r.entityIDs = []int64{}
		}
	}
	in.Bool("read_only", &r.readOnly)
}

// ofToken returns the rights as those of a token.
func (r *requestedRights) ofToken() finance.Rights {
	return finance.Rights{Denied: r.denied, EntityIDs: r.entityIDs, ReadOnly: r.readOnly}
}

// showRights writes what a member or a token may do.
func showRights(w *wire.Writer, a finance.Access) {
	w.Bool("administrator", a.Administrator)
	w.StringArray("permissions", "permission", permissionNames(a.Allowed()))
	if a.CanSeeAll() || a.EntityIDs == nil {
		w.NullArray("entities")
	} else {
		w.IntArray("entities", "entity", a.EntityIDs)
	}
	w.Bool("read_only", a.ReadOnly)
}

func permissionNames(permissions []finance.Permission) []string {
	names := make([]string, len(permissions))
	for i, p := range permissions {
		names[i] = string(p)
	}
	return names
}

// rightFields describe the rights of members and of tokens.
var rightFields = openapi.Fields{
	"permissions": {Doc: "The permissions.",
		In:   "The permissions to grant. Absent on creation, or null: all; an empty list, or blank: none.",
		Enum: openapi.Enum{Name: "Permission", Values: permissionNames(finance.Permissions)}},
	"entities": {Doc: "The ids of the entities that can be seen; null for all, also later ones.",
		In: "The ids of the entities that can be seen. Absent on creation, or null: all; an empty list, or blank: " +
			"none."},
	"read_only": {Doc: "Whether only GET and HEAD are allowed.", In: "Whether to allow only GET and HEAD."},
}

var memberFields = fieldsOf(rightFields, openapi.Fields{
	"id": {Doc: "The id of the user."},
	"email": {Doc: "The e-mail of the user.", In: "The e-mail of the user, which cannot change later.",
		Format: "email"},
	"administrator": {Doc: "Whether the member is an administrator, who has every right.",
		In: "Whether the member is an administrator, who has every right: `true` gives back the rights that a " +
			"member lacks, and refuses to take one away."},
	"created_at": {Doc: "When the user became a member."},
	"login_code": {Doc: "A code that logs the member in at `/console/login`, once, within 10 minutes; no other " +
		"answer has it. Null in an answer that is repeated for its `Idempotency-Key`."},
})
