package walls

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pkg is the output of go list for one of our packages.
type pkg struct {
	ImportPath string
	Imports    []string // of the code; tests may import anything
}

// within reports whether path is the package of or lies below it.
func within(path, of string) bool { return path == of || strings.HasPrefix(path, of+"/") }

func anyWithin(path string, of []string) bool {
	return slices.ContainsFunc(of, func(o string) bool { return within(path, o) })
}

// free packages may import anything.
var free = []string{"bordero/bench", "bordero/e2e", "bordero/docs"}

// ours lists which of our packages a directory may import besides its own.
var ours = map[string][]string{
	"bordero/examples":    {},
	"bordero/finance":     {"bordero/internal/messages"},
	"bordero/jobs":        {},
	"bordero/jobs/broker": {"bordero/jobs"}, // jobs itself may not: see theirs
	"bordero/migrations":  {},
	"bordero/storage": {"bordero/finance", "bordero/jobs", "bordero/internal/db",
		"bordero/internal/messages", "bordero/internal/share"},
	"bordero/storage/list":  {"bordero/finance", "bordero/internal/db", "bordero/internal/messages"},
	"bordero/storage/queue": {"bordero/jobs", "bordero/internal/db"},
	"bordero/storage/members": {"bordero/finance", "bordero/jobs", "bordero/storage", "bordero/internal/db",
		"bordero/internal/messages", "bordero/internal/tokens"},
	"bordero/api": {"bordero/finance", "bordero/jobs", "bordero/storage", "bordero/internal",
		"bordero/docs/receivers"},
	"bordero/workers": {"bordero/finance", "bordero/jobs", "bordero/storage", "bordero/internal"},
	"bordero/workers/runtime": {"bordero/jobs", "bordero/storage", "bordero/internal/logging",
		"bordero/internal/panics", "bordero/internal/tracing"},
	"bordero/workers/runtime/runtimetest": {"bordero/jobs", "bordero/storage", "bordero/workers/runtime",
		"bordero/internal/testkit"},
	"bordero/scheduler": {"bordero/finance", "bordero/jobs", "bordero/storage", "bordero/internal"},
	"bordero/monitor":   {"bordero/finance", "bordero/jobs", "bordero/storage", "bordero/internal"},
	"bordero/internal":  {},
	"bordero/internal/cli": {"bordero/api", "bordero/deploy", "bordero/docs/operations", "bordero/finance",
		"bordero/internal", "bordero/jobs", "bordero/migrations",
		"bordero/monitor", "bordero/scheduler", "bordero/storage", "bordero/workers"},
	"bordero/internal/rpc": {"bordero/jobs", "bordero/internal/panics"},
	"bordero/deploy":       {"bordero/internal"},
	"bordero/storage/storagetest": {"bordero/finance", "bordero/jobs", "bordero/storage", "bordero/migrations",
		"bordero/deploy/private", "bordero/internal/testkit", "bordero/internal/tier", "bordero/internal/tokens"},
}

// theirs lists which of our packages may import a library, or a package with restricted use.
var theirs = map[string][]string{
	"bordero/internal/db": {"bordero/storage"},
	"bordero/jobs/broker": {
		"bordero/internal/cli", "bordero/internal/rpc", "bordero/monitor", "bordero/scheduler",
		"bordero/storage/storagetest",
		"bordero/workers/runtime",
	},
	"github.com/jmoiron/sqlx":  {"bordero/storage", "bordero/internal/db", "bordero/migrations"},
	"github.com/lib/pq":        {"bordero/storage", "bordero/internal/db", "bordero/migrations"},
	"github.com/pressly/goose": {"bordero/migrations"},
	"gocloud.dev":              {"bordero/internal/blobs"},
	"github.com/gin-gonic/gin": {"bordero/api"},
	"github.com/hibiken/asynq": {"bordero/jobs/broker", "bordero/workers/runtime", "bordero/internal/rpc",
		"bordero/monitor", "bordero/internal/metrics"},
	"github.com/hibiken/asynqmon": {"bordero/monitor"},
	"github.com/redis/go-redis": {"bordero/jobs/broker", "bordero/internal/rpc", "bordero/monitor",
		"bordero/internal/ratelimit"},
	"github.com/wneessen/go-mail":   {"bordero/internal/mail"},
	"github.com/prometheus":         {"bordero/internal/metrics"},
	"github.com/alecthomas/kong":    {"bordero/internal/cli"},
	"go.opentelemetry.io":           {"bordero/internal/tracing"},
	"bordero/internal/tracing/otlp": {"bordero/internal/cli"}, // the SDK
	// only package main
	"bordero/internal/cli":     {},
	"bordero/internal/testkit": {"bordero/storage/storagetest", "bordero/workers/runtime/runtimetest"}, // and tests
	// finance implements driver.Valuer, which names its result.
	"database/sql": {"bordero/storage", "bordero/internal/db", "bordero/migrations", "bordero/finance",
		"bordero/workers/runtime/runtimetest"},
}

