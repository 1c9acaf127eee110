package jobfaults

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"bordero/deploy/private"
	"bordero/internal/tier"
	"bordero/jobs/broker"
	"bordero/scheduler"
	"bordero/storage"
	"bordero/workers/runtime"

	"golang.org/x/sync/errgroup"
)

// lease is how long a claim lasts without a heartbeat.
const lease = 3 * time.Second

// TestMain runs the tests, or one of their processes: each is this binary, and a variable
// selects the process.
func TestMain(m *testing.M) {
	if name := os.Getenv("JOBFAULTS_NAME"); name != "" {
		if err := play(name); err != nil {
			fmt.Fprintln(os.Stderr, name, "ended:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	_ = flag.Set("test.parallel", tier.Size("3", "1")) // most of the time they wait
	if err := private.Install(context.Background(), func(s string) { fmt.Fprintln(os.Stderr, s) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	outcomes.print()
	return code
}

// play is the whole life of a process.
func play(name string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	// failures of jobs are warnings
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	var store *storage.Store
	installation := func(ctx context.Context) (string, error) { return store.Installation(ctx) }
	client, err := broker.Open(os.Getenv("REDIS_URL"), installation, log)
	if err != nil {
		return err
	}
	defer client.Close()
	store, err = storage.Open(os.Getenv("DATABASE_URL"), storage.Options{Application: name, Offer: client.Offer,
		IdleInTransaction: lease})
	if err != nil {
		return err
	}
	defer store.Close()
	switch part, _, _ := strings.Cut(name, " "); part {
	case "worker":
		table, err := table(store, os.Getenv("DATABASE_URL"))
		if err != nil {
			return err
		}
		group, ctx := errgroup.WithContext(ctx)
		for _, queue := range queues {
			group.Go(func() error {
				return runtime.Run(ctx, runtime.Config{
					Store: store, Client: client, Logger: log, Queue: queue, Table: table, Lease: lease,
					Grace: time.Second, Concurrency: 16,
				})
			})
		}
		return group.Wait()
	case "scheduler":
		return scheduler.Run(ctx, scheduler.Config{
			Store: store, Client: client, Logger: log, Queues: queues, Lap: 2 * lease,
		})
	default:
		produce(ctx, store)
		return nil
	}
}

// outcomes are the lines of the table at the end of a verbose run.
var outcomes outcomeList

type outcomeList struct {
	mu   sync.Mutex
	rows []string
}

func (o *outcomeList) add(row string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rows = append(o.rows, row)
}

func (o *outcomeList) print() {
	if !testing.Verbose() {
		return
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "jobs outlive\tjobs\tjobs/s\tmissing\tdoubled\tby a later try\tworst recovery")
	for _, row := range o.rows {
		fmt.Fprintln(w, row)
	}
	_ = w.Flush()
}
