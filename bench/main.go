// Command bench measures what a user waits for, each beside its bare floor in the same run, on
// private, durable servers (docs/performance.md). It is not part of the service.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// line is one line of the report.
type line struct {
	name, unit string
	target     target
}

// measurement measures the first of its lines; the others are further values of the same samples.
type measurement struct {
	lines   []line
	measure preparation
}

// preparation prepares and returns the two sides; the floor is nil if bounds take its place. The
// harness ends the processes that it starts.
type preparation func(context.Context, *harness) (ours, floor figure)

// measurements are in the order of the report.
var measurements = []measurement{
	{[]line{{"statement.parse", "items/s", target{least: 1}}}, measureParse},
	{[]line{{"statement.import", "items/s", target{least: 0.5}}}, measureImport},
	{[]line{{"statement.known", "ms", target{bound: 10_000}}}, measureKnown},
	{[]line{{"job.pickup", "ms", target{bound: 2}}, {"job.pickup.p99", "ms", target{bound: 6}}}, measurePickup},
	{[]line{{"job.run", "jobs/s", target{least: 0.72}}}, measureRun},
	{[]line{{"api.get", "requests/s", target{least: 0.8}}}, measureRead("")},
	{[]line{{"api.list", "requests/s", target{least: 1}}}, measureRead(newest)},
	{[]line{{"api.search", "ms", target{bound: 150}}}, measureSearch},
	{[]line{{"totals", "rows/s", target{least: 0.9}}}, measureTotals},
	{[]line{{"cash_flow", "ms", target{bound: 500}}, {"cash_flow.month", "ms", target{bound: 60}},
		{"cash_flow.past_month", "ms", target{bound: 60}}}, measureCashFlow},
	{[]line{{"aging", "ms", target{bound: 300}}, {"aging.past_day", "ms", target{bound: 300}}}, measureAging},
	{[]line{{"income_statement", "ms", target{bound: 800}}, {"income_statement.month", "ms", target{bound: 150}}},
		measureIncomeStatement},
	{[]line{{"income_statement.cash", "ms", target{bound: 1200}},
		{"income_statement.cash.month", "ms", target{bound: 150}}}, measureIncomeStatementByCash},
	{[]line{{"csv", "rows/s", target{least: 0.2}}}, measureCSV},
	{[]line{{"xlsx", "rows/s", target{least: 0.1}}}, measureXLSX},
	{[]line{{"api.create_transaction", "requests/s", target{least: 0.85}}}, measureCreateTransaction},
	{[]line{{"batch.sales", "sales/s", target{least: 10}}}, measureBatchOfSales},
	{[]line{{"batch.people", "people/s", target{least: 15}}}, measureBatchOfPeople},
	{[]line{{"batch.payments", "accounts/s", target{least: 12}}}, measureBatchOfPayments},
	{[]line{{"batch.neighbour", "ms", target{}}, {"batch.neighbour.p99", "ms", target{}}}, measureBatchNeighbour},
	{[]line{{"reconcile", "requests/s", target{least: 0.6}}}, measureReconcile},
	{[]line{{"sales.price", "sales/s", target{least: 0.6}}}, measureSalesPrice},
	{[]line{{"entity.delete", "rows/s", target{least: 0.6}}}, measureEntityDelete},
	{[]line{{"webhook.stream", "deliveries/s", target{least: 0.6}}}, measureStreamed(webhooks, 1)},
	{[]line{{"webhook.fanout", "deliveries/s", target{least: 0.6}},
		{"webhook.fanout.accept", "requests/s", target{least: 0.4}}}, measureStreamed(1, webhooks)},
	{[]line{{"webhook.receipt", "ms", target{bound: 4.5}}, {"webhook.receipt.accepted", "ms", target{bound: 2.2}},
		{"webhook.receipt.accepted.p99", "ms", target{bound: 6}}}, measureReceipt(0, 20*time.Millisecond)},
	{[]line{{"webhook.receipt.idle", "ms", target{bound: 4.5}},
		{"webhook.receipt.idle.accepted", "ms", target{bound: 2.2}},
		{"webhook.receipt.idle.accepted.p99", "ms", target{bound: 6}}},
		measureReceipt(200*time.Millisecond, 300*time.Millisecond)},
	{[]line{{"snapshot.run", "jobs/s", target{least: 0.8}}, {"snapshot.run.pickup", "ms", target{bound: 50}}},
		measureHeldRun},
	{[]line{{"snapshot.deliveries", "deliveries/s", target{least: 0.8}}}, measureHeldDeliveries},
	{[]line{{"changes.lag", "ms", target{bound: 5}}, {"changes.lag.p99", "ms", target{bound: 100}}}, measureLag},
	{[]line{{"growth", "rows/s", target{least: 1}}, {"growth.list", "ms", target{most: 1.25}},
		{"growth.cursor", "ms", target{most: 1.25}}, {"growth.large.list", "ms", target{most: 1.25}},
		{"growth.large.cursor", "ms", target{most: 1.25}}, {"growth.totals", "ms", target{most: 1.25}},
		{"growth.import", "ms", target{most: 1.25}}, {"growth.price", "ms", target{most: 1.25}},
		{"growth.delivery", "ms", target{most: 1.25}}, {"growth.proof", "ms", target{most: 1.25}},
		{"growth.undo", "ms", target{most: 1.25}}}, measureGrowth},
	{[]line{{"idle", "% of a core", target{bound: 0.8}}, {"idle.memory", "MiB", target{bound: 170}}}, measureIdle},
}

