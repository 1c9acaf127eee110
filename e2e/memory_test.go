package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/internal/tier"
)

// Whatever one account asks for, the API stays within the memory that deploy/compose.yml gives it, and other accounts
// are served meanwhile.
func TestNoAccountTakesTheMemoryOfTheAPI(t *testing.T) {
	tier.NeedsLong(t, "it writes 150 MB of notes and 5,000 files' rows")
	const limit = 768 // MiB, of the container
	s := e2etest.New(t, e2etest.Set("GOMEMLIMIT=704MiB"), e2etest.Set("GOGC="))
	api := s.Start("api").Ready()
	other := &e2etest.Client{URL: s.URL}
	if err := json.Unmarshal([]byte(s.Run("account", "create", "--name", "Outra", "--email", "b@example.com",
		"--json")), other); err != nil {
		t.Fatal(err)
	}
	books := newHeavyBooks(t, s)
	baseline := peak(t, api)
	for _, attack := range []struct {
		name   string
		begin  func(t *testing.T, a *attackers)
		expect []int // some status of these
	}{
		{"60 clients read slowly", func(t *testing.T, a *attackers) {
			a.open(t, 60, "GET "+books.payables+"?per_page=500 HTTP/1.1", nil, 0)
		}, []int{200, 503}},
		{"200 batches do not end", func(t *testing.T, a *attackers) {
			a.open(t, 200, "POST "+books.reconciles+"/batch HTTP/1.1", bytes.Repeat([]byte(" "), 4<<20-1), 4<<20)
		}, nil},
		{"400 bodies of GET do not end", func(t *testing.T, a *attackers) {
			a.open(t, 400, "GET /people HTTP/1.1", bytes.Repeat([]byte(" "), 1<<20-1), 1<<20)
		}, nil},
		{"20 of the largest lists at once", func(t *testing.T, a *attackers) {
			a.send(t, 20, "GET", books.payables+"?per_page=500", nil)
		}, []int{200}},
		{"files of 30,000 records", func(t *testing.T, a *attackers) {
			a.send(t, 2, "GET", books.attachments+"?per_page=500", nil)
		}, []int{422}},
		{"a batch of 50,000 ids", func(t *testing.T, a *attackers) {
			a.send(t, 1, "POST", books.reconciles+"/batch", books.batch(500, 100))
		}, []int{422}},
		{"a batch of 4,949 ids", func(t *testing.T, a *attackers) {
			a.send(t, 2, "POST", books.reconciles+"/batch", books.batch(49, 100))
		}, []int{422}},
	} {
		t.Run(attack.name, func(t *testing.T) {
			a := &attackers{s: s, statuses: map[int]int{}}
			done := make(chan struct{})
			go func() {
				defer close(done)
				attack.begin(t, a)
			}()
			asked, slowest := 0, time.Duration(0)
			for over := false; !over; asked++ { // until the attack has begun, and once after it
				select {
				case <-done:
					over = true
				default:
				}
				began := time.Now()
				if a, err := other.Do(http.MethodGet, "/people", "", nil); err != nil || a.Status != http.StatusOK {
					t.Errorf("another account gets %d, %v", a.Status, err)
				}
				slowest = max(slowest, time.Since(began))
			}
			if now := peak(t, api); now > limit {
				t.Errorf("%d MiB", now)
			}
			t.Logf("peak %d MiB (%d before all), answers %v, another account: %d requests, the slowest %v",
				peak(t, api), baseline, a.statuses, asked, slowest.Round(time.Millisecond))
			for _, status := range attack.expect {
				if a.statuses[status] == 0 {
					t.Errorf("no answer %d: %v", status, a.statuses)
				}
			}
			a.end()
		})
	}
	if n := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM reconciles`); n != 0 {
		t.Errorf("%d reconciles are kept", n)
	}
}

// peak returns the most memory that a process has used, in MiB.
func peak(t *testing.T, p *e2etest.Process) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	kilobytes, err := strconv.Atoi(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(string(status))[1])
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes >> 10
}

// heavyBooks are records with long notes.
type heavyBooks struct {
	payables, attachments, reconciles string
	accounts, transactions            []int64
}

func newHeavyBooks(t *testing.T, s *e2etest.Site) *heavyBooks {
	t.Helper()
	entity := fmt.Sprintf("/entities/%d", s.Entity)
	b := &heavyBooks{payables: entity + "/payable_accounts", attachments: entity + "/attachments",
		reconciles: entity + "/reconciles"}
	for range 12 {
		err := s.Post(b.payables, map[string]any{"payable_account": map[string]any{
			"description": "Aluguel", "amount": "1", "due_date": "2026-01-10", "create_as_parcelled": "monthly",
			"number_of_parcels": 480}}, &struct{}{})
		if err != nil {
			t.Fatal(err)
		}
	}
	into := s.NewDepositAccount(t, "")
	for _, change := range []string{
		`UPDATE financial_accounts SET observation = repeat('😀', 10000)`,
		fmt.Sprintf(`INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at,
			currency_id)
			SELECT %d, %d, -100, '2026-01-10', 1 FROM generate_series(1, 500)`, s.ID, into),
		fmt.Sprintf(`INSERT INTO attachments (account_id, entity_id, title, file_key, attachment_file_name,
			attachment_content_type, attachment_file_size)
			SELECT %d, %d, 'nota', 'k' || n, 'a.pdf', 'application/pdf', 5 FROM generate_series(1, 500) n`, s.ID,
			s.Entity),
		`INSERT INTO financial_account_attachments (account_id, financial_account_id, attachment_id)
			SELECT a.account_id, f.id, a.id FROM attachments a CROSS JOIN LATERAL (
				SELECT id FROM financial_accounts WHERE account_id = a.account_id ORDER BY id OFFSET a.id % 100 * 20
					LIMIT 20) f`,
		`INSERT INTO financial_transaction_attachments (account_id, financial_transaction_id, attachment_id)
			SELECT a.account_id, f.id, a.id FROM attachments a CROSS JOIN LATERAL (
				SELECT id FROM financial_transactions WHERE account_id = a.account_id ORDER BY id OFFSET a.id % 20 * 20
					LIMIT 20) f`,
		`ANALYZE`,
	} {
		if _, err := s.DB.ExecContext(t.Context(), change); err != nil {
			t.Fatalf("%s: %v", change, err)
		}
	}
	ids := func(table string) (all []int64) {
		if err := json.Unmarshal([]byte(e2etest.Value[string](t, s.DB, `SELECT json_agg(id ORDER BY id) FROM `+table)),
			&all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	b.accounts, b.transactions = ids("financial_accounts"), ids("financial_transactions")
	return b
}

// batch returns a batch of so many items, each with a transaction and so many accounts.
func (b *heavyBooks) batch(items, accounts int) []byte {
	var list []any
	for i := range items {
		from := i * accounts % len(b.accounts)
		list = append(list, map[string]any{
			"settle_open": true, "selected_financial_transaction_ids": b.transactions[i : i+1],
			"selected_financial_account_ids": b.accounts[from:min(from+accounts, len(b.accounts))]})
	}
	text, _ := json.Marshal(map[string]any{"items": list})
	return text
}

// attackers are clients of one account.
type attackers struct {
	s *e2etest.Site

	mu       sync.Mutex
	conns    []net.Conn
	statuses map[int]int
}

// open begins n requests on connections of their own, whose bodies lack their last byte. Without a body it reads the
// status of
// the answer, and no more of it.
func (a *attackers) open(t *testing.T, n int, request string, body []byte, length int) {
	var all sync.WaitGroup
	for range n {
		d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
			return c.Control(func(fd uintptr) {
				_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
			})
		}}
		c, err := d.DialContext(t.Context(), "tcp", strings.TrimPrefix(a.s.URL, "http://"))
		if err != nil {
			t.Error(err)
			return
		}
		a.conns = append(a.conns, c)
		all.Go(func() {
			head := fmt.Sprintf("%s\r\nHost: x\r\nAuthorization: Bearer %s\r\n", request, a.s.Token)
			if body != nil {
				head += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", length)
			}
			_, _ = io.WriteString(c, head+"\r\n")
			if body != nil {
				_, _ = c.Write(body) // some are refused before
				return
			}
			line := make([]byte, len("HTTP/1.1 200"))
			_, _ = io.ReadFull(c, line)
			status, _ := strconv.Atoi(string(line[len("HTTP/1.1 "):]))
			a.count(status)
		})
	}
	all.Wait()
}

// send sends n requests at once.
func (a *attackers) send(t *testing.T, n int, method, path string, body []byte) {
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			answer, err := a.s.Do(method, path, "application/json", bytes.NewReader(body))
			if err != nil {
				t.Error(err)
			}
			a.count(answer.Status)
		})
	}
	all.Wait()
}

func (a *attackers) count(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.statuses[status]++
}

func (a *attackers) end() {
	for _, c := range a.conns {
		_ = c.Close()
	}
}
