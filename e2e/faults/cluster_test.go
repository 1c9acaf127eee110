//go:build linux

package faults

import (
	"cmp"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/deploy/private/process"
	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
)

// The addresses of machine i: its servers listen on 127.0.1.i. The other machines reach it, and the first
// API reaches PostgreSQL, by links that can swallow packets.
const (
	machines = 3
	own      = "127.0.1.%d"
	toPeers  = "127.0.2.%d" // of PostgreSQL and of Patroni's REST API, for the other machines
	toAPI    = "127.0.3.%d" // of PostgreSQL, for the first API
	toEtcd   = "127.0.4.%d" // of etcd, for the Patroni of machine i

	postgresPort, restPort, etcdPort, etcdPeerPort = "8340", "8355", "8356", "8357"
	redisPort, sentinelPort                        = "8341", "8359"
)

func at(network string, i int, port string) string { return fmt.Sprintf(network, i) + ":" + port }

// cluster is three machines, each with PostgreSQL under Patroni, etcd, Redis and a Sentinel, with the
// configuration of deploy/ha, as example reads it.
type cluster struct {
	t        *testing.T
	dir      string // with one directory for each machine
	as       *syscall.Credential
	password string  // of all roles
	db       *sql.DB // as the superuser, on the primary
	peers    [machines + 1]*link
	rest     [machines + 1]*link
	api      [machines + 1]*link
	etcd     [machines + 1]*link

	mu       sync.Mutex
	running  map[string]*process.Process // "patroni 1"
	stopping bool
}

// newCluster starts the machines and waits until a standby is synchronous.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	for _, program := range []string{"patroni", "patronictl", "etcd", "redis-server", "redis-sentinel"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%v: apt-get install patroni python3-etcd etcd-server redis-server redis-sentinel", err)
		}
	}
	refuseOldPatroni(t)
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	c := &cluster{t: t, dir: dir, password: rand.Text(), running: map[string]*process.Process{}}
	if os.Geteuid() == 0 { // PostgreSQL refuses root
		who, err := user.Lookup("postgres")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(who.Uid)
		gid, _ := strconv.Atoi(who.Gid)
		c.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	for i := 1; i <= machines; i++ {
		c.peers[i] = newLink(t, at(toPeers, i, postgresPort), at(own, i, postgresPort))
		c.rest[i] = newLink(t, at(toPeers, i, restPort), at(own, i, restPort))
		c.api[i] = newLink(t, at(toAPI, i, postgresPort), at(own, i, postgresPort))
		c.etcd[i] = newLink(t, at(toEtcd, i, etcdPort), at(own, i, etcdPort))
		c.disk(i)
		c.configure(i)
	}
	t.Cleanup(c.end)
	for _, kind := range []string{"etcd", "redis", "sentinel", "patroni"} {
		for i := 1; i <= machines; i++ {
			c.start(kind, i)
			if kind == "patroni" && i == 1 { // the first initializes the database
				testkit.Eventually(t, "the first node is the primary", func() bool { return c.primary() == 1 })
			}
		}
		if kind == "etcd" { // before that, Patroni ends, and nobody starts it again here
			testkit.Eventually(t, "etcd has decided about its version", decided)
		}
	}
	c.awaitWhole()
	return c
}

// decided reports whether all nodes of etcd know the version of their cluster.
func decided() bool {
	for i := 1; i <= machines; i++ {
		var version struct{ EtcdCluster string }
		if read(at(own, i, etcdPort), "/version", &version) != http.StatusOK || version.EtcdCluster == "not_decided" {
			return false
		}
	}
	return true
}

// refuseOldPatroni fails if the former primary could take the lock of the new one when it wakes up
// (https://github.com/patroni/patroni/pull/2689).
func refuseOldPatroni(t *testing.T) {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), "patroni", "--version").Output()
	var major, minor, patch int
	_, scanned := fmt.Sscanf(string(said), "patroni %d.%d.%d", &major, &minor, &patch)
	if err := cmp.Or(err, scanned); err != nil {
		t.Fatalf("patroni --version: %v: %s", err, said)
	}
	if major < 3 || major == 3 && minor == 0 && patch < 3 {
		t.Fatalf("%s loses confirmed writes; PATH=\"$(tools/patroni/bin):$PATH\" has another one",
			strings.TrimSpace(string(said)))
	}
}

