package workers

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/internal/blobs"
	"bordero/internal/messages"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/proof"
	"bordero/storage/queue"
	"bordero/workers/runtime"
)

// importStatement reads a statement's file and stores its transactions and the new balance in one
// transaction, or stores the fault of the file. For a preview it stores the outcome of each item,
// and emits no event. A broken file completes its job; only our own faults fail it.
type importStatement struct {
	store *storage.Store
	files *blobs.Store
	zone  *time.Location // decides which day is today
	now   func() time.Time

	imported func(result string, transactions int64) // after the commit
	changes  func(before, after *finance.BankStatement) string
}

type importJob = runtime.Job[jobs.ImportStatement]

func (w importStatement) handler() runtime.Handler {
	return runtime.Entry[jobs.ImportStatement]{Run: w.run, OnDead: w.dead}.Handler()
}

func (w importStatement) run(ctx context.Context, job *importJob) error {
	s, err := w.store.StatementForImport(ctx, job.Args.AccountID, job.Args.BankStatementID)
	if errors.Is(err, storage.ErrNotFound) { // the statement is gone, or being deleted
		return w.store.Complete(ctx, job.Job, nothing)
	}
	if err != nil {
		return err
	}
	began := w.now() // by the clock of EventFinishedAt: their difference is the time of the work
	err = w.mark(ctx, job, s, finance.ImportProcessing, &began)
	if errors.Is(err, storage.ErrNotFound) {
		return w.store.Complete(ctx, job.Job, nothing)
	}
	if err != nil {
		return err
	}
	b := &s.BankStatement
	// As mark has stored them.
	b.EventStatus, b.EventOutput, b.EventFinishedAt, b.EventWarnings = finance.ImportProcessing, nil, nil, nil
	b.EventStartedAt = &began
	err = w.importFile(ctx, job, s)
	if err != nil && !errors.Is(err, queue.ErrFenced) {
		w.queue(ctx, job, s)
	}
	if errors.Is(err, blobs.ErrForeign) { // this process cannot know whether the file is missing
		job.Logger.Error("import waits for its file", "error", err)
		return cmp.Or(w.store.Postpone(ctx, job.Job, foreignWait), runtime.ErrPostponed)
	}
	return err
}

// foreignWait leaves an import to the workers that have the files, if there are any.
const foreignWait = 5 * time.Second

// queue shows the statement as queued while it waits for the next run, also if this one was cut off.
// An error changes nothing.
func (w importStatement) queue(ctx context.Context, job *importJob, s storage.StatementImport) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_ = w.mark(ctx, job, s, finance.ImportQueued, nil)
}

func (w importStatement) mark(ctx context.Context, job *importJob, s storage.StatementImport, status string,
	began *time.Time) error {
	return w.store.Chunk(ctx, &job.Job, "", func(tx *storage.Tx) error {
		return tx.SetImportStatus(ctx, s.BankStatement.AccountID, s.BankStatement.ID, status, began)
	})
}

// importFile reads the file and ends the import or the preview, with success or with an error.
func (w importStatement) importFile(ctx context.Context, job *importJob, s storage.StatementImport) error {
	if refused, err := w.refusedRows(ctx, s.BankStatement.AccountID); refused != nil || err != nil {
		return w.refuse(ctx, job, s, cmp.Or(err, refused))
	}
	file, err := w.files.Open(ctx, s.BankStatement.FileKey)
	if err != nil {
		return err
	}
	defer file.Close()
	r := reading{into: s.Into, today: finance.DateOf(w.now().In(w.zone)), zone: w.zone, b: s.BankStatement,
		currencies: finance.ItemCurrencies{}}
	staging, err := imports.Stage(ctx, w.store, func(add func(imports.StagedItem) error) error {
		r.add = add
		return r.read(file, job)
	})
	if err != nil {
		return w.refuse(ctx, job, s, err)
	}
	defer staging.Close() // its rows are imported by then, or will be read again
	if s.SameFile, err = w.sameFile(ctx, &s.BankStatement); err != nil {
		return err
	}
	var imported imports.Imported
	ended := false // stays false if the entity is being deleted
	err = staging.Complete(ctx, job.Job, func(tx *storage.Tx) error {
		gone, err := shareTarget(ctx, tx, s)
		if err != nil || gone {
			return err
		}
		if err := r.confirmTypes(ctx, tx); err != nil {
			return err
		}
		imported, err = w.importStaged(ctx, tx, s, &r)
		ended = err == nil
		return err
	})
	if err != nil {
		return w.refuse(ctx, job, s, err)
	}
	if ended && !s.BankStatement.Preview {
		w.imported(finance.ImportSuccess, imported.New)
	}
	return nil
}

// refusedRows returns the refusal of a statement of an account that has as many items as its quota: other imports may
// have ended since the upload.
func (w importStatement) refusedRows(ctx context.Context, account int64) (refused, err error) {
	q, err := w.store.Quotas(ctx, account)
	if err != nil {
		return nil, err
	}
	return finance.Usage{StatementRows: q.Used[finance.StatementRows]}.RefuseImport(q.Quotas), nil
}

