// Package e2etest runs the real binary for tests: the processes of one installation on servers
// of its own, the commands, and a client of the API. The tests of e2e and of faults share it.
//
// A site has a Redis of its own, and optionally a PostgreSQL: the tests stop, freeze and crash
// them.
package e2etest

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bordero/deploy/private"
	"bordero/internal/testkit"
	"bordero/storage/storagetest"

	_ "github.com/lib/pq" // the driver for the tests' queries
)

var dir string // for the files that the tests of a package share

// Main runs the tests of a package with the servers that all packages share. A TestMain only
// calls Main.
func Main(m *testing.M) {
	os.Exit(storagetest.Run(func() int {
		// Most of these tests wait for a lease or for a server, so more can run at once than the
		// machine has cores.
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

// Program returns a function that returns the path of a program of this module. Its first call builds it.
func Program(name string) func(testing.TB) string {
	build := sync.OnceValues(func() (string, error) {
		binary := filepath.Join(dir, path.Base(name))
		// Without a context: go test ends a build that hangs.
		if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, name).CombinedOutput(); err != nil {
			return "", fmt.Errorf("build: %w\n%s", err, out)
		}
		return binary, nil
	})
	return func(t testing.TB) string {
		t.Helper()
		binary, err := build()
		if err != nil {
			t.Fatal(err)
		}
		return binary
	}
}

// Binary returns the path of the service's binary.
var Binary = Program("bordero")

// Loopback returns an address for a process that is started later. Its port is below the ports of
// private.FreePort, which each `up` takes for its own processes. Every second port stays free,
// because `up` prefers the port after the API's for its monitor.
func Loopback() string { return loopback(freePort()) }

// freePort returns a port of this process's block that is free now.
func freePort() int {
	ports.Lock()
	defer ports.Unlock()
	for {
		if ports.next += 2; ports.next >= portBlock {
			takePorts()
			ports.next = 2
		}
		port := ports.base + ports.next
		if l, err := net.Listen("tcp", loopback(port)); err == nil {
			l.Close()
			return port
		}
	}
}

// ports are the block of ports that this process gives out. Test processes of several packages
// and clones run at once. The process that listens on the first port of a block owns the others.
var ports = struct {
	sync.Mutex
	base, next int
	held       []net.Listener
}{next: portBlock}

const (
	portBlock           = 500
	firstPort, lastPort = 10_500, 20_000 // browsers refuse 10080
)

// takePorts takes a free block. When all are taken, the ports of the current block are given out
// again.
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

// bare returns the environment of this process without the service's variables.
func bare() []string {
	kept := []string{"GOGC=400"} // unless it is set: memory is plentiful
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if name != "DATABASE_URL" && name != "REDIS_URL" && !strings.HasPrefix(name, "BORDERO_") {
			kept = append(kept, v)
		}
	}
	return kept
}

// Command runs a command of the binary with additional variables and returns its output. err is
// nil if the exit code is 0.
func Command(t testing.TB, env []string, words ...string) (stdout, stderr string, err error) {
	t.Helper()
	return command(t, Binary(t), env, words)
}

func command(t testing.TB, binary string, env, words []string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
	defer cancel()
	var out, errs strings.Builder
	cmd := exec.CommandContext(ctx, binary, words...)
	cmd.Env = append(bare(), env...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// openDB opens the database for queries that no package of the service offers.
func openDB(t testing.TB, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
