package faults

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
)

// lease is long enough for heartbeats on a busy machine.
const lease = 2 * time.Second

// perTenant is how many clients each account has.
const perTenant = 4

// names are the processes; the first word is the process's kind.
var names = []string{
	"api 1", "api 2", "statements", "sales", "reconciliation", "deletions", "signing", "webhooks 1", "webhooks 2",
	"scheduler 1", "scheduler 2", "monitor",
}

// harness is an installation with all processes and clients.
type harness struct {
	*e2etest.Site
	t        *testing.T
	apis     []string // URLs
	receiver *e2etest.Receiver
	tenants  []*e2etest.Client
	clients  []*client
	ledger   *ledger
	report   *report
	began    time.Time
	extra    map[string][]string // variables of single processes

	mu        sync.Mutex
	processes map[string]*e2etest.Process
	said      map[string][]*e2etest.Output // of all processes that ever ran
	deleted   []int64                      // entities
	secrets   []string                     // tokens and sessions that the console made
}

// newHarness starts the servers, all processes, and the tenants with a webhook each.
func newHarness(t *testing.T) *harness {
	t.Helper()
	return newHarnessWith(t, nil, e2etest.OwnPostgres)
}

// newHarnessWith is newHarness with the servers of the options, and with variables of single processes.
func newHarnessWith(t *testing.T, extra map[string][]string, servers ...e2etest.Option) *harness {
	t.Helper()
	w := &harness{
		extra: extra,
		t:     t, ledger: newLedger(), report: newReport(t), receiver: e2etest.NewReceiver(t),
		processes: map[string]*e2etest.Process{}, said: map[string][]*e2etest.Output{},
	}
	for range 2 {
		w.apis = append(w.apis, e2etest.Loopback())
	}
	w.Site = e2etest.New(t, append(servers, e2etest.Delivering("200ms"),
		e2etest.Set("BORDERO_PUBLIC_URL=http://"+w.apis[0]), // of both, as behind a gateway
		e2etest.Set("BORDERO_LEASE="+lease.String()), e2etest.Set("BORDERO_DATABASE_CONNECTIONS=10"),
		e2etest.Set("BORDERO_MONITOR_ADDR="+e2etest.Loopback()),
		e2etest.Set("BORDERO_MONITOR_USER=ana"),
		e2etest.Set("BORDERO_MONITOR_PASSWORD_HASH=$2a$04$"+strings.Repeat("a", 53)))...)
	w.DB.SetMaxIdleConns(-1) // an idle connection could be one to a server before its restart
	for _, name := range names {
		w.start(name)
	}
	for _, name := range names {
		w.processes[name].Ready()
	}
	w.tenants = []*e2etest.Client{w.Client, w.newTenant("Oficina"), w.newTenant("Livraria")}
	w.began = time.Now()
	for i, tenant := range w.tenants {
		for j := range perTenant {
			prefix := fmt.Sprintf("f-%c%d", 'a'+i, j)
			w.clients = append(w.clients, newClient(w, tenant, tenant.Entity, prefix, w.draws(uint64(10+10*i+j))))
		}
		w.clients[len(w.clients)-1].subscribe()
	}
	return w
}

// newTenant creates another account.
func (w *harness) newTenant(name string) *e2etest.Client {
	w.t.Helper()
	made := w.Run("account", "create", "--name", name, "--email", strings.ToLower(name)+"@example.com", "--json")
	c := &e2etest.Client{}
	if err := json.Unmarshal([]byte(made), c); err != nil {
		w.t.Fatal(err)
	}
	return c
}

// draws returns a random source of its own for each user, so that their draws are independent.
func (w *harness) draws(of uint64) *rand.Rand { return rand.New(rand.NewPCG(*seed, of)) }

// start starts or restarts a process.
func (w *harness) start(name string) {
	w.t.Helper()
	kind, number, _ := strings.Cut(name, " ")
	var variables []string
	words := []string{"work", kind}
	switch kind {
	case "api":
		variables = []string{"BORDERO_ADDR=" + w.apis[number[0]-'1']}
		fallthrough
	case "scheduler", "monitor":
		words = []string{kind}
	}
	p := w.StartWith(append(variables, w.extra[name]...), words...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.processes[name] = p
	w.said[name] = append(w.said[name], p.Out)
}

// keepSecret remembers a token or session that no log may contain.
func (w *harness) keepSecret(secret string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.secrets = append(w.secrets, secret)
}

// process returns a process, which must not have ended by itself.
func (w *harness) process(name string) *e2etest.Process {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.processes[name]
	select {
	case <-p.Done():
		w.t.Errorf("%s has ended: %v", name, p.Err())
	default:
	}
	return p
}

// watchJobs records when jobs are done, until stop.
func (w *harness) watchJobs(stop chan struct{}) {
	var before map[int64]bool
	for {
		select {
		case <-stop:
			return
		case <-time.After(50 * time.Millisecond):
		}
		now, err := w.jobs()
		if err != nil {
			continue // PostgreSQL is down
		}
		for id := range before {
			if !now[id] {
				w.report.jobDone()
				break
			}
		}
		before = now
	}
}

func (w *harness) jobs() (map[int64]bool, error) {
	rows, err := w.DB.QueryContext(w.t.Context(), `SELECT id FROM jobs`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[int64]bool{}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		all[id] = true
	}
	return all, rows.Err()
}

// awaitLoad waits until changes are accepted, and jobs done, from now on.
func (w *harness) awaitLoad() {
	w.t.Helper()
	now := time.Now()
	testkit.Eventually(w.t, "changes are accepted and jobs are done", func() bool { return w.report.since(now) },
		w.report.latest)
}

// awaitQuiet waits until no job and no pending delivery is left. It verifies webhooks in error,
// as their owners would.
func (w *harness) awaitQuiet() {
	w.t.Helper()
	testkit.Eventually(w.t, "no job is left and all is delivered", func() bool {
		w.verifyWebhooks()
		if failed := e2etest.Value[string](w.t, w.DB, `SELECT coalesce(string_agg(jobs::text, E'\n'), '') FROM jobs
			WHERE failed_at IS NOT NULL`); failed != "" {
			w.t.Fatalf("jobs have failed for good:\n%s", failed)
		}
		return e2etest.Value[bool](w.t, w.DB, `SELECT NOT EXISTS (
			SELECT FROM deliveries WHERE status IN ('pending', 'held')) AND `+e2etest.NoJobLeft)
	}, func() string {
		return e2etest.Value[string](w.t, w.DB, `SELECT coalesce(string_agg(left_over, E'\n'), '') FROM (
			SELECT count(*) || ' deliveries are ' || status AS left_over FROM deliveries GROUP BY status
			UNION ALL SELECT count(*) || ' jobs of ' || kind FROM jobs GROUP BY kind) counted`)
	})
}

// verifyWebhooks requests the verification of each webhook that is in error.
func (w *harness) verifyWebhooks() {
	w.t.Helper()
	for i, tenant := range w.tenants {
		c := w.clients[perTenant*i]
		ids := e2etest.Value[string](w.t, w.DB, `SELECT coalesce(string_agg(id::text, ' '), '') FROM webhooks
			WHERE account_id = $1 AND status = 'error' AND deleted_at IS NULL`, tenant.ID)
		for id := range strings.FieldsSeq(ids) {
			c.verify(id)
		}
	}
}
