package e2e

import (
	"errors"
	"net/http"
	"os"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// undone is the number of items of an import whose deletion takes several chunks.
var undone = tier.Size(11_000, 20_000)

// deleting returns a site whose only import is to be deleted; no worker runs yet.
func deleting(t *testing.T) (*e2etest.Site, e2etest.Statement) {
	t.Helper()
	s := e2etest.New(t, short)
	s.Serve()
	s.Worker()
	b := s.Import(t, s.NewDepositAccount(t, ""), statementtest.OFX(undone))
	answer, err := s.Do(http.MethodDelete, paths.BankStatement(s.Entity, b.DepositAccountID, b.ID), "", nil)
	if err != nil || answer.Status != http.StatusAccepted || len(answer.Body) > 0 {
		t.Fatalf("DELETE: %v %v", answer, err)
	}
	return s, b
}

// left returns the number of transactions, which must match the balance.
func left(t *testing.T, s *e2etest.Site) int {
	t.Helper()
	if off := e2etest.Value[string](t, s.DB, `
		SELECT concat(d.transactions_sum - coalesce(sum(t.amount), 0), ' ', d.transactions_count - count(t.id))
		FROM deposit_accounts d LEFT JOIN financial_transactions t
			ON t.deposit_account_id = d.id GROUP BY d.account_id, d.id`); off != "0.00 0" {
		t.Errorf("sum and number are off by %s", off)
	}
	return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM financial_transactions`)
}

func TestAKilledDeletionGoesOn(t *testing.T) {
	t.Parallel()
	s, b := deleting(t)
	into, file := b.DepositAccountID, s.File(b.ID)
	held := s.LockBalance(into)
	first := s.Start("work", "deletions").Ready()
	held.Await()
	last := claim(t, s)
	first.Kill()
	if n := left(t, s); n != undone {
		t.Errorf("killed before its first commit it leaves %d transactions", n)
	}
	second := s.Start("work", "deletions").Ready()
	awaitNextClaim(t, s, last)
	held.Await()
	// Lock waiters are served in order: one chunk, the test, the next chunk.
	again := make(chan *e2etest.LockedBalance)
	go func() { again <- s.LockBalance(into) }()
	testkit.Eventually(t, "two wait for the balance", func() bool {
		return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 2
	})
	held.Release()
	held = <-again
	held.Await()
	second.Kill()
	if n := left(t, s); n == undone || n == 0 {
		t.Errorf("killed in the middle it leaves %d transactions", n)
	}
	held.Release()
	s.Start("work", "deletions").Ready()
	s.Settled()
	if n := left(t, s); n != 0 {
		t.Errorf("%d transactions are left", n)
	}
	if rows := e2etest.Value[int](t, s.DB, `
		SELECT (SELECT count(*) FROM imported_items) + (SELECT count(*) FROM ignored_items) + (SELECT count(*)
			FROM bank_statements)`); rows != 0 {
		t.Errorf("%d rows of it are left", rows)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its file: %v", err)
	}
	if balance := s.Balance(t, into); balance != 0 {
		t.Errorf("the balance is %s", balance)
	}
	isWhole(t, s, s.Import(t, into, statementtest.OFX(undone)), undone)
}

// Items of a statement that waits for its deletion are no duplicates.
func TestAFileComesInAgainBeforeItsDeletionIsDone(t *testing.T) {
	t.Parallel()
	s, b := deleting(t)
	again := s.Import(t, b.DepositAccountID, statementtest.OFX(undone))
	if again.Event.Status != finance.ImportSuccess || again.Imported != undone {
		t.Errorf("%+v", again)
	}
	s.Start("work", "deletions").Ready()
	isWhole(t, s, again, undone)
	if n := left(t, s); n != undone {
		t.Errorf("%d transactions are left", n)
	}
}
