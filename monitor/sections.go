package monitor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"bordero/internal/metrics"
)

func (m *Monitor) fillQueues(ctx context.Context, s *section) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	queues, err := m.watch.Queues(ctx)
	if err != nil {
		return err
	}
	s.Columns = []column{{Name: "Queue"}, {Name: "State"}, {Name: "Workers", Number: true}, {Name: "Version"}, {Name: "Last heard of"}}
	for _, q := range queues {
		state := cell{Text: "works"}
		switch {
		case q.Paused:
			state = cell{Text: "paused", Bad: true}
			s.Alerts = append(s.Alerts, fmt.Sprintf("Queue %s is paused: its jobs wait until it is resumed under Queues in Redis.", q.Name))
		case len(q.Workers) == 0:
			state = cell{Text: "no worker", Bad: true}
			s.Alerts = append(s.Alerts, fmt.Sprintf("Queue %s has no worker: its jobs wait until one starts.", q.Name))
		}
		version, heard := workers(q.Workers)
		s.Rows = append(s.Rows, row{Cells: texts(q.Name, state, cell{Text: fmt.Sprint(len(q.Workers)), Bad: len(q.Workers) == 0}, version, heard)})
	}
	return nil
}

// workers returns the versions of the workers, with the number of each if they differ, and when
// the last of them was heard of.
func workers(all []Worker) (versions, heard string) {
	if len(all) == 0 {
		return "", ""
	}
	count := map[string]int{}
	last := all[0].Beat
	for _, w := range all {
		count[w.Version]++
		last = min(last, w.Beat)
	}
	if len(count) == 1 {
		return all[0].Version, age(last) + " ago"
	}
	var parts []string
	for _, version := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("%s (%d)", version, count[version]))
	}
	return strings.Join(parts, ", "), age(last) + " ago"
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
		failed := cell{Text: fmt.Sprint(of["failed"].Count), Bad: of["failed"].Count > 0}
		s.Rows = append(s.Rows, row{Cells: texts(kind, queue, of["waiting"].Count, of["running"].Count, of["later"].Count, failed, waits)})
	}
	p.Tiles = []tile{
		{Name: "Waiting", Value: fmt.Sprint(total["waiting"])}, {Name: "Running", Value: fmt.Sprint(total["running"])},
		{Name: "Later", Value: fmt.Sprint(total["later"])}, {Name: "Failed", Value: fmt.Sprint(total["failed"]), Bad: total["failed"] > 0},
		{Name: "Oldest due", Value: age(oldest), Bad: oldest > 5*time.Minute},
	}
	s.More = "Counted up to 10,000 of a queue and state."
	return nil
}

// unsealedFor is how long changes may wait for a number before the page alerts.
const unsealedFor = time.Minute

func (m *Monitor) fillUnsealed(ctx context.Context, s *section) error {
	u, err := m.watch.Unsealed(ctx)
	if err != nil || u.Count == 0 {
		return err
	}
	late := u.Oldest > unsealedFor
	s.Columns = []column{{Name: "Changes"}, {Name: "The first began"}}
	s.Rows = []row{{Cells: texts(cell{Text: fmt.Sprint(u.Count), Bad: late}, cell{Text: age(u.Oldest) + " ago", Bad: late})}}
	s.More = "Counted up to 10,000. The leader of the schedulers numbers changes within milliseconds of their commit."
	if late {
		s.Alerts = append(s.Alerts, fmt.Sprintf("Changes have waited for a number for %s, so clients of GET /changes see nothing new: does a scheduler run?", age(u.Oldest)))
	}
	return nil
}

func (m *Monitor) fillProofs(ctx context.Context, s *section) error {
	counts, err := m.watch.Proofs(ctx)
	s.Columns = []column{{Name: "The newest balance of the bank"}, {Name: "Deposit accounts", Number: true}}
	for _, c := range counts {
		s.Rows = append(s.Rows, row{Cells: texts(c.Status, c.Count)})
	}
	s.More = "A difference is the client's to explain: GET of the statement says what it is."
	return err
}

