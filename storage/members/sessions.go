package members

import (
	"context"
	"errors"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/tokens"
	"bordero/jobs"
	"bordero/storage"
)

// ErrNoLoginCode is returned for a login code that is unknown, expired or used.
var ErrNoLoginCode = errors.New("no such login code")

// LoginCodeFor is how long a login code is valid. A session lasts for 12 hours at most (newSession).
const LoginCodeFor = 10 * time.Minute

// Session is a token that a person works with in the console: named "console", and listed and revoked as all
// tokens.
type Session struct {
	Token     string // stored only as a hash
	ID        int64
	UserID    int64
	AccountID *int64 // nil: all accounts of the user that the typed token opens
	ExpiresAt time.Time
}

// NewLoginCode stores the hash of a new code, which logs a member of an account in once, within LoginCodeFor, and
// returns the code. The session ends by sessionEnd, if that is not nil; a code whose session would have ended is
// expired. A user that is no member is ErrNotFound.
func NewLoginCode(ctx context.Context, tx *storage.Tx, account, user int64, sessionEnd *time.Time) (string, error) {
	code := tokens.NewLoginCode()
	sum := TokenSum(code)
	_, err := db.OneNamed[int64](ctx, tx.DB, insertLoginCode, db.Args{
		"account": account, "user": user, "sum": sum[:], "seconds": LoginCodeFor.Seconds(), "session_end": sessionEnd,
	})
	return code, err
}

// insertLoginCode also removes the expired codes of the account. The lock keeps the membership until the code is
// stored.
var insertLoginCode = db.Named("login_codes.insert", `
	WITH expired AS (
		DELETE FROM login_codes WHERE account_id = @account AND expires_at <= now()
	), member AS (
		SELECT account_id, user_id FROM memberships WHERE account_id = @account AND user_id = @user FOR KEY SHARE
	)
	INSERT INTO login_codes (sha256, account_id, user_id, expires_at, session_expires_at)
	SELECT @sum, account_id, user_id, least(now() + @seconds * interval '1 second', @session_end), @session_end
	FROM member RETURNING user_id`)

// MostSessions is how many sessions of one token, or of the login codes of one member, are valid at once.
const MostSessions = 20

// beginning is what a session begins with: a login code, or a token that was typed in.
type beginning struct {
	UserID    int64
	AccountID *int64 // nil: all accounts of the user
	RootID    *int64 // the token with which the session ends; nil for a login code
}

// Redeem uses a login code, and starts a session of its member in its account, with the rights of the member. It
// emits the event of the session, and ends the oldest sessions beyond MostSessions. A code that is unknown, expired or
// used is ErrNoLoginCode.
func Redeem(ctx context.Context, tx *storage.Tx, code string) (Session, error) {
	sum := TokenSum(code)
	s, err := startSession(ctx, tx, findLoginCode, redeemLoginCode, sum[:])
	if errors.Is(err, storage.ErrNotFound) {
		err = ErrNoLoginCode
	}
	return s, err
}

var findLoginCode = db.Named("login_codes.find", `
	SELECT user_id, account_id, NULL::bigint AS root_id FROM login_codes
	WHERE sha256 = @secret AND expires_at > now()`)

// Of two statements with one code, the second waits, and finds no row.
var redeemLoginCode = db.Named("login_codes.redeem", `
	WITH redeemed AS (
		DELETE FROM login_codes WHERE sha256 = @secret AND expires_at > now()
		RETURNING account_id, user_id, session_expires_at
	)
	INSERT INTO tokens (sha256, user_id, account_id, prefix, name, expires_at, makes_until)
	SELECT @sum, user_id, account_id, @prefix, 'console', least(now() + interval '12 hours', session_expires_at),
		coalesce(session_expires_at, 'infinity')
	FROM redeemed RETURNING id, user_id, account_id, expires_at`)

// NewSession starts a session from a token that was typed in. The session opens the accounts of the token with the
// rights of the token, expires with it, and is revoked with it. It emits the event of the session, and ends the oldest
// sessions beyond MostSessions. A token that is unknown, expired or revoked is ErrNoToken. So is a session, because one
// that it started would outlive its end.
func NewSession(ctx context.Context, tx *storage.Tx, token string) (Session, error) {
	sum := TokenSum(token)
	s, err := startSession(ctx, tx, findTypedToken, newSession, sum[:])
	if errors.Is(err, storage.ErrNotFound) {
		err = ErrNoToken
	}
	return s, err
}

