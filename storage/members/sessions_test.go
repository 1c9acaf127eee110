package members_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// loginCode makes a code for a user of an account.
func loginCode(t *testing.T, s *storage.Store, account, user int64, sessionEnd *time.Time) (code string) {
	t.Helper()
	err := s.InTx(t.Context(), func(tx *storage.Tx) (err error) {
		code, err = members.NewLoginCode(t.Context(), tx, account, user, sessionEnd)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// session starts a session by Redeem or NewSession.
func session(t *testing.T, s *storage.Store, start func(context.Context, *storage.Tx, string) (members.Session, error),
	secret string) (made members.Session, err error) {
	t.Helper()
	err = s.InTx(t.Context(), func(tx *storage.Tx) (err error) {
		made, err = start(t.Context(), tx, secret)
		return err
	})
	return made, err
}

func TestALoginCodeStartsOneSession(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, owner := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	first, tenant := storagetest.NewTenant(t, s), storagetest.NewTenant(t, s)
	account := tenant.AccountID
	user, _ := storagetest.NewUser(t, s, finance.Access{AccountID: account, Denied: []string{"budgets"},
		EntityIDs: []int64{tenant.EntityID}})
	err := s.InTx(t.Context(), func(tx *storage.Tx) error { // the session does not open this account
		return members.PutMembership(t.Context(), tx, finance.Access{UserID: user, AccountID: first.AccountID,
			Administrator: true, AllEntities: true})
	})
	if err != nil {
		t.Fatal(err)
	}
	code := loginCode(t, s, account, user, nil)
	made, err := session(t, s, members.Redeem, code)
	if err != nil || made.UserID != user || made.AccountID == nil || *made.AccountID != account {
		t.Fatalf("%+v, %v", made, err)
	}
	if left := time.Until(made.ExpiresAt); left > 12*time.Hour || left < 12*time.Hour-time.Minute {
		t.Errorf("the session lasts for %s", left)
	}
	_, accesses, err := members.Accesses(t.Context(), s, made.Token)
	if err != nil || len(accesses) != 1 || accesses[0].AccountID != account || accesses[0].Administrator ||
		!slices.Equal(accesses[0].Denied, []string{"budgets"}) ||
		!slices.Equal(accesses[0].EntityIDs, []int64{tenant.EntityID}) {
		t.Errorf("the session opens %+v, %v", accesses, err)
	}
	stored := owner.QueryRowContext(t.Context(), `SELECT count(*) FROM login_codes`)
	if left := -1; stored.Scan(&left) != nil || left != 0 {
		t.Errorf("%d codes are left", left)
	}

	expired, removed := loginCode(t, s, account, user, nil), loginCode(t, s, account, tenant.UserID, nil)
	sum := members.TokenSum(expired)
	if _, err := owner.ExecContext(t.Context(), `UPDATE login_codes SET expires_at = now() WHERE sha256 = $1`,
		sum[:]); err != nil {
		t.Fatal(err)
	}
	storagetest.NewUser(t, s, finance.Access{AccountID: account, Administrator: true, AllEntities: true})
	if err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		return members.RemoveMembership(t.Context(), tx, account, tenant.UserID)
	}); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Minute)
	for what, code := range map[string]string{
		"used": code, "expired": expired, "unknown": "0123", "empty": "", "a token": made.Token,
		"of a removed member": removed, "whose session has ended": loginCode(t, s, account, user, &past),
	} {
		if _, err := session(t, s, members.Redeem, code); !errors.Is(err, members.ErrNoLoginCode) {
			t.Errorf("a code that is %s: %v", what, err)
		}
	}
	soon := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	if made, err := session(t, s, members.Redeem, loginCode(t, s, account, user, &soon)); err != nil ||
		!made.ExpiresAt.Equal(soon) {
		t.Errorf("the session ends at %s, %v, want %s", made.ExpiresAt, err, soon)
	}
	err = s.InTx(t.Context(), func(tx *storage.Tx) error {
		_, err := members.NewLoginCode(t.Context(), tx, account, first.UserID, nil)
		return err
	})
	if !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a code for a user of another account: %v", err)
	}
}

