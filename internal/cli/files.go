package cli

import (
	"context"
	"errors"
	"slices"
	"time"

	"bordero/internal/blobs"
	"bordero/internal/serve"
	"bordero/jobs"
)

// usesFiles reports whether a process of the queues reads or writes files: a worker of imports or of deletions, the API
// or the scheduler. Other processes may have a directory of their own, as the signing worker in Compose does, or no
// access to S3.
func (p *process) usesFiles(queues []string) bool {
	return p.files != nil && (slices.Contains(queues, jobs.ImportStatementKind.Queue) ||
		slices.Contains(queues, jobs.DeleteBankStatementKind.Queue))
}

// probeFiles is down if the file store belongs to another installation: the other processes would not find the
// files stored there. It is degraded while the store does not answer: requests and jobs without files work, and
// the jobs that need a file are tried again. A process that awaits its files, a worker, takes no jobs until ownFiles
// has found them: until then it is down with any error.
func (p *process) probeFiles(ctx context.Context) (serve.State, string) {
	ctx, cancel := context.WithTimeout(ctx, 1500*time.Millisecond) // less than the limit of a probe
	defer cancel()
	switch err := p.files.Check(ctx); {
	case err == nil:
		return serve.OK, ""
	case errors.Is(err, blobs.ErrForeign), p.awaitsFiles && !p.owned.Load():
		return serve.Down, err.Error()
	case errors.Is(err, blobs.ErrUnavailable):
		return serve.Degraded, err.Error()
	default:
		return serve.OK, "not known whose they are: " + err.Error()
	}
}

// ownFiles waits until the file store is marked as the installation's. The first process of an installation
// writes the mark; a process without write access waits for it. ownFiles returns false when ctx ends first.
func (p *process) ownFiles(ctx context.Context) bool {
	for ctx.Err() == nil {
		err := p.files.Recheck(ctx)
		if errors.Is(err, blobs.ErrForeign) && p.markFiles(ctx) == nil {
			err = p.files.Recheck(ctx)
		}
		if err == nil {
			p.owned.Store(true)
			return true
		}
		if errors.Is(err, blobs.ErrForeign) {
			p.foreign.Do(func() { p.log.Error("the process does not use its file store", "error", err) })
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
	return false
}

// markFiles marks the file store, unless a process of this installation has marked a store before.
func (p *process) markFiles(ctx context.Context) error {
	id, err := p.client.Installation(ctx)
	if err != nil {
		return err
	}
	return p.store.MarkFiles(ctx, func() error { return p.files.Mark(ctx, id) })
}
