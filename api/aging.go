package api

import (
	"net/http"
	"net/url"
	"strconv"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/reports"
)

// answerAging answers with the accounts of one kind that were open on a day, by how many days they were
// overdue: 200. The permission is that of the kind.
func (a *API) answerAging(c *call) error {
	if err := c.readParameters(); err != nil {
		return err
	}
	report, bounds, invalid := c.agingAsked()
	if p := report.Kind.Permission(); report.Kind != "" && !c.access.Allows(p) {
		return lacking(p)
	}
	err := c.readReport(invalid, func(tx *storage.Tx, in reports.Scope) error {
		return reports.Aging(c.ctx(), tx, in, bounds, report)
	})
	if err != nil {
		return err
	}
	if c.sheet != nil {
		return sendAgingSheet(c, report)
	}
	show := showAgingOfEntity
	if c.entityID == 0 {
		show = showAgingOfEntities
	}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.Object(agingRoot, func() { show(c, w, report) })
	}))
}

const agingRoot = "aging"

// agingAsked reads the parameters kind, on and bounds, and returns their faults. The kind is
// empty if it is not one.
func (c *call) agingAsked() (report *finance.Aging, bounds finance.AgingBounds, invalid finance.Invalid) {
	report, bounds = &finance.Aging{}, finance.DefaultAgingBounds
	text := c.parameter("kind")
	switch kind, err := kinds.Parse(text); {
	case text == "":
		invalid.Add("kind", messages.Blank)
	case err != nil:
		invalid.Add("kind", messages.FaultOf(err))
	default:
		report.Kind = finance.AccountKind(kind.(string))
	}
	today := finance.DateOf(c.api.now())
	report.On = today
	if text, sent := c.getParameter("on"); sent {
		if err := report.On.UnmarshalText([]byte(text)); err != nil || report.On.IsZero() {
			invalid.Add("on", messages.NotDate)
		}
	}
	if report.On.Before(today) {
		report.AsRecordedOn = &today
	}
	if text, sent := c.getParameter("bounds"); sent {
		var err error
		if bounds, err = finance.ParseAgingBounds(text); err != nil {
			invalid.Add("bounds", messages.FaultOf(err))
		}
	}
	return report, bounds, invalid
}

// kinds are the kinds of accounts as a parameter.
var kinds = list.OneOf([]finance.AccountKind{finance.Payable, finance.Receivable})

// showAgingOfEntity writes the aging of one entity: each group has the address of its list.
func showAgingOfEntity(c *call, w *wire.Writer, a *finance.Aging) {
	showAgingWith(w, a, func(g *finance.AgingGroup, query string) {
		if len(g.EntityIDs) == 0 {
			w.Null("href")
			return
		}
		w.String("href", c.agingList(a, g.EntityIDs[0], query))
	})
}

// showAgingOfEntities writes the aging of several entities: each group has the addresses of the lists of
// those entities that have some of its accounts.
func showAgingOfEntities(c *call, w *wire.Writer, a *finance.Aging) {
	showAgingWith(w, a, func(g *finance.AgingGroup, query string) {
		w.Objects("lists", "list", len(g.EntityIDs), func(i int) {
			w.Int("entity_id", g.EntityIDs[i])
			w.String("href", c.agingList(a, g.EntityIDs[i], query))
		})
	})
}

// showAgingWith writes an aging. lists writes the addresses of the lists of a group, with their query.
func showAgingWith(w *wire.Writer, a *finance.Aging, lists func(g *finance.AgingGroup, query string)) {
	wire.Date(w, "on", a.On)
	w.String("kind", string(a.Kind))
	wire.DatePtr(w, "as_recorded_on", a.AsRecordedOn)
	filters := make([]string, len(a.Total.Groups)) // of each group; an answer may have 100,000 addresses
	for i := range filters {
		filters[i] = agingFilters(a.On, &a.Total.Groups[i])
	}
	total := func(t *finance.AgingTotal, person string) {
		w.Int("count", t.Count)
		wire.Decimal(w, "sum", t.Sum)
		w.Objects("groups", "group", len(t.Groups), func(i int) {
			g := &t.Groups[i]
			writeAgingGroup(w, g)
			lists(g, "?"+filters[i]+person)
		})
	}
	w.Object("total", func() { total(&a.Total, "") })
	w.Objects("people", "person", len(a.People), func(i int) {
		p := &a.People[i]
		writeAgingPerson(w, p)
		person := url.Values{"search[person_id_is_null]": {"true"}}
		if p.PersonID != nil {
			person = url.Values{"search[person_id]": {strconv.FormatInt(*p.PersonID, 10)}}
		}
		total(&p.AgingTotal, "&"+person.Encode())
	})
}

