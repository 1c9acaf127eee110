package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"bordero/deploy/private"
	"bordero/deploy/private/process"
	"bordero/migrations"

	_ "github.com/lib/pq" // the driver of the floors
)

// harness has the servers of the paths: private servers for all of them, and for each path a
// database and processes, which end with it.
type harness struct {
	effort
	profiles      profiles
	preparedFloor bool

	dir    string // contains everything; removed at the end
	binary string // bordero
	made   int    // databases so far
	pg     *private.Postgres
	redis  *private.Redis

	path    path      // that is being measured
	started []started // processes of the path
	env     []string  // of these processes
	ends    []func()  // called at the end of the path
	last    []func()  // called at the end of all paths
}

// started is a process of a path.
type started struct {
	pid  int
	name string
}

// atEnd calls do at the end of the current path.
func (h *harness) atEnd(do func()) { h.ends = append(h.ends, do) }

func runBackwards(all []func()) {
	for i := len(all) - 1; i >= 0; i-- {
		all[i]()
	}
}

// measure measures the lines of one path and ends the processes that the path started.
func (h *harness) measure(ctx context.Context, lines []path) ([]result, error) {
	p := lines[0]
	h.path = p
	asked := h.effort
	defer func() {
		runBackwards(h.ends)
		h.ends, h.started, h.env, h.effort = nil, nil, nil, asked
	}()
	progress("%s: getting ready", p.name)
	began := time.Now()
	ours, floor, err := p.measure(ctx, h)
	if err != nil {
		return nil, err
	}
	stop, err := h.profile()
	if err != nil {
		return nil, err
	}
	defer stop()
	defer func() { progress("%s: %.0f s in all", p.name, time.Since(began).Seconds()) }()
	return compare(ctx, lines, h.effort, ours, floor, func(line string) { progress("%s", line) })
}

// close ends everything that runs and removes its files.
func (h *harness) close() { runBackwards(h.last) }

// servers starts PostgreSQL and Redis on the first call, as durable and as large as in bordero up.
func (h *harness) servers(ctx context.Context) error {
	if h.pg != nil {
		return nil
	}
	if err := private.Install(ctx, func(s string) { progress("%s", s) }); err != nil {
		return err
	}
	dir, remove, err := private.TempDir()
	if err != nil {
		return err
	}
	h.dir = dir
	h.last = append(h.last, remove)
	progress("starting PostgreSQL and Redis")
	pg, err := private.StartPostgres(ctx, dir, private.Options{Durable: true, Settings: map[string]string{
		"shared_buffers": "256MB",
		"max_wal_size":   "8GB", // a checkpoint during one side would be charged to it
	}})
	if err != nil {
		return err
	}
	h.last = append(h.last, func() { _ = pg.Stop(context.Background()) })
	redis, err := private.StartRedis(ctx, dir, private.Options{Durable: true, Settings: map[string]string{
		"databases": "64"}})
	if err != nil {
		return err
	}
	h.last = append(h.last, func() { _ = redis.Stop(context.Background()) })
	h.pg, h.redis = pg, redis
	return nil
}

// lease is a database and a Redis database for one path.
type lease struct {
	databaseURL, redisURL string
	db                    *sql.DB // for the floors and for data that no package offers; as many connections as ours
}

// connections is the size of either side's pool.
const connections = 20

// lease creates a migrated database, which is dropped at the path's end. The vacuum of one path
// thus does not disturb another.
func (h *harness) lease(ctx context.Context) (l lease, err error) {
	if err := h.servers(ctx); err != nil {
		return l, err
	}
	h.made++
	name := "bench_" + strconv.Itoa(h.made)
	admin, err := sql.Open("postgres", h.pg.URL())
	if err != nil {
		return l, err
	}
	h.atEnd(func() { _ = admin.Close() })
	if _, err := admin.ExecContext(ctx, "CREATE DATABASE "+name); err != nil {
		return l, err
	}
	h.atEnd(func() { _, _ = admin.Exec("DROP DATABASE " + name + " WITH (FORCE)") })
	l.databaseURL = withPath(h.pg.URL(), name)
	l.redisURL = withPath(h.redis.URL(), strconv.Itoa(h.made))
	if _, err := migrations.Up(ctx, l.databaseURL); err != nil {
		return l, err
	}
	l.db, err = openFloor(l.databaseURL)
	if err != nil {
		return l, err
	}
	h.atEnd(func() { _ = l.db.Close() })
	return l, nil
}

