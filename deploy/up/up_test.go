package up

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"bordero/internal/testkit"

	"golang.org/x/crypto/bcrypt"
)

func TestUp(t *testing.T) {
	t.Parallel()
	c := testConfig(dataDir(t))
	demos := 0
	c.Demo = func(context.Context, []string) (Demo, error) {
		demos++
		return Demo{fmt.Sprint("token-", demos), 1, 2}, nil
	}
	u := start(t, c)
	demo := u.ready(t)

	t.Run("tells what runs where", func(t *testing.T) {
		if demo.Token != "token-1" || demo.AccountID != 1 || demo.EntityID != 2 || demo.MonitorUser != "admin" {
			t.Errorf("%+v", demo)
		}
		for _, want := range []string{
			"PostgreSQL: creating the data directory and starting ... ", "Redis: starting ... ",
			"database: migrating ... ", "\nbordero is ready at " + demo.URL + "\n",
			"token-1", "\n  docs     " + demo.URL + "/docs#token=token-1\n", demo.MonitorURL,
			"\n  console  " + demo.URL + "/console/login#token-1\n",
			"\napi        | this is api\n", "\nstatements | this is work statements\n",
		} {
			if !strings.Contains(u.out.String(), want) {
				t.Errorf("the output lacks %q", want)
			}
		}
		if strings.Contains(u.out.String(), demo.MonitorPassword) || strings.Contains(u.out.String(), "\x1b") {
			t.Error("the output has the monitor's password, or colours")
		}
		for _, name := range []string{"postgres", "redis", "api", "statements", "monitor"} {
			if !alive(u.pid(name)) {
				t.Errorf("%s.pid is that of nothing", name)
			}
		}
		for _, secret := range []string{"demo.json", "run/env", "run/settings.json"} {
			if info, err := os.Stat(filepath.Join(u.Data, secret)); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v %v", secret, info, err)
			}
		}
	})

	t.Run("gives each process its environment", func(t *testing.T) {
		api, monitor := envOf(t, demo.Ops["api"]), envOf(t, demo.Ops["monitor"])
		if "http://"+api["BORDERO_ADDR"] != demo.URL || api["BORDERO_PUBLIC_URL"] != demo.URL ||
			api["BORDERO_FILES_URL"] != "file://"+u.Data+"/files" {
			t.Errorf("%v", api)
		}
		if "http://"+monitor["BORDERO_OPS_ADDR"] != demo.Ops["monitor"] || demo.Ops["api"] == demo.Ops["monitor"] {
			t.Errorf("%v", demo.Ops)
		}
		if api["BORDERO_OWNER_DATABASE_URL"] != "" || !strings.HasPrefix(api["DATABASE_URL"],
			"postgres://bordero_worker:") {
			t.Error("the api works as the owner of the database")
		}
		if !strings.Contains(api["DATABASE_URL"], "/bordero?host=") || !strings.HasPrefix(api["REDIS_URL"], "unix://") {
			t.Error("the servers have ports")
		}
		if _, has := api["BORDERO_MONITOR_PASSWORD_HASH"]; has {
			t.Error("the api has the monitor's hash")
		}
		if err := bcrypt.CompareHashAndPassword([]byte(monitor["BORDERO_MONITOR_PASSWORD_HASH"]),
			[]byte(demo.MonitorPassword)); err != nil {
			t.Error(err)
		}
		shared, err := Environ(u.Data)
		if err != nil {
			t.Fatal(err)
		}
		if env := newEnvironment(shared); env["DATABASE_URL"] != api["DATABASE_URL"] ||
			env["REDIS_URL"] != api["REDIS_URL"] || env["REDIS_URL"] == "" {
			t.Errorf("%v", shared)
		}
	})

	t.Run("refuses a second one on the directory", func(t *testing.T) {
		second := u.Config
		second.Out = &buffer{}
		err := Run(t.Context(), second)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("another `bordero up` (pid %d) runs on %s",
			os.Getpid(), u.Data)) {
			t.Error(err)
		}
	})

	t.Run("starts what dies again and leaves the others alone", func(t *testing.T) {
		monitor := u.pid("monitor")
		for _, name := range []string{"api", "redis", "postgres"} {
			died := u.pid(name)
			syscall.Kill(died, syscall.SIGKILL)
			testkit.Eventually(t, name+" runs again", func() bool { return u.pid(name) != died && alive(u.pid(name)) })
		}
		testkit.Eventually(t, "the api answers again", func() bool {
			ready, _ := askReady(t.Context(), demo.URL+"/readyz")
			return ready
		})
		if u.pid("monitor") != monitor {
			t.Error("the monitor was started again too")
		}
		if want := "api exited (signal: killed); restarting in 1s"; !strings.Contains(u.out.String(), want) {
			t.Errorf("the output lacks %q", want)
		}
	})

	t.Run("stops in order", func(t *testing.T) {
		var pids []int
		for _, name := range []string{"postgres", "redis", "api", "statements", "monitor"} {
			pids = append(pids, u.pid(name))
		}
		if err := u.stop(); err != nil {
			t.Error(err)
		}
		order, err := os.ReadFile(u.order)
		if err != nil {
			t.Fatal(err)
		}
		ended := strings.Split(strings.TrimSpace(string(order)), "\n")
		if len(ended) != 3 || ended[0] != "api" {
			t.Errorf("the order was %q", ended)
		}
		for _, pid := range pids {
			if alive(pid) {
				t.Errorf("%d still runs", pid)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(u.Data, "run", "*.pid")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})

	t.Run("starts a second time, with the same account", func(t *testing.T) {
		leaveAsBefore(t, u.Data)
		again := start(t, c).ready(t)
		if again.Token != "token-1" || again.MonitorPassword != demo.MonitorPassword || demos != 1 {
			t.Errorf("%+v after %d accounts", again, demos)
		}
	})
}

// leaveAsBefore leaves the files of an earlier release, whose PostgreSQL had a port.
func leaveAsBefore(t *testing.T, data string) {
	t.Helper()
	password, err := os.ReadFile(filepath.Join(data, "postgres.password"))
	if err != nil {
		t.Fatal(err)
	}
	d := readDemo(data)
	d.Database = fingerprint("postgres://bordero:" + strings.TrimSpace(string(password)) +
		"@127.0.0.1:20500/bordero?sslmode=disable")
	if err := errors.Join(d.write(data), os.WriteFile(filepath.Join(data, "postgres.port"), []byte("20500\n"),
		0o600)); err != nil {
		t.Fatal(err)
	}
}

func TestUpOnServersOfTheEnvironment(t *testing.T) {
	t.Parallel()
	const hash = "$2a$10$abcdefghijklmnopqrstuu5LoxkwEcKJqS5g4fJ9TzYbUn6SDhBaK"
	c := testConfig(dataDir(t))
	c.Environ = append(c.Environ, "DATABASE_URL=postgres://one", "REDIS_URL=redis://one",
		"BORDERO_PUBLIC_URL=https://api.example",
		"BORDERO_MONITOR_USER=root", "BORDERO_MONITOR_PASSWORD_HASH="+hash)
	demos := 0
	c.Demo = func(_ context.Context, env []string) (Demo, error) {
		demos++
		if !slices.Contains(env, "BORDERO_PUBLIC_URL=https://api.example") {
			t.Errorf("%v", env)
		}
		return Demo{"tok", 1, 2}, nil
	}
	c.Migrate = func(_ context.Context, url, _ string) error {
		if !strings.HasPrefix(url, "postgres://") {
			t.Error(url)
		}
		return nil
	}
	u := start(t, c)
	demo := u.ready(t)
	if u.pid("postgres") != 0 || u.pid("redis") != 0 || strings.Contains(u.out.String(), "PostgreSQL") {
		t.Error("it started servers")
	}
	if env := envOf(t, demo.Ops["monitor"]); env["REDIS_URL"] != "redis://one" ||
		env["BORDERO_MONITOR_PASSWORD_HASH"] != hash || demo.MonitorPassword != "" || demo.MonitorUser != "root" {
		t.Errorf("%v %+v", env, demo)
	}
	u.stop()

	// Another database has another account.
	c.Environ = append(c.Environ, "DATABASE_URL=postgres://two")
	start(t, c).ready(t)
	if demos != 2 {
		t.Errorf("%d accounts", demos)
	}
}

func TestUpRefusesATakenAddress(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := testConfig(dataDir(t))
	c.Addr = l.Addr().String()
	out := &buffer{}
	c.Out = out
	err = Run(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), c.Addr+" is taken by another program: choose another address "+
		"with --addr") || out.String() != "" {
		t.Errorf("%v after %q", err, out)
	}
}

