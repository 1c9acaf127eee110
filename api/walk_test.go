package api_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/tier"
	"bordero/storage/storagetest"
)

// The tests of this file check every route of the table, so they also cover new routes.

// ofx is a small statement.
const ofx = "OFXHEADER:100\n<OFX></OFX>"

func lastID(path string) int64 {
	id, _ := strconv.ParseInt(path[strings.LastIndex(path, "/")+1:], 10, 64)
	return id
}

var parameters = regexp.MustCompile(`(\w+)/:(\w+)`)

// parameter returns the name of a path's parameter. The alias /value of /values has one of its own,
// so that both can delete a record.
func parameter(list, name string) string {
	if list == "value" {
		return list
	}
	return name
}

// names returns the parameters of a route, from left to right.
func (records) names(r api.Route) (names []string) {
	for _, m := range parameters.FindAllStringSubmatch(r.Path, -1) {
		if m[2] == "month" { // not the id of a record
			continue
		}
		names = append(names, parameter(m[1], m[2]))
	}
	return names
}

// path returns a route's path with the ids.
func (ids records) path(r api.Route) string {
	return ids.pathWith(r, func(_ string, id string) string { return id })
}

// pathWith returns a route's path with the ids as change spells them, and the filters that the route
// requires.
func (ids records) pathWith(r api.Route, change func(name, id string) string) string {
	search := ""
	if strings.HasSuffix(r.Path, "/suggestions") || strings.HasSuffix(r.Path, "/reconciliation_rules/preview") {
		search = fmt.Sprintf(
			"?search[deposit_account_id]=%d&search[occurred_at_gte]=2026-03-01&search[occurred_at_lte]=2026-03-31",
			ids["deposit_account_id"])
	}
	if strings.HasSuffix(r.Path, "/reconciliation") || strings.HasSuffix(r.Path, "/cash_flow") {
		search = "?from=2026-03-01&to=2026-03-31"
	}
	if strings.HasSuffix(r.Path, "/reports/income_statement") {
		search = "?from=2026-03&to=2026-03"
	}
	if strings.HasSuffix(r.Path, "/reports/aging") {
		search = "?kind=payable"
	}
	return parameters.ReplaceAllStringFunc(r.Path, func(part string) string {
		list, name, _ := strings.Cut(part, "/:")
		if name == "month" {
			return list + "/2026-03" // the month of the records
		}
		name = parameter(list, name)
		return list + "/" + change(name, strconv.FormatInt(ids[name], 10))
	}) + search
}

// but returns the ids with those of other from the i-th parameter on.
func (ids records) but(r api.Route, i int, other func(name string) int64) records {
	ids = maps.Clone(ids)
	for _, name := range ids.names(r)[i:] {
		ids[name] = other(name)
	}
	return ids
}

const missingID = 987654321

func missing(string) int64 { return missingID }

// valid sends a request body that the route accepts: a file, or the example of the OpenAPI document.
func valid(t testing.TB, r api.Route) option {
	if strings.HasSuffix(r.Path, "/bank_statements") && r.Method == "POST" {
		return parts(file("a.ofx", ofx))
	}
	if strings.HasSuffix(r.Path, "/attachments") && r.Method == "POST" {
		return parts(attachment("nota.pdf", "application/pdf", pdf))
	}
	if example := requestExample(t, r, "application/json"); example != "" {
		return document(example)
	}
	return func(*http.Request) {}
}

var formats = []string{"application/json", "application/xml"}

// drawn differs in each run, so that other values are tried on each push.
var drawn = rand.IntN(1 << 20)

// tried reports whether a walk sends its value i at its place j. The long tier sends all values at all places.
// A push sends, at each place, one of so many values, and each value at one of so many places.
func tried(i, j, of int) bool { return tier.Long() || (i+j+drawn)%of == 0 }

