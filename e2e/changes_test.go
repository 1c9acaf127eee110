package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/deploy/private/process"
	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/testkit"
	"bordero/internal/tier"
	"bordero/storage"
)

var followerBinary = e2etest.Program("bordero/examples/follower")

// exampleFollower is the program of examples/follower, with its copy.
type exampleFollower struct {
	t           *testing.T
	s           *e2etest.Site
	binary, dir string
	process     *process.Process
}

func newExampleFollower(t *testing.T, s *e2etest.Site) *exampleFollower {
	t.Helper()
	f := &exampleFollower{t: t, s: s, binary: followerBinary(t), dir: t.TempDir()}
	t.Cleanup(f.kill)
	return f
}

func (f *exampleFollower) file(name string) string { return filepath.Join(f.dir, name) }

func (f *exampleFollower) start(name string) {
	f.t.Helper()
	cmd := exec.Command(f.binary, f.file(name)) // kill ends it
	cmd.Env = append(os.Environ(), "BORDERO_URL="+f.s.URL, "BORDERO_TOKEN="+f.s.Token)
	var err error
	if f.process, err = process.Start(cmd, syscall.SIGKILL); err != nil {
		f.t.Fatal(err)
	}
}

func (f *exampleFollower) kill() {
	if f.process != nil {
		_ = f.process.Stop(context.Background(), syscall.SIGKILL)
	}
}

// next is the number on the last line of the journal of a copy: how far it has followed. It is -1 while a
// line without a number is the last.
func (f *exampleFollower) next(name string) int64 {
	content, _ := os.ReadFile(f.file(name)) // soon there
	content = bytes.TrimSuffix(content, []byte("\n"))
	l := struct{ Next int64 }{-1}
	_ = json.Unmarshal(content[bytes.LastIndexByte(content, '\n')+1:], &l) // a line may be cut off
	return l.Next
}

// copied is what the journal of a copy says: its records.
func (f *exampleFollower) copied(name string) map[string]string {
	f.t.Helper()
	content, err := os.ReadFile(f.file(name))
	if err != nil {
		f.t.Fatal(err)
	}
	records, group := map[string]string{}, map[string]string{}
	for lines := bufio.NewReader(bytes.NewReader(content)); ; {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return records
		}
		var l struct {
			Family string
			ID     int64
			Record json.RawMessage
			Next   *int64
		}
		if err := json.Unmarshal(text, &l); err != nil {
			f.t.Fatal(err)
		}
		if l.Next == nil {
			group[fmt.Sprint(l.Family, " ", l.ID)] = string(l.Record)
			continue
		}
		maps.Copy(records, group)
		maps.DeleteFunc(records, func(_, record string) bool { return record == "" })
		clear(group)
	}
}

// writers are clients that change what a follower copies, at random. Errors are expected while a
// server is down.
type writers struct {
	s       *e2etest.Site
	account int64
	running sync.WaitGroup
	end     chan struct{}
	mu      sync.Mutex
	done    int
}

func startWriters(s *e2etest.Site, account int64, n int) *writers {
	w := &writers{s: s, account: account, end: make(chan struct{})}
	for i := range n {
		w.running.Go(func() { w.write(rand.New(rand.NewPCG(uint64(i), 7))) })
	}
	return w
}

func (w *writers) write(r *rand.Rand) {
	entity := fmt.Sprintf("/entities/%d", w.s.Entity)
	lists := []struct{ path, root, body string }{
		{"/people", "person", `{"person":{"name":"Ana %d"}}`},
		{entity + "/payable_accounts", "payable_account", `{"payable_account":{"description":"NF %d",` +
			`"due_date":"2026-03-04","amount":"10.00"}}`},
		{fmt.Sprintf("%s/deposit_accounts/%d/financial_transactions", entity, w.account), "financial_transaction",
			`{"financial_transaction":{"type":"Debit","amount":"1.00","occurred_at":"2026-03-04",` +
				`"user_description":"%d"}}`},
	}
	made := make([][]int64, len(lists))
	for {
		select {
		case <-w.end:
			return
		default:
		}
		n := r.IntN(len(lists))
		l, body := lists[n], fmt.Sprintf(lists[n].body, r.IntN(1000))
		switch act := r.IntN(4); {
		case act < 2 || len(made[n]) == 0:
			var created map[string]struct{ ID int64 }
			a, err := w.s.Do(http.MethodPost, l.path, "application/json", strings.NewReader(body))
			if err == nil && a.Status == http.StatusCreated && json.Unmarshal(a.Body, &created) == nil {
				made[n] = append(made[n], created[l.root].ID)
			}
		case act == 2:
			_, _ = w.s.Do(http.MethodPut, fmt.Sprintf("%s/%d", l.path, made[n][r.IntN(len(made[n]))]),
				"application/json", strings.NewReader(body))
		default:
			i := r.IntN(len(made[n]))
			_, _ = w.s.Do(http.MethodDelete, fmt.Sprintf("%s/%d", l.path, made[n][i]), "", nil)
			made[n] = slices.Delete(made[n], i, i+1)
		}
		w.mu.Lock()
		w.done++
		w.mu.Unlock()
		<-time.After(pause)
	}
}

