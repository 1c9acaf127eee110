package workers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/internal/messages"
	"bordero/jobs"
	"bordero/storage"
)

// importStatement reads a statement's file and keeps its transactions and the
// new balance in one transaction, or says what is wrong with the file. A broken
// file completes its job; only our own faults fail it.
type importStatement struct {
	store *storage.Store
	files *storage.Files
	zone  *time.Location // decides today
	now   func() time.Time
}

func (w importStatement) entry() Entry {
	return Entry{Kind: jobs.ImportStatementKind, Run: w.run, Dead: w.dead}
}

func (w importStatement) run(ctx context.Context, job *Job) error {
	var args jobs.ImportStatement
	if err := job.Decode(&args); err != nil {
		return err
	}
	s, err := w.store.StatementForImport(ctx, args.AccountID, args.BankStatementID)
	if errors.Is(err, storage.ErrNotFound) { // its subject is gone, or going
		return w.store.Complete(ctx, job.Job, func(*storage.Tx) error { return nil })
	}
	if err != nil {
		return err
	}
	err = w.mark(ctx, job, s, finance.ImportProcessing)
	if err != nil {
		return err
	}
	err = w.keep(ctx, job, s)
	if err != nil && !errors.Is(err, storage.ErrFenced) {
		// The next try shows as queued. That it may fail too changes nothing.
		_ = w.mark(context.WithoutCancel(ctx), job, s, finance.ImportQueued)
	}
	return err
}

func (w importStatement) mark(ctx context.Context, job *Job, s storage.StatementImport, status string) error {
	return w.store.Chunk(ctx, job.Job, "", func(tx *storage.Tx) error {
		return tx.SetImportStatus(ctx, s.BankStatement.AccountID, s.BankStatement.ID, status)
	})
}

// keep reads the file and ends the import, either way.
func (w importStatement) keep(ctx context.Context, job *Job, s storage.StatementImport) error {
	file, err := w.files.Open(ctx, s.BankStatement.FileKey)
	if err != nil {
		return err
	}
	defer file.Close()
	b := s.BankStatement
	staging, err := w.store.Stage(ctx, func(add func(storage.StagedItem) error) error {
		return w.read(file, s.Into, &b, add, job)
	})
	var broken *statement.Error
	if errors.As(err, &broken) {
		return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
			return w.finish(ctx, tx, s, s.BankStatement, finance.ImportError, fmt.Sprintf(messages.Unreadablef, broken))
		})
	}
	var refused *finance.Invalid
	if errors.As(err, &refused) {
		return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
			return w.finish(ctx, tx, s, s.BankStatement, finance.ImportError, refused.Messages[0].Text)
		})
	}
	if err != nil {
		return err
	}
	defer staging.Close() //nolint:errcheck // what it held is kept, or will be read again
	return staging.Complete(ctx, job.Job, func(tx *storage.Tx) error {
		going, err := w.going(ctx, tx, s)
		if err != nil || going {
			return err
		}
		imported, err := tx.ImportStaged(ctx, s)
		if err != nil {
			return err
		}
		b := b
		b.ImportedItemsCount, b.DuplicateItemsIgnoredCount = imported.New, imported.Known
		return w.finish(ctx, tx, s, b, finance.ImportSuccess, b.Output(imported.Doubts))
	})
}

// going tells whether the entity is being deleted, and holds it against that: a
// deletion that came while the file was read leaves nothing to import into.
func (w importStatement) going(ctx context.Context, tx *storage.Tx, s storage.StatementImport) (bool, error) {
	e, err := tx.LockEntity(ctx, storage.Scope{AccountID: s.Into.AccountID, EntityID: s.Into.EntityID})
	if errors.Is(err, storage.ErrNotFound) {
		return true, nil
	}
	return e.DeletedAt != nil, err
}

// finish ends the import and tells of it.
func (w importStatement) finish(ctx context.Context, tx *storage.Tx, s storage.StatementImport, b finance.BankStatement, status, output string) error {
	b.EventStatus, b.EventOutput = status, &output
	if err := tx.FinishImport(ctx, &b, w.now()); err != nil {
		return err
	}
	return tx.Emit(ctx, finance.Event{
		Family: finance.BankStatementsFamily, Action: finance.Updated,
		AccountID: b.AccountID, EntityID: s.Into.EntityID, ParentID: b.DepositAccountID, IDs: []int64{b.ID},
	})
}

// read adds the items that are to come in unless they are known, counts the
// others in b, and notes what the file says of its balance and period.
func (w importStatement) read(file io.ReadSeeker, into finance.DepositAccount, b *finance.BankStatement, add func(storage.StagedItem) error, job *Job) error {
	r := statement.NewReader(file)
	account := ""
	if into.AccountNumber != nil {
		account = *into.AccountNumber
	}
	today := finance.DateOf(w.now().In(w.zone))
	items := int64(0)
	for ; ; items++ {
		item, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if job.Stopping() {
			return errStopping
		}
		if err := w.take(item, account, today, into, b, add); err != nil {
			return err
		}
	}
	if err := accountOf(r.Summaries(), account, items > b.OtherAccountItemsIgnoredCount); err != nil {
		return err
	}
	said := r.Summary(account)
	b.LedgerBalance, b.LedgerBalanceOn = said.LedgerBalance, said.LedgerBalanceOn
	b.PeriodStart, b.PeriodEnd = said.PeriodStart, said.PeriodEnd
	return nil
}

func (w importStatement) take(item statement.Item, account string, today finance.Date, into finance.DepositAccount, b *finance.BankStatement, add func(storage.StagedItem) error) error {
	outcome, amount, err := statement.Classify(item, account, today)
	if err != nil {
		return err
	}
	switch outcome {
	case statement.OtherAccount:
		b.OtherAccountItemsIgnoredCount++
	case statement.InvalidDate:
		b.InvalidDateItemsIgnoredCount++
	case statement.Zero:
		b.AmountZeroItemsIgnoredCount++
	case statement.Balance:
		b.BalanceItemsIgnoredCount++
	case statement.Future:
		b.FutureItemsIgnoredCount++
	default:
		staged := storage.StagedItem{
			Line: item.Line, Day: item.Day, Amount: amount,
			FITID: item.FITID, Document: item.Document, Description: item.Description,
		}
		if item.Card || *into.DepositAccountTypeID == finance.CardAccount {
			// Banks date every instalment with the purchase.
			staged.Mark = statement.Instalment(item.Description)
		}
		return add(staged)
	}
	return nil
}

// accountOf refuses a file with items of several accounts where none is named,
// and one without items of the account that is, unless own tells that it has some
// (decisions.md, Bank statements).
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
		return finance.Refuse("file", fmt.Sprintf(messages.ManyAccountsf, names))
	case account != "" && len(found) > 0 && !own:
		return finance.Refuse("file", fmt.Sprintf(messages.OtherAccountsf, account, names))
	}
	return nil
}

// dead says that the import ended without a result: the fault is ours.
func (w importStatement) dead(ctx context.Context, tx *storage.Tx, job storage.Job, _ error) error {
	var args jobs.ImportStatement
	if err := job.Decode(&args); err != nil {
		return err
	}
	s, err := tx.StatementForImport(ctx, args.AccountID, args.BankStatementID)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return w.finish(ctx, tx, s, s.BankStatement, finance.ImportError,
		messages.ImportFailed)
}
