// Package e2etest runs the real binary for tests: the processes of one
// installation on servers of its own, the commands, and a client of the API. It
// is apart so that the tests of e2e and of faults start the same, and no product
// code does.
//
// A site has a Redis of its own, and a PostgreSQL where it asks for one: the tests
// stop, freeze and crash them.
package e2etest

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/storage/storagetest"

	_ "github.com/lib/pq" // the driver of what tests look up in the database
)

var dir string // of what the tests of a package share

// Main runs the tests of a package beside the servers that all packages share; it is
// all that its TestMain does.
func Main(m *testing.M) {
	os.Exit(storagetest.Run(func() int {
		// Most of these tests wait: for a lease, for a server. More of them fit the
		// machine at once than it has cores.
		_ = flag.Set("test.parallel", "6")
		var remove func()
		var err error
		if dir, remove, err = private.TempDir(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer remove()
		return m.Run()
	}))
}

// build builds the service, once.
var build = sync.OnceValues(func() (string, error) {
	binary := filepath.Join(dir, "bordero")
	if out, err := exec.Command("go", "build", "-o", binary, "bordero").CombinedOutput(); err != nil { // go test ends it
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return binary, nil
})

// Binary is the path of the service's binary, which the first test that needs it builds.
func Binary(t testing.TB) string {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// patience is how long anything may take before it counts as never. The machine
// may be busy, so it says nothing about how long things should take.
const patience = 2 * time.Minute

// Await asks until the answer is yes.
func Await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// Loopback is an address for a process that is started later. The ports are below
// those of private.FreePort, which each `up` takes for its own processes, and every
// other one, since `up` likes its monitor beside its API.
func Loopback() string {
	ports.Lock()
	defer ports.Unlock()
	for {
		if ports.next += 2; ports.next >= portBlock {
			takePorts()
			ports.next = 2
		}
		addr := loopback(ports.base + ports.next)
		if l, err := net.Listen("tcp", addr); err == nil {
			l.Close()
			return addr
		}
	}
}

// ports are the block of ports that this process gives out. Test processes of several
// packages, and of several clones, run at once: the process that listens on the first
// port of a block has the others.
var ports = struct {
	sync.Mutex
	base, next int
	held       []net.Listener
}{next: portBlock}

const (
	portBlock           = 500
	firstPort, lastPort = 10_500, 20_000 // browsers refuse 10080
)

// takePorts takes a free block. When all are taken, the ports of the current block are
// given out again.
func takePorts() {
	for base := firstPort; base < lastPort; base += portBlock {
		if l, err := net.Listen("tcp", loopback(base)); err == nil {
			ports.base, ports.held = base, append(ports.held, l)
			return
		}
	}
	if ports.base == 0 {
		panic("all ports for tests are taken")
	}
}

func loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// bare is the environment of this process without what configures the service.
func bare() []string {
	var kept []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if name != "DATABASE_URL" && name != "REDIS_URL" && !strings.HasPrefix(name, "BORDERO_") {
			kept = append(kept, v)
		}
	}
	return kept
}

// Command runs a command of the binary with further variables and returns what
// it printed; err is nil when its exit code is 0.
func Command(t testing.TB, env []string, words ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out, errs strings.Builder
	cmd := exec.CommandContext(ctx, Binary(t), words...)
	cmd.Env = append(bare(), env...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// openDB opens the database for what no room of the service has a method for.
func openDB(t testing.TB, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
