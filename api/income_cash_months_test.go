package api_test

import (
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"
)

// Accounts that were paid over three years have in each statement the cents that they have in a statement of all
// months.
func TestIncomeByCashOfMonthsIsThatOfTheWholeRange(t *testing.T) {
	t.Parallel()
	s := newServiceOn(t, "2026-05-02")
	below := s.newDepositAccount(t)
	rent := fmt.Sprintf(`,"category_id":%d`, lastID(s.newCategory(t, `{"name":"Aluguel","cost":true}`)))
	pay := func(kind finance.AccountKind, moves string, fields ...string) {
		var accounts, transactions []int64
		for _, f := range fields {
			accounts = append(accounts, lastID(s.newAccount(t, kind, `"due_date":"2024-01-10","amount":`+f)))
		}
		for i := range 30 { // 401.00 in 29 months of 13.37, and the rest
			amount := finance.Amount(1337)
			if i == 29 {
				amount = 40100 - 29*1337
			}
			day := fmt.Sprintf("%d-%02d-05", 2023+(i+6)/12, (i+6)%12+1)
			transactions = append(transactions, lastID(s.newTransaction(t, below, moves, amount.String(), day)))
		}
		s.reconciles(t, accounts, transactions, `,"settle_open":true`).want(t, 200)
	}
	pay(finance.Payable, finance.Debit, `300.01`+rent, `100`+rent, `0.99`)
	pay(finance.Receivable, finance.Credit, `200.33`, `200.67`)
	// amounts are the amounts of all cells, by row and month.
	amounts := func(from, to string) map[string]finance.Amount {
		all := map[string]finance.Amount{}
		for _, row := range s.incomeStatement(t, fmt.Sprintf("%s/reports/income_statement?basis=cash&from=%s&to=%s",
			paths.Entity(s.EntityID), from, to)).Statement.Rows {
			for _, cell := range row.Cells {
				all[fmt.Sprint(row.Kind, finance.OrZero(row.CategoryID), " ", cell.Month)] = cell.Amount
			}
		}
		return all
	}
	whole := amounts("2023-07", "2025-12")
	var paid finance.Amount
	for key, amount := range whole {
		if strings.HasPrefix(key, finance.CategoryRow) {
			paid += amount
		}
	}
	equal(t, paid, -40001)
	for _, months := range [][2]string{{"2023-07", "2023-07"}, {"2023-08", "2023-08"}, {"2024-12", "2025-02"},
		{"2025-12", "2025-12"}, {"2025-11", "2026-04"}} {
		for key, amount := range amounts(months[0], months[1]) {
			equal(t, fmt.Sprint(months, key, amount), fmt.Sprint(months, key, whole[key]))
		}
	}
	equal(t, len(amounts("2023-01", "2023-06"))+len(amounts("2026-01", "2026-04")), 0)
}

// A statement by cash is refused if it has too many sums, though they are of one reconcile.
func TestIncomeByCashIsBounded(t *testing.T) {
	t.Parallel()
	s := newServiceOn(t, "2026-05-02")
	below := s.newDepositAccount(t)
	path := paths.Entity(s.EntityID) + "/reports/income_statement?basis=cash&from=2021-01&to=2025-12"
	s.exec(t, `INSERT INTO categories (account_id, name, full_name, cost, revenue)
		SELECT $1, 'C' || n, 'C' || n, true, false FROM generate_series(1, 1700) n`, s.AccountID)
	s.exec(t, `INSERT INTO reconciles (account_id, entity_id, kind) VALUES ($1, $2, 'payable')`, s.AccountID,
		s.EntityID)
	s.exec(t, `INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at, amount,
			total_amount, competency_month, category_id, reconcile_id)
		SELECT $1, $2, 'payable', 3, '2021-01-04', '2021-01-04', 60, 60, '2021-01-01', id,
			(SELECT max(id) FROM reconciles)
		FROM categories WHERE account_id = $1 AND name ~ '^C[0-9]+$'`, s.AccountID, s.EntityID)
	s.exec(t, `INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id,
			reconcile_id)
		SELECT $1, $2, -1700, day, 1, (SELECT max(id) FROM reconciles)
		FROM generate_series(date '2021-01-04', '2025-12-04', '1 month') day`, s.AccountID, lastID(below))
	refused := s.refusal(t, "GET", path)
	equal(t, fmt.Sprint(refused.Status, refused.Code), "422too_many_groups")
	equal(t, refused.Errors[0].Message+" "+refused.Errors[0].Hint, "o relatório teria mais de 100.000 células Peça "+
		"menos meses, ou menos entidades.")
	s.call(t, "GET", paths.Entity(s.EntityID)+"/reports/income_statement?basis=cash&from=2021-01&to=2021-12").
		want(t, 200)
}