// disk gives the database of machine i a disk of its own, which a fault can fill. It has room for the logs of two
// machines: pg_rewind adds 3 GB of the primary's to 3 GB of its own. Without the right to mount a disk it is a
// directory, and that fault fails the test.
func (c *cluster) disk(i int) {
	c.t.Helper()
	for _, path := range []string{c.path(i, ""), c.path(i, "disk"), c.path(i, "etcd"), c.path(i, "redis")} {
		if err := os.Mkdir(path, 0o700); err != nil {
			c.t.Fatal(err)
		}
	}
	if syscall.Mount("tmpfs", c.path(i, "disk"), "tmpfs", 0, "size=8g,mode=0700") == nil {
		c.t.Cleanup(func() { _ = syscall.Unmount(c.path(i, "disk"), syscall.MNT_DETACH) })
	}
	if c.as == nil {
		return
	}
	for _, path := range []string{c.path(i, ""), c.path(i, "disk"), c.path(i, "etcd"), c.path(i, "redis")} {
		if err := os.Chown(path, int(c.as.Uid), int(c.as.Gid)); err != nil {
			c.t.Fatal(err)
		}
	}
}

// mounted reports whether the database of machine i has a disk of its own.
func (c *cluster) mounted(i int) bool {
	var above, disk syscall.Stat_t
	return syscall.Stat(c.path(i, ""), &above) == nil && syscall.Stat(c.path(i, "disk"), &disk) == nil &&
		above.Dev != disk.Dev
}

func (c *cluster) path(i int, name string) string {
	return filepath.Join(c.dir, "db"+strconv.Itoa(i), name)
}

// example returns a file of deploy/ha with the addresses of machine i. The drill differs from it as these pairs say,
// and as docs/operations/high-availability.md tells.
func (c *cluster) example(i int, name string) string {
	c.t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "deploy", "ha", name))
	if err != nil {
		c.t.Fatal(err)
	}
	me := "db1.example" // of the file
	pairs := []string{
		"name: db1", "name: db" + strconv.Itoa(i), "NAME=db1", "NAME=db" + strconv.Itoa(i),
		"connect_address: " + me + ":5432", "connect_address: " + at(toPeers, i, postgresPort),
		"connect_address: " + me + ":8008", "connect_address: " + at(toPeers, i, restPort),
		"hosts: db1.example:2379,db2.example:2379,db3.example:2379",
		"use_proxies: true\n  hosts: " + at(toEtcd, i, etcdPort), // or Patroni would ask etcd for others
		"INITIAL_CLUSTER=db1=http://db1.example:2380,db2=http://db2.example:2380,db3=http://db3.example:2380",
		fmt.Sprintf("INITIAL_CLUSTER=db1=http://%s,db2=http://%s,db3=http://%s", at(own, 1, etcdPeerPort),
			at(own, 2, etcdPeerPort), at(own, 3, etcdPeerPort)),
		"db1.example,db2.example,db3.example", fmt.Sprintf(own+","+own+","+own, 1, 2, 3),
		"port=5432,5432,5432", "port=" + strings.Join([]string{postgresPort, postgresPort, postgresPort}, ","),
		"bordero db1.example 6379", "bordero " + fmt.Sprintf(own, 1) + " " + redisPort,
		"//0.0.0.0:2379", "//" + at(own, i, etcdPort), "//0.0.0.0:2380", "//" + at(own, i, etcdPeerPort),
		"port 6379", "port " + redisPort, "port 26379", "port " + sentinelPort,
		"announce-port 26379", "announce-port " + sentinelPort,
		"/var/lib/postgresql/15/bordero", c.path(i, "disk/data"),
		"/var/lib/postgresql/.pgpass-patroni", c.path(i, "pgpass"), "/var/run/postgresql", c.path(i, ""),
		"/var/lib/etcd/bordero", c.path(i, "etcd"), "/var/lib/redis", c.path(i, "redis"),
		"mode: automatic", "mode: off", // there is one machine
		"sslmode=verify-full&sslrootcert=/etc/ssl/certs/bordero-ca.pem", "sslmode=disable", // e2e tests TLS apart
	}
	for _, role := range []string{"POSTGRES", "REPLICATOR", "REWIND", "PATRONI", "REDIS", "WORKER"} {
		pairs = append(pairs, "PASSWORD-OF-"+role, c.password)
	}
	for j := 1; j <= machines; j++ {
		here := j
		if j == 1 && name != "bordero.env" {
			here = i
		}
		for port, ours := range map[string]string{":5432": postgresPort, ":8008": restPort, ":2379": etcdPort,
			":2380": etcdPeerPort, ":26379": sentinelPort} {
			pairs = append(pairs, fmt.Sprintf("db%d.example%s", j, port), at(own, here, ours))
		}
	}
	pairs = append(pairs, me, fmt.Sprintf(own, i))
	return strings.NewReplacer(pairs...).Replace(string(content))
}

