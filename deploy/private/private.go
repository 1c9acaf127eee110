// Package private starts PostgreSQL and Redis servers of our own, below a directory and on the
// loopback only. `bordero up` and the tests need the same servers, and neither may touch the
// machine's own.
//
// The whole of it:
//
//	private.Install(ctx, say)                          // once: the programs exist, or an error lists missing packages
//	dir, remove, err := private.TempDir()              // for tests; t.TempDir is closed to the user postgres
//	pg, err := private.StartPostgres(ctx, dir, opts)   // runs and accepts connections
//	redis, err := private.StartRedis(ctx, dir, opts)   // may use the same dir
//	pg.URL(), pg.PID(), pg.Done()
//	pg.Stop(ctx), pg.Start(ctx), pg.Kill(), pg.Restart(ctx, private.Fast)
//
// ctx limits only the start. A server runs until it is stopped or this process ends, even by
// SIGKILL. As root, the servers run as the user postgres. Both require a random password, which
// is stored beside the data and is part of URL, because every user of the machine can connect to
// a loopback port. While a server is down, another user can take its port and receive the
// password; Options.Socket prevents that.
package private

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"bordero/deploy/private/process"
)

// Options configure a private server. The zero value is a server for tests.
type Options struct {
	Port int // 0 selects a free one, which is stored in the directory for later starts
	// Socket asks for a Unix socket, closed to other users, instead of a port, unless its path is
	// too long.
	Socket   bool
	Durable  bool              // acknowledged writes survive a crash: fsync, Redis with AOF
	Log      string            // file to append the server's output to; default DIR/postgres.log, DIR/redis.log
	Settings map[string]string // additional settings by their names in postgresql.conf and redis.conf
}

// server is the common part of a private PostgreSQL and a private Redis.
type server struct {
	title    string // the name in messages: PostgreSQL
	dir      string // the data: a directory below the caller's; our own files are beside it
	as       *syscall.Credential
	password string
	port     int
	socket   string // the directory of the socket, if there is one instead of a port
	log      string
	pidFile  string         // below dir; the server writes it
	onDeath  syscall.Signal // for an orderly but quick stop

	command func() *exec.Cmd
	ready   func(pid int) (bool, error) // polled until it is true
	proc    *process.Process
}

// beside names a file next to the data directory: DIR/postgres.port.
func (s *server) beside(kind string) string { return s.dir + "." + kind }

// PID returns the process id of the server, or of its last run when it is stopped.
func (s *server) PID() int { return s.proc.PID() }

// Done is closed when the current run of the server has ended.
func (s *server) Done() <-chan struct{} { return s.proc.Done() }

// Err returns how the last run ended, nil after a clean exit. It waits for the end.
func (s *server) Err() error { return s.proc.Err() }

// Kill ends the server at once, as kill -9 does, and waits for the end.
func (s *server) Kill() {
	s.proc.Signal(syscall.SIGKILL)
	<-s.proc.Done()
}

// errPort is the error of a start on a port that another program uses.
var errPort = errors.New("is taken by another program")

// Start restarts a server that has ended, on the same port, and waits until it accepts
// connections.
func (s *server) Start(ctx context.Context) error {
	if err := s.awaitFormer(ctx); err != nil {
		return err
	}
	if !s.awaitPort(ctx) {
		return fmt.Errorf("port %d for %s %w", s.port, s.title, errPort)
	}
	if err := s.makeSocketDir(); err != nil {
		return err
	}
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the log of %s: %w", s.title, err)
	}
	defer log.Close()
	for tries := 50; ; tries-- {
		before, err := log.Seek(0, io.SeekEnd)
		if err != nil {
			return fmt.Errorf("read the log of %s: %w", s.title, err)
		}
		cmd := s.command()
		cmd.Stdout, cmd.Stderr = log, log
		proc, err := process.Start(cmd, s.onDeath)
		if err != nil {
			return err
		}
		s.proc = proc
		if err = s.awaitReady(ctx); err == nil {
			return nil
		}
		s.giveUp(ctx)
		said := tail(s.log, before)
		// The children of a killed PostgreSQL take a moment to notice.
		if tries == 0 || ctx.Err() != nil || !strings.Contains(said, "is still in use") {
			return fmt.Errorf("%s does not start: %w; its log, %s, ends:\n%s", s.title, err, s.log, said)
		}
		<-time.After(100 * time.Millisecond)
	}
}

// awaitPort reports whether the port is free. It tries for a second: a new process inherits the
// open files of this one until its exec, also a port that was just found free. After an earlier
// run, a child of the killed server may have the port open for longer.
func (s *server) awaitPort(ctx context.Context) bool {
	tries := 100
	if s.proc != nil {
		tries = 300
	}
	for range tries {
		if s.addressFree() {
			return true
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return false
		}
	}
	return false
}

// giveUp stops a server that did not become ready, or not before ctx ended.
func (s *server) giveUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_ = s.proc.Stop(ctx, s.onDeath) // the reason of the stop matters more
}

