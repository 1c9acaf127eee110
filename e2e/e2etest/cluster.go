package e2etest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"bordero/deploy/private"
	"bordero/deploy/private/process"
	"bordero/internal/testkit"

	"github.com/redis/go-redis/v9"
)

// Nodes are Redis servers that form a cluster or replicate, with the same user on all.
type Nodes struct {
	URL   string // for REDIS_URL
	All   []*private.Redis
	t     testing.TB
	ports []int
	login string // user:password
}

// startNodes starts n servers. set returns the settings of each from the ports of all.
func startNodes(t testing.TB, n int, set func(c *Nodes, i int) map[string]string) *Nodes {
	t.Helper()
	c := &Nodes{t: t, login: "bordero:" + rand.Text()}
	for range n {
		c.ports = append(c.ports, freePort())
	}
	for i, port := range c.ports {
		dir, remove, err := private.TempDir()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(remove)
		name, password, _ := strings.Cut(c.login, ":")
		settings := set(c, i)
		settings["user"] = name + " on >" + password + " ~* &* +@all"
		node, err := private.StartRedis(t.Context(), dir, private.Options{Port: port, Settings: settings})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = node.Stop(context.Background()) })
		c.All = append(c.All, node)
	}
	return c
}

// NewCluster starts a Redis Cluster of three masters without replicas.
func NewCluster(t testing.TB) *Nodes {
	t.Helper()
	var buses []string
	c := startNodes(t, 3, func(c *Nodes, _ int) map[string]string {
		buses = append(buses, strconv.Itoa(freePort()))
		return map[string]string{"cluster-enabled": "yes", "cluster-port": buses[len(buses)-1],
			"cluster-node-timeout": "2000"}
	})
	const slots = 16384
	for i := range c.All {
		c.Command(i, "CLUSTER", "ADDSLOTSRANGE", i*slots/3, (i+1)*slots/3-1)
		if i > 0 {
			c.Command(i, "CLUSTER", "MEET", "127.0.0.1", c.ports[0], buses[0])
		}
	}
	for i := range c.All {
		testkit.Eventually(t, "the cluster is complete", func() bool {
			info := fmt.Sprint(c.Command(i, "CLUSTER", "INFO"))
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3")
		})
	}
	c.URL = fmt.Sprintf("redis-cluster://%s@%s?addr=%s&addr=%s", c.login, c.address(0), c.address(1), c.address(2))
	return c
}

// NewSentinel starts a master, its replica and a Sentinel that monitors them.
func NewSentinel(t testing.TB) *Nodes {
	t.Helper()
	c := startNodes(t, 2, func(c *Nodes, i int) map[string]string {
		name, password, _ := strings.Cut(c.login, ":")
		settings := map[string]string{"masteruser": name, "masterauth": password, "repl-diskless-sync-delay": "0"}
		if i == 1 {
			settings["replicaof"] = "127.0.0.1 " + strconv.Itoa(c.ports[0])
		}
		return settings
	})
	testkit.Eventually(t, "the replica is connected", func() bool {
		return strings.Contains(fmt.Sprint(c.Command(1, "INFO", "replication")), "master_link_status:up")
	})
	port := freePort()
	name, password, _ := strings.Cut(c.login, ":")
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	config := fmt.Sprintf("bind 127.0.0.1\nport %d\nsentinel monitor bordero 127.0.0.1 %d 1\nsentinel auth-user "+
		"bordero %s\nsentinel auth-pass bordero %s\n"+
		"sentinel down-after-milliseconds bordero 500\nsentinel failover-timeout bordero 3000\n", port, c.ports[0],
		name, password)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	sentinel, err := process.Start(exec.Command("redis-server", file, "--sentinel"), syscall.SIGKILL) // ended below
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sentinel.Stop(context.Background(), syscall.SIGTERM) })
	c.URL = fmt.Sprintf("redis-sentinel://127.0.0.1:%d/0?master_name=bordero&username=%s&password=%s", port, name,
		password)
	client := redis.NewSentinelClient(&redis.Options{Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))})
	t.Cleanup(func() { _ = client.Close() })
	testkit.Eventually(t, "Sentinel knows master and replica", func() bool {
		replicas, err := client.Replicas(t.Context(), "bordero").Result()
		return err == nil && len(replicas) == 1
	})
	return c
}

// Command sends a command to one node and returns its reply.
func (c *Nodes) Command(i int, words ...any) any {
	c.t.Helper()
	name, password, _ := strings.Cut(c.login, ":")
	client := redis.NewClient(&redis.Options{Addr: c.address(i), Username: name, Password: password})
	defer client.Close()
	answer, err := client.Do(c.t.Context(), words...).Result()
	if err != nil {
		c.t.Fatalf("%v: %v", words, err)
	}
	return answer
}

// Holder returns the node of a cluster that stores a key.
func (c *Nodes) Holder(key string) int {
	c.t.Helper()
	slot := c.Command(0, "CLUSTER", "KEYSLOT", key).(int64)
	return int((slot*3 + 2) / 16384)
}

// MoveSlot moves the slot of a key, with its content, from its node to the next.
func (c *Nodes) MoveSlot(key string) {
	c.t.Helper()
	slot, from := c.Command(0, "CLUSTER", "KEYSLOT", key).(int64), c.Holder(key)
	to := (from + 1) % len(c.All)
	fromID, toID := c.Command(from, "CLUSTER", "MYID"), c.Command(to, "CLUSTER", "MYID")
	c.Command(to, "CLUSTER", "SETSLOT", slot, "IMPORTING", fromID)
	c.Command(from, "CLUSTER", "SETSLOT", slot, "MIGRATING", toID)
	name, password, _ := strings.Cut(c.login, ":")
	for _, k := range c.Command(from, "CLUSTER", "GETKEYSINSLOT", slot, 1000).([]any) {
		c.Command(from, "MIGRATE", "127.0.0.1", c.ports[to], k, 0, 5000, "AUTH2", name, password)
	}
	for _, i := range []int{to, from, 3 - from - to} {
		c.Command(i, "CLUSTER", "SETSLOT", slot, "NODE", toID)
	}
}

func (c *Nodes) address(i int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(c.ports[i])) }