// openFloor opens a database with the driver options that storage uses, which the driver's
// authors recommend.
func openFloor(databaseURL string) (*sql.DB, error) {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return nil, err
	}
	q := u.Query()
	q.Set("binary_parameters", "yes")
	q.Set("timezone", zone)
	q.Set("jit", "off") // as ours
	q.Set("max_parallel_workers_per_gather", "0")
	u.RawQuery = q.Encode()
	db, err := sql.Open("postgres", u.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}

// zone is the time zone of both sides.
const zone = "America/Sao_Paulo"

func withPath(address, path string) string {
	u, _ := url.Parse(address) // of a server that we started
	u.Path = "/" + path
	return u.String()
}

// build builds bordero on the first call. For profiles it builds with the tag profile
// (internal/cli/profile.go).
func (h *harness) build(ctx context.Context) error {
	if h.binary != "" {
		return nil
	}
	if err := h.servers(ctx); err != nil { // creates the directory
		return err
	}
	progress("building bordero")
	args := []string{"build", "-o", filepath.Join(h.dir, "bordero")}
	if h.profiles.wanted() {
		args = append(args, "-tags", "profile")
	}
	out, err := exec.CommandContext(ctx, "go", append(args, "bordero")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build bordero: %w\n%s", err, out)
	}
	h.binary = filepath.Join(h.dir, "bordero")
	return nil
}

// bordero starts a process of the service and waits until it is ready.
func (h *harness) bordero(ctx context.Context, l lease, addr string, args ...string) error {
	if err := h.build(ctx); err != nil {
		return err
	}
	database, err := url.Parse(l.databaseURL)
	if err != nil {
		return err
	}
	ops := freeAddr()
	env := []string{
		"DATABASE_URL=" + l.databaseURL, "REDIS_URL=" + l.redisURL, "BORDERO_ADDR=" + addr, "BORDERO_OPS_ADDR=" + ops,
		"BORDERO_FILES_URL=" + (&url.URL{Scheme: "file", Path: filepath.Join(h.dir, "files", database.Path)}).String(),
		"BORDERO_TIMEZONE=" + zone, "BORDERO_DATABASE_CONNECTIONS=" + strconv.Itoa(connections),
		"BORDERO_WEBHOOK_ALLOW_CIDRS=127.0.0.0/8",
	}
	env = slices.Concat(env, h.env, h.profileEnv(args[len(args)-1]))
	return h.start(ctx, env, "http://"+ops+"/readyz", h.profiles.ending(), h.binary, args...)
}

// start starts a program and waits until it responds at the address. The path's end sends it the
// signal.
func (h *harness) start(ctx context.Context, env []string, address string, ending syscall.Signal, program string,
	args ...string) error {
	log, err := os.CreateTemp(h.dir, filepath.Base(program)+"*.log")
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(program, args...) // the end of the path ends it
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = log, log
	p, err := process.Start(cmd, syscall.SIGTERM)
	if err != nil {
		return err
	}
	h.started = append(h.started, started{p.PID(), filepath.Base(append([]string{program}, args...)[len(args)])})
	h.atEnd(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		_ = p.Stop(ctx, ending)
	})
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err = until(ctx, 10*time.Millisecond, func() (bool, error) {
		select {
		case <-p.Done():
			return false, errors.New("it ended at once")
		default:
		}
		res, err := http.Get(address)
		if err != nil {
			return false, nil // not yet
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK, nil
	})
	if err != nil {
		said, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s %v: %w\n%s", filepath.Base(program), args, err, bytes.TrimSpace(said))
	}
	return nil
}

// until calls so at intervals until it returns true.
func until(ctx context.Context, every time.Duration, so func() (bool, error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if done, err := so(); done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func freeAddr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(private.FreePort())) }
