package monitor

import (
	"context"
	"fmt"

	"bordero/storage/operators"
)

// largest is the number of accounts that the page lists by bytes, and by rows.
const largest = 20

// counts are the tables of the columns of the largest accounts, with their names on the page.
var counts = []struct{ table, name string }{
	{"financial_transactions", "Transactions"}, {"imported_items", "Imported items"},
	{"ignored_items", "Ignored items"},
	{"financial_accounts", "Payables and receivables"}, {"sales", "Sales"}, {"credit_card_transactions", "Purchases"},
	{"changes", "Changes"}, {"deliveries", "Deliveries"},
}

func (m *Monitor) fillSizes(ctx context.Context, s *section) error {
	sizes, err := operators.LargestAccounts(ctx, m.store.Queries, largest)
	s.Columns = []column{{Name: "Account", Number: true}, {Name: "Size", Number: true},
		{Name: "Of files", Number: true}, {Name: "Rows", Number: true}}
	for _, c := range counts {
		s.Columns = append(s.Columns, column{Name: c.name, Number: true})
	}
	s.Columns = append(s.Columns, column{Name: "Counted"})
	for _, a := range sizes {
		cells := texts(cell{Text: fmt.Sprint(a.AccountID), More: a.Name}, megabytes(a.Bytes), megabytes(a.Files),
			a.Rows)
		for _, c := range counts {
			rows, known := a.Of[c.table]
			cells = append(cells, cell{Text: "few"})
			if known {
				cells[len(cells)-1].Text = fmt.Sprint(rows)
			}
		}
		s.Rows = append(s.Rows, row{Cells: append(cells, m.since(a.CountedAt))})
	}
	s.More = fmt.Sprintf("The %d largest by size and by rows, counted daily. An account has the share of a table's "+
		"bytes that it has of its rows. Few: it is not among the 100 largest of the table. What grows, and what "+
		"removes it: docs/operations/growth.md.", largest)
	return err
}

// megabytes formats a number of bytes.
func megabytes(n int64) string {
	if n < 10_000_000 {
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.0f MB", float64(n)/1e6)
}
