package storage_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
)

// importing runs imports into one deposit account, as the worker does.
type importing struct {
	*storage.Store
	owner *sql.DB // reaches what no method does
	into  finance.DepositAccount
}

func newImports(t testing.TB) importing {
	database := storagetest.Borrow(t)
	return importing{Store: database.Store, owner: database.Owner}.another(t)
}

// another returns imports into a deposit account of another tenant in the same database.
func (i importing) another(t testing.TB) importing {
	i.into = storagetest.NewDepositAccount(t, i.Store, storagetest.NewTenant(t, i.Store).Scope)
	return i
}

// uploaded stores the row of a bank statement, or of a preview, and claims its job.
func (i importing) uploaded(ctx context.Context, preview bool) (storage.StatementImport, queue.Job, error) {
	b := finance.BankStatement{
		AccountID: i.into.AccountID, DepositAccountID: i.into.ID, FileKey: fmt.Sprint(time.Now().UnixNano()),
		FileFileName: "extrato.ofx", FileContentType: "application/octet-stream", Preview: preview,
	}
	err := i.InTx(ctx, func(tx *storage.Tx) error {
		if err := tx.InsertBankStatement(ctx, &b); err != nil {
			return err
		}
		return tx.Enqueue(ctx, b.AccountID, jobs.ImportStatement{AccountID: b.AccountID, BankStatementID: b.ID,
			DepositAccountID: b.DepositAccountID})
	})
	if err != nil {
		return storage.StatementImport{}, queue.Job{}, err
	}
	return i.claimed(ctx)
}

// claimed claims the job of a statement.
func (i importing) claimed(ctx context.Context) (storage.StatementImport, queue.Job, error) {
	// Each of several concurrent imports may claim the job of another; all are claimed.
	for {
		waiting, err := i.Free(ctx, jobs.ImportStatementKind.Queue, queue.Cursor{}, 1000)
		if err != nil {
			return storage.StatementImport{}, queue.Job{}, err
		}
		for _, w := range waiting {
			if w.Kind != jobs.ImportStatementKind.Name { // the imports here have no format: 00099
				continue
			}
			claimed, err := i.Claim(ctx, time.Minute, []jobs.Ticket{w.Ticket})
			if err != nil {
				return storage.StatementImport{}, queue.Job{}, err
			}
			if len(claimed) == 0 {
				continue
			}
			var args jobs.ImportStatement
			if err := json.Unmarshal([]byte(claimed[0].Args), &args); err != nil {
				return storage.StatementImport{}, queue.Job{}, err
			}
			s, err := i.StatementForImport(ctx, args.AccountID, args.BankStatementID)
			return s, claimed[0], err
		}
	}
}

// run imports the items as one file.
func (i importing) run(ctx context.Context, items []imports.StagedItem) (imported imports.Imported, statement int64,
	err error) {
	s, job, err := i.uploaded(ctx, false)
	if err != nil {
		return imported, 0, err
	}
	imported, err = i.read(ctx, s, job, items)
	return imported, s.BankStatement.ID, err
}

// read imports the items as the file of a claimed job, or previews them.
func (i importing) read(ctx context.Context, s storage.StatementImport, job queue.Job, items []imports.StagedItem) (
	imported imports.Imported, err error) {
	staging, err := imports.Stage(ctx, i.Store, func(add func(imports.StagedItem) error) error {
		for line, item := range items {
			item.Line = line + 1
			if err := add(item); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return imported, err
	}
	defer staging.Close()
	err = staging.Complete(ctx, job, func(tx *storage.Tx) error {
		store := imports.StoreStaged
		if s.BankStatement.Preview {
			store = imports.PreviewStaged
		}
		if imported, err = store(ctx, tx, s); err != nil {
			return err
		}
		b, n, now := s.BankStatement, int64(len(items)), time.Now()
		b.EventStatus, b.EventFinishedAt, b.ItemsCount = b.Ended(), &now, &n
		b.ImportedItemsCount, b.DuplicateItemsIgnoredCount = imported.New, imported.Known
		b.FutureItemsIgnoredCount = n - imported.New - imported.Known
		return tx.FinishImport(ctx, &b)
	})
	return imported, err
}

// exec changes what no method can.
func (i importing) exec(t testing.TB, statement string) {
	t.Helper()
	if _, err := i.owner.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// value reads a number from the database.
func (i importing) value(t testing.TB, query string) (n int64) {
	t.Helper()
	if err := i.owner.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
