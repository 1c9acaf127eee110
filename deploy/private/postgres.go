package private

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Mode is a way to stop PostgreSQL.
type Mode syscall.Signal

// Fast rolls open transactions back and writes a checkpoint. Immediate stops as a crash does,
// and the next start recovers from the log.
const (
	Fast      = Mode(syscall.SIGINT)
	Immediate = Mode(syscall.SIGQUIT)
)

// Postgres is a private PostgreSQL server with an empty database bordero. Its owner, a
// superuser, is called bordero too.
type Postgres struct {
	server
	bin            string
	workerPassword string
	options        Options
}

// StartPostgres starts PostgreSQL on dir/postgres and returns when it accepts connections. The
// first start creates the data directory.
func StartPostgres(ctx context.Context, dir string, options Options) (*Postgres, error) {
	p := &Postgres{options: options}
	p.server = server{
		title: "PostgreSQL", pidFile: "postmaster.pid", onDeath: syscall.SIGINT,
		command: p.run, ready: p.accepts,
	}
	if err := p.derive(dir, "postgres", options); err != nil {
		return nil, err
	}
	var err error
	if p.workerPassword, err = secret(p.beside("worker.password")); err != nil {
		return nil, err
	}
	if p.bin, err = binFor(ctx, p.dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(p.dir); os.IsNotExist(err) {
		if err := p.create(ctx); err != nil {
			return nil, fmt.Errorf("create %s: %w", p.dir, err)
		}
	}
	if p.socket != "" { // an earlier release may have configured it for ports alone
		if err := writeHBA(p.dir); err != nil {
			return nil, err
		}
	}
	if err := p.launch(ctx, options.Port); err != nil {
		return nil, err
	}
	return p, nil
}

// URL returns the URL of the database bordero, as its owner.
func (p *Postgres) URL() string { return p.urlOf("bordero", p.password) }

// WorkerURL returns the URL of that database for the role of the processes, which
// migrations.UpFor creates.
func (p *Postgres) WorkerURL() string { return p.urlOf("bordero_worker", p.workerPassword) }

// FormerURL returns the URL of the data under an earlier release, which served it at a port.
func (p *Postgres) FormerURL() string {
	return urlAt(firstNumber(p.beside("port")), "bordero", p.password)
}

func (p *Postgres) urlOf(role, password string) string {
	if p.socket == "" {
		return urlAt(p.port, role, password)
	}
	return fmt.Sprintf("postgres://%s:%s@/bordero?host=%s&port=5432&sslmode=disable", role, password,
		url.QueryEscape(p.socket))
}

func urlAt(port int, role, password string) string {
	return fmt.Sprintf("postgres://%s:%s@%s/bordero?sslmode=disable", role, password, address(port))
}

// Stop stops the server with Fast, or with Immediate when ctx ends first.
func (p *Postgres) Stop(ctx context.Context) error { return p.stop(ctx, Fast) }

// Restart stops the server in the given mode and starts it again on its port.
func (p *Postgres) Restart(ctx context.Context, mode Mode) error {
	if err := p.stop(ctx, mode); err != nil {
		return err
	}
	return p.Start(ctx)
}

func (p *Postgres) stop(ctx context.Context, mode Mode) error {
	p.proc.Signal(syscall.Signal(mode))
	select {
	case <-p.Done():
		return nil
	case <-ctx.Done():
	}
	// A SIGKILL would leave the server's children behind. An immediate stop gives them 5 s to
	// end.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 8*time.Second)
	defer cancel()
	return p.proc.Stop(last, syscall.SIGQUIT)
}

// create builds the data directory under another name, so that an interrupted first start leaves
// nothing that resembles one.
func (p *Postgres) create(ctx context.Context) error {
	fresh := p.beside("new")
	if err := os.RemoveAll(fresh); err != nil {
		return err
	}
	if err := makeDir(fresh, p.as); err != nil {
		return err
	}
	initdb := p.program(fresh, "initdb", "-D", fresh, "-U", "bordero", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
	if !p.options.Durable {
		initdb.Args = append(initdb.Args, "--no-sync")
	}
	if err := finish(ctx, initdb, syscall.SIGKILL); err != nil {
		return err
	}
	// The server requires the password from the first time it listens.
	if err := writeHBA(fresh); err != nil {
		return err
	}
	single := p.program(fresh, "postgres", "--single", "-D", fresh, "-c", "password_encryption=scram-sha-256",
		"postgres")
	if !p.options.Durable {
		single.Args = slices.Insert(single.Args, 2, "-F")
	}
	single.Stdin = strings.NewReader("ALTER ROLE bordero PASSWORD '" + p.password + "';\nCREATE DATABASE bordero;\n")
	if err := finish(ctx, single, syscall.SIGKILL); err != nil {
		return err
	}
	return os.Rename(fresh, p.dir)
}

func writeHBA(dir string) error {
	hba := []byte("local all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n")
	return os.WriteFile(filepath.Join(dir, "pg_hba.conf"), hba, 0o600)
}

// program prepares one of PostgreSQL's programs without our own environment, which may contain
// secrets and settings for other servers.
func (p *Postgres) program(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.bin, name), args...) // outlives the context of its start
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.as}
	return cmd
}

func (p *Postgres) run() *exec.Cmd {
	settings := map[string]string{
		"listen_addresses":        "127.0.0.1",
		"port":                    strconv.Itoa(p.port),
		"unix_socket_directories": "",
		"max_connections":         "200",
	}
	if p.socket != "" {
		maps.Copy(settings, map[string]string{"listen_addresses": "", "port": "5432", "unix_socket_directories": "../" +
			filepath.Base(p.socket)})
	}
	if !p.options.Durable {
		maps.Copy(settings, map[string]string{"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"})
	}
	maps.Copy(settings, p.options.Settings)
	cmd := p.program(p.dir, "postgres", "-D", p.dir)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		cmd.Args = append(cmd.Args, "-c", name+"="+settings[name])
	}
	return cmd
}

// accepts reads the pid file, whose eighth line contains the server's state.
func (p *Postgres) accepts(pid int) (bool, error) {
	content, _ := os.ReadFile(filepath.Join(p.dir, p.pidFile)) // soon there
	lines := strings.Split(string(content), "\n")
	return len(lines) > 7 && lines[0] == strconv.Itoa(pid) && strings.TrimSpace(lines[7]) == "ready", nil
}
