// Package shared runs one PostgreSQL and one Redis for all test processes of a machine that run at
// the same time. `go test ./...` has a process for each package; servers of its own would cost each
// of them seconds. `bordero up` has no use for it, so it is apart from package private.
//
// The servers belong to a process of their own, which the first test process starts from its own
// executable. Each test process has a lock on a file. The kernel releases the lock however the
// process ends, and the servers stop some seconds after the last release.
package shared

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"bordero/deploy/private"
)

const (
	// keeperVariable names the directory to the process that runs the servers.
	keeperVariable = "BORDERO_TEST_SERVERS"
	// linger is how long the servers outlive the last test process: `go test` may still be
	// linking the next package.
	linger = 5 * time.Second
	// startTime limits the start of the servers.
	startTime = time.Minute
	// longestSocket is the longest directory of a socket: macOS limits the path to 103 bytes.
	longestSocket = 103 - len("/.s.PGSQL.65535")
	// readyPipe is the first file descriptor that a process inherits.
	readyPipe = 3
)

// RedisDatabases is the number of databases of the shared Redis.
const RedisDatabases = 4096

// Servers are the URLs of the servers, which lose their data in a crash.
type Servers struct {
	PostgresURL    string
	PostgresSocket string // the directory of a Unix socket of the same server; "" if its path would be too long
	RedisURL       string
}

// Main must be the first call in the TestMain of each package that calls Acquire. In the process
// that runs the servers it does not return. Directories that tests make are readable for the plain user of PostgreSQL,
// whatever the umask; programs of Debian that only root has in its PATH are found.
func Main() {
	syscall.Umask(0o022)
	_ = os.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin")
	dir := os.Getenv(keeperVariable)
	if dir == "" {
		return
	}
	if err := serve(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Acquire returns the servers and starts them if necessary. They run at least until release is
// called or this process ends. The programs must be installed. Each version of PostgreSQL has servers of its own.
func Acquire(ctx context.Context) (s Servers, release func(), err error) {
	major, err := private.NewestPostgres(ctx)
	if err != nil {
		return s, nil, err
	}
	name := fmt.Sprintf("bordero-test-servers-%d-%d", os.Geteuid(), major)
	return acquire(ctx, filepath.Join(parent(), name))
}

// memory is where Linux has a file system in memory; enoughMemory is the size from which it can
// store the databases of a test run.
const (
	memory       = "/dev/shm"
	enoughMemory = 8 << 30
	tmpfs        = 0x01021994 // TMPFS_MAGIC of statfs(2)
)

// parent returns the directory for the servers: in memory, if possible. Each test creates and
// deletes a database of 500 files. After thousands of deletions, ext4 takes longer to find a
// free inode than the test takes.
func parent() string {
	var fs syscall.Statfs_t
	if syscall.Statfs(memory, &fs) == nil && fs.Type == tmpfs && fs.Blocks*uint64(fs.Bsize) >= enoughMemory {
		return memory
	}
	return os.TempDir()
}

func acquire(ctx context.Context, dir string) (s Servers, release func(), err error) {
	if err := own(dir); err != nil {
		return s, nil, err
	}
	starting, err := lock(filepath.Join(dir, "starting"), syscall.LOCK_EX)
	if err != nil {
		return s, nil, err
	}
	defer starting.Close()
	held, err := lock(filepath.Join(dir, "users"), syscall.LOCK_SH) // waits for servers that are about to end
	if err != nil {
		return s, nil, err
	}
	if s, err = running(dir); err != nil {
		s, err = start(ctx, dir)
	}
	if err != nil {
		held.Close()
		return s, nil, fmt.Errorf("start the servers of the tests: %w", err)
	}
	return s, func() { held.Close() }, nil
}

// own creates the directory and refuses one of another user: any user may write to its parent.
func own(dir string) error {
	if err := os.Mkdir(dir, 0o711); err != nil && !errors.Is(err, os.ErrExist) { // the servers below drop their rights
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if owner := info.Sys().(*syscall.Stat_t); !info.IsDir() || int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("%s is not a directory of this user: delete it", dir)
	}
	return os.Chmod(dir, 0o711) // regardless of the umask
}

// lock opens a file and waits for a lock on it, which lasts until the file is closed.
func lock(name string, how int) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), how); {
		case err == nil:
			return f, nil
		case !errors.Is(err, syscall.EINTR):
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", name, err)
		}
	}
}

