//go:build linux

package faults

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"bordero/e2e/e2etest"
	"bordero/internal/testkit"

	"github.com/redis/go-redis/v9"
)

// lasts is how long a fault lasts: longer than ttl, so that the cluster must go on without the machine.
const lasts = ttl + 10*time.Second

// breaks is a fault of the cluster. does breaks something and returns what repairs it: of a machine its
// return, of a link its packets. Nobody else does anything.
type breaks struct {
	name       string
	does       func() (repair func())
	lasts      time.Duration
	fromRepair bool // writes may wait for the repair
}

func (c *cluster) breaks() []breaks {
	return []breaks{
		{name: "kill -9 of the primary", lasts: lasts, does: c.killPrimary},
		{name: "SIGSTOP of the primary past ttl", lasts: lasts, does: c.stopPrimary},
		{name: "the primary hears no other machine", lasts: lasts, does: c.isolatePrimary},
		{name: "the primary does not hear its standby", lasts: lasts, does: c.swallowReplication},
		{name: "an API does not hear the primary", lasts: lasts, does: c.swallowAPI},
		{name: "planned switchover", does: c.switchover},
		{name: "etcd is lost", lasts: 2 * ttl, does: c.loseEtcd},
		{name: "the disk of the primary is full", lasts: lasts, does: c.fillDisk, fromRepair: true},
		{name: "kill -9 of the Redis master", lasts: ttl, does: c.killRedis},
	}
}

func (c *cluster) killPrimary() (repair func()) {
	i := c.mustPrimary()
	c.freeze(i) // a session that was being started would survive and wait for ever for a lock of a killed one
	c.signal(i, syscall.SIGKILL)
	return func() { c.start("patroni", i) }
}

// stopPrimary stops PostgreSQL and Patroni as a frozen machine does: its kernel still acknowledges what it
// receives.
func (c *cluster) stopPrimary() (repair func()) {
	i := c.mustPrimary()
	c.freeze(i)
	return func() { c.signal(i, syscall.SIGCONT) }
}

// isolatePrimary separates the primary from etcd and from both standbys. The APIs still reach it, and it
// must confirm nothing.
func (c *cluster) isolatePrimary() (repair func()) {
	i := c.mustPrimary()
	links := append([]*link{c.peers[i], c.etcd[i]}, c.rest[1:]...)
	for _, l := range links {
		l.swallow()
	}
	return func() {
		for _, l := range links {
			l.release()
		}
	}
}

// swallowReplication separates the primary from the standby that confirms its commits.
func (c *cluster) swallowReplication() (repair func()) {
	i := c.mustPrimary()
	port := e2etest.Value[int](c.t, c.db, `SELECT client_port FROM pg_stat_replication WHERE sync_state <> 'async'`)
	c.peers[i].swallow(port)
	return c.peers[i].release
}

// swallowAPI separates the first API from the primary.
func (c *cluster) swallowAPI() (repair func()) {
	l := c.api[c.mustPrimary()]
	l.swallow()
	return l.release
}

// switchover makes the synchronous standby the primary, as before work on a machine.
func (c *cluster) switchover() (repair func()) {
	from, to := c.mustPrimary(), c.standby()
	cmd := exec.CommandContext(c.t.Context(), "patronictl", "-c", c.path(from, "patroni.yml"), "switchover",
		"--leader", "db"+strconv.Itoa(from), "--candidate", "db"+strconv.Itoa(to), "--force", "bordero")
	cmd.Env = append(os.Environ(), "LANG=C.UTF-8", "LC_ALL=C.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil || c.primary() != to {
		c.t.Errorf("switchover from %d to %d: %v\n%s", from, to, err, out)
	}
	return func() {}
}

// loseEtcd is the loss of all of etcd, with its data kept. The primary must go on (failsafe_mode).
func (c *cluster) loseEtcd() (repair func()) {
	for i := 1; i <= machines; i++ {
		p := c.server("etcd", i)
		p.Signal(syscall.SIGKILL)
		<-p.Done()
	}
	return func() {
		for i := 1; i <= machines; i++ {
			c.start("etcd", i)
		}
	}
}

// fillDisk fills the disk of the primary's database.
func (c *cluster) fillDisk() (repair func()) {
	i := c.mustPrimary()
	if !c.mounted(i) {
		c.t.Error("a full disk needs the right to mount a tmpfs: run as root")
		return func() {}
	}
	path := c.path(i, "disk/filler")
	file, err := os.Create(path)
	if err != nil {
		c.t.Error(err)
		return func() {}
	}
	block := make([]byte, 64<<10)
	for err == nil {
		_, err = file.Write(block)
	}
	_ = file.Close()
	return func() { _ = os.Remove(path) }
}

func (c *cluster) killRedis() (repair func()) {
	i := c.redisMaster()
	p := c.server("redis", i)
	p.Signal(syscall.SIGKILL)
	<-p.Done()
	return func() { c.start("redis", i) }
}

// mustPrimary waits for the primary.
func (c *cluster) mustPrimary() (i int) {
	c.t.Helper()
	testkit.Eventually(c.t, "there is a primary", func() bool { i = c.primary(); return i > 0 })
	return i
}

// redisInfo returns what the Redis of machine i reports of its replication.
func (c *cluster) redisInfo(i int) string {
	client := redis.NewClient(&redis.Options{Addr: net.JoinHostPort(fmt.Sprintf(own, i), redisPort),
		Password: c.password, DialTimeout: time.Second, ReadTimeout: time.Second})
	defer client.Close()
	info, _ := client.Info(context.Background(), "replication").Result()
	return info
}
