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
	url := storagetest.DatabaseURL(t)
	s, db := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
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
		return tx.InsertFinancialTransaction(ctx, &finance.FinancialTransaction{
			AccountID: scope.AccountID, DepositAccountID: into.ID, Type: finance.Credit, Amount: 100, OccurredAt: finance.DateOf(time.Now()),
		})
	})
	if err := <-removed; err != nil || written != nil {
		t.Fatal(written, err)
	}
	if n := runs.Load(); n != 2 {
		t.Errorf("both were run %d times together", n)
	}
}
