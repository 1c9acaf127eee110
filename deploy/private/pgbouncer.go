package private

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// PgBouncerPackage is the Debian package of PgBouncer.
const PgBouncerPackage = "pgbouncer"

// PgBouncer is a private PgBouncer before one PostgreSQL server. It is for tests of poolers.
type PgBouncer struct {
	server
	url url.URL
}

// StartPgBouncer starts PgBouncer on dir/pgbouncer for the server and role of a URL of PostgreSQL, in a
// pool_mode (session or transaction) with some connections to the server at most.
func StartPgBouncer(ctx context.Context, dir, postgresURL, mode string, connections int) (*PgBouncer, error) {
	to, err := url.Parse(postgresURL)
	if err != nil {
		return nil, err
	}
	b := &PgBouncer{url: *to}
	b.server = server{
		title: "PgBouncer", pidFile: "pgbouncer.pid", onDeath: syscall.SIGTERM,
		command: b.run, ready: b.accepts,
	}
	if err := b.derive(dir, "pgbouncer", Options{}); err != nil {
		return nil, err
	}
	if err := makeDir(b.dir, b.as); err != nil {
		return nil, err
	}
	password, _ := to.User.Password()
	b.port = FreePort()
	for name, content := range map[string]string{
		"users": fmt.Sprintf("%q %q\n", to.User.Username(), password),
		"ini": fmt.Sprintf(`[databases]
* = host=%s port=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
pidfile = pgbouncer.pid
auth_type = scram-sha-256
auth_file = users
pool_mode = %s
default_pool_size = %d
`, to.Hostname(), to.Port(), b.port, mode, connections),
	} {
		name = filepath.Join(b.dir, name)
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			return nil, err
		}
		if b.as != nil {
			if err := os.Chown(name, int(b.as.Uid), int(b.as.Gid)); err != nil {
				return nil, err
			}
		}
	}
	b.url.Host = address(b.port)
	return b, b.Start(ctx)
}

// URL returns the URL of the database through the pooler.
func (b *PgBouncer) URL() string { return b.url.String() }

// Stop stops the pooler; if ctx ends first, it kills it.
func (b *PgBouncer) Stop(ctx context.Context) error { return b.proc.Stop(ctx, syscall.SIGINT) }

func (b *PgBouncer) run() *exec.Cmd {
	cmd := exec.Command("pgbouncer", "ini") // outlives the context of its start
	cmd.Dir = b.dir
	cmd.Env = []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: b.as}
	return cmd
}

func (b *PgBouncer) accepts(pid int) (bool, error) {
	conn, err := net.DialTimeout("tcp", address(b.port), time.Second)
	if err != nil {
		return false, nil // not yet
	}
	return firstNumber(filepath.Join(b.dir, b.pidFile)) == pid, conn.Close()
}