func TestOfConcurrentUsesOfACodeOneStartsASession(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	tenant := storagetest.NewTenant(t, s)
	code := loginCode(t, s, tenant.AccountID, tenant.UserID, nil)
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() { _, errs[i] = session(t, s, members.Redeem, code) })
	}
	all.Wait()
	started := 0
	for _, err := range errs {
		switch {
		case err == nil:
			started++
		case !errors.Is(err, members.ErrNoLoginCode):
			t.Error(err)
		}
	}
	if started != 1 {
		t.Errorf("%d sessions", started)
	}
}

// A session of a token has what the token has, and ends with it.
func TestASessionOfATokenIsNoMoreThanTheToken(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	tenant := storagetest.NewTenant(t, s)
	soon := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	for name, n := range map[string]members.NewToken{
		"one account":  {AccountID: &tenant.AccountID},
		"all accounts": {},
		"narrowed": {AccountID: &tenant.AccountID, ExpiresAt: &soon, Rights: finance.Rights{
			Denied: []string{"budgets"}, EntityIDs: []int64{tenant.EntityID}, ReadOnly: true}},
	} {
		n.UserID = tenant.UserID
		token := storagetest.NewToken(t, s, n)
		first, err := session(t, s, members.NewSession, token)
		if err != nil {
			t.Fatal(name, err)
		}
		second, err := session(t, s, members.NewSession, token)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := session(t, s, members.NewSession, first.Token); !errors.Is(err, members.ErrNoToken) {
			t.Errorf("%s: a session of a session: %v", name, err)
		}
		_, want, err := members.Accesses(t.Context(), s, token)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, made := range []members.Session{first, second} {
			_, got, err := members.Accesses(t.Context(), s, made.Token)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
			}
			if made.ExpiresAt.After(time.Now().Add(12*time.Hour)) || n.ExpiresAt != nil && !made.ExpiresAt.Equal(soon) {
				t.Errorf("%s: expires at %s", name, made.ExpiresAt)
			}
		}
		if err := s.InTx(t.Context(), func(tx *storage.Tx) error {
			return members.RevokeToken(t.Context(), tx, token)
		}); err != nil {
			t.Fatal(err)
		}
		for what, secret := range map[string]string{"token": token, "session": first.Token, "second": second.Token} {
			if _, _, err := members.Accesses(t.Context(), s, secret); !errors.Is(err, members.ErrNoToken) {
				t.Errorf("%s: the %s after the token was revoked: %v", name, what, err)
			}
			if _, err := session(t, s, members.NewSession, secret); !errors.Is(err, members.ErrNoToken) {
				t.Errorf("%s: a session of the revoked %s: %v", name, what, err)
			}
		}
	}
}

