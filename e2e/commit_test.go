package e2e

import (
	"errors"
	"fmt"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/testkit"
)

// A client that receives an error cannot know whether its work was committed. It must be
// committed completely or not at all.
func TestTheAnswerToACommitIsLost(t *testing.T) {
	t.Parallel()
	t.Run("before the API hears it", func(t *testing.T) {
		t.Parallel()
		s := e2etest.New(t)
		s.Worker()
		s.Start("scheduler").Ready() // not by the proxy: the relay commits, too
		proxy := s.Proxy()
		s.Start("api").Ready()
		byUpload, byHand := s.NewDepositAccount(t, ""), s.NewDepositAccount(t, "")

		proxy.LoseCommit(1)
		_, err := s.Upload(byUpload, statementtest.OFX(small))
		wantUnavailable(t, err)
		proxy.LoseCommit(1)
		_, err = s.NewTransaction(byHand, 1_00, "1")
		wantUnavailable(t, err)

		s.Settled()
		if balance, want := s.Balance(t, byUpload), statementtest.Total(small); balance != want {
			t.Errorf("after the upload the balance is %s, not %s", balance, want)
		}
		if balance := s.Balance(t, byHand); balance != 1_00 {
			t.Errorf("after the transaction the balance is %s", balance)
		}
		if b := s.Import(t, byUpload, statementtest.OFX(small)); b.Counts != (e2etest.Counts{Duplicate: small}) {
			t.Errorf("sent again, the file came to %+v", b)
		}
		s.NoStrays()
	})
	// The import commits three times: the start of processing, the staged items, the end.
	for n := int64(1); n <= 3; n++ {
		t.Run(fmt.Sprintf("before the worker hears its commit %d", n), func(t *testing.T) {
			t.Parallel()
			s := e2etest.New(t, short)
			s.Serve()
			proxy := s.Proxy()
			s.Worker()
			proxy.LoseCommit(n)
			b := s.MustUpload(t, s.NewDepositAccount(t, ""), statementtest.OFX(small))
			testkit.Eventually(t, "the answer is lost", proxy.Lost)
			isWhole(t, s, b, small)
			if now := s.Statement(t, b); now.Event.Status != finance.ImportSuccess {
				t.Errorf("afterwards it is %+v", now)
			}
		})
	}
}

func wantUnavailable(t *testing.T, err error) {
	t.Helper()
	var refused e2etest.Refused
	if !errors.As(err, &refused) || refused.Status != 503 || refused.Header.Get("Retry-After") == "" {
		t.Errorf("it was answered with %v", err)
	}
}
