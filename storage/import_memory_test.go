package storage_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/storagetest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type equals struct {
	day    finance.Date
	amount finance.Amount
}

// memory has the bank's ids of the remembered items by their positions among equal ones.
type memory map[equals]map[int]string

func (i importing) remembered() (memory, error) {
	rows, err := i.owner.Query(`SELECT day, amount, ordinal, coalesce(fitid, '') FROM imported_items
		WHERE bank_statement_id NOT IN (SELECT id FROM bank_statements WHERE deleted_at IS NOT NULL)`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	m := memory{}
	for rows.Next() {
		var e equals
		var position int
		var id string
		if err := rows.Scan(&e.day, &e.amount, &position, &id); err != nil {
			return nil, err
		}
		if m[e] == nil {
			m[e] = map[int]string{}
		}
		m[e][position] = id
	}
	return m, rows.Err()
}

// brings returns the positions that a file adds: its items whose unique id is remembered stand where
// the first such is, and its others at the first positions beside these.
func (m memory) brings(file []imports.StagedItem) map[equals][]int {
	ids, others := map[string]int{}, map[equals]int{}
	for _, x := range file {
		ids[x.FITID]++
	}
	paired, brought := map[equals]map[int]bool{}, map[equals][]int{}
	for _, x := range file {
		e := equals{day: x.Day, amount: x.Amount}
		if paired[e] == nil {
			paired[e] = map[int]bool{}
		}
		positions := slices.Sorted(maps.Keys(m[e]))
		n := slices.IndexFunc(positions, func(p int) bool { return m[e][p] == x.FITID })
		if x.FITID != "" && ids[x.FITID] == 1 && n >= 0 {
			paired[e][positions[n]] = true
		} else {
			others[e]++
		}
	}
	for e, left := range others {
		for p := 1; left > 0; p++ {
			if paired[e][p] {
				continue
			}
			left--
			if _, known := m[e][p]; !known {
				brought[e] = append(brought[e], p)
			}
		}
	}
	return brought
}

// It compares the memory of imported items (decision 0016) with a model of it. Files have few
// amounts, so that items collide, repeat the beginning of earlier files, and any of these is deleted,
// so that the memory has holes.
func TestImportFollowsTheRuleOfTheMemory(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	const own = "own" // an id of its own, the same in each file
	draw := rapid.Custom(func(r *rapid.T) imports.StagedItem {
		return item(1, rapid.SampledFrom([]finance.Amount{1, 1, 1, 2}).Draw(r, "amount"),
			rapid.SampledFrom([]string{own, "", "0"}).Draw(r, "fitid"),
			rapid.SampledFrom([]string{"", "x", "y"}).Draw(r, "text"))
	})
	rapid.Check(t, func(r *rapid.T) {
		for _, table := range []string{"jobs", "imported_items", "ignored_items", "financial_transactions",
			"bank_statements"} {
			if _, err := i.owner.Exec("DELETE FROM " + table); err != nil {
				r.Fatal(err)
			}
		}
		var files [][]imports.StagedItem
		var statements []int64
		for range rapid.IntRange(4, 10).Draw(r, "files") {
			items := rapid.SliceOfN(draw, 0, 6).Draw(r, "items")
			for n := range items {
				if items[n].FITID == own {
					items[n].FITID = fmt.Sprint(n + 1)
				}
			}
			if len(files) > 0 && rapid.Bool().Draw(r, "earlier") {
				items = rapid.SampledFrom(files).Draw(r, "file")
				items = items[:rapid.IntRange(len(items)/2, len(items)).Draw(r, "length")]
			}
			statement, err := i.followsTheRule(r, items)
			if err != nil {
				r.Fatal(err)
			}
			files, statements = append(files, items), append(statements, statement)
			then := rapid.SampledFrom([]string{"", "deleted", "undone"}).Draw(r, "then")
			if then == "" {
				continue
			}
			n := rapid.IntRange(0, len(statements)-1).Draw(r, "statement")
			if err := i.delete(t.Context(), statements[n]); err != nil {
				r.Fatal(err)
			}
			statements = slices.Delete(statements, n, n+1)
			if then == "undone" {
				if _, err := i.work(t.Context(), 10); err != nil {
					r.Fatal(err)
				}
			}
		}
	})
}

// followsTheRule imports the items, and fails the test if what the file brought is not what the model says.
func (i importing) followsTheRule(r *rapid.T, items []imports.StagedItem) (statement int64, err error) {
	before, err := i.remembered()
	if err != nil {
		return 0, err
	}
	got, statement, err := i.run(r.Context(), items)
	if err != nil {
		return 0, err
	}
	after, err := i.remembered()
	if err != nil {
		return 0, err
	}
	var want int64
	brought := before.brings(items)
	for e, known := range after {
		positions := slices.AppendSeq(slices.Clone(brought[e]), maps.Keys(before[e]))
		if d := cmp.Diff(slices.Sorted(slices.Values(positions)), slices.Sorted(maps.Keys(known))); d != "" {
			r.Fatalf("after %v: %s", items, d)
		}
		want += int64(len(brought[e]))
	}
	inFile := map[equals]int{}
	for _, x := range items {
		inFile[equals{day: x.Day, amount: x.Amount}]++
	}
	for e, n := range inFile {
		if len(after[e]) < n {
			r.Fatalf("%d of %d equal items are remembered after %v", len(after[e]), n, items)
		}
	}
	if got.New != want || got.Known != int64(len(items))-want {
		r.Fatalf("%d new and %d known of %v, want %d new", got.New, got.Known, items, want)
	}
	var kept int64
	err = i.owner.QueryRow(`SELECT count(*) FROM financial_transactions WHERE bank_statement_id = $1`, statement).Scan(
		&kept)
	if err == nil && kept != want {
		r.Fatalf("%d kept, want %d", kept, want)
	}
	return statement, err
}

// Where all items of a file are known, their texts are compared with all that is remembered; where one
// is new, only with what stands for the file.
func TestTextsAreComparedWithWhatStandsForTheFile(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	pix, fee, ted := item(2, 100, "", "PIX"), item(2, 100, "", "FEE"), item(2, 100, "", "TED")
	var second int64
	for n, f := range [][]imports.StagedItem{{pix}, {pix, fee}, {pix, fee, ted}} {
		_, statement, err := i.run(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if n == 1 {
			second = statement
		}
	}
	if err := i.delete(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if _, err := i.work(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	later := item(2, 100, "9", "TED")
	if got, _, err := i.run(t.Context(), []imports.StagedItem{later}); err != nil || got.New != 0 ||
		got.Suspects != 0 || len(got.Doubts) != 0 {
		t.Errorf("all are known: %+v, %v", got, err)
	}
	got, _, err := i.run(t.Context(), []imports.StagedItem{later, fee})
	if err != nil || got.New != 1 || got.Suspects != 1 || len(got.Doubts) != 1 || got.Doubts[0].Description != "TED" ||
		got.Doubts[0].Known != "PIX" {
		t.Errorf("one is new: %+v, %v", got, err)
	}
	i.check(t, []string{"PIX", "TED", "FEE"})
}

// The first of two coffees is forgotten; imported by hand from the later file it has its position again.
func TestAnItemImportedByHandTakesTheFreePosition(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	coffee := item(2, -500, "", "CAFE")
	_, first, err := i.run(t.Context(), []imports.StagedItem{coffee})
	if err != nil {
		t.Fatal(err)
	}
	_, second, err := i.run(t.Context(), []imports.StagedItem{coffee, coffee})
	if err != nil {
		t.Fatal(err)
	}
	if err := i.delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if _, err := i.work(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	err = i.InTx(t.Context(), func(tx *storage.Tx) error {
		b, err := imports.LockBankStatement(t.Context(), tx, i.scope(), i.into.ID, second)
		if err != nil {
			return err
		}
		x, err := imports.BankStatementItem(t.Context(), tx, b, 1)
		if err != nil {
			return err
		}
		_, err = imports.ImportItem(t.Context(), tx, i.into.ID, x)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := i.run(t.Context(), []imports.StagedItem{coffee}); err != nil || got.New != 0 || got.Known != 1 {
		t.Errorf("%d new and %d known, %v; want 1 known", got.New, got.Known, err)
	}
	i.check(t, []string{"CAFE", "CAFE"})
	i.agree(t)
}

// A statement that is deleted when an import has forgotten the items of others is deleted after that
// import: its items are known. The import waits for an item of another deleted statement meanwhile.
func TestADeletionDuringAnImportComesAfterIt(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	var statements []int64
	for day := range 2 {
		_, statement, err := i.run(t.Context(), []imports.StagedItem{item(1+day, -500, "", "CAFE")})
		if err != nil {
			t.Fatal(err)
		}
		statements = append(statements, statement)
	}
	if err := i.delete(t.Context(), statements[0]); err != nil {
		t.Fatal(err)
	}
	locked, err := i.owner.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer locked.Rollback()
	if _, err := locked.ExecContext(t.Context(), `SELECT FROM imported_items WHERE bank_statement_id = $1 FOR UPDATE`,
		statements[0]); err != nil {
		t.Fatal(err)
	}
	var importing sync.WaitGroup
	importing.Go(func() {
		got, _, err := i.run(t.Context(), []imports.StagedItem{item(1, -500, "", "CAFE"), item(2, -500, "", "CAFE")})
		if err != nil || got.New != 1 || got.Known != 1 {
			t.Errorf("%d new and %d known, %v; want one of each", got.New, got.Known, err)
		}
	})
	storagetest.AwaitLock(t, i.owner, 1)
	if err := i.delete(t.Context(), statements[1]); err != nil {
		t.Error(err)
	}
	if err := locked.Commit(); err != nil {
		t.Error(err)
	}
	importing.Wait()
	i.agree(t)
}

// The free ordinals of a group are read once, not with each of its items: 6,000 times 12 kB.
func TestHolesOfAMemoryTakeNoSpace(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	i := importing{Store: storagetest.Open(t, url, storage.Options{}), owner: storagetest.DB(t, url)}.another(t)
	const some = 3000
	equal := slices.Repeat([]imports.StagedItem{item(1, 100, "", "A")}, 2*some)
	_, first, err := i.run(t.Context(), equal[:some])
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := i.run(t.Context(), equal); err != nil {
		t.Fatal(err)
	}
	if err := i.delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if _, err := i.owner.Exec(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET temp_file_limit = %L',
		current_database(), '10MB'); END $$`); err != nil {
		t.Fatal(err)
	}
	i.Store = storagetest.Open(t, url, storage.Options{}) // its sessions have the limit
	if got, _, err := i.run(t.Context(), equal); err != nil || got.New != some || got.Known != some {
		t.Errorf("%d new and %d known, %v; want %d of each", got.New, got.Known, err, some)
	}
}
