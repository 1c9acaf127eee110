package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"bordero/finance"
	"bordero/finance/statement/statementtest"
)

const (
	tenfold = 10     // factor by which the installation grows
	filled  = 12_000 // rows that bordero demo stores in a second, at least
	perCost = 1000   // items of a statement, sales that are priced, and events
)

// growing is an installation with an account of a million sales and transactions.
type growing struct {
	*service
	bank      int64 // the deposit account with the most transactions
	statement int   // imported so far
	stream    *stream
	posts     [][]byte // the events of stream
	pricing   string   // path of a rule
	percent   int      // of the rule; it differs each time
}

// measureGrowth compares the costs of an account with a million sales and transactions beside another one with nine
// million with the costs of such an account alone. It measures both in turn, because after the twenty minutes of the
// larger account the same machine may be half as fast.
func measureGrowth(ctx context.Context, h *harness) (ours, floor figure) {
	h.few(5)
	alone, beside := newGrowing(ctx, h), newGrowing(ctx, h)
	other := beside.newTenant(ctx, "other@example.com")
	rate := beside.demo(ctx, &other, (tenfold-1)*h.summed)
	beside.vacuum(ctx)
	beside.exec(ctx, `CHECKPOINT`)
	return func(ctx context.Context, _ time.Duration) sample {
			cost := beside.costs(ctx)
			cost["large.list"], cost["large.cursor"] = beside.lists(ctx, other)
			return sample{rate, cost}
		}, func(ctx context.Context, _ time.Duration) sample {
			return sample{filled, alone.costs(ctx)}
		}
}

// newGrowing fills an account of a new installation and starts its processes.
func newGrowing(ctx context.Context, h *harness) *growing {
	g := &growing{service: h.service(ctx)}
	g.demo(ctx, &g.tenant, g.summed)
	g.vacuum(ctx)
	g.start(ctx, "api", "scheduler", "work statements", "work sales", "work webhooks", "work deletions",
		"work reconciliation")
	g.bank = g.largest(ctx, g.tenant)
	g.newRule(ctx)
	g.newStream(ctx)
	return g
}

// demo fills an account with as many rows, half of them sales, and returns the rows stored in a second.
func (g *growing) demo(ctx context.Context, t *tenant, rows int) float64 {
	var said struct {
		EntityID int64   `json:"entity_id"`
		Rate     float64 `json:"rows_per_second"`
	}
	half := fmt.Sprint(rows / 2)
	check(json.Unmarshal(g.command(ctx, "demo", "--account", fmt.Sprint(t.AccountID), "--sales", half,
		"--transactions", half, "--json"), &said))
	t.EntityID = said.EntityID
	progress("growth: %s rows/s into account %d", number(said.Rate), t.AccountID)
	return said.Rate
}

// newRule creates a sale account with sales and the rule that prices them.
func (g *growing) newRule(ctx context.Context) {
	var made struct {
		SaleAccount struct{ ID int64 } `json:"sale_account"`
		SaleRule    struct{ ID int64 } `json:"sale_rule"`
	}
	g.ask(ctx, http.MethodPost, "/sale_accounts", fmt.Sprintf(`{"sale_account":{"entity_id":%d,"name":"Crescimento",`+
		`"provider":"cielo","payment_methods":"pix"}}`, g.EntityID), &made)
	sale := strings.Replace(newSale, `"sale_account_id":1`, fmt.Sprintf(`"sale_account_id":%d`, made.SaleAccount.ID), 1)
	for range perCost / batched {
		g.ask(ctx, http.MethodPost, g.path("/sales/batch"), batchOf(slices.Repeat([]string{sale}, batched)), nil)
	}
	rules := fmt.Sprintf("/sale_accounts/%d/rules", made.SaleAccount.ID)
	g.ask(ctx, http.MethodPost, rules, `{"sale_rule":{"payment_method":"pix","fee_percentage":"1",`+
		`"days_to_liquidation":30,"apply_rules":1}}`, &made)
	g.pricing = fmt.Sprint(rules, "/", made.SaleRule.ID)
	g.rest(ctx)
}