// etcd does not start if it is to listen on a name. The drill, which listens on other addresses, would not see it.
func TestEtcdListensOnAddresses(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../deploy/ha/etcd.env")
	if err != nil {
		t.Fatal(err)
	}
	listens := 0
	for line := range strings.Lines(string(content)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if !strings.HasPrefix(name, "ETCD_LISTEN_") {
			continue
		}
		listens++
		u, err := url.Parse(value)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := netip.ParseAddr(u.Hostname()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if listens != 2 {
		t.Errorf("etcd.env says %d times where to listen", listens)
	}
}

// A password of the files that the drill left as it is would not be asked for.
func TestTheDrillSetsAllPasswords(t *testing.T) {
	t.Parallel()
	c := &cluster{t: t, dir: t.TempDir(), password: "secret"}
	for _, name := range []string{"patroni.yml", "redis.conf", "sentinel.conf", "bordero.env"} {
		if file := c.example(1, name); strings.Contains(file, "PASSWORD-OF-") || !strings.Contains(file, "secret") {
			t.Errorf("%s:\n%s", name, file)
		}
	}
}

// configure writes the files of machine i.
func (c *cluster) configure(i int) {
	c.t.Helper()
	redis := c.example(i, "redis.conf")
	if i > 1 {
		redis += "replicaof " + fmt.Sprintf(own, 1) + " " + redisPort + "\n"
	}
	for name, content := range map[string]string{
		"patroni.yml": c.example(i, "patroni.yml"), "redis.conf": redis, "sentinel.conf": c.example(i, "sentinel.conf"),
	} {
		if err := os.WriteFile(c.path(i, name), []byte(content), 0o600); err != nil {
			c.t.Fatal(err)
		}
		if c.as != nil {
			if err := os.Chown(c.path(i, name), int(c.as.Uid), int(c.as.Gid)); err != nil {
				c.t.Fatal(err)
			}
		}
	}
}

// start starts a server of machine i, as its systemd does when it boots.
func (c *cluster) start(kind string, i int) {
	c.t.Helper()
	words := map[string][]string{
		"etcd": {"etcd"}, "patroni": {"patroni", c.path(i, "patroni.yml")},
		"redis": {"redis-server", c.path(i, "redis.conf")}, "sentinel": {"redis-sentinel", c.path(i, "sentinel.conf")},
	}[kind]
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + c.path(i, ""), "LANG=C.UTF-8"}
	if kind == "etcd" {
		for line := range strings.Lines(c.example(i, "etcd.env")) {
			if strings.HasPrefix(line, "ETCD_") {
				cmd.Env = append(cmd.Env, strings.TrimSpace(line))
			}
		}
	}
	log, err := os.OpenFile(c.path(i, kind+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.as}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping {
		return
	}
	p, err := process.Start(cmd, syscall.SIGTERM)
	if err != nil {
		c.t.Errorf("%s %d: %v", kind, i, err)
		return
	}
	c.running[fmt.Sprint(kind, " ", i)] = p
}

func (c *cluster) server(kind string, i int) *process.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running[fmt.Sprint(kind, " ", i)]
}

// site returns the options of an installation that uses the cluster, and the variables of its first API, which
// reaches PostgreSQL by links.
func (c *cluster) site() (options []e2etest.Option, firstAPI []string) {
	c.t.Helper()
	var database string
	for line := range strings.Lines(c.example(1, "bordero.env")) {
		if value, ok := strings.CutPrefix(line, "DATABASE_URL="); ok {
			database = strings.TrimSpace(value)
		} else if strings.HasPrefix(line, "REDIS_URL=") {
			options = append(options, e2etest.Set(strings.TrimSpace(line)))
		}
	}
	owner, err := url.Parse(database)
	if err != nil {
		c.t.Fatal(err)
	}
	owner.User = url.UserPassword("postgres", c.password)
	maintenance := *owner
	maintenance.Path = "/postgres"
	if c.db, err = sql.Open("postgres", maintenance.String()); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = c.db.Close() })
	c.db.SetMaxIdleConns(-1) // an idle connection could be one to a former primary
	if _, err := c.db.ExecContext(c.t.Context(), `CREATE DATABASE bordero`); err != nil {
		c.t.Fatal(err)
	}
	byLinks := strings.NewReplacer("127.0.1.", "127.0.3.").Replace(database)
	return append(options, e2etest.OnServers(database, owner.String())), []string{"DATABASE_URL=" + byLinks}
}

// end stops all servers.
func (c *cluster) end() {
	c.mu.Lock()
	c.stopping = true
	c.mu.Unlock()
	for i := 1; i <= machines; i++ {
		for _, l := range []*link{c.peers[i], c.rest[i], c.api[i], c.etcd[i]} {
			l.release()
		}
		c.signal(i, syscall.SIGCONT)
	}
	for _, p := range c.running {
		p.Signal(syscall.SIGTERM)
	}
	for _, p := range c.running {
		select {
		case <-p.Done():
		case <-time.After(10 * time.Second):
			p.Signal(syscall.SIGKILL)
		}
	}
	for i := 1; i <= machines; i++ {
		c.signal(i, syscall.SIGKILL)
		if c.t.Failed() {
			log, _ := os.ReadFile(c.path(i, "patroni.log"))
			// The stop writes some 4,000 bytes.
			c.t.Logf("patroni %d said at last:\n%s", i, log[max(0, len(log)-20_000):])
		}
	}
}
