package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"bordero/internal/blobs"
	"bordero/internal/panics"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/cascade"
	"bordero/storage/queue"
	"bordero/workers/runtime"
)

// deleteCascade removes a record with all that belongs to it, in chunks that commit. A dead
// job leaves the rest hidden, or partly deleted, until an operator retries it.
type deleteCascade struct {
	store *storage.Store
	files *blobs.Store
	slice time.Duration
}

// deletionSlice is how long a deletion goes on before it gives way to deletions of other accounts: that of an entity
// with millions of rows takes minutes.
const deletionSlice = 2 * time.Second

// giveWay returns ErrPostponed once a slice has passed since began and a job of an account without a run waits, and
// sets began when it has looked.
func giveWay(ctx context.Context, store *storage.Store, job queue.Job, began *time.Time, slice time.Duration) error {
	if time.Since(*began) < slice {
		return nil
	}
	*began = time.Now()
	gave, err := store.GiveWay(ctx, job)
	if gave {
		return runtime.ErrPostponed
	}
	return err
}

func (w deleteCascade) handler() runtime.Handler {
	return runtime.Entry[jobs.DeleteCascade]{Run: w.run}.Handler()
}

func (w deleteCascade) run(ctx context.Context, job *runtime.Job[jobs.DeleteCascade]) error {
	c, err := cascade.Open(ctx, w.store, job.Args, job.Cursor)
	if errors.Is(err, storage.ErrNotFound) { // another deletion may have removed it since this one began
		return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
			return cascade.EndDeletion(ctx, tx, job.Args)
		})
	}
	if err != nil {
		return err
	}
	keep := func(do func(*storage.Tx) error) error { return w.store.Chunk(ctx, &job.Job, c.Cursor(), do) }
	err = w.remove(ctx, job, c, keep)
	if errors.Is(err, cascade.ErrReferred) {
		c.Restart() // the next run starts from the beginning
		return errors.Join(err, keep(nothing))
	}
	return err
}

// remove continues from the cascade's cursor to the end of the job.
func (w deleteCascade) remove(ctx context.Context, job *runtime.Job[jobs.DeleteCascade], c *cascade.Cascade,
	keep func(func(*storage.Tx) error) error) error {
	if !c.Begun() {
		if err := c.Begin(ctx, w.store, keep); err != nil {
			return err
		}
	}
	for began := time.Now(); ; {
		if job.Stopping() {
			return runtime.ErrStopping
		}
		if err := c.Ready(ctx, w.store); err != nil {
			return err
		}
		if c.Done() {
			return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error { return c.Remove(ctx, tx) })
		}
		if err := w.removeFiles(ctx, job.Logger, c); err != nil {
			return err
		}
		if err := c.Chunk(ctx, keep); err != nil {
			return err
		}
		if err := giveWay(ctx, w.store, job.Job, &began, w.slice); err != nil {
			return err
		}
	}
}

// filesInFlight is how many files are removed at once: each is a round trip to the file
// store.
const filesInFlight = 16

// removeFiles removes the files of the rows that are removed next. If the file store fails,
// the rows are still there for the next run.
func (w deleteCascade) removeFiles(ctx context.Context, log *slog.Logger, c *cascade.Cascade) error {
	keys, err := c.Files(ctx, w.store)
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	failures, slots := make([]error, len(keys)), make(chan struct{}, filesInFlight)
	for i, key := range keys {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			err := panics.Caught(log, "removal of a file panicked", func() error { return w.files.Delete(ctx, key) })
			if err != nil {
				failures[i] = fmt.Errorf("file %s: %w", key, err)
			}
		})
	}
	wait.Wait()
	return errors.Join(failures...)
}
