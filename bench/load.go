package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"

	"bordero/storage"
)

// tooSlow is the p99 at which a mixed load stops rising.
const tooSlow = 250.0 // ms

// loaded is one line of a load's report. CPU is cores, by process; others are all other processes
// of the machine. Cost is the CPU time of a request and of its consequences, as far as they were
// done by the end of the step. Waits is how many of PostgreSQL's sessions waited, on average, by
// cause; sessions that do not wait are "running". Told counts the notifications delivered
// meanwhile; the receiver's time is part of "load".
type loaded struct {
	Load    string             `json:"load"` // "mixed", "bend" (the last rate that was not too much), or "neighbour"
	Workers int                `json:"worker_sets"`
	Beside  string             `json:"beside,omitempty"` // of a neighbour: the work of another account
	Rate    float64            `json:"rate"`             // requested, requests/s
	N       int                `json:"n"`
	P50     float64            `json:"p50_ms"`
	P99     float64            `json:"p99_ms"`
	Failed  int                `json:"failed"`
	Late    int                `json:"late"`
	Jobs    int                `json:"jobs_left"` // at the end of the step
	Told    int64              `json:"told"`
	CPU     map[string]float64 `json:"cpu"`
	Cost    map[string]float64 `json:"cpu_ms_per_request"` // of the service and its servers, by process, and "all"
	Waits   map[string]float64 `json:"waits"`
	Why     string             `json:"why,omitempty"` // of a bend

	// Of a neighbour: from the answer to a change until its notification arrived.
	Receipts   int     `json:"receipts,omitempty"`
	ReceiptP50 float64 `json:"receipt_p50_ms,omitempty"`
	ReceiptP99 float64 `json:"receipt_p99_ms,omitempty"`
}

// slow reports whether the rate was too much.
func (l loaded) slow() bool { return l.P99 > tooSlow || l.Failed > 0 || l.Late > 0 }

// loadEffort is the size and duration of a load.
type loadEffort struct {
	books int           // sales and transactions of each tenant
	step  time.Duration // at one rate
	items int           // of the neighbour's statement
	first float64       // rate
	more  float64       // factor from a rate to the next
}

var (
	fullLoad  = loadEffort{books: 20_000, step: 10 * time.Second, items: 100_000, first: 25, more: 1.4}
	quickLoad = loadEffort{books: 2000, step: 3 * time.Second, items: 20_000, first: 25, more: 2}
)

// underLoad is the service with its tenants.
type underLoad struct {
	harness *harness
	lease
	store     *storage.Store
	url       string
	workers   int
	customers []customer
	receiver  *receiver
}

// newUnderLoad starts the service with the given number of sets of workers.
func newUnderLoad(ctx context.Context, h *harness, e loadEffort, workers int) (u *underLoad, err error) {
	u = &underLoad{harness: h, workers: workers}
	if u.lease, err = h.lease(ctx); err != nil {
		return nil, err
	}
	if u.store, err = storage.Open(u.databaseURL, storage.Options{Timezone: zone}); err != nil {
		return nil, err
	}
	store := u.store // u may be returned as nil
	h.atEnd(func() { _ = store.Close() })
	for i := range tenants {
		c, err := newCustomer(ctx, u.store, i+1, e.books)
		if err != nil {
			return nil, err
		}
		u.customers = append(u.customers, c)
	}
	u.receiver = newReceiver()
	h.atEnd(u.receiver.Close)
	if err := u.subscribe(ctx); err != nil {
		return nil, err
	}
	if _, err := u.db.ExecContext(ctx, `VACUUM ANALYZE`); err != nil {
		return nil, err
	}
	addr := freeAddr()
	u.url = "http://" + addr
	processes := [][]string{{"api"}, {"scheduler"}}
	for range workers {
		processes = append(processes, []string{"work", "statements"}, []string{"work", "sales"}, []string{
			"work", "webhooks"})
	}
	for _, args := range processes {
		if err := h.bordero(ctx, u.lease, addr, args...); err != nil {
			return nil, err
		}
	}
	return u, u.rest(ctx)
}

