package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/tier"
	"bordero/storage/storagetest"
)

// agedDay is today in the tests of aging.
const agedDay = "2026-03-10"

// newAgingService returns a service on agedDay, a second before it ends.
func newAgingService(t *testing.T) *service {
	t.Helper()
	database := storagetest.Borrow(t)
	s := serve(t, database.Store, func(c *api.Config) {
		end := time.Date(2026, 3, 10, 23, 59, 59, 0, c.Zone)
		c.Now = func() time.Time { return end }
	})
	s.db = database.Owner
	s.Tenant = storagetest.NewTenant(t, s.store)
	return s
}

// aging is the answer of a report on aging.
type aging struct {
	On, Kind     string
	AsRecordedOn *string `json:"as_recorded_on"`
	Total        agedTotal
	People       []agedPerson
}

type agedPerson struct {
	ID   *int64  `json:"person_id"`
	Name *string `json:"person_name"`
	agedTotal
}

type agedTotal struct {
	Count  int
	Sum    finance.Amount
	Groups []agedGroup
}

type agedGroup struct {
	FromDays *int `json:"from_days"`
	ToDays   *int `json:"to_days"`
	Count    int
	Sum      finance.Amount
	Href     *string
	Lists    []struct {
		EntityID int64 `json:"entity_id"`
		Href     string
	}
}

// askAging reads a report.
func (s *service) askAging(t testing.TB, path string, options ...option) aging {
	t.Helper()
	return s.call(t, "GET", path, options...).aging(t)
}

// aging returns the report of an answer.
func (a answer) aging(t testing.TB) aging {
	t.Helper()
	var document struct{ Aging aging }
	if err := json.Unmarshal([]byte(a.want(t, http.StatusOK).body), &document); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	return document.Aging
}

// agedAccount is an account as the tests made it.
type agedAccount struct {
	entity, person int64 // 0: no person
	kind           finance.AccountKind
	created, due   finance.Date
	paid           *finance.Date
	cents          finance.Amount // amount + fine + interest - discount
}

// openOn reports whether the account was there on the day and not paid by then.
func (f *agedAccount) openOn(day finance.Date) bool {
	there := !f.created.After(day) || !f.due.After(day)
	return there && (f.paid == nil || f.paid.After(day))
}

