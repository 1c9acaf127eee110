package e2etest

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"bordero/deploy/private"
	"bordero/internal/download"
	"bordero/storage/storagetest"
)

// Site is one installation of the service: a migrated database, a Redis, a directory of files
// and an account, with the processes that a test starts.
type Site struct {
	*Client                    // of the account's administrator
	Postgres *private.Postgres // nil without OwnPostgres
	Redis    *private.Redis
	DB       *sql.DB  // as the owner, to query the records and to block the service
	Files    string   // the directory of the stored files
	Env      []string // of every process and command
	Binary   string   // of the processes and commands that start from now on
	t        testing.TB

	workerURL, ownerURL string // of the database, unless it is on the server that all tests share
	keyFile, publicKey  string // to sign and check the URLs of files
}

// Option configures a new Site.
type Option func(*Site)

// Set passes a variable, as NAME=value, to all processes.
func Set(variable string) Option { return func(s *Site) { s.Env = append(s.Env, variable) } }

// OwnPostgres gives the site a durable server of its own, which a test can stop and crash.
func OwnPostgres(s *Site) {
	s.t.Helper()
	var err error
	if s.Postgres, err = private.StartPostgres(s.t.Context(), s.dir(), private.Options{Durable: true}); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = s.Postgres.Stop(context.Background()) })
	OnServers(s.Postgres.WorkerURL(), s.Postgres.URL())(s)
}

// OnServers gives the site a database on servers that the test has started, which is migrated.
func OnServers(workerURL, ownerURL string) Option {
	return func(s *Site) { s.workerURL, s.ownerURL = workerURL, ownerURL }
}

// Release makes the site an installation of another binary, whose migrations it has. It needs a server of its own.
func Release(binary string) Option { return func(s *Site) { s.Binary = binary } }

// New creates a Site without processes. It is removed at the end of the test.
func New(t testing.TB, options ...Option) *Site {
	t.Helper()
	s := &Site{t: t, Binary: Binary(t)}
	s.Files = filepath.Join(s.dir(), "files")
	if err := os.Mkdir(s.Files, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, option := range options {
		option(s)
	}
	var err error
	if s.Redis, err = private.StartRedis(t.Context(), s.dir(), private.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Thaw(); _ = s.Redis.Stop(context.Background()) })
	databaseURL, account := s.workerURL, ""
	if databaseURL == "" {
		var of string
		of, account = seeded(t)
		databaseURL = storagetest.CloneURL(t, of)
		s.DB = storagetest.DB(t, databaseURL)
	}
	addr := Loopback()
	s.Env = append([]string{
		"DATABASE_URL=" + databaseURL, "REDIS_URL=" + s.Redis.URL(),
		"BORDERO_FILES_URL=file://" + s.Files, "BORDERO_ADDR=" + addr,
	}, s.Env...)
	if s.DB == nil {
		s.Migrate()
		s.DB = openDB(t, s.ownerURL)
		account = s.Run(createAccount...)
	}
	s.newKey()
	s.Client = &Client{URL: "http://" + addr}
	if err := json.Unmarshal([]byte(account), s.Client); err != nil {
		t.Fatal(err)
	}
	return s
}

var createAccount = []string{"account", "create", "--name", "Padaria", "--email", "ana@example.com", "--json"}

// seed is a database with one account, made by the command. The databases of sites are clones of it.
var seed struct {
	sync.Mutex
	name, account string
}

// seeded returns the seed, which the first test makes.
func seeded(t testing.TB) (name, account string) {
	t.Helper()
	seed.Lock()
	defer seed.Unlock()
	if seed.name == "" {
		of, databaseURL := storagetest.Seed(t)
		made, stderr, err := Command(t, []string{"DATABASE_URL=" + databaseURL}, createAccount...)
		if err != nil {
			t.Fatalf("account create: %v\n%s", err, stderr)
		}
		seed.name, seed.account = of, made
	}
	return seed.name, seed.account
}

// dir returns a directory for servers, of this test alone.
func (s *Site) dir() string {
	s.t.Helper()
	dir, remove, err := private.TempDir()
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(remove)
	return dir
}

// newKey creates the key that signs the URLs of files.
func (s *Site) newKey() {
	s.t.Helper()
	s.keyFile = filepath.Join(s.t.TempDir(), "signing.pem")
	content, err := download.NewKey()
	if err == nil {
		err = os.WriteFile(s.keyFile, content, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	key, err := download.ReadKey(s.keyFile)
	if err != nil {
		s.t.Fatal(err)
	}
	s.publicKey = download.PublicText(key)
}

// Start starts a process, without waiting for it to be ready.
func (s *Site) Start(words ...string) *Process {
	s.t.Helper()
	return s.StartWith(nil, words...)
}

// StartWith is Start with variables that override the site's.
func (s *Site) StartWith(variables []string, words ...string) *Process {
	s.t.Helper()
	ops, env := s.environ(variables, words)
	p := run(s.t, exec.Command(s.Binary, words...), env, words)
	p.Ops = ops
	return p
}

// StartOn is Start of a process that listens on a socket of the test under the process's name, as systemd passes it.
func (s *Site) StartOn(socket *os.File, words ...string) *Process {
	s.t.Helper()
	ops, env := s.environ([]string{"LISTEN_FDS=1", "LISTEN_FDNAMES=" + words[0]}, words)
	cmd := exec.Command("sh", append([]string{"-c", `LISTEN_PID=$$ exec "$0" "$@"`, s.Binary}, words...)...)
	cmd.ExtraFiles = []*os.File{socket}
	p := run(s.t, cmd, env, words)
	p.Ops = ops
	return p
}

// environ returns the variables of a process, and the URL of its ops listener.
func (s *Site) environ(variables, words []string) (ops string, env []string) {
	addr := Loopback()
	env = append(s.Env[:len(s.Env):len(s.Env)], "BORDERO_OPS_ADDR="+addr)
	env = append(env, variables...)
	switch strings.Join(words, " ") { // each gets its own variables
	case "api":
		env = append(env, "BORDERO_SIGNING_PUBLIC_KEYS="+s.publicKey)
	case "work signing", "work":
		env = append(env, "BORDERO_SIGNING_KEY_FILE="+s.keyFile)
	}
	return "http://" + addr, env
}

// Worker starts a worker of the statements and waits until it is ready.
func (s *Site) Worker() *Process {
	s.t.Helper()
	return s.Start("work", "statements").Ready()
}

// Serve starts the API and the scheduler and waits until both are ready.
func (s *Site) Serve() (api, scheduler *Process) {
	s.t.Helper()
	api, scheduler = s.Start("api"), s.Start("scheduler")
	return api.Ready(), scheduler.Ready()
}

// Migrate migrates a database on a server of the site's own.
func (s *Site) Migrate() {
	s.t.Helper()
	s.Env = append(s.Env, "BORDERO_OWNER_DATABASE_URL="+s.ownerURL)
	s.Run("migrate")
	s.Env = s.Env[:len(s.Env)-1]
}

// Run runs a command, which must succeed, and returns its output.
func (s *Site) Run(words ...string) string {
	s.t.Helper()
	stdout, stderr, err := command(s.t, s.Binary, s.Env, words)
	if err != nil {
		s.t.Fatalf("bordero %s: %v\n%s", strings.Join(words, " "), err, stderr)
	}
	return stdout
}
