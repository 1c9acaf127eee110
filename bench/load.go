package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"bordero/finance"
	"bordero/finance/statement/statementtest"

	"github.com/lib/pq"
)

// tenants is how many share the load: writes to one deposit account are serialised.
const tenants = 4

// loaded is one line of a load's report.
type loaded struct {
	load, beside string    // "mixed", or "neighbour" and the work of another account
	rate         float64   // requested, requests/s
	took         []float64 // ms, each since the request was due
	failed       int       // not answered with 2xx, or never sent because all clients still waited
	told         int64     // notifications delivered meanwhile
	receipts     []float64 // of a neighbour: ms from the answer to a change until its notification arrived
	cost         float64   // CPU time of a request and of its consequences so far, in ms
}

// printLoads prints a line for each step.
func printLoads(out io.Writer) func(loaded) {
	const format = "%-10s %-24s %7s %7v %9s %9s %7v %7v %9s %9s %7s\n"
	fmt.Fprintf(out, format, "load", "beside", "rate", "n", "p50 ms", "p99 ms", "failed", "told", "told p50",
		"told p99", "CPU ms")
	of := func(v []float64, p float64) string {
		if len(v) == 0 {
			return "-"
		}
		return number(percentile(v, p))
	}
	return func(l loaded) {
		fmt.Fprintf(out, format, l.load, l.beside, number(l.rate), len(l.took), of(l.took, 50), of(l.took, 99),
			l.failed, l.told, of(l.receipts, 50), of(l.receipts, 99), number(l.cost))
	}
}

// underLoad is the service with its tenants.
type underLoad struct {
	*service
	customers []customer
	receiver  *receiver
}

// runLoad puts a mixed load on the service at rising rates, then measures one account while another works.
func runLoad(ctx context.Context, h *harness, report func(loaded)) error {
	return h.within(func() {
		h.open(ctx)
		u := newUnderLoad(ctx, h)
		u.rise(ctx, report)
		u.neighbour(ctx, report)
	})
}

// newUnderLoad starts the service. The notifications of the last tenant are timed.
func newUnderLoad(ctx context.Context, h *harness) *underLoad {
	u := &underLoad{service: h.service(ctx), receiver: h.newReceiver()}
	for i := range tenants {
		c, url := u.newCustomer(ctx, i+1), u.receiver.URL
		if i == tenants-1 {
			url += peoplePath
		}
		u.subscribe(ctx, c.tenant, url, 1)
		u.customers = append(u.customers, c)
	}
	u.vacuum(ctx)
	u.start(ctx, "api", "scheduler", "work statements", "work sales", "work webhooks")
	u.rest(ctx)
	return u
}

// rise increases the rate step by step, until p99 exceeds 250 ms twice in a row. It repeats a rate that was
// too much, because the machine may have caused a single failure.
func (u *underLoad) rise(ctx context.Context, report func(loaded)) {
	mixed := func(ctx context.Context, r *rand.Rand) *http.Request {
		return u.customers[r.IntN(tenants)].mixed(ctx, u.addr, r)
	}
	u.put(ctx, &loaded{rate: u.rate}, time.Second, mixed) // warm-up
	slow := 0
	for rate := u.rate; slow < 2; {
		l := loaded{load: "mixed", rate: rate}
		u.put(ctx, &l, u.step, mixed)
		report(l)
		u.rest(ctx)
		if l.failed > 0 || percentile(l.took, 99) > 250 {
			slow++
			continue
		}
		slow, rate = 0, rate*u.more
	}
}

// put puts a load on the service and sums it up.
func (u *underLoad) put(ctx context.Context, l *loaded, d time.Duration,
	request func(context.Context, *rand.Rand) *http.Request) {
	told := u.receiver.taken.Load()
	before, _ := u.used()
	l.arrive(ctx, d, request)
	l.told = u.receiver.taken.Load() - told
	after, _ := u.used()
	l.cost = milliseconds(after-before) / float64(len(l.took))
}