func parseDay(t testing.TB, text string) finance.Date {
	t.Helper()
	d, err := finance.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// storeAged stores accounts of random days, entities, people and amounts. One in eight is of a hidden sale
// account, and not returned.
func (s *service) storeAged(t testing.TB, n int, entities, people []int64) (all []agedAccount) {
	t.Helper()
	hidden := lastID(s.newSaleAccount(t, `"payment_methods":"pix"`))
	s.exec(t, `UPDATE sale_accounts SET deleted_at = now() WHERE id = $1`, hidden)
	today := parseDay(t, agedDay)
	orNull := func(cents finance.Amount) any {
		if cents == 0 {
			return nil
		}
		return cents
	}
	for i := range n {
		f := agedAccount{
			entity: entities[rand.IntN(len(entities))], person: people[rand.IntN(len(people))], kind: finance.Payable,
			created: today.AddDays(-rand.IntN(200)), due: today.AddDays(60 - rand.IntN(200)),
		}
		if rand.IntN(2) == 0 {
			f.kind = finance.Receivable
		}
		status, total := finance.Outstanding, any(nil)
		if rand.IntN(2) == 0 {
			paid := today.AddDays(30 - rand.IntN(150))
			f.paid, status, total = &paid, finance.Settled, "1.5"
		}
		amount, fine, interest := finance.Amount(1+rand.IntN(1e7)), finance.Amount(rand.IntN(3)*50),
			finance.Amount(rand.IntN(3)*7)
		discount := finance.Amount(rand.IntN(2)) * amount / 3
		f.cents = amount + fine + interest - discount
		of := any(nil)
		if i%8 == 0 {
			f.kind, of = finance.Receivable, hidden
		} else {
			all = append(all, f)
		}
		moment := " 00:00:00 America/Sao_Paulo"
		if i%2 == 0 {
			moment = " 23:59:59 America/Sao_Paulo"
		}
		s.exec(t, `INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at, amount,
				total_amount, ticket_amount, interest_amount, discount_amount, person_id, sale_account_id, created_at,
				competency_month)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, nullif($12::bigint, 0), $13, $14, '2026-01-01')`,
			s.AccountID, f.entity, f.kind, status, f.due, f.paid, amount, total, orNull(fine), orNull(interest),
			orNull(discount), f.person, of, f.created.String()+moment)
	}
	return all
}

// TestAgingIsTheSumOfTheAccounts compares reports of many days with the accounts that they are about, and each
// group with the list at its address.
func TestAgingIsTheSumOfTheAccounts(t *testing.T) {
	t.Parallel()
	s := newAgingService(t)
	second, third := s.anotherEntity(t).ID, s.anotherEntity(t).ID
	people := []int64{0}
	for _, name := range []string{"Moinho", "Laticínio", "Gráfica"} {
		people = append(people, lastID(s.newPerson(t, fmt.Sprintf(`{"name":%q}`, name))))
	}
	entities := []int64{s.EntityID, second, third}
	accounts := s.storeAged(t, tier.Size(300, 2000), entities, people)

	member := s.member(t, finance.Access{EntityIDs: []int64{second, third}})
	for _, c := range []struct {
		path     string
		entities []int64
		token    string
	}{
		{fmt.Sprintf("/entities/%d/reports/aging?", second), []int64{second}, s.Token},
		{"/reports/aging?", entities, s.Token},
		{fmt.Sprintf("/reports/aging?entities=%d,%d&", third, s.EntityID), []int64{s.EntityID, third}, s.Token},
		{"/reports/aging?", []int64{second, third}, member},
	} {
		for _, kind := range []finance.AccountKind{finance.Payable, finance.Receivable} {
			for _, q := range []struct{ on, bounds string }{
				{"", ""}, {agedDay, "15"}, {"2026-03-09", ""}, {"2026-01-31", "1,2,7,30,90"}, {"2025-11-01", ""},
				{"2026-04-20", ""}, {"2027-01-01", "36500"}, {"1999-12-31", ""}, {"9999-12-31", ""},
			} {
				path, on := c.path+"kind="+string(kind), parseDay(t, cmp.Or(q.on, agedDay))
				if q.on != "" {
					path += "&on=" + q.on
				}
				if q.bounds != "" {
					path += "&bounds=" + q.bounds
				}
				var open []agedAccount
				for _, f := range accounts {
					if f.kind == kind && slices.Contains(c.entities, f.entity) && f.openOn(on) {
						open = append(open, f)
					}
				}
				s.checkAging(t, path, as(c.token), on, cmp.Or(q.bounds, "30,60,90"), open)
			}
		}
	}
}

// checkAging compares the report at a path with the accounts that were open.
func (s *service) checkAging(t *testing.T, path string, token option, on finance.Date, bounds string,
	open []agedAccount) {
	t.Helper()
	a := s.askAging(t, path, token)
	equal(t, a.On, on.String())
	if past := on.Before(parseDay(t, agedDay)); past != (a.AsRecordedOn != nil) || past && *a.AsRecordedOn != agedDay {
		t.Errorf("%s: as recorded on %v", path, a.AsRecordedOn)
	}
	byPerson := map[int64][]agedAccount{}
	for _, f := range open {
		byPerson[f.person] = append(byPerson[f.person], f)
	}
	s.checkTotal(t, path, token, a.Total, on, bounds, open)
	if len(a.People) != len(byPerson) {
		t.Errorf("%s: %d people, want %d", path, len(a.People), len(byPerson))
	}
	for i, p := range a.People {
		if (p.ID == nil) != (p.Name == nil) {
			t.Errorf("%s: the person %v is named %v", path, p.ID, p.Name)
		}
		s.checkTotal(t, path, token, p.agedTotal, on, bounds, byPerson[finance.OrZero(p.ID)])
		if i > 0 && a.People[i-1].Sum < p.Sum {
			t.Errorf("%s: %v before %v", path, a.People[i-1].Sum, p.Sum)
		}
	}
}

// checkTotal compares a total with its accounts, and its groups with the lists at their addresses.
func (s *service) checkTotal(t *testing.T, path string, token option, total agedTotal, on finance.Date, bounds string,
	open []agedAccount) {
	t.Helper()
	ranges, from := "-0", 1
	for bound := range strings.SplitSeq(bounds, ",") {
		ranges += fmt.Sprintf(" %d-%s", from, bound)
		_, _ = fmt.Sscan(bound, &from)
		from++
	}
	ranges += fmt.Sprintf(" %d-", from)
	var got []string
	var count int
	var sum finance.Amount
	for _, g := range total.Groups {
		limits, entities := "", map[int64]bool{}
		want := agedGroup{}
		for _, f := range open {
			days := on.DaysSince(f.due)
			if (g.FromDays == nil || days >= *g.FromDays) && (g.ToDays == nil || days <= *g.ToDays) {
				want.Count, want.Sum, entities[f.entity] = want.Count+1, want.Sum+f.cents, true
			}
		}
		if g.FromDays != nil {
			limits = fmt.Sprint(*g.FromDays)
		}
		limits += "-"
		if g.ToDays != nil {
			limits += fmt.Sprint(*g.ToDays)
		}
		got, count, sum = append(got, limits), count+g.Count, sum+g.Sum
		if g.Count != want.Count || g.Sum != want.Sum {
			t.Errorf("%s: %s is %d %s, want %d %s", path, limits, g.Count, g.Sum, want.Count, want.Sum)
		}
		s.checkLists(t, path, token, g, len(entities))
	}
	equal(t, strings.Join(got, " "), ranges)
	if total.Count != count || total.Sum != sum || count != len(open) {
		t.Errorf("%s: %d %s in all, %d %s in groups, want %d", path, total.Count, total.Sum, count, sum, len(open))
	}
}

// checkLists compares a group with the lists at its addresses, one for each of its entities.
func (s *service) checkLists(t *testing.T, path string, token option, g agedGroup, entities int) {
	t.Helper()
	var addresses []string
	if g.Href != nil {
		addresses = append(addresses, *g.Href)
	}
	for _, l := range g.Lists {
		addresses = append(addresses, l.Href)
	}
	if len(addresses) != entities {
		t.Errorf("%s: %d addresses for %d entities", path, len(addresses), entities)
	}
	if !tried(g.Count, len(addresses), 7) {
		return
	}
	var listed agedGroup
	for _, address := range addresses {
		path, ours := strings.CutPrefix(address, publicURL)
		if !ours {
			t.Errorf("the address of a list is %s", address)
		}
		for page := 1; ; page++ {
			n := 0
			for _, record := range s.call(t, "GET", fmt.Sprintf("%s&per_page=500&page=%d", path, page), token).
				want(t, http.StatusOK).value(t).([]any) {
				for _, f := range record.(map[string]any) {
					listed.Sum += dueOf(t, f)
					n++
				}
			}
			if listed.Count += n; n < 500 {
				break
			}
		}
	}
	if listed.Count != g.Count || listed.Sum != g.Sum {
		t.Errorf("%s: %d %s at %v, want %d %s", path, listed.Count, listed.Sum, addresses, g.Count, g.Sum)
	}
}

// dueOf returns the amount due of an account in a list.
func dueOf(t *testing.T, account any) (due finance.Amount) {
	t.Helper()
	for name, sign := range map[string]finance.Amount{"amount": 1, "ticket_amount": 1, "interest_amount": 1,
		"discount_amount": -1} {
		var a finance.Amount
		if text := within(t, account, name); text != "<nil>" {
			if err := a.UnmarshalText([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		due += sign * a
	}
	return due
}

func TestAgingOfBadInput(t *testing.T) {
	t.Parallel()
	s := newAgingService(t)
	second := s.anotherEntity(t).ID
	foreign := storagetest.NewTenant(t, s.store).EntityID
	const blank, day = "kind: não pode ser vazio. ", "on: não é uma data válida. "
	const list, many = "kind: não está incluso na lista. ", "bounds: tem itens demais (máximo: 10). "
	const number = "bounds: deve ter números inteiros, com vírgulas entre eles. "
	const order = "bounds: deve ter números em ordem crescente, sem repetir nenhum. "
	const between = "bounds: está fora do intervalo permitido: de 1 a 36500. "
	unknown := fmt.Sprintf("entities: não existe: %d. ", foreign)
	for _, c := range []struct{ query, faults string }{
		{"", blank}, {"kind=", blank}, {"kind=Payable", list}, {"kind=payable_accounts", list},
		{"kind=payable,receivable", list},
		{"kind=payable&on=", day}, {"kind=payable&on=2026-02-30", day}, {"kind=payable&on=10000-01-01", day},
		{"kind=payable&on=0001-01-01", day},
		{"kind=payable&bounds=", number}, {"kind=payable&bounds=30,,60", number},
		{"kind=payable&bounds=trinta", number},
		{"kind=payable&bounds=1.5", number}, {"kind=payable&bounds=99999999999999999999", number},
		{"kind=payable&bounds=60,30", order}, {"kind=payable&bounds=30,30", order},
		{"kind=payable&bounds=0", between}, {"kind=payable&bounds=-1,30", between},
		{"kind=payable&bounds=30,36501", between}, {"kind=payable&bounds=1,2,3,4,5,6,7,8,9,10,11", many},
		{"on=ontem&bounds=x", blank + day + number},
		{fmt.Sprintf("entities=%d,%d&bounds=0", foreign, second), blank + between + unknown},
		{"kind=payable&entities=todas", "entities: deve ter números inteiros, com vírgulas entre eles. "},
	} {
		paths := []string{"/reports/aging?"}
		if !strings.Contains(c.query, "entities") {
			paths = append(paths, fmt.Sprintf("/entities/%d/reports/aging?", second))
		}
		for _, path := range paths {
			a := s.call(t, "GET", path+c.query, with("Accept", "application/problem+json")).want(t, 422)
			faults := ""
			for i := range strings.Count(c.faults, ". ") {
				at := fmt.Sprintf("errors.%d.", i)
				faults += a.at(t, at+"parameter") + ": " + a.at(t, at+"message") + ". "
				if a.at(t, at+"hint") == "" || a.at(t, at+"code") == "" {
					t.Errorf("%s: no hint or no code", c.query)
				}
			}
			equal(t, faults, c.faults)
		}
	}
	for _, id := range []int64{foreign, 987654321} {
		s.call(t, "GET", fmt.Sprintf("/entities/%d/reports/aging?kind=payable", id)).want(t, http.StatusNotFound)
	}
}

func TestAgingNeedsThePermissionOfItsKind(t *testing.T) {
	t.Parallel()
	s := newAgingService(t)
	for _, p := range finance.Permissions {
		token := s.member(t, finance.Access{AllEntities: true, Denied: []string{string(p)}})
		for _, kind := range []finance.AccountKind{finance.Payable, finance.Receivable} {
			status := http.StatusOK
			if p == kind.Permission() {
				status = http.StatusForbidden
			}
			for _, path := range []string{fmt.Sprintf("/entities/%d", s.EntityID), ""} {
				a := s.call(t, "GET", path+"/reports/aging?kind="+string(kind), as(token)).want(t, status)
				if status == http.StatusForbidden {
					equal(t, a.header.Get("X-Error-Code"), "forbidden")
				}
			}
		}
	}
	sees := s.member(t, finance.Access{})
	a := s.askAging(t, "/reports/aging?kind=payable", as(sees))
	equal(t, fmt.Sprint(a.Total.Count, len(a.Total.Groups), len(a.People)), "0 5 0")
}

func TestAgingIsOfAtMost10000People(t *testing.T) {
	t.Parallel()
	s := newAgingService(t)
	s.exec(t, `INSERT INTO people (account_id, name, customer, supplier)
		SELECT $1, 'P' || n, true, true FROM generate_series(1, 10000) n`, s.AccountID)
	s.exec(t, `INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month,
			person_id)
		SELECT account_id, $1, 'payable', date '2026-03-01' - day, id % 7 + 1, '2026-03-01', id
		FROM people, unnest(ARRAY[0, 90]) AS day`, s.EntityID)
	path := fmt.Sprintf("/entities/%d/reports/aging?kind=payable", s.EntityID)
	sent, err := s.send(t.Context(), "GET", path+"&on=2026-12-31") // call takes 20 s to check the document
	if err != nil {
		t.Fatal(err)
	}
	a := sent.aging(t)
	equal(t, fmt.Sprint(len(a.People), a.Total.Count), "10000 20000")
	for i := range a.People[1:] { // the largest sum first, then by id
		p, next := a.People[i], a.People[i+1]
		if p.Sum < next.Sum || p.Sum == next.Sum && *p.ID >= *next.ID {
			t.Fatalf("%d with %s before %d with %s", *p.ID, p.Sum, *next.ID, next.Sum)
		}
	}
	s.newAccount(t, finance.Payable, `"due_date":"2026-03-01","amount":1`) // of nobody
	s.call(t, "GET", path).wantBody(t, 422, `{"base":["As contas são de mais de 10000 pessoas."]}`)
	s.call(t, "GET", path+"&on=2025-01-01").want(t, http.StatusOK)
}

func TestAgingOfSumsBeyondAmounts(t *testing.T) {
	t.Parallel()
	s := newAgingService(t)
	for range 3 {
		s.newAccount(t, finance.Payable, `"due_date":"2026-03-01","amount":"9999999999999.99"`)
	}
	a := s.call(t, "GET", "/reports/aging?kind=payable").want(t, http.StatusOK)
	equal(t, a.at(t, "aging.total.sum")+" "+a.at(t, "aging.people.0.groups.1.sum"),
		"29999999999999.97 29999999999999.97")
}
