package faults

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// entering creates people and uploads statements until stop, each repeated with its key until it is
// accepted.
type entering struct {
	*e2etest.Site
	t        *testing.T
	accepted atomic.Int64
	longest  atomic.Int64 // nanoseconds until an answer that accepts
	stop     chan struct{}
}

func (e *entering) enter(name string) {
	for n := 0; ; n++ {
		select {
		case <-e.stop:
			return
		case <-time.After(100 * time.Millisecond):
		}
		began := time.Now()
		body := fmt.Sprintf(`{"person": {"name": "%s-%d"}}`, name, n)
		testkit.Eventually(e.t, "a person is accepted", func() bool {
			request, err := http.NewRequestWithContext(e.t.Context(), http.MethodPost, e.URL+"/people",
				strings.NewReader(body))
			if err != nil {
				e.t.Error(err)
				return true
			}
			request.SetBasicAuth(e.Token, "x")
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", name, n))
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				return false
			}
			_ = answer.Body.Close()
			return answer.StatusCode == http.StatusCreated
		})
		e.accepted.Add(1)
		if took := int64(time.Since(began)); took > e.longest.Load() {
			e.longest.Store(took)
		}
	}
}

// A primary that is frozen, while its kernel still acknowledges what it receives, is left for the
// standby that was promoted: requests and jobs go on without anybody's help, and nothing that was
// confirmed is lost or doubled.
func TestAStalledPrimaryIsLeft(t *testing.T) {
	tier.NeedsLong(t, "waits for the limits of statements and leases")
	t.Parallel()
	s := e2etest.New(t, e2etest.OwnPostgres, e2etest.Set("BORDERO_LEASE=3s"),
		e2etest.Set("BORDERO_DATABASE_CONNECTIONS=10"))
	standby := s.Standby()
	s.Serve()
	s.Start("work", "statements").Ready()
	account := s.NewDepositAccount(t, "")
	e := &entering{Site: s, t: t, stop: make(chan struct{})}
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() { e.enter(fmt.Sprint("client-", i)) })
	}
	testkit.Eventually(t, "people are accepted", func() bool { return e.accepted.Load() >= 50 })
	s.FreezePostgres()
	froze := time.Now()
	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	promoted, before := time.Now(), e.accepted.Load()
	testkit.Eventually(t, "people are accepted by the standby", func() bool { return e.accepted.Load() > before+4 })
	t.Logf("promoted after %v, the first requests accepted %v later", promoted.Sub(froze), time.Since(promoted))

	var file bytes.Buffer
	file.WriteString("!Type:Bank\nD13/03/2026\nT-10.00\nPTarifa\n^\n")
	if ended := s.Import(t, account, file.Bytes()); ended.Imported != 1 {
		t.Errorf("an upload after it: %+v", ended)
	}
	t.Logf("an import has ended %v after the promotion", time.Since(promoted))
	close(e.stop)
	clients.Wait()
	t.Logf("%d people accepted, the longest after %v", e.accepted.Load(), time.Duration(e.longest.Load()))
	var total, names int64
	answer, err := s.Do(http.MethodGet, "/people?per_page=1", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(answer.Header.Get("X-Total-Count"), &total); err != nil {
		t.Fatal(err)
	}
	if names = e.accepted.Load(); total != names {
		t.Errorf("%d people are stored, and %d were accepted", total, names)
	}
}
