package api_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// blocked counts the statements that wait for a lock.
const blocked = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

// newPlaces returns a service with so many places for the requests of an account, and the same API for another account.
func newPlaces(t *testing.T, n int, more ...func(*api.Config)) (s, another *service) {
	t.Helper()
	url := storagetest.DatabaseURL(t)
	s = serve(t, storagetest.Open(t, url, storage.Options{}), append(more, func(c *api.Config) {
		c.Places, c.Patience = n, 5*time.Minute // beside all other tests, some steps took more than one
	})...)
	s.db, s.Tenant = storagetest.DB(t, url), storagetest.NewTenant(t, s.store)
	other := *s
	other.Tenant = storagetest.NewTenant(t, s.store)
	return s, &other
}

// block locks a table of the database, so that requests stay in their places, and returns the function that ends it.
func (s *service) block(t *testing.T, table string) (end func()) {
	t.Helper()
	tx, err := s.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), `LOCK TABLE `+table+` IN ACCESS EXCLUSIVE MODE`); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback() })
	return func() { _ = tx.Rollback() }
}

// sendMany sends n requests at once, and returns the channel of their statuses.
func (s *service) sendMany(t *testing.T, n int, method, path string, options ...option) <-chan int {
	t.Helper()
	all := make(chan int, n)
	for range n {
		go func() {
			a, err := s.send(context.WithoutCancel(t.Context()), method, path, options...)
			if err != nil {
				a.status = 0
			}
			all <- a.status
		}()
	}
	return all
}

// An account that sends more than its places waits for itself alone, and is refused once a hundred requests wait.
func TestAnAccountHasPlaces(t *testing.T) {
	t.Parallel()
	s, another := newPlaces(t, 2)
	end := s.block(t, "categories")
	lists := s.sendMany(t, 103, "GET", "/categories?per_page=100")
	equal(t, <-lists, http.StatusTooManyRequests) // the others work or wait
	testkit.Eventually(t, "two work", func() bool { return query[int](t, s, blocked) == 2 })
	s.call(t, "GET", "/people").want(t, http.StatusTooManyRequests)
	refused := s.call(t, "POST", "/people", document(`{"person":{"name":"Ana"}}`)).want(t, http.StatusTooManyRequests)
	equal(t, refused.header.Get("X-Error-Code")+" "+refused.header.Get("Retry-After"), "too_many_at_once 2")
	another.call(t, "GET", "/people").want(t, http.StatusOK)
	another.call(t, "POST", "/people", document(`{"person":{"name":"Ana"}}`)).want(t, http.StatusCreated)
	equal(t, query[int](t, s, blocked), 2)
	end()
	for range 102 {
		equal(t, <-lists, http.StatusOK)
	}
	s.call(t, "POST", "/people", document(`{"person":{"name":"Ana"}}`)).want(t, http.StatusCreated)
}

// Sheets have places of their own, in which an account that sends many waits for itself alone.
func TestAnAccountHasFourPlacesForSheets(t *testing.T) {
	t.Parallel()
	s, another := newPlaces(t, 10)
	s.quota(t, finance.Exports, 1000)
	end := s.block(t, "people")
	sheets := s.sendMany(t, 105, "GET", "/people.csv")
	equal(t, <-sheets, http.StatusTooManyRequests) // the others work or wait
	testkit.Eventually(t, "four work", func() bool { return query[int](t, s, blocked) == 4 })
	another.call(t, "GET", "/categories.csv").want(t, http.StatusOK)
	s.call(t, "GET", "/categories").want(t, http.StatusOK)
	equal(t, query[int](t, s, blocked), 4)
	end()
	for range 104 {
		equal(t, <-sheets, http.StatusOK)
	}
}

// A request that waits for changes, or for its client, occupies no place.
func TestAWaitingRequestLeavesItsPlace(t *testing.T) {
	t.Parallel()
	s, _ := newPlaces(t, 1)
	storagetest.Seal(t, s.store)
	latest := s.feed(t, "?after=0").Latest
	waits := s.sendMany(t, 3, "GET", fmt.Sprintf("/changes?after=%d&wait=30", latest))
	release := make(chan struct{})
	slow := s.sendMany(t, 3, "POST", "/people", document(`{"person":{"name":"Lenta"}}`), held(release))
	for range 3 { // a place is free at last, whatever began first
		s.call(t, "POST", "/people", document(`{"person":{"name":"Ana"}}`)).want(t, http.StatusCreated)
	}
	storagetest.Seal(t, s.store)
	for range 3 {
		equal(t, <-waits, http.StatusOK)
	}
	close(release)
	for range 3 {
		equal(t, <-slow, http.StatusCreated)
	}
}