// running returns the URLs that the process that runs the servers has written. It is an error if
// there is no such process: it may have been killed.
func running(dir string) (s Servers, err error) {
	keeper, err := lock(filepath.Join(dir, "keeper"), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		keeper.Close()
		return s, errors.New("nobody keeps the servers")
	}
	content, err := os.ReadFile(filepath.Join(dir, "servers.json"))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(content, &s)
}

// start starts the process that runs the servers and waits until they are ready.
func start(ctx context.Context, dir string) (s Servers, err error) {
	log, err := os.Create(filepath.Join(dir, "log")) // own has checked the directory
	if err != nil {
		return s, err
	}
	defer log.Close()
	executable, err := os.Executable()
	if err != nil {
		return s, err
	}
	ready, tell, err := os.Pipe()
	if err != nil {
		return s, err
	}
	defer ready.Close()
	cmd := exec.Command(executable) // outlives this process
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), keeperVariable+"="+dir)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{tell}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // a signal to the test run must not end it
	err = cmd.Start()
	tell.Close()
	if err != nil {
		return s, err
	}
	go cmd.Wait() // the pipe reports the result
	defer context.AfterFunc(ctx, func() { ready.Close() })()
	content, err := io.ReadAll(ready)
	if err == nil {
		err = json.Unmarshal(content, &s)
	}
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		return s, fmt.Errorf("%w: %s", errors.Join(ctx.Err(), err), strings.TrimSpace(string(said)))
	}
	return s, nil
}

// serve runs the servers until no test process locks the users file.
func serve(dir string) error {
	syscall.CloseOnExec(readyPipe) // the servers must not inherit it
	keeper, err := lock(filepath.Join(dir, "keeper"), syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer keeper.Close()
	data := filepath.Join(dir, "data")
	if err := os.RemoveAll(data); err != nil { // left by a process that was killed
		return err
	}
	defer os.RemoveAll(data)
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	socket := filepath.Join(data, "postgres")
	if len(socket) > longestSocket {
		socket = ""
	}
	postgres, err := private.StartPostgres(ctx, data, private.Options{Settings: map[string]string{
		"max_connections": "800", "unix_socket_directories": socket,
		// The databases are short-lived: they need neither a log nor cleaning.
		"wal_level": "minimal", "max_wal_senders": "0", "max_wal_size": "8GB", "checkpoint_timeout": "1h",
		"autovacuum": "off", "bgwriter_lru_maxpages": "0", "jit": "off",
	}})
	if err != nil {
		return err
	}
	defer postgres.Stop(context.Background()) // its data is removed, too
	redis, err := private.StartRedis(ctx, data, private.Options{
		Settings: map[string]string{"databases": strconv.Itoa(RedisDatabases)}})
	if err != nil {
		return err
	}
	defer redis.Stop(context.Background()) // as above
	file := filepath.Join(dir, "servers.json")
	if err := publish(file, Servers{postgres.URL(), socket, redis.URL()}); err != nil {
		return err
	}
	last, err := unused(filepath.Join(dir, "users"))
	if err != nil {
		return err
	}
	defer last.Close() // after the removal: a test process that gets the lock starts new servers
	return os.Remove(file)
}

// publish writes the URLs to the file and to the process that waits for them.
func publish(file string, s Servers) error {
	content, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, content, 0o600); err != nil {
		return err
	}
	tell := os.NewFile(readyPipe, "ready")
	defer tell.Close()
	_, err = tell.Write(content)
	return err
}

// unused waits until there was no test process for a while, and locks new ones out.
func unused(file string) (*os.File, error) {
	for {
		f, err := lock(file, syscall.LOCK_EX)
		if err != nil {
			return nil, err
		}
		f.Close()
		time.Sleep(linger)
		f, err = lock(file, syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return f, err
		}
	}
}
