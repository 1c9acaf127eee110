package metrics

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bordero/deploy/private"

	"github.com/hibiken/asynq"
)

// scrape returns what Prometheus gets.
func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// shows checks that the output contains each line.
func shows(t *testing.T, m *Metrics, lines ...string) {
	t.Helper()
	text := scrape(t, m)
	for _, want := range lines {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestWhatIsCounted(t *testing.T) {
	t.Parallel()
	m := New("api", Build{Go: "go1"})
	request, job, imported, delivered := m.Requests(), m.Jobs(), m.Imports(), m.Deliveries()
	request("GET", "/entities/:entity_id", 200, 3*time.Millisecond)
	request("GET", "/entities/:entity_id", 404, time.Millisecond)
	request("BREW", "", 405, time.Millisecond)
	job("import_statement", "done", 200*time.Millisecond)
	imported("success", 12)
	delivered("failed")
	m.Sealed()(7)
	m.PeriodicTasks()("sum usage")
	shows(t, m,
		`bordero_http_requests_total{method="GET",route="/entities/:entity_id",status="200"} 1`,
		`bordero_http_requests_total{method="GET",route="/entities/:entity_id",status="404"} 1`,
		`bordero_http_requests_total{method="other",route="none",status="405"} 1`,
		`bordero_http_request_duration_seconds_bucket{method="GET",route="/entities/:entity_id",le="0.0025"} 1`,
		`bordero_job_duration_seconds_bucket{kind="import_statement",result="done",le="0.25"} 1`,
		`bordero_imports_total{result="success"} 1`, `bordero_imports_total{result="error"} 0`,
		`bordero_periodic_task_last_success_timestamp_seconds{task="sum usage"} 1.`, // e+09
		`bordero_imported_transactions_total 12`, `bordero_changes_sealed_total 7`,
		`bordero_deliveries_total{outcome="failed"} 1`, `bordero_deliveries_total{outcome="delivered"} 0`,
		`bordero_build_info{goversion="go`, `go_goroutines `, `process_open_fds `)
}

func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	m := New("scheduler", Build{})
	m.Pool(func() Pool { return Pool{InUse: 2, Idle: 1, Max: 20, Waits: 4, Waited: 500 * time.Millisecond} })
	m.Redis(func(context.Context) Redis {
		return Redis{Ready: true, Used: 1 << 20, Max: 1 << 30, Open: 3, Idle: 1, Pushed: 7, Dropped: 2}
	})
	m.DueJobs(func(context.Context) ([]JobCount, error) {
		return []JobCount{
			{"sales", "price_sales", "waiting", 3, 4 * time.Second}, {"sales", "price_sales", "failed", 1, time.Hour},
			{"sales", "settle_sales", "running", 1, time.Minute},
		}, nil
	})
	m.UnsealedChanges(func(context.Context) (Unsealed, error) { return Unsealed{12, 90 * time.Second}, nil })
	m.BalanceProofs(func(context.Context) ([]ProofCount, error) {
		return []ProofCount{{"agrees", 7}, {"differs", 2}},
			nil
	})
	m.Ready(func(context.Context) map[string]bool { return map[string]bool{"all": true, "files": false} })
	m.FilesDisk(func() (free, size uint64, err error) { return 1 << 20, 1 << 30, nil })
	m.WebhooksInError(func(context.Context) (int64, error) { return 3, nil })
	m.Archive(func(context.Context) (Archive, error) { return Archive{true, true, time.Minute}, nil })
	shows(t, m,
		`bordero_ready{check="all"} 1`, `bordero_ready{check="files"} 0`,
		`bordero_files_free_bytes 1.048576e+06`, `bordero_files_size_bytes 1.073741824e+09`,
		`bordero_webhooks_in_error 3`, `bordero_archive_failing 1`, `bordero_archive_late_seconds 60`,
		`bordero_balance_proofs{status="agrees"} 7`, `bordero_balance_proofs{status="differs"} 2`,
		`bordero_balance_proofs{status="unknown"} 0`,
		`bordero_changes_unsealed 12`, `bordero_change_oldest_unsealed_seconds 90`,
		`bordero_database_connections{state="in_use"} 2`, `bordero_database_connections_max 20`,
		`bordero_database_wait_seconds_total 0.5`,
		`bordero_redis_ready 1`, `bordero_redis_connections{state="in_use"} 2`,
		`bordero_jobs_offered_total{outcome="dropped"} 2`,
		`bordero_jobs{kind="price_sales",queue="sales",state="waiting"} 3`,
		`bordero_jobs{kind="price_sales",queue="sales",state="failed"} 1`,
		`bordero_job_oldest_due_seconds{kind="price_sales",queue="sales"} 4`, `bordero_jobs_readable 1`,
		`bordero_job_oldest_running_seconds{kind="settle_sales",queue="sales"} 60`)
}

func TestWhatCannotBeReadIsReported(t *testing.T) {
	t.Parallel()
	m := New("scheduler", Build{})
	m.DueJobs(func(context.Context) ([]JobCount, error) { return []JobCount{{}}, errors.New("no database") })
	m.UnsealedChanges(func(context.Context) (Unsealed, error) { return Unsealed{}, errors.New("no database") })
	m.BalanceProofs(func(context.Context) ([]ProofCount, error) { return nil, errors.New("no database") })
	m.WebhooksInError(func(context.Context) (int64, error) { return 0, errors.New("no database") })
	m.Archive(func(context.Context) (Archive, error) { return Archive{}, errors.New("no database") })
	m.FilesDisk(func() (free, size uint64, err error) { return 0, 0, errors.New("no directory") })
	shows(t, m, `bordero_jobs_readable 0`, `bordero_build_info`)
	text := scrape(t, m)
	for _, unknown := range []string{"bordero_changes_unsealed", "bordero_balance_proofs", "bordero_webhooks",
		"bordero_archive", "bordero_files", "bordero_jobs{"} {
		if strings.Contains(text, unknown) {
			t.Errorf("%s is not known, and shown", unknown)
		}
	}
	empty := New("scheduler", Build{})
	empty.DueJobs(func(context.Context) ([]JobCount, error) { return nil, nil })
	shows(t, empty, `bordero_jobs_readable 1`)
}

func TestQueues(t *testing.T) {
	t.Parallel()
	if err := private.Install(t.Context(), func(s string) { t.Log(s) }, private.RedisPackage); err != nil {
		t.Fatal(err)
	}
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	server, err := private.StartRedis(t.Context(), dir, private.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	opt, err := asynq.ParseRedisURI(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	client, inspector := asynq.NewClient(opt), asynq.NewInspector(opt)
	t.Cleanup(func() { client.Close(); inspector.Close() })
	if _, err := client.EnqueueContext(t.Context(), asynq.NewTask("x", nil), asynq.Queue("sales")); err != nil {
		t.Fatal(err)
	}
	if err := inspector.PauseQueue("sales"); err != nil {
		t.Fatal(err)
	}
	m := New("scheduler", Build{})
	m.Queues(inspector, []string{"sales", "none"})
	shows(t, m, `bordero_queue_tasks{queue="sales",state="pending"} 1`,
		`bordero_queue_tasks{queue="sales",state="archived"} 0`,
		`bordero_queue_latency_seconds{queue="sales"} `, `bordero_queue_paused{queue="sales"} 1`)
}

func TestNoScrapeWaitsForAServerThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int32
		r := newReading(func(ctx context.Context) (int32, error) {
			n := reads.Add(1)
			if n > 1 {
				<-ctx.Done() // hangs until it is cancelled
			}
			return n, nil
		})
		for range 100 { // the first value is reused
			if v, ok := r.get(); v != 1 || !ok {
				t.Fatal(v, ok)
			}
		}
		time.Sleep(fresh)
		begun := time.Now()
		if v, ok := r.get(); ok || time.Since(begun) != patience {
			t.Errorf("%d, %v after %v", v, ok, time.Since(begun))
		}
		if reads.Load() != 2 {
			t.Errorf("%d reads", reads.Load())
		}
		time.Sleep(2 * patience)
	})
}
