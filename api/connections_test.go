package api_test

import (
	"context"
	"net/http"
	"testing"

	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/storagetest"

	"golang.org/x/sync/errgroup"
)

// However many requests of one account wait for the database, a quarter of the connections is left to
// the requests of others.
func TestABusyAccountLeavesConnectionsToOthers(t *testing.T) {
	t.Parallel()
	databaseURL := storagetest.DatabaseURL(t)
	s := serve(t, storagetest.Open(t, databaseURL, storage.Options{Connections: 4}))
	s.db = storagetest.DB(t, databaseURL)
	s.Tenant = storagetest.NewTenant(t, s.store)
	other := storagetest.NewTenant(t, s.store)
	held, err := s.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Rollback()
	if _, err := held.ExecContext(t.Context(), `LOCK TABLE people`); err != nil {
		t.Fatal(err)
	}
	var all errgroup.Group
	for range 4 {
		for _, r := range []struct {
			method  string
			options []option
			status  int
		}{
			{"GET", nil, http.StatusOK},
			{"POST", []option{document(`{"person":{"name":"Moinho","customer":true}}`)}, http.StatusCreated},
		} {
			all.Go(func() error {
				a, err := s.send(t.Context(), r.method, "/people", r.options...)
				if err == nil {
					equal(t, a.status, r.status)
				}
				return err
			})
		}
	}
	storagetest.AwaitLock(t, s.db, 3)
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
	defer cancel()
	a, err := s.send(ctx, "GET", "/entities", as(other.Token))
	if err != nil {
		t.Fatalf("a request of another account: %v", err)
	}
	a.want(t, http.StatusOK)
	storagetest.AwaitLock(t, s.db, 3)
	if err := held.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
}