// without lists the modules that a package must not reach, not even through what it imports.
var without = map[string][]string{
	"bordero/finance":    queueModules,
	"bordero/jobs":       queueModules,
	"bordero/migrations": queueModules,
	"bordero/storage":    queueModules,
}

// queueModules carry jobs through Redis. PostgreSQL alone decides which jobs exist.
var queueModules = []string{"github.com/hibiken/asynq", "github.com/redis/go-redis"}

// forbidden lists the packages that finance must not import.
var forbidden = []string{"database/sql", "net/http", "log", "log/slog", "os", "context"}

func TestImports(t *testing.T) {
	for _, p := range list(t) {
		if p.ImportPath == "bordero" || anyWithin(p.ImportPath, free) {
			continue
		}
		room := roomOf(p.ImportPath)
		allowed, known := ours[room]
		if !known {
			t.Errorf("%s is in no room: give it a line in ours, or a place below a room", p.ImportPath)
		}
		for _, i := range p.Imports {
			if within(i, "bordero") && !within(i, room) && !anyWithin(i, allowed) {
				t.Errorf("%s imports %s: %s may not", p.ImportPath, i, room)
			}
			for library, users := range theirs {
				if within(i, library) && !anyWithin(p.ImportPath, users) {
					t.Errorf("%s imports %s: only %v may", p.ImportPath, i, users)
				}
			}
			if room == "bordero/jobs" && strings.Contains(strings.Split(i, "/")[0], ".") {
				t.Errorf("%s imports %s: only the standard library is below it", p.ImportPath, i)
			}
			if room == "bordero/finance" && slices.Contains(forbidden, i) {
				t.Errorf("%s imports %s: what is true knows nothing of it", p.ImportPath, i)
			}
		}
	}
}

// A package that is without a module does not reach it through another package either.
func TestDependencies(t *testing.T) {
	t.Parallel()
	for path, modules := range without {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", path).Output()
		if err != nil {
			t.Fatalf("go list -deps %s: %v", path, err)
		}
		deps := strings.Fields(string(out))
		if !slices.Contains(deps, path) {
			t.Errorf("go list -deps %s lists %d packages without itself", path, len(deps))
		}
		for _, dep := range deps {
			if anyWithin(dep, modules) {
				t.Errorf("%s depends on %s", path, dep)
			}
		}
	}
}

// namesKind matches a kind of jobs, or the files that some kinds read.
var namesKind = regexp.MustCompile(`\bjobs\.\w+Kind\b|\bstorage\.(Open)?Files\b`)

// The runtime of the workers treats all kinds alike: what is special about one belongs to it.
func TestTheRuntimeNamesNoKind(t *testing.T) {
	t.Parallel()
	read := 0
	readAll(t, []string{".go"}, func(path, text string) {
		if filepath.Dir(path) != "workers/runtime" || strings.HasSuffix(path, "_test.go") {
			return
		}
		read++
		if found := namesKind.FindString(text); found != "" {
			t.Errorf("%s names %s", path, found)
		}
	})
	if read < 4 {
		t.Errorf("only %d files were read", read)
	}
}

// roomOf returns the longest key of ours that contains the package.
func roomOf(path string) (room string) {
	for r := range ours {
		if within(path, r) && len(r) > len(room) {
			room = r
		}
	}
	return room
}

func list(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "bordero/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p pkg
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("go list found %d packages", len(all))
	}
	return all
}
