// Package up is `bordero up`: the whole service on one machine, from nothing. It starts private
// servers, migrates the database, creates a demo account and runs every process of the Procfile. It
// imports no package that knows the service: internal/cli passes in the functions that need the
// database.
package up

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"bordero/deploy/private"

	"golang.org/x/crypto/bcrypt"
)

// Config of one run.
type Config struct {
	Data     string   // the directory of all data
	Addr     string   // the API's listener; port 0 selects a free one
	Binary   string   // replaces the word bordero in the Procfile
	Procfile []byte   // lines of `name: bordero api`
	Environ  []string // passed to every process; up does not replace its variables
	// LocalWebhooks lets webhooks reach this machine. It is refused unless all listeners are on
	// loopback addresses: otherwise a user of the API could reach servers that only this machine
	// may reach.
	LocalWebhooks bool
	Out           io.Writer // receives the steps, and the output of the processes

	// Migrate brings the schema up to date, as the database's owner if ownerURL is not empty.
	Migrate func(ctx context.Context, databaseURL, ownerURL string) error
	// Demo creates an account in a database that `up` has not used before. env is the
	// environment of the processes.
	Demo func(ctx context.Context, env []string) (Demo, error)
}

// Demo is an account with its first entity and a token of its administrator.
type Demo struct {
	Token     string `json:"token"`
	AccountID int64  `json:"account_id"`
	EntityID  int64  `json:"entity_id"`
}

// Time limits. A process that does not end in time is killed.
const (
	readyIn = time.Minute
	endIn   = 20 * time.Second
)

// Run starts everything, prints that it is ready and runs until ctx ends. A process or private
// server that dies is started again, without affecting the others. At the end all stop in order:
// the API, the other processes, Redis, PostgreSQL. The error is nil if ctx ended and everything
// stopped in time.
func Run(ctx context.Context, c Config) error {
	u := &up{Config: c, out: newOutput(c.Out), env: newEnvironment(c.Environ)}
	err := u.start(ctx)
	if err == nil {
		<-ctx.Done()
		u.out.say("stopping")
	}
	if ctx.Err() != nil {
		err = nil // a start cut short by ctx is no failure
	}
	return errors.Join(err, u.stop())
}

type up struct {
	Config
	out     *output
	env     environment // of every process
	lock    *os.File
	running []*supervised // in the order of their start
	demo    demoFile
}

func (u *up) start(ctx context.Context) (err error) {
	procfile, err := parseProcfile(u.Procfile)
	if err != nil {
		return err
	}
	if u.Data, err = filepath.Abs(u.Data); err != nil {
		return err
	}
	if u.lock, err = lockData(ctx, u.Data, u.out.say); err != nil {
		return err
	}
	if u.Addr, err = freeAddr(u.Addr); err != nil {
		return err
	}
	if err := u.derive(); err != nil {
		return err
	}
	if err := u.servers(ctx); err != nil {
		return err
	}
	u.demo.Ops = map[string]string{}
	for _, c := range procfile { // after the slow steps, because another program may take a port that is still free
		u.demo.Ops[c.name] = "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(private.FreePort()))
	}
	if err := u.database(ctx); err != nil {
		return err
	}
	if err := u.processes(ctx, procfile); err != nil {
		return err
	}
	u.out.say(fmt.Sprintf("bordero is ready at %s\n  docs     %[1]s/docs#token=%[2]s\n  console  "+
		"%[1]s/console/login#%[2]s\n  token    %[2]s\n  account  %d with "+
		"entity %d\n  monitor  %s as %s, password in %s",
		u.demo.URL, u.demo.Token, u.demo.AccountID, u.demo.EntityID, u.demo.MonitorURL, u.demo.MonitorUser,
		demoPath(u.Data)))
	debug.FreeOSMemory() // of the start
	return nil
}

