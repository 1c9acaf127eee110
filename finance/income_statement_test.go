package finance

import (
	"errors"
	"testing"
)

// A statement has as many rows, with a cell for each month, as its entries, transactions or budgets have categories.
func TestIncomeStatementsAreBounded(t *testing.T) {
	t.Parallel()
	q := IncomeStatementQuery{From: MonthOf(date(t, "2021-01-01")), To: MonthOf(date(t, "2025-12-01"))}
	most := MaxIncomeCells/MaxStatementMonths - 1 // the result is a row, too
	var categories []Category
	var entries []IncomeEntry
	var planned []Planned
	for id := range int64(most + 2) {
		categories = append(categories, Category{ID: id + 1})
		entries = append(entries, IncomeEntry{CategoryID: id + 1, Kind: CategoryRow, Month: q.From})
		planned = append(planned, Planned{CategoryID: id + 1, Month: q.From, Amount: "1"})
	}
	for name, of := range map[string]func(n int) (*IncomeStatement, error){
		"entries": func(n int) (*IncomeStatement, error) {
			return NewIncomeStatement(q, categories, entries[:n], nil, nil)
		},
		"without account": func(n int) (*IncomeStatement, error) {
			return NewIncomeStatement(q, categories, nil, entries[:n], nil)
		},
		"budgets": func(n int) (*IncomeStatement, error) {
			return NewIncomeStatement(q, categories, nil, nil, planned[:n])
		},
	} {
		if s, err := of(most); err != nil || len(s.Rows)+len(s.WithoutAccount) != most {
			t.Errorf("%s: %d categories: %v", name, most, err)
		}
		var refused *Invalid
		if _, err := of(most + 2); !errors.As(err, &refused) || refused.Messages[0].Attribute != "to" ||
			refused.Messages[0].Text != "o relatório teria mais de 100.000 células" {
			t.Errorf("%s: %d categories: %v", name, most+2, err)
		}
	}
}
