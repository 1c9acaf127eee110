package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/e2e/e2etest"
	"bordero/internal/tier"

	"golang.org/x/crypto/bcrypt"
)

// Each alert is silent in one case and fires in another.
func TestAlertRules(t *testing.T) {
	tier.NeedsLong(t, "installs Prometheus; deploy/manifests parses the rules")
	t.Parallel()
	installPrometheus(t)
	if out, err := exec.CommandContext(t.Context(), "promtool", "test", "rules",
		"../deploy/prometheus/alerts_test.yml").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, config := range []string{"prometheus.yml", "prometheus-compose.yml"} {
		if out, err := exec.CommandContext(t.Context(), "promtool", "check", "config", "../deploy/prometheus/"+config).
			CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// watched is an installation that Prometheus watches.
type watched struct {
	*e2etest.Site
	*prometheus
	second  string // the ops address of a second API
	running map[string]*e2etest.Process
	t       *testing.T
	archive string // the directory of the archive, which works while it has a file "ok"
}

func watch(t *testing.T) *watched {
	t.Helper()
	installPrometheus(t)
	hash, err := bcrypt.GenerateFromPassword([]byte("x"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{second: e2etest.Loopback(), running: map[string]*e2etest.Process{}, t: t, archive: openDir(t)}
	monitor := e2etest.Loopback()
	w.Site = e2etest.New(t, e2etest.Delivering("0s"), w.ownPostgres, e2etest.Set("BORDERO_MONITOR_ADDR="+monitor),
		e2etest.Set("BORDERO_MONITOR_USER=ana"), e2etest.Set("BORDERO_MONITOR_PASSWORD_HASH="+string(hash)))
	w.prometheus = startPrometheus(t, monitor, w.second)
	w.backUp()
	w.startAll()
	w.await("count(bordero_build_info offset 20s) == 10") // BorderoInstancesFewer compares with then
	return w
}

// ownPostgres gives the site a server that archives its log.
func (w *watched) ownPostgres(s *e2etest.Site) {
	w.touch("ok")
	dir := openDir(w.t)
	var err error
	s.Postgres, err = private.StartPostgres(w.t.Context(), dir, private.Options{
		Durable: true, Settings: map[string]string{
			"archive_mode":    "on",
			"archive_command": fmt.Sprintf("test -e %[1]s/ok && test ! -f %[1]s/%%f && cp %%p %[1]s/%%f", w.archive),
		}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = s.Postgres.Stop(context.Background()) })
	ownedAs(w.t, filepath.Join(dir, "postgres"), w.archive)
	hba := filepath.Join(dir, "postgres", "pg_hba.conf")
	if err := os.WriteFile(hba, []byte("host all,replication all 127.0.0.1/32 scram-sha-256\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := s.Postgres.Restart(w.t.Context(), private.Fast); err != nil {
		w.t.Fatal(err)
	}
	e2etest.OnServers(s.Postgres.WorkerURL(), s.Postgres.URL())(s)
}

func (w *watched) touch(name string) {
	w.t.Helper()
	//nolint:gosec // for the user of the server
	if err := os.WriteFile(filepath.Join(w.archive, name), nil, 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// backUp runs the commands of docs/operations/backup.md.
func (w *watched) backUp() {
	w.t.Helper()
	manual, err := os.ReadFile("../docs/operations/backup.md")
	if err != nil {
		w.t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(manual), "```sh\n")
	script, _, _ = strings.Cut(script, "```")
	cmd := exec.CommandContext(w.t.Context(), "sh", "-e", "-c", script)
	cmd.Env = append(os.Environ(), "BACKUP_URL="+w.Postgres.URL(), "BACKUPS="+w.t.TempDir(), "TEXTFILES="+w.textfiles,
		"PATH="+filepath.Dir(postgresProgram(w.t, "pg_basebackup"))+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
}

// startAll starts each process that does not run, and waits until Prometheus sees all.
func (w *watched) startAll() {
	w.t.Helper()
	variables := map[string][]string{"api 2": {"BORDERO_OPS_ADDR=" + w.second, "BORDERO_ADDR=" + e2etest.Loopback()}}
	for name, ops := range w.ops {
		variables[name] = []string{"BORDERO_OPS_ADDR=" + ops}
	}
	for name, env := range variables {
		if w.running[name] == nil {
			p := w.StartWith(env, strings.Fields(strings.TrimSuffix(name, " 2"))...)
			p.Ops = "http://" + strings.TrimPrefix(env[0], "BORDERO_OPS_ADDR=")
			w.running[name] = p
		}
	}
	for _, p := range w.running {
		p.Ready()
	}
	w.await("count(up == 1) == 11") // with the second API and node_exporter
}

func (w *watched) kill(names ...string) {
	for _, name := range names {
		w.running[name].Kill()
		delete(w.running, name)
	}
}

func (w *watched) exec(statement string, args ...any) {
	w.t.Helper()
	if _, err := w.DB.ExecContext(w.t.Context(), statement, args...); err != nil {
		w.t.Fatal(err)
	}
}

// each returns "alert process" for every process, and for all but some.
func (w *watched) each(alert string, but ...string) (all []string) {
	for name := range w.ops {
		if !slices.Contains(but, name) {
			all = append(all, alert+" "+name)
		}
	}
	return all
}

// TestAlerts breaks one thing after the other below a real Prometheus with the shipped configuration, whose times
// are shortened: each alert fires, and ends when the cause is gone.
func TestAlerts(t *testing.T) {
	tier.NeedsLong(t, "minutes with Prometheus; deploy/manifests parses the rules")
	t.Parallel()
	w := watch(t)
	t.Logf("all is well, and no alert fires after %d s", w.quiet())
	receiver := e2etest.NewReceiver(t)
	hook := subscribe(t, w.Site, receiver.URL+"/in")
	store := openStore(t, w.Site)
	into, answers := w.NewDepositAccount(t, ""), make(chan struct{})
	var statement e2etest.Statement
	var asking sync.WaitGroup
	backup := filepath.Join(w.textfiles, "bordero_backup.prom")
	for _, c := range []struct {
		name          string
		breaks, mends func()
		alerts        []string
	}{
		{
			"one API of two is killed", func() { w.kill("api 2") }, w.startAll,
			[]string{"BorderoInstanceDown api", "BorderoInstancesFewer api"},
		},
		{
			"all processes are killed", func() { w.kill("api 2"); w.kill(slices.Sorted(maps.Keys(w.ops))...) },
			w.startAll,
			slices.Concat(w.each("BorderoProcessAbsent", "monitor"), w.each("BorderoInstanceDown"), []string{
				"BorderoMonitorAbsent monitor", "BorderoJobsUnwatched"}),
		},
		{
			"PostgreSQL stops while clients ask", func() {
				asking.Go(func() {
					for tick := time.NewTicker(100 * time.Millisecond); ; {
						select {
						case <-answers:
							return
						case <-tick.C:
							_, _ = w.Do(http.MethodGet, "/people", "", nil)
						}
					}
				})
				if err := w.Postgres.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			}, func() {
				if err := w.Postgres.Start(t.Context()); err != nil {
					t.Error(err)
				}
				w.startAll() // also waits until all are ready
				close(answers)
			},
			slices.Concat(w.each("BorderoNotReady"), []string{"BorderoCheckFails api postgres", "BorderoJobsUnwatched",
				"BorderoAnswersFail", "BorderoRouteFails"}),
		},
		{
			"Redis is full", func() { w.CommandRedis("CONFIG", "SET", "maxmemory", 1) },
			func() { w.CommandRedis("CONFIG", "SET", "maxmemory", 0) },
			append(w.each("BorderoNotReady", "api"), "BorderoRedisNotReady", "BorderoRedisFillsUp",
				"BorderoCheckFails api redis"),
		},
		{
			"the files are away", func() { rename(t, w.Files, w.Files+".away") },
			func() { rename(t, w.Files+".away", w.Files) },
			[]string{"BorderoCheckFails api files", "BorderoCheckFails scheduler files"},
		},
		{
			"a queue is paused, its job waits, another has failed, and one hangs", func() {
				w.CommandRedis("SET", "asynq:{sales}:paused", 1)
				w.exec(`INSERT INTO jobs (kind, queue, due_at) VALUES ('price_sales', 'sales', now() - interval '1 h')`)
				w.exec(`INSERT INTO jobs (kind, queue, failed_at) VALUES ('price_sales', 'sales', now())`)
				w.exec(`INSERT INTO jobs (kind, queue, leased_until, claimed_at)
					VALUES ('price_sales', 'sales', now() + interval '1 h', now() - interval '4 h')`)
			}, func() {
				w.exec(`DELETE FROM jobs WHERE kind = 'price_sales'`)
				w.CommandRedis("DEL", "asynq:{sales}:paused")
			},
			[]string{"BorderoQueuePaused", "BorderoJobsWait", "BorderoJobsFailed", "BorderoJobHangs"},
		},
		{
			"a webhook fails five times", func() {
				receiver.Answers("/in", func(a http.ResponseWriter, _ *http.Request) {
					a.WriteHeader(http.StatusInternalServerError)
				})
				mustHappen(t, w.Site)
			}, func() { receiver.Answers("/in", nil); verified(t, w.Site, store, hook) },
			[]string{"BorderoWebhooksInError", "BorderoDeliveriesFail"},
		},
		{
			"a statement differs", func() {
				file, err := os.ReadFile("../testdata/statements/ofx/annacruz-ofx__bb.ofx")
				if err != nil {
					t.Fatal(err)
				}
				statement = w.Import(t, into, file)
			}, func() { w.Open(t, statement) }, []string{"BorderoProofsDiffer"},
		},
		{
			"the archive fails", func() {
				if err := os.Remove(filepath.Join(w.archive, "ok")); err != nil {
					t.Fatal(err)
				}
				for range 3 { // of complete segments, two must wait
					mustHappen(t, w.Site)
					w.exec(`SELECT pg_switch_wal()`)
				}
			}, func() { w.touch("ok"); w.exec(`SELECT pg_switch_wal()`) },
			[]string{"BorderoArchiveFails", "BorderoArchiveLate"},
		},
		{
			"the last backup is old", func() {
				if err := os.WriteFile(backup, []byte("bordero_backup_timestamp_seconds 1e9\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}, w.backUp, []string{"BorderoBackupOld"},
		},
		{"no backup is known", func() { rename(t, backup, backup+".new") }, w.backUp, []string{"BorderoBackupUnknown"}},
	} {
		c.breaks()
		took := w.fire(c.alerts...)
		w.leads(took)
		c.mends()
		t.Logf("%s: fired after seconds %v; all quiet %d s after the end", c.name, took, w.quiet())
	}
	asking.Wait()
	w.Run("verify")
}

// leads checks that the address of each firing alert leads to its section on the monitor, if that runs.
func (w *watched) leads(fired map[string]int) {
	w.t.Helper()
	for _, a := range w.firing() {
		page, section, _ := strings.Cut(a.Annotations["runbook_url"], "#")
		if _, expected := fired[a.String()]; !expected || w.running["monitor"] == nil {
			continue
		}
		if got := e2etest.Fetch(w.t, page); got.Status != http.StatusOK || !strings.Contains(string(got.Body),
			`<h2 id="`+section+`"`) {
			w.t.Errorf("%s leads to %s: %d", a, a.Annotations["runbook_url"], got.Status)
		}
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