// arrive sends requests at the rate for d, each when it is due and not when the one before is
// answered. The latency thus includes the wait that a slow service causes.
func (l *loaded) arrive(ctx context.Context, d time.Duration,
	request func(context.Context, *rand.Rand) *http.Request) {
	var mu sync.Mutex
	begin := time.Now()
	turns := make(chan int, int(l.rate*d.Seconds()))
	for i := range cap(turns) {
		turns <- i
	}
	close(turns)
	together(min(clients, cap(turns)), func() {
		for i := range turns {
			due := begin.Add(time.Duration(float64(i) / l.rate * float64(time.Second)))
			pause(ctx, time.Until(due))
			err := fmt.Errorf("%d clients still waited", clients)
			if time.Since(begin) < d+time.Second {
				_, err = answer(request(ctx, rand.New(rand.NewPCG(uint64(begin.UnixNano()), uint64(i)))))
			}
			mu.Lock()
			l.took = append(l.took, milliseconds(time.Since(due)))
			if err != nil {
				if l.failed++; l.failed == 1 {
					progress("load: %v", err)
				}
			}
			mu.Unlock()
		}
	})
}

// customer is a tenant of the load, with the books of a company.
type customer struct {
	tenant
	accounts    []int64 // deposit accounts
	saleAccount int64
}

// newCustomer fills an account with sales and transactions.
func (u *underLoad) newCustomer(ctx context.Context, number int) customer {
	c := customer{tenant: u.newTenant(ctx, fmt.Sprintf("%d@example.com", number))}
	size := fmt.Sprint(u.books)
	check(json.Unmarshal(u.command(ctx, "demo", "--account", fmt.Sprint(c.AccountID), "--sales", size,
		"--transactions", size, "--seed", fmt.Sprint(number), "--json"), &c.tenant))
	check(u.db.QueryRowContext(ctx, `SELECT array_agg(id), (
			SELECT min(id) FROM sale_accounts WHERE account_id = $1 AND payment_methods LIKE '%credit%')
		FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2`, c.AccountID, c.EntityID).Scan(
		pq.Array(&c.accounts), &c.saleAccount))
	return c
}

// mixed returns one request of the mix. Of a hundred, 70 read, 15 create a sale, 13 create a
// transaction and 2 upload a statement of 100 items. Do not change the mix: figures of different
// releases are compared.
func (c customer) mixed(ctx context.Context, addr string, r *rand.Rand) *http.Request {
	bank := c.path("/deposit_accounts/%d", c.accounts[r.IntN(len(c.accounts))])
	day := finance.DateOf(time.Now()).AddDays(-r.IntN(700))
	get := func(path string) *http.Request { return c.request(ctx, addr, http.MethodGet, path, "") }
	post := func(path, document string) *http.Request {
		return c.request(ctx, addr, http.MethodPost, path, document)
	}
	switch n := r.IntN(100); {
	case n < 20:
		return get(bank)
	case n < 45:
		return get(bank + "/financial_transactions?page=1&per_page=50")
	case n < 60:
		return get(c.path("/sales?per_page=50&search[occurred_at_gte]=%v&search[occurred_at_lte]=%v", day,
			day.AddDays(7)))
	case n < 70:
		return get(c.path("/payable_accounts?per_page=50&search[status_equals]=1"))
	case n < 85:
		return post(c.path("/sales"), fmt.Sprintf(`{"sale":{"sale_account_id":%d,"payment_method":"credit",`+
			`"issuer":"Visa","nominal_amount":"%d.%02d","occurred_at":"%v"}}`, c.saleAccount, 1+r.IntN(500),
			r.IntN(100), day))
	case n < 98:
		return post(bank+"/financial_transactions", fmt.Sprintf(`{"financial_transaction":{"type":"Debit",`+
			`"amount":"%d.%02d","occurred_at":"%v","user_description":"PIX"}}`, 1+r.IntN(900), r.IntN(100), day))
	default:
		return c.upload(ctx, addr, bank+"/bank_statements", statementtest.OFX(100, statementtest.Seed(r.Int64()),
			statementtest.Start(day)))
	}
}

