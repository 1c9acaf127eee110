package monitor

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"bordero/internal/metrics"
)

//go:embed *.html
var pages embed.FS

var templates = template.Must(template.ParseFS(pages, "*.html"))

// page is the data of overview.html, which has no script.
type page struct {
	Self, Queues, LogOut, Retry string
	User, CSRF, Note, Now       string
	ReadOnly                    bool
	Tiles                       []tile
	Charts                      []chart
	Sections                    []*section
}

type tile struct {
	Name, Value string
	Bad         bool
}

// section is a table, or a sentence if the table is empty.
type section struct {
	ID, Title, None, More string
	Columns               []column
	Rows                  []row
	Broken                bool // the data could not be read
}

type column struct {
	Name         string
	Number, Wide bool
}

type row struct {
	Cells []cell
	Retry int64 // the job that the row's button retries; 0 for none
}

type cell struct {
	Text string
	Bad  bool
}

// texts returns the cells of a row.
func texts(values ...any) (cells []cell) {
	for _, v := range values {
		cells = append(cells, cell{Text: fmt.Sprint(v)})
	}
	return cells
}

// showOverview serves the page with what the queues alone do not show.
func (m *Monitor) showOverview(w http.ResponseWriter, r *http.Request, s session) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	p := page{
		Self: overview, Queues: root, LogOut: logout, Retry: retry, User: s.user.Name, ReadOnly: s.user.ReadOnly, CSRF: s.csrf,
		Note: note(r.URL.Query()), Now: time.Now().Format("15:04:05 MST"), Charts: charts(m.samples.list()),
	}
	sections := []struct {
		section
		fill func(context.Context, *section) error
	}{
		{section{ID: "jobs", Title: "Jobs", None: "Nothing waits and nothing has failed."}, func(ctx context.Context, s *section) error { return m.fillJobs(ctx, &p, s) }},
		{section{ID: "failures", Title: "Failures", None: "No job has failed for good."}, func(ctx context.Context, t *section) error { return m.fillFailures(ctx, s, t) }},
		{section{ID: "webhooks", Title: "Deliveries", None: "No webhook is in error or has anything to deliver."}, m.fillWebhooks},
		{section{ID: "imports", Title: "Imports in progress", None: "No statement is being imported."}, m.fillImports},
		{section{ID: "deletions", Title: "Deletions in progress", None: "Nothing is being deleted."}, m.fillDeletions},
	}
	var reading sync.WaitGroup
	for i := range sections {
		one := &sections[i]
		p.Sections = append(p.Sections, &one.section)
		reading.Go(func() {
			if err := one.fill(ctx, &one.section); err != nil {
				one.Broken = true
				m.log.Warn("section of the overview failed", "section", one.ID, "error", err)
			}
		})
	}
	reading.Wait()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = templates.ExecuteTemplate(w, "overview.html", p) // the client may be gone
}

// note describes the result of a button.
func note(query url.Values) string {
	if id, err := strconv.ParseInt(query.Get("retried"), 10, 64); err == nil {
		return fmt.Sprintf("Job %d will be retried.", id)
	}
	if id, err := strconv.ParseInt(query.Get("missing"), 10, 64); err == nil {
		return fmt.Sprintf("No failed job %d: it is being retried, or done.", id)
	}
	return ""
}

// fillJobs also sets the tiles.
func (m *Monitor) fillJobs(ctx context.Context, p *page, s *section) error {
	counts, err := m.watch.Jobs(ctx)
	if err != nil {
		return err
	}
	s.Columns = []column{{Name: "Kind"}, {Name: "Queue"}, {Name: "Waiting", Number: true}, {Name: "Running", Number: true}, {Name: "Later", Number: true}, {Name: "Failed", Number: true}, {Name: "Oldest due", Number: true}}
	total, kinds := map[string]int64{}, []string{}
	byKind := map[string]map[string]metrics.JobCount{}
	oldest := time.Duration(0)
	for _, c := range counts {
		total[c.State] += c.Count
		if byKind[c.Kind] == nil {
			byKind[c.Kind], kinds = map[string]metrics.JobCount{}, append(kinds, c.Kind)
		}
		byKind[c.Kind][c.State] = c
		if c.State == "waiting" {
			oldest = max(oldest, c.Oldest)
		}
	}
	for _, kind := range kinds {
		of, queue := byKind[kind], ""
		for _, c := range of {
			queue = c.Queue
		}
		waits := ""
		if of["waiting"].Count > 0 {
			waits = age(of["waiting"].Oldest)
		}
		cells := texts(kind, queue, of["waiting"].Count, of["running"].Count, of["later"].Count, of["failed"].Count, waits)
		cells[5].Bad = of["failed"].Count > 0
		s.Rows = append(s.Rows, row{Cells: cells})
	}
	p.Tiles = []tile{
		{Name: "Waiting", Value: fmt.Sprint(total["waiting"])}, {Name: "Running", Value: fmt.Sprint(total["running"])},
		{Name: "Later", Value: fmt.Sprint(total["later"])}, {Name: "Failed", Value: fmt.Sprint(total["failed"]), Bad: total["failed"] > 0},
		{Name: "Oldest due", Value: age(oldest), Bad: oldest > 5*time.Minute},
	}
	s.More = "Counted up to 10,000 of a queue and state."
	return nil
}

