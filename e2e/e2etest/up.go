package e2etest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bordero/deploy/private"
	"bordero/internal/testkit"
)

// Up is a running `bordero up`.
type Up struct {
	*Process
	*Client // of the demo account
	Data    string
	Demo    Demo // valid after Ready
}

// Demo is the content of demo.json.
type Demo struct {
	URL             string
	Token           string
	AccountID       int64  `json:"account_id"`
	EntityID        int64  `json:"entity_id"`
	MonitorURL      string `json:"monitor_url"`
	MonitorUser     string `json:"monitor_user"`
	MonitorPassword string `json:"monitor_password"`
	Ops             map[string]string
}

// DataDir returns the path of a data directory that does not exist yet.
func DataDir(t testing.TB) string {
	t.Helper()
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	return filepath.Join(dir, "data")
}

// StartUp runs `bordero up` on a data directory until the end of the test, without waiting for
// it to be ready. Options are flags, which begin with --, and variables. Its API uses a free port,
// unless BORDERO_ADDR is one of them.
func StartUp(t testing.TB, data string, options ...string) *Up {
	t.Helper()
	words, env := []string{"up", "--data", data}, []string(nil)
	for _, o := range options {
		if strings.HasPrefix(o, "--") {
			words = append(words, o)
		} else {
			env = append(env, o)
		}
	}
	if !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, "BORDERO_ADDR=") }) {
		words = append(words, "--addr", Loopback())
	}
	return &Up{Process: start(t, env, words...), Data: data}
}

// Ready waits until `up` reports that it is ready, and reads demo.json.
func (u *Up) Ready() *Up {
	u.t.Helper()
	testkit.Eventually(u.t, "bordero up is ready", func() bool {
		select {
		case <-u.Done():
			u.t.Fatalf("bordero up ended instead of being ready: %v\n%s", u.Err(), u.Out)
		default:
		}
		return strings.Contains(u.Out.String(), "\nbordero is ready at ")
	})
	content, err := os.ReadFile(filepath.Join(u.Data, "demo.json"))
	if err != nil {
		u.t.Fatal(err)
	}
	if err := json.Unmarshal(content, &u.Demo); err != nil {
		u.t.Fatal(err)
	}
	u.Client = &Client{URL: u.Demo.URL, Token: u.Demo.Token, Entity: u.Demo.EntityID, ID: u.Demo.AccountID}
	return u
}

// PIDs returns the process ids of DIR/run/*.pid, by name.
func (u *Up) PIDs() map[string]int {
	u.t.Helper()
	files, err := filepath.Glob(filepath.Join(u.Data, "run", "*.pid"))
	if err != nil {
		u.t.Fatal(err)
	}
	pids := map[string]int{}
	for _, file := range files {
		content, _ := os.ReadFile(file) // it may be about to be replaced
		pids[strings.TrimSuffix(filepath.Base(file), ".pid")], _ = strconv.Atoi(strings.TrimSpace(string(content)))
	}
	return pids
}

// AllReady waits until every process is ready.
func (u *Up) AllReady() {
	u.t.Helper()
	for name, url := range u.Demo.Ops {
		testkit.Eventually(u.t, name+" is ready", func() bool {
			status, _ := Readiness(u.t, url)
			return status == http.StatusOK
		})
	}
}

// Processes lists the processes that run on a data directory, which have its path as an argument,
// or as their working directory.
func Processes(t testing.TB, data string) (all []string) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if filepath.Base(entry) == strconv.Itoa(os.Getpid()) {
			continue
		}
		line, _ := os.ReadFile(entry + "/cmdline") // a process may end meanwhile
		environ, _ := os.ReadFile(entry + "/environ")
		cwd, _ := os.Readlink(entry + "/cwd")
		if len(line) > 0 && strings.Contains(string(line)+string(environ)+cwd, data) {
			all = append(all, fmt.Sprintf("%s %s", filepath.Base(entry), strings.ReplaceAll(string(line), "\x00", " ")))
		}
	}
	return all
}
