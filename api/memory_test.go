package api_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/share"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// bounded is a service whose requests may hold 16 MiB, and 4 MiB for each account. The kernel keeps little of
// an answer that its client does not read.
type bounded struct {
	*service
	memory  *share.Budget
	another service // the same API for another account
}

func newBounded(t *testing.T) *bounded {
	t.Helper()
	url := storagetest.DatabaseURL(t)
	b := &bounded{memory: share.NewBudget(16<<20, 4<<20)}
	var config api.Config
	b.service = serve(t, storagetest.Open(t, url, storage.Options{}), func(c *api.Config) {
		c.Memory = b.memory
		config = *c
	})
	server := httptest.NewUnstartedServer(api.New(config))
	server.Config.ConnState = func(c net.Conn, state http.ConnState) {
		if state == http.StateNew {
			_ = c.(*net.TCPConn).SetWriteBuffer(16 << 10)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	b.url = server.URL
	b.db, b.Tenant = storagetest.DB(t, url), storagetest.NewTenant(t, b.store)
	b.another = *b.service
	b.another.Tenant = storagetest.NewTenant(t, b.store)
	return b
}

// notes makes n payable accounts, each with a note of 40 KB, and returns their ids.
func (b *bounded) notes(t *testing.T, n int) (ids []int64) {
	t.Helper()
	b.newAccount(t, finance.Payable, fmt.Sprintf(`"description":"Aluguel","amount":1,"due_date":"2026-01-10",`+
		`"create_as_parcelled":"monthly","number_of_parcels":%d`, n))
	b.exec(t, `UPDATE financial_accounts SET observation = repeat('😀', 10000)`)
	if err := json.Unmarshal(
		[]byte(query[string](t, b.service, `SELECT json_agg(id ORDER BY id) FROM financial_accounts`)),
		&ids); err != nil || len(ids) != n {
		t.Fatal(ids, err)
	}
	return ids
}

// begin sends the beginning of a request on a connection of its own, and returns the connection.
func (b *bounded) begin(t *testing.T, request string) net.Conn {
	t.Helper()
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		var err error
		if failed := c.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		}); failed != nil {
			return failed
		}
		return err
	}}
	c, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(b.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := fmt.Fprintf(c, "%s\r\nHost: x\r\nAuthorization: Bearer %s\r\n", request, b.Token); err != nil {
		t.Fatal(err)
	}
	return c
}

// status reads the status of an answer, and no more of it.
func status(t *testing.T, c net.Conn) string {
	t.Helper()
	line := make([]byte, len("HTTP/1.1 200"))
	if _, err := c.Read(line); err != nil {
		t.Fatal(err)
	}
	return string(line[len("HTTP/1.1 "):])
}

func TestClientsThatDoNotReadHoldLittle(t *testing.T) {
	t.Parallel()
	b := newBounded(t)
	b.notes(t, 40) // a list of 1.7 MB
	list := paths.FinancialAccounts(b.EntityID, "payable")
	got := map[string]int{}
	var clients []net.Conn
	for range 12 {
		c := b.begin(t, "GET "+list+"?per_page=50 HTTP/1.1")
		fmt.Fprint(c, "\r\n")
		got[status(t, c)]++
		clients = append(clients, c)
	}
	equal(t, got, map[string]int{"200": 2, "503": 10})
	if held := b.memory.Held(); held < 2<<20 || held > 4<<20 {
		t.Errorf("%d bytes are held", held)
	}
	refused := b.call(t, "GET", list).want(t, http.StatusServiceUnavailable)
	equal(t, refused.header.Get("X-Error-Code")+" "+refused.header.Get("Retry-After"), "no_room 2")
	b.call(t, "GET", list+"?per_page=1").want(t, http.StatusOK)
	b.another.call(t, "GET", paths.FinancialAccounts(b.another.EntityID, "payable")).want(t, http.StatusOK)
	for _, c := range clients {
		_ = c.Close()
	}
	testkit.Eventually(t, "all bytes are freed", func() bool { return b.memory.Held() == 0 })
	b.call(t, "GET", list).want(t, http.StatusOK)
	equal(t, b.memory.Held(), 0)
}

