package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
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

// A commit whose wait for a standby is cancelled is visible, and may be lost with the server. It is no success,
// and neither is the repetition, until a standby has both.
func TestACommitWithoutItsStandbyIsNoSuccess(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, e2etest.OwnPostgres)
	s.Start("api").Ready()
	send := func() (status int) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/people",
			strings.NewReader(`{"person": {"name": "Ana"}}`))
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth(s.Token, "x")
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", "ana")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Error(err)
			return 0
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	exec := func(statements ...string) {
		t.Helper()
		for _, statement := range statements {
			if _, err := s.DB.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	cancelled := func(what string) {
		t.Helper()
		answered := make(chan int, 1)
		go func() { answered <- send() }()
		var status int
		testkit.Eventually(t, what+" is answered", func() bool {
			exec(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
			select {
			case status = <-answered:
				return true
			default:
				return false
			}
		})
		if status != http.StatusServiceUnavailable {
			t.Errorf("%s, whose wait was cancelled, is answered with %d", what, status)
		}
	}
	exec(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`, `SELECT pg_reload_conf()`)
	testkit.Eventually(t, "the server waits for standbys", func() bool {
		return e2etest.Value[string](t, s.DB, `SHOW synchronous_standby_names`) == "nobody"
	})
	cancelled("a request")
	if n := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM people WHERE name = 'Ana'`); n != 1 {
		t.Errorf("%d people are visible", n)
	}
	cancelled("its repetition")
	exec(`ALTER SYSTEM RESET synchronous_standby_names`, `SELECT pg_reload_conf()`)
	testkit.Eventually(t, "the repetition is confirmed", func() bool { return send() == http.StatusCreated })
	if n := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM people WHERE name = 'Ana'`); n != 1 {
		t.Errorf("%d people are stored", n)
	}
}

func wantUnavailable(t *testing.T, err error) {
	t.Helper()
	var refused e2etest.Refused
	if !errors.As(err, &refused) || refused.Status != 503 || refused.Header.Get("Retry-After") == "" {
		t.Errorf("it was answered with %v", err)
	}
}
