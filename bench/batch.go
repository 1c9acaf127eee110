package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// batched is how many items a batch has.
const batched = 500

// newSale is the request for a usual sale in the first sale account.
const newSale = `{"sale":{"sale_account_id":1,"payment_method":"pix","nominal_amount":"199.90",` +
	`"occurred_at":"2026-03-04","document":"NF 1","description":"Bolo de casamento"}}`

// measureBatchOfSales compares a batch of 500 sales with 500 requests of one sale.
func measureBatchOfSales(ctx context.Context, h *harness) (ours, floor figure) {
	s := h.service(ctx, "api")
	s.newSaleAccount(ctx)
	return s.ofOne(s.path("/sales"), newSale)
}

// measureBatchOfPeople compares a batch of 500 people with 500 requests of one person.
func measureBatchOfPeople(ctx context.Context, h *harness) (ours, floor figure) {
	return h.service(ctx, "api").ofOne("/people", newPerson)
}

// ofOne compares a batch of 500 items, which are all the same, with requests of one.
func (s *service) ofOne(path, item string) (ours, floor figure) {
	keep := func(context.Context) {}
	single := s.raw(s.addr, http.MethodPost, path, item)
	all := s.raw(s.addr, http.MethodPost, path+"/batch", batchOf(slices.Repeat([]string{item}, batched)))
	return s.inTurn(keep, all), s.inTurn(keep, slices.Repeat([][]byte{single}, batched)...)
}

// batchOf returns the document of a batch that fails if an item is refused.
func batchOf(items []string) string {
	return `{"atomic":true,"items":[` + strings.Join(items, ",") + `]}`
}

// measureBatchOfPayments compares the payment of 500 accounts in one request with 500 requests.
func measureBatchOfPayments(ctx context.Context, h *harness) (ours, floor figure) {
	s := h.service(ctx, "api")
	s.owe(ctx, batched, 1, false)
	first := one[int64](ctx, s.db, `SELECT min(id) FROM financial_accounts`)
	var items []string
	var single [][]byte
	for id := first; id < first+batched; id++ {
		items = append(items, fmt.Sprintf(`{"id":%d,"occurred_at":"2026-03-04","total_amount":"199.11"}`, id))
		single = append(single, s.raw(s.addr, http.MethodPut, s.path("/payable_accounts/%d/pay", id),
			`{"payable_account":{"occurred_at":"2026-03-04","total_amount":"199.11"}}`))
	}
	all := s.raw(s.addr, http.MethodPost, s.path("/payable_accounts/pay_many"), batchOf(items))
	undo := func(ctx context.Context) {
		result := must(s.db.ExecContext(ctx, `UPDATE financial_accounts SET status = 1, occurred_at = NULL,
			total_amount = NULL WHERE status = 2`))
		if n := must(result.RowsAffected()); n != batched {
			check(fmt.Errorf("%d accounts of %d were paid", n, batched))
		}
		s.vacuum(ctx, "financial_accounts")
	}
	return s.inTurn(undo, all), s.inTurn(undo, single...)
}

// inTurn sends the requests for 500 items over one connection, one after the other, and measures the items per second.
// It calls undo after the requests, outside the measured time.
func (s *service) inTurn(undo func(context.Context), requests ...[]byte) figure {
	return repeated(batched, func(ctx context.Context) time.Duration {
		took := timed(func() {
			sendAll(ctx, s.addr, 1, requests, func(n int64) bool { return n < int64(len(requests)) })
		})
		undo(ctx)
		return took
	})
}

// measureBatchNeighbour measures the GET of a deposit account of another account while one batch of sales after the
// other is stored and priced. It may take twice the time of the same GET without batches, or 15 ms more.
func measureBatchNeighbour(ctx context.Context, h *harness) (ours, floor figure) {
	s := h.service(ctx, "api", "scheduler", "work sales")
	s.newSaleAccount(ctx)
	other := *s
	other.tenant = s.newTenant(ctx, "neighbour@example.com")
	path := other.path("/deposit_accounts/%d", other.newDepositAccount(ctx))
	get := h.latency(func(ctx context.Context) time.Duration {
		return timed(func() { other.ask(ctx, http.MethodGet, path, "", nil) })
	})
	batch := s.raw(s.addr, http.MethodPost, s.path("/sales/batch"), batchOf(slices.Repeat([]string{newSale}, batched)))
	return func(ctx context.Context, d time.Duration) sample {
			stop := inBackground(ctx, func(ctx context.Context) {
				sendAll(ctx, s.addr, 1, [][]byte{batch}, func(int64) bool { return ctx.Err() == nil })
			})
			beside := get(ctx, d)
			check(stop())
			s.rest(ctx)
			return beside
		}, func(ctx context.Context, d time.Duration) sample {
			alone := get(ctx, d)
			most := func(ms float64) float64 { return max(2*ms, ms+15) }
			return sample{most(alone.value), map[string]float64{"p99": most(alone.more["p99"])}}
		}
}
