package api_test

import (
	"slices"
	"strings"
	"testing"

	"bordero/api"
)

// beginFarInto checks that a page far into a list begins there in the index of the list's order, also
// beside filters of its first key, and does not pass over all before it.
func (e *explained) beginFarInto(t *testing.T) {
	t.Helper()
	e.begins(t, "/entities/:entity_id/sales", "", "(id > ")
	e.begins(t, "/entities/:entity_id/receivable_accounts", "", "ROW(status, due_date, id) > ")
	e.begins(t, "/entities/:entity_id/receivable_accounts", "search[status]=2", "ROW(due_date, id) > ")
	e.begins(t, "/entities/:entity_id/receivable_accounts", "search[status]=2&search[due_date_gte]=2020-01-01",
		"ROW(due_date, id) > ")
	transactions := "/entities/:entity_id/deposit_accounts/:deposit_account_id/financial_transactions"
	e.begins(t, transactions, "", "ROW(occurred_at, id) < ")
	e.begins(t, transactions, "search[occurred_at_gte]=2020-01-01&search[occurred_at_lte]=2099-01-01",
		"ROW(occurred_at, id) < ")
}

// begins checks that a page far into a list begins there in an index.
func (e *explained) begins(t *testing.T, list, search, at string) {
	t.Helper()
	path := e.ids.path(api.Route{Method: "GET", Path: list}) + "?" + search
	cursor := e.deep(t, path)
	if cursor == "" {
		t.Fatalf("%s has one page", path)
	}
	e.mu.Lock()
	e.executed = nil
	e.mu.Unlock()
	e.call(t, "GET", path+"&per_page=50&cursor="+cursor).want(t, 200)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.ContainsFunc(e.executed, func(x executed) bool { return x.Plan.begins(at) }) {
		t.Errorf("%s does not begin at its place", path)
	}
}

// begins reports whether an index is entered by a condition.
func (n node) begins(at string) bool {
	return strings.Contains(n.Cond, at) || slices.ContainsFunc(n.Plans, func(below node) bool {
		return below.begins(at)
	})
}

// deep returns the cursor of a page far into a list, and leaves the ids of its records in listed.
func (e *explained) deep(t *testing.T, path string) (cursor string) {
	t.Helper()
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	for range 20 {
		a := e.call(t, "GET", path+join+"per_page=500&cursor="+cursor)
		e.listed = a.idsOf(t)
		next := a.header.Get("X-Next-Cursor")
		if next == "" {
			break
		}
		cursor = next
	}
	return cursor
}
