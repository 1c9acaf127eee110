package e2e

import (
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/testkit"
	"bordero/internal/tokens"
)

// processes are the names of DIR/run/*.pid; the first two are private servers.
var processes = []string{"postgres", "redis", "api", "workers", "scheduler", "monitor"}

// TestUp takes one `up` and its data directory through all that a new user may do.
func TestUp(t *testing.T) {
	t.Parallel()
	data := e2etest.DataDir(t)
	begun := time.Now()
	u := e2etest.StartUp(t, data).Ready()
	t.Logf("first start: %.1fs", time.Since(begun).Seconds())
	into := int64(0)

	t.Run("tells what runs where", func(t *testing.T) { reportsProcesses(t, u) })
	t.Run("imports a statement", func(t *testing.T) {
		into = u.NewDepositAccount(t, "")
		if b := u.Import(t, into, statementtest.OFX(10)); b.Event.Status != finance.ImportSuccess || b.Imported != 10 {
			t.Errorf("%+v", b)
		}
	})
	t.Run("serves a file", func(t *testing.T) {
		path, err := u.Attach("a.txt", strings.NewReader("a"))
		if err != nil {
			t.Fatal(err)
		}
		if a := e2etest.Fetch(t, u.Address(t, path)); a.Status != http.StatusOK || string(a.Body) != "a" {
			t.Error(e2etest.Refused{Answer: a})
		}
	})
	t.Run("every process tells how it is", func(t *testing.T) { everyProcessReports(t, u) })
	t.Run("the monitor asks for a login", func(t *testing.T) { monitorAsksForALogin(t, u) })
	t.Run("commands work on it", func(t *testing.T) { commandsWorkOn(t, u) })
	t.Run("a second one on the directory is refused", func(t *testing.T) {
		second := e2etest.StartUp(t, data)
		err := second.Wait()
		want := fmt.Sprintf("another `bordero up` (pid %d) runs on %s", u.PID(), data)
		if err == nil || !strings.Contains(second.Out.String(), want) {
			t.Errorf("%v: %s", err, second.Out)
		}
		u.AllReady()
	})
	t.Run("what dies comes back and the others stay", func(t *testing.T) { whatDiesComesBack(t, u, into) })
	t.Run("it starts again after kill -9", func(t *testing.T) {
		u.Kill()
		begun := time.Now()
		u = e2etest.StartUp(t, data).Ready()
		t.Logf("start after kill -9: %.1fs", time.Since(begun).Seconds())
		if balance, want := u.Balance(t, into), statementtest.Total(20); balance != want {
			t.Errorf("the balance is %s, not %s", balance, want)
		}
		stops(t, u, syscall.SIGTERM)
	})
	t.Run("it starts again with what it had", func(t *testing.T) {
		before := u.Demo
		leaveStale(t, data)
		begun := time.Now()
		u = e2etest.StartUp(t, data).Ready()
		t.Logf("second start: %.1fs", time.Since(begun).Seconds())
		if u.Demo.Token != before.Token || u.Demo.MonitorPassword != before.MonitorPassword ||
			u.Demo.AccountID != before.AccountID {
			t.Errorf("it was %+v, it is %+v", before, u.Demo)
		}
		if b := u.Import(t, into, statementtest.OFX(30)); b.Imported != 10 || b.Duplicate != 20 {
			t.Errorf("%+v", b)
		}
		stops(t, u, syscall.SIGINT)
	})
}

