package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"bordero/finance"
)

// measureTotals compares the totals of an entity's transactions by category and month with a GROUP BY of the
// same rows, in rows per second.
func measureTotals(ctx context.Context, h *harness) (ours, floor figure) {
	s := h.service(ctx, "api")
	s.transact(ctx)
	path := s.path("/financial_transactions/totals?group_by=category,month")
	groups := one[int](ctx, s.db, `SELECT count(DISTINCT (category_id, date_trunc('month', occurred_at)))
		FROM financial_transactions`)
	perSecond := func(sum func() int) figure {
		return repeated(s.summed, func(context.Context) time.Duration {
			began := time.Now()
			if n := sum(); n != groups {
				check(fmt.Errorf("%d groups instead of %d", n, groups))
			}
			return time.Since(began)
		})
	}
	return perSecond(func() int {
			var totals struct{ Totals []json.RawMessage }
			s.ask(ctx, http.MethodGet, path, "", &totals)
			return len(totals.Totals)
		}), perSecond(func() int {
			return one[int](ctx, s.db, `
				SELECT count(*) FROM (
					SELECT category_id, date_trunc('month', occurred_at), count(*),
						sum(amount) FILTER (WHERE amount > 0), sum(amount) FILTER (WHERE amount < 0), sum(amount)
					FROM financial_transactions
					WHERE account_id = $1 AND deposit_account_id = ANY (ARRAY(
						SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2))
					GROUP BY 1, 2) g`, s.AccountID, s.EntityID)
		})
}

// measureCashFlow measures the cash flow by day of the last year, of a month with today, and of the month in the
// middle of the transactions, whose opening takes the longest: one request at a time, the median of five.
func measureCashFlow(ctx context.Context, h *harness) (ours, floor figure) {
	s := h.service(ctx, "api")
	s.transact(ctx)
	s.owe(ctx, s.summed/10, 1, false)
	today := finance.DateOf(time.Now())
	ask := func(from, to int) float64 { // days from today
		return s.median(ctx, s.path("/cash_flow?by=day&from=%v&to=%v", today.AddDays(from), today.AddDays(to)))
	}
	return func(context.Context, time.Duration) sample {
		return sample{ask(-365, 0), map[string]float64{"month": ask(-20, 10), "past_month": ask(-565, -535)}}
	}, nil
}

// measureAging measures the aging of the payable accounts of an entity, today and a month ago: one request at a
// time, the median of five. One account in nine is open.
func measureAging(ctx context.Context, h *harness) (ours, floor figure) {
	s := h.service(ctx, "api")
	s.owe(ctx, s.summed, 9, false)
	path := s.path("/reports/aging?kind=payable")
	monthAgo := fmt.Sprintf("%s&on=%v", path, finance.DateOf(time.Now()).AddDays(-30))
	return func(context.Context, time.Duration) sample {
		return sample{s.median(ctx, path), map[string]float64{"past_day": s.median(ctx, monthAgo)}}
	}, nil
}

// measureIncomeStatement measures the income statement of the payable accounts of an entity, of a year and of a
// month: one request at a time, the median of five. One account in nine is open.
func measureIncomeStatement(ctx context.Context, h *harness) (ours, floor figure) {
	s := h.service(ctx, "api")
	s.owe(ctx, s.summed, 9, false)
	return s.incomeStatements(finance.ByCompetency), nil
}

// measureIncomeStatementByCash is measureIncomeStatement by cash: each account that is paid is reconciled.
func measureIncomeStatementByCash(ctx context.Context, h *harness) (ours, floor figure) {
	s := h.service(ctx, "api")
	s.owe(ctx, s.summed, 9, true)
	return s.incomeStatements(finance.ByCash), nil
}

func (s *service) incomeStatements(basis string) figure {
	today := finance.MonthOf(finance.DateOf(time.Now()))
	return func(ctx context.Context, _ time.Duration) sample {
		ask := func(months int) float64 {
			return s.median(ctx, s.path("/reports/income_statement?basis=%s&from=%v&to=%v", basis,
				today.AddMonths(1-months), today))
		}
		return sample{ask(12), map[string]float64{"month": ask(1)}}
	}
}