func main() {
	log.SetFlags(0)
	if err := command(); err != nil {
		log.Fatalln("bench:", err)
	}
}

func command() error {
	if addr := os.Getenv(floorAddr); addr != "" { // started by ourselves, see api.go
		return serveFloor(addr)
	}
	h := harness{effort: full}
	isQuick := flag.Bool("quick", false, "3 pairs of 1 s instead of 5 pairs of 3 s, and of less")
	document := flag.String("record", "", "also write the figures to the table of this `document`, docs/performance.md")
	flag.Usage = usage
	flag.Parse()
	if *isQuick {
		h.effort = quick
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if slices.Equal(flag.Args(), []string{"load"}) {
		return runLoad(ctx, &h, printLoads(os.Stdout))
	}
	chosen, err := choose(flag.Args())
	if err != nil {
		return err
	}
	print := printTable(os.Stdout)
	return run(ctx, &h, chosen, func(l line, r result) {
		print(l, r)
		if *document != "" {
			check(record(*document, l, r))
		}
	})
}

func usage() {
	fmt.Fprintln(os.Stderr, "go run ./bench [flags] [NAME...]: everything, or what begins with one of these names.\n"+
		"go run ./bench [flags] load: a mixed load at rising rates, and one account beside another.")
	for _, m := range measurements {
		for _, l := range m.lines {
			fmt.Fprintf(os.Stderr, "  %-30s %-12s %s\n", l.name, l.unit, l.target)
		}
	}
	flag.PrintDefaults()
}

// choose returns the measurements with a line that has one of the names, or whose name begins with
// one and a point. Without names it returns all.
func choose(names []string) (chosen []measurement, err error) {
	if len(names) == 0 {
		return measurements, nil
	}
	for _, name := range names {
		before := len(chosen)
		for _, m := range measurements {
			if slices.ContainsFunc(m.lines, func(l line) bool { return strings.HasPrefix(l.name+".", name+".") }) {
				chosen = append(chosen, m)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("nothing is named %q; --help lists the names", name)
		}
	}
	return chosen, nil
}

// run measures one after the other. It continues after one that fails, and leaves nothing running.
func run(ctx context.Context, h *harness, chosen []measurement, report func(line, result)) error {
	return h.within(func() {
		h.open(ctx)
		var failed []error
		for _, m := range chosen {
			results, err := h.measure(ctx, m)
			check(ctx.Err())
			if err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", m.lines[0].name, err))
			}
			for i, r := range results {
				report(m.lines[i], r)
			}
		}
		check(errors.Join(failed...))
	})
}

// progress prints a line about the progress to stderr.
func progress(format string, args ...any) { log.Printf(format, args...) }
