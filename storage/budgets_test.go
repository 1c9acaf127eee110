package storage_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/storage/reports"
	"bordero/storage/storagetest"
)

// budgetsOfAReport fills the account # with budgets, and with entities, centers and categories of the ids #01 to #14.
const budgetsOfAReport = `
	INSERT INTO accounts (id, name) OVERRIDING SYSTEM VALUE VALUES (#, 'a');
	INSERT INTO entities (account_id, id, name) OVERRIDING SYSTEM VALUE
	VALUES (#, #01, 'e'), (#, #02, 'e'), (#, #03, 'e');
	INSERT INTO classification_centers (account_id, entity_id, id, name, cost_center, revenue_center)
	OVERRIDING SYSTEM VALUE VALUES (#, #01, #01, 'c', true, true), (#, #01, #02, 'c', true, true);
	INSERT INTO categories (account_id, id, name, full_name, revenue, cost, deleted_at) OVERRIDING SYSTEM VALUE
	VALUES (#, #11, 'r', 'r', true, false, NULL), (#, #12, 'c', 'c', false, true, NULL),
		(#, #13, 'both', 'both', true, true, NULL), (#, #14, 'hidden', 'hidden', true, false, now());
	INSERT INTO budgets (account_id, entity_id, month, category_id, classification_center_id, amount)
	VALUES (#, #01, '2026-07-01', #11, NULL, 1), (#, #01, '2026-08-01', #11, NULL, 2),
		(#, #01, '2026-08-01', #12, NULL, 3.5), (#, #01, '2026-08-01', #12, #01, 4),
		(#, #01, '2026-08-01', #12, #02, 5), (#, #01, '2026-08-01', #13, NULL, 0.01),
		(#, #01, '2026-09-01', #14, NULL, 7), (#, #01, '2026-10-01', #11, NULL, 8),
		(#, #02, '2026-09-01', #11, NULL, 9999999999999.99), (#, #03, '2026-09-01', #11, NULL, 10)`

// A report plans with the budgets of its months and entities, of one center or without one.
func TestBudgetsOfAReport(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	exec := func(sql string) {
		t.Helper()
		if _, err := database.Owner.ExecContext(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, account := range []string{"7", "8"} {
		exec(strings.ReplaceAll(budgetsOfAReport, "#", account))
	}
	read := func(entities []int64, months string, center *int64) (string, error) {
		var from, to finance.Month
		first, last, _ := strings.Cut(months, " ")
		if from.UnmarshalText([]byte(first)) != nil || to.UnmarshalText([]byte(last)) != nil {
			t.Fatal(months)
		}
		all, err := reports.Budgets(t.Context(), database.Store.Queries,
			reports.Scope{AccountID: 7, EntityIDs: entities}, from, to, center)
		var text []string
		for _, p := range all {
			text = append(text, fmt.Sprint(p.EntityID, p.CategoryID, " ", p.Month, " ", p.Amount))
		}
		return strings.Join(text, ", "), err
	}
	mine, theirs := int64(701), int64(801)
	for name, c := range map[string]struct {
		entities []int64
		months   string
		center   *int64
		want     string
	}{
		"of no center": {[]int64{701}, "2026-08 2026-09", nil,
			"701 711 2026-08 2.0, 701 712 2026-08 -3.5, 701 713 2026-08 0.01"},
		"of a center":  {[]int64{701}, "2026-01 2026-12", &mine, "701 712 2026-08 -4.0"},
		"of one month": {[]int64{701}, "2026-10 2026-10", nil, "701 711 2026-10 8.0"},
		"of several entities": {[]int64{702, 703}, "2026-01 2026-12", nil,
			"702 711 2026-09 9999999999999.99, 703 711 2026-09 10.0"},
		"of an entity of another account": {[]int64{801}, "2026-01 2026-12", nil, ""},
		"of a center of another account":  {[]int64{701, 801}, "2026-01 2026-12", &theirs, ""},
	} {
		if got, err := read(c.entities, c.months, c.center); got != c.want || err != nil {
			t.Errorf("%s: %s %v", name, got, err)
		}
	}
	exec(`SET LOCAL session_replication_role = replica; -- references are not checked
		INSERT INTO budgets (account_id, entity_id, month, category_id, amount)
		SELECT 7, 703, date '0101-01-01' + n * interval '1 month', 713, 1 FROM generate_series(0, 99999) n`)
	const all = "0101-01 9999-12"
	if _, err := read([]int64{703}, all, nil); err == nil || !strings.Contains(err.Error(), "100.000 orçamentos") {
		t.Errorf("too many: %v", err)
	}
	exec(`DELETE FROM budgets WHERE entity_id = 703 AND category_id = 711`)
	if _, err := read([]int64{703}, all, nil); err != nil {
		t.Errorf("as many as a report may have: %v", err)
	}
}