func (s *server) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if ready, err := s.ready(s.PID()); ready || err != nil {
			return err
		}
		select {
		case <-s.Done():
			if !s.addressFree() {
				return fmt.Errorf("port %d %w", s.port, errPort)
			}
			return errors.New("it exited at once")
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// awaitFormer waits for a server that still runs on the data and is ending because its parent
// was just killed. The pid file of a dead server is no obstacle, unless another process has its
// number: then the file is removed.
func (s *server) awaitFormer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	file := filepath.Join(s.dir, s.pidFile)
	for {
		pid := firstNumber(file)
		if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); err != nil {
			return nil // no such process, or not a server of ours
		} else if cwd != s.dir {
			return os.Remove(file)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("another %s (pid %d) runs on %s: stop it first", s.title, pid, s.dir)
		case <-tick.C:
		}
	}
}

// derive sets the paths and options that follow from the caller's directory.
func (s *server) derive(dir, name string, options Options) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil { // /proc names it so
		return err
	}
	s.dir = filepath.Join(dir, name)
	s.log = cmp.Or(options.Log, s.beside("log"))
	if options.Socket && len(s.beside("socket"))+len(socketName) < maxSocketPath {
		s.socket = s.beside("socket")
	}
	if s.as, err = account(s.dir); err != nil {
		return err
	}
	if err := reachable(dir, s.as); err != nil {
		return err
	}
	if _, err := os.Stat(s.dir); os.IsNotExist(err) { // new data, new URL
		for _, kind := range []string{"password", "port"} {
			if err := os.Remove(s.beside(kind)); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
	}
	s.password, err = secret(s.beside("password"))
	return err
}

// launch chooses the port and starts the server for the first time in this process.
func (s *server) launch(ctx context.Context, port int) error {
	if s.socket != "" {
		return s.Start(ctx)
	}
	kept := firstNumber(s.beside("port"))
	if s.port = port; port == 0 && kept != 0 {
		s.port = kept
	}
	if s.port != 0 {
		err := s.Start(ctx)
		if port == 0 && errors.Is(err, errPort) {
			return fmt.Errorf("%w; end that program, or delete %s to have another port chosen", err, s.beside("port"))
		}
		return err
	}
	var err error
	for range 5 { // another program may take the free port first
		s.port = FreePort()
		if err = s.Start(ctx); !errors.Is(err, errPort) {
			break
		}
	}
	if err != nil {
		return err
	}
	return os.WriteFile(s.beside("port"), []byte(strconv.Itoa(s.port)+"\n"), 0o600)
}

// socketName is PostgreSQL's name for its socket. Linux limits a socket's path to 107 bytes.
const (
	socketName    = "/.s.PGSQL.5432"
	maxSocketPath = 108
)

// makeSocketDir recreates the directory of the socket, for the server's user alone. A server
// that was killed leaves a lock there.
func (s *server) makeSocketDir() error {
	if s.socket == "" {
		return nil
	}
	if err := os.RemoveAll(s.socket); err != nil {
		return err
	}
	return makeDir(s.socket, s.as)
}

// addressFree reports whether the address of the server is free.
func (s *server) addressFree() bool { return s.socket != "" || portFree(s.port) }

// secret returns the password stored in file; the first call creates it.
func secret(file string) (string, error) {
	kept, err := os.ReadFile(file)
	if err == nil && len(kept) > 0 {
		return strings.TrimSpace(string(kept)), nil
	}
	if err != nil && !os.IsNotExist(err) {
		return "", fmt.Errorf("read the password of a private server: %w", err)
	}
	password := rand.Text()
	return password, os.WriteFile(file, []byte(password+"\n"), 0o600)
}

// FreePort returns a port of the loopback that is free now and that this process has not
// returned before. Each process starts its search at another port, so that parallel processes do
// not choose the same one. All ports are below the range that the kernel uses for outgoing
// connections, because such a connection could occupy the port of a server that is down for a
// moment.
func FreePort() int {
	for {
		port := 20_001 + (os.Getpid()*64+int(asked.Add(1)))%12_000
		if portFree(port) {
			return port
		}
	}
}

var asked atomic.Int64 // number of ports that FreePort tried

func portFree(port int) bool {
	l, err := net.Listen("tcp", address(port))
	if err != nil {
		return false
	}
	l.Close()
	return true
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// firstNumber returns the number at the beginning of a file, 0 without a number.
func firstNumber(file string) int {
	content, _ := os.ReadFile(file)
	line, _, _ := strings.Cut(string(content), "\n")
	n, _ := strconv.Atoi(strings.TrimSpace(line))
	return n
}

// tail returns the end of the file from the offset.
func tail(file string, offset int64) string {
	content, _ := os.ReadFile(file)
	content = bytes.TrimSpace(content[min(offset, int64(len(content))):])
	lines := bytes.Split(content, []byte("\n"))
	return "  " + string(bytes.Join(lines[max(0, len(lines)-5):], []byte("\n  ")))
}
