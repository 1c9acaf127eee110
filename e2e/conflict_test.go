package e2e

import (
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
)

// PostgreSQL aborts one transaction of a deadlock. It is retried, has its effect once, and the
// client sees no error.
func TestADeadlockIsTriedAgain(t *testing.T) {
	t.Parallel()
	t.Run("of a request", func(t *testing.T) {
		t.Parallel()
		s := e2etest.New(t)
		s.Serve()
		into := s.NewDepositAccount(t, "")
		held := s.LockBalance(into)
		answered := make(chan error)
		go func() {
			_, err := s.NewTransaction(into, 1_00, "1")
			answered <- err
		}()
		held.Await()
		held.Deadlock("entities")
		held.Release()
		if err := <-answered; err != nil {
			t.Errorf("it was answered with %v", err)
		}
		if balance := s.Balance(t, into); balance != 1_00 {
			t.Errorf("the balance is %s", balance)
		}
		s.Settled()
	})
	t.Run("of an import", func(t *testing.T) {
		t.Parallel()
		s := e2etest.New(t)
		s.Serve()
		into := s.NewDepositAccount(t, "")
		held := s.LockBalance(into)
		b := s.MustUpload(t, into, statementtest.OFX(small))
		worker := s.Worker()
		held.Await()
		held.Deadlock("jobs")
		held.Release()
		isWhole(t, s, b, small)
		if strings.Contains(worker.Out.String(), "result=failed") {
			t.Error("the job failed: only its transaction was to be tried again")
		}
	})
}
