package storage_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"bordero/finance"
	"bordero/finance/statement"
	"bordero/storage/imports"

	"pgregory.net/rapid"
)

// earlier imports the items as a release did that read them so, and gave them no mark.
func (i importing) earlier(t testing.TB, items []imports.StagedItem) (statement int64) {
	t.Helper()
	got, id, err := i.run(t.Context(), items)
	if err != nil || got.New != int64(len(items)) {
		t.Fatalf("%+v, %v", got, err)
	}
	i.exec(t, fmt.Sprintf(`UPDATE imported_items SET card = NULL WHERE bank_statement_id = %d`, id))
	return id
}

func carded(items ...imports.StagedItem) []imports.StagedItem {
	items = slices.Clone(items)
	for n := range items {
		items[n].Card = true
	}
	return items
}

// What a release remembered by other marks is known by those of today, whatever its ordinals were; a further
// instalment is new. The memory then agrees with its descriptions.
func TestMarksOfEarlierReleasesAreComputedAgain(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	texts := []string{"LOJA Parcela 1 de 3", "LOJA Parcela 2 de 3", "LOJA PARC 3-3", "LOJA 1/120", "LOJA 1 / 3", "LOJA"}
	draw := rapid.Custom(func(r *rapid.T) imports.StagedItem {
		return item(rapid.IntRange(1, 2).Draw(r, "day"), 100, "", rapid.SampledFrom(texts).Draw(r, "text"))
	})
	rapid.Check(t, func(r *rapid.T) {
		for _, table := range []string{"jobs", "imported_items", "ignored_items", "financial_transactions",
			"bank_statements"} {
			i.exec(t, "DELETE FROM "+table)
		}
		file := rapid.SliceOfN(draw, 1, 8).Draw(r, "file")
		i.earlier(t, file)
		if rapid.Bool().Draw(r, "marked by length") {
			i.exec(t, `UPDATE imported_items SET mark = '1/120' WHERE description = 'LOJA 1/120'`)
		}
		again := carded(file[:rapid.IntRange(0, len(file)).Draw(r, "again")]...)
		for _, f := range [][]imports.StagedItem{again, carded(file...)} {
			if got, _, err := i.run(r.Context(), f); err != nil || got.New != 0 || got.Known != int64(len(f)) {
				r.Fatalf("again %v: %+v, %v", f, got, err)
			}
		}
		more := append(carded(file...), carded(item(1, 100, "", "LOJA Parcela 1 de 12"))...)
		if got, _, err := i.run(r.Context(), more); err != nil || got.New != 1 {
			r.Fatalf("one more than %v: %+v, %v", file, got, err)
		}
		rows, err := i.owner.Query(
			`SELECT mark, coalesce(description, '') FROM imported_items WHERE day = '2026-03-01'`)
		if err != nil {
			r.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var mark, text string
			if err := rows.Scan(&mark, &text); err != nil {
				r.Fatal(err)
			}
			if want := statement.Instalment(text); mark != want {
				r.Fatalf("%s has the mark %q", text, mark)
			}
		}
	})
}

// An older release may import beside this one: what both remember has one key afterwards, and two ordinals.
func TestMarksOfTwoReleasesDoNotCollide(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	first, other := item(1, 100, "a", "LOJA Parcela 1 de 3"), item(1, 100, "", "LOJA")
	i.earlier(t, []imports.StagedItem{other, first})
	i.exec(t, `UPDATE imported_items SET mark = '1/3', ordinal = 1, card = true WHERE fitid = 'a'`)
	i.exec(t, `INSERT INTO imported_items (account_id, deposit_account_id, bank_statement_id, day, amount, ordinal,
		description)
		SELECT account_id, deposit_account_id, bank_statement_id, day, amount, 3, 'LOJA Parcela 01 de 03'
			FROM imported_items WHERE fitid = 'a'`)
	for _, f := range [][]imports.StagedItem{carded(first, first, other), carded(other), carded(first)} {
		if got, _, err := i.run(t.Context(), f); err != nil || got.New != 0 {
			t.Errorf("%v: %+v, %v", f, got, err)
		}
	}
	if n := i.value(t, `SELECT count(*) FROM imported_items WHERE mark = '1/3' AND ordinal IN (1, 2)`); n != 2 {
		t.Errorf("%d have the mark", n)
	}
}

