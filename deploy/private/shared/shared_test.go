package shared

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bordero/deploy/private"

	_ "github.com/lib/pq" // to check that the server works
)

func TestMain(m *testing.M) {
	Main()
	if err := private.Install(context.Background(), func(s string) { fmt.Fprintln(os.Stderr, s) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// directory returns a directory for servers of the test's own.
func directory(t *testing.T) string {
	t.Helper()
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	return filepath.Join(dir, "servers")
}

func use(t *testing.T, dir string) (Servers, func()) {
	t.Helper()
	s, release, err := acquire(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	db, err := sql.Open("postgres", s.PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.PingContext(t.Context()); err != nil {
		t.Errorf("PostgreSQL: %v", err)
	}
	if sockets, _ := filepath.Glob(s.PostgresSocket + "/.s.PGSQL.*"); s.PostgresSocket != "" && len(sockets) == 0 {
		t.Errorf("%s has no socket", s.PostgresSocket)
	}
	if _, err := url.Parse(s.RedisURL); err != nil || !strings.HasPrefix(s.RedisURL, "redis://") {
		t.Errorf("Redis: %q %v", s.RedisURL, err)
	}
	return s, release
}

// keeper returns the id of the process that runs the servers of a directory, 0 for none.
func keeper(dir string) (pid int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range all {
		content, _ := os.ReadFile(file) // the process may have ended
		stat, _ := os.Readlink(filepath.Join(filepath.Dir(file), "exe"))
		self, _ := os.Executable()
		if strings.Contains(string(content), keeperVariable+"="+dir+"\x00") && stat == self {
			_, _ = fmt.Sscan(filepath.Base(filepath.Dir(file)), &pid)
		}
	}
	return pid
}

// awaitEnd waits until the process that runs the servers has ended.
func awaitEnd(t *testing.T, dir string) {
	t.Helper()
	f, err := lock(filepath.Join(dir, "keeper"), syscall.LOCK_EX) // the process locks it until its end
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func TestServersAreSharedUntilTheLastUserHasGone(t *testing.T) {
	t.Parallel()
	dir := directory(t)
	first, releaseFirst := use(t, dir)
	second, releaseSecond := use(t, dir)
	if first != second {
		t.Errorf("%v and %v", first, second)
	}
	releaseFirst()
	if third, release := use(t, dir); third != first {
		t.Errorf("%v after one user has gone", third)
	} else {
		release()
	}
	releaseSecond()
	awaitEnd(t, dir)
	if left, err := os.ReadDir(filepath.Join(dir, "data")); !os.IsNotExist(err) {
		t.Errorf("%v is left, %v", left, err)
	}
	if again, _ := use(t, dir); again == first {
		t.Error("servers that have ended were given out")
	}
}

func TestServersWhoseKeeperWasKilledAreStartedAgain(t *testing.T) {
	t.Parallel()
	dir := directory(t)
	first, _ := use(t, dir)
	pid := keeper(dir)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, dir)
	if second, _ := use(t, dir); second == first {
		t.Error("the servers of a dead keeper were given out")
	}
}

func TestADirectoryOfSomebodyElseIsRefused(t *testing.T) {
	t.Parallel()
	dir := directory(t)
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	if _, _, err := acquire(t.Context(), dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a link was followed: %v", err)
	}
}