// newStream creates another account for the stream: imports into the first one cause events too.
func (g *growing) newStream(ctx context.Context) {
	g.stream = &stream{service: g.service, receiver: g.newReceiver(), events: int64(min(g.events, perCost)), fan: 1,
		keep: true}
	t := g.newTenant(ctx, "events@example.com")
	g.subscribe(ctx, t, g.stream.receiver.URL, 1)
	g.posts = [][]byte{t.raw(g.addr, http.MethodPost, "/people", newPerson)}
}

// costs measures requests and jobs of the account in turn: medians in milliseconds, of deliveries the mean.
func (g *growing) costs(ctx context.Context) map[string]float64 {
	month := finance.MonthOf(finance.DateOf(time.Now())).AddMonths(-6)
	days := fmt.Sprintf("search[occurred_at_gte]=%v&search[occurred_at_lte]=%v", month.Day(1),
		month.AddMonths(1).Day(1).AddDays(-1))
	list, cursor := g.lists(ctx, g.tenant)
	cost := map[string]float64{
		"list": list, "cursor": cursor,
		"large.list": list, "large.cursor": cursor, // of the floor
		"totals": typical(10, func() {
			g.ask(ctx, http.MethodGet, g.path("/financial_transactions/totals?group_by=category&%s", days), "", nil)
		}),
		"proof": typical(20, func() {
			g.ask(ctx, http.MethodGet, g.path("/deposit_accounts/%d/balance_proofs", g.bank), "", nil)
		}),
		"price": typical(9, func() {
			g.percent = g.percent%9 + 1
			g.ask(ctx, http.MethodPut, g.pricing, fmt.Sprintf(`{"sale_rule":{"fee_percentage":"%d","apply_rules":1}}`,
				g.percent), nil)
			g.rest(ctx)
		}),
		"delivery": 1000 / g.stream.side(g.posts, g.stream.delivered)(ctx, 0).value,
	}
	maps.Copy(cost, g.imports(ctx))
	return cost
}

// imports imports statements into the account, and undoes each import.
func (g *growing) imports(ctx context.Context) map[string]float64 {
	var imported, undone []float64
	first, _ := finance.NewDate(2010, time.January, 1) // before the account's own transactions
	for range 9 {
		g.statement++
		file := statementtest.OFX(perCost, statementtest.Seed(int64(g.statement)),
			statementtest.Start(first.AddDays(7*g.statement)))
		var id int64
		imported = append(imported, typical(1, func() {
			id = g.importFile(ctx, g.bank, file, perCost)
			g.rest(ctx)
		}))
		undone = append(undone, typical(1, func() {
			path := g.path("/deposit_accounts/%d/bank_statements/%d", g.bank, id)
			g.ask(ctx, http.MethodDelete, path, "", nil)
			g.rest(ctx)
		}))
	}
	return map[string]float64{"import": percentile(imported, 50), "undo": percentile(undone, 50)}
}

// largest returns the deposit account with the most transactions.
func (g *growing) largest(ctx context.Context, t tenant) int64 {
	return one[int64](ctx, g.db, `
		SELECT id FROM deposit_accounts WHERE account_id = $1 ORDER BY transactions_count DESC, id LIMIT 1`,
		t.AccountID)
}

// lists measures the first page of 50 transactions of a deposit account, and pages of 100 by their cursors.
func (g *growing) lists(ctx context.Context, t tenant) (list, cursor float64) {
	path := t.path("/deposit_accounts/%d/financial_transactions", g.largest(ctx, t))
	list = typical(100, func() { _ = must(answer(t.request(ctx, g.addr, http.MethodGet, path+"?per_page=50", ""))) })
	next := ""
	return list, typical(50, func() {
		res := must(httpClient.Do(t.request(ctx, g.addr, http.MethodGet, path+"?per_page=100&cursor="+next, "")))
		defer res.Body.Close()
		must(io.Copy(io.Discard, res.Body))
		if next = res.Header.Get("X-Next-Cursor"); res.StatusCode != http.StatusOK || next == "" {
			check(fmt.Errorf("%s without a next page for %s", res.Status, path))
		}
	})
}

// typical returns the median time of n calls, in milliseconds.
func typical(n int, do func()) float64 {
	took := make([]time.Duration, n)
	for i := range took {
		took[i] = timed(do)
	}
	return milliseconds(percentile(took, 50))
}
