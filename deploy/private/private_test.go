package private

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"bordero/deploy/private/process"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// The test binary runs itself again, as a plain user and as a parent that dies. This variable
// selects the role.
const roleVariable = "PRIVATE_TEST_ROLE"

func TestMain(m *testing.M) {
	syscall.Umask(0o022) // of root may be stricter, and PostgreSQL's plain user reads these directories
	if os.Getenv(roleVariable) == "parent" {
		beParent(os.Args[1])
	}
	if err := Install(context.Background(), func(s string) { fmt.Println(s) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func tempDir(t *testing.T) string {
	t.Helper()
	dir, remove, err := TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	return dir
}

func startPostgres(t *testing.T, dir string, options Options) *Postgres {
	t.Helper()
	p, err := StartPostgres(t.Context(), dir, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, p) })
	return p
}

func startRedis(t *testing.T, dir string, options Options) *Redis {
	t.Helper()
	r, err := StartRedis(t.Context(), dir, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, r) })
	return r
}

func stop(t *testing.T, server interface{ Stop(context.Context) error }) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := server.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func psql(t *testing.T, p *Postgres, sql string) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(p.bin, "psql"), "-XAtq", p.URL(), "-c", sql).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", sql, err, out)
	}
	return strings.TrimSpace(string(out))
}