// more waits until so many more requests were answered.
func (w *writers) more(t testing.TB, n int) {
	t.Helper()
	count := func() int { w.mu.Lock(); defer w.mu.Unlock(); return w.done }
	want := count() + n
	testkit.Eventually(t, "requests are answered", func() bool { return count() >= want })
}

func (w *writers) stop() {
	close(w.end)
	w.running.Wait()
}

// sequences reads the numbers of all changes as they come, until stop.
type sequences struct {
	next, latest int64
	ids          map[int64]bool
	faults       []string
}

// read reads the next page. A server that is down is no fault.
func (q *sequences) read(s *e2etest.Site) {
	a, err := s.Do(http.MethodGet, fmt.Sprintf("/changes?wait=1&after=%d", q.next), "", nil)
	if err != nil || a.Status >= 500 {
		time.Sleep(10 * time.Millisecond) // of a client, not of the test
		return
	}
	var page struct {
		Changes      []struct{ Change struct{ ID, Sequence int64 } }
		Next, Latest int64
	}
	if err := json.Unmarshal(a.Body, &page); err != nil || a.Status != http.StatusOK {
		q.faults = append(q.faults, fmt.Sprintf("%d %s", a.Status, a.Body))
		return
	}
	for _, c := range page.Changes {
		if q.next++; c.Change.Sequence != q.next || q.ids[c.Change.ID] {
			q.faults = append(q.faults, fmt.Sprintf("change %d has the number %d after %d, known: %v", c.Change.ID,
				c.Change.Sequence, q.next-1, q.ids[c.Change.ID]))
			q.next = c.Change.Sequence
		}
		q.ids[c.Change.ID] = true
	}
	if page.Latest < q.latest {
		q.faults = append(q.faults, fmt.Sprintf("the last number fell from %d to %d", q.latest, page.Latest))
	}
	q.latest = page.Latest
}

