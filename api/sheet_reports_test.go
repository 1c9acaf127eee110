package api_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// trickyNames are names that a spreadsheet would take for formulas, and names with line ends and separators.
const trickyNames = `(ARRAY['=1+1', '+2', '-3%', '@SUM(A1)', E'\tx4', E'\rx5', E'a\r\nb', E'c\nd', ';e', ',f', '"g"'])`

// Each row of a report as a sheet is one of the report in JSON; a name is a text, whatever it begins with.
func TestReportsAreSheets(t *testing.T) {
	t.Parallel()
	s := newServiceOn(t, "2026-08-05")
	s.books(t)
	s.exec(t, `INSERT INTO people (account_id, id, name, customer, supplier)
			SELECT 1, 8999 + n, `+trickyNames+`[n], true, true FROM generate_series(1, 11) n;
		INSERT INTO categories (account_id, id, name, full_name, revenue, cost)
			SELECT account_id, id, name, name, true, true FROM people WHERE id >= 9000;
		INSERT INTO deposit_accounts (account_id, entity_id, id, name, deposit_account_type_id, currency_id)
			SELECT account_id, 1, id, name, 1, 1 FROM people WHERE id >= 9000;
		INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, competency_month, amount, person_id,
				category_id, expected_deposit_account_id)
			SELECT account_id, 1, 'payable', '2026-08-01', '2026-08-01', id - 8999, id, id, id FROM people
			WHERE id >= 9000;
		UPDATE deposit_accounts SET deleted_at = now() WHERE id = 9003; -- its name is null in a cash flow
		UPDATE custom_classifier_values SET value = '=' || value`)
	const flows = "?from=2026-08-01&to=2026-08-31&by=week"
	groups, aged := flattened("totals", "total"), flattened("aging", "people", "groups")
	buckets, byAccount := flattened("cash_flow", "buckets"), flattened("cash_flow", "accounts", "buckets")
	for path, rows := range map[string]func(answer) []string{
		"/entities/1/payable_accounts/totals?group_by=person":                   groups,
		"/entities/1/payable_accounts/totals?group_by=deposit_account,category": groups,
		"/payable_accounts/totals?group_by=category_tree,month":                 groups,
		"/receivable_accounts/totals?group_by=center,classifier:1":              groups,
		"/sales/totals?group_by=entity,classifier:1":                            groups,
		"/entities/1/reports/aging?kind=payable":                                aged,
		"/reports/aging?kind=payable&bounds=5":                                  aged,
		"/entities/1/cash_flow" + flows:                                         buckets,
		"/cash_flow" + flows + "&by_account=true":                               byAccount,
	} {
		records := rows(s.call(t, "GET", path).want(t, 200))
		at, query, _ := strings.Cut(path, "?")
		sheet := s.call(t, "GET", at+".csv?"+query)
		if len(records) == 0 {
			t.Errorf("%s: no rows", path)
		}
		sameRecords(t, path, sheet.rows(t, ','), records)
		equal(t, sheet.header.Get("ETag")+sheet.header.Get("Cache-Control"), "no-store")
		book := s.call(t, "GET", at+".xlsx?"+query).workbook(t)
		sameRecords(t, path, book.rows, records)
		book.checkSums(t, path)
	}
	names := s.call(t, "GET", "/payable_accounts/totals.csv?group_by=person").body
	for _, cell := range []string{",'=1+1,", ",'+2,", ",'-3%,", ",'@SUM(A1),", ",'\tx4,", ",\"'\rx5\",",
		",\"a\r\nb\",", ",\"c\nd\",", ",;e,", ",\",f\",", `,"""g""",`} {
		if !strings.Contains(names, cell) {
			t.Errorf("no cell %q in %q", cell, names)
		}
	}
}

// flattened returns a function for the innermost records below members of a document, each with the plain
// members of the record whose list it is in.
func flattened(members ...string) func(answer) []string {
	return func(a answer) (all []string) {
		d := json.NewDecoder(strings.NewReader(a.body))
		d.UseNumber()
		var document map[string]any
		if err := d.Decode(&document); err != nil {
			return nil
		}
		var open func(of, around map[string]any, members []string)
		open = func(of, around map[string]any, members []string) {
			if len(members) == 0 {
				row := map[string]any{}
				maps.Copy(row, around)
				maps.Copy(row, of)
				maps.DeleteFunc(row, func(name string, _ any) bool { return name == "lists" || name == "href" })
				text, _ := json.Marshal(map[string]any{"row": row})
				all = append(all, string(text))
				return
			}
			below, isList := of[members[0]].([]any)
			if !isList {
				open(of[members[0]].(map[string]any), nil, members[1:])
				return
			}
			delete(of, members[0])
			if around == nil { // of is no record of a list
				of = map[string]any{}
			}
			for _, one := range below {
				open(one.(map[string]any), of, members[1:])
			}
		}
		open(document, nil, members)
		return all
	}
}
