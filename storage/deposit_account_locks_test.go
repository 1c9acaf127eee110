package storage_test

import (
	"sync/atomic"
	"testing"
	"time"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// The deletion of a deposit account waits for a writer below it without a lock that the writer
// needs: neither transaction is repeated.
func TestADeletionAndAWriterBelowItDoNotCross(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	s, db := database.Store, database.Owner
	scope := storagetest.NewTenant(t, s).Scope
	into := storagetest.NewDepositAccount(t, s, scope)
	ctx := t.Context()
	var runs atomic.Int64
	held, removed := make(chan struct{}), make(chan error, 1)
	go func() {
		<-held
		removed <- s.InTx(ctx, func(tx *storage.Tx) error {
			runs.Add(1)
			d, err := tx.LockDepositAccountForDelete(ctx, scope, into.ID)
			if err != nil {
				return err
			}
			return tx.RemoveDepositAccount(ctx, d)
		})
	}()
	written := s.InTx(ctx, func(tx *storage.Tx) error {
		if err := tx.ShareDepositAccount(ctx, scope, into.ID); err != nil {
			return err
		}
		if runs.Add(1) == 1 {
			close(held)
			storagetest.AwaitLock(t, db, 1)
		}
		return tx.InsertFinancialTransactions(ctx, []*finance.FinancialTransaction{{
			AccountID: scope.AccountID, DepositAccountID: into.ID, Type: finance.Credit, Amount: 100,
			OccurredAt: finance.DateOf(time.Now()),
		}})
	})
	if err := <-removed; err != nil || written != nil {
		t.Fatal(written, err)
	}
	if n := runs.Load(); n != 2 {
		t.Errorf("both were run %d times together", n)
	}
}

// What waited for an opening reads the register as open, so that an If-Match from before is refused.
func TestALockThatWaitedForAnOpeningSeesIt(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	s, db := database.Store, database.Owner
	scope := storagetest.NewTenant(t, s).Scope
	register := storagetest.NewDepositAccount(t, s, scope, func(d *finance.DepositAccount) {
		kind := int64(finance.CashRegister)
		d.DepositAccountTypeID = &kind
	})
	ctx := t.Context()
	held, seen := make(chan struct{}), make(chan error, 1)
	var status string
	go func() {
		<-held
		seen <- s.InTx(ctx, func(tx *storage.Tx) error {
			d, err := tx.LockDepositAccount(ctx, scope, register.ID)
			if err == nil {
				status = d.LastSession.Status()
			}
			return err
		})
	}()
	opened := s.InTx(ctx, func(tx *storage.Tx) error {
		d, err := tx.LockDepositAccount(ctx, scope, register.ID)
		if err != nil {
			return err
		}
		close(held)
		storagetest.AwaitLock(t, db, 1)
		return tx.OpenRegister(ctx, d, &finance.RegisterSession{OpenedAt: time.Now()})
	})
	if err := <-seen; err != nil || opened != nil {
		t.Fatal(opened, err)
	}
	if status != finance.RegisterOpen {
		t.Errorf("the register is %s", status)
	}
}
