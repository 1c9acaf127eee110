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
	s.owe(ctx, s.summed/10, 1)
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
	s.owe(ctx, s.summed, 9)
	path := s.path("/reports/aging?kind=payable")
	monthAgo := fmt.Sprintf("%s&on=%v", path, finance.DateOf(time.Now()).AddDays(-30))
	return func(context.Context, time.Duration) sample {
		return sample{s.median(ctx, path), map[string]float64{"past_day": s.median(ctx, monthAgo)}}
	}, nil
}

// measureIncomeStatement measures the income statement of the payable accounts of an entity, of a year and of a
// month: one request at a time, the median of five.
func measureIncomeStatement(ctx context.Context, h *harness) (ours, floor figure) {
	s := h.service(ctx, "api")
	s.owe(ctx, s.summed, 9)
	today := finance.MonthOf(finance.DateOf(time.Now()))
	ask := func(months int) float64 {
		return s.median(ctx, s.path("/reports/income_statement?from=%v&to=%v", today.AddMonths(1-months), today))
	}
	return func(context.Context, time.Duration) sample {
		return sample{ask(12), map[string]float64{"month": ask(1)}}
	}, nil
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
func (s *service) owe(ctx context.Context, accounts, n int) {
	s.exec(ctx, `
		INSERT INTO people (account_id, name, customer, supplier)
		SELECT $1, 'Fornecedor ' || n, false, true FROM generate_series(1, 500) n`, s.AccountID)
	s.exec(ctx, `
		INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at, amount,
			total_amount, competency_month, person_id, category_id, created_at)
		SELECT $1, $2, 'payable', CASE WHEN open THEN 1 ELSE 2 END, due, CASE WHEN NOT open THEN day END, amount,
			CASE WHEN NOT open THEN amount END, date_trunc('month', due), person, category, day
		FROM (
			SELECT n % $4::int = 0 AS open, due, least(due, current_date) AS day, (n % 90000 + 1) / 100.0 AS amount,
				(SELECT min(id) FROM people WHERE account_id = $1) + n % 500 AS person,
				(SELECT min(id) FROM categories WHERE account_id = $1) + n % 20 AS category
			FROM generate_series(0, $3::int - 1) n
				CROSS JOIN LATERAL (SELECT current_date - 1095 + (n * 1460::bigint / $3::int)::int AS due) d) made`,
		s.AccountID, s.EntityID, accounts, n)
	s.vacuum(ctx)
}
