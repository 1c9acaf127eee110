package jobfaults

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/deploy/private/process"
	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
	"bordero/migrations"

	_ "github.com/lib/pq" // the driver for the test's queries
	"github.com/redis/go-redis/v9"
)

// harness is an installation under load, of one test alone.
type harness struct {
	t         *testing.T
	postgres  *private.Postgres
	redis     *private.Redis
	db        *sql.DB
	processes map[string]*process.Process
	said      map[string]*e2etest.Output
	kept      dots      // jobs that the producer knows to be committed
	began     time.Time // of the load
}

// dots counts the bytes written to it.
type dots struct{ atomic.Int64 }

func (d *dots) Write(p []byte) (int, error) {
	d.Add(int64(len(p)))
	return len(p), nil
}

// The names of the processes; the first word is the process's kind.
var (
	workerNames = []string{"worker 1", "worker 2", "worker 3"}
	names       = append([]string{"producer", "scheduler 1", "scheduler 2"}, workerNames...)
)

// newHarness starts servers and processes and waits until jobs are done.
func newHarness(t *testing.T) *harness {
	t.Helper()
	t.Parallel()
	w := &harness{t: t, processes: map[string]*process.Process{}, said: map[string]*e2etest.Output{}}
	w.serve()
	if _, err := migrations.UpFor(t.Context(), w.postgres.WorkerURL(), w.postgres.URL()); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.db, err = sql.Open("postgres", w.postgres.URL()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.db.Close() })
	if _, err := w.db.Exec(schema); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.clear)
	w.began = time.Now()
	for _, name := range names {
		w.said[name] = &e2etest.Output{}
		w.start(name)
	}
	w.awaitJobs(100)
	return w
}

// serve starts the servers. PostgreSQL is durable: otherwise a crash would undo the claims that
// the fence relies on.
func (w *harness) serve() {
	w.t.Helper()
	dir, remove, err := private.TempDir()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(remove)
	if w.postgres, err = private.StartPostgres(w.t.Context(), dir, private.Options{Durable: true}); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = w.postgres.Stop(context.Background()) })
	if w.redis, err = private.StartRedis(w.t.Context(), dir, private.Options{}); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = w.redis.Stop(context.Background()) })
}

// clear ends what a failed test has left, and logs the output of the processes.
func (w *harness) clear() {
	for name, p := range w.processes {
		p.Signal(syscall.SIGKILL)
		<-p.Done()
		if w.t.Failed() {
			lines := strings.Split(w.said[name].String(), "\n")
			w.t.Logf("%s said at last:\n%s", name, strings.Join(lines[max(0, len(lines)-15):], "\n"))
		}
	}
}

func (w *harness) start(name string) {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(self) // ended by clear
	cmd.Env = append(os.Environ(), "JOBFAULTS_NAME="+name, "DATABASE_URL="+w.postgres.WorkerURL(),
		"REDIS_URL="+w.redis.URL())
	cmd.Stderr = w.said[name]
	if name == "producer" {
		cmd.Stdout = &w.kept
	}
	if w.processes[name], err = process.Start(cmd, syscall.SIGKILL); err != nil {
		w.t.Fatal(err)
	}
}

// kill is kill -9 of a process, which must not have ended by itself.
func (w *harness) kill(name string) {
	w.t.Helper()
	p := w.processes[name]
	select {
	case <-p.Done():
		w.t.Errorf("%s has ended: %v", name, p.Err())
	default:
		p.Signal(syscall.SIGKILL)
		<-p.Done()
	}
}

// end ends a process in order.
func (w *harness) end(name string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), testkit.Patience)
	defer cancel()
	p := w.processes[name]
	if err := p.Stop(ctx, syscall.SIGTERM); err != nil {
		w.t.Error(err)
	} else if err := p.Err(); err != nil {
		w.t.Errorf("%s ended with %v", name, err)
	}
	delete(w.processes, name)
}

// eventually waits until ok returns true. A failure contains the oldest jobs.
func (w *harness) eventually(what string, ok func() bool) {
	w.t.Helper()
	testkit.Eventually(w.t, what, ok, func() string {
		return fmt.Sprintf("%d jobs are left, among them\n%s", w.value(`SELECT count(*) FROM jobs`), w.oldest())
	})
}

// awaitJobs waits until n more jobs have been begun, or done: the load goes on.
func (w *harness) awaitJobs(n int) {
	w.t.Helper()
	done := func() int { return w.value(`SELECT count(*) FROM effects WHERE part = 0`) }
	until := done() + n
	w.eventually(fmt.Sprintf("%d more jobs are done", n), func() bool { return done() >= until })
}

// awaitRecovery waits until the jobs enqueued so far are done.
func (w *harness) awaitRecovery() {
	w.t.Helper()
	now := time.Now()
	w.eventually("the jobs of before are done", func() bool {
		return w.value(`SELECT count(*) FROM jobs WHERE created_at < $1`, now) == 0
	})
}

// redisClient returns a client of the test alone.
func (w *harness) redisClient() *redis.Client {
	w.t.Helper()
	o, err := redis.ParseURL(w.redis.URL())
	if err != nil {
		w.t.Fatal(err)
	}
	client := redis.NewClient(o)
	w.t.Cleanup(func() { _ = client.Close() })
	return client
}

func (w *harness) value(query string, args ...any) int {
	w.t.Helper()
	return e2etest.Value[int](w.t, w.db, query, args...)
}

// settle ends the load, waits until all jobs are done, and checks that each was done once. It
// ends a test.
func (w *harness) settle() {
	w.t.Helper()
	w.end("producer")
	loaded := time.Since(w.began)
	w.eventually("no job is left", func() bool { return w.value(`SELECT count(*) FROM jobs`) == 0 })
	for _, name := range names[1:] {
		w.end(name)
	}
	w.check(loaded)
}