// rest waits until no job is left.
func (u *underLoad) rest(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return until(ctx, 20*time.Millisecond, func() (bool, error) {
		n, err := u.jobs(ctx)
		return n == 0, err
	})
}

func (u *underLoad) jobs(ctx context.Context) (n int, err error) {
	err = u.db.QueryRowContext(ctx, `SELECT count(*) FROM jobs`).Scan(&n)
	return n, err
}

// run puts a load on the service and sums it up.
func (u *underLoad) run(ctx context.Context, l loaded, d time.Duration,
	request func(context.Context, *rand.Rand) *http.Request) (loaded, error) {
	before, machine, began := u.harness.cpuOf(), machineCPU(), time.Now()
	waits, told := u.sampleWaits(ctx, d), u.receiver.taken.Load()
	all := arrive(ctx, l.Rate, d, uint64(began.UnixNano()), request)
	took := time.Since(began).Seconds()
	if ctx.Err() != nil {
		return l, ctx.Err()
	}
	l.CPU, l.Cost, l.Waits = map[string]float64{}, map[string]float64{}, <-waits
	others, sum := (machineCPU() - machine).Seconds(), 0.0
	for name, after := range u.harness.cpuOf() {
		used := (after - before[name]).Seconds()
		others -= used
		l.CPU[name] = rounded(used / took)
		if name != "load" {
			sum += used
			l.Cost[name] = rounded(1000 * used / float64(len(all.took)))
		}
	}
	l.Cost["all"] = rounded(1000 * sum / float64(len(all.took)))
	l.CPU["others"] = rounded(max(0, others/took))
	l.Workers, l.N, l.Failed, l.Late, l.Told = u.workers, len(all.took), all.failed, all.late,
		u.receiver.taken.Load()-told
	if all.failed > 0 {
		progress("load: %s", all.first)
	}
	l.P50, l.P99 = rounded(percentile(all.took, 50)), rounded(percentile(all.took, 99))
	var err error
	l.Jobs, err = u.jobs(ctx)
	return l, err
}

