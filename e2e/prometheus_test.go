package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/deploy/private/process"
	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
)

// installPrometheus installs Debian's package, which has promtool too.
func installPrometheus(t *testing.T) {
	t.Helper()
	if err := private.Install(t.Context(), func(s string) { t.Log(s) }, "prometheus"); err != nil {
		t.Fatal(err)
	}
}

// prometheus is a real one that scrapes the processes of a site by the shipped configuration.
type prometheus struct {
	url       string
	ops       map[string]string // the ops address of each process by its name, which the configuration gives
	textfiles string            // the directory that its node_exporter reads
	t         *testing.T
	out       *e2etest.Output
}

var (
	target    = regexp.MustCompile(`targets: \["127\.0\.0\.1:\d+"\], labels: \{process: ([^}]+)\}`)
	waits     = regexp.MustCompile(`for: \d+[mh]`)
	windows   = regexp.MustCompile(`\[\d+[mh]\]`)
	intervals = regexp.MustCompile(`_interval: 15s`)
)

// startPrometheus starts Prometheus with the addresses of a site. Times are shortened; monitor is the address of
// the monitor, and second the ops address of a second API.
func startPrometheus(t *testing.T, monitor, second string) *prometheus {
	t.Helper()
	p := &prometheus{ops: map[string]string{}, textfiles: t.TempDir(), t: t, out: &e2etest.Output{}}
	exporter := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		files, _ := filepath.Glob(filepath.Join(p.textfiles, "*.prom")) // as node_exporter does
		for _, f := range files {
			content, _ := os.ReadFile(f) // it may just have gone
			_, _ = w.Write(content)
		}
	}))
	t.Cleanup(exporter.Close)
	config := target.ReplaceAllStringFunc(shipped(t, "prometheus.yml"), func(line string) string {
		name := target.FindStringSubmatch(line)[1]
		p.ops[name] = e2etest.Loopback()
		targets := p.ops[name]
		if name == "api" {
			targets += `", "` + second
		}
		return fmt.Sprintf(`targets: ["%s"], labels: {process: %s}`, targets, name)
	})
	if len(p.ops) != 9 {
		t.Fatalf("prometheus.yml scrapes %v", p.ops)
	}
	config = intervals.ReplaceAllString(config, "_interval: 2s")
	config = strings.NewReplacer("127.0.0.1:9393", e2etest.Loopback(), "127.0.0.1:9100",
		exporter.Listener.Addr().String(), "127.0.0.1:8081", monitor).Replace(config)
	rules := waits.ReplaceAllString(shipped(t, "alerts.yml"), "for: 2s")
	rules = strings.NewReplacer("offset 1h", "offset 20s", "> 900", "> 3").Replace(windows.ReplaceAllString(rules,
		"[20s]"))
	dir := t.TempDir()
	for name, content := range map[string]string{"prometheus.yml": config, "alerts.yml": rules} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	address := e2etest.Loopback()
	p.url = "http://" + address
	// ended below
	cmd := exec.Command("prometheus", "--config.file="+dir+"/prometheus.yml", "--storage.tsdb.path="+dir+"/data",
		"--web.listen-address="+address)
	cmd.Stdout, cmd.Stderr = p.out, p.out
	server, err := process.Start(cmd, syscall.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Stop(context.Background(), syscall.SIGTERM)
		if t.Failed() {
			t.Logf("Prometheus said:\n%s", p.out)
		}
	})
	return p
}

func shipped(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../deploy/prometheus", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// alert is a firing alert as the API of Prometheus shows it.
type alert struct {
	State               string
	Labels, Annotations map[string]string
}

// String is the name with the label that tells apart several of one name.
func (a alert) String() string {
	return strings.TrimSpace(a.Labels["alertname"] + " " + strings.TrimSpace(a.Labels["process"]+" "+a.Labels["check"]))
}

// firing returns the alerts that fire.
func (p *prometheus) firing() (all []alert) {
	p.t.Helper()
	answer, err := http.Get(p.url + "/api/v1/alerts")
	if err != nil {
		return nil // it is starting
	}
	defer answer.Body.Close()
	var said struct{ Data struct{ Alerts []alert } }
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil {
		return nil
	}
	return slices.DeleteFunc(said.Data.Alerts, func(a alert) bool { return a.State != "firing" })
}

// await waits until a query has a result.
func (p *prometheus) await(query string) {
	p.t.Helper()
	testkit.Eventually(p.t, query, func() bool {
		answer, err := http.Get(p.url + "/api/v1/query?query=" + url.QueryEscape(query))
		if err != nil {
			return false // it is starting
		}
		defer answer.Body.Close()
		var said struct{ Data struct{ Result []any } }
		return json.NewDecoder(answer.Body).Decode(&said) == nil && len(said.Data.Result) > 0
	})
}

// fire waits until all the alerts fire, and returns the seconds that each took.
func (p *prometheus) fire(want ...string) map[string]int {
	p.t.Helper()
	began, took := time.Now(), map[string]int{}
	testkit.Eventually(p.t, "alerts fire", func() bool {
		for _, a := range p.firing() {
			if _, seen := took[a.String()]; !seen {
				took[a.String()] = int(time.Since(began).Seconds())
			}
		}
		return !slices.ContainsFunc(want, func(w string) bool { _, fired := took[w]; return !fired })
	}, func() string { return fmt.Sprintf("wanted %v, fired %v", want, took) })
	return took
}

// quiet waits until no alert fires, and returns the seconds that it took.
func (p *prometheus) quiet() int {
	p.t.Helper()
	began := time.Now()
	testkit.Eventually(p.t, "no alert fires", func() bool { return len(p.firing()) == 0 }, func() string {
		return fmt.Sprint(p.firing())
	})
	return int(time.Since(began).Seconds())
}
