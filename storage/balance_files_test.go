package storage_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/imports"
)

// bank books rows in the days of March 2026, after a balance of 1000.00, and its files have the rows
// that it has booked.
type bank struct {
	*months
	rows []imports.StagedItem
}

func newBank(t testing.TB, i importing) *bank {
	return &bank{months: &months{importing: i.another(t)}}
}

// books books rows of a day.
func (b *bank) books(day int, amounts ...finance.Amount) {
	for _, amount := range amounts {
		n := len(b.rows)
		b.rows = append(b.rows, imports.StagedItem{Day: proofDay(day), Amount: amount, FITID: fmt.Sprint("B", n),
			Description: fmt.Sprint("PIX ", n)})
	}
}

// exports returns the rows of the days, as a file has them now.
func (b *bank) exports(first, last int) (rows []imports.StagedItem) {
	for _, r := range b.rows {
		if !r.Day.Before(proofDay(first)) && !r.Day.After(proofDay(last)) {
			rows = append(rows, r)
		}
	}
	return rows
}

// sends imports the file of the days, which states the balance of the last one.
func (b *bank) sends(t testing.TB, first, last int) int64 {
	t.Helper()
	_, id, err := b.run(t.Context(), b.exports(first, last))
	if err != nil {
		t.Fatal(err)
	}
	b.states(t, id, first, last)
	return id
}