func TestEveryRouteAsksForAToken(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	revoked := s.member(t, finance.Access{Administrator: true, AllEntities: true})
	s.exec(t, `UPDATE tokens SET revoked_at = now() WHERE prefix = $1`, revoked[:6])
	expired := s.member(t, finance.Access{Administrator: true, AllEntities: true})
	s.exec(t, `UPDATE tokens SET expires_at = now() WHERE prefix = $1`, expired[:6])
	bodies := map[string]string{
		"application/json": `{"error":"HTTP Basic: Access denied."}`,
		"application/xml": `<?xml version="1.0" encoding="UTF-8"?><errors><error>HTTP Basic: Access denied.</error>` +
			`</errors>`,
	}
	for name, token := range map[string]string{"none": "", "wrong": strings.Repeat("a", 48), "revoked": revoked,
		"expired": expired} {
		t.Run(name, func(t *testing.T) {
			for _, r := range api.Routes() {
				for format, body := range bodies {
					a := s.call(t, r.Method, ids.path(r), as(token), valid(t, r), with("Accept", format))
					a.wantBody(t, http.StatusUnauthorized, body)
					equal(t, a.header.Get("WWW-Authenticate"), `Basic realm="bordero"`)
				}
			}
		})
	}
}

func TestForeignRecordsLookMissing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	own := s.records(t)
	elsewhere := *s
	elsewhere.Tenant = storagetest.NewTenant(t, s.store)
	foreign := elsewhere.records(t)
	s.join(t, elsewhere.AccountID)
	sibling := *s
	sibling.EntityID = s.anotherEntity(t).ID
	beside := sibling.records(t)
	second := s.records(t)
	outsider := s.member(t, finance.Access{EntityIDs: []int64{sibling.EntityID}})

	before := elsewhere.everything(t, foreign)
	for _, c := range []struct {
		name, token string
		other       records
		from        int // the first parameter that is replaced
	}{
		{"a record of another account", s.newToken(t), foreign, 0},
		{"a record of another account of the user, which the token does not open", s.Token, foreign, 0},
		{"a record of another entity", s.Token, beside, 1},
		{"a record of another deposit account", s.Token, second, 2},
		{"a record of an entity that the user may not see", outsider, own, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			place := 0
			for _, r := range api.Routes() {
				if isShared(r) || c.token == outsider && (ofAccountLevel(r) || ofAdministrators(r)) {
					continue // every member of the account sees it
				}
				if c.token == outsider && r.Method == "DELETE" && r.Path == "/entities/:entity_id" {
					continue // forbidden to this user for every entity
				}
				for i := c.from; i < len(own.names(r)); i++ {
					if own.names(r)[i] == "bank_statement_item_id" {
						continue // a number within the statement: it exists in both
					}
					place++
					for f, format := range formats {
						if !tried(f, place, len(formats)) {
							continue
						}
						ask := func(ids records) answer {
							return s.call(t, r.Method, ids.path(r), as(c.token), valid(t, r), with("Accept", format),
								with("X-Request-Id", "same")).
								want(t, http.StatusNotFound)
						}
						others := ask(own.but(r, i, func(name string) int64 { return c.other[name] }))
						none := ask(own.but(r, i, missing))
						equal(t, nameless(others), nameless(none))
					}
				}
			}
		})
	}
	t.Run("and nothing of it has changed", func(t *testing.T) {
		equal(t, elsewhere.everything(t, foreign), before)
	})
}

// ofAccountLevel reports whether the records of a route belong to no entity.
func ofAccountLevel(r api.Route) bool {
	return strings.HasPrefix(r.Path, "/people") || strings.HasPrefix(r.Path, "/categories") ||
		strings.HasPrefix(r.Path, "/custom_classifiers")
}

// ofAdministrators reports whether the route is only for administrators, who see all entities.
func ofAdministrators(r api.Route) bool {
	return strings.HasPrefix(r.Path, "/integrations/") || ofMembers(r)
}

// ofMembers reports whether the route is about the members and tokens of the account, and no entity.
func ofMembers(r api.Route) bool {
	return strings.HasPrefix(r.Path, "/tokens") || strings.HasPrefix(r.Path, "/members")
}