// leaveStale leaves the files of a machine after a power failure: pid files whose numbers now
// belong to other processes.
func leaveStale(t *testing.T, data string) {
	t.Helper()
	for _, file := range []string{"run/api.pid", "run/up.lock", "postgres/postmaster.pid", "redis/redis.pid"} {
		err := os.WriteFile(filepath.Join(data, file), fmt.Appendln(nil, os.Getpid()), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func reportsProcesses(t *testing.T, u *e2etest.Up) {
	if u.Demo.AccountID == 0 || u.Demo.EntityID == 0 || !tokens.Checked(u.Demo.Token) || u.Demo.MonitorUser == "" ||
		u.Demo.MonitorPassword == "" {
		t.Errorf("demo.json: %+v", u.Demo)
	}
	var accounts []struct {
		Account struct {
			ID      int64
			Sandbox bool
		}
	}
	u.Get(t, "/accounts", &accounts)
	if len(accounts) != 1 || accounts[0].Account.ID != u.Demo.AccountID || !accounts[0].Account.Sandbox {
		t.Errorf("its account is no sandbox: %+v", accounts)
	}
	for _, part := range []string{u.URL, u.Demo.Token, u.Demo.MonitorURL} {
		if !strings.Contains(u.Out.String(), part) {
			t.Errorf("its output lacks %q", part)
		}
	}
	for _, secret := range []string{"demo.json", "run/env", "signing.pem"} {
		if info, err := os.Stat(filepath.Join(u.Data, secret)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", secret, info.Mode(), err)
		}
	}
	pids := u.PIDs()
	if got := slices.Sorted(maps.Keys(pids)); !slices.Equal(got, slices.Sorted(slices.Values(processes))) {
		t.Errorf("pid files of %v", got)
	}
	for name, pid := range pids {
		if syscall.Kill(pid, 0) != nil {
			t.Errorf("%s: no process has the id %d", name, pid)
		}
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil {
			t.Fatal(err)
		}
		for variable, owner := range map[string]string{
			"BORDERO_SIGNING_KEY_FILE": "workers", "BORDERO_SIGNING_PUBLIC_KEYS": "api",
			"BORDERO_MONITOR_PASSWORD_HASH": "monitor",
		} {
			if got := strings.Contains(string(environ), variable+"="); got != (name == owner) {
				t.Errorf("%s has %s: %v", name, variable, got)
			}
		}
	}
}

func everyProcessReports(t *testing.T, u *e2etest.Up) {
	urls := maps.Clone(u.Demo.Ops)
	urls["the API's own address"] = u.URL
	if len(urls) != len(processes)-2+1 {
		t.Errorf("demo.json lists %v", u.Demo.Ops)
	}
	for name, base := range urls {
		status, states := e2etest.Readiness(t, base)
		if status != http.StatusOK || states[""] != "ok" || states["redis"] != "ok" {
			t.Errorf("%s: /readyz is %d %v", name, status, states)
		}
		answer, err := http.Get(base + "/healthz")
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: /healthz: %v %v", name, answer, err)
			continue
		}
		answer.Body.Close()
		ops := "BORDERO_OPS_ADDR=" + strings.TrimPrefix(base, "http://")
		if said, stderr, err := e2etest.Command(t, []string{ops}, "health"); err != nil ||
			!strings.Contains(said, `"postgres":{"status":"ok"`) && name != "monitor" {
			t.Errorf("%s: bordero health: %v %s%s", name, err, said, stderr)
		}
		want := http.StatusOK
		if base == u.URL { // clients may reach it
			want = http.StatusNotFound
		}
		shown, err := http.Get(base + "/metrics")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text, _ := io.ReadAll(shown.Body)
		shown.Body.Close()
		has := strings.Contains(string(text), "bordero_build_info{")
		if shown.StatusCode != want || has != (want == http.StatusOK) {
			t.Errorf("%s: /metrics is %d", name, shown.StatusCode)
		}
	}
	if _, stderr, err := e2etest.Command(t, []string{"BORDERO_OPS_ADDR=" + e2etest.Loopback()}, "health",
		"--live"); err == nil || !strings.Contains(stderr, "refused") {
		t.Errorf("nobody is well: %v %s", err, stderr)
	}
}

// monitorAsksForALogin logs in as a browser does.
func monitorAsksForALogin(t *testing.T, u *e2etest.Up) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	read := func(answer *http.Response, err error) (int, string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Error(err)
		}
		return answer.StatusCode, string(body)
	}
	login := func(password string) (int, string) {
		return read(browser.PostForm(u.Demo.MonitorURL+"/login", url.Values{"user": {u.Demo.MonitorUser}, "password": {
			password}}))
	}
	queues := u.Demo.MonitorURL + "/api/queues"
	if status, page := read(browser.Get(u.Demo.MonitorURL)); status != 200 ||
		!strings.Contains(page, `name="password"`) {
		t.Errorf("without a login it shows %d %s", status, page)
	}
	if status, _ := read(browser.Get(queues)); status != 401 {
		t.Errorf("without a login the queues are %d", status)
	}
	if status, _ := login("wrong"); status != 401 {
		t.Errorf("a wrong password is %d", status)
	}
	if status, page := login(u.Demo.MonitorPassword); status != 200 || strings.Contains(page, `name="password"`) {
		t.Errorf("the password of demo.json gives %d %s", status, page)
	}
	if status, list := read(browser.Get(queues)); status != 200 || !strings.Contains(list, `"statements"`) {
		t.Errorf("the queues are %d %s", status, list)
	}
}

// whatDiesComesBack kills each process, one after the other; the import at the end needs all of them.
func whatDiesComesBack(t *testing.T, u *e2etest.Up, into int64) {
	for _, name := range processes {
		before := u.PIDs()
		if err := syscall.Kill(before[name], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, name+" runs again", func() bool {
			now := u.PIDs()[name]
			return now != 0 && now != before[name] && syscall.Kill(now, 0) == nil
		})
		u.AllReady()
		after := u.PIDs()
		delete(before, name)
		delete(after, name)
		if !maps.Equal(before, after) {
			t.Errorf("when %s was killed, others were started again: %v, then %v", name, before, after)
		}
		if !strings.Contains(u.Out.String(), name+" exited (signal: killed); restarting") {
			t.Errorf("it does not say that %s ended", name)
		}
	}
	if b := u.Import(t, into, statementtest.OFX(20)); b.Imported != 10 || b.Duplicate != 10 {
		t.Errorf("afterwards an import is %+v", b)
	}
}