func redisCLI(t *testing.T, r *Redis, args ...string) string {
	t.Helper()
	out, err := exec.Command("redis-cli", append([]string{"--no-auth-warning", "-u", r.URL()}, args...)...).
		CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// shortContext returns a context for a start that would wait for another server's end.
func shortContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func want(t *testing.T, err error, sentence ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	t.Log(err)
	for _, part := range sentence {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
}

// listen listens on a port until the end of the test; 0 selects a free one.
func listen(t *testing.T, port int) int {
	t.Helper()
	l, err := net.Listen("tcp", address(port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	first := startPostgres(t, dir, Options{Durable: true})
	psql(t, first, "CREATE TABLE kept AS SELECT 42 AS answer")
	if got := psql(t, first, "SELECT current_setting('fsync') || current_setting('max_connections')"); got != "on200" {
		t.Errorf("settings: %s", got)
	}
	stop(t, first)

	second := startPostgres(t, dir, Options{Durable: true, Settings: map[string]string{"max_connections": "30"}})
	if got := psql(t, second, "SELECT current_setting('max_connections') || ' ' || answer FROM kept"); got != "30 42" {
		t.Errorf("after the second start: %s", got)
	}
	if second.URL() != first.URL() {
		t.Errorf("%s after %s", second.URL(), first.URL())
	}

	want(t, second.Start(shortContext(t)), "another PostgreSQL (pid", dir)
}

func TestPostgresAsksForItsPassword(t *testing.T) {
	t.Parallel()
	p := startPostgres(t, tempDir(t), Options{})
	url := strings.Replace(p.URL(), p.password, "guess", 1)
	out, err := exec.Command(filepath.Join(p.bin, "psql"), url, "-c", "SELECT 1").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "password authentication failed") {
		t.Errorf("with another password: %v: %s", err, out)
	}
}

func TestPostgresRestarts(t *testing.T) {
	t.Parallel()
	p := startPostgres(t, tempDir(t), Options{})
	psql(t, p, "CREATE TABLE kept (answer int); INSERT INTO kept VALUES (42)")
	for _, mode := range []Mode{Fast, Immediate} {
		pid := p.PID()
		if err := p.Restart(t.Context(), mode); err != nil {
			t.Fatal(err)
		}
		if p.PID() == pid || psql(t, p, "SELECT answer FROM kept") != "42" {
			t.Errorf("after mode %d", mode)
		}
	}

	p.Kill()
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := psql(t, p, "SELECT answer FROM kept"); got != "42" {
		t.Errorf("after a kill: %s", got)
	}

	// Another program has the number in the pid file now: this test.
	p.Kill()
	stale := fmt.Appendf(nil, "%d\n%s\n", os.Getpid(), p.dir)
	if err := os.WriteFile(filepath.Join(p.dir, p.pidFile), stale, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestPostgresSaysWhyItDoesNotStart(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	port := listen(t, 0)
	_, err := StartPostgres(t.Context(), dir, Options{Port: port})
	want(t, err, fmt.Sprintf("port %d for PostgreSQL is taken", port))

	p := startPostgres(t, dir, Options{})
	stop(t, p)
	listen(t, p.port)
	_, err = StartPostgres(t.Context(), dir, Options{})
	want(t, err, fmt.Sprintf("port %d for PostgreSQL is taken", p.port), "delete "+dir+"/postgres.port")

	_, err = StartPostgres(t.Context(), dir, Options{Port: FreePort(), Settings: map[string]string{
		"no_such_setting": "1"}})
	want(t, err, "PostgreSQL does not start", "no_such_setting", dir+"/postgres.log")

	if err := os.WriteFile(filepath.Join(dir, "postgres", "PG_VERSION"), []byte("9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = StartPostgres(t.Context(), dir, Options{})
	want(t, err, "was made by PostgreSQL 9, but PostgreSQL 1", "is installed")
}

func TestRedis(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	r := startRedis(t, dir, Options{Durable: true})
	redisCLI(t, r, "SET", "kept", "42")
	if got := redisCLI(t, r, "CONFIG", "GET", "maxmemory-policy"); !strings.Contains(got, "noeviction") {
		t.Error(got)
	}
	// Redis calls fsync each second, but a write survives the death of the process.
	r.Kill()
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := redisCLI(t, r, "GET", "kept"); got != "42" {
		t.Errorf("after a kill: %s", got)
	}
	stop(t, r)
	again := startRedis(t, dir, Options{Durable: true})
	if got := redisCLI(t, again, "GET", "kept"); got != "42" || again.URL() != r.URL() {
		t.Errorf("after the second start: %s at %s", got, again.URL())
	}
	want(t, again.Start(shortContext(t)), "another Redis (pid", dir)

	_, err := StartRedis(t.Context(), tempDir(t), Options{Port: again.port})
	want(t, err, fmt.Sprintf("port %d for Redis is taken", again.port))

	plain := startRedis(t, tempDir(t), Options{Settings: map[string]string{"maxmemory": "10mb"}})
	if got := redisCLI(t, plain, "CONFIG", "GET", "maxmemory"); !strings.Contains(got, "10485760") {
		t.Error(got)
	}
	redisCLI(t, plain, "SET", "lost", "1")
	plain.Kill()
	if err := plain.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := redisCLI(t, plain, "GET", "lost"); got != "" {
		t.Errorf("a throw-away Redis kept %s", got)
	}
}

// beParent starts both servers, prints that they run and waits to be killed.
func beParent(dir string) {
	p, err := StartPostgres(context.Background(), dir, Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	r, err := StartRedis(context.Background(), dir, Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(p.PID(), r.PID())
	select {}
}

func TestServersEndWithTheirParent(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	parent := exec.Command(os.Args[0], dir)
	parent.Env = append(os.Environ(), roleVariable+"=parent")
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { parent.Process.Kill(); parent.Wait() })
	var postgres, redis int
	if n, err := fmt.Fscan(out, &postgres, &redis); n != 2 {
		t.Fatal("the parent did not start them", err)
	}
	parent.Process.Kill()
	// At once: each start waits until the former server has ended.
	startPostgres(t, dir, Options{})
	startRedis(t, dir, Options{})
	for _, pid := range []int{postgres, redis} {
		testkit.Eventually(t, fmt.Sprintf("process %d has ended", pid), func() bool {
			return syscall.Kill(pid, 0) != nil
		})
	}
}

func TestRootGetsAnErrorForAClosedParent(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("a plain user's servers run as that user, whom its directories let in")
	}
	closed := filepath.Join(tempDir(t), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := StartPostgres(t.Context(), filepath.Join(closed, "data"), Options{})
	want(t, err, closed+" (mode 0700) is not accessible to the user", "chmod o+x "+closed)
}

func TestInstallWithoutRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("TestAsPlainUser runs this")
	}
	err := Install(t.Context(), func(string) { t.Error("it began to install") }, "no-such-server")
	want(t, err, "no-such-server must be installed first: as root, run `apt-get install no-such-server`")
}

// TestAsPlainUser repeats the tests without root's rights.
func TestAsPlainUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("the other tests run as a plain user already")
	}
	binary := filepath.Join(tempDir(t), "plain.test")
	// Another process copies it: one that this process is starting meanwhile would, until its exec, have a
	// file open that we write, which the kernel refuses to execute (ETXTBSY).
	if out, err := exec.Command("cp", os.Args[0], binary).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	nobody := &syscall.Credential{Uid: 65534, Gid: 65534}
	cmd := exec.CommandContext(t.Context(), binary, "-test.v", "-test.timeout=5m",
		"-test.run="+tier.Size("^(TestPostgres|TestRedis)$", "."))
	cmd.Dir = "/"
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "HOME=") })
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: nobody}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	p, err := process.Start(cmd, syscall.SIGKILL)
	if err == nil {
		err = p.Err()
	}
	t.Logf("%s", &out)
	if err != nil {
		t.Error(err)
	}
}
