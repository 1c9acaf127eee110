package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bordero/internal/blobs"
	"bordero/internal/metrics"
	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// testProcess returns a process with a database and a directory of files.
func testProcess(t *testing.T, databaseURL, dir string) *process {
	t.Helper()
	p := &process{log: slog.New(slog.DiscardHandler), store: storagetest.Open(t, databaseURL, storage.Options{}),
		awaitsFiles: true}
	var err error
	if p.client, err = broker.Open(storagetest.RedisURL(t), p.store.Installation, p.log); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.client.Close() })
	if p.files, err = blobs.Open(t.Context(), "file://"+dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.files.Close() })
	p.files.BelongTo(p.client.Installation)
	return p
}

// readiness returns the state and the reason of each check of a process of the queues, and the whole state.
func readiness(t *testing.T, p *process, queues ...string) map[string]string {
	t.Helper()
	w := httptest.NewRecorder()
	p.metrics = metrics.New("work", metrics.Build{})
	p.health(true, queues...).Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest("GET", "/readyz", nil))
	var report struct {
		Status string
		Checks map[string]struct{ Status, Detail string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	said := map[string]string{"": report.Status}
	for name, check := range report.Checks {
		said[name] = strings.TrimSpace(check.Status + " " + check.Detail)
	}
	return said
}

// While PostgreSQL does not answer, no check tells the operator to migrate.
func TestOnlyASchemaAsksForMigrations(t *testing.T) {
	t.Parallel()
	p := testProcess(t, storagetest.DatabaseURL(t), t.TempDir())
	var err error
	if p.store, err = storage.Open("postgres://u:secret@127.0.0.1:1/x?sslmode=disable", storage.Options{}); err != nil {
		t.Fatal(err)
	}
	defer p.store.Close()
	said := readiness(t, p, "sales")
	if said["postgres"] != "down does not answer: connect: connection refused" ||
		said["migrations"] != "down cannot be read while postgres is down" {
		t.Errorf("%v", said)
	}
}

// The first process of an installation marks its files. One on another machine with a directory of its own
// is not ready, and marks nothing.
func TestAProcessWithFilesOfItsOwnIsNotReady(t *testing.T) {
	t.Parallel()
	databaseURL, shared, empty := storagetest.DatabaseURL(t), t.TempDir(), t.TempDir()
	first, second, away := testProcess(t, databaseURL, shared), testProcess(t, databaseURL, shared),
		testProcess(t, databaseURL, empty)
	for _, p := range []*process{first, second} {
		if !p.ownFiles(t.Context()) {
			t.Fatal("the files are not the installation's")
		}
		if said := readiness(t, p, "statements"); said[""] != "ok" || said["files"] != "ok" {
			t.Errorf("a process of the directory: %v", said)
		}
	}
	ended, end := context.WithTimeout(t.Context(), 1200*time.Millisecond)
	defer end()
	if away.ownFiles(ended) {
		t.Error("the empty directory is the installation's, too")
	}
	for _, queues := range [][]string{{"statements"}, {"deletions"}, {"statements", "sales"}} {
		if said := readiness(t, away, queues...); said[""] != "down" ||
			!strings.Contains(said["files"], "share the directory") {
			t.Errorf("a process of %v with an empty directory: %v", queues, said)
		}
	}
	for _, queue := range []string{"signing", "sales"} {
		if said := readiness(t, away, queue); said[""] != "ok" || said["files"] != "" {
			t.Errorf("a worker of %s, which uses no files: %v", queue, said)
		}
	}
	if found, err := filepath.Glob(filepath.Join(empty, "*")); err != nil || len(found) > 0 {
		t.Errorf("in the empty directory there are %v: %v", found, err)
	}
	if err := os.RemoveAll(shared); err != nil {
		t.Fatal(err)
	}
	_ = first.files.Recheck(t.Context())
	if said := readiness(t, first, "statements"); !strings.HasPrefix(said["files"], "degraded ") ||
		said[""] != "degraded" {
		t.Errorf("without the directory: %v", said)
	}
}

// In a wrong store every file would be reported as lost.
func TestVerifyRefusesFilesOfAnotherInstallation(t *testing.T) {
	t.Parallel()
	databaseURL, own, foreign, empty := storagetest.DatabaseURL(t), t.TempDir(), t.TempDir(), t.TempDir()
	missing := filepath.Join(empty, "missing")
	if p := testProcess(t, databaseURL, own); !p.ownFiles(t.Context()) {
		t.Fatal("the files are not the installation's")
	}
	if err := errors.Join(os.Mkdir(filepath.Join(foreign, "installation"), 0o700),
		os.WriteFile(filepath.Join(foreign, "installation", "other"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		own:     "every row has its file, and every file a row: 0 files",
		foreign: "it has the files of installation other, and this one is ",
		empty:   "share the directory or the bucket of the other processes",
		missing: "BORDERO_FILES_URL: stat " + missing + ": no such file or directory",
	} {
		env := []string{"DATABASE_URL=" + databaseURL, "BORDERO_FILES_URL=file://" + dir}
		stdout, stderr, status := run(t, env, "verify", "--files")
		if stdout != "" || !strings.Contains(stderr, want) || (status == 0) != (dir == own) {
			t.Errorf("exit status %d, %q, %q; want %q", status, stdout, stderr, want)
		}
	}
	if found, err := filepath.Glob(filepath.Join(empty, "*")); err != nil || len(found) > 0 {
		t.Errorf("in the empty directory there are %v: %v", found, err)
	}
}

// The signing worker of Compose has a directory of its own, and others have no files: the alert for the disk of the
// files must not watch theirs.
func TestOnlyProcessesWithFilesShowTheirDisk(t *testing.T) {
	t.Parallel()
	p := testProcess(t, "postgres://ana@127.0.0.1:1/books?sslmode=disable", t.TempDir())
	for queue, shown := range map[string]bool{"statements": true, "deletions": true, "sales": false,
		"reconciliation": false, "webhooks": false, "signing": false} {
		p.metrics = metrics.New("work", metrics.Build{})
		p.health(true, queue)
		w := httptest.NewRecorder()
		p.metrics.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		if strings.Contains(w.Body.String(), "\nbordero_files_free_bytes ") != shown {
			t.Errorf("work %s shows the disk of its files: %v", queue, !shown)
		}
	}
}

// A worker that finds no file store at its start takes no jobs, and says so: it must not replace a worker that does.
// Other processes begin, and a worker that has begun is only degraded.
func TestAWorkerThatAwaitsItsFilesIsNotReady(t *testing.T) {
	t.Parallel()
	databaseURL, dir := storagetest.DatabaseURL(t), t.TempDir()
	p, early := testProcess(t, databaseURL, dir), testProcess(t, databaseURL, dir)
	away := dir + ".away"
	if err := os.Rename(dir, away); err != nil {
		t.Fatal(err)
	}
	for _, queues := range [][]string{{"statements"}, {"deletions"}, {"sales", "deletions"}, workerQueues} {
		if said := readiness(t, p, queues...); said[""] != "down" || !strings.HasPrefix(said["files"], "down ") ||
			!strings.Contains(said["files"], "cannot be used: no such file or directory") {
			t.Errorf("a worker of %v without its files: %v", queues, said)
		}
	}
	p.awaitsFiles = false
	if said := readiness(t, p, workerQueues...); said[""] != "degraded" {
		t.Errorf("a process that needs no files to begin: %v", said)
	}
	p.awaitsFiles = true
	early.files.BelongTo(func(context.Context) (string, error) { return "", errors.New("the database is silent") })
	if said := readiness(t, early, "statements"); said["files"] != "down the database is silent" {
		t.Errorf("a worker that does not know whose files it needs: %v", said)
	}
	if err := os.Rename(away, dir); err != nil {
		t.Fatal(err)
	}
	if !p.ownFiles(t.Context()) {
		t.Fatal("the files are not the installation's")
	}
	if said := readiness(t, p, "statements"); said[""] != "ok" {
		t.Errorf("a worker that has begun: %v", said)
	}
	if err := os.Rename(dir, away); err != nil {
		t.Fatal(err)
	}
	_ = p.files.Recheck(t.Context())
	if said := readiness(t, p, "statements"); said[""] != "degraded" {
		t.Errorf("a worker whose files have gone since: %v", said)
	}
}

// A PostgreSQL that stalls from the start is the only one to be blamed.
func TestAStalledPostgresIsNotBlamedOnOthers(t *testing.T) {
	t.Parallel()
	stalled, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stalled.Close()
	go func() {
		for {
			conn, err := stalled.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, conn) }()
		}
	}()
	p := testProcess(t, "postgres://ana@"+stalled.Addr().String()+"/books?sslmode=disable", t.TempDir())
	p.awaitsFiles = false
	said := readiness(t, p, "statements")
	if said[""] != "down" || !strings.HasPrefix(said["postgres"], "down") || said["redis"] != "ok" ||
		!strings.HasPrefix(said["files"], "ok") {
		t.Errorf("%v", said)
	}
}
