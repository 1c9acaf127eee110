package storage_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/list"
	"bordero/storage/queue"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// preview previews the items as one file.
func (i importing) preview(ctx context.Context, items []imports.StagedItem) (previewed imports.Imported,
	statement int64,
	err error) {
	s, job, err := i.uploaded(ctx, true)
	if err != nil {
		return previewed, 0, err
	}
	previewed, err = i.read(ctx, s, job, items)
	return previewed, s.BankStatement.ID, err
}

// confirm confirms a preview.
func (i importing) confirm(ctx context.Context, statement int64) error {
	return i.InTx(ctx, func(tx *storage.Tx) error {
		b, err := imports.LockBankStatement(ctx, tx, i.scope(), i.into.ID, statement)
		if err != nil {
			return err
		}
		if err := b.Confirmable(); err != nil {
			return err
		}
		return imports.ConfirmPreview(ctx, tx, b)
	})
}

// confirmed confirms a preview and imports its file.
func (i importing) confirmed(ctx context.Context, statement int64, items []imports.StagedItem) (
	imported imports.Imported,
	err error) {
	if err := i.confirm(ctx, statement); err != nil {
		return imported, err
	}
	s, job, err := i.claimed(ctx)
	if err != nil {
		return imported, err
	}
	return i.read(ctx, s, job, items)
}

// outcomes returns the items of a statement without their transactions.
func (i importing) outcomes(ctx context.Context, statement int64) ([]finance.BankStatementItem, error) {
	listed, err := i.BankStatementItems(ctx, i.scope(), i.into.ID, statement, list.Query{Number: 1, Size: 500})
	for n := range listed.Items {
		listed.Items[n].FinancialTransactionID = nil
	}
	if err == nil && listed.Total != int64(len(listed.Items)) {
		err = fmt.Errorf("%d of %d items", len(listed.Items), listed.Total)
	}
	return listed.Items, err
}

// alike compares days by their value, and empty lists as none.
var alike = cmp.Options{cmp.Comparer(func(a, b finance.Date) bool { return a == b }), cmpopts.EquateEmpty()}

// Whatever is remembered, and has been undone or is being undone: a confirmation right after a
// preview gives each item the outcome that it had there, and the preview changes nothing.
func TestAnImportIsWhatItsPreviewSaid(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	db := i.owner
	rapid.Check(t, func(r *rapid.T) {
		for _, table := range []string{"jobs", "imported_items", "ignored_items", "previewed_items",
			"financial_transactions", "bank_statements"} {
			if _, err := db.Exec("DELETE FROM " + table); err != nil {
				r.Fatal(err)
			}
		}
		draw := rapid.Custom(func(r *rapid.T) imports.StagedItem {
			x := item(rapid.IntRange(1, 2).Draw(r, "day"), finance.Amount(rapid.IntRange(1, 2).Draw(r, "amount")),
				rapid.SampledFrom([]string{"", "0", "a", "b", "c"}).Draw(r, "fitid"),
				rapid.SampledFrom([]string{"", "x", "y"}).Draw(r, "text"))
			x.Ignored = rapid.SampledFrom([]string{"", "", "", "future"}).Draw(r, "ignored")
			return x
		})
		for range rapid.IntRange(0, 3).Draw(r, "files") {
			_, statement, err := i.run(t.Context(), rapid.SliceOfN(draw, 0, 8).Draw(r, "before"))
			if err != nil {
				r.Fatal(err)
			}
			then := rapid.SampledFrom([]string{"", "deleted", "undone"}).Draw(r, "then")
			if then != "" {
				if err := i.delete(t.Context(), statement); err != nil {
					r.Fatal(err)
				}
			}
			if then == "undone" {
				if _, err := i.work(t.Context(), 10); err != nil {
					r.Fatal(err)
				}
			}
		}
		const state = `SELECT concat_ws(' ', (SELECT count(*) FROM imported_items),
			(SELECT count(*) FROM ignored_items), (SELECT count(*) FROM financial_transactions),
			(SELECT last_value FROM financial_transactions_id_seq), (SELECT count(*) FROM unsealed_changes),
			(SELECT string_agg(concat_ws(' ', transactions_sum, transactions_count, updated_at), ' ')
				FROM deposit_accounts))`
		var before, after string
		if err := db.QueryRow(state).Scan(&before); err != nil {
			r.Fatal(err)
		}
		items := rapid.SliceOfN(draw, 0, 8).Draw(r, "items")
		previewed, statement, err := i.preview(t.Context(), items)
		if err != nil {
			r.Fatal(err)
		}
		if err := db.QueryRow(state).Scan(&after); err != nil || before != after {
			r.Fatalf("the preview changed %s to %s, %v", before, after, err)
		}
		foreseen, err := i.outcomes(t.Context(), statement)
		if err != nil {
			r.Fatal(err)
		}
		imported, err := i.confirmed(t.Context(), statement, items)
		if err != nil {
			r.Fatal(err)
		}
		if d := cmp.Diff(previewed, imported, alike); d != "" {
			r.Fatal(d)
		}
		got, err := i.outcomes(t.Context(), statement)
		if err != nil {
			r.Fatal(err)
		}
		if d := cmp.Diff(foreseen, got, alike); d != "" || len(got) != len(items) {
			r.Fatalf("of %d items: %s", len(items), d)
		}
	})
}

