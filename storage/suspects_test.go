package storage_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/list"
	"bordero/storage/storagetest"
)

// suspects returns the numbers of the suspect items of a statement.
func (i importing) suspects(t testing.TB, statement int64) (numbers []int64) {
	t.Helper()
	items, err := i.BankStatementItems(t.Context(), i.scope(), i.into.ID, statement, list.Query{
		Search: map[string]string{"suspect": "true"}, Number: 1, Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range items.Items {
		numbers = append(numbers, item.ID)
	}
	return numbers
}

func TestSuspectsAreDuplicatesByDayAndAmountAlone(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	if _, _, err := i.run(t.Context(), []imports.StagedItem{
		item(2, -500, "A", "CAFE"), item(3, -500, "B", "CAFE"), item(4, -500, "", "CAFE"),
		item(5, -500, "00000000", "CAFE"), item(6, -500, "C", "CAFE"),
	}); err != nil {
		t.Fatal(err)
	}
	got, statement, err := i.run(t.Context(), []imports.StagedItem{
		item(2, -500, "A", "PADARIA"),        // its id is known
		item(3, -500, "Z", "CAFE"),           // its description is
		item(4, -500, "Z", "PADARIA"),        // neither
		item(5, -500, "00000000", "PADARIA"), // an id that is none
		item(6, -500, "", "PADARIA"),         // no id
		item(6, -500, "Z", "TERCEIRO"),       // the second one of its day and amount
	})
	if err != nil || got.New != 1 || got.Known != 5 || got.Suspects != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if found := i.suspects(t, statement); !slices.Equal(found, []int64{3}) {
		t.Errorf("the suspects are %v", found)
	}
}

// All suspects of two files with the same days come in once, whatever is done at once, and are remembered as two
// movements.
func TestSuspectsAreImportedOnce(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	file := func(fitid, description string) (items []imports.StagedItem) {
		for n := range 5 {
			items = append(items, item(2+n%2, -500, fmt.Sprint(fitid, n), fmt.Sprint(description, n)))
		}
		return items
	}
	if _, _, err := i.run(t.Context(), file("A", "CAFE ")); err != nil {
		t.Fatal(err)
	}
	again := file("B", "PADARIA ")
	var statements []int64
	for range 2 {
		_, statement, err := i.run(t.Context(), again)
		if err != nil {
			t.Fatal(err)
		}
		if found := i.suspects(t, statement); len(found) != 5 {
			t.Fatalf("the suspects are %v", found)
		}
		statements = append(statements, statement)
	}
	var mu sync.Mutex
	var made []int64
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			ids, err := i.importSuspects(t, statements[n%2])
			mu.Lock()
			made = append(made, ids...)
			mu.Unlock()
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Go(func() { // and one alone
		id, err := i.importOne(t, statements[0], 2)
		var refused *finance.Invalid
		switch {
		case err == nil:
			mu.Lock()
			made = append(made, id)
			mu.Unlock()
		case !errors.As(err, &refused):
			t.Error(err)
		}
	})
	all.Wait()
	if slices.Sort(made); len(made) != 5 || len(slices.Compact(made)) != 5 {
		t.Errorf("the transactions %v were made", made)
	}
	for _, statement := range statements {
		if found := i.suspects(t, statement); len(found) != 0 {
			t.Errorf("the suspects %v are left", found)
		}
	}
	if got, _, err := i.run(t.Context(), again); err != nil || got.New != 0 || got.Suspects != 0 {
		t.Errorf("the same file again: %+v, %v", got, err)
	}
	d, err := i.DepositAccount(t.Context(), i.scope(), i.into.ID)
	if err != nil || d.CalculatedBalance != "-50.0" || d.TransactionsCount != 10 {
		t.Errorf("%+v, %v", d, err)
	}
	i.agree(t)
}

// importSuspects imports the suspects of a statement.
func (i importing) importSuspects(t testing.TB, statement int64) (made []int64, err error) {
	err = i.InTx(t.Context(), func(tx *storage.Tx) error {
		b, err := imports.LockBankStatement(t.Context(), tx, i.scope(), i.into.ID, statement)
		if err != nil {
			return err
		}
		made, err = imports.ImportSuspects(t.Context(), tx, b)
		return err
	})
	return made, err
}

// importOne imports an item of a statement by hand, as the API does.
func (i importing) importOne(t testing.TB, statement, number int64) (made int64, err error) {
	err = i.InTx(t.Context(), func(tx *storage.Tx) error {
		b, err := imports.LockBankStatement(t.Context(), tx, i.scope(), i.into.ID, statement)
		if err != nil {
			return err
		}
		one, err := imports.BankStatementItem(t.Context(), tx, b, number)
		if err != nil {
			return err
		}
		if err := one.Importable(); err != nil {
			return err
		}
		x, err := imports.ImportItem(t.Context(), tx, i.into.ID, one)
		if err == nil {
			made = x.ID
		}
		return err
	})
	return made, err
}

// A suspect that another statement brought is none any more, until that statement is deleted. An item that is a
// duplicate for its id may still be imported.
func TestASuspectThatAnotherStatementBroughtIsNone(t *testing.T) {
	t.Parallel()
	suspects := func(t *testing.T, i importing, first int64) {
		if made, err := i.importSuspects(t, first); err != nil || len(made) == 0 {
			t.Fatalf("%d are imported, %v", len(made), err)
		}
	}
	known, twin, z := item(2, -500, "A", "CAFE"), item(2, -500, "B", "CAFE"), item(2, -500, "Z", "PADARIA")
	replaces := func(t *testing.T, i importing) {
		i.exec(t, fmt.Sprintf(`UPDATE ignored_items SET replaces = (
			SELECT min(id) FROM financial_transactions WHERE deposit_account_id = %d)
			WHERE suspect AND account_id = %d`, i.into.ID, i.into.AccountID))
	}
	all := newImports(t)
	for name, c := range map[string]struct {
		books, file []imports.StagedItem
		plant       func(t *testing.T, i importing)
		bring       func(t *testing.T, i importing, first int64)
	}{
		"with all suspects": {[]imports.StagedItem{known}, []imports.StagedItem{z}, nil, suspects},
		"two with one id":   {[]imports.StagedItem{known, twin}, []imports.StagedItem{z, z}, nil, suspects},
		"alone": {[]imports.StagedItem{known}, []imports.StagedItem{z}, nil,
			func(t *testing.T, i importing, first int64) {
				if _, err := i.importOne(t, first, 1); err != nil {
					t.Fatal(err)
				}
			}},
		"in place of another": {[]imports.StagedItem{known}, []imports.StagedItem{z}, replaces,
			func(t *testing.T, i importing, first int64) {
				if _, err := i.importOne(t, first, 1); err != nil {
					t.Fatal(err)
				}
			}},
	} {
		t.Run(name, func(t *testing.T) {
			i := all.another(t)
			var statements []int64
			for _, file := range [][]imports.StagedItem{c.books, c.file, c.file} {
				_, id, err := i.run(t.Context(), file)
				if err != nil {
					t.Fatal(err)
				}
				statements = append(statements, id)
			}
			if c.plant != nil {
				c.plant(t, i)
			}
			first, second, n := statements[1], statements[2], len(c.file)
			none := func(transactions int) {
				t.Helper()
				if found := i.suspects(t, second); len(found) != 0 {
					t.Errorf("the suspects are %v", found)
				}
				if made, err := i.importSuspects(t, second); err != nil || len(made) != 0 {
					t.Errorf("%d are imported, %v", len(made), err)
				}
				if _, err := i.importOne(t, second, 1); err == nil ||
					!strings.Contains(err.Error(), "outro extrato já trouxe") {
					t.Errorf("one is imported: %v", err)
				}
				if got := i.value(t, fmt.Sprintf(`SELECT count(*) FROM financial_transactions
					WHERE deposit_account_id = %d`, i.into.ID)); got != int64(transactions) {
					t.Errorf("%d transactions, want %d", got, transactions)
				}
			}
			c.bring(t, i, first)
			none(len(c.books) + n)
			if err := i.delete(t.Context(), first); err != nil {
				t.Fatal(err)
			}
			if found := i.suspects(t, second); len(found) != n {
				t.Errorf("after the deletion the suspects are %v", found)
			}
			i.exec(t, fmt.Sprintf(`UPDATE ignored_items SET replaces = NULL WHERE account_id = %d`, i.into.AccountID))
			if made, err := i.importSuspects(t, second); err != nil || len(made) != n {
				t.Errorf("after the deletion %d are imported, %v", len(made), err)
			}
		})
	}
	t.Run("with a later file", func(t *testing.T) {
		i := all.another(t)
		var statements []int64
		for _, file := range [][]imports.StagedItem{{known}, {z}, {known, z}} {
			_, id, err := i.run(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			statements = append(statements, id)
		}
		if made, err := i.importSuspects(t, statements[1]); err != nil || len(made) != 0 {
			t.Errorf("%d are imported, %v", len(made), err)
		}
		if _, err := i.importOne(t, statements[2], 1); err != nil { // a duplicate for its id
			t.Error(err)
		}
	})
}

// A statement that is being imported has no suspects yet. A request that waited for the turn of the
// import, which waits for the statement, would abort it.
func TestSuspectsOfARunningImportAreRefused(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	s, job, err := i.uploaded(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	var importing sync.WaitGroup
	err = i.InTx(t.Context(), func(tx *storage.Tx) error {
		b, err := imports.LockBankStatement(t.Context(), tx, i.scope(), i.into.ID, s.BankStatement.ID)
		if err != nil {
			return err
		}
		once.Do(func() {
			importing.Go(func() {
				if got, err := i.read(t.Context(), s, job, []imports.StagedItem{
					item(2, -500, "A", "CAFE")}); err != nil || got.New != 1 {
					t.Errorf("the import: %+v, %v", got, err)
				}
			})
			storagetest.AwaitLock(t, i.owner, 1) // it has the turn
		})
		_, err = imports.ImportSuspects(t.Context(), tx, b)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "ainda não terminou") {
		t.Errorf("the suspects of a running import: %v", err)
	}
	importing.Wait()
}

// The number of the first statement is suggested until one is set, and goes with its statement.
func TestAnAccountNumberIsSuggested(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	suggested := func(want string) {
		t.Helper()
		d, err := i.DepositAccount(t.Context(), i.scope(), i.into.ID)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if d.SuggestedAccountNumber != nil {
			got = *d.SuggestedAccountNumber
		}
		if got != want {
			t.Errorf("%q is suggested, want %q", got, want)
		}
	}
	suggested("")
	var first int64
	for n, number := range []string{"12345-6", "999"} {
		_, id, err := i.run(t.Context(), []imports.StagedItem{item(2+n, -500, "", "CAFE")})
		if err != nil {
			t.Fatal(err)
		}
		i.exec(t, fmt.Sprintf(`UPDATE bank_statements SET file_account_number = '%s' WHERE id = %d`, number, id))
		if n == 0 {
			first = id
		}
		suggested("12345-6")
	}
	if err := i.delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	suggested("999")
	i.exec(t, `UPDATE deposit_accounts SET account_number = '1'`)
	suggested("")
	i.exec(t, `UPDATE deposit_accounts SET account_number = NULL`)
	i.exec(t, fmt.Sprintf(`UPDATE bank_statements SET event_status = '%s'`, finance.ImportError))
	suggested("")
}

// The suspects take the ordinals that deleted statements left free, the smallest first. Each case is an
// amount of one statement.
func TestSuspectsTakeTheSmallestFreeOrdinals(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	_, statement, err := i.run(t.Context(), []imports.StagedItem{item(2, -700, "A", "CAFE")})
	if err != nil {
		t.Fatal(err)
	}
	cases := [][]string{
		{"", "1,2,3,4"},
		{"1", "1,2,3,4,5"},
		{"2", "1,2,3,4,5"},
		{"1,3", "1,2,3,4,5,6"},
		{"2,3,6", "1,2,3,4,5,6,7"},
		{"4,5", "1,2,3,4,5,6"},
		{"7", "1,2,3,4,7"},
	}
	for n, c := range cases {
		i.exec(t, fmt.Sprintf(`
			INSERT INTO imported_items (account_id, deposit_account_id, bank_statement_id, day, amount, mark, ordinal)
			SELECT %d, %d, %d, '2026-03-03', %d, '', o FROM unnest('{%s}'::int[]) o`, i.into.AccountID, i.into.ID,
			statement, n+1, c[0]))
		i.exec(t, fmt.Sprintf(`
			INSERT INTO ignored_items (account_id, bank_statement_id, number, line, day, amount, mark, outcome, fitid,
				suspect)
			SELECT %d, %d, %d + n, n, '2026-03-03', %d, '', 'duplicate', n, true FROM generate_series(1, 4) n`,
			i.into.AccountID, statement, 10*(n+1), n+1))
	}
	i.exec(t, fmt.Sprintf(`UPDATE bank_statements SET duplicate_items_ignored_count = %d WHERE id = %d`, 4*len(cases),
		statement))
	err = i.InTx(t.Context(), func(tx *storage.Tx) error {
		b, err := imports.LockBankStatement(t.Context(), tx, i.scope(), i.into.ID, statement)
		if err != nil {
			return err
		}
		made, err := imports.ImportSuspects(t.Context(), tx, b)
		if err == nil && len(made) != 4*len(cases) {
			t.Errorf("%d were made", len(made))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for n, c := range cases {
		var got string
		if err := i.owner.QueryRowContext(t.Context(), `
			SELECT string_agg(CAST(ordinal AS text), ',' ORDER BY ordinal) FROM imported_items WHERE amount = $1`,
			n+1).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != c[1] {
			t.Errorf("four suspects beside the ordinals %q: %s, want %s", c[0], got, c[1])
		}
	}
}

// 10,000 equal suspects, which took a minute when each looked for its own ordinal. Their sum is beyond
// what an Amount holds.
func TestSuspectsWhoseSumIsTooLargeAreRefused(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	_, statement, err := i.run(t.Context(), []imports.StagedItem{item(2, -500, "A", "CAFE")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = i.owner.ExecContext(t.Context(), `
		INSERT INTO ignored_items (account_id, bank_statement_id, number, line, day, amount, mark, outcome, fitid,
			suspect)
		SELECT $1, $2, 10 + n, n, '2026-03-02', 9999999999999.99, '', 'duplicate', n, true
			FROM generate_series(1, 10000) n`, i.into.AccountID, statement)
	if err != nil {
		t.Fatal(err)
	}
	err = i.InTx(t.Context(), func(tx *storage.Tx) error {
		b, err := imports.LockBankStatement(t.Context(), tx, i.scope(), i.into.ID, statement)
		if err != nil {
			return err
		}
		_, err = imports.ImportSuspects(t.Context(), tx, b)
		return err
	})
	var invalid *finance.Invalid
	if !errors.As(err, &invalid) {
		t.Errorf("imported: %v", err)
	}
	i.check(t, []string{"CAFE"})
}

// A duplicate that is imported by hand has the payment that its text names, alone and among all suspects.
func TestImportedDuplicatesHavePayments(t *testing.T) {
	t.Parallel()
	type way func(*storage.Tx, *finance.BankStatement, *finance.BankStatementItem) (int64, error)
	for name, bring := range map[string]way{
		"one": func(tx *storage.Tx, b *finance.BankStatement, i *finance.BankStatementItem) (int64, error) {
			made, err := imports.ImportItem(t.Context(), tx, b.DepositAccountID, i)
			if err == nil && (made.CounterpartName == nil || *made.CounterpartName != "ANA LIMA") {
				t.Errorf("%+v", made)
			}
			return made.ID, err
		},
		"all": func(tx *storage.Tx, b *finance.BankStatement, _ *finance.BankStatementItem) (int64, error) {
			ids, err := imports.ImportSuspects(t.Context(), tx, b)
			return ids[0], err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newImports(t)
			if _, _, err := i.run(t.Context(), []imports.StagedItem{item(2, -500, "A", "CAFE")}); err != nil {
				t.Fatal(err)
			}
			_, statement, err := i.run(t.Context(),
				[]imports.StagedItem{item(2, -500, "B", "PIX ENVIADO ANA LIMA 529.982.247-25")})
			if err != nil {
				t.Fatal(err)
			}
			err = i.InTx(t.Context(), func(tx *storage.Tx) error {
				b, err := imports.LockBankStatement(t.Context(), tx, i.scope(), i.into.ID, statement)
				if err != nil {
					return err
				}
				x, err := imports.BankStatementItem(t.Context(), tx, b, 1)
				if err != nil {
					return err
				}
				id, err := bring(tx, b, x)
				if err != nil {
					return err
				}
				made, err := tx.FinancialTransaction(t.Context(), i.scope(), i.into.ID, id)
				if err == nil && *made.CounterpartDocument != "52998224725" {
					t.Errorf("%+v", made)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