// derive sets the values that follow from the flags and the environment alone.
func (u *up) derive() error {
	for _, dir := range []string{"files", "mail"} {
		if err := os.MkdirAll(filepath.Join(u.Data, dir), 0o700); err != nil {
			return err
		}
	}
	u.env["BORDERO_ADDR"] = u.Addr
	u.env.lack("BORDERO_PUBLIC_URL", "http://"+reachable(u.Addr))
	u.env.lack("BORDERO_FILES_URL", fileURL(filepath.Join(u.Data, "files")))
	u.env.lack("BORDERO_MAIL_DIR", filepath.Join(u.Data, "mail"))
	u.env.lack("BORDERO_MONITOR_ADDR", u.monitorAddr())
	u.env.lack("BORDERO_MONITOR_USER", "admin")
	if u.LocalWebhooks {
		if err := u.allowLocalWebhooks(); err != nil {
			return err
		}
	}

	u.demo = readDemo(u.Data)
	u.demo.URL = "http://" + reachable(u.Addr)
	u.demo.MonitorURL = "http://" + reachable(u.env["BORDERO_MONITOR_ADDR"]) + "/monitoring"
	u.demo.MonitorUser = u.env["BORDERO_MONITOR_USER"]
	if err := u.signingKey(); err != nil {
		return err
	}
	if u.env["BORDERO_MONITOR_PASSWORD_HASH"] != "" {
		u.demo.MonitorPassword = "" // known to the operator, who set the hash
		return nil
	}
	if u.demo.MonitorPassword == "" {
		u.demo.MonitorPassword = newPassword()
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(u.demo.MonitorPassword), bcrypt.DefaultCost)
	u.env["BORDERO_MONITOR_PASSWORD_HASH"] = string(hash)
	return err
}

// postgresSettings save 15 MB at rest on a machine with one installation and few users.
var postgresSettings = map[string]string{
	"shared_buffers":                  "128MB",
	"wal_buffers":                     "1MB",
	"max_pred_locks_per_transaction":  "10", // for serializable transactions, which we do not use
	"max_logical_replication_workers": "0",
}

