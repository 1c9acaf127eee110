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

	"bordero/finance/statement/statementtest"

	"github.com/mattn/go-isatty"
)

// path is one line of the report.
type path struct {
	name, unit string
	target     target
	measure    measurement
}

// measurement prepares and returns the two sides. The harness ends what it starts.
type measurement func(context.Context, *harness) (ours, floor figure, err error)

// paths are all paths, in the order of the report.
var paths = []path{
	{"statement.parse", "items/s", target{least: 1}, measureParse(statementtest.WriteOFX, 400_000)},
	{"statement.parse.heap", "MiB", target{most: 1}, measureParseHeap(statementtest.WriteOFX)},
	{"statement.parse.linear", "ns/item", target{most: 1.15}, measureParseLinear(statementtest.WriteOFX)},
	{"statement.parse.ofc", "items/s", target{least: 1}, measureParse(statementtest.WriteOFC, 200_000)},
	{"statement.parse.ofc.heap", "MiB", target{most: 1}, measureParseHeap(statementtest.WriteOFC)},
	{"statement.parse.ofc.linear", "ns/item", target{most: 1.15}, measureParseLinear(statementtest.WriteOFC)},
	{"statement.parse.qif", "items/s", target{least: 1}, measureParse(statementtest.WriteQIF, 200_000)},
	{"statement.parse.qif.heap", "MiB", target{most: 1}, measureParseHeap(statementtest.WriteQIF)},
	{"statement.parse.qif.linear", "ns/item", target{most: 1.15}, measureParseLinear(statementtest.WriteQIF)},
	{"statement.import", "items/s", target{least: 0.5, aim: 0.6}, measureImport},
	{"statement.reimport", "items/s", target{least: 1.5}, measureReimport},
	{"statement.import.large", "µs/item", target{most: 1.2}, measureImportLarge},
	{"job.pickup", "ms", target{within: 2}, measurePickup(50)},
	{"job.pickup.p99", "ms", target{within: 6}, measurePickup(99)},
	{"job.run", "jobs/s", target{least: 0.75}, measureRun},
	{"api.get", "requests/s", target{least: 0.8}, measureGet},
	{"api.list", "requests/s", target{least: 1, aim: 1.2}, measureList},
	{"api.list.xml", "requests/s", target{least: 0.9}, measureListXML},
	{"api.list_sales", "requests/s", target{least: 1}, measureListSales},
	{"api.search_texts", "ms", target{within: 150}, measureSearchTexts},
	{"api.create", "requests/s", target{least: 0.7, aim: 0.85}, measureCreate},
	{"api.create_sale", "requests/s", target{least: 0.7, aim: 0.85}, measureCreateSale},
	{"api.create_transaction", "requests/s", target{least: 0.85}, measureCreateTransaction},
	{"api.create_transaction.cpu", "ms", target{most: 1}, measureCreateTransactionCPU},
	{"download.sign", "ms", target{within: 6}, measureSign},
	{"download.sign.hit", "requests/s", target{least: 0.9}, measureSignHit},
	{"attachment.upload", "MB/s", target{least: 0.5}, measureUpload},
	{"attachment.download", "MB/s", target{least: 0.5}, measureDownload},
	{"attachment.memory", "MiB", target{most: 1}, measureUploadMemory},
	{"reconcile", "requests/s", target{least: 0.5}, measureReconcile},
	{"sales.price", "sales/s", target{least: 0.6, aim: 0.8}, measureSalesPrice},
	{"sales.price.beside", "ms", target{most: 1}, measureSalesBeside},
	{"entity.delete", "rows/s", target{least: 0.6, aim: 0.7}, measureEntityDelete},
	{"entity.delete.memory", "MiB", target{most: 1}, measureEntityDeleteMemory},
	{"entity.delete.beside", "ms", target{most: 1}, measureEntityDeleteBeside},
	{"webhook.deliver", "deliveries/s", target{least: 0.55}, measureDeliver},
	{"webhook.deliver.cpu", "ms", target{most: 1}, measureDeliverCPU},
	{"webhook.stream", "deliveries/s", target{least: 0.6}, measureStreamed(webhooks, 1, (*stream).rates)},
	{"webhook.stream.cpu", "ms", target{most: 1}, measureStreamed(webhooks, 1, cpuWithin(1.2))},
	{"webhook.fanout", "deliveries/s", target{least: 0.6}, measureStreamed(1, webhooks, (*stream).rates)},
	{"webhook.fanout.cpu", "ms", target{most: 1}, measureStreamed(1, webhooks, cpuWithin(0.7))},
	{"webhook.fanout.accept", "requests/s", target{least: 0.4}, measureStreamed(1, webhooks, (*stream).acceptance)},
	{"webhook.scale", "deliveries/s", target{least: 1.8}, measureScale},
	{"webhook.accept_to_receipt", "ms", target{within: 4}, measureReceipt(50)},
	{"webhook.accept_to_receipt.p99", "ms", target{within: 12}, measureReceipt(99)},
	{"webhook.emit", "µs/request", target{most: 1.25}, measureEmit},
	{"webhook.import", "µs/item", target{most: 1.6}, measureNotifiedImport},
	{"idle", "% of a core", target{most: 1}, measureIdle},
	{"suggestions", "s", target{most: 1}, suggesting(10_000, 1)},
	{"suggestions.large", "s", target{most: 1}, suggesting(20_000, 2.5)},
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
	flag.BoolVar(&h.preparedFloor, "prepared-floor", false, "let the floors of job.run and the api paths prepare their statements, too")
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
	fmt.Fprintln(os.Stderr, "go run ./bench [flags] [PATH...]: all paths or these; one without its end is all that begin so.")
	for _, p := range paths {
		fmt.Fprintf(os.Stderr, "  %-24s %-10s ratio %s\n", p.name, p.unit, p.target)
	}
	fmt.Fprintln(os.Stderr, "go run ./bench [flags] load: a mixed load at rising rates, and one account beside another.")
	flag.PrintDefaults()
}

// choose returns the paths with one of the names, or else those whose names begin with one.
func choose(names []string) ([]path, error) {
	if len(names) == 0 {
		return paths, nil
	}
	var chosen []path
	for _, name := range names {
		exact := slices.IndexFunc(paths, func(p path) bool { return p.name == name })
		if exact >= 0 {
			chosen = append(chosen, paths[exact])
			continue
		}
		before := len(chosen)
		for _, p := range paths {
			if strings.HasPrefix(p.name, name+".") {
				chosen = append(chosen, p)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("no path %q; --help lists them", name)
		}
	}
	return chosen, nil
}

// run measures the paths one after the other. It continues after one that fails, and leaves
// nothing running.
func run(ctx context.Context, h *harness, chosen []path, report func(result)) (failed error) {
	defer h.close()
	for _, p := range chosen {
		r, err := h.measure(ctx, p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", p.name, err))
			continue
		}
		report(r)
	}
	return failed
}

// progress prints a line about the progress to stderr.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
