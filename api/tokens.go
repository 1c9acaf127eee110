package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/members"
)

// accountTokens are the valid tokens that open the account. Storage emits the events of their creation and end, which
// the commands share.
var accountTokens = resource[members.Token]{
	root: "token", plural: "tokens",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[members.Token], error) {
		return members.ValidTokens(ctx, q, c.access.AccountID, l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*members.Token, error) {
		return members.ValidToken(ctx, q, c.access.AccountID, id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*members.Token, error) {
		if _, err := c.lockMaker(ctx, tx); err != nil {
			return nil, err
		}
		return members.LockToken(ctx, tx, c.access.AccountID, id)
	},
	assign:   func(in *wire.Input, t *members.Token) { in.StringPtr("name", &t.Name) },
	validate: (*members.Token).Validate,
	update:   asMethod(members.RenameToken),
	events: func(c *call, t *members.Token, action finance.Action) []finance.Event {
		if action != finance.Updated {
			return nil
		}
		return []finance.Event{{Family: finance.TokensFamily, Action: action, AccountID: c.access.AccountID,
			IDs: []int64{t.ID}}}
	},
	show: showToken,
	path: func(_ *call, t *members.Token) string { return paths.Token(t.ID) },
}

// lockMaker locks the account for a change of its members and tokens, and returns the latest end of what the token of
// the request makes; nil for none. A token that has lost its rights since the request began is refused.
func (c *call) lockMaker(ctx context.Context, tx *storage.Tx) (until *time.Time, err error) {
	until, err = members.LockMaker(ctx, tx, c.access.AccountID, c.token)
	switch {
	case errors.Is(err, members.ErrNoMaker):
		err = messages.Forbidden.Hinted(messages.NeedsAdministrator)
	case errors.Is(err, storage.ErrNotFound): // the account is being deleted
		err = messages.Unauthorized
	}
	return until, err
}

// tokenRequest is a token as a request describes it.
type tokenRequest struct {
	Name      *string
	Email     string // of the user
	rights    requestedRights
	ExpiresAt *time.Time
	now       time.Time
	limit     *time.Time // the latest expiry, by lockMaker; nil for never
	zone      *time.Location
}

// newTokens reads the documents of new tokens.
var newTokens = resource[tokenRequest]{root: accountTokens.root, assign: assignNewToken, validate: validateNewToken}

func assignNewToken(in *wire.Input, t *tokenRequest) {
	in.StringPtr("name", &t.Name)
	in.String("email", &t.Email)
	t.rights.assign(in)
	in.Time("expires_at", &t.ExpiresAt)
}

func validateNewToken(t *tokenRequest) error {
	var invalid finance.Invalid
	if err := invalid.Join((&members.Token{Name: t.Name}).Validate()); err != nil {
		return err
	}
	validatePermissions(&invalid, t.rights.unknown)
	switch at := t.ExpiresAt; {
	case at == nil:
		t.ExpiresAt = t.limit
	case !at.After(t.now):
		invalid.Add("expires_at", messages.NotFuture)
	case t.limit != nil && at.After(*t.limit):
		invalid.Add("expires_at", messages.AfterOwnExpiry.With(t.limit.In(t.zone).Format(time.RFC3339)))
	}
	return invalid.Err()
}

// createToken makes a token of a member: 201 with the token and, once, its value.
func (a *API) createToken(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		limit, err := c.lockMaker(ctx, tx)
		if err != nil {
			return answer{}, err
		}
		t := &tokenRequest{now: a.now(), limit: limit, zone: a.Zone, rights: requestedRights{allEntities: true}}
		var user int64
		withUser := newTokens
		withUser.lockReferences = func(ctx context.Context, tx *storage.Tx, c *call, t *tokenRequest, _ tokenRequest,
		) (err error) {
			user, err = c.memberID(ctx, tx, t.Email)
			return err
		}
		if err := withUser.apply(ctx, tx, c, in, t); err != nil {
			return answer{}, err
		}
		value, id, err := members.MakeToken(ctx, tx, members.NewToken{
			Name: t.Name, UserID: user, AccountID: &c.access.AccountID, Rights: t.rights.ofToken(),
			ExpiresAt: t.ExpiresAt,
		})
		if err != nil {
			return answer{}, placed(in, err)
		}
		made, err := members.ValidToken(ctx, tx.Queries, c.access.AccountID, id)
		if err != nil {
			return answer{}, err
		}
		return onceShown(c, accountTokens, made, &value, showNewToken), nil
	})
}

