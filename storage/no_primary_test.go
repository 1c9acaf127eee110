package storage_test

import (
	"net/url"
	"testing"

	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// While one of several hosts becomes the primary, all of them answer, and none accepts writes.
func TestHostsWithoutAPrimaryAreTriedAgain(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(storagetest.DatabaseURL(t))
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("target_session_attrs", "read-write")
	query.Set("default_transaction_read_only", "on") // as a standby
	u.RawQuery = query.Encode()
	pool, err := db.Open(u.String(), db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	err = pool.PingContext(t.Context())
	if !storage.Unavailable(err) || storage.Reason(err) != "has no host that accepts writes" {
		t.Errorf("%v: %s", err, storage.Reason(err))
	}
}

// A server that becomes read-only while sessions are open, as some hosts make it when its disk is full, is an outage.
func TestAReadOnlyServerIsUnavailable(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		if _, err := tx.DB.ExecContext(t.Context(), `SET LOCAL transaction_read_only = on`); err != nil {
			t.Fatal(err)
		}
		_, err := tx.DB.ExecContext(t.Context(), `INSERT INTO accounts (name) VALUES ('a')`)
		return err
	})
	if !storage.Unavailable(err) {
		t.Error(err)
	}
}
