package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/queue"
)

type jobsCommand struct {
	List  listJobsCommand `cmd:"" help:"List the unfinished jobs."`
	Retry retryJobCommand `cmd:"" help:"Retry a failed or dismissed job."`
}

type listJobsCommand struct {
	Failed    bool   `help:"Only jobs that have failed for good." xor:"state"`
	Dismissed bool   `help:"Only failed jobs that were dismissed on the monitor." xor:"state"`
	Kind      string `placeholder:"KIND" help:"Only jobs of this kind, such as import_statement."`
	Account   int64  `placeholder:"ID" help:"Only jobs of this account."`
	JSON      bool   `help:"Print JSON, one line per job."`
	dataFlag
}

// listedJobs is the largest number of jobs that a list has.
const listedJobs = 1000

func (l listJobsCommand) Run(ctx context.Context) error {
	s, err := l.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	selected, none := queue.UnfinishedJobs, "no unfinished jobs"
	switch {
	case l.Failed:
		selected, none = queue.FailedJobs, "no failed jobs"
	case l.Dismissed:
		selected, none = queue.DismissedJobs, "no dismissed jobs"
	}
	if l.Kind != "" {
		none += " of the kind " + l.Kind
		if kinds := jobKinds(); !slices.Contains(kinds, l.Kind) { // no error: another release may have it
			fmt.Fprintf(os.Stderr, "this release has no kind %s; it has %s\n", l.Kind, strings.Join(kinds, ", "))
		}
	}
	if l.Account != 0 {
		if err := checkAccount(ctx, s, l.Account); err != nil {
			return err
		}
		none += fmt.Sprint(" of account ", l.Account)
	}
	rows, err := s.Jobs(ctx, selected, queue.Filter{Kind: l.Kind, AccountID: l.Account}, listedJobs+1)
	if err != nil {
		return err
	}
	if len(rows) > listedJobs {
		rows = rows[:listedJobs]
		fmt.Fprintln(os.Stderr, "the newest 1,000 are shown: --kind and --account select fewer")
	}
	return listing[queue.Row]{
		json: l.JSON, none: none,
		columns: []string{"ID", "KIND", "STATE", "ACCOUNT", "ATTEMPTS", "CREATED", "DUE", "PROGRESS", "ERROR"},
		row:     jobRow,
	}.print(rows)
}

func jobRow(r queue.Row) []string {
	account, progress, message := "-", "-", "-"
	if r.AccountID != nil {
		account = fmt.Sprint(*r.AccountID)
	}
	if r.Error != nil {
		message = *r.Error
	}
	if r.Deleted != nil {
		progress = fmt.Sprintf("%d rows deleted, about %d left", *r.Deleted, *r.Left)
	}
	return []string{
		fmt.Sprint(r.ID), r.Kind, state(r, time.Now()), account, fmt.Sprint(r.Attempts),
		r.CreatedAt.Format(time.DateTime), r.DueAt.Format(time.DateTime), progress, message,
	}
}

// state returns the state of a job in an operator's words.
func state(r queue.Row, now time.Time) string {
	switch {
	case r.DismissedAt != nil:
		return "dismissed"
	case r.FailedAt != nil:
		return "failed"
	case r.LeasedUntil != nil && r.LeasedUntil.After(now):
		return "running"
	case r.DueAt.After(now):
		return "later"
	}
	return "waiting"
}

type retryJobCommand struct {
	ID int64 `arg:"" help:"Id of the job."`
	dataFlag
}

func (r retryJobCommand) Run(ctx context.Context) error {
	c, err := r.config("DATABASE_URL", "REDIS_URL")
	if err != nil {
		return err
	}
	if _, err := refusePooler(ctx, "DATABASE_URL", c.DatabaseURL); err != nil {
		return err
	}
	var s *storage.Store
	installation := func(ctx context.Context) (string, error) { return s.Installation(ctx) }
	client, err := broker.Open(c.RedisURL, installation, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	s, err = storage.Open(c.DatabaseURL, storage.Options{Application: "bordero command", Connections: 1,
		Offer: client.Offer})
	if err != nil {
		_ = client.Close()
		return err
	}
	defer s.Close()
	defer client.Close() // before the store closes: to push the ticket, Close may read the installation's id
	if _, err := s.RetryJob(ctx, r.ID); errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("no failed job %d, and no dismissed one; bordero jobs list --failed and --dismissed show "+
			"them", r.ID)
	} else if err != nil {
		return err
	}
	fmt.Printf("job %d will be retried\n", r.ID)
	return nil
}
