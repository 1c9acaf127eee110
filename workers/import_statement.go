package workers

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/internal/blobs"
	"bordero/internal/messages"
	"bordero/jobs"
	"bordero/storage"
	"bordero/workers/runtime"
)

// importStatement reads a statement's file and stores its transactions and the new balance
// in one transaction, or stores what is wrong with the file. Of a preview it stores what would
// become of the items, and no event tells of it. A broken file completes its
// job; only our own faults fail it.
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
	err = w.mark(ctx, job, s, finance.ImportProcessing)
	if errors.Is(err, storage.ErrNotFound) {
		return w.store.Complete(ctx, job.Job, nothing)
	}
	if err != nil {
		return err
	}
	b := &s.BankStatement
	b.EventStatus, b.EventOutput, b.EventFinishedAt = finance.ImportProcessing, nil, nil // as marked
	err = w.importFile(ctx, job, s)
	if err != nil && !errors.Is(err, storage.ErrFenced) {
		w.queue(ctx, job, s)
	}
	return err
}

// queue shows the statement as queued while it waits for the next run, also if this one was cut off.
// An error changes nothing.
func (w importStatement) queue(ctx context.Context, job *importJob, s storage.StatementImport) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_ = w.mark(ctx, job, s, finance.ImportQueued)
}

func (w importStatement) mark(ctx context.Context, job *importJob, s storage.StatementImport, status string) error {
	return w.store.Chunk(ctx, &job.Job, "", func(tx *storage.Tx) error {
		return tx.SetImportStatus(ctx, s.BankStatement.AccountID, s.BankStatement.ID, status)
	})
}

// importFile reads the file and ends the import or the preview, with success or with an error.
func (w importStatement) importFile(ctx context.Context, job *importJob, s storage.StatementImport) error {
	file, err := w.files.Open(ctx, s.BankStatement.FileKey)
	if err != nil {
		return err
	}
	defer file.Close()
	r := reading{into: s.Into, today: finance.DateOf(w.now().In(w.zone)), b: s.BankStatement}
	staging, err := w.store.Stage(ctx, func(add func(storage.StagedItem) error) error {
		r.add = add
		return r.read(file, job)
	})
	var broken *statement.Error
	if errors.As(err, &broken) {
		why := broken.Message // a sentence
		if broken.Line > 0 {
			why = fmt.Sprintf(messages.Unreadablef, broken)
		}
		return w.refuse(ctx, job, s, why)
	}
	var wrong wrongAccounts
	if errors.As(err, &wrong) {
		return w.refuse(ctx, job, s, wrong.Error())
	}
	if err != nil {
		return err
	}
	defer staging.Close() // its rows are imported by then, or will be read again
	read := storage.StatementImport{BankStatement: r.b, Into: s.Into}
	if read.SameFile, err = w.sameFile(ctx, &s.BankStatement); err != nil {
		return err
	}
	var imported storage.Imported
	ended := false // stays false if the entity is being deleted
	err = staging.Complete(ctx, job.Job, func(tx *storage.Tx) error {
		gone, err := shareTarget(ctx, tx, s)
		if err != nil || gone {
			return err
		}
		if err := r.confirmTypes(ctx, tx); err != nil {
			return err
		}
		if s.BankStatement.Preview {
			imported, err = tx.PreviewStaged(ctx, read)
		} else {
			imported, err = tx.ImportStaged(ctx, read)
		}
		if err != nil {
			return err
		}
		b := r.b
		b.ItemsCount = &r.items
		b.ImportedItemsCount, b.DuplicateItemsIgnoredCount = imported.New, imported.Known
		if r.days != (finance.Period{}) {
			b.FirstItemOn, b.LastItemOn = &r.days.First, &r.days.Last
		}
		ended = true
		warnings := []string{finance.OtherCurrency(r.currency, s.Into.CurrencyID), r.otherNumber()}
		output := b.Output(r.days, warnings, imported.Suspects, imported.Doubts)
		return w.finish(ctx, tx, s, b, b.Ended(), output+b.PreviewOutput(imported.Preview))
	})
	var refused *finance.Invalid
	if errors.As(err, &refused) {
		return w.refuse(ctx, job, s, fmt.Sprintf(messages.ImportRefusedf, refused.Messages[0].Text))
	}
	if err == nil && ended && !s.BankStatement.Preview {
		w.imported(finance.ImportSuccess, imported.New)
	}
	return err
}

// sameFile returns the statement, if any, whose file an earlier release imported and is the same byte by byte: its items are
// known however they are read today.
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

// refuse ends the import of an unacceptable file, with the reason.
func (w importStatement) refuse(ctx context.Context, job *importJob, s storage.StatementImport, why string) error {
	err := w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
		return w.finish(ctx, tx, s, s.BankStatement, finance.ImportError, why)
	})
	if err == nil && !s.BankStatement.Preview {
		w.imported(finance.ImportError, 0)
	}
	return err
}