// stops ends an `up` as Ctrl-C does, and checks what it leaves behind.
func stops(t *testing.T, u *e2etest.Up, signal syscall.Signal) {
	t.Helper()
	begun := time.Now()
	u.Signal(signal)
	u.Ended()
	t.Logf("stop: %.1fs", time.Since(begun).Seconds())
	if left := e2etest.Processes(t, u.Data); len(left) > 0 {
		t.Errorf("still running: %q", left)
	}
	if left := u.PIDs(); len(left) > 0 {
		t.Errorf("pid files left: %v", left)
	}
	_, stderr, err := e2etest.Command(t, nil, "jobs", "list", "--data", u.Data)
	if want := "no `bordero up` runs on " + u.Data; err == nil || !strings.Contains(stderr, want) {
		t.Errorf("a command on what has ended: %v, %q", err, stderr)
	}
}

func TestUpOnServersOfOthers(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	var given []string
	for _, v := range s.Env {
		if !strings.HasPrefix(v, "BORDERO_") {
			given = append(given, v) // the two URLs
		}
	}
	data := e2etest.DataDir(t)
	u := e2etest.StartUp(t, data, given...).Ready()
	for _, server := range processes[:2] {
		if _, err := os.Stat(filepath.Join(data, server)); err == nil || u.PIDs()[server] != 0 {
			t.Errorf("it started a %s of its own", server)
		}
	}
	into := u.NewDepositAccount(t, "")
	if b := u.Import(t, into, statementtest.OFX(10)); b.Imported != 10 {
		t.Errorf("%+v", b)
	}
	if kept := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM financial_transactions`); kept != 10 {
		t.Errorf("%d transactions in the database that was given", kept)
	}
	stops(t, u, syscall.SIGTERM)
}

func TestUpThatWasKilledAtItsFirstStartStartsAgain(t *testing.T) {
	t.Parallel()
	data := e2etest.DataDir(t)
	u := e2etest.StartUp(t, data)
	testkit.Eventually(t, "it makes a database", func() bool {
		made, _ := filepath.Glob(filepath.Join(data, "postgres*", "base"))
		return len(made) > 0
	})
	u.Kill()
	u = e2etest.StartUp(t, data).Ready()
	if b := u.Import(t, u.NewDepositAccount(t, ""), statementtest.OFX(10)); b.Imported != 10 {
		t.Errorf("%+v", b)
	}
	stops(t, u, syscall.SIGTERM)
}

func TestUpThatIsStoppedAtItsFirstStartStopsAtOnce(t *testing.T) {
	t.Parallel()
	u := e2etest.StartUp(t, e2etest.DataDir(t))
	testkit.Eventually(t, "it makes a database", func() bool {
		return strings.Contains(u.Out.String(), "creating the data directory")
	})
	stops(t, u, syscall.SIGINT)
}

func TestUpSaysWhatIsInItsWay(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	other := e2etest.DataDir(t) // the data of a PostgreSQL release that is not installed
	if err := os.MkdirAll(filepath.Join(other, "postgres"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, "postgres", "PG_VERSION"), []byte("99\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		flags []string
		env   []string
		want  string
	}{
		"the port is taken": {
			[]string{"--data", e2etest.DataDir(t), "--addr", taken.Addr().String()}, nil,
			taken.Addr().String() + " is taken by another program: choose another address with --addr",
		},
		"no address": {[]string{"--data", e2etest.DataDir(t), "--addr", "8080"}, nil,
			"the address of the API must be host:port"},
		"data of another server": {[]string{"--data", other, "--addr", "127.0.0.1:0"}, nil,
			"was made by PostgreSQL 99"},
		"a file, no directory": {[]string{"--data", file, "--addr", "127.0.0.1:0"}, nil, file},
		"a variable is bad": {[]string{"--data", e2etest.DataDir(t), "--addr", "127.0.0.1:0"},
			[]string{"BORDERO_LEASE=soon"}, "BORDERO_LEASE must be"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, err := e2etest.Command(t, c.env, append([]string{"up"}, c.flags...)...)
			if err == nil || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "goroutine") {
				t.Errorf("%v: %s%s", err, stdout, stderr)
			}
			if left := e2etest.Processes(t, c.flags[1]); len(left) > 0 {
				t.Errorf("still running: %q", left)
			}
		})
	}
}