// memberID returns the id of the member with an e-mail; without an e-mail, that of the user of the request.
func (c *call) memberID(ctx context.Context, tx *storage.Tx, email string) (int64, error) {
	if email == "" {
		return c.userID, nil
	}
	user, err := members.MemberID(ctx, tx.Queries, c.access.AccountID, email)
	if errors.Is(err, storage.ErrNotFound) {
		err = finance.Refuse("email", messages.NoMember)
	}
	return user, err
}

// secretly is a new record with a secret that only the answer to its creation has.
type secretly[T any] struct {
	Record T
	Secret *string // nil in an answer that is repeated for its Idempotency-Key
}

// onceShown returns the answer to the creation of a record with a secret. The answer that is stored for an
// Idempotency-Key has none.
func onceShown[T any](c *call, r resource[T], t *T, secret *string,
	show func(*call, *wire.Writer, *secretly[T])) answer {
	document := func(secret *string) answer {
		return c.answer(http.StatusCreated, func(w *wire.Writer) {
			w.Object(r.root, func() { show(c, w, &secretly[T]{*t, secret}) })
		})
	}
	out := document(secret)
	out.location, out.bare = c.url(r.path(c, t)), document(nil).body
	return out
}

// destroyToken revokes a token, or bars one for all accounts from this account: 200, empty.
func (a *API) destroyToken(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
		t, err := accountTokens.lockForUpdate(ctx, tx, c)
		if err != nil {
			return answer{}, err
		}
		return c.answer(http.StatusOK, nil), members.EndToken(ctx, tx, c.access.AccountID, t)
	})
}

func showToken(_ *call, w *wire.Writer, t *members.Token) {
	w.Int("id", t.ID)
	w.String("prefix", t.Prefix)
	w.StringPtr("name", t.Name)
	w.Int("user_id", t.UserID)
	w.String("email", t.Email)
	w.Bool("all_accounts", t.AccountID == nil)
	showRights(w, t.Access())
	lastUsed := t.LastUsedAt
	if t.AccountID == nil { // it may have been used in another account
		lastUsed = nil
	}
	w.TimePtr("last_used_at", lastUsed)
	w.TimePtr("expires_at", t.ExpiresAt)
	w.Time("created_at", t.CreatedAt)
}

func showNewToken(c *call, w *wire.Writer, t *secretly[members.Token]) {
	showToken(c, w, &t.Record)
	w.StringPtr("value", t.Secret)
}

var tokenFields = fieldsOf(rightFields, openapi.Fields{
	"administrator": {Doc: "Whether the token may do all that an administrator of the account may."},
	"prefix":        {Doc: "The first six characters, by which logs and changes name the token."},
	"name":          {Doc: "What the token is for. Sessions of the console are named `console`.", Example: "ERP"},
	"user_id":       {Doc: "The id of the member whose token it is."},
	"email": {Doc: "The e-mail of the member whose token it is.",
		In:     "The e-mail of a member of the account, in any case of letters. Absent: that of the request's token.",
		Format: "email"},
	"all_accounts": {Doc: "Whether the token opens every account of its user; one of this account alone is false."},
	"last_used_at": {Doc: "The last use, accurate to an hour; null before, and for a token of all accounts."},
	"expires_at": {Doc: "When the token expires; null for never.",
		In: "When the token expires, at the latest when the request's token does, or what started the session of " +
			"the console. Absent or null: then, or never."},
	"value": {Doc: "The token itself, which no other answer has. Null in an answer that is repeated for its " +
		"`Idempotency-Key`."},
})
