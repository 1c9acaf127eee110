package api_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// quota sets a quota of the tenant's account.
func (s *service) quota(t testing.TB, q finance.Quota, most int64) {
	t.Helper()
	err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.PutQuotas(t.Context(), s.AccountID, map[finance.Quota]*int64{q: &most})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The requests that an account has under way are counted, whatever they wait for, and so are its exports. Other
// accounts are not concerned.
func TestRequestsUnderWayAreLimited(t *testing.T) {
	t.Parallel()
	s, another := newPlaces(t, 1)
	s.quota(t, finance.HeldRequests, 2)
	s.quota(t, finance.Exports, 1)
	stolen := s.made(t, "/tokens", `{"token":{"name":"ERP"}}`)
	guest := s.made(t, "/members", `{"member":{"email":"bia@example.com"}}`)
	colleague := as(s.member(t, finance.Access{AllEntities: true}))
	end := s.block(t, "people")
	sheet := s.sendMany(t, 1, "GET", "/people.csv")
	testkit.Eventually(t, "the sheet waits", func() bool { return query[int](t, s, blocked) == 1 })
	refused := s.call(t, "GET", "/categories.csv").wantBody(t, http.StatusTooManyRequests,
		`{"error":"A conta tem 1 exportações em andamento, e o máximo é 1 (exports)."}`)
	equal(t, refused.header.Get("X-Error-Code")+" "+refused.header.Get("Retry-After"), "too_many_exports 2")
	another.call(t, "GET", "/categories.csv").want(t, http.StatusOK)

	list := s.sendMany(t, 1, "GET", "/people?per_page=1")
	testkit.Eventually(t, "the list waits", func() bool { return query[int](t, s, blocked) == 2 })
	refused = s.call(t, "GET", "/quotas").wantBody(t, http.StatusTooManyRequests,
		`{"error":"A conta tem 2 requisições em andamento, e o máximo é 2 (held_requests)."}`)
	equal(t, refused.header.Get("X-Error-Code")+" "+refused.header.Get("Retry-After"), "too_many_at_once 2")
	another.call(t, "GET", "/quotas").want(t, http.StatusOK)
	for _, path := range []string{"/members", guest, "/tokens", stolen} { // the requests may be of a stolen token
		s.call(t, "GET", path).want(t, http.StatusOK)
		s.call(t, "GET", path, colleague).want(t, http.StatusTooManyRequests)
	}
	s.call(t, "DELETE", stolen, document(`{}`)).want(t, http.StatusTooManyRequests)
	commit := s.block(t, "unsealed_changes")
	token, member := s.sendMany(t, 1, "DELETE", stolen), s.sendMany(t, 1, "DELETE", guest)
	testkit.Eventually(t, "both removals wait", func() bool { return query[int](t, s, blocked) == 4 })
	s.call(t, "GET", "/members").want(t, http.StatusTooManyRequests) // a third urgent one
	commit()
	equal(t, []int{<-token, <-member}, []int{http.StatusOK, http.StatusOK})
	end()
	equal(t, <-sheet+<-list, 2*http.StatusOK)
	testkit.Eventually(t, "all have ended", func() bool {
		a := s.call(t, "GET", "/quotas").want(t, http.StatusOK)
		return a.at(t, "quotas.1.used")+a.at(t, "quotas.2.used") == "10"
	})
}

// Files beyond the quotas are refused and not stored, and those of a request that is repeated are not refused.
func TestWhatAnAccountKeepsIsLimited(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	attach := func(bytes int, options ...option) answer {
		t.Helper()
		return s.call(t, "POST", paths.Attachments(s.EntityID), append(options,
			parts(attachment("a.txt", "text/plain", fmt.Sprintf("%0*d", bytes, 0))))...)
	}
	upload := func() answer {
		t.Helper()
		return s.call(t, "POST", account+"/bank_statements",
			parts(file("a.ofx", "OFXHEADER:100\r\n\r\n<OFX><BANKMSGSRSV1></BANKMSGSRSV1></OFX>\r\n")))
	}
	s.quota(t, finance.FileBytes, 10)
	first := attach(7, with("Idempotency-Key", "a")).want(t, 201)
	for _, full := range []func() answer{func() answer { return attach(4) }, func() answer { return attach(1 << 10) }} {
		equal(t, full().want(t, 422).header.Get("X-Error-Code"), "too_many_file_bytes")
	}
	attach(4).wantBody(t, 422, `{"base":["A conta guarda 7 bytes em arquivos, e o máximo é 10 (file_bytes): não cabem `+
		`mais 4."]}`)
	equal(t, len(s.storedFiles(t)), 1)
	equal(t, upload().want(t, 422).header.Get("X-Error-Code"), "too_many_file_bytes")
	attach(3).want(t, 201)
	s.quota(t, finance.FileBytes, 0) // below what is kept
	equal(t, attach(7, with("Idempotency-Key", "a")).want(t, 201).body, first.body)
	s.call(t, "GET", first.header.Get("Location")[len(publicURL):]).want(t, 200)
	s.call(t, "DELETE", first.header.Get("Location")[len(publicURL):]).want(t, 200)

	s.quota(t, finance.FileBytes, 1000)
	s.quota(t, finance.StatementRows, 20)
	upload().want(t, 201)
	s.exec(t, `UPDATE bank_statements SET items_count = 20`)
	upload().wantBody(t, 422, `{"base":["A conta guarda 20 linhas de extratos, e o máximo é 20 (statement_rows)."]}`)
	attach(1).want(t, 201)
	s.quota(t, finance.StatementRows, 21)
	upload().want(t, 201)
}

// A full account stores no file, not even for a moment: each file that was in the store leaves a directory.
func TestAFullAccountStoresNoFile(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t, numberedAs("111-1"))
	s.newDepositAccount(t, numberedAs("222-2"))
	s.newDepositAccount(t, numberedAs("333-3"))
	text := ofxOf("111-1", "222-2", "333-3")
	single, routed := account+"/bank_statements", paths.RoutedStatements(s.EntityID)
	stored := func() int {
		t.Helper()
		directories, err := os.ReadDir(s.files)
		if err != nil {
			t.Fatal(err)
		}
		return len(directories)
	}
	refused := func(path, code string, options ...option) {
		t.Helper()
		equal(t, s.call(t, "POST", path, options...).want(t, 422).header.Get("X-Error-Code"), code)
	}
	statement, note := parts(file("a.ofx", text)), parts(attachment("a.txt", "text/plain", "abc"))
	s.quota(t, finance.FileBytes, 0)
	for path, body := range map[string]option{single: statement, routed: statement,
		paths.Attachments(s.EntityID): note} {
		refused(path, "too_many_file_bytes", body)
		refused(path, "too_many_file_bytes", body, key("a"))
	}
	s.quota(t, finance.FileBytes, 1<<20)
	refused(paths.Attachments(s.EntityID), "too_many_file_bytes",
		parts(attachment("a.txt", "text/plain", strings.Repeat("a", 3<<20)))) // by the length of the request
	s.quota(t, finance.StatementRows, 0)
	refused(single, "too_many_statement_rows", statement)
	refused(routed, "too_many_statement_rows", statement)
	equal(t, stored(), 0)

	s.quota(t, finance.StatementRows, 1)
	s.quota(t, finance.FileBytes, int64(3*len(text)-1))
	refused(routed, "too_many_file_bytes", statement)
	equal(t, stored(), 1) // and no copy
	equal(t, s.storedFiles(t), nil)
	s.quota(t, finance.FileBytes, int64(3*len(text)))
	s.call(t, "POST", routed, statement, key("a")).want(t, 201)
	equal(t, len(s.storedFiles(t)), 3)
}

