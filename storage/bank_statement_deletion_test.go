package storage_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
)

func (i importing) scope() storage.Scope {
	return storage.Scope{AccountID: i.into.AccountID, EntityID: i.into.EntityID}
}

// delete requests the deletion of a statement as the API does.
func (i importing) delete(ctx context.Context, statement int64) error {
	return i.InTx(ctx, func(tx *storage.Tx) error {
		b, err := imports.LockBankStatementForDelete(ctx, tx, i.scope(), i.into.ID, statement)
		if err != nil {
			return err
		}
		return imports.DeleteBankStatement(ctx, tx, b)
	})
}

// work runs the given number of chunks of the deletions, as the worker does. It reports
// whether nothing is left to do.
func (i importing) work(ctx context.Context, chunks int) (done bool, err error) {
	waiting, err := i.Free(ctx, jobs.DeleteBankStatementKind.Queue, queue.Cursor{}, 1000)
	if err != nil {
		return false, err
	}
	for _, w := range waiting {
		claimed, err := i.Claim(ctx, time.Minute, []jobs.Ticket{w.Ticket})
		if err != nil {
			return false, err
		}
		var args jobs.DeleteBankStatement
		if err := json.Unmarshal([]byte(claimed[0].Args), &args); err != nil {
			return false, err
		}
		d, err := imports.ReadDeletedStatement(ctx, i.Queries, args.AccountID, args.BankStatementID)
		if err != nil {
			return false, err
		}
		for more := true; more; chunks-- {
			if chunks == 0 {
				return false, i.Release(ctx, claimed[0], false)
			}
			err := i.Chunk(ctx, &claimed[0], "", func(tx *storage.Tx) error {
				more, err = imports.UndoImport(ctx, tx, d)
				return err
			})
			if err != nil {
				return false, err
			}
		}
		err = i.Complete(ctx, claimed[0], func(tx *storage.Tx) error { return imports.RemoveBankStatement(ctx, tx, d) })
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// agree fails the test if a stored total differs from its rows.
func (i importing) agree(t testing.TB) {
	t.Helper()
	storagetest.Agrees(t, i.Store)
}

func TestAnUndoneImportComesInAgain(t *testing.T) {
	t.Parallel()
	for name, undo := range map[string]int{"before the worker has begun": 0, "half undone": 1,
		"when all is undone": 10} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newImports(t)
			file := []imports.StagedItem{item(2, -500, "", "CAFE"), item(2, -500, "", "CAFE")}
			for n := range 6000 { // more than a chunk
				file = append(file, item(3, finance.Amount(1+n), "", fmt.Sprint(n)))
			}
			bring := func(fresh int64) (statement int64) {
				t.Helper()
				got, statement, err := i.run(t.Context(), file)
				if err != nil || got.New != fresh {
					t.Fatalf("%d new, %v; want %d", got.New, err, fresh)
				}
				return statement
			}
			_, kept, err := i.run(t.Context(), []imports.StagedItem{item(1, 700, "", "PIX")})
			if err != nil {
				t.Fatal(err)
			}
			first := bring(6002)
			bring(0) // all items are duplicates
			i.agree(t)
			if err := i.delete(t.Context(), first); err != nil {
				t.Fatal(err)
			}
			if _, err := i.BankStatement(t.Context(), i.scope(), i.into.ID, first); !errors.Is(err,
				storage.ErrNotFound) {
				t.Errorf("a deleted statement is %v", err)
			}
			if err := i.delete(t.Context(), first); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("deleted twice it is %v", err)
			}
			if done, err := i.work(t.Context(), undo); err != nil || done != (undo == 10) {
				t.Fatalf("all is done: %v, %v", done, err)
			}
			i.agree(t)
			bring(6002)
			i.agree(t)
			if done, err := i.work(t.Context(), 10); err != nil || !done {
				t.Fatalf("all is done: %v, %v", done, err)
			}
			i.agree(t)
			left := "SELECT (SELECT count(*) FROM %s WHERE bank_statement_id = %d)"
			for _, table := range []string{"financial_transactions", "imported_items", "ignored_items"} {
				if n := i.value(t, fmt.Sprintf(left, table, first)); n != 0 {
					t.Errorf("%d rows of %s are left", n, table)
				}
			}
			if n := i.value(t, "SELECT count(*) FROM financial_transactions"); n != 6003 {
				t.Errorf("%d transactions, want 6003", n)
			}
			if _, err := i.BankStatement(t.Context(), i.scope(), i.into.ID, kept); err != nil {
				t.Errorf("another statement: %v", err)
			}
		})
	}
}

