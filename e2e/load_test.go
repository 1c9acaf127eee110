package e2e

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// load is clients that upload statements and create transactions until it is stopped, and the
// results of their requests.
type load struct {
	s                *e2etest.Site
	byUpload, byHand int64 // deposit accounts
	over             chan struct{}
	clients          sync.WaitGroup
	accepted         atomic.Int64

	mu           sync.Mutex
	uploads      []e2etest.Statement
	transactions []e2etest.Transaction
	failed       []failure
}

// failure is a request with an unexpected response.
type failure struct {
	begun, ended time.Time
	err          error
}

// outage is a time in which requests may fail.
type outage struct{ from, to time.Time }

// pause is how long a client waits after each answer. Without it, the clients do as much as the processors
// allow while a server starts again; the long tier does.
var pause = tier.Size(50*time.Millisecond, 0)

// perFile is how many items each uploaded file has. No two files share one.
const perFile = 20

func startLoad(t *testing.T, s *e2etest.Site) *load {
	l := &load{s: s, byUpload: s.NewDepositAccount(t, ""), byHand: s.NewDepositAccount(t, ""),
		over: make(chan struct{})}
	l.run(3, func(n int) error {
		b, err := s.Upload(l.byUpload, statementtest.OFX(perFile, statementtest.From(n*perFile)))
		if err == nil {
			l.note(func() { l.uploads = append(l.uploads, b) })
		}
		return err
	})
	l.run(3, func(n int) error {
		made, err := s.NewTransaction(l.byHand, 1_00, fmt.Sprint("hand ", n))
		if err == nil {
			l.note(func() { l.transactions = append(l.transactions, made) })
		}
		return err
	})
	return l
}

func (l *load) note(what func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	what()
}

// run runs clients that send requests, each with a number of its own.
func (l *load) run(clients int, request func(n int) error) {
	var number atomic.Int64
	for range clients {
		l.clients.Go(func() {
			for {
				select {
				case <-l.over:
					return
				default:
				}
				begun := time.Now()
				if err := request(int(number.Add(1))); err != nil {
					l.note(func() { l.failed = append(l.failed, failure{begun, time.Now(), err}) })
					// refusals are quick, and must not starve the processes that start
					<-time.After(5 * time.Millisecond)
				} else {
					l.accepted.Add(1)
					<-time.After(pause)
				}
			}
		})
	}
}

// more waits until n more requests have been accepted.
func (l *load) more(t *testing.T, n int64) {
	t.Helper()
	want := l.accepted.Load() + n
	testkit.Eventually(t, fmt.Sprintf("%d more requests are accepted", n), func() bool {
		return l.accepted.Load() >= want
	})
}

func (l *load) stop() {
	close(l.over)
	l.clients.Wait()
}

// failedOnly checks that requests failed only during the outages, and as expected.
func (l *load) failedOnly(t *testing.T, during []outage, expected func(error) bool) {
	t.Helper()
	for _, f := range l.failed {
		excused := false
		for _, o := range during {
			excused = excused || f.ended.After(o.from) && f.begun.Before(o.to)
		}
		if !excused || !expected(f.err) {
			t.Errorf("a request failed, during an outage: %t: %v", excused, f.err)
		}
	}
}

// isStored checks that everything accepted is stored once, and that all stored data agrees.
func (l *load) isStored(t *testing.T) {
	t.Helper()
	for _, b := range l.uploads {
		if b = l.s.AwaitEnd(t, b); b.Event.Status != finance.ImportSuccess || b.Imported != perFile {
			t.Errorf("an accepted upload came to %+v", b)
		}
	}
	l.s.Settled()
	for _, made := range l.transactions {
		if !e2etest.Value[bool](t, l.s.DB, `SELECT EXISTS (SELECT FROM financial_transactions WHERE id = $1)`,
			made.ID) {
			t.Errorf("the accepted transaction %d is lost", made.ID)
		}
	}
	if doubled := e2etest.Value[int](t, l.s.DB, `SELECT count(document) - count(DISTINCT document)
		FROM financial_transactions`); doubled != 0 {
		t.Errorf("%d items are there twice", doubled)
	}
	// A request that failed may have been committed, but only completely.
	statements := e2etest.Value[int](t, l.s.DB, `SELECT count(*) FROM bank_statements WHERE event_status = 'success'
		AND imported_items_count = $1`, perFile)
	if all := e2etest.Value[int](t, l.s.DB, `SELECT count(*) FROM bank_statements`); all != statements {
		t.Errorf("%d statements, of which %d were imported", all, statements)
	}
	byHand := e2etest.Value[int](t, l.s.DB, `SELECT count(*) FROM financial_transactions WHERE deposit_account_id = $1`,
		l.byHand)
	if unsaid := statements + byHand - int(l.accepted.Load()); unsaid < 0 || unsaid > len(l.failed) {
		t.Errorf("%d statements and %d transactions kept; %d accepted, %d failed", statements, byHand,
			l.accepted.Load(), len(l.failed))
	}
	t.Logf("%d uploads and %d transactions accepted, %d requests failed", len(l.uploads), len(l.transactions),
		len(l.failed))
}
