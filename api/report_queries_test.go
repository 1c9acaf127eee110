package api_test

import (
	"strings"
	"testing"

	"bordero/api"
	"bordero/internal/tier"
)

// reportQueries are the questions to a report, by the last part of its path.
var reportQueries = map[string][]string{
	"totals":           {"", "group_by=person,category_tree", "group_by=month,center"},
	"cash_flow":        {"from=2026-01-01&to=2026-12-31&by_account=true&by=week"},
	"aging":            {"kind=payable", "kind=receivable&on=2026-03-10"},
	"income_statement": {"from=2026-01&to=2026-12"},
}

// A report takes the same statements whatever the number of its records, its groups and its entities.
func TestReportsTakeTheSameStatementsWhateverTheirSize(t *testing.T) {
	t.Parallel()
	s, statements := metered(t)
	ids := s.records(t)
	count := func() map[string]int64 {
		s.exec(t, `UPDATE financial_accounts f SET
				person_id = (SELECT min(id) + f.id % count(*) FROM people),
				category_id = (SELECT max(id) - f.id % (count(*) / 2) FROM categories);
			UPDATE financial_transactions SET (person_id, category_id) = (SELECT f.person_id, f.category_id
				FROM financial_accounts f ORDER BY f.id <> financial_transactions.id LIMIT 1);
			UPDATE sales SET (person_id, category_id) = (SELECT f.person_id, f.category_id
				FROM financial_accounts f ORDER BY f.id <> sales.id LIMIT 1);
			UPDATE credit_card_transactions SET (person_id, category_id) = (SELECT f.person_id, f.category_id
				FROM financial_accounts f ORDER BY f.id <> credit_card_transactions.id LIMIT 1);
			INSERT INTO financial_account_center_classifications (account_id, financial_account_id,
					classification_center_id, percentage)
				SELECT f.account_id, f.id, c.id, 30 FROM financial_accounts f, (SELECT * FROM classification_centers
					ORDER BY id LIMIT 30) c`)
		all := map[string]int64{}
		for _, r := range api.Routes() {
			for _, q := range reportQueries[r.Path[strings.LastIndex(r.Path, "/")+1:]] {
				if !r.Costly {
					t.Errorf("%s: a report is costly", r.Path)
				}
				path, _, _ := strings.Cut(ids.path(r), "?")
				path += "?" + q
				s.call(t, "GET", path).want(t, 200) // prepares the statements
				before := statements.Load()
				s.call(t, "GET", path).want(t, 200)
				all[path] = statements.Load() - before
			}
		}
		return all
	}
	few := count()
	s.fill(t, tier.Size(20, 200))
	for path, lots := range count() {
		if lots != few[path] || lots == 0 || lots > 20 {
			t.Errorf("%s: %d statements for few records, %d for many", path, few[path], lots)
		}
	}
	if len(few) < 40 {
		t.Errorf("%d reports", len(few))
	}
}

// Each page of a sheet takes the same statements.
func TestThePagesOfASheetTakeTheSameStatements(t *testing.T) {
	t.Parallel()
	s, statements := metered(t)
	count := func(records int) int64 {
		list := s.transactions(t, records)
		before := statements.Load()
		equal(t, len(s.call(t, "GET", list+".csv").rows(t, ',')), records+1)
		return statements.Load() - before
	}
	count(1) // prepares the statements
	few, first, second, fourth := count(3), count(450), count(950), count(1950)
	page := second - first
	if few != first || fourth-second != 2*page || page == 0 || page > 6 {
		t.Errorf("statements: %d for few records, %d, %d and %d for 1, 2 and 4 pages", few, first, second, fourth)
	}
}
