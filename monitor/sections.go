package monitor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"bordero/finance"
	"bordero/internal/download"
	"bordero/internal/messages"
	"bordero/internal/outgoing"
	"bordero/jobs/broker"
	"bordero/storage/operators"
	"bordero/storage/proof"
)

const listed = 50 // the most rows of a section's table, and changes of a page of the audit

func (m *Monitor) fillQueues(ctx context.Context, s *section) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	queues, err := m.client.QueueStates(ctx, m.workerQueues)
	if err != nil {
		return err
	}
	s.Columns = []column{{Name: "Queue"}, {Name: "State"}, {Name: "Workers", Number: true}, {Name: "Version"},
		{Name: "Last heard of"}}
	for _, q := range queues {
		state, meanwhile := cell{Text: "works"}, "its jobs wait"
		if q.Queue == download.SigningQueue { // it has questions instead of jobs
			meanwhile = "downloads without a remembered URL get 503"
		}
		switch {
		case q.Paused:
			state = cell{Text: "paused", Bad: true}
			s.Alerts = append(s.Alerts, fmt.Sprintf("Queue %s is paused: %s until it is resumed under Queues in Redis.",
				q.Queue, meanwhile))
		case len(q.Workers) == 0:
			state = cell{Text: "no worker", Bad: true}
			s.Alerts = append(s.Alerts, fmt.Sprintf("Queue %s has no worker: %s until one starts.", q.Queue, meanwhile))
		}
		version, heard := workers(q.Workers)
		count := linked(int64(len(q.Workers)), root+"/servers")
		count.Bad = len(q.Workers) == 0
		s.Rows = append(s.Rows, row{Cells: texts(cell{Text: q.Queue, URL: tasks(q.Queue, "active")}, state, count,
			version, heard)})
	}
	return nil
}