var findTypedToken = db.Named("tokens.find_typed", `
	SELECT t.user_id, t.account_id, t.id AS root_id FROM tokens t
	WHERE t.sha256 = @secret AND t.makes_until IS NULL AND `+valid)

// newSession locks the typed token: a revocation comes before, or finds the session.
var newSession = db.Named("tokens.new_session", `
	WITH locked AS (
		SELECT t.* FROM tokens t WHERE t.sha256 = @secret AND `+valid+` FOR SHARE
	)
	INSERT INTO tokens (sha256, user_id, account_id, prefix, name, expires_at, denied, entity_ids, read_only,
		barred_accounts, session_of, makes_until)
	SELECT @sum, user_id, account_id, @prefix, 'console', least(now() + interval '12 hours', expires_at), denied,
		entity_ids, read_only, barred_accounts, id, coalesce(expires_at, 'infinity')
	FROM locked RETURNING id, user_id, account_id, expires_at`)

// startSession finds what a session begins with, locks the memberships of the user, and inserts the token of the
// session. It emits the events as the session itself.
func startSession(ctx context.Context, tx *storage.Tx, find, insert db.Statement, secret []byte) (Session, error) {
	of, err := db.OneNamed[beginning](ctx, tx.DB, find, db.Args{"secret": secret})
	if err != nil {
		return Session{}, err
	}
	_, err = db.ExecNamed(ctx, tx.DB, lockMemberships, db.Args{"account": of.AccountID, "user": of.UserID})
	if err != nil {
		return Session{}, err
	}
	token := tokens.New()
	sum := TokenSum(token)
	s, err := db.OneNamed[Session](ctx, tx.DB, insert, db.Args{
		"secret": secret, "sum": sum[:], "prefix": TokenPrefix(token)})
	if err != nil {
		return Session{}, err
	}
	s.Token = token
	ended, err := db.ManyNamed[int64](ctx, tx.DB, endOldestSessions, db.Args{
		"account": of.AccountID, "user": of.UserID, "root": of.RootID, "most": MostSessions})
	if err != nil {
		return Session{}, err
	}
	ctx = jobs.WithAuthor(ctx, jobs.By{UserID: s.UserID, Token: TokenPrefix(token)})
	if err := emitTokens(ctx, tx, finance.Created, []int64{s.ID}, ""); err != nil || len(ended) == 0 {
		return s, err
	}
	return s, emitTokens(ctx, tx, finance.Destroyed, ended, "")
}

// lockMemberships has the sessions of a user begin one after the other, so that each counts the others. The removal of
// a member comes before, and then there is no session, or it finds the session.
var lockMemberships = db.Named("memberships.lock", `
	SELECT account_id FROM memberships WHERE user_id = @user AND (@account::bigint IS NULL OR account_id = @account)
	ORDER BY account_id FOR NO KEY UPDATE`)

// endOldestSessions revokes the oldest sessions of the same token, or of the login codes of the same member.
var endOldestSessions = db.Named("tokens.end_oldest_sessions", `
	WITH oldest AS (
		SELECT t.id FROM tokens t
		WHERE t.user_id = @user AND t.makes_until IS NOT NULL AND t.account_id IS NOT DISTINCT FROM @account::bigint
			AND t.session_of IS NOT DISTINCT FROM @root::bigint AND `+valid+`
		ORDER BY t.id DESC OFFSET @most
	)
	UPDATE tokens t SET revoked_at = now()
	WHERE t.user_id = @user AND t.id IN (SELECT id FROM oldest) AND `+valid+`
	RETURNING t.id`)

// RemoveEndedSessions removes the sessions that expired more than 30 days ago, 1,000 in each statement, and returns
// their number: until then, operators see who had logged in. The tokens that people have made stay. It may run twice at
// once.
func RemoveEndedSessions(ctx context.Context, s *storage.Store) (removed int64, err error) {
	const some = 1000
	for {
		n, err := db.ExecNamed(ctx, s.DB, removeEndedSessions, db.Args{"some": some})
		removed += n
		if err != nil || n < some {
			return removed, err
		}
	}
}

// No index is needed: tokens are few, once their sessions are removed.
var removeEndedSessions = db.Named("tokens.remove_sessions", `
	DELETE FROM tokens WHERE id = ANY(ARRAY(
		SELECT id FROM tokens WHERE makes_until IS NOT NULL AND expires_at < now() - interval '30 days'
		ORDER BY id LIMIT @some FOR UPDATE SKIP LOCKED))`)