// A file that comes slowly by a form of the console occupies no place either: neither the ordinary one, nor the two of
// files that choose their account.
func TestASlowUploadOnTheConsoleOccupiesNoPlace(t *testing.T) {
	t.Parallel()
	s, _ := newPlaces(t, 1)
	account := fmt.Sprint(lastID(s.newDepositAccount(t, numberedAs("12345-6"))))
	b := s.enter(t, s.Token)
	list := b.entityPage(s.EntityID) + "/bank_statements"
	proof := text("form", b.forms(t, list)[list].Get("form"))
	release := make(chan struct{})
	end := sync.OnceFunc(func() { close(release) })
	defer end() // a server with requests does not close
	uploads := func(n int, account string) <-chan int {
		return s.sendMany(t, n, "POST", list, as(""), with("Cookie", "bordero_console="+b.cookie),
			parts(proof, text("deposit_account", account), part{`form-data; name="file"; filename="a.ofx"`, "",
				ofxOf("12345-6") + strings.Repeat(" ", 1<<20)}), stalled(release))
	}
	chosen, routed := uploads(1, account), uploads(2, "")
	testkit.Eventually(t, "the files are coming", func() bool { return len(s.storedFiles(t)) == 3 })
	s.call(t, "GET", "/people").want(t, http.StatusOK)
	s.call(t, "GET", paths.Reconciles(s.EntityID)+"/suggestions?search[deposit_account_id]="+account+
		"&search[occurred_at_gte]=2026-01-01&search[occurred_at_lte]=2026-01-31").want(t, http.StatusOK)
	end()
	equal(t, []int{<-chosen, <-routed, <-routed}, []int{303, 303, 303})
}

// A file that waits for a place is not stored once its token is revoked.
func TestARequestThatWaitsForAPlaceLosesItsRights(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	s, _ := newPlaces(t, 1, func(c *api.Config) {
		c.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	token := s.member(t, finance.Access{Administrator: true, AllEntities: true})
	end := s.block(t, "categories")
	list := s.sendMany(t, 1, "GET", "/categories?per_page=20")
	testkit.Eventually(t, "the place is taken", func() bool { return query[int](t, s, blocked) == 1 })
	upload := s.sendMany(t, 1, "POST", paths.Attachments(s.EntityID), parts(attachment("a", "", "a")), as(token))
	testkit.Eventually(t, "the file is there", func() bool {
		files := s.storedFiles(t)
		return len(files) == 1 && !strings.HasSuffix(files[0], ".tmp")
	})
	if err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
		return members.RevokeToken(t.Context(), tx, token)
	}); err != nil {
		t.Fatal(err)
	}
	later.Store(int64(time.Minute)) // the rights are not new any more
	end()
	equal(t, <-list, http.StatusOK)
	equal(t, <-upload, http.StatusUnauthorized)
	s.noAttachment(t)
}

// Costly reads of an account have two places, and long lists half of the processors; they keep no other request
// waiting.
func TestCostlyReadsShareTwoPlaces(t *testing.T) {
	t.Parallel()
	s, another := newPlaces(t, 3)
	end := s.block(t, "people, categories")
	lists := s.sendMany(t, 3, "GET", "/people")
	more := s.sendMany(t, 3, "GET", "/categories?per_page=101")
	most := min(max(1, runtime.GOMAXPROCS(0)/2), 6)
	testkit.Eventually(t, "as many are read", func() bool { return query[int](t, s, blocked) == most })
	s.call(t, "GET", "/entities?per_page=100").want(t, http.StatusOK)
	equal(t, query[int](t, s, blocked), most)
	end()
	for range 3 {
		equal(t, <-lists, http.StatusOK)
		equal(t, <-more, http.StatusOK)
	}

	account, othersAccount := s.newDepositAccount(t), another.newDepositAccount(t)
	period := "&search[occurred_at_gte]=2026-01-01&search[occurred_at_lte]=2026-01-31"
	reads := func(s *service, account string) []string {
		search := "?search[deposit_account_id]=" + fmt.Sprint(lastID(account)) + period
		return []string{paths.Reconciles(s.EntityID) + "/suggestions" + search, paths.Transfers(s.EntityID) +
			"/suggestions" + search, account + "/balance_proofs"}
	}
	end = s.block(t, "financial_transactions, balance_proofs")
	var all []<-chan int
	for _, path := range reads(s, account) {
		all = append(all, s.sendMany(t, 3, "GET", path))
	}
	testkit.Eventually(t, "two work", func() bool { return query[int](t, s, blocked) == 2 })
	s.call(t, "GET", "/people").want(t, http.StatusOK)
	all = append(all, another.sendMany(t, 1, "GET", reads(another, othersAccount)[0]))
	testkit.Eventually(t, "another account works too", func() bool { return query[int](t, s, blocked) == 3 })
	end()
	for i, statuses := range all {
		for range cap(statuses) {
			if got := <-statuses; got != http.StatusOK {
				t.Errorf("read %d: %d", i, got)
			}
		}
	}
}