// states makes a statement one of the days, with the balance of the last one.
func (b *bank) states(t testing.TB, id int64, first, last int) {
	t.Helper()
	balance := 1000_00 + sumOf(b.exports(-100, last))
	b.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = %[1]v, ledger_balance_on = '%[3]v',
		period_start = '%[2]v', period_end = '%[3]v' WHERE id = %[4]d`,
		balance, proofDay(first), proofDay(last), id))
}

// deletes undoes an import.
func (b *bank) deletes(t testing.TB, id int64) {
	t.Helper()
	if err := b.delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	b.undone(t)
}

// undone runs what undoes imports to its end.
func (b *bank) undone(t testing.TB) {
	t.Helper()
	for done := false; !done; {
		var err error
		if done, err = b.work(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
	}
}

// importsDuplicate imports an item by hand.
func (b *bank) importsDuplicate(t testing.TB, statement, number int64) {
	t.Helper()
	err := b.InTx(t.Context(), func(tx *storage.Tx) error {
		s, err := imports.LockBankStatement(t.Context(), tx, b.scope(), b.into.ID, statement)
		if err != nil {
			return err
		}
		i, err := imports.BankStatementItem(t.Context(), tx, s, number)
		if err == nil {
			_, err = imports.ImportItem(t.Context(), tx, b.into.ID, i)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// month books a row on every fifth day.
func (b *bank) month() {
	for n := range 6 {
		b.books(3+5*n, finance.Amount(101_00+n*n*7))
	}
}

type explained = map[finance.ExplanationKind]finance.Amount

// filesTest sends files, and returns the statement whose proof is asked for.
type filesTest struct {
	send       func(t *testing.T, b *bank) int64
	difference finance.Amount
	want       explained
}

func (test filesTest) run(t *testing.T, i importing) {
	b := newBank(t, i)
	id := test.send(t, b)
	p := b.proofOf(t, id)
	if found := summary(p); string(*p.Difference) != test.difference.String() || !maps.Equal(found, test.want) {
		t.Errorf("differs by %s, want %s: %v, want %v", *p.Difference, test.difference, found, test.want)
	}
}

func runFiles(t *testing.T, tests map[string]filesTest) {
	i := newImports(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test.run(t, i) })
	}
}

// The rows of a deleted statement that another one has as duplicates are missing: they are neither
// a wrong initial balance nor days without a file.
func TestForgottenDuplicatesAreNotExplained(t *testing.T) {
	t.Parallel()
	const opening, missing, month = finance.OpeningBalance, finance.MissingPeriod, 606_00 + 55*7
	runFiles(t, map[string]filesTest{
		"of the first file": {send: func(t *testing.T, b *bank) int64 {
			b.month()
			first := b.sends(t, 1, 31)
			b.initial(t, 1000_00)
			again := b.sends(t, 1, 31)
			b.deletes(t, first)
			return again
		}, difference: month, want: nil},
		"of the first file, which is sent once more": {send: func(t *testing.T, b *bank) int64 {
			b.month()
			first := b.sends(t, 1, 31)
			again := b.sends(t, 1, 31)
			b.deletes(t, first)
			b.sends(t, 1, 31)
			return again
		}, difference: 1000_00, want: explained{opening: 1000_00}},
		"of a file that overlaps": {send: func(t *testing.T, b *bank) int64 {
			b.initial(t, 1000_00)
			b.sends(t, -27, 0)
			b.month()
			first := b.sends(t, 1, 15)
			second := b.sends(t, 10, 31)
			b.deletes(t, first)
			return second
		}, difference: 303_00 + 5*7, want: nil},
		"of a file that overlaps, without rows in the days of both": {send: func(t *testing.T, b *bank) int64 {
			b.initial(t, 1000_00)
			b.sends(t, -27, 0)
			b.month()
			first := b.sends(t, 1, 12)
			second := b.sends(t, 10, 31)
			b.deletes(t, first)
			return second
		}, difference: 202_00 + 7, want: explained{missing: 202_00 + 7}},
		"of which a person had imported one": {send: func(t *testing.T, b *bank) int64 {
			b.initial(t, 1000_00)
			b.sends(t, -27, 0)
			b.books(3, 70)
			b.books(12, 50)
			first := b.sends(t, 1, 15)
			second := b.sends(t, 10, 20)
			b.importsDuplicate(t, b.sends(t, 10, 20), 1) // of two coffees, each file has one
			b.books(12, 50)
			b.states(t, second, 10, 20)
			b.deletes(t, first)
			return second
		}, difference: 70 + 50, want: nil},
	})
}

// While the import of a file is undone, its rows are neither there nor gone: nothing is explained by them.
func TestNothingIsExplainedWhileAnImportIsUndone(t *testing.T) {
	t.Parallel()
	b := newBank(t, newImports(t))
	b.initial(t, 1000_00)
	b.sends(t, -27, 0)
	b.month()
	first := b.sends(t, 1, 15)
	second := b.sends(t, 16, 31)
	b.typed(t, proofDay(20), 10_00)
	check := func(difference finance.Sum, want explained) {
		t.Helper()
		p := b.proofOf(t, second)
		if found := summary(p); *p.Difference != difference || !maps.Equal(found, want) {
			t.Errorf("differs by %s: %v, want %v", *p.Difference, found, want)
		}
	}
	typed, missing := finance.Amount(-10_00), sumOf(b.exports(1, 15))
	check("-10.0", explained{finance.ManualTransactions: typed})
	if err := b.delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	check("-10.0", nil)
	b.sends(t, 32, 40) // it forgets the rows of the first; their transactions are still there
	check("-10.0", nil)
	b.undone(t)
	check(finance.Sum((typed + missing).String()), explained{finance.ManualTransactions: typed,
		finance.MissingPeriod: missing})
}

// A row is later than a statement only if its file does not have it, whichever file brought it.
func TestLaterItemsAreNotThoseOfTheFile(t *testing.T) {
	t.Parallel()
	const opening, later = finance.OpeningBalance, finance.LaterItems
	// doubled sends a file twice, deletes the first, and sends it once more.
	doubled := func(t *testing.T, b *bank) (second, third int64) {
		b.books(30, 700_00)
		b.books(31, -200_00)
		first := b.sends(t, 1, 31)
		second = b.sends(t, 1, 31)
		b.deletes(t, first)
		return second, b.sends(t, 1, 31)
	}
	runFiles(t, map[string]filesTest{
		"brought by a file that was sent once more": {send: func(t *testing.T, b *bank) int64 {
			second, _ := doubled(t, b)
			return second
		}, difference: 1000_00, want: explained{opening: 1000_00}},
		"beside one that is": {send: func(t *testing.T, b *bank) int64 {
			second, _ := doubled(t, b)
			b.books(31, -200_00, 30_00) // one of them as a row that the file has
			b.sends(t, 31, 31)
			return second
		}, difference: 1170_00, want: explained{opening: 1000_00, later: 170_00}},
		"beside one that is, of the file that brought both": {send: func(t *testing.T, b *bank) int64 {
			_, third := doubled(t, b)
			b.books(31, -200_00)
			b.sends(t, 31, 31)
			return third
		}, difference: 1200_00, want: explained{opening: 1000_00, later: 200_00}},
		"brought before a preview was confirmed": {send: func(t *testing.T, b *bank) int64 {
			b.month()
			b.books(15, 20_00, 20_00)
			rows := b.exports(1, 15)
			_, id, err := b.preview(t.Context(), rows)
			if err != nil {
				t.Fatal(err)
			}
			b.sends(t, 10, 31)
			if _, err := b.confirmed(t.Context(), id, rows); err != nil {
				t.Fatal(err)
			}
			b.states(t, id, 1, 15)
			return id
		}, difference: 1000_00, want: explained{opening: 1000_00}},
		"brought before the balance that a later one is compared with": {send: func(t *testing.T, b *bank) int64 {
			b.initial(t, 1000_00)
			second, _ := doubled(t, b)
			b.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = NULL WHERE id > %d`, second))
			b.books(38, 5_00)
			last := b.sends(t, 36, 40) // the days before have no file
			b.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = ledger_balance + 7 WHERE id = %d`, last))
			return last
		}, difference: 7_00, want: explained{finance.MissingPeriod: 7_00}},
	})
}

// A file that covers a day and does not have a row of it says that the bank booked the row later, or
// withdrew it: any amount may be one of these.
func TestFilesThatContradictEachOtherExplainNothing(t *testing.T) {
	t.Parallel()
	const opening, missing, later = finance.OpeningBalance, finance.MissingPeriod, finance.LaterItems
	runFiles(t, map[string]filesTest{
		"booked afterwards, in the period": {send: func(t *testing.T, b *bank) int64 {
			b.initial(t, 1000_00)
			b.month()
			first := b.sends(t, 1, 15)
			b.books(14, -50_00)
			b.sends(t, 10, 31)
			return first
		}, difference: 50_00, want: nil},
		"booked afterwards, before the day of a balance in the future": {send: func(t *testing.T, b *bank) int64 {
			b.initial(t, 1000_00)
			b.books(5, 30_00)
			first := b.sends(t, 1, 30)
			b.books(21, 40_00)
			b.books(29, 2_00)
			b.sends(t, 20, 31)
			return first
		}, difference: -42_00, want: nil},
		"booked afterwards, in the period of a file without a balance": {send: func(t *testing.T, b *bank) int64 {
			b.initial(t, 1000_00)
			b.sends(t, -27, 0)
			b.books(5, 30_00)
			b.books(11, 100_00) // of days without a file
			silent := b.sends(t, 1, 10)
			b.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = NULL WHERE id = %d`, silent))
			middle := b.sends(t, 13, 20)
			b.books(5, -50_00)
			silent = b.sends(t, 1, 10)
			b.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = NULL WHERE id = %d`, silent))
			return middle
		}, difference: 150_00, want: nil},
		"booked afterwards, but sent before": {send: func(t *testing.T, b *bank) int64 {
			b.initial(t, 1000_00)
			b.month()
			before := b.exports(1, 15)
			b.books(15, 50_00)
			b.sends(t, 1, 15)
			_, first, err := b.run(t.Context(), before)
			if err != nil {
				t.Fatal(err)
			}
			b.states(t, first, 1, 15)
			b.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = ledger_balance - 50 WHERE id = %d`,
				first))
			return first
		}, difference: -50_00, want: nil},
		"booked afterwards, on the day of the balance": {send: func(t *testing.T, b *bank) int64 {
			b.month()
			first := b.sends(t, 1, 15)
			b.books(15, -50_00)
			b.sends(t, 10, 31)
			return first
		}, difference: 1050_00, want: explained{opening: 1000_00, later: 50_00}},
		"sent in the wrong order": {send: func(t *testing.T, b *bank) int64 {
			b.month()
			b.sends(t, 16, 31)
			b.sends(t, 10, 20)
			first := b.sends(t, 1, 12)
			b.sends(t, -27, 0)
			return first
		}, difference: 1000_00, want: explained{opening: 1000_00}},
		"sent in the wrong order, with days that no file covers": {send: func(t *testing.T, b *bank) int64 {
			b.initial(t, 1000_00)
			b.sends(t, -27, 0)
			b.month()
			last := b.sends(t, 20, 31)
			middle := b.sends(t, 1, 10)
			b.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = NULL WHERE id = %d`, middle))
			return last
		}, difference: 202_00 + (4+9)*7, want: explained{missing: 202_00 + (4+9)*7}},
		"of days after the period, with the next file": {send: func(t *testing.T, b *bank) int64 {
			b.month()
			first := b.sends(t, 1, 15)
			b.states(t, first, 1, 31)
			b.exec(t, fmt.Sprintf(`UPDATE bank_statements SET period_end = '%v' WHERE id = %d`, proofDay(15), first))
			b.sends(t, 16, 31)
			return first
		}, difference: 1000_00, want: explained{opening: 1000_00}},
	})
}

// differsBy changes the balance that the bank states.
func (b *bank) differsBy(t testing.TB, id int64, amount finance.Amount) {
	b.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = ledger_balance + %v WHERE id = %d`, amount, id))
}

