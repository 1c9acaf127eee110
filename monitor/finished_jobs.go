package monitor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"bordero/internal/outgoing"
	"bordero/storage"
	"bordero/storage/operators"
)

// finishedJobsPage is the data of finished_jobs.html, which has no script.
type finishedJobsPage struct {
	header
	Fields   []field
	Wrong    []string   // the faults of the search
	Sections []*section // what the search finds; without a search, the last hour
	Newest   string     // URL of the first page; empty on the first page
	Older    string     // URL of the next page; empty on the last
	Zone     string
}

// runSearch is a search in the finished jobs of an account.
type runSearch struct {
	operators.FinishedJobSearch
	account int64
}

// showFinishedJobs serves the runs of an account that a search finds, and without a search the busiest accounts and
// the slowest endpoints of the last hour.
func (m *Monitor) showFinishedJobs(w http.ResponseWriter, r *http.Request, s session) {
	ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
	defer cancel()
	asked := r.URL.Query()
	p := finishedJobsPage{header: headerOf(finishedJobs, s), Fields: runFields(asked), Zone: m.zone.String()}
	status := http.StatusOK
	if len(asked) > 0 {
		status = m.fillFinishedJobs(ctx, &p, asked)
	} else {
		const broken = "This cannot be read at the moment."
		p.Sections = m.read(ctx, []filledSection{
			{section{ID: "accounts", Title: "Busiest accounts of the last hour", None: "No job has ended.",
				Broken: broken}, m.fillBusyAccounts},
			{section{ID: "endpoints", Title: "Slowest webhook endpoints of the last hour",
				None:   "Nothing was delivered.",
				Broken: broken}, m.fillSlowEndpoints},
		})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = templates.ExecuteTemplate(w, "finished_jobs.html", p) // the client may be gone
}

// fillFinishedJobs searches, and returns the status of the answer.
func (m *Monitor) fillFinishedJobs(ctx context.Context, p *finishedJobsPage, asked url.Values) int {
	search, wrong := m.runSearch(asked)
	if p.Wrong = wrong; len(wrong) > 0 {
		return http.StatusUnprocessableEntity
	}
	name, err := operators.AccountName(ctx, m.store.Queries, search.account)
	if err != nil && !errors.Is(err, storage.ErrNotFound) { // the jobs of a deleted account are found too
		return m.unread(p, err)
	}
	found, next, err := operators.FinishedJobs(ctx, m.store.Queries, search.account, search.FinishedJobSearch, listed)
	if err != nil {
		return m.unread(p, err)
	}
	title := fmt.Sprintf("Finished jobs of account %d", search.account)
	if name != "" {
		title += ", " + name
	}
	s := &section{ID: "found", Title: title, None: "No job that ended in the last seven days fits the search.",
		Columns: []column{{Name: "Ended"}, {Name: "Job", Wide: true}, {Name: "Record", Number: true},
			{Name: "Result", Wide: true},
			{Name: "Due"}, {Name: "Waited", Number: true}, {Name: "Worked", Number: true},
			{Name: "In all", Number: true}, {Name: "Attempts", Number: true}, {Name: "Request", Wide: true}}}
	for _, j := range found {
		s.Rows = append(s.Rows, row{Cells: m.runCells(search.account, j)})
	}
	p.Sections = []*section{s}
	if !search.Before.EndedAt.IsZero() {
		p.Newest = searchURL(finishedJobs, p.Fields, "")
	}
	if next != nil {
		p.Older = searchURL(finishedJobs, p.Fields,
			fmt.Sprintf("%d.%d", next.EndedAt.UnixMicro(), next.ID))
		s.None = "None of the last 5,000 jobs that were looked at fits the search. Older ones may."
	}
	if search.Kind != "" && !slices.Contains(m.jobKinds, search.Kind) { // no fault: another release may have run it
		s.None += fmt.Sprintf(" This release has no kind %s. It has %s.", search.Kind, strings.Join(m.jobKinds, ", "))
	}
	return http.StatusOK
}

// unread says on the page that the search failed.
func (m *Monitor) unread(p *finishedJobsPage, err error) int {
	m.log.Warn("search of finished jobs failed", "error", err)
	p.Sections = []*section{{ID: "found", Title: "Finished jobs", Broken: searchBroken}}
	return http.StatusServiceUnavailable
}

// runCells returns the cells of a run: its end, job, record, result, times, attempts and request.
func (m *Monitor) runCells(account int64, j operators.FinishedJob) []cell {
	kind := cell{Text: j.Kind, More: fmt.Sprintf("job %d", j.ID)}
	if j.Jobs > 1 {
		kind.More += fmt.Sprintf(" and %d more in one run", j.Jobs-1)
	}
	record := cell{}
	if j.RecordID != 0 {
		asked := url.Values{"account_id": {fmt.Sprint(account)}, "kind": {j.Kind},
			"record_id": {fmt.Sprint(j.RecordID)}}
		record = cell{Text: fmt.Sprint(j.RecordID), URL: finishedJobs + "?" + asked.Encode()}
	}
	due := cell{Text: "not known", More: "created " + m.clock(j.CreatedAt)}
	if j.FirstDueAt != nil {
		due.Text = m.clock(*j.FirstDueAt)
	}
	request := cell{}
	if j.RequestID != "" {
		asked := url.Values{"account_id": {fmt.Sprint(account)}, "request_id": {j.RequestID}}
		request = cell{Text: j.RequestID, URL: audit + "?" + asked.Encode()}
	}
	return texts(m.clock(j.EndedAt), kind, record,
		cell{Text: j.Result, More: j.Error, Bad: j.Result == "failed"}, due, between(j.FirstDueAt, j.StartedAt),
		between(j.ClaimedAt, &j.EndedAt), between(&j.CreatedAt, &j.EndedAt), j.Attempts, request)
}

// between formats the time from one moment to another, or says that a moment is not known.
func between(from, to *time.Time) string {
	if from == nil || to == nil {
		return "not known"
	}
	return took(to.Sub(*from))
}

// took is age, with tenths of seconds and milliseconds of short times.
func took(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return age(d)
}

// runFields returns the inputs of the search, with the values that were entered.
func runFields(asked url.Values) []field {
	return filled(asked, []field{
		{Name: "account_id", Label: "Account", Hint: "1"},
		{Name: "kind", Label: "Kind", Hint: "import_statement"},
		{Name: "record_id", Label: "Record", Hint: "the id of a record"},
		{Name: "result", Label: "Result", Hint: "done or failed"},
		{Name: "since", Label: "Since", Type: "datetime-local"},
		{Name: "until", Label: "Until", Type: "datetime-local"},
	})
}

// runSearch reads a search, and returns its faults.
func (m *Monitor) runSearch(asked url.Values) (s runSearch, wrong []string) {
	in := m.inputs(asked)
	s.account, s.RecordID = in.account(), in.id("record_id", "Record")
	s.Kind, s.Result = in.word("kind", "Kind"), in.word("result", "Result")
	s.Since, s.Until = in.when("since", "Since"), in.when("until", "Until")
	if s.Result != "" && s.Result != "done" && s.Result != "failed" {
		in.fault("Result: %q is not a result. Write done or failed.", s.Result)
	}
	if before := in.text("before"); before != "" {
		at, id, _ := strings.Cut(before, ".")
		micros, err := strconv.ParseInt(at, 10, 64)
		place, errID := strconv.ParseInt(id, 10, 64)
		if err != nil || errID != nil || micros < 1 || micros > maxMicros {
			in.fault("Before: %q is not a place. Begin again without it.", before)
		}
		s.Before = operators.FinishedJobPlace{EndedAt: time.UnixMicro(micros), ID: place}
	}
	return s, in.wrong
}

// maxMicros is a time that PostgreSQL can store, in the year 9999.
const maxMicros = 253_370_764_800_000_000

const busiest = 20 // rows of the tables of the last hour

func (m *Monitor) fillBusyAccounts(ctx context.Context, s *section) error {
	accounts, err := operators.BusyAccounts(ctx, m.store.Queries, busiest)
	s.Columns = []column{{Name: "Account", Wide: true}, {Name: "Runs", Number: true}, {Name: "Failed", Number: true},
		{Name: "Worked", Number: true}, {Name: "Longest wait", Number: true}}
	for _, a := range accounts {
		link := finishedJobs + "?account_id=" + fmt.Sprint(a.AccountID)
		s.Rows = append(s.Rows, row{Cells: texts(cell{Text: fmt.Sprint(a.AccountID), More: a.Name, URL: link}, a.Runs,
			counted(a.Failed, link+"&result=failed"), took(seconds(a.Worked)), took(seconds(a.Waited)))})
	}
	s.More = "Jobs of workers but deliveries, of up to 200,000 runs. Worked is the sum of the last run of each."
	return err
}

func (m *Monitor) fillSlowEndpoints(ctx context.Context, s *section) error {
	endpoints, err := operators.SlowEndpoints(ctx, m.store.Queries, busiest)
	s.Columns = []column{{Name: "Webhook", Number: true}, {Name: "Address", Wide: true},
		{Name: "Attempts", Number: true}, {Name: "Failed", Number: true}, {Name: "Median", Number: true},
		{Name: "Slowest", Number: true}, {Name: "In all", Number: true}}
	for _, e := range endpoints {
		s.Rows = append(s.Rows, row{Cells: texts(
			cell{Text: fmt.Sprint(e.WebhookID), More: fmt.Sprintf("account %d", e.AccountID)},
			outgoing.Address(e.URL), e.Attempts, cell{Text: fmt.Sprint(e.Failed), Bad: e.Failed > 0},
			took(seconds(e.Median)), took(seconds(e.Slowest)), took(seconds(e.Total)))})
	}
	s.More = "From the beginning of an attempt until its end was stored, of up to 200,000 attempts."
	return err
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
