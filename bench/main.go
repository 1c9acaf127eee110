// Command bench measures the main paths of the service, each against its bare floor in the same
// run, on private, durable servers (docs/performance.md). It is not part of the service.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/mattn/go-isatty"
)

// path is one line of the report. One without a measurement is a further value of the path
// before it.
type path struct {
	name, unit string
	target     target
	measure    measurement
}

// measurement prepares and returns the two sides; the floor is nil if a bound takes its place. The
// harness ends the processes that it starts.
type measurement func(context.Context, *harness) (ours, floor figure, err error)

// paths are all paths, in the order of the report.
var paths = []path{
	{"statement.parse", "items/s", target{least: 1}, measureParse},
	{"statement.import", "items/s", target{least: 0.5, aim: 0.6}, measureImport},
	{"job.pickup", "ms", target{within: 2}, measurePickup},
	{"job.pickup.p99", "ms", target{within: 6}, nil},
	{"job.run", "jobs/s", target{least: 0.72}, measureRun},
	{"api.get", "requests/s", target{least: 0.8}, measureGet},
	{"api.list", "requests/s", target{least: 1, aim: 1.2}, measureList},
	{"api.search", "ms", target{bound: 150}, measureSearch},
	{"api.create_transaction", "requests/s", target{least: 0.85}, measureCreateTransaction},
	{"api.create_transaction.cpu", "ms", target{bound: 1.3}, nil},
	{"reconcile", "requests/s", target{least: 0.6}, measureReconcile},
	{"sales.price", "sales/s", target{least: 0.6, aim: 0.8}, measureSalesPrice},
	{"entity.delete", "rows/s", target{least: 0.6, aim: 0.7}, measureEntityDelete},
	{"entity.delete.memory", "MiB", target{bound: 64}, nil},
	{"webhook.stream", "deliveries/s", target{least: 0.6}, measureStreamed(webhooks, 1)},
	{"webhook.stream.cpu", "ms", target{bound: 1.2}, nil},
	{"webhook.fanout", "deliveries/s", target{least: 0.6}, measureStreamed(1, webhooks)},
	{"webhook.fanout.cpu", "ms", target{bound: 0.7}, nil},
	{"webhook.fanout.accept", "requests/s", target{least: 0.4}, nil},
	{"webhook.accept_to_receipt", "ms", target{within: 4}, measureReceipt},
	{"webhook.accept_to_receipt.p99", "ms", target{within: 12}, nil},
	{"changes.lag", "ms", target{within: 5}, measureLag},
	{"changes.lag.p99", "ms", target{within: 100}, nil},
	{"idle", "% of a core", target{bound: 2}, measureIdle},
}

func main() {
	if addr := os.Getenv(floorAddr); addr != "" { // started by ourselves, see floor.go
		exit(serveFloor(addr))
	}
	isQuick := flag.Bool("quick", false, "3 pairs of 1 s instead of 5 pairs of 3 s, and of less")
	pairs := flag.Int("pairs", 0, "so many pairs instead")
	each := flag.Duration("each", 0, "so long a side of each pair instead")
	json := flag.Bool("json", !isatty.IsTerminal(os.Stdout.Fd()), "print JSON lines; the default when piped")
	document := flag.String("record", "", "also write the figures to the table of this `document`, docs/performance.md")
	h, l := harness{effort: full}, fullLoad
	rows := flag.Int("rows", 0, "delete entities of so many rows instead")
	flag.StringVar(&h.profiles.cpu, "cpuprofile", "", "write CPU profiles of our processes to this `directory`")
	flag.StringVar(&h.profiles.mem, "memprofile", "", "write allocation profiles of our processes to this `directory`")
	flag.BoolVar(&h.preparedFloor, "prepared-floor", false, "let the floors of job.run and the api paths prepare "+
		"their statements, too")
	flag.Usage = usage
	flag.Parse()
	if *isQuick {
		h.effort, l = quick, quickLoad
	}
	h.pairs, h.each = cmp.Or(*pairs, h.pairs), cmp.Or(*each, h.each)
	h.deleted = cmp.Or(*rows, h.deleted)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if slices.Equal(flag.Args(), []string{"load"}) {
		exit(runLoad(ctx, &h, l, printLoads(os.Stdout, *json)))
	}
	chosen, err := choose(flag.Args())
	if err != nil {
		exit(err)
	}
	report, end := printTable(os.Stdout)
	if *json {
		report, end = printJSON(os.Stdout)
	}
	if *document != "" {
		report = recordIn(*document, report)
	}
	err = run(ctx, &h, chosen, report)
	end()
	exit(err)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func usage() {
	fmt.Fprintln(os.Stderr, "go run ./bench [flags] [PATH...]: all paths or these; a name without its end is all "+
		"that begin with it.")
	for _, p := range paths {
		fmt.Fprintf(os.Stderr, "  %-24s %-10s ratio %s\n", p.name, p.unit, p.target)
	}
	fmt.Fprintln(os.Stderr,
		"go run ./bench [flags] load: a mixed load at rising rates, and one account beside another.")
	flag.PrintDefaults()
}

// choose returns the measurements of the paths with one of the names, or else of the paths with
// names that begin with one. Each measurement is a list of its lines.
func choose(names []string) (chosen [][]path, err error) {
	found := map[string]bool{}
	for _, name := range names {
		matches := func(p path) bool { return p.name == name }
		if !slices.ContainsFunc(paths, matches) {
			matches = func(p path) bool { return strings.HasPrefix(p.name, name+".") }
		}
		if !slices.ContainsFunc(paths, matches) {
			return nil, fmt.Errorf("no path %q; --help lists them", name)
		}
		for _, p := range paths {
			found[p.name] = found[p.name] || matches(p)
		}
	}
	for i := 0; i < len(paths); {
		end := i + 1
		for end < len(paths) && paths[end].measure == nil {
			end++
		}
		if lines := paths[i:end]; len(names) == 0 ||
			slices.ContainsFunc(lines, func(p path) bool { return found[p.name] }) {
			chosen = append(chosen, lines)
		}
		i = end
	}
	return chosen, nil
}

// run measures the paths one after the other. It continues after one that fails, and leaves
// nothing running.
func run(ctx context.Context, h *harness, chosen [][]path, report func(result)) (failed error) {
	defer h.close()
	for _, lines := range chosen {
		results, err := h.measure(ctx, lines)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", lines[0].name, err))
			continue
		}
		for _, r := range results {
			report(r)
		}
	}
	return failed
}

// progress prints a line about the progress to stderr.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