// importStaged imports or previews the staged items and ends the import. A file with a warning that
// the client must accept, and did not, is a refusal.
func (w importStatement) importStaged(
	ctx context.Context, tx *storage.Tx, s storage.StatementImport, r *reading,
) (imported imports.Imported, err error) {
	b := r.b
	unaccepted, err := r.warn(ctx, tx, &b)
	if err != nil {
		return imported, err
	}
	if len(unaccepted) > 0 && !b.Preview {
		return imported, refusal{b.EventWarnings.NotAccepted(unaccepted), b.EventWarnings}
	}
	read := storage.StatementImport{BankStatement: b, Into: s.Into, SameFile: s.SameFile}
	if b.Preview {
		imported, err = imports.PreviewStaged(ctx, tx, read)
	} else {
		imported, err = imports.StoreStaged(ctx, tx, read)
	}
	if err != nil {
		return imported, err
	}
	b.ItemsCount = &r.items
	b.ImportedItemsCount, b.DuplicateItemsIgnoredCount = imported.New, imported.Known
	if r.days != (finance.Period{}) {
		b.FirstItemOn, b.LastItemOn = &r.days.First, &r.days.Last
	}
	b.EventWarnings.AddCounted(finance.WarnReadDifferently, imported.ReadDifferently)
	b.EventWarnings.AddCounted(finance.WarnMovedDay, imported.Moved)
	b.EventWarnings.AddCounted(finance.WarnRestated, imported.Restated)
	b.EventWarnings.AddCounted(finance.WarnSuspects, imported.Suspects)
	b.EventWarnings.AddDoubts(imported.Doubts, imported.Doubtful)
	return imported, w.finish(ctx, tx, s, b, b.Ended(), b.Output(r.days, unaccepted)+b.PreviewOutput(imported.Preview))
}

// sameFile returns the statement, if any, of a file that an earlier release imported and that is
// the same byte by byte: its items are known however they are read today.
func (w importStatement) sameFile(ctx context.Context, b *finance.BankStatement) (*int64, error) {
	earlier, err := w.store.FilesOfEarlierReleases(ctx, b)
	if err != nil || len(earlier) == 0 {
		return nil, err
	}
	own, err := w.digest(ctx, b.FileKey)
	if err != nil {
		return nil, err
	}
	for _, e := range earlier {
		digest, err := w.digest(ctx, e.FileKey)
		switch {
		case errors.Is(err, blobs.ErrNotFound): // nothing says that it is the same
		case err != nil:
			return nil, err
		case digest == own:
			return &e.ID, nil
		}
	}
	return nil, nil
}

func (w importStatement) digest(ctx context.Context, key string) (sum [sha256.Size]byte, err error) {
	file, err := w.files.Open(ctx, key)
	if err != nil {
		return sum, err
	}
	defer file.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	return [sha256.Size]byte(hash.Sum(nil)), err
}

// refusal is the reason why a file is not imported, for the person that uploaded it.
type refusal struct {
	why      string
	warnings finance.StatementWarnings
}

func (r refusal) Error() string { return r.why }

// refuse ends the import of an unacceptable file, with the reason. It returns any other error.
func (w importStatement) refuse(ctx context.Context, job *importJob, s storage.StatementImport, err error) error {
	var r refusal
	var broken *statement.Error
	var invalid *finance.Invalid
	switch {
	case errors.As(err, &r):
	case errors.As(err, &broken):
		r.why = broken.Message // a sentence
		if broken.Line > 0 {
			r.why = fmt.Sprintf(messages.Unreadablef, broken)
		}
	case errors.As(err, &invalid):
		format := messages.ImportRefusedf
		if invalid.Messages[0].Attribute == finance.Base {
			format = messages.RefusedWithf
		}
		r.why = fmt.Sprintf(format, invalid.Messages[0].Text)
	default:
		return err
	}
	err = w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
		b := s.BankStatement
		b.EventWarnings = r.warnings
		return w.finish(ctx, tx, s, b, finance.ImportError, r.why)
	})
	if err == nil && !s.BankStatement.Preview {
		w.imported(finance.ImportError, 0)
	}
	return err
}

// shareTarget locks the entity and the deposit account FOR KEY SHARE, and reports whether one of
// them is deleted or being deleted. A deletion may have begun while the file was read: the import
// then has no target.
func shareTarget(ctx context.Context, tx *storage.Tx, s storage.StatementImport) (gone bool, err error) {
	scope := storage.Scope{AccountID: s.Into.AccountID, EntityID: s.Into.EntityID}
	e, err := tx.ShareEntity(ctx, scope)
	if err == nil && e.DeletedAt == nil {
		err = tx.ShareDepositAccount(ctx, scope, s.Into.ID)
	}
	if errors.Is(err, storage.ErrNotFound) {
		return true, nil
	}
	return e.DeletedAt != nil, err
}

// finish ends the import and emits its event, or ends the preview.
func (w importStatement) finish(ctx context.Context, tx *storage.Tx, s storage.StatementImport, b finance.BankStatement,
	status, output string) error {
	now := w.now()
	b.EventStatus, b.EventOutput, b.EventFinishedAt = status, &output, &now
	if err := tx.FinishImport(ctx, &b); err != nil || b.Preview {
		return err
	}
	if status == finance.ImportSuccess {
		if err := proof.ProveImport(ctx, tx, &b); err != nil {
			return err
		}
	}
	err := tx.Emit(ctx, finance.Event{
		Family: finance.BankStatementsFamily, Action: finance.Updated,
		AccountID: b.AccountID, EntityID: s.Into.EntityID, ParentID: b.DepositAccountID, IDs: []int64{b.ID},
		Attributes: w.changes(&s.BankStatement, &b),
	})
	if err != nil || status != finance.ImportSuccess {
		return err
	}
	return imports.NumberSuggested(ctx, tx, &b, true)
}

// dead records that the import failed through our own fault.
func (w importStatement) dead(ctx context.Context, tx *storage.Tx, job importJob, _ error) error {
	s, err := tx.StatementForImport(ctx, job.Args.AccountID, job.Args.BankStatementID)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return w.finish(ctx, tx, s, s.BankStatement, finance.ImportError,
		messages.ImportFailed)
}
