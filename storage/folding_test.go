package storage_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/list"
	"bordero/storage/storagetest"

	"github.com/google/go-cmp/cmp"
)

// The ignored items of an old statement lose their texts, and nothing else: they remain listed, and
// the statement agrees with them. Suspects and items that explain balances keep their texts.
func TestFoldItems(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	some := []imports.StagedItem{item(1, -100, "A", "Uber"), item(2, -200, "B", "Luz"), item(3, -300, "C", "Água")}
	future := item(4, -400, "D", "Aluguel")
	future.Ignored = "future"
	var ids []int64
	for range 3 {
		_, id, err := i.run(t.Context(), append(slices.Clone(some), future))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	i.exec(t, fmt.Sprintf(`UPDATE bank_statements SET event_finished_at = now() - interval '31 days' WHERE id <> %d`,
		ids[2]))
	i.exec(t, fmt.Sprintf(`UPDATE ignored_items SET suspect = true, fitid = 'Z' WHERE bank_statement_id = %d
		AND number = 3`, ids[1]))
	fold := func(want int64) {
		t.Helper()
		if n, err := imports.FoldItems(t.Context(), i.Store, 30*24*time.Hour); n != want || err != nil {
			t.Errorf("%d items are folded, want %d: %v", n, want, err)
		}
	}
	before := i.items(t, ids[1])
	fold(2)
	fold(0)
	want := slices.Clone(before)
	for n := range want[:2] {
		want[n].Description, want[n].FITID, want[n].Folded = nil, nil, true
	}
	if d := cmp.Diff(fmtItems(want), fmtItems(i.items(t, ids[1]))); d != "" {
		t.Error(d)
	}
	n := i.value(t, `SELECT count(*) FROM ignored_items WHERE description IS NOT NULL AND fitid IS NOT NULL`)
	if n != 7 {
		t.Errorf("%d ignored items have texts", n)
	}
	storagetest.Agrees(t, i.Store)

	// A person may import what has its texts.
	imported := func(number int64) error {
		return i.InTx(t.Context(), func(tx *storage.Tx) error {
			b, err := imports.LockBankStatement(t.Context(), tx, i.scope(), i.into.ID, ids[1])
			if err != nil {
				return err
			}
			one, err := imports.BankStatementItem(t.Context(), tx, b, number)
			if err == nil {
				err = one.Importable()
			}
			if err == nil {
				_, err = imports.ImportItem(t.Context(), tx, i.into.ID, one)
			}
			return err
		})
	}
	var refused *finance.Invalid
	if err := imported(1); !errors.As(err, &refused) || refused.Messages[0].Fault != messages.ItemFolded {
		t.Errorf("an item without texts: %v", err)
	}
	if err := imported(3); err != nil {
		t.Error(err)
	}
	storagetest.Agrees(t, i.Store)

	if err := i.delete(t.Context(), ids[1]); err != nil {
		t.Fatal(err)
	}
	for done := false; !done; {
		var err error
		if done, err = i.work(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
	}
	if n := i.value(t, `SELECT count(*) FROM folded_items`); n != 0 {
		t.Errorf("%d rows of a deleted statement are left", n)
	}
}

// items reads the items of a statement.
func (i importing) items(t testing.TB, statement int64) []finance.BankStatementItem {
	t.Helper()
	l, err := i.BankStatementItems(t.Context(), i.scope(), i.into.ID, statement, list.Query{Number: 1, Size: 50})
	if err != nil || l.Total != int64(len(l.Items)) {
		t.Fatal(l.Total, len(l.Items), err)
	}
	return l.Items
}

func fmtItems(items []finance.BankStatementItem) (lines []string) {
	text := func(s *string) string {
		if s == nil {
			return "null"
		}
		return *s
	}
	for _, i := range items {
		lines = append(lines, fmt.Sprint(i.ID, i.Line, i.OccurredAt, i.Amount, i.Outcome, i.Suspect, i.Folded, " ",
			text(i.Description), text(i.FITID)))
	}
	return lines
}

// The sweep finds the next statement, and its items, in indexes: most statements have nothing to fold.
func TestFoldingReadsIndexes(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	i.exec(t, fmt.Sprintf(`
		INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name, file_content_type,
			file_file_size, event_status, event_finished_at, imported_items_count, items_count, items_folded_at)
		SELECT account_id, id, 'x/' || n, 'a.ofx', 'x', 1, 'success', now() - interval '1 year', 0, 1, now()
		FROM deposit_accounts, generate_series(1, 20000) n WHERE id = %d;
		INSERT INTO ignored_items (account_id, bank_statement_id, number, line, mark, outcome)
		SELECT account_id, id, 1, 1, '', 'future' FROM bank_statements;
		ANALYZE bank_statements, ignored_items`, i.into.ID))
	next := db.Statements()["folded_items.fold_next"]
	lines, err := db.Many[string](t.Context(), i.DB, `EXPLAIN (COSTS OFF) `+next.SQL,
		next.Args(db.Args{"after": 3600, "most": 10_000})...)
	if err != nil {
		t.Fatal(err)
	}
	plan := strings.Join(lines, "\n")
	for _, index := range []string{"bank_statements_unfolded", "ignored_items_pkey"} {
		if !strings.Contains(plan, index) || strings.Contains(plan, "Seq Scan") {
			t.Errorf("no %s:\n%s", index, plan)
		}
	}
}