// shareTarget locks the entity and the deposit account FOR KEY SHARE, and reports whether one of them is
// gone or being deleted: after a deletion that began while the file was read, there is nothing to
// import into.
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
func (w importStatement) finish(ctx context.Context, tx *storage.Tx, s storage.StatementImport, b finance.BankStatement, status, output string) error {
	now := w.now()
	b.EventStatus, b.EventOutput, b.EventFinishedAt = status, &output, &now
	if err := tx.FinishImport(ctx, &b); err != nil || b.Preview {
		return err
	}
	if status == finance.ImportSuccess {
		if err := tx.ProveImport(ctx, &b); err != nil {
			return err
		}
	}
	return tx.Emit(ctx, finance.Event{
		Family: finance.BankStatementsFamily, Action: finance.Updated,
		AccountID: b.AccountID, EntityID: s.Into.EntityID, ParentID: b.DepositAccountID, IDs: []int64{b.ID},
		Attributes: w.changes(&s.BankStatement, &b),
	})
}

// reading is the state of reading a file into the staging.
type reading struct {
	into  finance.DepositAccount
	today finance.Date
	add   func(storage.StagedItem) error

	b     finance.BankStatement // with the ignored items counted, and the balance and period of the file
	items int64
	days  finance.Period // of the imported and the known items

	currency string // of the statement, as the file names it
	byType   bool   // items have the signs of their types
	notes    []statement.Note
}

// read adds the items, counts the ignored ones, and records the balance and period that the
// file states.
func (r *reading) read(file io.ReadSeeker, job *importJob) error {
	f := statement.NewReader(file, r.today)
	number, account := "", ""
	if r.into.AccountNumber != nil {
		number = *r.into.AccountNumber
		account = f.AccountOf(number)
	}
	for {
		item, err := f.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if job.Stopping() {
			return runtime.ErrStopping
		}
		if err := r.take(item, account); err != nil {
			return err
		}
	}
	said := f.Summary(account)
	if err := accountOf(f.Summaries(), number, r.items > r.b.OtherAccountItemsIgnoredCount || said.Speaks()); err != nil {
		return err
	}
	r.currency, r.notes = said.Currency, f.Notes()
	if said.Account != "" {
		r.b.FileAccountNumber = &said.Account
	}
	r.b.LedgerBalance, r.b.LedgerBalanceOn = said.LedgerBalance, said.LedgerBalanceOn
	r.b.PeriodStart, r.b.PeriodEnd, r.b.PeriodBroken = said.PeriodStart, said.PeriodEnd, said.PeriodBroken
	return nil
}

// otherNumber returns a warning if the file names another account than the first statement of a
// deposit account without a number; otherwise "".
func (r *reading) otherNumber() string {
	is, was := r.b.FileAccountNumber, r.into.SuggestedAccountNumber
	if is == nil || was == nil || statement.SameAccount(*is, *was) {
		return ""
	}
	return fmt.Sprintf(messages.OtherNumberf, *is, *was)
}

func (r *reading) take(item statement.Item, account string) error {
	outcome, amount, err := statement.Classify(item, account, r.today)
	if err != nil {
		return err
	}
	r.items++
	staged := storage.StagedItem{
		Line: item.Line, Day: item.Day, Amount: amount,
		Card:  item.Card || *r.into.DepositAccountTypeID == finance.CardAccount,
		FITID: item.FITID, Document: item.Document, Description: item.Description,
	}
	if outcome != statement.Imported {
		staged.Ignored = string(outcome)
	}
	switch outcome {
	case statement.OtherAccount:
		r.b.OtherAccountItemsIgnoredCount++
	case statement.InvalidDate:
		r.b.InvalidDateItemsIgnoredCount++
	case statement.Zero:
		r.b.AmountZeroItemsIgnoredCount++
	case statement.Balance:
		r.b.BalanceItemsIgnoredCount++
	case statement.Future:
		r.b.FutureItemsIgnoredCount++
	default:
		r.days.Add(item.Day)
		r.byType = r.byType || item.ByType
	}
	return r.add(staged)
}

// confirmTypes gives items that have the signs of their types those of the file, if the balance that it states says so.
func (r *reading) confirmTypes(ctx context.Context, tx *storage.Tx) error {
	if !r.byType {
		return nil
	}
	wrong, err := tx.RestoreSigns(ctx, &r.b)
	if wrong {
		r.notes = slices.DeleteFunc(r.notes, func(n statement.Note) bool { return n.Code == statement.SignsByType })
	}
	return err
}

// accountOf refuses a file with items of several accounts if the deposit account has no
// number, and a file without the account whose number it has. own is set if the file has
// items or a statement of that account.
func accountOf(said []statement.Summary, account string, own bool) error {
	var found []string
	for _, s := range said {
		if s.Items == 0 {
			continue
		}
		name := s.Account
		if name == "" {
			name = messages.NoNumber
		}
		found = append(found, name)
	}
	names := strings.Join(found, ", ")
	switch {
	case account == "" && len(found) > 1:
		return wrongAccounts(fmt.Sprintf(messages.ManyAccountsf, names))
	case account != "" && len(found) > 0 && !own:
		return wrongAccounts(fmt.Sprintf(messages.OtherAccountsf, account, names))
	}
	return nil
}

// wrongAccounts is the sentence about a file whose items belong to other accounts, or to several.
type wrongAccounts string

func (w wrongAccounts) Error() string { return string(w) }

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
