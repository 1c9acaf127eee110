// Package storagetest gives each test a database of its own, a clone of one
// that is migrated once, and a Redis database of its own. It is apart so that no
// test code is in the binary.
package storagetest

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/migrations"
	"bordero/storage"

	_ "github.com/lib/pq" // the driver of the clones
)

// Timezone is that of the stores of New.
const Timezone = "America/Sao_Paulo"

// databases is how many databases the Redis of a package has.
const databases = 4096

var (
	admin    *sql.DB
	postgres *url.URL // of any database of the server: the path is replaced
	template string
	redis    *url.URL
	made     atomic.Int64 // names of clones, numbers of Redis databases
)

// Main runs the tests of a package beside a private PostgreSQL and Redis, and is
// all that its TestMain does. TEST_DATABASE_URL and TEST_REDIS_URL name servers
// to use instead. What is missing on the machine is installed, or the tests fail
// saying what to install.
func Main(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	stop, err := start()
	defer stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func start() (stop func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	var stops []func()
	stop = func() {
		for i := len(stops) - 1; i >= 0; i-- {
			stops[i]()
		}
	}
	databaseURL, redisURL := os.Getenv("TEST_DATABASE_URL"), os.Getenv("TEST_REDIS_URL")
	if databaseURL == "" || redisURL == "" {
		err := private.Install(ctx, func(s string) { fmt.Fprintln(os.Stderr, s) })
		if err != nil {
			return stop, err
		}
	}
	dir, remove, err := private.TempDir()
	if err != nil {
		return stop, err
	}
	stops = append(stops, remove)
	if databaseURL == "" {
		p, err := private.StartPostgres(ctx, dir, private.Options{Settings: map[string]string{"max_connections": "400"}})
		if err != nil {
			return stop, err
		}
		stops = append(stops, func() { _ = p.Stop(context.Background()) })
		databaseURL = p.URL()
	}
	if redisURL == "" {
		r, err := private.StartRedis(ctx, dir, private.Options{Settings: map[string]string{"databases": strconv.Itoa(databases)}})
		if err != nil {
			return stop, err
		}
		stops = append(stops, func() { _ = r.Stop(context.Background()) })
		redisURL = r.URL()
	}
	if redis, err = url.Parse(redisURL); err != nil {
		return stop, err
	}
	dropTemplate, err := makeTemplate(ctx, databaseURL)
	if err != nil {
		return stop, err
	}
	stops = append(stops, dropTemplate)
	return stop, nil
}

func makeTemplate(ctx context.Context, databaseURL string) (drop func(), err error) {
	if postgres, err = url.Parse(databaseURL); err != nil {
		return nil, err
	}
	if admin, err = sql.Open("postgres", databaseURL); err != nil {
		return nil, err
	}
	template = fmt.Sprintf("bordero_test_%d_%d", os.Getpid(), time.Now().UnixNano())
	if _, err := admin.ExecContext(ctx, "CREATE DATABASE "+template); err != nil {
		return nil, err
	}
	_, err = migrations.Up(ctx, databaseURLOf(template))
	return func() { _, _ = admin.Exec("DROP DATABASE " + template) }, err
}

func databaseURLOf(name string) string {
	u := *postgres
	u.Path = "/" + name
	return u.String()
}

// DatabaseURL makes a migrated database for the test, dropped at its end.
func DatabaseURL(t testing.TB) string {
	t.Helper()
	name := fmt.Sprintf("%s_%d", template, made.Add(1))
	if _, err := admin.ExecContext(t.Context(), "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return databaseURLOf(name)
}

// New opens a store on a database of the test's own.
func New(t testing.TB) *storage.Store {
	t.Helper()
	return Open(t, DatabaseURL(t), storage.Options{})
}

// Open opens a store that the end of the test closes. The zero time zone is
// Timezone.
func Open(t testing.TB, databaseURL string, o storage.Options) *storage.Store {
	t.Helper()
	if o.Timezone == "" {
		o.Timezone = Timezone
	}
	if o.Application == "" {
		o.Application = "bordero test" // tells statements of the store from those of tests
	}
	s, err := storage.Open(databaseURL, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// DB opens the database for statements that no room has, such as what a fault
// leaves behind.
func DB(t testing.TB, databaseURL string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// RedisURL is a Redis database of the test's own. FLUSHALL would empty those of
// other tests: FLUSHDB does here what it does.
func RedisURL(t testing.TB) string {
	t.Helper()
	u := *redis
	u.Path = "/" + strconv.FormatInt(made.Add(1)%databases, 10)
	return u.String()
}
