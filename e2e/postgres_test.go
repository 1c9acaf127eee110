package e2e

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/e2e/e2etest"
	"bordero/internal/tier"
)

func TestARestartOfPostgresLosesNothing(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, e2etest.OwnPostgres, short)
	api, scheduler := s.Serve()
	worker := s.Worker()
	l := startLoad(t, s)
	var down []outage
	for _, mode := range tier.Size([]private.Mode{private.Immediate},
		[]private.Mode{private.Fast, private.Immediate, private.Fast, private.Immediate}) {
		l.more(t, tier.Size[int64](30, 60))
		from := time.Now()
		if err := s.Postgres.Restart(t.Context(), mode); err != nil {
			t.Fatal(err)
		}
		down = append(down, outage{from, time.Now()})
	}
	l.more(t, tier.Size[int64](30, 60))
	l.stop()
	l.failedOnly(t, down, func(err error) bool {
		var refused e2etest.Refused
		return errors.As(err, &refused) && refused.Status >= 500
	})
	l.isStored(t)

	all := []*e2etest.Process{api, scheduler, worker}
	if err := s.Postgres.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		p.Unready()
	}
	if err := s.Postgres.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		p.Ready()
	}
}

// A statement of the API that takes too long is aborted, and its locks are released.
func TestAStatementThatTakesTooLongIsGivenUp(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Start("api").Ready()
	tx, err := s.DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() // the end of the test
	if _, err := tx.ExecContext(t.Context(), `LOCK TABLE people`); err != nil {
		t.Fatal(err)
	}
	answer, err := s.Do(http.MethodGet, "/people", "", nil)
	if err != nil || answer.Status != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v", answer.Status, err)
	}
}

func TestAKilledAPILosesNothingItAccepted(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, short)
	api, _ := s.Serve()
	s.Worker()
	l := startLoad(t, s)
	var down []outage
	for range 3 {
		l.more(t, tier.Size[int64](30, 60))
		from := time.Now()
		api.Kill()
		api = s.Start("api").Ready()
		down = append(down, outage{from, time.Now()})
	}
	l.more(t, tier.Size[int64](30, 60))
	l.stop()
	// The connection breaks, or there is none: the API sends no error response.
	l.failedOnly(t, down, func(err error) bool { return !errors.As(err, new(e2etest.Refused)) })
	l.isStored(t)
}