// runLoad puts a mixed load on the service at rising rates, with one and with three sets of
// workers. It then measures one account while another works.
func runLoad(ctx context.Context, h *harness, e loadEffort, report func(loaded)) error {
	defer h.close()
	for _, workers := range []int{1, 3} {
		err := h.within(func() error {
			u, err := newUnderLoad(ctx, h, e, workers)
			if err != nil {
				return err
			}
			if err := u.rise(ctx, e, report); err != nil || workers > 1 {
				return err
			}
			return u.neighbour(ctx, e, report)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// within ends the processes that do has started.
func (h *harness) within(do func() error) error {
	defer func() {
		runBackwards(h.ends)
		h.ends, h.started = nil, nil
	}()
	return do()
}

// rise increases the rate step by step. It repeats a rate that was too much, because the machine
// may have caused a single failure.
func (u *underLoad) rise(ctx context.Context, e loadEffort, report func(loaded)) error {
	mixed := u.mix(u.customers)
	if _, err := u.run(ctx, loaded{Rate: e.first}, time.Second, mixed); err != nil { // warm-up
		return err
	}
	slow, good := 0, loaded{}
	for rate := e.first; slow < 2; {
		l, err := u.run(ctx, loaded{Load: "mixed", Rate: rounded(rate)}, e.step, mixed)
		if err != nil {
			return err
		}
		report(l)
		if err := u.rest(ctx); err != nil {
			return err
		}
		if l.slow() {
			if slow++; slow == 2 {
				good.Load, good.Workers, good.Why = "bend", u.workers, l.why()
				report(good)
			}
			continue
		}
		slow, good, rate = 0, l, rate*e.more
	}
	return nil
}

// mix returns the requests of some of the tenants.
func (u *underLoad) mix(of []customer) func(context.Context, *rand.Rand) *http.Request {
	return func(ctx context.Context, r *rand.Rand) *http.Request {
		return of[r.IntN(len(of))].request(ctx, u.url, r)
	}
}

// why names the scarce resource: the machine's cores if they were used up, otherwise the most
// frequent wait of PostgreSQL's sessions.
func (l loaded) why() string {
	used := 0.0
	for _, cores := range l.CPU {
		used += cores
	}
	most := func(of map[string]float64) string {
		return slices.MaxFunc(slices.Collect(maps.Keys(of)), func(a, b string) int { return cmp.Compare(of[a], of[b]) })
	}
	at := fmt.Sprintf("at %s/s p99 is %s ms", number(l.Rate), number(l.P99))
	if used > 0.85*float64(runtime.NumCPU()) || len(l.Waits) == 0 {
		return fmt.Sprintf("%s: %.1f of %d cores are busy, most with %s", at, used, runtime.NumCPU(), most(l.CPU))
	}
	return fmt.Sprintf("%s: %.1f of %d cores are busy; sessions of PostgreSQL are at %s", at, used, runtime.NumCPU(),
		most(l.Waits))
}

// sampleWaits samples for d the waits of PostgreSQL's sessions.
func (u *underLoad) sampleWaits(ctx context.Context, d time.Duration) <-chan map[string]float64 {
	found := make(chan map[string]float64, 1)
	go func() {
		waits, looks := map[string]float64{}, 0.0
		tick := time.NewTicker(200 * time.Millisecond) // a look costs PostgreSQL half a millisecond
		defer tick.Stop()
		for end := time.Now().Add(d); time.Now().Before(end) && ctx.Err() == nil; looks++ {
			<-tick.C
			u.checkWaits(ctx, waits)
		}
		for event := range waits {
			waits[event] = rounded(waits[event] / looks)
		}
		found <- waits
	}()
	return found
}

// checkWaits adds one sample. It ignores a failed query: the load reports the cause.
func (u *underLoad) checkWaits(ctx context.Context, waits map[string]float64) {
	rows, err := u.db.QueryContext(ctx, `
		SELECT coalesce(wait_event_type || '/' || wait_event, 'running'), count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid() GROUP BY 1`)
	if err != nil {
		return
	}
	defer rows.Close()
	for rows.Next() {
		var event string
		var n float64
		if rows.Scan(&event, &n) == nil {
			waits[event] += n
		}
	}
	_ = rows.Err() // as above
}

// printLoads prints a line for each step, and the bend.
func printLoads(out io.Writer, asJSON bool) func(loaded) {
	if asJSON {
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		return func(l loaded) { _ = e.Encode(l) }
	}
	fmt.Fprintf(out, "%-10s %4s %-24s %7s %7s %9s %9s %7s %6s %6s %7s %9s %9s %7s  %s (of %d)\n",
		"load", "sets", "beside", "rate", "n", "p50 ms", "p99 ms", "failed", "late", "jobs", "told", "told p50",
		"told p99", "CPU ms", "cores", runtime.NumCPU())
	return func(l loaded) {
		var cores []string
		for _, name := range slices.SortedFunc(maps.Keys(l.CPU), func(a, b string) int {
			return int(1e3 * (l.CPU[b] - l.CPU[a]))
		}) {
			cores = append(cores, fmt.Sprintf("%s %.2f", name, l.CPU[name]))
		}
		if l.Why != "" {
			cores = []string{l.Why}
		}
		fmt.Fprintf(out, "%-10s %4d %-24s %7s %7d %9s %9s %7d %6d %6d %7d %9s %9s %7s  %s\n",
			l.Load, l.Workers, l.Beside, number(l.Rate), l.N, number(l.P50), number(l.P99), l.Failed, l.Late, l.Jobs,
			l.Told, number(l.ReceiptP50), number(l.ReceiptP99), number(l.Cost["all"]), strings.Join(cores, ", "))
	}
}