// Whatever days a bank writes as the period of a file, no day is called missing of which a file has items, or
// states the balance.
func TestDaysOfFilesAreNotMissing(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	for name, test := range map[string]struct {
		period string // what becomes of the period and the balance of each file
		from   int    // the first and the last missing day if the second file is missing
		to     int
	}{
		"in order":                       {`period_start = period_start`, 11, 20},
		"the last day first":             {`period_start = period_end, period_end = period_start`, 11, 20},
		"the day of the export":          {`period_start = period_end`, 11, 21},
		"the first day":                  {`period_end = period_start`, 11, 21},
		"a day after the balance":        {`period_start = period_end + 9, period_end = period_end + 9`, 11, 21},
		"less than its items":            {`period_start = period_start + 3, period_end = period_end - 3`, 11, 21},
		"without the day of the balance": {`period_end = period_end - 1`, 11, 20},
		"no first day":                   {`period_start = NULL`, 11, 21},
		"none":                           {`period_start = NULL, period_end = NULL`, 11, 21},
	} {
		t.Run(name, func(t *testing.T) {
			for _, missing := range []bool{false, true} {
				b := newBank(t, i)
				b.initial(t, 1000_00)
				b.books(3, 500_00)
				b.books(8, -20_00)
				b.books(11, -10_00)
				b.books(15, -100_00)
				b.books(19, -1_00)
				b.books(22, -50_00)
				b.books(28, 1_00)
				b.sends(t, 1, 10)
				var second int64
				if !missing {
					second = b.sends(t, 11, 20)
					b.differsBy(t, second, -300_00)
				}
				third := b.sends(t, 21, 30)
				b.exec(t, fmt.Sprintf(`UPDATE bank_statements SET %s WHERE deposit_account_id = %d`, test.period,
					b.into.ID))
				if !missing {
					if p := b.proofOf(t, second); *p.Difference != "-300.0" || p.Explanations != nil {
						t.Errorf("differs by %s: %v", *p.Difference, p.Explanations)
					}
					continue
				}
				want := finance.Period{First: proofDay(test.from), Last: proofDay(test.to)}
				p := b.proofOf(t, third)
				if found := p.Explanations; len(found) != 1 || found[0].Amount != -111_00 || found[0].Days == nil ||
					*found[0].Days != want {
					t.Errorf("without the second, differs by %s: %+v", *p.Difference, found)
				}
				s, err := b.BankStatement(t.Context(), b.scope(), b.into.ID, third)
				if err != nil || s.PeriodStart != nil && s.PeriodEnd != nil && s.PeriodStart.After(*s.PeriodEnd) {
					t.Errorf("%+v, %v", s, err)
				}
			}
		})
	}
}