// median returns the median time of five requests for the path, in milliseconds.
func (s *service) median(ctx context.Context, path string) float64 {
	took := make([]time.Duration, 5)
	for i := range took {
		took[i] = timed(func() { s.ask(ctx, http.MethodGet, path, "", nil) })
	}
	return milliseconds(percentile(took, 50))
}

// transact creates three years of transactions in four deposit accounts.
func (s *service) transact(ctx context.Context) {
	first := s.newDepositAccount(ctx)
	for range 3 {
		s.newDepositAccount(ctx)
	}
	s.exec(ctx, `
		INSERT INTO financial_transactions (account_id, deposit_account_id, currency_id, amount, occurred_at,
			category_id)
		SELECT $1, $2::int + n % 4, 1, (n % 90000 + 1) * (CASE WHEN n % 3 = 0 THEN 1 ELSE -1 END) / 100.0,
			current_date - 1095 + (n * 1096::bigint / $3::int)::int,
			(SELECT min(id) FROM categories WHERE account_id = $1) + n % 20
		FROM generate_series(0, $3::int - 1) n`, s.AccountID, first, s.summed)
	s.exec(ctx, `
		UPDATE deposit_accounts d SET (transactions_sum, transactions_count, last_transaction_date) = (
			SELECT sum(amount), count(*), max(occurred_at) FROM financial_transactions t
			WHERE t.account_id = d.account_id AND t.deposit_account_id = d.id)`)
	s.vacuum(ctx)
}

// owe creates payable accounts of 500 people, due from three years ago to in a year. Each n-th is open.
// If reconciled, they are due a year earlier, and each other one is reconciled with a transaction of that day.
func (s *service) owe(ctx context.Context, accounts, n int, reconciled bool) {
	s.exec(ctx, `
		INSERT INTO people (account_id, name, customer, supplier)
		SELECT $1, 'Fornecedor ' || n, false, true FROM generate_series(1, 500) n`, s.AccountID)
	s.exec(ctx, `
		CREATE TABLE owed AS
		SELECT n, n % $2::int = 0 AS open, due, least(due, current_date) AS day, (n % 90000 + 1) / 100.0 AS amount
		FROM generate_series(0, $1::int - 1) n
			CROSS JOIN LATERAL (SELECT current_date - CASE WHEN $3 THEN 1460 ELSE 1095 END
				+ (n * 1460::bigint / $1::int)::int AS due) d`, accounts, n, reconciled)
	if reconciled {
		s.exec(ctx, `
			INSERT INTO reconciles (id, account_id, entity_id, kind, month)
			SELECT n, $1, $2, 'payable', date_trunc('month', day) FROM owed WHERE NOT open`, s.AccountID, s.EntityID)
		s.exec(ctx, `
			INSERT INTO financial_transactions (account_id, deposit_account_id, currency_id, amount, occurred_at,
				reconcile_id)
			SELECT $1, $2, 1, -amount, day, n FROM owed WHERE NOT open`, s.AccountID, s.newDepositAccount(ctx))
	}
	s.exec(ctx, `
		INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at, amount,
			total_amount, competency_month, person_id, category_id, created_at, reconcile_id)
		SELECT $1, $2, 'payable', CASE WHEN open THEN 1 WHEN $3 THEN 3 ELSE 2 END, due, CASE WHEN NOT open THEN day END,
			amount, CASE WHEN NOT open THEN amount END, date_trunc('month', due),
			(SELECT min(id) FROM people WHERE account_id = $1) + n % 500,
			(SELECT min(id) FROM categories WHERE account_id = $1) + n % 20, day,
			CASE WHEN NOT open AND $3 THEN n END
		FROM owed`, s.AccountID, s.EntityID, reconciled)
	s.exec(ctx, `DROP TABLE owed`)
	s.vacuum(ctx)
}