// isShared reports whether the records of a route are the same for everybody.
func isShared(r api.Route) bool {
	return strings.HasPrefix(r.Path, "/taxes") || strings.HasPrefix(r.Path, "/banks") ||
		strings.HasPrefix(r.Path, "/currencies")
}

// nameless returns an answer without the requested id and the time.
func nameless(a answer) answer {
	a.request = ""
	a.header = a.header.Clone()
	a.header.Del("Date")
	a.header.Del("Content-Length") // depends on the length of the id
	a.body = regexp.MustCompile(`(id=|ID )\d+`).ReplaceAllString(a.body, "${1}N")
	return a
}

// everything returns the answer of every GET route for the records.
func (s *service) everything(t testing.TB, ids records) (bodies []string) {
	t.Helper()
	for _, r := range api.Routes() {
		// a download has another URL each time; no deletion is pending
		if r.Method == "GET" && !strings.HasSuffix(r.Path, "/download") && !strings.HasSuffix(r.Path, "/deletion") {
			bodies = append(bodies, s.call(t, "GET", ids.path(r)).want(t, http.StatusOK).body)
		}
	}
	return bodies
}

// A member with only the rights that a route needs may request it; a member who lacks just one of them may not.
func TestRoutesNeedTheirPermissions(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids, tokens := s.records(t), map[string]string{}
	ask := func(r api.Route, ids records, a finance.Access, refused bool) {
		t.Helper()
		user := fmt.Sprintf("%+v", a)
		if tokens[user] == "" {
			tokens[user] = s.member(t, a)
		}
		got := s.call(t, r.Method, ids.path(r), as(tokens[user]), valid(t, r))
		if (got.status == http.StatusForbidden) != refused || refused && got.body != forbidden {
			t.Errorf("%s %s: %d for %s: %s", r.Method, r.Path, got.status, user, got.body)
		}
	}
	for _, r := range api.Routes() {
		needed := neededFor(r)
		least := finance.Access{EntityIDs: []int64{s.EntityID}}
		for _, p := range finance.Permissions {
			if slices.Contains(needed, string(p)) {
				ask(r, ids, finance.Access{AllEntities: true, Denied: []string{string(p)}}, true)
			} else {
				least.Denied = append(least.Denied, string(p))
			}
		}
		switch {
		case ofAdministrators(r), r.Path == "/sandbox/reset", r.Path == "/entities" && r.Method == "POST",
			r.Path == "/entities/:entity_id" && r.Method == "DELETE":
			ask(r, ids, finance.Access{AllEntities: true}, true)
			least = finance.Access{Administrator: true, AllEntities: true}
		case ofAccountLevel(r) && (r.Method == "PUT" || r.Method == "DELETE"):
			ask(r, ids, finance.Access{EntityIDs: []int64{s.EntityID}}, true)
			least.AllEntities, least.EntityIDs = true, nil
		}
		ids := ids
		if names := ids.names(r); r.Method == "DELETE" && len(names) > 0 { // other routes need the record
			ids = ids.but(r, len(names)-1, missing)
		}
		ask(r, ids, least, false)
	}
}

