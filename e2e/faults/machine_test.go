//go:build linux

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"bordero/internal/testkit"
)

// member is a node as Patroni describes it.
type member struct{ Name, Role, State string }

// ask asks the Patroni of machine i. A frozen one gives no answer.
func (c *cluster) ask(i int, path string, v any) (status int) {
	return read(at(own, i, restPort), path, v)
}

// read reads a document of a server into v, unless it is nil; the status is 0 without an answer.
func read(address, path string, v any) (status int) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return 0
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	if v != nil && json.NewDecoder(answer.Body).Decode(v) != nil {
		return 0
	}
	return answer.StatusCode
}

// primary returns the machine whose node is the primary, 0 while there is none.
func (c *cluster) primary() int {
	for i := 1; i <= machines; i++ {
		if c.ask(i, "/primary", nil) == http.StatusOK {
			return i
		}
	}
	return 0
}

// standby returns the machine of the synchronous standby, 0 while there is none.
func (c *cluster) standby() int {
	for i := 1; i <= machines; i++ {
		if c.ask(i, "/synchronous", nil) == http.StatusOK {
			return i
		}
	}
	return 0
}

// awaitWhole waits until both standbys stream from the primary, one of them synchronously, and all Redis follow one
// master. A standby that only runs may still be rewound.
func (c *cluster) awaitWhole() {
	c.t.Helper()
	said := ""
	testkit.Eventually(c.t, "the cluster is whole", func() bool {
		var all struct{ Members []member }
		at := c.primary()
		if at == 0 || c.ask(at, "/cluster", &all) != http.StatusOK {
			said = "no primary"
			return false
		}
		said = fmt.Sprint(all)
		well := map[string]int{}
		for _, m := range all.Members {
			if m.State == "streaming" || m.State == "running" && m.Role == "leader" {
				well[m.Role]++
			}
		}
		return well["leader"] == 1 && well["sync_standby"] == 1 && well["replica"] == 1 && c.redisMaster() > 0
	}, func() string { return said })
}

// pids returns the processes of the PostgreSQL and the Patroni of machine i, parents first.
func (c *cluster) pids(i int) []int {
	var all []int
	if p := c.server("patroni", i); p != nil {
		all = append(all, p.PID())
	}
	content, _ := os.ReadFile(c.path(i, "disk/data/postmaster.pid"))
	first, _, _ := strings.Cut(string(content), "\n")
	if pid, err := strconv.Atoi(first); err == nil {
		if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); bytes.Contains(name, []byte(c.dir)) {
			all = append(all, pid)
		}
	}
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, path := range stats {
		stat, _ := os.ReadFile(path)
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) < 2 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], pid)
	}
	for n := 0; n < len(all); n++ {
		all = append(all, children[all[n]]...)
	}
	return all
}

// signal sends a signal to every process of the PostgreSQL and the Patroni of machine i.
func (c *cluster) signal(i int, signal syscall.Signal) {
	for _, pid := range c.pids(i) {
		_ = syscall.Kill(pid, signal)
	}
}

// freeze stops every process of the PostgreSQL and the Patroni of machine i.
func (c *cluster) freeze(i int) {
	c.signal(i, syscall.SIGSTOP)
	c.signal(i, syscall.SIGSTOP) // children that were being started
}

// redisMaster returns the machine whose Redis is the master of the two others, 0 while there is none.
func (c *cluster) redisMaster() int {
	for i := 1; i <= machines; i++ {
		info := c.redisInfo(i)
		if strings.Contains(info, "role:master") && strings.Contains(info, "connected_slaves:2") {
			return i
		}
	}
	return 0
}
