package private

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Redis is a private Redis server.
type Redis struct {
	server
	options Options
}

const redisSocket = "/redis" // in its directory

// StartRedis starts Redis on dir/redis and returns when it responds.
func StartRedis(ctx context.Context, dir string, options Options) (*Redis, error) {
	r := &Redis{options: options}
	r.server = server{
		title: "Redis", pidFile: "redis.pid", onDeath: syscall.SIGTERM,
		command: r.run, ready: r.answers,
	}
	if err := r.derive(dir, "redis", options); err != nil {
		return nil, err
	}
	if err := makeDir(r.dir, r.as); err != nil {
		return nil, fmt.Errorf("create the data directory of Redis: %w", err)
	}
	if err := r.launch(ctx, options.Port); err != nil {
		return nil, err
	}
	return r, nil
}

// URL returns the REDIS_URL of database 0 of this server. It names Redis's default user, because
// redis-cli -u fails without one.
func (r *Redis) URL() string {
	if r.socket != "" {
		u := url.URL{Scheme: "unix", User: url.UserPassword("default", r.password), Path: r.socket + redisSocket,
			RawQuery: "db=0"}
		return u.String()
	}
	return fmt.Sprintf("redis://default:%s@%s/0", r.password, address(r.port))
}

// Stop stops the server; if ctx ends first, it kills it.
func (r *Redis) Stop(ctx context.Context) error { return r.proc.Stop(ctx, syscall.SIGTERM) }

// run passes the configuration to Redis on standard input. The password thus appears neither in the
// arguments, which every user can read, nor in a second file.
func (r *Redis) run() *exec.Cmd {
	settings := map[string]string{
		"bind":             "127.0.0.1",
		"port":             strconv.Itoa(r.port),
		"requirepass":      r.password,
		"dir":              "./",
		"pidfile":          r.pidFile,
		"save":             `""`,
		"appendonly":       "no",
		"maxmemory-policy": "noeviction",
		// The default, 10, costs an idle server 0.15 % of a core more. With 1, a wait ends up to a second late.
		"hz": "1",
	}
	if r.socket != "" {
		maps.Copy(settings, map[string]string{"port": "0", "unixsocket": "../" + filepath.Base(r.socket) + redisSocket,
			"unixsocketperm": "700"})
	}
	if r.options.Durable {
		settings["appendonly"] = "yes"
	}
	maps.Copy(settings, r.options.Settings)
	var config strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintln(&config, name, settings[name])
	}
	cmd := exec.Command("redis-server", "-") // outlives the context of its start
	cmd.Dir = r.dir
	cmd.Env = []string{}
	cmd.Stdin = strings.NewReader(config.String())
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: r.as}
	return cmd
}

// answers compares the process id of the server at our address: another Redis might respond on a
// port that ours could not get.
func (r *Redis) answers(pid int) (bool, error) {
	network, at := "tcp", address(r.port)
	if r.socket != "" {
		network, at = "unix", r.socket+redisSocket
	}
	conn, err := net.DialTimeout(network, at, time.Second)
	if err != nil {
		return false, nil // not yet
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Second))
	fmt.Fprintf(conn, "AUTH %s\r\nINFO server\r\nPING\r\nQUIT\r\n", r.password)
	answer, _ := io.ReadAll(conn)
	ours := strings.Contains(string(answer), fmt.Sprintf("\nprocess_id:%d\r", pid))
	return ours && strings.Contains(string(answer), "+PONG"), nil // no PONG while it loads its data
}
