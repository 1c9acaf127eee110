package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/testkit"

	"github.com/goccy/go-yaml"
)

// The processes provide all metrics that the dashboard and the alerts query.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	api, scheduler := s.Serve()
	worker, signer, courier := s.Worker(), s.Start("work", "signing").Ready(), s.Start("work", "webhooks").Ready()
	into := s.NewDepositAccount(t, "")
	s.Import(t, into, statementtest.OFX(10))
	if _, err := s.Upload(into, []byte("no statement")); err == nil {
		t.Error("a file that is none was taken")
	}
	s.Settled()
	if _, err := s.DB.ExecContext(t.Context(), `
		INSERT INTO jobs (kind, queue, due_at) VALUES ('price_sales', 'sales', now() - interval '1 h');
		INSERT INTO jobs (kind, queue, due_at, attempts, error)
			VALUES ('delete_cascade', 'deletions', now() + interval '1 h', 10, 'no such file');
		INSERT INTO jobs (kind, queue, due_at, leased_until, claimed_at)
			VALUES ('settle_sales', 'sales', now() - interval '3 h', now() + interval '1 h', now() - interval '2 h');
		INSERT INTO jobs (kind, queue, failed_at) VALUES ('price_sales', 'sales', now())`); err != nil {
		t.Fatal(err)
	}

	shown := map[string]string{}
	for _, p := range []*e2etest.Process{api, scheduler, worker, signer, courier} {
		shown[p.Name] = metricsOf(t, p)
		for _, want := range []string{`bordero_build_info{goversion="go`, `process="` + p.Name + `"`,
			"bordero_database_connections_max 20", "bordero_redis_ready 1"} {
			if !strings.Contains(shown[p.Name], want) {
				t.Errorf("%s does not show %s", p.Name, want)
			}
		}
	}
	all := shown["api"] + shown["scheduler"] + shown["work statements"] + shown["work signing"] + shown["work webhooks"]
	for _, want := range []string{
		`bordero_http_requests_total{method="POST",` +
			`route="/entities/:entity_id/deposit_accounts/:deposit_account_id/bank_statements",status="201"} 1`,
		`bordero_job_duration_seconds_count{kind="import_statement",result="done"} 1`,
		`bordero_imports_total{result="success"} 1`, `bordero_imported_transactions_total 10`,
		`bordero_job_oldest_due_seconds{kind="price_sales",queue="sales"} 36`,      // a little over 3600
		`bordero_job_oldest_running_seconds{kind="settle_sales",queue="sales"} 72`, // a little over 7200
		`bordero_jobs{kind="price_sales",queue="sales",state="failed"} 1`,
		`bordero_balance_proofs{status="agrees"} 1`, `bordero_balance_proofs{status="differs"} 0`,
		`bordero_ready{check="all"} 1`, `bordero_ready{check="postgres"} 1`, `bordero_ready{check="files"} 1`,
		`bordero_webhooks_in_error 0`, `bordero_files_free_bytes `, `bordero_files_size_bytes `,
		`bordero_queue_tasks{queue="statements",state="pending"} 0`,
	} {
		if !strings.Contains(all, "\n"+want) {
			t.Errorf("no process shows %s", want)
		}
	}
	for _, secret := range []string{s.Token, "Padaria", "ana@example.com"} {
		if strings.Contains(all, secret) {
			t.Errorf("the metrics show %q", secret)
		}
	}

	asked := append(dashboard(t), alerts(t)...)
	if len(asked) < 60 {
		t.Errorf("the dashboard and the alerts ask %d questions only", len(asked))
	}
	for _, question := range asked {
		for _, m := range selectors.FindAllStringSubmatch(question, -1) {
			name, labels := strings.TrimSuffix(m[1], "_total"), m[3]
			// The server of the tests has no archive; a backup is reported by node_exporter.
			if strings.HasPrefix(name, "bordero_archive_") || strings.HasPrefix(name, "bordero_backup_") {
				continue
			}
			series := regexp.MustCompile(`(?m)^`+name+`.*`).FindAllString(all, -1)
			if len(series) == 0 {
				t.Errorf("no process shows %s, which is asked for by %s", name, question)
			}
			for _, pair := range labelPairs.FindAllString(labels, -1) {
				given := strings.HasPrefix(pair, "process=") || strings.HasPrefix(pair, "job=") // by prometheus.yml
				if !given && !strings.Contains(strings.Join(series, "\n"), pair) {
					t.Errorf("no %s has %s, which is asked for by %s", name, pair, question)
				}
			}
		}
	}
}

// A scrape takes seconds, not minutes, while a server hangs, and shows which.
func TestMetricsOfAHang(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	worker := s.Worker()
	s.Freeze()
	// the last report counts for a moment
	testkit.Eventually(t, "the worker is not ready, for want of Redis", func() bool {
		began := time.Now()
		shown := metricsOf(t, worker)
		if took := time.Since(began); took > 8*time.Second { // Prometheus waits for 10
			t.Fatalf("a scrape took %v", took)
		}
		return !slices.ContainsFunc([]string{
			`bordero_ready{check="redis"} 0`, `bordero_ready{check="all"} 0`, `bordero_ready{check="postgres"} 1`,
			"bordero_redis_ready 0",
		}, func(want string) bool { return !strings.Contains(shown, "\n"+want) })
	})
	s.Thaw() // or the worker's end waits for it
}

var (
	selectors  = regexp.MustCompile(`\b((bordero|go|process)_[a-z_]+)(?:\{([^}]*)\})?`)
	labelPairs = regexp.MustCompile(`\w+="[^"$]*"`)
)

func metricsOf(t *testing.T, p *e2etest.Process) string {
	t.Helper()
	answer, err := http.Get(p.Ops + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status, err)
	}
	return "\n" + string(text)
}

// dashboard lists the queries of the panels.
func dashboard(t *testing.T) (questions []string) {
	t.Helper()
	content, err := os.ReadFile("../deploy/grafana/bordero.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		UID, Title string
		Panels     []struct {
			ID          int
			Type, Title string
			Targets     []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(content, &board); err != nil {
		t.Fatal(err)
	}
	var ids []int
	for _, p := range board.Panels {
		if slices.Contains(ids, p.ID) || p.Title == "" || p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %+v", p)
		}
		ids = append(ids, p.ID)
		for _, target := range p.Targets {
			questions = append(questions, target.Expr)
		}
	}
	return questions
}

// alerts lists the queries of the rules. deploy/manifests tests the rest of them.
func alerts(t *testing.T) (questions []string) {
	t.Helper()
	content, err := os.ReadFile("../deploy/prometheus/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	var rules struct {
		Groups []struct{ Rules []struct{ Expr string } }
	}
	if err := yaml.Unmarshal(content, &rules); err != nil {
		t.Fatal(err)
	}
	for _, group := range rules.Groups {
		for _, r := range group.Rules {
			questions = append(questions, r.Expr)
		}
	}
	return questions
}