// The quotas are those of the account alone, stay at a reset, and show what the account uses.
func TestQuotasAreShown(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	store := storagetest.Open(t, url, storage.Options{})
	now := func() time.Time { return time.Date(2026, 3, 4, 10, 20, 45, 0, time.UTC) }
	s := serve(t, store, func(c *api.Config) { c.Limiter = limiter(t, now) })
	s.db, s.Tenant = storagetest.DB(t, url), storagetest.NewTenant(t, store)
	s.exec(t, `UPDATE accounts SET sandbox = true, name = 'Testes' WHERE id = $1`, s.AccountID)
	s.quota(t, finance.Exports, 2)
	s.quota(t, finance.RequestsPerMinute, 100)
	s.call(t, "POST", paths.Attachments(s.EntityID), parts(attachment("a.txt", "text/plain", "abc"))).want(t, 201)
	s.newWebhook(t, s.AccountID, s.EntityID, "active")
	shown := func(requests, webhooks int) {
		t.Helper()
		s.call(t, "GET", "/quotas").wantBody(t, 200, fmt.Sprintf(`{"quotas":[`+
			`{"name":"requests_per_minute","limit":100,"used":%d},{"name":"held_requests","limit":1000,"used":1},`+
			`{"name":"exports","limit":2,"used":0},{"name":"running_imports","limit":64,"used":0},`+
			`{"name":"file_bytes","limit":107374182400,"used":3},{"name":"statement_rows","limit":20000000,"used":0},`+
			`{"name":"webhooks","limit":64,"used":%d}]}`, requests, webhooks))
	}
	shown(2, 1)
	s.call(t, "POST", "/sandbox/reset", reset("Testes")).want(t, 202)
	shown(4, 0) // hidden files are still kept, until the deletion has come to them
	member := s.member(t, finance.Access{})
	s.call(t, "GET", "/quotas", as(member)).want(t, 200)
	s.exec(t, `UPDATE jobs SET running = true, kind = 'import_statement' WHERE account_id = $1`, s.AccountID)
	s.call(t, "GET", "/quotas").want(t, 200)
}