// Between the preview and its confirmation another file brings items, and one goes.
func TestAnImportNamesWhereItDiffersFromItsPreview(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	a, b, c := item(1, 100, "", "A"), item(2, 200, "", "B"), item(3, 300, "", "C")
	_, goes, err := i.run(t.Context(), []imports.StagedItem{a})
	if err != nil {
		t.Fatal(err)
	}
	later := c
	later.Ignored = "future"
	_, statement, err := i.preview(t.Context(), []imports.StagedItem{a, b, b, later})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := i.run(t.Context(), []imports.StagedItem{b}); err != nil {
		t.Fatal(err)
	}
	if err := i.delete(t.Context(), goes); err != nil {
		t.Fatal(err)
	}
	imported, err := i.confirmed(t.Context(), statement, []imports.StagedItem{a, b, b, c})
	if err != nil {
		t.Fatal(err)
	}
	want := []finance.PreviewDifference{
		{Previewed: "duplicate", Outcome: "imported", Count: 1},
		{Previewed: "future", Outcome: "imported", Count: 1},
		{Previewed: "imported", Outcome: "duplicate", Count: 1},
	}
	if d := cmp.Diff(want, imported.Preview); d != "" {
		t.Error(d)
	}
	if n := i.value(t, `SELECT count(*) FROM previewed_items`); n != 0 {
		t.Errorf("%d previewed items are left", n)
	}
}

// The old items of a file that is confirmed neither show nor stay if its import fails.
func TestAFailedImportLeavesNoPreview(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	items := []imports.StagedItem{item(1, 100, "", "A")}
	_, statement, err := i.preview(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.confirm(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	if got, err := i.outcomes(t.Context(), statement); err != nil || len(got) != 0 {
		t.Errorf("%v, %v before the import", got, err)
	}
	s, job, err := i.claimed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = i.Complete(t.Context(), job, func(tx *storage.Tx) error {
		now := time.Now()
		s.BankStatement.EventStatus, s.BankStatement.EventFinishedAt = finance.ImportError, &now
		return tx.FinishImport(t.Context(), &s.BankStatement)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := i.value(t, `SELECT count(*) FROM previewed_items`); n != 0 {
		t.Errorf("%d previewed items are left", n)
	}
	i.agree(t)
}

// A worker of an earlier release takes a preview for an import. It must not store one.
func TestAPreviewIsNotImportedByMistake(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	s, job, err := i.uploaded(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	s.BankStatement.Preview = false
	if _, err := i.read(t.Context(), s, job, []imports.StagedItem{item(1, 100, "", "A")}); err == nil {
		t.Error("imported")
	}
	if n := i.value(t, `SELECT count(*) FROM financial_transactions`); n != 0 {
		t.Errorf("%d transactions", n)
	}
}

// The worker is killed before the end of the preview, and then before the end of the import: each
// runs again, and its result is the same.
func TestAKilledRunOfAPreviewLeavesNothing(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	items := []imports.StagedItem{item(1, 100, "", "A"), item(1, 100, "", "A")}
	killed := errors.New("killed")
	twice := func(s storage.StatementImport, job queue.Job) imports.Imported {
		t.Helper()
		staging, err := imports.Stage(t.Context(), i.Store, func(add func(imports.StagedItem) error) error {
			return add(items[0])
		})
		if err != nil {
			t.Fatal(err)
		}
		err = staging.Complete(t.Context(), job, func(tx *storage.Tx) error {
			store := imports.StoreStaged
			if s.BankStatement.Preview {
				store = imports.PreviewStaged
			}
			_, err := store(t.Context(), tx, s)
			return errors.Join(err, killed)
		})
		if !errors.Is(err, killed) {
			t.Fatal(err)
		}
		if err := staging.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := i.read(t.Context(), s, job, items)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	s, job, err := i.uploaded(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	previewed := twice(s, job)
	if err := i.confirm(t.Context(), s.BankStatement.ID); err != nil {
		t.Fatal(err)
	}
	s, job, err = i.claimed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(previewed, twice(s, job), alike); d != "" || previewed.New != 2 {
		t.Errorf("%d new: %s", previewed.New, d)
	}
	i.check(t, []string{"A", "A"})
	i.agree(t)
}