// A page of the console holds memory of its account until its client has read it, and counts as one request.
func TestConsolePagesThatAreNotReadHoldLittle(t *testing.T) {
	t.Parallel()
	b := newBounded(t)
	for range 30 {
		b.call(t, "POST", "/people", document(`{"person":{"name":"Ana"}}`)).want(t, http.StatusCreated)
	}
	storagetest.Seal(t, b.store)
	b.exec(t, `UPDATE changes SET attributes = '{"notes":["","' || repeat('a', 40000) || '"]}' WHERE family = 'people'`)
	tab := b.enter(t, b.Token)
	page, small := tab.root()+"/changes", tab.root()+"/entities" // 1.2 MB and 2 KB
	got := map[string]int{}
	var clients []net.Conn
	for range 12 {
		c := b.begin(t, "GET "+page+" HTTP/1.1")
		fmt.Fprintf(c, "Cookie: bordero_console=%s\r\n\r\n", tab.cookie)
		got[status(t, c)]++
		clients = append(clients, c)
	}
	equal(t, got, map[string]int{"200": 2, "503": 10})
	if held := b.memory.Held(); held < 2<<20 || held > 4<<20 {
		t.Errorf("%d bytes are held", held)
	}
	refused := tab.open(t, page).want(t, http.StatusServiceUnavailable)
	equal(t, refused.header.Get("X-Error-Code")+" "+refused.header.Get("Retry-After"), "no_room 2")
	tab.read(t, page, refused)
	tab.open(t, small).want(t, http.StatusOK)
	testkit.Eventually(t, "two pages are under way", func() bool {
		return b.call(t, "GET", "/quotas").want(t, http.StatusOK).at(t, "quotas.1.used") == "3" // it counts itself
	})
	b.quota(t, finance.HeldRequests, 2)
	refused = tab.open(t, small).want(t, http.StatusTooManyRequests)
	equal(t, refused.header.Get("X-Error-Code")+" "+refused.header.Get("Retry-After"), "too_many_at_once 2")
	if !strings.Contains(refused.body, "A conta tem 2 requisições em andamento") {
		t.Errorf("a page beyond the quota says %s", refused.body)
	}
	for _, c := range clients {
		_ = c.Close()
	}
	testkit.Eventually(t, "all bytes are freed", func() bool { return b.memory.Held() == 0 })
	b.quota(t, finance.HeldRequests, 1) // the requests that a page makes are parts of it
	tab.open(t, page).want(t, http.StatusOK)
	equal(t, b.memory.Held(), 0)
}

