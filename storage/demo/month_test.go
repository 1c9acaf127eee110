package demo_test

import (
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/demo"
	"bordero/storage/storagetest"
)

// A month is stored as it was generated, and its truth names the stored records.
func TestFillMonthStoresAMonthAndItsTruth(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	tenant := storagetest.NewTenant(t, s)
	month := finance.MonthOf(today).AddMonths(-1)
	filled, truth, err := demo.FillMonth(t.Context(), s, demo.Options{AccountID: tenant.AccountID, Seed: 5}, month,
		silent)
	if err != nil {
		t.Fatal(err)
	}
	if filled.FinancialTransactions != len(truth.Lines) || len(truth.Lines) < 300 ||
		truth.EntityID != filled.EntityID || filled.Sales == 0 {
		t.Errorf("%+v, and the truth has %d lines of entity %d", filled, len(truth.Lines), truth.EntityID)
	}
	storagetest.Agrees(t, s)
	scope := storage.Scope{AccountID: tenant.AccountID, EntityID: filled.EntityID}
	all := finance.Access{AccountID: tenant.AccountID, Administrator: true, AllEntities: true}
	for _, l := range truth.Lines {
		if l.Reconcile == nil {
			continue
		}
		err := s.InTx(t.Context(), func(tx *storage.Tx) error {
			_, err := tx.LockReconcilable(t.Context(), all, scope, l.Reconcile.AccountIDs, l.Reconcile.TransactionIDs)
			return err
		})
		if err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
}
