package storage_test

import (
	"context"
	"errors"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// The deletion of a classifier waits for an open transaction that has just classified a record
// by it. A later transaction finds no value.
func TestAClassifierIsNotDeletedWhileItIsShared(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, false)
	k := &finance.CustomClassifier{AccountID: s.AccountID, Name: "Canal"}
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		if err := tx.InsertCustomClassifier(ctx, k); err != nil {
			return err
		}
		return tx.InsertCustomClassifierValue(ctx, &finance.CustomClassifierValue{
			AccountID: s.AccountID, CustomClassifierID: k.ID, Value: "Praça"})
	})
	hold := func(tx *storage.Tx) error {
		list := finance.CustomClassifications{{CustomClassifierID: k.ID, Name: "praca"}}
		faults, err := tx.ShareEach(t.Context(), storage.Scope{AccountID: s.AccountID}, finance.Access{},
			[]storage.Refers{{References: &finance.References{}, CustomClassifications: list}})
		if err == nil {
			err = faults[0]
		}
		if err == nil && (list[0].ValueID == 0 || list[0].Name != "Praça") {
			t.Errorf("found %+v", list[0])
		}
		return err
	}
	removed := make(chan error, 1)
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		if err := hold(tx); err != nil {
			return err
		}
		go func() {
			removed <- s.InTx(ctx, func(tx *storage.Tx) error { return tx.RemoveCustomClassifier(ctx, k) })
		}()
		storagetest.AwaitLock(t, s.db, 1)
		return nil
	})
	if err := <-removed; err != nil {
		t.Fatal(err)
	}
	var invalid *finance.Invalid
	if err := s.InTx(t.Context(), hold); !errors.As(err, &invalid) ||
		invalid.Error() != "custom_classifications não existe: 1:praca" {
		t.Errorf("found after its deletion: %v", err)
	}
}