// servers starts a private server for each URL that the environment lacks.
func (u *up) servers(ctx context.Context) error {
	var packages []string
	for variable, name := range map[string]string{"DATABASE_URL": private.PostgresPackage,
		"REDIS_URL": private.RedisPackage} {
		if u.env[variable] == "" {
			packages = append(packages, name)
		}
	}
	if len(packages) == 0 {
		return nil
	}
	if err := private.Install(ctx, u.out.say, packages...); err != nil {
		return err
	}
	if u.env["DATABASE_URL"] == "" {
		what := "PostgreSQL: starting"
		if _, err := os.Stat(filepath.Join(u.Data, "postgres")); os.IsNotExist(err) {
			what = "PostgreSQL: creating the data directory and starting"
		}
		err := u.out.step(what, func() error {
			p, err := private.StartPostgres(ctx, u.Data, private.Options{
				Socket: true, Durable: true, Settings: postgresSettings,
			})
			if err == nil {
				u.env["DATABASE_URL"], u.env[ownerVariable] = p.WorkerURL(), p.URL()
				if u.demo.Database == fingerprint(p.FormerURL()) { // the account exists
					u.demo.Database = fingerprint(p.URL())
				}
				u.supervise("postgres", p)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if u.env["REDIS_URL"] != "" {
		return nil
	}
	return u.out.step("Redis: starting", func() error {
		r, err := private.StartRedis(ctx, u.Data, private.Options{Socket: true, Durable: true})
		if err == nil {
			u.env["REDIS_URL"] = r.URL()
			u.supervise("redis", r)
		}
		return err
	})
}

// database migrates the schema and creates the demo account.
func (u *up) database(ctx context.Context) error {
	url, owner := u.env["DATABASE_URL"], u.env[ownerVariable]
	delete(u.env, ownerVariable) // no process gets it
	if err := u.out.step("database: migrating", func() error { return u.Migrate(ctx, url, owner) }); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	database := fingerprint(cmp.Or(owner, url))
	if u.demo.Database != database {
		err := u.out.step("database: creating a demo account", func() (err error) {
			u.demo.Demo, err = u.Demo(ctx, u.env.list())
			return err
		})
		if err != nil {
			return fmt.Errorf("create the demo account: %w", err)
		}
		u.demo.Database = database
	}
	if err := u.writeSettings(); err != nil {
		return err
	}
	if err := u.writeEnv(); err != nil {
		return err
	}
	// Written now, so that a later failure does not make the next run create the account again.
	return u.demo.write(u.Data)
}

// processes starts every line of the Procfile and waits until all are ready. Each has an ops
// listener of its own, because one address could not serve them all.
func (u *up) processes(ctx context.Context, procfile []command) error {
	own := map[string]map[string]string{}
	for variable, name := range owners {
		if value := u.env[variable]; value != "" {
			if own[name] == nil {
				own[name] = map[string]string{}
			}
			own[name][variable] = value
		}
		delete(u.env, variable)
	}
	for _, c := range procfile {
		env := u.env.list("BORDERO_OPS_ADDR=" + strings.TrimPrefix(u.demo.Ops[c.name], "http://"))
		for variable, value := range own[c.name] {
			env = append(env, variable+"="+value)
		}
		p := &program{command: c, binary: u.Binary, env: env, out: u.out.process(c.name), lock: u.lock}
		if err := p.Start(ctx); err != nil {
			return err
		}
		u.supervise(c.name, p)
	}
	return u.awaitReady(ctx)
}

// stop stops the groups in order. The members of a group stop at the same time.
func (u *up) stop() error {
	var groups [4][]*supervised
	for _, s := range u.running {
		switch s.name {
		case "api":
			groups[0] = append(groups[0], s)
		case "redis":
			groups[2] = append(groups[2], s)
		case "postgres":
			groups[3] = append(groups[3], s)
		default:
			groups[1] = append(groups[1], s)
		}
	}
	var failed []error
	for _, group := range groups {
		failed = append(failed, stopAll(group, endIn))
	}
	if u.lock != nil {
		u.lock.Close()
	}
	return errors.Join(failed...)
}

// freeAddr returns addr with a free port for port 0; an address in use is an error.
func freeAddr(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("the address of the API must be host:port: %w", err)
	}
	if port == "0" {
		return net.JoinHostPort(host, strconv.Itoa(private.FreePort())), nil
	}
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return "", fmt.Errorf("%s is taken by another program: choose another address with --addr or BORDERO_ADDR",
			addr)
	}
	if err != nil {
		return "", fmt.Errorf("the API cannot listen on %s: %w", addr, err)
	}
	return addr, l.Close()
}

// monitorAddr returns the port after the API's, 8081 for 8080, if that is free.
func (u *up) monitorAddr() string {
	_, port, _ := net.SplitHostPort(u.Addr)
	n, _ := strconv.Atoi(port)
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(n+1))
	if free, err := freeAddr(addr); err == nil {
		return free
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(private.FreePort()))
}

// allowLocalWebhooks adds the loopback networks to the networks that webhooks may reach.
func (u *up) allowLocalWebhooks() error {
	for name, addr := range map[string]string{"BORDERO_ADDR or --addr": u.Addr,
		"BORDERO_MONITOR_ADDR": u.env["BORDERO_MONITOR_ADDR"]} {
		host, _, _ := net.SplitHostPort(addr)
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return fmt.Errorf("--local-webhooks wants all listeners on 127.0.0.1: %s is %s", name, addr)
		}
	}
	const name, loopback = "BORDERO_WEBHOOK_ALLOW_CIDRS", "127.0.0.0/8,::1/128"
	u.env.lack(name, loopback)
	if !strings.Contains(u.env[name], loopback) {
		u.env[name] += "," + loopback
	}
	return nil
}

// reachable returns addr with this machine's name in place of an empty or unspecified host.
func reachable(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
