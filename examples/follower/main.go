// Command follower copies records of an account into a local file and keeps the copy current by
// GET /changes. It is an example of how another system is synchronised with bordero: it uses the
// API alone, and may be killed and started again at any moment.
//
//	BORDERO_URL=https://api.example.com BORDERO_TOKEN=… go run ./examples/follower copy.jsonl
//
// The copy is a journal of JSON lines: records as they were read, and after each group of them how far
// the changes have been followed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	sweepEvery := flag.Duration("sweep", 24*time.Hour, "how often all lists are read again and compared with the copy")
	account := flag.String("account", "", "the `id` of the account, for a user of several")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "BORDERO_URL=… BORDERO_TOKEN=… follower [flags] FILE")
		flag.PrintDefaults()
	}
	flag.Parse()
	url, token := strings.TrimSuffix(os.Getenv("BORDERO_URL"), "/"), os.Getenv("BORDERO_TOKEN")
	if flag.NArg() != 1 || url == "" || token == "" {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, &client{url: url, token: token, account: *account}, flag.Arg(0), *sweepEvery); err != nil &&
		!errors.Is(err, context.Canceled) {
		slog.Error("the follower ends", "error", err)
		os.Exit(1)
	}
}

// run follows the changes until ctx is done, or an error that would come again.
func run(ctx context.Context, c *client, file string, sweepEvery time.Duration) error {
	records, err := openCopy(file)
	if err != nil {
		return err
	}
	defer records.close()
	f := follower{client: c, copy: records}
	swept := time.Now()
	for {
		switch {
		case f.copy.next < 0:
			slog.Info("reading all lists")
			err = f.load(ctx)
		case time.Since(swept) > sweepEvery:
			swept = time.Now()
			err = f.load(ctx)
		default:
			err = f.follow(ctx)
		}
		if errors.As(err, &forgotten{}) { // the copy is older than the changes, or newer
			slog.Warn("the changes that follow are not there, reading all lists again")
			f.copy.next, err = -1, nil
		}
		if err != nil {
			return err
		}
	}
}