// A preview has the counts of the import, also of what earlier releases remembered.
func TestAPreviewKnowsEarlierReadings(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	i.earlier(t, []imports.StagedItem{item(1, 100, "a", "LOJA Parcela 1 de 3"), item(4, 500, "b", "PIX")})
	file := append(carded(item(1, 100, "a", "LOJA Parcela 1 de 3")), item(4, -500, "b", "PIX"))
	s, job, err := i.uploaded(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	got, err := i.read(t.Context(), s, job, file)
	if err != nil || got.New != 0 || got.Known != 2 || got.ReadDifferently != 1 {
		t.Errorf("the preview: %+v, %v", got, err)
	}
	if got, _, err = i.run(t.Context(), file); err != nil || got.New != 0 || got.Known != 2 ||
		got.ReadDifferently != 1 {
		t.Errorf("the import: %+v, %v", got, err)
	}
	i.agree(t)
}

func TestItemsReadDifferentlyAreKnown(t *testing.T) {
	t.Parallel()
	type items = []imports.StagedItem
	swapped := func(fitid, text string) imports.StagedItem { // of 3 February, read as 2 March
		x := item(2, -500, fitid, text)
		x.Day, _ = finance.NewDate(2026, 2, 3)
		return x
	}
	year := func(y, m, d int) imports.StagedItem {
		x := item(1, -500, "A", "PIX")
		x.Day, _ = finance.NewDate(y, time.Month(m), d)
		return x
	}
	for name, c := range map[string]struct {
		remembered, file       items
		fresh, readDifferently int64
	}{
		"another sign": {items{item(2, 500, "A", "PIX")}, items{item(2, -500, "A", "PIX")}, 0,
			1},
		"day and month":                   {items{item(2, -500, "A", "PIX")}, items{swapped("A", "PIX")}, 0, 1},
		"day and month, and another sign": {items{item(2, 500, "A", "PIX")}, items{swapped("A", "PIX")}, 0, 1},
		"the year first":                  {items{year(2012, 8, 26)}, items{year(2026, 8, 12)}, 0, 1},
		"a longer text": {items{item(2, 500, "A", "PIX")},
			items{item(2, -500, "A", "PIX JOAO")}, 0, 1},
		"no text": {items{item(2, 500, "A", "")}, items{item(2, -500, "A", "")}, 0, 1},
		"another text": {items{item(2, 500, "A", "PIX")}, items{item(2, -500, "A", "TED")}, 1,
			0},
		"no text, and one": {items{item(2, 500, "A", "")}, items{item(2, -500, "A", "TED")}, 1,
			0},
		"another amount": {items{item(2, 500, "A", "PIX")}, items{item(2, -501, "A", "PIX")}, 1,
			0},
		"no id": {items{item(2, 500, "", "PIX")}, items{item(2, -500, "", "PIX")}, 1,
			0},
		"another id": {items{item(2, 500, "A", "PIX")}, items{item(2, -500, "B", "PIX")}, 1,
			0},
		"an id twice in the file": {items{item(2, 500, "A", "PIX")},
			items{item(2, -500, "A", "PIX"), item(3, -7, "A", "PIX")}, 2, 0},
		"an id remembered twice": {items{item(2, 500, "A", "PIX"), item(3, 7, "A", "PIX")},
			items{item(2, -500, "A", "PIX")}, 1, 0},
		"a moved day": {items{item(2, -500, "A", "PIX")}, items{item(4, -500, "A", "PIX")},
			1, 0},
		"a fee of each month with one id": {items{item(2, -500, "A", "TARIFA")}, items{year(2026, 4, 2)}, 1, 0},
		"both signs in the file": {items{item(2, 500, "A", "PIX")},
			items{item(2, 500, "", "PIX"), item(2, -500, "A", "PIX")}, 1, 0},
		"one of two of a day": {items{item(2, 500, "A", "PIX"), item(2, 500, "B", "PIX")},
			items{item(2, -500, "A", "PIX"), item(2, 500, "B", "PIX")}, 0, 1},
		"days that were changed with each other": {items{item(2, -500, "A", "PIX"), swapped("B", "PIX")},
			items{swapped("A", "PIX"), item(2, -500, "B", "PIX")}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newImports(t)
			i.earlier(t, c.remembered)
			for n := range 2 {
				got, _, err := i.run(t.Context(), c.file)
				if n == 1 {
					c.fresh = 0
				}
				if err != nil || got.New != c.fresh || got.ReadDifferently != c.readDifferently ||
					got.New+got.Known != int64(len(c.file)) {
					t.Errorf("import %d: %+v, %v", n+1, got, err)
				}
			}
			i.agree(t)
		})
	}
}

// This release reads its own files in one way: the same id with another sign is another item.
func TestOnlyEarlierReadingsDiffer(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	for n, x := range []imports.StagedItem{item(2, 500, "A", "PIX"), item(2, -500, "A", "PIX")} {
		if got, _, err := i.run(t.Context(), []imports.StagedItem{x}); err != nil || got.New != 1 ||
			got.ReadDifferently != 0 {
			t.Errorf("file %d: %+v, %v", n, got, err)
		}
	}
}

// REFNUM was no part of a text: the longer text of a known id raises no doubt, another one does.
func TestALongerTextOfAKnownIDIsNoDoubt(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	i.earlier(t, []imports.StagedItem{item(2, 100, "A", "PIX"), item(3, 100, "B", "PIX"), item(4, 100, "", "PIX")})
	got, _, err := i.run(t.Context(), []imports.StagedItem{item(2, 100, "A", "PIX JOAO"), item(3, 100, "B", "TED"),
		item(4, 100, "", "PIX JOAO")})
	if err != nil || got.Known != 3 || got.Suspects != 0 || len(got.Doubts) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}