// workers returns the versions of the workers, with the number of workers of each version if the versions
// differ, and the time since the last announcement.
func workers(all []broker.Worker) (versions, heard string) {
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
	counts, err := operators.JobCounts(ctx, m.store.Queries, m.jobQueues)
	if err != nil {
		return err
	}
	inError, err := operators.WebhooksInError(ctx, m.store.Queries)
	if err != nil {
		return err
	}
	s.Columns = []column{{Name: "Kind"}, {Name: "Queue"}, {Name: "Waiting", Number: true},
		{Name: "Running", Number: true}, {Name: "Later", Number: true}, {Name: "Retrying", Number: true},
		{Name: "Failed", Number: true},
		{Name: "Oldest due", Number: true}}
	total, kinds := map[string]int64{}, []string{}
	byKind := map[string]map[string]operators.JobCount{}
	oldest := time.Duration(0)
	for _, c := range counts {
		total[c.State] += c.Count
		if byKind[c.Kind] == nil {
			byKind[c.Kind], kinds = map[string]operators.JobCount{}, append(kinds, c.Kind)
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
		s.Rows = append(s.Rows, row{Cells: texts(kind, queue, linked(of["waiting"].Count, tasks(queue, "pending")),
			linked(of["running"].Count, tasks(queue, "active")), of["later"].Count,
			counted(of["retrying"].Count, "#jobs"), counted(of["failed"].Count, "#failures"), waits)})
	}
	p.Tiles = []tile{
		{Name: "Waiting", cell: linked(total["waiting"], "#jobs")},
		{Name: "Running", cell: linked(total["running"], "#jobs")},
		{Name: "Later", cell: linked(total["later"], "#jobs")},
		{Name: "Retrying", cell: counted(total["retrying"], "#jobs")},
		{Name: "Failed", cell: counted(total["failed"], "#failures")},
		{Name: "Oldest due", cell: cell{Text: age(oldest), Bad: oldest > 5*time.Minute}},
		{Name: "Webhooks in error", cell: counted(inError, "#webhooks")},
	}
	s.More = "Of each queue the first 10,000 due jobs are counted and the first 10,000 that are due later; of all " +
		"queues 10,000 that failed, those with the lowest and the highest ids. Waiting and Running lead to the " +
		"queue's copies in Redis; bordero jobs list --kind KIND shows the jobs themselves, those of Later and " +
		"Retrying (after ten attempts) too."
	return nil
}

// tasks returns the address of the page of Asynq that lists the tasks of a queue in a state.
func tasks(queue, state string) string { return root + "/queues/" + queue + "?status=" + state }

// unsealedFor is how long changes may wait for a number before the page alerts.
const unsealedFor = time.Minute

func (m *Monitor) fillUnsealed(ctx context.Context, s *section) error {
	u, err := operators.CountUnsealed(ctx, m.store.Queries)
	if err != nil || u.Count == 0 {
		return err
	}
	late := u.Oldest > unsealedFor
	s.Columns = []column{{Name: "Changes"}, {Name: "The first began"}}
	s.Rows = []row{{Cells: texts(cell{Text: fmt.Sprint(u.Count), Bad: late},
		cell{Text: age(u.Oldest) + " ago", Bad: late})}}
	s.More = "Counted up to 10,000. The leader of the schedulers numbers changes within some 50 ms of their commit."
	if late {
		s.Alerts = append(s.Alerts, fmt.Sprintf("Changes have waited for a number for %s, so clients of GET /changes "+
			"see nothing new: does a scheduler run?", age(u.Oldest)))
	}
	return nil
}

func (m *Monitor) fillProofs(ctx context.Context, s *section) error {
	counts, err := proof.Counts(ctx, m.store.Queries)
	s.Columns = []column{{Name: "The newest balance of the bank"}, {Name: "Deposit accounts", Number: true}}
	for _, c := range counts {
		count := cell{Text: fmt.Sprint(c.Count)}
		if c.Status == finance.ProofDiffers {
			count = linked(c.Count, "#differs")
		}
		s.Rows = append(s.Rows, row{Cells: texts(c.Status, count)})
	}
	return err
}

// linked returns the cell of a count, with a link to the list of the counted records unless the count is 0.
func linked(n int64, list string) cell {
	c := cell{Text: fmt.Sprint(n)}
	if n > 0 {
		c.URL = list
	}
	return c
}

// counted is linked for a count of faults.
func counted(n int64, list string) cell {
	c := linked(n, list)
	c.Bad = n > 0
	return c
}

func (m *Monitor) fillDiffering(ctx context.Context, s *section) error {
	differing, err := proof.Differing(ctx, m.store.Queries, listed)
	s.Columns = []column{{Name: "Account", Number: true}, {Name: "Entity", Number: true},
		{Name: "Deposit account", Wide: true}, {Name: "Statement", Number: true}, {Name: "Balance of"},
		{Name: "Since"}}
	for _, d := range differing {
		on := ""
		if d.On != nil {
			on = d.On.String()
		}
		s.Rows = append(s.Rows, row{Cells: texts(cell{Text: fmt.Sprint(d.AccountID), More: d.Account}, d.EntityID,
			cell{Text: fmt.Sprint(d.DepositAccountID), More: d.Name}, d.BankStatementID, on, m.since(d.ProvenAt))})
	}
	s.More = "The newest. A difference is the client's to explain: GET of the statement says what it is."
	return err
}

func (m *Monitor) fillFailures(ctx context.Context, s *section) error {
	kinds, err := operators.FailedKinds(ctx, m.store.Queries)
	if err != nil {
		return err
	}
	failed, err := operators.FailedJobRows(ctx, m.store.Queries, listed)
	s.Columns = []column{{Name: "Job", Number: true}, {Name: "About"}, {Name: "Account"}, {Name: "Failed"},
		{Name: "Error", Wide: true}, {}}
	for _, j := range failed {
		about, request := strings.Trim(subject(j)+", "+j.Name, ", "), ""
		if j.RequestID != "" {
			request = "request " + j.RequestID
		}
		id, job := map[string]string{"id": fmt.Sprint(j.ID)}, fmt.Sprint("job ", j.ID)
		s.Rows = append(s.Rows, row{
			Cells: texts(j.ID, cell{Text: j.Kind, More: about}, cell{Text: fmt.Sprint(j.AccountID), More: j.Account},
				cell{Text: m.clock(j.FailedAt), More: fmt.Sprintf("%s ago, %d attempts", age(time.Since(j.FailedAt)),
					j.Attempts)},
				cell{Text: j.Error, More: request}),
			Buttons: []button{{Action: retry, Label: "Retry", Of: job, Fields: id},
				{Action: dismiss, Label: "Dismiss", Of: job, Fields: id, Quiet: true}},
		})
	}
	for _, k := range kinds {
		if k.Count < 2 {
			continue
		}
		// Jobs that fail after those of the page stay: the operator does not know of them. The page's own time would
		// not do: a failure is dated when its transaction begins, and that may end long after. (One that began before
		// the last of the page and ended after it does not stay: seconds, behind a lock.)
		fields := map[string]string{"kind": k.Kind, "until": k.LastFailedAt.Format(time.RFC3339Nano)}
		s.Bulk = append(s.Bulk, bulk{Text: "All failed " + k.Kind, Buttons: []button{
			{Action: retry, Label: "Retry all", Of: k.Kind, Fields: fields},
			{Action: dismiss, Label: "Dismiss all", Of: k.Kind, Fields: fields, Quiet: true},
		}})
	}
	if len(failed) > 0 {
		s.More = "The last to fail, and of each kind at least one. What is dismissed stays stored for a while: " +
			"bordero jobs list --dismissed shows it, and bordero jobs retry runs it again."
	}
	return err
}

// subjects are the words for tables of records that jobs are about. Records of others have the words of the table.
var subjects = map[string]string{
	"bank_statements": "statement", "sale_accounts": "sale account", "webhooks": "webhook",
	"entities": "entity", "deposit_accounts": "deposit account", "credit_cards": "credit card",
}

// subject returns the record that a job is about, such as "statement 230" or "people 7", or "" if the arguments name no
// record.
func subject(j operators.FailedJobRow) string {
	if j.RecordID == 0 {
		return ""
	}
	return fmt.Sprint(cmp.Or(subjects[j.Table], tableWords(j.Table)), " ", j.RecordID)
}

func (m *Monitor) fillWebhooks(ctx context.Context, s *section) error {
	hooks, err := operators.WatchedWebhooks(ctx, m.store.Queries, listed)
	s.Columns = []column{{Name: "Webhook", Number: true}, {Name: "Address", Wide: true}, {Name: "Status"},
		{Name: "Last answer", Wide: true},
		{Name: "Pending", Number: true}, {Name: "Held", Number: true}, {Name: "Failed", Number: true},
		{Name: "Delivered", Number: true}, {}}
	for _, h := range hooks {
		status := cell{Text: h.Status, Bad: h.Status != "active"}
		if h.ErrorSince != nil {
			status.More = "since " + m.clock(*h.ErrorSince)
		}
		id := map[string]string{"account": fmt.Sprint(h.AccountID), "webhook": fmt.Sprint(h.WebhookID)}
		hook := fmt.Sprint("webhook ", h.WebhookID)
		r := row{Cells: texts(
			cell{Text: fmt.Sprint(h.WebhookID), More: fmt.Sprintf("account %d", h.AccountID)},
			cell{Text: outgoing.Address(h.URL), More: h.Description}, // the URL may contain a secret
			status, m.lastAnswer(h), h.Pending, h.Held, cell{Text: fmt.Sprint(h.Failed), Bad: h.Failed > 0},
			h.Delivered)}
		if h.Status != "active" {
			r.Buttons = append(r.Buttons, button{Action: verify, Label: "Verify", Of: hook, Fields: id})
		}
		if h.Failed > 0 {
			r.Buttons = append(r.Buttons, button{Action: redeliver, Label: "Redeliver", Of: hook, Fields: id,
				Quiet: h.Status != "active"})
		}
		s.Rows = append(s.Rows, r)
	}
	s.More = "The newest 50 webhooks in error, the 50 with the newest failed deliveries, and 50 with pending ones; " +
		"of each, up to 1,000 deliveries are counted. Verify sends a test: if it is answered with 200, the held " +
		"deliveries are sent. Redeliver sends the failed ones again."
	return err
}

// lastAnswer returns the status code of a webhook's last attempt, or why there was none, and when.
func (m *Monitor) lastAnswer(h operators.WebhookRow) cell {
	if h.AnsweredAt == nil {
		return cell{Text: "not known"}
	}
	answer := cell{Text: cause(h.Error), More: m.clock(*h.AnsweredAt), Bad: h.Error != ""}
	if h.ResponseCode != 0 {
		answer.Text = strconv.FormatInt(h.ResponseCode, 10)
	}
	return answer
}

// cause returns why a webhook did not answer in the language of this page. Clients read it in theirs.
func cause(text string) string {
	for _, f := range messages.Catalogue {
		if f.Text == text {
			return strings.ReplaceAll(f.Code, "_", " ")
		}
	}
	if text == messages.AttemptInterrupted {
		return "interrupted"
	}
	return text
}

func (m *Monitor) fillImports(ctx context.Context, s *section) error {
	imports, err := operators.Imports(ctx, m.store.Queries, listed)
	s.Columns = []column{{Name: "Account", Number: true}, {Name: "Statement", Number: true}, {Name: "Status"},
		{Name: "Size", Number: true}, {Name: "Since"}}
	for _, i := range imports {
		size := fmt.Sprintf("%.1f kB", float64(i.Bytes)/1000)
		s.Rows = append(s.Rows, row{Cells: texts(i.AccountID, i.BankStatementID, i.Status, size, m.since(i.CreatedAt))})
	}
	return err
}

func (m *Monitor) fillDeletions(ctx context.Context, s *section) error {
	deletions, err := operators.Deletions(ctx, m.store.Queries, listed)
	s.Columns = []column{{Name: "Account", Number: true}, {Name: "What"}, {Name: "Id", Number: true},
		{Name: "Rows removed", Number: true}, {Name: "Left, about", Number: true}, {Name: "Since"}}
	for _, d := range deletions {
		s.Rows = append(s.Rows, row{Cells: texts(d.AccountID, tableWords(d.Root), d.ID, d.Removed, d.Left,
			m.since(d.StartedAt))})
	}
	return err
}

func tableWords(table string) string { return strings.ReplaceAll(table, "_", " ") }

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
