package monitor

import (
	"context"
	"embed"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"sync"
	"time"

	"bordero/internal/panics"
)

//go:embed *.html
var pages embed.FS

var templates = template.Must(template.ParseFS(pages, "*.html"))

// header is the data of header.html.
type header struct {
	Pages    []choice
	LogOut   string
	User     string
	ReadOnly bool
}

// headerOf returns the header of the page at a path.
func headerOf(path string, s session) header {
	h := header{LogOut: logout, User: s.user.Name, ReadOnly: s.user.ReadOnly}
	for _, c := range []choice{{Name: "Overview", URL: overview}, {Name: "Finished jobs", URL: finishedJobs},
		{Name: "Audit", URL: audit}, {Name: "Runbook", URL: runbook}, {Name: "Queues in Redis", URL: root}} {
		c.Chosen = c.URL == path
		h.Pages = append(h.Pages, c)
	}
	return h
}

// page is the data of overview.html, which has no script.
type page struct {
	header
	Note, Now string
	Self      string   // the address that the page reloads; empty if it does not reload
	Reload    choice   // the same page, which reloads if this one does not
	Zone      string   // of all times
	Alerts    []string // the faults that stop jobs and changes
	Tiles     []tile
	Ranges    []choice
	Charts    []chart
	Sections  []*section
}

// tile is a cell above the tables.
type tile struct {
	Name string
	cell
}

// choice is a link to a page, or to the overview with another range of time in its charts.
type choice struct {
	Name, URL string
	Chosen    bool
}

// section is a table, or a sentence if the table is empty.
type section struct {
	ID, Title, None, More string
	Columns               []column
	Rows                  []row
	Bulk                  []bulk
	Alerts                []string // for the top of the page
	Broken                string   // why the data could not be read; empty if the data is complete
}

type column struct {
	Name         string
	Number, Wide bool
}

type row struct {
	Cells   []cell
	Buttons []button
}

// bulk is a line of buttons for several rows.
type bulk struct {
	Text    string
	Buttons []button
}

// button is a form that posts the fields.
type button struct {
	Action, Label string
	Of            string // the record, which a screen reader reads after the label: other buttons have the same label
	Fields        map[string]string
	Quiet         bool // drawn less prominently: most operators want another button
}

type cell struct {
	Text string
	More string // a second, quieter line
	Bad  bool
	URL  string // of the list behind a count; may be empty
}

// texts returns the cells of a row.
func texts(values ...any) (cells []cell) {
	for _, v := range values {
		if c, ok := v.(cell); ok {
			cells = append(cells, c)
			continue
		}
		cells = append(cells, cell{Text: fmt.Sprint(v)})
	}
	return cells
}

// showOverview serves the page of the jobs in PostgreSQL and of the failures, which Redis does not have.
func (m *Monitor) showOverview(w http.ResponseWriter, r *http.Request, s session) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	shown, reload := m.samples.of(r.FormValue("range")), r.FormValue("reload")
	p := page{
		header: headerOf(overview, s), Self: address(shown.name, ""),
		Reload: choice{Name: "Stop reloading", URL: address(shown.name, off)},
		Note:   note(r.URL.Query()), Now: time.Now().In(m.zone).Format("15:04:05"), Zone: m.zone.String(),
		Charts: charts(shown.list(), m.zone),
	}
	if reload == off {
		p.Self, p.Reload = "", choice{Name: "Reload every 10 s", URL: p.Self}
	}
	for _, one := range m.samples.ranges {
		p.Ranges = append(p.Ranges, choice{one.title, address(one.name, reload), one == shown})
	}
	m.fill(ctx, &p)
	for _, one := range p.Sections {
		one.allow(s, map[string]string{"csrf": s.csrf, "range": shown.name, "reload": reload})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = templates.ExecuteTemplate(w, "overview.html", p) // the client may be gone
}

// off is the parameter reload of an overview that does not reload: a reader may need more than ten seconds, and each
// reload takes the focus and the place.
const off = "off"

// address returns the address of the overview with a range of time in its charts.
func address(span, reload string) string {
	if reload == off {
		return overview + "?range=" + span + "&reload=off"
	}
	return overview + "?range=" + span
}

// fill reads all sections at once. A section that cannot be read does not affect the others.
func (m *Monitor) fill(ctx context.Context, p *page) {
	const broken = "This cannot be read at the moment."
	sections := []filledSection{
		{section{ID: "queues", Title: "Queues", Broken: "Redis does not answer. Which queues are paused, and which " +
			"have workers, is not known."},
			m.fillQueues},
		{section{ID: "jobs", Title: "Jobs", None: "Nothing waits and nothing has failed.", Broken: broken},
			func(ctx context.Context, s *section) error { return m.fillJobs(ctx, p, s) }},
		{section{ID: "changes", Title: "Changes without a number", None: "All changes have a number.", Broken: broken},
			m.fillUnsealed},
		{section{ID: "proofs", Title: "Balances", None: "No statement has stated a balance.", Broken: broken},
			m.fillProofs},
		{section{ID: "differs", Title: "Balances that differ", None: "No newest balance differs.", Broken: broken},
			m.fillDiffering},
		{section{ID: "failures", Title: "Failures", None: "No job has failed for good.", Broken: broken},
			m.fillFailures},
		{section{ID: "webhooks", Title: "Webhooks", None: "No webhook is in error or has anything to deliver.",
			Broken: broken}, m.fillWebhooks},
		{section{ID: "imports", Title: "Imports in progress", None: "No statement is being imported.", Broken: broken},
			m.fillImports},
		{section{ID: "deletions", Title: "Deletions in progress", None: "Nothing is being deleted.", Broken: broken},
			m.fillDeletions},
		{section{ID: "sizes", Title: "Largest accounts", None: "No account was counted yet.", Broken: broken},
			m.fillSizes},
		{section{ID: "quotas", Title: "Quotas nearly used", None: "No account uses four fifths of a quota.",
			Broken: broken}, m.fillQuotas},
	}
	p.Sections = m.read(ctx, sections)
	for _, one := range p.Sections {
		p.Alerts = append(p.Alerts, one.Alerts...)
	}
}

// filledSection is a section with the function that reads its rows. Broken is what the page shows if that fails.
type filledSection struct {
	section
	fill func(context.Context, *section) error
}

// read reads the sections at once, each apart from the others.
func (m *Monitor) read(ctx context.Context, sections []filledSection) (all []*section) {
	var reading sync.WaitGroup
	for i := range sections {
		one := &sections[i]
		all = append(all, &one.section)
		reading.Go(func() {
			err := panics.Caught(m.log, "section of the monitor panicked", func() error {
				return one.fill(ctx, &one.section)
			})
			if err != nil {
				m.log.Warn("section of the monitor failed", "section", one.ID, "error", err)
				return
			}
			one.Broken = ""
		})
	}
	reading.Wait()
	return all
}

// allow adds fields to the forms of the buttons; a read-only user gets no buttons.
func (one *section) allow(s session, fields map[string]string) {
	if s.user.ReadOnly {
		one.Bulk = nil
	}
	for i := range one.Rows {
		if s.user.ReadOnly {
			one.Rows[i].Buttons = nil
		}
		for _, b := range one.Rows[i].Buttons {
			maps.Copy(b.Fields, fields)
		}
	}
	for _, line := range one.Bulk {
		for _, b := range line.Buttons {
			maps.Copy(b.Fields, fields)
		}
	}
}
