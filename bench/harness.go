package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"bordero/deploy/private"
	"bordero/deploy/private/process"
)

const (
	connections = 20                  // of either side's pool
	zone        = "America/Sao_Paulo" // of both sides
)

// harness has private servers for all measurements, and a database and processes for each, which end with it.
type harness struct {
	effort
	dir    string // contains everything; removed at the end
	binary string // bordero
	made   int    // databases so far
	pg     *private.Postgres
	redis  *private.Redis

	measured string          // its name
	started  map[string]bool // its processes, by PID
	ends     []func()        // called at its end
}

// atEnd calls do at the end of the measurement.
func (h *harness) atEnd(do func()) { h.ends = append(h.ends, do) }

// within runs do and ends what it started, the last first.
func (h *harness) within(do func()) error {
	outer := h.ends
	h.ends, h.started = nil, map[string]bool{}
	defer func() {
		for _, end := range slices.Backward(h.ends) {
			end()
		}
		h.ends = outer
	}()
	return try(do)
}

// open builds bordero and starts PostgreSQL and Redis, as durable as in bordero up.
func (h *harness) open(ctx context.Context) {
	check(private.Install(ctx, func(s string) { progress("%s", s) }))
	dir, remove, err := private.TempDir()
	check(err)
	h.atEnd(remove)
	h.dir, h.binary = dir, filepath.Join(dir, "bordero")
	progress("building bordero, starting PostgreSQL and Redis")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", h.binary, "bordero").CombinedOutput(); err != nil {
		check(fmt.Errorf("build bordero: %w\n%s", err, out))
	}
	h.pg = must(private.StartPostgres(ctx, dir, private.Options{Durable: true, Settings: map[string]string{
		"shared_buffers": "256MB",
		"max_wal_size":   "8GB", // a checkpoint during one side would be charged to it
	}}))
	h.atEnd(func() { _ = h.pg.Stop(context.Background()) })
	h.redis = must(private.StartRedis(ctx, dir, private.Options{Durable: true, Settings: map[string]string{
		"databases": "64"}}))
	h.atEnd(func() { _ = h.redis.Stop(context.Background()) })
}

// measure prepares and measures.
func (h *harness) measure(ctx context.Context, m measurement) (results []result, err error) {
	h.measured = m.lines[0].name
	progress("%s: getting ready", h.measured)
	asked, began := h.effort, time.Now()
	err = h.within(func() {
		ours, floor := m.measure(ctx, h)
		results = compare(ctx, m.lines, h.effort, ours, floor)
	})
	h.effort = asked
	progress("%s: %.0f s in all", h.measured, time.Since(began).Seconds())
	return results, err
}

// openFloor opens a database with the driver options that storage uses, which the driver's
// authors recommend. Its statements are not prepared, as people usually write them.
func openFloor(databaseURL string) *sql.DB {
	u := must(url.Parse(databaseURL))
	u.RawQuery += "&binary_parameters=yes&jit=off&max_parallel_workers_per_gather=0&timezone=" + zone
	db := must(sql.Open("postgres", u.String()))
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db
}

// launch starts a program and waits until it responds at the address.
func (h *harness) launch(ctx context.Context, env []string, address string, cmd *exec.Cmd) {
	var log bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &log, &log
	p := must(process.Start(cmd, syscall.SIGTERM))
	h.started[strconv.Itoa(p.PID())] = true
	h.atEnd(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		_ = p.Stop(ctx, syscall.SIGTERM)
	})
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	until(ctx, 10*time.Millisecond, func() bool {
		select {
		case <-p.Done():
			check(fmt.Errorf("%v ended at once: %v\n%s", cmd.Args, p.Err(), bytes.TrimSpace(log.Bytes())))
		default:
		}
		res, err := http.Get(address)
		if err != nil {
			return false // not yet
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
}

// until calls so at intervals until it returns true.
func until(ctx context.Context, every time.Duration, so func() bool) {
	for !so() {
		pause(ctx, every)
	}
}

// pause waits for d, and ends the measurement if ctx ends first.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
		check(ctx.Err())
	}
}

func freeAddr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(private.FreePort())) }
