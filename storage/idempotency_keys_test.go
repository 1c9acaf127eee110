package storage_test

import (
	"testing"

	"bordero/storage"
	"bordero/storage/storagetest"

	"github.com/google/go-cmp/cmp"
)

func TestAnAnswerIsStoredWithOrWithoutABody(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	tenant := storagetest.NewTenant(t, s)
	for name, answer := range map[string]storage.StoredAnswer{
		"with":    {Status: 201, Location: "/people/1", ContentType: "application/json", Body: []byte(`{}`)},
		"without": {Status: 202},
	} {
		k := storage.IdempotencyKey{AccountID: tenant.AccountID, Path: "/people", Key: name, UserID: 1, Request: []byte{
			1}}
		err := s.InTx(t.Context(), func(tx *storage.Tx) error { return tx.StoreAnswer(t.Context(), k, answer) })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		err = s.InTx(t.Context(), func(tx *storage.Tx) error {
			kept, err := tx.TakeKey(t.Context(), k)
			if err == nil && (kept == nil || string(kept.Body) != string(answer.Body) || kept.Status != answer.Status) {
				t.Errorf("%s: %s", name, cmp.Diff(&answer, kept))
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
