// Package storagetest provides each test with a database of its own, a clone of one that is
// migrated once, and with a Redis database of its own. Most tests borrow the database from a
// pool. It is a package of its own so that the binary contains no test code.
package storagetest

import (
	"cmp"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/deploy/private/shared"
	"bordero/internal/testkit"
	"bordero/internal/tier"
	"bordero/jobs/broker"
	"bordero/migrations"
	"bordero/storage"

	_ "bordero/storage/matching" // its jobs follow from events

	_ "github.com/lib/pq" // the driver of the clones
)

// Timezone is the time zone of stores without one.
const Timezone = "America/Sao_Paulo"

var (
	admin    *sql.DB
	postgres *url.URL // of any database of the server: the path is replaced
	socket   string   // the directory of the server's Unix socket, or empty
	template string
	redis    *url.URL
	prefix   string       // of the names of this process's clones
	made     atomic.Int64 // the number of clones made
	seeds    []string
)

// Main is the whole TestMain of a package: it runs the tests with a PostgreSQL and a Redis that all
// packages of a run share, and exits. TEST_DATABASE_URL and TEST_REDIS_URL name servers to use
// instead. It installs missing servers, or fails with a text that names the packages to install.
func Main(m *testing.M) { os.Exit(Run(m.Run)) }

// Run is Main for a TestMain that does more: it returns the exit code of tests, or 1 if the
// servers cannot be started.
func Run(tests func() int) int {
	shared.Main()
	release, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer release()
	_ = flag.Set("test.parallel", "4") // half of the time a test waits for a server; the command line may say otherwise
	debug.SetGCPercent(400)            // memory is plentiful, and the tests of a package use little
	if checks := flag.Lookup("rapid.checks"); checks != nil {
		_ = checks.Value.Set(tier.Size("10", "100")) // a flag of the command line replaces it
	}
	defer dropFree()
	return tests()
}

func start() (release func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	release = func() {}
	databaseURL, redisURL := os.Getenv("TEST_DATABASE_URL"), os.Getenv("TEST_REDIS_URL")
	if databaseURL == "" || redisURL == "" {
		if err := private.Install(ctx, func(s string) { fmt.Fprintln(os.Stderr, s) }); err != nil {
			return nil, err
		}
		servers, end, err := shared.Acquire(ctx)
		if err != nil {
			return nil, err
		}
		release = end
		if databaseURL == "" {
			databaseURL, socket = servers.PostgresURL, servers.PostgresSocket
		}
		redisURL = cmp.Or(redisURL, servers.RedisURL)
	}
	if redis, err = url.Parse(redisURL); err == nil {
		err = makeTemplate(ctx, databaseURL)
	}
	if err != nil {
		release()
	}
	return release, err
}

