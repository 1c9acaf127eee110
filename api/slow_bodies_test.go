package api_test

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// held sends the body of a request once release is closed, after the head.
func held(release <-chan struct{}) option {
	return func(r *http.Request) { r.Body = io.NopCloser(heldBody{r.Body, nil, release}) }
}

// stalled sends the last bytes of the body once release is closed.
func stalled(release <-chan struct{}) option {
	return func(r *http.Request) {
		r.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, r.ContentLength-1000),
			heldBody{r.Body, nil, release}))
	}
}

// heldWhenRead is held, and tells reading when the API begins to read the body: it knows the rights of the token then.
func heldWhenRead(reading chan<- struct{}, release <-chan struct{}) option {
	return func(r *http.Request) {
		r.Header.Set("Expect", "100-continue")
		r.Body = io.NopCloser(heldBody{r.Body, reading, release})
	}
}

type heldBody struct {
	io.Reader
	reading chan<- struct{}
	release <-chan struct{}
}

func (b heldBody) Read(p []byte) (int, error) {
	select {
	case b.reading <- struct{}{}:
	default:
	}
	<-b.release
	return b.Reader.Read(p)
}

// A body may take hours to arrive. What the token may do then counts.
func TestASlowBodyLosesItsRights(t *testing.T) {
	t.Parallel()
	var late atomic.Int64
	url := storagetest.DatabaseURL(t)
	s := serve(t, storagetest.Open(t, url, storage.Options{}), func(c *api.Config) {
		c.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	})
	s.client.Transport.(*http.Transport).ExpectContinueTimeout = testkit.Patience
	s.db, s.Tenant = storagetest.DB(t, url), storagetest.NewTenant(t, s.store)
	into, totals := s.newDepositAccount(t), paths.Entity(s.EntityID)+"/sales/totals"
	person, filter := document(`{"person":{"name":"Ana"}}`), document(`{"search":{"updated_at_gte":"2026-01-01"}}`)
	stay := func(*storage.Tx, string) error { return nil }
	member := func(tx *storage.Tx, token string) (int64, error) {
		return members.MemberID(t.Context(), tx.Queries, s.AccountID, token[:12]+"@example.com")
	}
	leave := func(tx *storage.Tx, token string) error {
		user, err := member(tx, token)
		if err != nil {
			return err
		}
		return members.RemoveMembership(t.Context(), tx, s.AccountID, user)
	}
	another := storagetest.NewTenant(t, s.store).AccountID
	join := func(tx *storage.Tx, token string) error { // with a token for all accounts
		user, err := member(tx, token)
		if err != nil {
			return err
		}
		if _, err := tx.DB.ExecContext(t.Context(), `UPDATE tokens SET account_id = NULL WHERE user_id = $1`,
			user); err != nil {
			return err
		}
		return members.PutMembership(t.Context(), tx, finance.Access{UserID: user, AccountID: another,
			AllEntities: true})
	}
	move := func(tx *storage.Tx, token string) error { return cmp.Or(join(tx, token), leave(tx, token)) }
	for _, c := range []struct {
		name, method, path string
		body               option
		meanwhile          func(tx *storage.Tx, token string) error
		want               int
	}{
		{"a document of a revoked token", "POST", "/people", person, revoke, 401},
		{"a file of a revoked token", "POST", into + "/bank_statements", parts(file("a.ofx", ofx)), revoke, 401},
		{"a document of a member who left", "POST", "/people", person, leave, 401},
		{"a document of a member who moved to another account", "POST", "/people", person, move, 422},
		{"a document of a member who joined another account", "POST", "/people", person, join, 201},
		{"the filters of a revoked token", "GET", "/people", filter, revoke, 401},
		{"the filters of totals of a revoked token", "GET", totals, filter, revoke, 401},
		{"the filters of a member who stays", "GET", "/people", filter, stay, 200},
		{"a document of a member who stays", "POST", "/people", person, stay, 201},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, token := storagetest.NewUser(t, s.store, finance.Access{AccountID: s.AccountID, AllEntities: true})
			reading, release, answers := make(chan struct{}, 1), make(chan struct{}), make(chan answer, 1)
			go func() {
				answers <- s.call(t, c.method, c.path, c.body, heldWhenRead(reading, release), as(token))
			}()
			select {
			case <-reading:
			case early := <-answers:
				t.Fatal(early)
			}
			if err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
				return c.meanwhile(tx, token)
			}); err != nil {
				t.Error(err)
			}
			late.Add(int64(time.Hour))
			close(release)
			(<-answers).want(t, c.want)
		})
	}
	err := filepath.WalkDir(s.files, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			t.Errorf("%s is left of the refused file", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// Its path has the entity, which the deletion locks in a way of its own.
func TestASlowDeletionOfAnEntity(t *testing.T) {
	t.Parallel()
	var seconds atomic.Int64
	url := storagetest.DatabaseURL(t)
	s := serve(t, storagetest.Open(t, url, storage.Options{}), func(c *api.Config) {
		// each body is slow
		c.Now = func() time.Time { return time.Now().Add(time.Duration(seconds.Add(2)) * time.Second) }
	})
	s.db, s.Tenant = storagetest.DB(t, url), storagetest.NewTenant(t, s.store)
	entity := paths.Entity(s.anotherEntity(t).ID)
	for range 2 {
		s.call(t, "DELETE", entity).want(t, 202)
	}
}

func revoke(tx *storage.Tx, token string) error {
	return members.RevokeToken(context.Background(), tx, token)
}