func writeAgingPerson(w *wire.Writer, p *finance.PersonAging) {
	w.IntPtr("person_id", p.PersonID)
	w.StringPtr("person_name", p.PersonName)
}

func writeAgingGroup(w *wire.Writer, g *finance.AgingGroup) {
	w.IntPtr("from_days", g.FromDays)
	w.IntPtr("to_days", g.ToDays)
	w.Int("count", g.Count)
	wire.Decimal(w, "sum", g.Sum)
}

// sendAgingSheet answers with a row for each group of each person, also for the empty ones.
func sendAgingSheet(c *call, a *finance.Aging) error {
	type row struct {
		Person finance.PersonAging
		Group  finance.AgingGroup
	}
	var rows []row
	for _, p := range a.People {
		for _, g := range p.Groups {
			rows = append(rows, row{p, g})
		}
	}
	return sendSheet(c, agingRoot, rows, func(_ *call, w *wire.Writer, r *row) {
		writeAgingPerson(w, &r.Person)
		writeAgingGroup(w, &r.Group)
	})
}

// agingList returns the address of the list of accounts of an entity with a query.
func (c *call) agingList(a *finance.Aging, entity int64, query string) string {
	return c.url(paths.FinancialAccounts(entity, string(a.Kind))) + query
}

// agingFilters returns the filters of the list of the accounts of a group.
func agingFilters(on finance.Date, g *finance.AgingGroup) string {
	filters := url.Values{}
	filter(filters, "open_on", on.String())
	first, last := g.DueBetween(on)
	if first != nil {
		filter(filters, "due_date_gte", first.String())
	}
	if last != nil {
		filter(filters, "due_date_lte", last.String())
	}
	return filters.Encode()
}

var agingFields = fieldsOf(openapi.Fields{
	"on":   {Doc: "The day."},
	"kind": {Doc: "The kind of the accounts.", Enum: openapi.Enum{Name: "AccountKind", Values: kinds.Enum}},
	"as_recorded_on": {Doc: "Today, if `on` is an earlier day: the accounts have the amounts and due dates of today, " +
		"and those that were deleted, or whose payment was undone, since `on` are not known. Else null."},
	"total":              {Doc: "All accounts."},
	"people":             {Doc: "The accounts of each person, the largest sum first, then by id."},
	"people.person_id":   {Doc: "The person; null for the accounts without one."},
	"people.person_name": {Doc: "The name of the person.", Example: "Moinho"},
}, below("total", agingTotalFields), below("people", agingTotalFields))

var agingTotalFields = openapi.Fields{
	"count":  {Doc: "How many accounts."},
	"sum":    {Doc: "The sum of what is due: amount, fine and interest less the discount.", Example: "1250.50"},
	"groups": {Doc: "The accounts by how many days they were overdue: those that were not, then as `bounds` says."},
	"groups.from_days": {Doc: "The fewest days overdue; null in the first group, of the accounts that were not " +
		"overdue."},
	"groups.to_days":         {Doc: "The most days overdue; null in the last group."},
	"groups.count":           {Doc: "How many accounts."},
	"groups.sum":             {Doc: "The sum of what is due.", Example: "300.00"},
	"groups.href":            {Doc: "The address of the list of these accounts; null without any.", Format: "uri"},
	"groups.lists":           {Doc: "The entities that have some of these accounts."},
	"groups.lists.entity_id": {Doc: "The entity."},
	"groups.lists.href":      {Doc: "The address of the list of its accounts.", Format: "uri"},
}