// Of the sessions of a token, and of those of a member's login codes, the newest stay.
func TestTheOldestSessionsEnd(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, owner := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	tenant := storagetest.NewTenant(t, s)
	all := storagetest.NewToken(t, s, members.NewToken{UserID: tenant.UserID})
	_, colleague := storagetest.NewUser(t, s, finance.Access{AccountID: tenant.AccountID, AllEntities: true})
	begin := func(secret string) members.Session {
		t.Helper()
		start := members.NewSession
		if secret == "" {
			start, secret = members.Redeem, loginCode(t, s, tenant.AccountID, tenant.UserID, nil)
		}
		made, err := session(t, s, start, secret)
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	stay := []string{tenant.Token, all, begin(colleague).Token}
	for name, secret := range map[string]string{"one account": tenant.Token, "all accounts": all, "codes": ""} {
		oldest := begin(secret)
		for range members.MostSessions {
			stay = append(stay, begin(secret).Token)
		}
		if _, _, err := members.Accesses(t.Context(), s, oldest.Token); !errors.Is(err, members.ErrNoToken) {
			t.Errorf("%s: a session beyond the newest: %v", name, err)
		}
		events := -1
		if err := owner.QueryRowContext(t.Context(), `SELECT count(*) FROM unsealed_changes
			WHERE account_id = $1 AND family = 'tokens' AND action = 'destroyed' AND $2 = ANY(record_ids)`,
			tenant.AccountID, oldest.ID).Scan(&events); err != nil || events != 1 {
			t.Errorf("%s: the end of a session is %d changes, %v", name, events, err)
		}
	}
	for _, token := range stay {
		if _, accesses, err := members.Accesses(t.Context(), s, token); err != nil || len(accesses) != 1 {
			t.Errorf("a token that stays: %v, %v", accesses, err)
		}
	}
}

func TestSessionsThatBeginAtOnceCountEachOther(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, owner := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	tenant := storagetest.NewTenant(t, s)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 4 {
				if _, err := session(t, s, members.NewSession, tenant.Token); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	valid := -1
	if err := owner.QueryRowContext(t.Context(), `SELECT count(*) FROM tokens WHERE session_of IS NOT NULL
		AND revoked_at IS NULL`).Scan(&valid); err != nil || valid != members.MostSessions {
		t.Errorf("%d sessions are valid, %v", valid, err)
	}
}

// What has ended is no work for a revocation, however many sessions a token has had.
func TestRevocationsLeaveWhatHasEnded(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, owner := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	tenant := storagetest.NewTenant(t, s)
	for name, revoke := range map[string]func(*storage.Tx) error{
		"the token": func(tx *storage.Tx) error { return members.RevokeToken(t.Context(), tx, tenant.Token) },
		"the member": func(tx *storage.Tx) error {
			return members.RemoveMembership(t.Context(), tx, tenant.AccountID, tenant.UserID)
		},
	} {
		tenant.UserID, tenant.Token = storagetest.NewUser(t, s, finance.Access{AccountID: tenant.AccountID,
			Administrator: true, AllEntities: true})
		made, err := session(t, s, members.NewSession, tenant.Token)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := owner.ExecContext(t.Context(), `UPDATE tokens SET expires_at = now() WHERE id = $1`,
			made.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.InTx(t.Context(), revoke); err != nil {
			t.Fatal(name, err)
		}
		written := true
		if err := owner.QueryRowContext(t.Context(), `SELECT revoked_at IS NOT NULL FROM tokens WHERE id = $1`,
			made.ID).Scan(&written); err != nil || written {
			t.Errorf("%s: a session that has expired is revoked: %v, %v", name, written, err)
		}
	}
}

// Among many sessions that were revoked, those that are not are found by an index.
func TestManySessionsDelayNoRevocation(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	tenant := storagetest.NewTenant(t, storagetest.Open(t, url, storage.Options{}))
	named := db.Statements()
	plans := storagetest.NewPlans(t, url,
		fmt.Sprintf(`INSERT INTO tokens (sha256, user_id, account_id, prefix, revoked_at, session_of, makes_until)
			SELECT sha256(convert_to(i::text, 'UTF8')), %d, %d, 'prefix', now(), (SELECT min(id) FROM tokens),
				'infinity'
			FROM generate_series(1, 20000) i`, tenant.UserID, tenant.AccountID),
		`ANALYZE tokens`,
		`PREPARE revoke (bigint) AS `+named["tokens.revoke"].SQL,
		`PREPARE oldest (bigint, bigint, bigint, bigint) AS `+named["tokens.end_oldest_sessions"].SQL)
	for _, execute := range []string{`revoke (1)`, `oldest (1, 1, 1, 20)`} {
		plan := plans.Of(execute)
		for _, unwanted := range []string{"Seq Scan", "tokens_session_of", "tokens_user", "tokens_account"} {
			if strings.Contains(plan, unwanted) || !strings.Contains(plan, "tokens_valid") {
				t.Errorf("%s: %s in %s", execute, unwanted, plan)
			}
		}
	}
}

// A session that begins, or a token that is made, while its member is removed or its token revoked does not outlive
// that.
func TestASessionThatBeginsBesideItsEndEnds(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, owner := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	tenant := storagetest.NewTenant(t, s)
	for _, first := range []string{"login", "end"} {
		for _, secret := range []string{"code", "token", "new token"} {
			for _, end := range []string{"removal", "revocation"} {
				if secret != "token" && end == "revocation" {
					continue
				}
				user, token := storagetest.NewUser(t, s, finance.Access{AccountID: tenant.AccountID, AllEntities: true})
				start, typed := members.NewSession, token
				switch secret {
				case "code":
					start, typed = members.Redeem, loginCode(t, s, tenant.AccountID, user, nil)
				case "new token":
					start = func(ctx context.Context, tx *storage.Tx, _ string) (made members.Session, err error) {
						made.Token, _, err = members.MakeToken(ctx, tx,
							members.NewToken{UserID: user, AccountID: &tenant.AccountID})
						return made, err
					}
				}
				var made members.Session
				var login, ended error
				steps := map[string]func(*storage.Tx) error{
					"login": func(tx *storage.Tx) error {
						made, login = start(t.Context(), tx, typed)
						return login
					},
					"end": func(tx *storage.Tx) error {
						if end == "removal" {
							ended = members.RemoveMembership(t.Context(), tx, tenant.AccountID, user)
						} else {
							ended = members.RevokeToken(t.Context(), tx, token)
						}
						return ended
					},
				}
				second := steps["end"]
				if first == "end" {
					second = steps["login"]
				}
				var both sync.WaitGroup
				err := s.InTx(t.Context(), func(tx *storage.Tx) error {
					if err := steps[first](tx); err != nil {
						return err
					}
					both.Go(func() { _ = s.InTx(t.Context(), second) })
					storagetest.AwaitLock(t, owner, 1)
					return nil
				})
				both.Wait()
				name := first + " first, " + secret + ", " + end
				if err != nil || ended != nil {
					t.Errorf("%s: %v, %v", name, err, ended)
				}
				if first == "end" {
					if !errors.Is(login, members.ErrNoToken) && !errors.Is(login, members.ErrNoLoginCode) &&
						!(secret == "new token" && errors.Is(login, storage.ErrNotFound)) {
						t.Errorf("%s: a session begins: %v", name, login)
					}
					continue
				}
				if _, _, err := members.Accesses(t.Context(), s, made.Token); !errors.Is(err, members.ErrNoToken) {
					t.Errorf("%s: the session is valid: %v", name, err)
				}
			}
		}
	}
}

// A session of a token for all accounts that begins while its user is added to another account does not open that one.
func TestASessionThatBeginsBesideANewMembershipIsBarred(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, owner := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	tenant, other := storagetest.NewTenant(t, s), storagetest.NewTenant(t, s)
	token := storagetest.NewToken(t, s, members.NewToken{UserID: tenant.UserID})
	email, err := members.Email(t.Context(), s.Queries, tenant.UserID)
	if err != nil {
		t.Fatal(err)
	}
	var made members.Session
	var both sync.WaitGroup
	err = s.InTx(t.Context(), func(tx *storage.Tx) (err error) {
		if made, err = members.NewSession(t.Context(), tx, token); err != nil {
			return err
		}
		both.Go(func() {
			if err := s.InTx(t.Context(), func(tx *storage.Tx) error {
				return members.AddMember(t.Context(), tx, &members.Member{AccountID: other.AccountID, Email: email,
					AllEntities: true})
			}); err != nil {
				t.Error(err)
			}
		})
		storagetest.AwaitLock(t, owner, 1)
		return nil
	})
	both.Wait()
	_, accesses, read := members.Accesses(t.Context(), s, made.Token)
	if err != nil || read != nil || len(accesses) != 1 || accesses[0].AccountID != tenant.AccountID {
		t.Errorf("the session opens %+v: %v, %v", accesses, err, read)
	}
}
