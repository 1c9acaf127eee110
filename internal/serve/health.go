package serve

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"bordero/internal/logging"
)

// State is the state of a dependency, or of the whole process.
type State string

// Degraded means able to serve, but slower, late or at risk.
const (
	OK       State = "ok"
	Degraded State = "degraded"
	Down     State = "down"
)

// Check checks one dependency.
type Check struct {
	Name     string // in /readyz, such as postgres
	Required bool   // while it is down the process is not ready; otherwise down counts as degraded
	// Probe returns the state and, in a few words, the reason unless it is OK, or a remark.
	// Without an answer within 2 s the dependency counts as down.
	Probe func(ctx context.Context) (state State, detail string)
}

// Health serves /healthz and /readyz.
type Health struct {
	checks   []Check
	stopping atomic.Bool

	mu    sync.Mutex // one round of probes at a time
	last  report
	asked time.Time
}

type report struct {
	Status State            `json:"status"`
	Detail string           `json:"detail,omitempty"`
	Checks map[string]entry `json:"checks"`
}

type entry struct {
	Status State  `json:"status"`
	Detail string `json:"detail,omitempty"`
}

// bare returns the report without reasons.
func (r report) bare() report {
	bare := report{Status: r.Status, Checks: map[string]entry{}}
	for name, e := range r.Checks {
		bare.Checks[name] = entry{Status: e.Status}
	}
	return bare
}

// NewHealth returns a Health that runs the checks when it is queried.
func NewHealth(checks ...Check) *Health { return &Health{checks: checks} }

// Handler serves /healthz, /readyz and /metrics, for an ops listener.
func (h *Health) Handler(metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", h.Live())
	mux.Handle("GET /readyz", h.ready(true))
	mux.Handle("GET /metrics", metrics)
	return mux
}

// Live answers 200 as long as the process can answer at all.
func (h *Health) Live() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]State{"status": OK})
	})
}

// Ready answers with the state of each check: 200 if the process can do its work, 503 if a
// required dependency is down or the process is stopping. The answer is public and omits
// the reasons, which could reveal internal addresses.
func (h *Health) Ready() http.Handler { return h.ready(false) }

// ready answers as Ready does, with the reasons if wanted.
func (h *Health) ready(reasons bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		report := h.report(r.Context())
		if !reasons {
			report = report.bare()
		}
		status := http.StatusOK
		if report.Status == Down {
			status = http.StatusServiceUnavailable
		}
		answer(w, status, report)
	})
}

// Passing reports for each check, by its name, whether it is OK, and under "all" whether the process is
// ready. It takes about 2 s at most, as /readyz does.
func (h *Health) Passing(ctx context.Context) map[string]bool {
	report := h.report(ctx)
	passing := map[string]bool{"all": report.Status != Down}
	for name, e := range report.Checks {
		passing[name] = e.Status == OK
	}
	return passing
}

func (h *Health) stop() { h.stopping.Store(true) }

// tellUntilReady logs why a process is not ready: each cause when it is seen first, and again a minute later. It first
// gives the process two seconds: in a new installation, the file store is marked meanwhile.
func (h *Health) tellUntilReady(ctx context.Context, log *slog.Logger) {
	var causes logging.Causes
	for pause := 2 * time.Second; ; pause = time.Second {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		report := h.probed(ctx)
		if ctx.Err() != nil {
			return
		}
		if report.Status != Down {
			if causes.Any() {
				log.Info("ready")
			}
			return
		}
		for _, name := range slices.Sorted(maps.Keys(report.Checks)) {
			e := report.Checks[name]
			if e.Status == Down && causes.Due(name+" "+e.Detail) {
				log.Warn("not ready", "check", name, "reason", e.Detail)
			}
		}
	}
}

// report returns the findings of the last probes, unless the process is stopping.
func (h *Health) report(ctx context.Context) report {
	report := h.probed(ctx)
	if h.stopping.Load() {
		report.Status, report.Detail = Down, "shutting down"
	}
	return report
}

// probed caches its result for a moment: the endpoint is public and must not cost a query
// each time.
func (h *Health) probed(ctx context.Context) report {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.asked) > 250*time.Millisecond {
		// Other requests use the answer too, so this request's end must not cancel the
		// checks.
		h.last = h.probe(context.WithoutCancel(ctx))
		h.asked = time.Now()
	}
	return h.last
}

// probe runs all checks at once, so that the slowest bounds the answer.
func (h *Health) probe(ctx context.Context) report {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	entries := make([]chan entry, len(h.checks))
	for i, check := range h.checks {
		answered := make(chan entry, 1)
		entries[i] = answered
		go func() {
			state, detail := check.Probe(ctx)
			answered <- entry{state, credentials.ReplaceAllString(detail, "://")}
		}()
	}
	all := report{Status: OK, Checks: map[string]entry{}}
	for i, check := range h.checks {
		var e entry
		select {
		case e = <-entries[i]:
		case <-ctx.Done():
			select {
			case e = <-entries[i]: // it has answered while an earlier one did not
			default:
				e = entry{Down, "no answer in time"}
			}
		}
		if e.Status == Down && !check.Required {
			e.Status = Degraded
		}
		all.Checks[check.Name] = e
		all.Status = worse(all.Status, e.Status)
	}
	return all
}

// credentials matches the credentials of a URL, which an error of a driver may quote.
var credentials = regexp.MustCompile(`://[^/\s]*@`)

func worse(a, b State) State {
	for _, s := range []State{Down, Degraded} {
		if a == s || b == s {
			return s
		}
	}
	return OK
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}