func (m *Monitor) fillFailures(ctx context.Context, s *section) error {
	failed, err := m.watch.Failed(ctx)
	s.Columns = []column{{Name: "Job", Number: true}, {Name: "About"}, {Name: "Account"}, {Name: "Failed"}, {Name: "Error", Wide: true}, {}}
	of, last := map[string]int{}, map[string]time.Time{}
	for _, j := range failed {
		about, request := strings.Trim(j.About+", "+j.Name, ", "), ""
		if j.RequestID != "" {
			request = "request " + j.RequestID
		}
		id := map[string]string{"id": fmt.Sprint(j.ID)}
		s.Rows = append(s.Rows, row{
			Cells: texts(j.ID, cell{Text: j.Kind, More: about}, cell{Text: fmt.Sprint(j.AccountID), More: j.Account},
				cell{Text: m.clock(j.FailedAt), More: fmt.Sprintf("%s ago, %d attempts", age(time.Since(j.FailedAt)), j.Attempts)},
				cell{Text: j.Error, More: request}),
			Buttons: []button{{Action: retry, Label: "Retry", Fields: id}, {Action: dismiss, Label: "Dismiss", Fields: id, Quiet: true}},
		})
		of[j.Kind]++
		if j.FailedAt.After(last[j.Kind]) {
			last[j.Kind] = j.FailedAt
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(of)) {
		if of[kind] < 2 {
			continue
		}
		// What fails after the page was made stays: the operator has not seen it.
		fields := map[string]string{"kind": kind, "until": last[kind].Format(time.RFC3339Nano)}
		s.Bulk = append(s.Bulk, bulk{Text: "All failed " + kind, Buttons: []button{
			{Action: retry, Label: "Retry all", Fields: fields}, {Action: dismiss, Label: "Dismiss all", Fields: fields, Quiet: true},
		}})
	}
	if len(failed) > 0 {
		s.More = "The newest. What is dismissed stays stored: bordero jobs list --dismissed shows it, and bordero jobs retry runs it again."
	}
	return err
}

func (m *Monitor) fillWebhooks(ctx context.Context, s *section) error {
	hooks, err := m.watch.Webhooks(ctx)
	s.Columns = []column{{Name: "Webhook", Number: true}, {Name: "Address", Wide: true}, {Name: "Status"}, {Name: "Last answer", Wide: true},
		{Name: "Pending", Number: true}, {Name: "Held", Number: true}, {Name: "Failed", Number: true}, {Name: "Delivered", Number: true}, {}}
	for _, h := range hooks {
		status := cell{Text: h.Status, Bad: h.Status != "active"}
		if h.ErrorSince != nil {
			status.More = "since " + m.clock(*h.ErrorSince)
		}
		id := map[string]string{"account": fmt.Sprint(h.AccountID), "webhook": fmt.Sprint(h.WebhookID)}
		r := row{Cells: texts(cell{Text: fmt.Sprint(h.WebhookID), More: fmt.Sprintf("account %d", h.AccountID)}, cell{Text: h.Address, More: h.Description},
			status, m.lastAnswer(h), h.Pending, h.Held, cell{Text: fmt.Sprint(h.Failed), Bad: h.Failed > 0}, h.Delivered)}
		if h.Status != "active" {
			r.Buttons = append(r.Buttons, button{Action: verify, Label: "Verify", Fields: id})
		}
		if h.Failed > 0 {
			r.Buttons = append(r.Buttons, button{Action: redeliver, Label: "Redeliver", Fields: id, Quiet: h.Status != "active"})
		}
		s.Rows = append(s.Rows, r)
	}
	s.More = "Webhooks in error, and those with pending or failed deliveries; of each, up to 1,000 deliveries are counted. Verify sends a test: " +
		"if it is answered with 200, the held deliveries are sent. Redeliver sends the failed ones again."
	return err
}

// lastAnswer returns the status code of a webhook's last attempt, or why there was none, and when.
func (m *Monitor) lastAnswer(h Webhook) cell {
	if h.AnsweredAt == nil {
		return cell{Text: "not known"}
	}
	answer := cell{Text: h.Reason, More: m.clock(*h.AnsweredAt), Bad: h.Reason != ""}
	if h.Code != 0 {
		answer.Text = strconv.FormatInt(h.Code, 10)
	}
	return answer
}

func (m *Monitor) fillImports(ctx context.Context, s *section) error {
	imports, err := m.watch.Imports(ctx)
	s.Columns = []column{{Name: "Account", Number: true}, {Name: "Statement", Number: true}, {Name: "Status"}, {Name: "Size", Number: true}, {Name: "Since"}}
	for _, i := range imports {
		s.Rows = append(s.Rows, row{Cells: texts(i.AccountID, i.BankStatementID, i.Status, fmt.Sprintf("%.1f kB", float64(i.Bytes)/1000), m.since(i.Since))})
	}
	return err
}

func (m *Monitor) fillDeletions(ctx context.Context, s *section) error {
	deletions, err := m.watch.Deletions(ctx)
	s.Columns = []column{{Name: "Account", Number: true}, {Name: "What"}, {Name: "Id", Number: true}, {Name: "Rows removed", Number: true}, {Name: "Left, about", Number: true}, {Name: "Since"}}
	for _, d := range deletions {
		s.Rows = append(s.Rows, row{Cells: texts(d.AccountID, strings.ReplaceAll(d.Root, "_", " "), d.ID, d.Removed, d.Left, m.since(d.Since))})
	}
	return err
}

// clock returns a time in the zone that the page names.
func (m *Monitor) clock(t time.Time) string { return t.In(m.zone).Format("2 Jan 15:04:05") }

func (m *Monitor) since(t time.Time) cell {
	return cell{Text: m.clock(t), More: age(time.Since(t)) + " ago"}
}

// age formats a duration for people.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.0f days", d.Hours()/24)
}