func TestUpCutShortLeavesNothing(t *testing.T) {
	t.Parallel()
	c := testConfig(dataDir(t))
	migrating := make(chan bool)
	c.Migrate = func(ctx context.Context, _, _ string) error { close(migrating); <-ctx.Done(); return ctx.Err() }
	u := start(t, c)
	<-migrating
	postgres := u.pid("postgres")
	if err := u.stop(); err != nil || alive(postgres) {
		t.Error(err, alive(postgres))
	}
}

func TestEverythingEndsWithAKilledUp(t *testing.T) {
	t.Parallel()
	data := dataDir(t)
	killed := exec.Command(os.Args[0])
	killed.Env = append(os.Environ(), childVariable+"="+data)
	out := &buffer{}
	killed.Stdout, killed.Stderr = out, out
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { killed.Process.Kill(); killed.Wait() })
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(out)
		}
	})
	testkit.Eventually(t, "ready", func() bool { return strings.Contains(out.String(), "bordero is ready") })
	var pids []int
	for _, name := range []string{"postgres", "redis", "api", "statements", "monitor"} {
		pids = append(pids, readPID(runPath(data, name+".pid")))
	}
	killed.Process.Kill()

	start(t, testConfig(data)).ready(t) // at once: it waits for processes that still end
	for _, pid := range pids {
		testkit.Eventually(t, fmt.Sprint(pid, " has ended"), func() bool { return !alive(pid) })
	}
}

func TestEnvironWithoutAnUp(t *testing.T) {
	t.Parallel()
	if _, err := Environ(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no `bordero up` runs on") {
		t.Error(err)
	}
}

// Variables of the caller's shell that the `up` does not have are of other servers.
func TestEnvironOverridesTheCallers(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := os.Mkdir(runPath(data, ""), 0o755); err != nil {
		t.Fatal(err)
	}
	// The id of an `up` that has ended may be another process's.
	for name, content := range map[string]string{"up.lock": fmt.Sprintln(os.Getpid()),
		"env": "DATABASE_URL=postgres://a/b?c=d\nREDIS_URL=unix:///e\n"} {
		if err := os.WriteFile(runPath(data, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Environ(data); err == nil {
		t.Error("an `up` runs that holds no lock")
	}
	lock, err := os.Open(runPath(data, "up.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	got, err := Environ(data)
	want := []string{"BORDERO_FILES_URL=", "BORDERO_OWNER_DATABASE_URL=", "BORDERO_PUBLIC_URL=", "BORDERO_TIMEZONE=",
		"DATABASE_URL=postgres://a/b?c=d", "REDIS_URL=unix:///e"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}
