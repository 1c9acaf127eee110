package api_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"bordero/api"
	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/share"
	"bordero/internal/testkit"
	"bordero/internal/tier"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/storagetest"

	"github.com/xuri/excelize/v2"
)

// transactions makes n transactions of a new deposit account, and returns the path of their list.
func (s *service) transactions(t *testing.T, n int) (list string) {
	t.Helper()
	account := s.newDepositAccount(t)
	s.exec(t, `INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id,
			original_description)
		SELECT $1, $2, n, '2026-08-02', 1, 'PIX ENVIADO ' || n FROM generate_series(1, $3::int) n`, s.AccountID,
		lastID(account), n)
	return account + "/financial_transactions"
}

// sheet sends a request for a sheet, and returns the answer without reading it.
func (s *service) sheet(t *testing.T, path string, options ...option) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(s.Token, "x")
	for _, o := range options {
		o(r)
	}
	a, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Body.Close() })
	return a
}

// sessions counts the sessions of the database that run a statement or have an open transaction.
const sessions = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
	AND backend_type = 'client backend' AND state <> 'idle'`

// The memory of a sheet is that of some pages, whatever its length.
func TestALongSheetHoldsLittle(t *testing.T) {
	t.Parallel()
	b := newBounded(t)
	n := tier.Size(5_000, 100_000)
	a := b.sheet(t, b.transactions(t, n)+".csv")
	equal(t, a.StatusCode, 200)
	equal(t, a.Header.Get("X-Total-Count"), fmt.Sprint(n))
	rows := csv.NewReader(a.Body)
	rows.ReuseRecord = true
	seen, most := 0, int64(0)
	for ; ; seen++ {
		_, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if seen%100 == 0 {
			most = max(most, b.memory.Held())
		}
	}
	t.Logf("%d bytes were held at most for %d rows", most, n)
	equal(t, seen, n+1)
	if most == 0 || most > 3<<20 {
		t.Errorf("%d bytes were held", most)
	}
	testkit.Eventually(t, "nothing is held", func() bool { return b.memory.Held() == 0 })
}

// Records too large for a page of 500 are read in smaller pages.
func TestLargeRecordsAreASheet(t *testing.T) {
	t.Parallel()
	b := newBounded(t)
	ids := b.notes(t, 110) // of 40 KB, of an account that may hold 4 MiB
	list := paths.FinancialAccounts(b.EntityID, "payable")
	b.call(t, "GET", list+"?per_page=500").want(t, 422)
	rows := b.call(t, "GET", list+".csv").rows(t, ',')
	equal(t, len(rows), 111)
	for i, id := range ids {
		equal(t, rows[i+1][0], fmt.Sprint(id))
	}
	equal(t, b.memory.Held(), 0)
}

// A sheet for which other requests leave little room is read in small pages only until there is room again.
func TestPagesOfASheetGrowAgain(t *testing.T) {
	t.Parallel()
	const most, free, n = 4 << 20, 100 << 10, 5_000
	memory := share.NewBudget(most, most)
	direct := storagetest.DatabaseURL(t)
	var others atomic.Pointer[share.Holding]
	var statements atomic.Int64
	tapped := tap(t, direct, func(kind byte, _ []byte) {
		if kind == 'E' && statements.Add(1) == 30 {
			others.Load().Keep(0)
		}
	}, func(byte, []byte) {})
	s := serve(t, storagetest.Open(t, tapped, storage.Options{}), func(c *api.Config) { c.Memory = memory })
	s.db, s.Tenant = storagetest.DB(t, direct), storagetest.NewTenant(t, s.store)
	list := s.transactions(t, n)
	others.Store(memory.Hold(s.AccountID))
	if err := others.Load().Take(most - free); err != nil {
		t.Fatal(err)
	}
	statements.Store(0)
	equal(t, len(s.call(t, "GET", list+".csv").rows(t, ',')), n+1)
	if all := statements.Load(); all < 31 || all > 80 {
		t.Errorf("%d statements", all)
	}
}

// A workbook holds little, too.
func TestALongWorkbookHoldsLittle(t *testing.T) {
	t.Parallel()
	b := newBounded(t)
	n := tier.Size(5_000, 100_000)
	a := b.sheet(t, b.transactions(t, n)+".xlsx")
	equal(t, a.StatusCode, 200)
	var file bytes.Buffer
	most := int64(0)
	for {
		_, err := io.CopyN(&file, a.Body, 1<<10)
		most = max(most, b.memory.Held())
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d bytes were held at most for %d rows in %d bytes", most, n, file.Len())
	if most < wire.WorkbookMemory || most > 3<<20 {
		t.Errorf("%d bytes were held", most)
	}
	f, err := excelize.OpenReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := f.Rows(f.GetSheetName(0))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for rows.Next() {
		seen++
	}
	equal(t, seen, n+2)
	testkit.Eventually(t, "nothing is held", func() bool { return b.memory.Held() == 0 })
}

// A client that stops reading holds its place and the memory of a page, but no session of the database; one that
// leaves holds nothing.
func TestAClientThatStopsHalfWayHoldsNothing(t *testing.T) {
	t.Parallel()
	b := newBounded(t)
	list := b.transactions(t, 40_000)
	var clients []net.Conn
	for _, suffix := range []string{".csv", ".xlsx", ".csv", ".csv"} {
		c := b.begin(t, "GET "+list+suffix+" HTTP/1.1")
		fmt.Fprint(c, "\r\n")
		equal(t, status(t, c), "200")
		clients = append(clients, c)
	}
	testkit.Eventually(t, "no session works", func() bool { return query[int](t, b.service, sessions) == 0 })
	all := b.sendMany(t, 97, "GET", "/people.csv")
	equal(t, <-all, http.StatusTooManyRequests) // the others wait for a place, 100 exports with the first four
	refused := b.call(t, "GET", list, with("Accept", openapi.XLSX)).want(t, http.StatusTooManyRequests)
	equal(t, refused.header.Get("X-Error-Code")+" "+refused.header.Get("Retry-After"), "too_many_exports 2")
	b.call(t, "GET", "/people").want(t, 200)
	b.another.call(t, "GET", "/people.csv").want(t, 200)
	for _, c := range clients {
		_ = c.Close()
	}
	for range 96 {
		equal(t, <-all, http.StatusOK)
	}
	testkit.Eventually(t, "nothing is held", func() bool { return b.memory.Held() == 0 })
}

// A sheet that cannot be completed does not look like a whole one, compressed or not.
func TestASheetThatFailsHalfWayIsNotWhole(t *testing.T) {
	t.Parallel()
	for suffix, encoding := range map[string]string{".csv": "identity", ".csv?": "gzip", ".xlsx": "identity"} {
		t.Run(suffix+" "+encoding, func(t *testing.T) {
			t.Parallel()
			b := newBounded(t)
			a := b.sheet(t, b.transactions(t, 100_000)+suffix, with("Accept-Encoding", encoding))
			equal(t, a.StatusCode, 200)
			b.exec(t, `ALTER TABLE financial_transactions RENAME TO gone`)
			n, err := io.Copy(io.Discard, a.Body)
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%v after %d bytes", err, n)
			}
			testkit.Eventually(t, "nothing is held", func() bool { return b.memory.Held() == 0 })
		})
	}
}

// Without a byte of the answer, a failure has its status.
func TestASheetThatCannotBeginIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.call(t, "GET", "/people.csv?search[nome]=a").want(t, 422)
	s.call(t, "GET", "/entities/987654321/sales.csv").want(t, 404)
	s.call(t, "GET", paths.DepositAccount(s.EntityID, 987654321)+"/financial_transactions.csv").want(t, 404)
	s.call(t, "GET", "/integrations/webhooks.csv", as(s.member(t, finance.Access{AllEntities: true}))).want(t, 403)
}