// Days without a file before and after one with items are not named: their first and last day have its days
// between them, and nobody knows the part of each.
func TestMissingDaysAroundAFileAreNotNamed(t *testing.T) {
	t.Parallel()
	runFiles(t, map[string]filesTest{
		"with items": {send: func(t *testing.T, b *bank) int64 {
			b.initial(t, 1000_00)
			b.sends(t, 1, 5)
			b.books(7, 10_00)
			b.books(12, 5_00)
			b.books(18, 20_00)
			between := b.sends(t, 11, 14)
			b.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = NULL WHERE id = %d`, between))
			return b.sends(t, 20, 25)
		}, difference: 30_00, want: nil},
	})
}

// A file that ends with a day that has not ended leaves the rest of the day to the next one, whose suspects of that
// day explain a difference as its own new rows of the day do.
func TestASuspectOfTheLastDayOfAFileIsNamed(t *testing.T) {
	t.Parallel()
	b := newBank(t, newImports(t))
	b.initial(t, 1000_00)
	b.sends(t, -27, 0)
	b.books(3, 187_00)
	b.books(8, -4_00)
	b.sends(t, 1, 8)
	b.rows[1].FITID, b.rows[1].Description = "LATER", "LANCHONETE" // a second one; the next file leaves out the first
	b.books(20, -5_00)
	last := b.sends(t, 8, 31)
	b.differsBy(t, last, -4_00)
	p := b.proofOf(t, last)
	if len(p.Explanations) != 1 || p.Explanations[0].Kind != finance.SuspectDuplicates ||
		p.Explanations[0].Amount != -4_00 ||
		!slices.Equal(p.Explanations[0].Items, []finance.ItemRef{{BankStatementID: last, ID: 1}}) {
		t.Errorf("differs by %s: %+v", *p.Difference, p.Explanations)
	}
}

// The suspect with which a file brought the rest of its last day is no suspect of a later file: the day had ended.
func TestADayWithABroughtSuspectHasEnded(t *testing.T) {
	t.Parallel()
	b := newBank(t, newImports(t))
	b.initial(t, 1000_00)
	b.sends(t, -27, 0)
	b.books(3, 187_00)
	b.books(5, 21_00)
	b.books(8, -4_00)
	b.sends(t, 1, 8)
	b.books(8, -4_00)
	b.books(20, -5_00)
	send := func(rows []imports.StagedItem, last int) int64 {
		_, id, err := b.run(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		b.states(t, id, 8, last)
		return id
	}
	brought, last := send(b.rows[3:4], 8), send(b.rows[3:], 31)
	if made, err := b.importSuspects(t, brought); err != nil || len(made) != 1 {
		t.Fatalf("%d are imported, %v", len(made), err)
	}
	for n, by := range map[int]finance.Amount{0: 50, 1: -50, 4: 7} {
		b.change(t, b.rows[n], func(f *finance.FinancialTransaction) { f.Amount += by })
	}
	p := b.proofOf(t, last)
	if len(p.Explanations) != 1 || p.Explanations[0].Amount != -7 || len(p.Explanations[0].TransactionIDs) != 1 {
		t.Errorf("differs by %s: %+v", *p.Difference, p.Explanations)
	}
}

// An item of the future that a later file brought is nowhere missing; one that no file brought may be.
func TestABroughtItemOfTheFutureIsNotMissing(t *testing.T) {
	t.Parallel()
	send := func(brought bool) func(t *testing.T, b *bank) int64 {
		return func(t *testing.T, b *bank) int64 {
			b.initial(t, 1000_00)
			b.sends(t, -27, 0)
			b.books(5, 30_00)
			scheduled := imports.StagedItem{Day: proofDay(20), Amount: -40_00, Ignored: "future"}
			_, id, err := b.run(t.Context(), append(b.exports(1, 10), scheduled))
			if err != nil {
				t.Fatal(err)
			}
			b.states(t, id, 1, 10)
			b.books(12, 100_00) // of days without a file
			if brought {
				b.books(20, -40_00)
			}
			b.books(22, 7_00)
			return b.sends(t, 15, 31)
		}
	}
	runFiles(t, map[string]filesTest{
		"brought":     {send: send(true), difference: 100_00, want: explained{finance.MissingPeriod: 100_00}},
		"not brought": {send: send(false), difference: 100_00, want: nil},
	})
}

// A scheduled item of the last day of a proof that a later file brought is still missing in the span of the proof: rows
// of later files are no part of it.
func TestAnItemOfTheLastDayThatALaterFileBrought(t *testing.T) {
	t.Parallel()
	runFiles(t, map[string]filesTest{"": {difference: -7_00, want: explained{
		finance.IgnoredItems: -40_00, finance.EditedItems: -7_00, finance.LaterItems: 40_00,
	}, send: func(t *testing.T, b *bank) int64 {
		b.initial(t, 1000_00)
		b.sends(t, -27, 0)
		b.books(5, 30_00)
		rows := append(b.exports(1, 10), imports.StagedItem{Day: proofDay(10), Amount: -40_00, Ignored: "future"})
		b.books(10, -40_00) // in the balance that the file states
		_, id, err := b.run(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		b.states(t, id, 1, 10)
		if _, _, err := b.run(t.Context(), b.exports(10, 10)); err != nil {
			t.Fatal(err)
		}
		b.change(t, b.rows[0], func(f *finance.FinancialTransaction) { f.Amount += 7_00 })
		return id
	}}})
}