func (m *Monitor) fillFailures(ctx context.Context, who session, s *section) error {
	failed, err := m.watch.Failed(ctx)
	s.Columns = []column{{Name: "Job", Number: true}, {Name: "Kind"}, {Name: "Account", Number: true}, {Name: "Attempts", Number: true}, {Name: "Failed"}, {Name: "Error", Wide: true}}
	if !who.user.ReadOnly {
		s.Columns = append(s.Columns, column{})
	}
	for _, j := range failed {
		r := row{Cells: texts(j.ID, j.Kind, j.AccountID, j.Attempts, age(time.Since(j.FailedAt))+" ago", j.Error)}
		if !who.user.ReadOnly {
			r.Retry = j.ID
		}
		s.Rows = append(s.Rows, r)
	}
	return err
}

func (m *Monitor) fillWebhooks(ctx context.Context, s *section) error {
	hooks, err := m.watch.Webhooks(ctx)
	s.Columns = []column{{Name: "Account", Number: true}, {Name: "Webhook", Number: true}, {Name: "Status"}, {Name: "Pending", Number: true}, {Name: "Held", Number: true}, {Name: "Failed", Number: true}, {Name: "Delivered", Number: true}}
	for _, h := range hooks {
		cells := texts(h.AccountID, h.WebhookID, h.Status, h.Pending, h.Held, h.Failed, h.Delivered)
		cells[2].Bad, cells[5].Bad = h.Status != "active", h.Failed > 0
		s.Rows = append(s.Rows, row{Cells: cells})
	}
	s.More = "Webhooks in error, and those with something to deliver. Of each the newest 1,000 deliveries are counted."
	return err
}

func (m *Monitor) fillImports(ctx context.Context, s *section) error {
	imports, err := m.watch.Imports(ctx)
	s.Columns = []column{{Name: "Account", Number: true}, {Name: "Statement", Number: true}, {Name: "Status"}, {Name: "Size", Number: true}, {Name: "Since"}}
	for _, i := range imports {
		s.Rows = append(s.Rows, row{Cells: texts(i.AccountID, i.BankStatementID, i.Status, fmt.Sprintf("%.1f kB", float64(i.Bytes)/1000), age(time.Since(i.Since)))})
	}
	return err
}

func (m *Monitor) fillDeletions(ctx context.Context, s *section) error {
	deletions, err := m.watch.Deletions(ctx)
	s.Columns = []column{{Name: "Account", Number: true}, {Name: "What"}, {Name: "Id", Number: true}, {Name: "Rows removed", Number: true}, {Name: "Left, about", Number: true}, {Name: "Since"}}
	for _, d := range deletions {
		s.Rows = append(s.Rows, row{Cells: texts(d.AccountID, strings.ReplaceAll(d.Root, "_", " "), d.ID, d.Removed, d.Left, age(time.Since(d.Since)))})
	}
	return err
}

// retryJob makes a failed job due again, if the user may and the form is genuine.
func (m *Monitor) retryJob(w http.ResponseWriter, r *http.Request, s session) {
	r.Body = http.MaxBytesReader(w, r.Body, 4096)
	if !s.meant(r.PostFormValue("csrf")) {
		http.Error(w, "this form is not from your session: reload the page", http.StatusForbidden)
		return
	}
	id, err := strconv.ParseInt(r.PostFormValue("id"), 10, 64)
	if err != nil {
		http.Error(w, "id must be the number of a job", http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	found, err := m.watch.Retry(ctx, id)
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		m.log.Error("job not retried", "job_id", id, "error", err)
		http.Error(w, "the job could not be changed: PostgreSQL does not answer", http.StatusServiceUnavailable)
	case !found:
		http.Redirect(w, r, fmt.Sprintf("%s?missing=%d", overview, id), http.StatusSeeOther)
	default:
		m.log.Info("job retried", "job_id", id, "user", s.user.Name)
		http.Redirect(w, r, fmt.Sprintf("%s?retried=%d", overview, id), http.StatusSeeOther)
	}
}
