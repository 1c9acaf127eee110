package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"bordero/internal/paths"
)

// told is what happened to each record, and how often. Jobs that are due at the same time are one run, with one update
// of a record: only of creations and deletions the number counts.
type told map[string]map[string]int

func (c told) add(record, event string) {
	if c[record] == nil {
		c[record] = map[string]int{}
	}
	c[record][event]++
}

// summed is an event of the receivable accounts of sales. One run makes an account with the sum of all its sales; of
// two runs the second one updates the sum.
const summed = "receivable_accounts.updated by price_sales"

// see adds what happened to a view.
func (c told) see(v view, field string) {
	for record, events := range c {
		if strings.HasSuffix(record, " unnamed") {
			continue // whether it comes between two views depends on how jobs coalesce
		}
		var all []string
		for event, times := range events {
			if strings.HasPrefix(event, summed) && events[strings.Replace(event, "updated", "created", 1)] > 0 {
				continue
			}
			if strings.Contains(event, ".updated") {
				times = 1
			}
			all = append(all, fmt.Sprint(times, " ", event))
		}
		slices.Sort(all)
		v[record+" "+field] = strings.Join(all, "\n\t")
	}
}

// change is a row of the feed.
type change struct {
	ID         int64
	Event      string
	RecordIDs  []json.Number `json:"record_ids"`
	By         struct{ Job *string }
	Attributes map[string]any
}

func (c change) job() string {
	if c.By.Job == nil {
		return "a request"
	}
	return *c.By.Job
}

// changes returns the whole feed by ids.
func (w *twin) changes() map[int64]change {
	w.t.Helper()
	all := map[int64]change{}
	for after, latest := int64(0), int64(1); after < latest; {
		a, _ := w.ask("GET", fmt.Sprint("/changes?after=", after), "", nil)
		var page struct {
			Changes      []struct{ Change change }
			Next, Latest int64
		}
		w.decode(a.Body, &page)
		for _, c := range page.Changes {
			all[c.Change.ID] = c.Change
		}
		after, latest = page.Next, page.Latest
	}
	return all
}

// seeChanges adds the change feed by records.
func (w *twin) seeChanges(v view) {
	w.t.Helper()
	all := told{}
	for _, c := range w.changes() {
		if c.job() == "prove_balance" {
			continue // once a minute, if the result is another one than a minute before
		}
		family, _, _ := strings.Cut(c.Event, ".")
		for _, id := range c.RecordIDs {
			all.add(w.names.of(kinds[family], id.String()), fmt.Sprintf("%s by %s: %s", c.Event, c.job(),
				flat(w.plain("", family, c.Attributes))))
		}
	}
	all.see(v, "changes")
}

// seeNotifications adds the notifications of a webhook by records. Each must have the body of its event, in all POSTs.
func (w *twin) seeNotifications(v view, webhook int64) {
	w.t.Helper()
	feed := w.changes()
	rows, err := w.DB.QueryContext(w.t.Context(), `
		SELECT w.format, d.id, family, action, record_id, coalesce(d.entity_id, 0), coalesce(parent_id, 0), d.status,
			convert_from(body, 'UTF8'), to_char(d.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
			change_id, (SELECT count(*) FROM delivery_attempts a WHERE a.delivery_id = d.id)
		FROM deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE w.id = $1 ORDER BY d.id`, webhook)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	all := told{}
	for n := 0; rows.Next(); n++ {
		var format, family, action, status, body, at string
		var id, record, entity, parent, changed int64
		var attempts int
		if err := rows.Scan(&format, &id, &family, &action, &record, &entity, &parent, &status, &body, &at, &changed,
			&attempts); err != nil {
			w.t.Fatal(err)
		}
		event := family + "." + action
		name := w.names.of(kinds[family], fmt.Sprint(record))
		of := paths.Families[family]
		url := w.URL + of.Path(entity, parent, record)
		want := fmt.Sprintf(`{"event":%q,"timestamp":%q,"change_id":%d,%q:{"id":%d,"_links":[{"rel":"self",`+
			`"method":"GET","url":%q}]}}`, event, at, changed, of.Name, record, url)
		if format == "xml" {
			want = fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><hash><event>%s</event>`+
				`<timestamp type="datetime">%s</timestamp><change-id type="integer">%d</change-id>`+
				`<%[4]s><id type="integer">%d</id><_links type="array"><_link><rel>self</rel><method>GET</method>`+
				`<url>%s</url></_link></_links></%[4]s></hash>`,
				event, at, changed, strings.ReplaceAll(of.Name, "_", "-"), record, url)
		}
		if body != want {
			w.t.Errorf("the notification %d of %s %s has the body\n%s\nwant\n%s", id, event, name, body, want)
		}
		if got, sent := w.receiver.Body(fmt.Sprint("msg_", id)); sent && got != body {
			w.t.Errorf("the notification %d of %s %s was sent as\n%s\nwant\n%s", id, event, name, got, body)
		}
		c := feed[changed]
		if c.Event != event || !slices.Contains(c.RecordIDs, json.Number(fmt.Sprint(record))) {
			w.t.Errorf("the notification %d of %s %s names the change %d, which is %s of %v", id, event, name, changed,
				c.Event, c.RecordIDs)
		}
		if n%20 == 0 || attempts > 1 && n%3 == 0 {
			w.shows(webhook, id, body)
		}
		if c.job() != "prove_balance" { // as in seeChanges
			all.add(name, fmt.Sprintf("%s by %s: %s", event, c.job(), status))
		}
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	all.see(v, fmt.Sprint("notifications of ", w.names.of("webhooks", fmt.Sprint(webhook))))
}

// shows checks the body that the API shows of a delivery.
func (w *twin) shows(webhook, id int64, body string) {
	w.t.Helper()
	var got struct {
		Delivery struct{ Body *string } `json:"webhook_delivery"`
	}
	a, _ := w.ask("GET", paths.WebhookDelivery(webhook, id), "", nil)
	w.decode(a.Body, &got)
	if got.Delivery.Body == nil || *got.Delivery.Body != body {
		w.t.Errorf("the delivery %d is shown as %s, want the body %s", id, a.Body, body)
	}
}
