package e2e

import (
	"net/http"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/testkit"
)

// The worker is killed in the middle of a preview, and the next one, after the confirmation, with
// everything written and nothing committed.
func TestAKilledWorkersPreviewIsBegunAgain(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, short)
	s.Serve()
	into := s.NewDepositAccount(t, "")
	b, err := s.Preview(into, statementtest.OFX(small))
	if err != nil {
		t.Fatal(err)
	}
	feed := s.Feed(b.ID)
	first := s.Worker()
	feed.Give(feed.Half())
	isInvisible(t, s, b)
	feed.Restore()
	first.Kill()
	second := s.Worker()
	testkit.Eventually(t, "the preview is begun again", func() bool { return s.Statement(t, b).Ended() })
	if b = s.Statement(t, b); b.Event.Status != finance.ImportPreviewed || b.Counts != (e2etest.Counts{Imported: small}) {
		t.Errorf("it ended as %+v", b)
	}
	s.Settled()
	if balance := s.Balance(t, into); balance != 0 {
		t.Errorf("the balance is %s", balance)
	}

	held := s.LockBalance(into)
	answer, err := s.Do(http.MethodPost, paths.BankStatement(s.Entity, into, b.ID)+"/confirm", "", nil)
	if err != nil || answer.Status != http.StatusAccepted {
		t.Fatalf("%v %v", answer, err)
	}
	held.Await()
	isInvisible(t, s, b)
	second.Kill()
	held.Release()
	s.Worker()
	isWhole(t, s, b, small)
	if n := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM previewed_items`); n != 0 {
		t.Errorf("%d previewed items are left", n)
	}
}