// makeTemplate makes the database of which all others are clones, unless another process
// has made it.
func makeTemplate(ctx context.Context, databaseURL string) (err error) {
	if postgres, err = url.Parse(databaseURL); err != nil {
		return err
	}
	if admin, err = sql.Open("postgres", local(databaseURL)); err != nil {
		return err
	}
	prefix = fmt.Sprintf("bordero_test_%d_%d", os.Getpid(), time.Now().UnixNano())
	schema, err := migrations.Digest()
	if err != nil {
		return err
	}
	template = "bordero_template_of_two_roles_" + schema
	conn, err := admin.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(hashtext($1))`, template); err != nil {
		return err
	}
	// The end of the connection unlocks it, too.
	defer conn.ExecContext(ctx, `SELECT pg_advisory_unlock(hashtext($1))`, template)
	var exists bool
	err = conn.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, template).Scan(
		&exists)
	if err != nil || exists {
		return err
	}
	unfinished := template + "_unfinished" // renamed when complete: a killed process leaves no broken template
	if _, err := conn.ExecContext(ctx, "DROP DATABASE IF EXISTS "+unfinished+" WITH (FORCE)"); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, "CREATE DATABASE "+unfinished); err != nil {
		return err
	}
	if _, err := migrations.UpFor(ctx, databaseURLOf(unfinished), ownerURLOf(unfinished)); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "ALTER DATABASE "+unfinished+" RENAME TO "+template)
	return err
}

// databaseURLOf returns the URL of a database for the role of the processes, which does not
// own it.
func databaseURLOf(name string) string {
	u := *postgres
	u.Path = "/" + name
	password, _ := u.User.Password()
	u.User = url.UserPassword("bordero_test_worker", password)
	return u.String()
}

// local returns the URL through the Unix socket, if there is one: it takes less processor time than a port. The URLs
// that tests get name the port, because tests put proxies before it.
func local(databaseURL string) string {
	u, err := url.Parse(databaseURL)
	if err != nil || socket == "" {
		return databaseURL
	}
	q := u.Query()
	q.Set("host", socket)
	q.Set("port", u.Port())
	u.Host, u.RawQuery = "", q.Encode()
	return u.String()
}

// DatabaseURL makes a migrated database, dropped at the end of the test, and returns its URL.
// The role of the URL does not own the database, like that of a real process.
func DatabaseURL(t testing.TB) string {
	t.Helper()
	return CloneURL(t, template)
}

// CloneURL is DatabaseURL with the contents of the named database. Its sessions must have ended, or be about to.
func CloneURL(t testing.TB, of string) string {
	t.Helper()
	name, err := clone(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := drop(name); err != nil {
			t.Error(err)
		}
	})
	return databaseURLOf(name)
}

// Seed makes a migrated database for CloneURL, dropped at the end of the process, and returns its name and URL.
func Seed(t testing.TB) (name, databaseURL string) {
	t.Helper()
	name, err := clone(t.Context(), template)
	if err != nil {
		t.Fatal(err)
	}
	seeds = append(seeds, name)
	return name, databaseURLOf(name)
}

// clone makes a database from another.
func clone(ctx context.Context, of string) (name string, err error) {
	name = fmt.Sprintf("%s_%d", prefix, made.Add(1))
	// Copying the files takes half the time of writing their contents to the WAL.
	_, err = admin.ExecContext(ctx, "CREATE DATABASE "+name+" TEMPLATE "+of+" STRATEGY file_copy")
	return name, err
}

func drop(name string) error {
	_, err := admin.Exec("DROP DATABASE " + name + " WITH (FORCE)")
	return err
}

// PgBouncer starts PgBouncer, as private.StartPgBouncer does, for the test, and returns the URL of
// a database through it.
func PgBouncer(t testing.TB, databaseURL, mode string, connections int) string {
	t.Helper()
	if err := private.Install(t.Context(), func(s string) { fmt.Fprintln(os.Stderr, s) },
		private.PgBouncerPackage); err != nil {
		t.Fatal(err)
	}
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	pooler, err := private.StartPgBouncer(t.Context(), dir, databaseURL, mode, connections)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pooler.Stop(context.Background()) })
	return pooler.URL()
}

// New returns the store of a database that the test borrows.
func New(t testing.TB) *storage.Store {
	t.Helper()
	return Borrow(t).Store
}

// Open opens a store, closed at the end of the test. If o has no time zone, it is Timezone.
func Open(t testing.TB, databaseURL string, o storage.Options) *storage.Store {
	t.Helper()
	s, err := open(databaseURL, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func open(databaseURL string, o storage.Options) (*storage.Store, error) {
	o.Timezone = cmp.Or(o.Timezone, Timezone)
	o.Application = cmp.Or(o.Application, "bordero test") // distinguishes the store's statements from those of tests
	o.Connections = cmp.Or(o.Connections, 20)
	return storage.Open(databaseURL, o)
}

// OwnerURL returns the URL of the same database for its owner, which may do everything.
func OwnerURL(t testing.TB, databaseURL string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = postgres.User
	return u.String()
}

// ownerURLOf returns the URL of a database for its owner.
func ownerURLOf(name string) string {
	u := *postgres
	u.Path = "/" + name
	return u.String()
}

// DB opens the database as its owner, for statements that the product does not have, such as
// statements that imitate a fault.
func DB(t testing.TB, databaseURL string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", OwnerURL(t, databaseURL))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// AwaitLock waits until n sessions of the database wait for a lock.
func AwaitLock(t testing.TB, db *sql.DB, n int) {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("%d sessions wait for a lock", n), func() bool {
		var waiting int
		err := db.QueryRowContext(t.Context(), `
			SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).
			Scan(&waiting)
		return err == nil && waiting == n
	})
}

// RedisURL returns the URL of a Redis database for the test alone. Use FLUSHDB in place of
// FLUSHALL, which would empty the databases of other tests.
func RedisURL(t testing.TB) string {
	t.Helper()
	client, err := broker.OpenRedis(redis.String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	n, err := client.Incr(t.Context(), "bordero:test:databases").Result() // counted across processes
	if err != nil {
		t.Fatal(err)
	}
	u := *redis
	u.Path = "/" + strconv.FormatInt(1+n%(shared.RedisDatabases-1), 10)
	return u.String()
}