func TestAnUndoneImportLeavesTheOtherTwin(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	coffee := item(2, -500, "", "CAFE")
	_, one, err := i.run(t.Context(), []imports.StagedItem{coffee})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := i.run(t.Context(), []imports.StagedItem{coffee, coffee}); err != nil {
		t.Fatal(err)
	}
	if err := i.delete(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if _, err := i.work(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	i.check(t, []string{"CAFE"})
	got, _, err := i.run(t.Context(), []imports.StagedItem{coffee, coffee})
	if err != nil || got.New != 1 {
		t.Errorf("%d new, %v; want the one that was undone", got.New, err)
	}
	i.check(t, []string{"CAFE", "CAFE"})
	i.agree(t)
}

// What later files brought of equal items does not stand for those that are forgotten. After the
// files 0, 1, … and the deletion of one of them a file comes in.
func TestLaterTwinsDoNotStandForAForgottenOne(t *testing.T) {
	t.Parallel()
	type file []imports.StagedItem
	row := func(fitid, description string) imports.StagedItem { return item(2, -500, fitid, description) }
	coffee := row("", "CAFE")
	for _, c := range []struct {
		name    string
		files   []file
		deleted int
		again   file
		fresh   int64
		texts   []string // of all transactions at the end, in the order of their insertion
	}{
		{"the first", []file{{coffee}, {coffee, coffee}}, 0, file{coffee}, 1, []string{"CAFE", "CAFE"}},
		{"the second", []file{{coffee}, {coffee, coffee}, {coffee, coffee, coffee}}, 1, file{coffee, coffee}, 1,
			[]string{"CAFE", "CAFE", "CAFE"}},
		{"the second, which a shorter file does not have", []file{{coffee}, {coffee, coffee}, {coffee, coffee, coffee}},
			1, file{coffee}, 0, []string{"CAFE", "CAFE"}},
		{"with ids", []file{{row("a", "A")}, {row("a", "A"), row("b", "B")}}, 0, file{row("a", "A")}, 1,
			[]string{"B", "A"}},
		{"a remembered id is known at any position", []file{{row("a", "A")}, {row("a", "A"), row("b", "B")}}, 0,
			file{row("b", "B")}, 0, []string{"B"}},
		{
			"an id at a high position leaves the first to the other",
			[]file{{coffee}, {coffee, coffee}, {coffee, coffee, row("c", "C")}}, 1, file{coffee, row("c", "C")}, 0,
			[]string{"CAFE", "C"},
		},
		{
			"an id at a low position leaves the next to the other",
			[]file{{row("a", "A")}, {row("a", "A"), coffee}, {row("a", "A"), coffee, coffee}}, 1,
			file{row("a", "A"), coffee}, 1, []string{"A", "CAFE", "CAFE"},
		},
		{
			"an id at a low position does not count again for the other",
			[]file{{row("a", "A")}, {row("a", "A"), coffee}, {row("a", "A"), coffee, coffee},
				{row("a", "A"), coffee, coffee, coffee}},
			2, file{row("a", "A"), coffee}, 0, []string{"A", "CAFE", "CAFE"},
		},
		{
			"an id that is remembered twice stands for one",
			[]file{{row("0", "A")}, {row("0", "A"), row("0", "B")}, {row("0", "A"), row("0", "B"), row("0", "C")}}, 1,
			file{row("0", "A"), row("", "B")}, 1, []string{"A", "C", "B"},
		},
		{
			"a text of a later one is not compared",
			[]file{{row("", "PIX")}, {row("", "PIX"), row("", "FEE")},
				{row("", "PIX"), row("", "FEE"), row("", "FEE")}},
			1, file{row("", "FEE"), row("", "PIX")}, 1, []string{"PIX", "FEE", "FEE"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			i := newImports(t)
			var statements []int64
			for _, f := range c.files {
				_, statement, err := i.run(t.Context(), f)
				if err != nil {
					t.Fatal(err)
				}
				statements = append(statements, statement)
			}
			if err := i.delete(t.Context(), statements[c.deleted]); err != nil {
				t.Fatal(err)
			}
			if _, err := i.work(t.Context(), 10); err != nil {
				t.Fatal(err)
			}
			for _, fresh := range []int64{c.fresh, 0} { // again, and once more
				if got, _, err := i.run(t.Context(), c.again); err != nil || got.New != fresh ||
					got.New+got.Known != int64(len(c.again)) {
					t.Errorf("%d new and %d known of %d, %v; want %d new", got.New, got.Known, len(c.again), err, fresh)
				}
			}
			i.check(t, c.texts)
			i.agree(t)
		})
	}
}

func TestReconciledTransactionsRefuseTheDeletionOfTheirStatement(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	var file []imports.StagedItem
	for n := range 30 {
		file = append(file, item(1, finance.Amount(1+n), "", "A"))
	}
	_, statement, err := i.run(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	i.exec(t, `INSERT INTO reconciles (account_id, entity_id, kind) VALUES (1, 1, 'receivable');
		UPDATE financial_transactions SET reconcile_id = 1 WHERE id > 7`)
	err = i.delete(t.Context(), statement)
	if want := "Há transações conciliadas: 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, " +
		"27 e mais 3."; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	i.exec(t, `UPDATE financial_transactions SET reconcile_id = NULL WHERE id > 8`)
	if err = i.delete(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "conciliadas: 8.") {
		t.Errorf("%v, want 8 alone", err)
	}
	i.exec(t, `UPDATE financial_transactions SET reconcile_id = NULL`)
	if err := i.delete(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// Of a concurrent deletion and reconciliation, one is refused.
func TestWhatIsBeingDeletedIsNotReconciled(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	_, statement, err := i.run(t.Context(), []imports.StagedItem{item(1, 100, "", "A")})
	if err != nil {
		t.Fatal(err)
	}
	reconcile := func(then func()) error {
		return i.InTx(t.Context(), func(tx *storage.Tx) error {
			r, err := tx.LockReconcilable(t.Context(), finance.Access{Administrator: true}, i.scope(), nil, []int64{1})
			if err != nil {
				return err
			}
			_, err = db.Exec(t.Context(), tx.DB, `WITH r AS (INSERT INTO reconciles (account_id, entity_id, kind)
				VALUES (1, 1, 'receivable') RETURNING id)
				UPDATE financial_transactions SET reconcile_id = r.id FROM r WHERE financial_transactions.id = $1`,
				r.TransactionIDs()[0])
			then()
			return err
		})
	}
	deleted := make(chan error, 1)
	err = reconcile(func() {
		go func() { deleted <- i.delete(t.Context(), statement) }()
		storagetest.AwaitLock(t, i.owner, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-deleted; err == nil || !strings.Contains(err.Error(), "conciliadas: 1.") {
		t.Errorf("a deletion that waited for a reconcile: %v", err)
	}
	i.exec(t, `UPDATE financial_transactions SET reconcile_id = NULL`)
	if err := i.delete(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	if err := reconcile(func() {}); err == nil || !strings.Contains(err.Error(), "não existe: 1") {
		t.Errorf("a reconcile of what is being deleted: %v", err)
	}
}

func TestADuplicateIsImportedByHandOnce(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	coffee := item(2, -500, "", "CAFE")
	future := item(9, 100, "", "PIX")
	future.Ignored = "future"
	file := []imports.StagedItem{coffee, future, item(3, 100, "", "PIX")}
	if _, _, err := i.run(t.Context(), []imports.StagedItem{coffee}); err != nil {
		t.Fatal(err)
	}
	_, second, err := i.run(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	byHand := func(id int64) error {
		return i.InTx(t.Context(), func(tx *storage.Tx) error {
			b, err := imports.LockBankStatement(t.Context(), tx, i.scope(), i.into.ID, second)
			if err != nil {
				return err
			}
			x, err := imports.BankStatementItem(t.Context(), tx, b, id)
			if err != nil {
				return err
			}
			if err := x.Importable(); err != nil {
				return err
			}
			_, err = imports.ImportItem(t.Context(), tx, i.into.ID, x)
			return err
		})
	}
	for _, c := range []struct {
		id   int64
		want string
	}{{1, ""}, {1, "é imported"}, {2, "é future"}, {3, "é imported"}, {4, "not found"}} {
		if err := byHand(c.id); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("item %d: %v, want %q", c.id, err, c.want)
		}
	}
	i.check(t, []string{"CAFE", "PIX", "CAFE"})
	i.agree(t)
	got, _, err := i.run(t.Context(), append(file, coffee, coffee))
	if err != nil || got.New != 1 {
		t.Errorf("%d new, %v; of three coffees two are known", got.New, err)
	}
	if err := i.delete(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if _, err := i.work(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	i.check(t, []string{"CAFE", "CAFE"})
	i.agree(t)
}

// An accepted deletion succeeds whatever balance results.
func TestAnImportIsUndoneWhateverBalanceThatLeaves(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	var first int64
	for n, amount := range []finance.Amount{-finance.MaxAmount, finance.MaxAmount} {
		items := make([]imports.StagedItem, 900*(n+1))
		for k := range items {
			items[k] = item(1+k%28, amount, "", fmt.Sprint(n, k))
		}
		_, statement, err := i.run(t.Context(), items)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			first = statement
		}
	}
	if err := i.delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if done, err := i.work(t.Context(), 10); !done || err != nil {
		t.Fatalf("done %v, %v", done, err)
	}
	i.agree(t)
	d, err := i.DepositAccount(t.Context(), i.scope(), i.into.ID)
	if want := finance.Sum("17999999999999982.0"); err != nil || d.CalculatedBalance != want {
		t.Errorf("the balance is %s, want %s; %v", d.CalculatedBalance, want, err)
	}
}
