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
	_, err := db.One[int64](ctx, tx.DB, insertLoginCode.SQL, insertLoginCode.Args(db.Args{
		"account": account, "user": user, "sum": sum[:], "seconds": LoginCodeFor.Seconds(), "session_end": sessionEnd,
	})...)
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

// Redeem uses a login code, and starts a session of its member in its account, with the rights of the member. It
// emits the event of the session. A code that is unknown, expired or used is ErrNoLoginCode.
func Redeem(ctx context.Context, tx *storage.Tx, code string) (Session, error) {
	sum := TokenSum(code)
	s, err := startSession(ctx, tx, redeemLoginCode, db.Args{"code": sum[:]})
	if errors.Is(err, storage.ErrNotFound) {
		err = ErrNoLoginCode
	}
	return s, err
}

// Of two statements with one code, the second waits, and finds no row.
var redeemLoginCode = db.Named("login_codes.redeem", `
	WITH redeemed AS (
		DELETE FROM login_codes WHERE sha256 = @code AND expires_at > now()
		RETURNING account_id, user_id, session_expires_at
	)
	INSERT INTO tokens (sha256, user_id, account_id, prefix, name, expires_at, makes_until)
	SELECT @sum, user_id, account_id, @prefix, 'console', least(now() + interval '12 hours', session_expires_at),
		coalesce(session_expires_at, 'infinity')
	FROM redeemed RETURNING id, user_id, account_id, expires_at`)

// NewSession starts a session from a token that was typed in. The session opens the accounts of the token with the
// rights of the token, expires with it, and is revoked with it. It emits the event of the session. A token that is
// unknown, expired or revoked is ErrNoToken.
func NewSession(ctx context.Context, tx *storage.Tx, token string) (Session, error) {
	sum := TokenSum(token)
	s, err := startSession(ctx, tx, newSession, db.Args{"typed": sum[:]})
	if errors.Is(err, storage.ErrNotFound) {
		err = ErrNoToken
	}
	return s, err
}

// newSession locks the typed token: a revocation comes before, or finds the session.
var newSession = db.Named("tokens.new_session", `
	WITH typed AS (
		SELECT * FROM tokens WHERE sha256 = @typed AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
		FOR SHARE
	)
	INSERT INTO tokens (sha256, user_id, account_id, prefix, name, expires_at, denied, entity_ids, read_only,
		barred_accounts, session_of, makes_until)
	SELECT @sum, user_id, account_id, @prefix, 'console', least(now() + interval '12 hours', expires_at), denied,
		entity_ids, read_only, barred_accounts, coalesce(session_of, id), coalesce(makes_until, expires_at, 'infinity')
	FROM typed RETURNING id, user_id, account_id, expires_at`)

// startSession inserts the token of a session by a statement, and emits the event as the session itself.
func startSession(ctx context.Context, tx *storage.Tx, insert db.Statement, args db.Args) (Session, error) {
	token := tokens.New()
	sum := TokenSum(token)
	args["sum"], args["prefix"] = sum[:], TokenPrefix(token)
	s, err := db.One[Session](ctx, tx.DB, insert.SQL, insert.Args(args)...)
	if err != nil {
		return Session{}, err
	}
	s.Token = token
	ctx = jobs.WithAuthor(ctx, jobs.By{UserID: s.UserID, Token: TokenPrefix(token)})
	return s, emitTokens(ctx, tx, finance.Created, []int64{s.ID}, "")
}

// RemoveEndedSessions removes the sessions that expired more than 30 days ago, 1,000 in each statement, and returns
// their number: until then, operators see who had logged in. The tokens that people have made stay. It may run twice at
// once.
func RemoveEndedSessions(ctx context.Context, s *storage.Store) (removed int64, err error) {
	const some = 1000
	for {
		n, err := db.Exec(ctx, s.DB, removeEndedSessions.SQL, removeEndedSessions.Args(db.Args{"some": some})...)
		removed += n
		if err != nil || n < some {
			return removed, err
		}
	}
}

// A session that another one was started from expires no sooner: the cascade removes no session that may be used. No
// index is needed: tokens are few, once their sessions are removed.
var removeEndedSessions = db.Named("tokens.remove_sessions", `
	DELETE FROM tokens WHERE id = ANY(ARRAY(
		SELECT id FROM tokens WHERE makes_until IS NOT NULL AND expires_at < now() - interval '30 days'
		ORDER BY id LIMIT @some FOR UPDATE SKIP LOCKED))`)