// neighbour sends 20 requests a second as the last tenant, and times its notifications of up to ten people
// a second: first alone, then beside crowds of clients of the first tenant, then while the first tenant
// imports large statements and receives a notification of each item.
func (u *underLoad) neighbour(ctx context.Context, report func(loaded)) {
	last, first := *u.service, u.customers[0]
	last.tenant = u.customers[tenants-1].tenant
	list := first.path("/deposit_accounts/%d/financial_transactions", first.accounts[0])
	for _, beside := range []struct {
		name string
		work func(context.Context)
	}{
		{"nothing", func(context.Context) {}},
		{"40 read 500 records each", u.crowd(40, http.MethodGet, list+"?per_page=500", "")},
		{"24 create transactions", u.crowd(24, http.MethodPost, list,
			`{"financial_transaction":{"type":"Debit","amount":1,"occurred_at":"2026-03-04"}}`)},
		{fmt.Sprintf("%d items, told of", u.items), u.importing},
	} {
		l := loaded{load: "neighbour", beside: beside.name, rate: 20}
		stopWork := inBackground(ctx, beside.work)
		stopReceipts := inBackground(ctx, func(ctx context.Context) {
			for {
				l.receipts = append(l.receipts, milliseconds(last.receipt(ctx, u.receiver)))
				pause(ctx, 100*time.Millisecond)
			}
		})
		u.put(ctx, &l, 5*u.step, func(ctx context.Context, r *rand.Rand) *http.Request {
			return u.customers[tenants-1].mixed(ctx, u.addr, r)
		})
		check(stopReceipts())
		check(stopWork())
		report(l)
	}
}

// crowd returns the work of clients of the first tenant, each of which sends one request after the other.
// A client that is refused waits as long as the answer asks for.
func (u *underLoad) crowd(clients int, method, path, document string) func(context.Context) {
	return func(ctx context.Context) {
		together(clients, func() {
			for ctx.Err() == nil {
				req := u.customers[0].request(ctx, u.addr, method, path, document)
				if _, err := answer(req); err != nil {
					pause(ctx, 2*time.Second)
				}
			}
		})
	}
}

// importing imports a file into one new account of the first tenant after the other. The next import
// begins when all notifications of one are delivered.
func (u *underLoad) importing(ctx context.Context) {
	s := *u.service
	s.tenant = u.customers[0].tenant
	for file := statementtest.OFX(u.items); ; {
		s.importFile(ctx, s.newDepositAccount(ctx), file, u.items)
		until(ctx, 50*time.Millisecond, func() bool {
			return one[bool](ctx, s.db, `
				SELECT NOT EXISTS (SELECT FROM webhooks w JOIN deliveries d ON d.webhook_id = w.id
					WHERE w.account_id = $1 AND d.status = 'pending')`, s.AccountID)
		})
	}
}

// measureIdle measures the CPU time, as a share of one core, and the memory of all processes and servers of a
// `bordero up` without requests.
func measureIdle(ctx context.Context, h *harness) (ours, floor figure) {
	h.few(3)
	h.up(ctx)
	progress("idle: resting for %v", h.idle)
	pause(ctx, h.idle)
	return func(ctx context.Context, _ time.Duration) sample {
		began := time.Now()
		before, mib := h.used()
		pause(ctx, h.idle)
		after, _ := h.used()
		return sample{100 * (after - before).Seconds() / time.Since(began).Seconds(), map[string]float64{"memory": mib}}
	}, nil
}

// used returns the user and system time so far of the measurement's processes and their descendants, and their
// memory in MiB. Processes that share a page have a part of it each (PSS).
func (h *harness) used() (cpu time.Duration, memory float64) {
	parents, times := map[string]string{}, map[string]time.Duration{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			continue // the process has ended
		}
		// PID (NAME) STATE PPID ..., utime and stime, then both times of ended children.
		fields := strings.Fields(string(content[strings.LastIndexByte(string(content), ')')+1:]))
		pid := filepath.Base(filepath.Dir(file))
		parents[pid] = fields[1]
		for _, field := range fields[11:15] {
			ticks, _ := strconv.ParseInt(field, 10, 64)
			times[pid] += time.Duration(ticks) * (time.Second / 100) // Linux reports 100 ticks a second everywhere
		}
	}
	for pid, took := range times {
		for p := pid; p != ""; p = parents[p] {
			if h.started[p] {
				rollup, _ := os.ReadFile("/proc/" + pid + "/smaps_rollup") // empty if it has ended
				_, pss, _ := strings.Cut(string(rollup), "\nPss:")
				kib, _ := strconv.ParseFloat(strings.Fields(pss + " 0")[0], 64)
				cpu, memory = cpu+took, memory+kib/1024
				break
			}
		}
	}
	return cpu, memory
}