func TestAWrongVerbIs405WithTheRightOnes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := records{"entity_id": 1, "deposit_account_id": 1, "financial_transaction_id": 1, "bank_statement_id": 1,
		"bank_statement_item_id": 1,
		"payable_account_id":     1, "receivable_account_id": 1, "reconcile_id": 1, "transfer_id": 1,
		"reconciliation_rule_id": 1, "budget_id": 1, "credit_card_id": 1, "credit_card_transaction_id": 1,
		"webhook_id": 1, "webhook_delivery_id": 1, "token_id": 1, "member_id": 1}
	verbs := map[string][]string{}
	for _, r := range api.Routes() {
		path := ids.path(r)
		verbs[path] = append(verbs[path], r.Method)
	}
	for path, have := range verbs {
		// Routes of other verbs read the last part of these paths as an id.
		if strings.HasSuffix(path, "/new") || strings.Contains(path, "/suggestions") ||
			strings.Contains(path, "rules/preview") || strings.HasSuffix(path, "_many") ||
			strings.HasSuffix(path, "/deliveries/redeliver") || strings.HasSuffix(path, "/batch") ||
			strings.HasSuffix(path, "credit_cards/transactions") || strings.HasSuffix(path, "/totals") {
			continue
		}
		for _, verb := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
			if slices.Contains(have, verb) {
				continue
			}
			for _, format := range formats {
				a := s.call(t, verb, path, with("Accept", format)).want(t, http.StatusMethodNotAllowed)
				allowed := strings.Split(a.header.Get("Allow"), ", ")
				slices.Sort(allowed)
				slices.Sort(have)
				equal(t, allowed, have)
			}
		}
	}
}

func TestBelowAnEntityThatIsBeingDeletedNothingIsWritten(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	before, files := query[string](t, s, everyCount), len(s.storedFiles(t))
	s.exec(t, `UPDATE entities SET deleted_at = now() WHERE id = $1`, s.EntityID)
	bodies := map[string]string{
		"application/json": `{"base":["A entidade está sendo excluída."]}`,
		"application/xml": `<?xml version="1.0" encoding="UTF-8"?><errors><error>base A entidade está sendo ` +
			`excluída.</error></errors>`,
	}
	for _, r := range api.Routes() {
		for format, body := range bodies {
			a := s.call(t, r.Method, ids.path(r), valid(t, r), with("Accept", format))
			switch {
			case strings.HasSuffix(r.Path, "/download"):
				a.want(t, http.StatusFound)
			case r.Method == "GET":
				a.want(t, http.StatusOK)
			case r.Method == "DELETE" && r.Path == "/entities/:entity_id":
				a.want(t, http.StatusAccepted) // again
			case r.Path == "/classification_centers/batch": // each item names its entity
				if a.want(t, http.StatusOK); !strings.Contains(a.body, "A entidade está sendo excluída.") {
					t.Errorf("%s: %s", r.Path, a.body)
				}
			case strings.Contains(r.Path, ":entity_id"), strings.Contains(r.Path, "classification_centers"),
				strings.Contains(r.Path, "sale_accounts"),
				ofAdministrators(r) && !ofMembers(r):
				a.wantBody(t, http.StatusUnprocessableEntity, body)
			}
		}
	}
	equal(t, query[string](t, s, everyCount), before)
	equal(t, len(s.storedFiles(t)), files)
	if deleted := s.call(t, "GET", "/entities").at(t, "0.entity.deleted_at"); deleted == "<nil>" {
		t.Error("the list does not tell that the entity is being deleted")
	}
}

// everyCount counts the rows below entities. It omits the jobs of deliveries, because account-level
// events go to every webhook.
const everyCount = `SELECT concat_ws(' ', (SELECT count(*) FROM classification_centers WHERE deleted_at IS NULL),
	(SELECT count(*) FROM deposit_accounts), (SELECT count(*) FROM financial_accounts),
		(SELECT count(*) FROM financial_transactions), (SELECT count(*) FROM reconciles),
			(SELECT count(*) FROM transfers), (SELECT count(*) FROM reconciliation_rules),
			(SELECT count(*) FROM budgets),
	(SELECT count(*) FROM sale_accounts), (SELECT count(*) FROM sale_rules), (SELECT count(*) FROM sales),
	(SELECT count(*) FROM credit_cards), (SELECT count(*) FROM credit_card_transactions),
		(SELECT count(*) FROM attachments),
	(SELECT count(*) FROM bank_statements), (SELECT count(*) FROM register_sessions),
		(SELECT count(*) FROM webhooks WHERE deleted_at IS NULL),
	(SELECT count(*) FROM jobs WHERE kind NOT IN ('deliver_webhook', 'delete_cascade')))`
