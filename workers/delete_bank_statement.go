package workers

import (
	"context"
	"errors"
	"strconv"
	"time"

	"bordero/internal/blobs"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/workers/runtime"
)

// deleteBankStatement undoes an import in chunks, each of which leaves the balance right.
// The remaining rows show how much is left to do. A dead job leaves the statement hidden and
// the rest of its import in place, until an operator retries it.
type deleteBankStatement struct {
	store *storage.Store
	files *blobs.Store
	slice time.Duration // as of deleteCascade
}

func (w deleteBankStatement) handler() runtime.Handler {
	return runtime.Entry[jobs.DeleteBankStatement]{Run: w.run}.Handler()
}

// undone is the cursor of a job that has nothing left to undo.
const undone = "undone"

func (w deleteBankStatement) run(ctx context.Context, job *runtime.Job[jobs.DeleteBankStatement]) error {
	d, err := imports.ReadDeletedStatement(ctx, w.store.Queries, job.Args.AccountID, job.Args.BankStatementID)
	if errors.Is(err, storage.ErrNotFound) { // the statement is gone
		return w.store.Complete(ctx, job.Job, nothing)
	}
	// The cursor counts the chunks of all runs. Each chunk gives the job its attempts back.
	// With nothing left to undo the cursor stays, so that failures at the file use up
	// attempts.
	done, _ := strconv.Atoi(job.Cursor)
	began := time.Now()
	for more := job.Cursor != undone; more && err == nil; done++ {
		if job.Stopping() {
			return runtime.ErrStopping
		}
		err = w.store.Chunk(ctx, &job.Job, strconv.Itoa(done+1), func(tx *storage.Tx) (err error) {
			more, err = imports.UndoImport(ctx, tx, d)
			return err
		})
		if err == nil && more {
			err = giveWay(ctx, w.store, job.Job, &began, w.slice)
		}
	}
	if err == nil && job.Cursor != undone {
		err = w.store.Chunk(ctx, &job.Job, undone, nothing)
	}
	if err != nil {
		return err
	}
	// Delete the file before the row: a file without a row would stay for a day.
	if err := w.files.Delete(ctx, d.FileKey); err != nil {
		return err
	}
	return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error { return imports.RemoveBankStatement(ctx, tx, d) })
}