func TestUnfinishedDocumentsHoldLittle(t *testing.T) {
	t.Parallel()
	b := newBounded(t)
	stolen := b.made(t, "/tokens", `{"token":{"name":"ERP"}}`)
	const size = 1 << 20
	batch := paths.Reconciles(b.EntityID) + "/batch"
	var clients []net.Conn
	for range 12 {
		c := b.begin(t, "POST "+batch+" HTTP/1.1")
		clients = append(clients, c)
		fmt.Fprintf(c, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", size)
		go c.Write(bytes.Repeat([]byte(" "), size-1)) // some are refused before
	}
	testkit.Eventually(t, "the account holds what it may", func() bool { return b.memory.Held() == 4<<20 })
	b.another.call(t, "POST", "/people", document(`{"person":{"name":"Ana"}}`)).want(t, http.StatusCreated)
	b.call(t, "POST", "/people", document(`{"person":{"name":"Ana"}}`)).want(t, http.StatusServiceUnavailable)
	b.call(t, "GET", "/tokens").want(t, http.StatusOK) // the documents may be of a stolen token
	b.call(t, "GET", stolen).want(t, http.StatusOK)
	b.call(t, "DELETE", stolen).want(t, http.StatusOK)
	for _, c := range clients {
		_ = c.Close()
	}
	testkit.Eventually(t, "all bytes are freed", func() bool { return b.memory.Held() == 0 })
	b.call(t, "POST", "/people", document(`{"person":{"name":"Ana"}}`)).want(t, http.StatusCreated)
}

// Each upload that is under way holds its buffers, so that slow clients of an account leave memory for others.
func TestSlowUploadsHoldTheMemoryOfTheirAccount(t *testing.T) {
	t.Parallel()
	b := newBounded(t)
	path := paths.Attachments(b.EntityID)
	note := parts(attachment("a.txt", "text/plain", "abc"))
	var clients []net.Conn
	for range 12 {
		c := b.begin(t, "POST "+path+" HTTP/1.1")
		clients = append(clients, c)
		go fmt.Fprintf(c, "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n--b\r\n"+
			"Content-Disposition: form-data; name=\"attachment[attachment]\"; filename=\"a.txt\"\r\n\r\n%s",
			strings.Repeat("a", 8<<10)) // some are refused before
	}
	testkit.Eventually(t, "the account holds what it may", func() bool { return b.memory.Held() > 3<<20 })
	b.call(t, "POST", path, note).want(t, http.StatusServiceUnavailable)
	b.another.call(t, "POST", paths.Attachments(b.another.EntityID), note).want(t, http.StatusCreated)
	for _, c := range clients {
		_ = c.Close()
	}
	testkit.Eventually(t, "all bytes are freed", func() bool { return b.memory.Held() == 0 })
	b.call(t, "POST", path, note).want(t, http.StatusCreated)
}

// Each answer that is being compressed holds memory that no account counts. The test takes all places of the process:
// it is not parallel.
func TestFewAnswersAreCompressedAtOnce(t *testing.T) {
	b := newBounded(t)
	zipped := func(tenant storagetest.Tenant) string {
		t.Helper()
		b.Tenant = tenant
		c := b.begin(t, "GET "+paths.FinancialAccounts(b.EntityID, "payable")+" HTTP/1.1")
		fmt.Fprint(c, "Accept-Encoding: gzip\r\n\r\n")
		head, err := http.ReadResponse(bufio.NewReaderSize(c, 16), nil)
		if err != nil {
			t.Fatal(err)
		}
		return head.Header.Get("Content-Encoding")
	}
	one, another := b.Tenant, b.another.Tenant
	for _, tenant := range []storagetest.Tenant{one, another} {
		b.Tenant = tenant
		b.newAccount(t, finance.Payable, `"description":"Aluguel","amount":1,"due_date":"2026-01-10"`)
	}
	b.exec(t, `UPDATE financial_accounts SET observation = (SELECT string_agg(md5(i::text), '')
		FROM generate_series(1, 3000) i)`)
	got := map[string]int{}
	for range 35 {
		got[zipped(one)]++
		got[zipped(another)]++
	}
	equal(t, got, map[string]int{"gzip": 64, "": 6})
}

func TestTheTextsOfAnUploadAreCounted(t *testing.T) {
	t.Parallel()
	b := newBounded(t)
	var texts []part
	for i := range 30_000 {
		texts = append(texts, part{fmt.Sprintf("form-data; name=%d", i), "", ""})
	}
	a := b.call(t, "POST", paths.Attachments(b.EntityID), parts(texts...)).want(t, http.StatusUnprocessableEntity)
	equal(t, a.header.Get("X-Error-Code"), "request_too_large")
	equal(t, b.memory.Held(), 0)
}

// A request that needs more than its account may ever hold is told so, and leaves nothing.
func TestARequestThatIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	b := newBounded(t)
	ids := b.notes(t, 200)
	payables, attachments := paths.FinancialAccounts(b.EntityID, "payable"), paths.Attachments(b.EntityID)
	for range 30 {
		b.newAttachment(t)
	}
	b.exec(t, `INSERT INTO financial_account_attachments (account_id, financial_account_id, attachment_id)
		SELECT a.account_id, f.id, a.id FROM attachments a JOIN financial_accounts f USING (account_id)
			WHERE f.id <= $1`, ids[19])
	of := b.moved(t, b.newDepositAccount(t), "Debit", "200")
	for name, c := range map[string]struct{ method, path, body, code string }{
		"a list":               {"GET", payables + "?per_page=500", "", "answer_too_large"},
		"the next page":        {"GET", payables + "?per_page=500&page=2", "", ""},
		"a smaller page":       {"GET", payables + "?per_page=10", "", ""},
		"files of 600 records": {"GET", attachments + "?per_page=500", "", "answer_too_large"},
		"files of 60":          {"GET", attachments + "?per_page=3", "", ""},
		"a document of numbers": {"POST", "/people", `{"person":{"phones":[` + strings.Repeat("1,", 50_000) + `1]}}`,
			"request_too_large"},
		"200 accounts": {"POST", paths.Reconciles(b.EntityID), strings.Replace(reconciling(ids, []int64{of}), "{",
			`{"settle_open":true,`, 1), "request_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			var options []option
			if c.body != "" {
				options = append(options, document(c.body))
			}
			a := b.call(t, c.method, c.path, options...)
			equal(t, a.header.Get("X-Error-Code"), c.code)
			if c.code != "" {
				a.want(t, http.StatusUnprocessableEntity)
			}
		})
	}
	equal(t, query[int](t, b.service, `SELECT count(*) FROM reconciles`), 0)
	equal(t, b.memory.Held(), 0)
}
