package storage_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"bordero/finance"
	"bordero/storage/imports"
)

// A row that stands twice in a file, with one id, is two movements, as two coffees of a day are: what it adds
// is no wrong initial balance and no missing week. A file that comes again with other ids adds nothing,
// and hides nothing.
func TestADoubledExportIsNotExplainedByAnythingElse(t *testing.T) {
	t.Parallel()
	moved := movement(4, 3, 1)
	twice := func(again ...imports.StagedItem) func(int) []imports.StagedItem {
		return func(n int) []imports.StagedItem {
			items := week(n)
			for _, i := range again {
				if slices.Contains(items, i) {
					items = append(items, i)
				}
			}
			return items
		}
	}
	// renamed are the rows of a week as the bank exports them once more, with other ids.
	renamed := func(n int) []imports.StagedItem {
		items := week(n)
		for i := range items {
			items[i].FITID = fmt.Sprint("NEW", i)
		}
		return items
	}
	but := func(missing int, file func(int) []imports.StagedItem) func(int) []imports.StagedItem {
		return func(n int) []imports.StagedItem {
			if n == missing {
				return nil
			}
			return file(n)
		}
	}
	none := func(*testing.T, *months) {}
	wrongInitial := func(t *testing.T, m *months) { m.initial(t, openingBalance-1234) }
	type explained = map[finance.ExplanationKind]finance.Amount
	for name, test := range map[string]struct {
		file       func(n int) []imports.StagedItem
		plant      func(t *testing.T, m *months)
		difference finance.Amount
		want       explained
	}{
		"a row":                   {twice(moved), none, -moved.Amount, nil},
		"a row of the first file": {twice(movement(0, 2, 1)), none, -movement(0, 2, 1).Amount, nil},
		"a row of the last day":   {twice(movement(8, 6, 2)), none, -movement(8, 6, 2).Amount, nil},
		"a file":                  {twice(week(4)...), none, -sumOf(week(4)), nil},
		"the first file":          {twice(week(0)...), none, -sumOf(week(0)), nil},
		"a row, and a wrong initial balance": {twice(movement(0, 2, 1)), wrongInitial, 1234 - movement(0, 2, 1).Amount,
			nil},
		"a row, and a week is missing before": {but(3, twice(moved)), none, sumOf(week(3)) - moved.Amount, nil},
		"a row, and a week is missing after":  {but(5, twice(moved)), none, sumOf(week(5)) - moved.Amount, nil},
		"a row, of which one is deleted": {twice(moved), func(t *testing.T, m *months) { m.change(t, moved, nil) },
			0, nil},
		"a row, in the first file sent again": {
			week, func(t *testing.T, m *months) { m.file(t, 0, twice(movement(0, 2, 1))(0)) },
			-movement(0, 2, 1).Amount, nil},
		"a row, in a file sent again, and a week is missing": {but(3, week), func(t *testing.T, m *months) {
			m.file(t, 4, twice(moved)(4))
		},
			sumOf(week(3)) - moved.Amount, nil},
		"a file sent again with other ids": {week, func(t *testing.T, m *months) { m.file(t, 4, renamed(4)) }, 0, nil},
		"a file sent again with other ids, and a wrong initial balance": {week, func(t *testing.T, m *months) {
			m.file(t, 0, renamed(0))
			wrongInitial(t, m)
		}, 1234, explained{finance.OpeningBalance: 1234}},
		"a file sent again with other ids, and a week is missing": {but(5, week), func(t *testing.T, m *months) {
			m.file(t, 6, renamed(6))
		},
			sumOf(week(5)), explained{finance.MissingPeriod: sumOf(week(5))}},
		"a file sent again with other ids, and an edited row": {week, func(t *testing.T, m *months) {
			m.file(t, 4, renamed(4))
			m.change(t, moved, func(f *finance.FinancialTransaction) { f.Amount += 99 })
		}, -99, explained{finance.EditedItems: -99}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newImports(t).monthsOf(t, test.file)
			test.plant(t, m)
			p := m.proof(t)
			if found := summary(p); string(*p.Difference) != test.difference.String() || !maps.Equal(found, test.want) {
				t.Errorf("%s by %s, want %s: %v", p.Status, *p.Difference, test.difference, found)
			}
		})
	}
}
