// Package private starts PostgreSQL and Redis servers of our own, below a
// directory and on the loopback only. It is apart because `bordero up` and the
// tests need the very same servers, and neither may touch the machine's own.
//
// The whole of it:
//
//	private.Install(ctx, say)                          // once: the programs exist, or an error says what to install
//	dir, remove, err := private.TempDir()              // for tests; t.TempDir is closed to the user postgres
//	pg, err := private.StartPostgres(ctx, dir, opts)   // runs and accepts connections
//	redis, err := private.StartRedis(ctx, dir, opts)   // the same dir will do for both
//	pg.URL(), pg.PID(), pg.Done()
//	pg.Stop(ctx), pg.Start(ctx), pg.Kill(), pg.Restart(ctx, private.Fast)
//
// ctx bounds the start only; a server runs until it is stopped or this process
// ends, however that happens. As root the servers run as the user postgres. Both
// ask for a random password, kept beside the data and part of URL: a loopback
// port is open to every user of the machine. While its server is down, another user
// can take it, and is sent the password; Options.Socket ends that.
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

// Options of a private server. The zero value is a server for tests.
type Options struct {
	Port     int               // 0: a free one is chosen and kept in the directory, so that restarts have the same
	Socket   bool              // no port, but a Unix socket that no other user reaches, unless its path is too long for one
	Durable  bool              // what was acknowledged survives a crash: fsync, Redis with AOF
	Log      string            // file that the server's output is appended to; default DIR/postgres.log, DIR/redis.log
	Settings map[string]string // further settings by their names in postgresql.conf and redis.conf
}

// server is what a private PostgreSQL and a private Redis have in common.
type server struct {
	title    string // as messages name it: PostgreSQL
	dir      string // the data: a directory below the caller's; our own files are beside it
	as       *syscall.Credential
	password string
	port     int
	socket   string // the directory of the socket that it has instead of a port
	log      string
	pidFile  string         // written by the server itself, below dir
	onDeath  syscall.Signal // an orderly but quick stop

	command func() *exec.Cmd
	ready   func(pid int) (bool, error) // asked until it is true
	proc    *process.Process
}

// beside names a file next to the data directory: DIR/postgres.port.
func (s *server) beside(kind string) string { return s.dir + "." + kind }

// PID is the process id of the server, of its last run when it is stopped.
func (s *server) PID() int { return s.proc.PID() }

// Done is closed when the present run of the server has ended.
func (s *server) Done() <-chan struct{} { return s.proc.Done() }

// Err says how the run that has ended did so, nil after a clean exit.
func (s *server) Err() error { return s.proc.Err() }

// Kill ends the server at once, as kill -9 does, and waits for the end.
func (s *server) Kill() {
	s.proc.Signal(syscall.SIGKILL)
	<-s.proc.Done()
}

// errPort is the error of a start on a port that another program listens on.
var errPort = errors.New("is taken by another program")

// Start starts a server that has ended again, on the same port, and waits until
// it accepts connections.
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
		// The children of a PostgreSQL that was killed take a moment to notice.
		if tries == 0 || ctx.Err() != nil || !strings.Contains(said, "is still in use") {
			return fmt.Errorf("%s does not start: %w; its log, %s, ends:\n%s", s.title, err, s.log, said)
		}
		<-time.After(100 * time.Millisecond)
	}
}

// awaitPort reports whether the port is free. After a run of this process it may be held
// for a moment: by a child of the server that was killed, which was about to close it.
func (s *server) awaitPort(ctx context.Context) bool {
	tries := 1
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

// giveUp ends a server that did not become ready, or not before ctx ended.
func (s *server) giveUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_ = s.proc.Stop(ctx, s.onDeath) // why it is stopped matters more
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
			return errors.New("it ended at once")
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// awaitFormer waits for a server that still runs on the data: its parent was
// killed a moment ago and it is ending. The pid file of a dead one is no
// obstacle, unless its number is in use again: then the file is removed.
func (s *server) awaitFormer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	file := filepath.Join(s.dir, s.pidFile)
	for {
		pid := firstNumber(file)
		if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); err != nil {
			return nil // no such process, or no server of ours
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

// settle fills in what follows from the caller's directory.
func (s *server) settle(dir, name string, options Options) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil { // as /proc names it
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
	for range 5 { // someone may take the free port before the server does
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

// socketName is what PostgreSQL calls its socket; Linux knows one by 107 bytes.
const (
	socketName    = "/.s.PGSQL.5432"
	maxSocketPath = 108
)

// makeSocketDir makes the directory of the socket anew, for the user of the server
// alone: a server that was killed leaves a lock there.
func (s *server) makeSocketDir() error {
	if s.socket == "" {
		return nil
	}
	if err := os.RemoveAll(s.socket); err != nil {
		return err
	}
	return makeDir(s.socket, s.as)
}

// addressFree reports whether nobody else listens where the server is to.
func (s *server) addressFree() bool { return s.socket != "" || portFree(s.port) }

// secret returns the password kept in file; the first call makes it.
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

// FreePort returns a port of the loopback that nothing listens on now and that
// this process was not given before. Processes look in ranges of their own, so
// that parallel ones do not choose the same before they listen. All are below
// the range from which the kernel takes the ports of outgoing connections: one
// of those could sit on the port of a server that is down for a moment.
func FreePort() int {
	for {
		port := 20_001 + (os.Getpid()*64+int(asked.Add(1)))%12_000
		if portFree(port) {
			return port
		}
	}
}

var asked atomic.Int64 // times that FreePort looked

func portFree(port int) bool {
	l, err := net.Listen("tcp", address(port))
	if err != nil {
		return false
	}
	l.Close()
	return true
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// firstNumber is the number that a file begins with, 0 when there is none.
func firstNumber(file string) int {
	content, _ := os.ReadFile(file)
	line, _, _ := strings.Cut(string(content), "\n")
	n, _ := strconv.Atoi(strings.TrimSpace(line))
	return n
}

// tail is the end of what was written to file after the offset.
func tail(file string, offset int64) string {
	content, _ := os.ReadFile(file)
	content = bytes.TrimSpace(content[min(offset, int64(len(content))):])
	lines := bytes.Split(content, []byte("\n"))
	return "  " + string(bytes.Join(lines[max(0, len(lines)-5):], []byte("\n  ")))
}