// A follower copies what many clients write while files are imported, transactions hang before their
// commit, the leader is killed, PostgreSQL crashes, and it is killed itself. At the end its copy is
// what the API shows, and every number was seen once.
func TestTheFollowerMissesNothing(t *testing.T) {
	t.Parallel()
	clients, imports, kills, crashes := tier.Size(4, 50), tier.Size(1, 3), tier.Size(2, 20), tier.Size(1, 3)
	items, hang := tier.Size(2000, 40_000), tier.Size(500*time.Millisecond, 20*time.Second)
	s := e2etest.New(t, e2etest.OwnPostgres, short, e2etest.Set("BORDERO_MAX_STATEMENT_BYTES=100000000"))
	_, leader := s.Serve()
	s.Worker()
	s.Start("work", "deletions").Ready()
	account := s.NewDepositAccount(t, "")
	f := newExampleFollower(t, s)
	f.start("copy")
	seen := &sequences{ids: map[int64]bool{}}
	reading, stopReading := context.WithCancel(context.Background())
	var readers sync.WaitGroup
	readers.Go(func() {
		for reading.Err() == nil {
			seen.read(s)
		}
	})
	w := startWriters(s, account, clients)
	var hanging sync.WaitGroup
	for range 3 {
		hanging.Go(func() { hangs(s, openStore(t, s), hang) })
	}
	var files []e2etest.Statement
	for range imports {
		files = append(files, s.MustUpload(t, s.NewDepositAccount(t, ""), statementtest.OFX(items)))
	}
	for n := range kills {
		w.more(t, tier.Size(20, 40))
		leader.Kill()
		leader = s.Start("scheduler").Ready()
		if n%7 == 1 {
			f.kill()
			f.start("copy")
		}
	}
	for range crashes {
		w.more(t, tier.Size(20, 40))
		if err := s.Postgres.Restart(t.Context(), private.Immediate); err != nil {
			t.Fatal(err)
		}
	}
	w.more(t, tier.Size(20, 40))
	hanging.Wait()
	for _, file := range files {
		if ended := s.AwaitEnd(t, file); ended.Event.Status != finance.ImportSuccess {
			t.Errorf("an import ended with %s", ended.Event.Status)
		}
	}
	w.stop()
	s.Settled()
	testkit.Eventually(t, "all changes have a number", func() bool {
		return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM unsealed_changes`) == 0
	})
	latest := e2etest.Value[int64](t, s.DB, `SELECT sequence FROM change_heads WHERE account_id = $1`, s.ID)
	testkit.Eventually(t, "the follower has followed", func() bool { return f.next("copy") == latest })
	f.kill()
	stopReading()
	readers.Wait()
	for seen.next < latest && len(seen.faults) == 0 {
		seen.read(s)
	}
	if len(seen.faults) > 0 || seen.next != latest || int64(len(seen.ids)) != latest {
		t.Errorf("of %d numbers %d were seen, up to %d: %v", latest, len(seen.ids), seen.next, seen.faults)
	}
	f.start("fresh")
	testkit.Eventually(t, "a fresh copy", func() bool { return f.next("fresh") == latest })
	got, want := f.copied("copy"), f.copied("fresh")
	if !maps.Equal(got, want) {
		t.Errorf("the copy has %d records, the service %d: %s", len(got), len(want), firstDifference(got, want))
	}
	if n := e2etest.Value[int](t, s.DB, `SELECT (SELECT count(*) FROM people) + (SELECT count(*)
		FROM financial_transactions) + (SELECT count(*) FROM financial_accounts)`); n+2+imports != len(want) {
		t.Errorf("a fresh copy has %d records, the tables %d", len(want), n+2+imports)
	}
	s.Run("verify")
	t.Logf("%d changes, %d records", latest, len(want))
}

// Changes of long notes, 80 KB each, are more than the API answers at once: pages end before that.
func TestTheFollowerPassesLargeChanges(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	f := newExampleFollower(t, s)
	var made struct {
		Account struct{ ID int64 } `json:"payable_account"`
	}
	path := fmt.Sprintf("/entities/%d/payable_accounts", s.Entity)
	note := func(n int) string {
		return fmt.Sprintf(
			`{"payable_account":{"description":"%d","amount":1,"due_date":"2026-01-10","observation":%q}}`, n,
			strings.Repeat([]string{"😀", "😁"}[n%2], 10_000))
	}
	if err := s.Post(path, json.RawMessage(note(0)), &made); err != nil {
		t.Fatal(err)
	}
	f.start("copy")
	testkit.Eventually(t, "a copy", func() bool { return f.next("copy") > 0 })
	f.kill()
	updates := tier.Size(150, 500)
	for n := 1; n <= updates; n++ {
		a, err := s.Do(http.MethodPut, fmt.Sprintf("%s/%d", path, made.Account.ID), "application/json",
			strings.NewReader(note(n)))
		if err != nil || a.Status != http.StatusOK {
			t.Fatal(err, a.Status)
		}
	}
	f.start("copy")
	followed := func() map[string]string {
		t.Helper()
		testkit.Eventually(t, "the follower has followed", func() bool {
			return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM unsealed_changes`) == 0 && f.next("copy") ==
				e2etest.Value[int64](t, s.DB, `SELECT sequence FROM change_heads WHERE account_id = $1`, s.ID)
		})
		return f.copied("copy")
	}
	records := followed()
	if got := records[fmt.Sprint("payable_accounts ", made.Account.ID)]; !strings.Contains(got,
		fmt.Sprintf(`"description":"%d"`, updates)) {
		t.Errorf("the copy has %.200s", got)
	}
	// A deleted entity and its records go at once, although they are readable: no worker deletes them.
	f.kill()
	for _, c := range []struct{ method, path, body string }{
		{http.MethodPut, fmt.Sprintf("%s/%d", path, made.Account.ID), note(0)},
		{http.MethodPut, fmt.Sprintf("/entities/%d", s.Entity), `{"entity":{"force_destroy":true}}`},
		{http.MethodDelete, fmt.Sprintf("/entities/%d", s.Entity), ""},
	} {
		if a, err := s.Do(c.method, c.path, "application/json", strings.NewReader(c.body)); err != nil ||
			a.Status/100 != 2 {
			t.Fatalf("%s %s: %v, %d %s", c.method, c.path, err, a.Status, a.Body)
		}
	}
	f.start("copy")
	if got := followed(); len(got) != len(records)-2 {
		t.Errorf("the copy has %d records, and had %d", len(got), len(records))
	}
}

// hangs writes in a transaction that is long open after its changes were written. A crash may undo it.
func hangs(s *e2etest.Site, store *storage.Store, long time.Duration) {
	_ = store.InTx(context.Background(), func(tx *storage.Tx) error {
		p := finance.Person{AccountID: s.ID, Name: "Late"}
		if err := tx.InsertPeople(context.Background(), []*finance.Person{&p}); err != nil {
			return err
		}
		err := tx.Emit(context.Background(), finance.Event{Family: finance.PeopleFamily, Action: finance.Created,
			AccountID: s.ID, IDs: []int64{p.ID}})
		time.Sleep(long) // the fault itself
		return err
	})
}

func firstDifference(got, want map[string]string) string {
	for name, record := range want {
		if got[name] != record {
			return fmt.Sprintf("%s is %s, not %s", name, got[name], record)
		}
	}
	for name, record := range got {
		if want[name] == "" {
			return fmt.Sprintf("%s is gone, but the copy has %s", name, record)
		}
	}
	return ""
}
