package storage_test

import (
	"fmt"
	"slices"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/imports"
)

func TestAnItemThatTheBankMovedIsImportedAndCounted(t *testing.T) {
	t.Parallel()
	type items = []imports.StagedItem
	other := item(2, -30, "B", "PADARIA")
	for name, c := range map[string]struct {
		before, file items
		moved        int64
	}{
		"to a later day": {items{other, item(7, -120, "A", "PIX")}, items{other, item(9, -120, "A", "PIX")},
			1},
		"to an earlier day": {items{other, item(7, -120, "A", "PIX")},
			items{other, item(5, -120, "A", "PIX"), item(8, -1, "C", "X")}, 1},
		"of two equal ones": {items{item(7, -120, "A", "PIX"), item(7, -120, "C", "PIX"), other},
			items{other, item(7, -120, "C", "PIX"), item(9, -120, "A", "PIX")}, 1},
		"it has both": {items{other, item(7, -120, "A", "PIX")},
			items{other, item(7, -120, "D", "PIX"), item(9, -120, "A", "PIX")}, 0},
		"the day is not covered": {items{other, item(7, -120, "A", "PIX")},
			items{item(8, -1, "C", "X"), item(9, -120, "A", "PIX")}, 0},
		"another id": {items{other, item(7, -120, "A", "PIX")}, items{other, item(9, -120, "D", "PIX")},
			0},
		"no id": {items{other, item(7, -120, "", "PIX")}, items{other, item(9, -120, "", "PIX")}, 0},
		"another text": {items{other, item(7, -120, "A", "PIX")}, items{other, item(9, -120, "A", "TED")},
			0},
		"another amount": {items{other, item(7, -120, "A", "PIX")}, items{other, item(9, -121, "A", "PIX")},
			0},
		"another sign": {items{other, item(7, -120, "A", "PIX")}, items{other, item(9, 120, "A", "PIX")},
			0},
		"an id twice in the file": {items{other, item(7, -120, "A", "PIX")},
			items{other, item(9, -120, "A", "PIX"), item(9, -7, "A", "PIX")}, 0},
		"an id twice in the first": {items{other, item(7, -120, "A", "PIX"), item(1, -7, "A", "PIX")},
			items{other, item(9, -120, "A", "PIX")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newImports(t)
			if _, _, err := i.run(t.Context(), c.before); err != nil {
				t.Fatal(err)
			}
			s, job, err := i.uploaded(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			previewed, err := i.read(t.Context(), s, job, c.file)
			got, _, err2 := i.run(t.Context(), c.file)
			if err != nil || err2 != nil || got.Moved != c.moved || previewed.Moved != c.moved ||
				got.New != previewed.New || got.New == 0 {
				t.Errorf("previewed %+v, imported %+v, %v, %v", previewed, got, err, err2)
			}
			if again, _, err := i.run(t.Context(), c.file); err != nil || again.New != 0 || again.Moved != 0 {
				t.Errorf("again: %+v, %v", again, err)
			}
		})
	}
}

// What is gone is not there twice: a deleted transaction, a deleted file.
func TestOnlyWhatIsThereTwiceHasMoved(t *testing.T) {
	t.Parallel()
	file := []imports.StagedItem{item(2, -30, "B", "PADARIA"), item(9, -120, "A", "PIX")}
	for _, gone := range []string{
		`DELETE FROM financial_transactions WHERE guid = 'A'`,
		`UPDATE bank_statements SET deleted_at = now()`,
	} {
		i := newImports(t)
		if _, _, err := i.run(t.Context(), []imports.StagedItem{file[0], item(7, -120, "A", "PIX")}); err != nil {
			t.Fatal(err)
		}
		i.exec(t, gone)
		if got, _, err := i.run(t.Context(), file); err != nil || got.Moved != 0 {
			t.Errorf("%s: %+v, %v", gone, got, err)
		}
	}
}

// The proof names what came twice with both transactions, and agrees once one of them is deleted.
func TestAProofNamesWhatTheBankMoved(t *testing.T) {
	t.Parallel()
	last := movement(7, 6, 1)
	for _, deleted := range []finance.Date{last.Day, proofDay(59)} {
		m := newMonths(t, 8)
		moved := last
		moved.Day = proofDay(59)
		file := append(week(7)[:19:19], week(7)[20])
		file = append(append(file, moved), week(8)...)
		m.statements = append(m.statements, m.file(t, 8, file))
		m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET period_start = '%v' WHERE id = %d`, proofDay(50),
			m.statements[8]))
		ids := []int64{0, 0}
		for n, day := range []finance.Date{last.Day, moved.Day} {
			ids[n] = m.value(t, fmt.Sprintf(`SELECT id FROM financial_transactions WHERE guid = '%s'
				AND occurred_at = '%v'`, last.FITID, day))
		}
		p := m.proof(t)
		if len(p.Explanations) != 1 || p.Explanations[0].Kind != finance.MovedItems ||
			p.Explanations[0].Amount != -last.Amount ||
			!slices.Equal(p.Explanations[0].TransactionIDs, ids) {
			t.Fatalf("%s by %v: %+v, not %v", p.Status, *p.Difference, p.Explanations, ids)
		}
		m.typed(t, proofDay(60), 7)
		if p := m.proof(t); len(p.Explanations) != 2 {
			t.Errorf("beside a typed one: %+v", p.Explanations)
		}
		m.exec(t, `DELETE FROM financial_transactions WHERE amount = 0.07 AND guid IS NULL`)
		m.exec(t, fmt.Sprintf(`WITH d AS (DELETE FROM financial_transactions WHERE guid = '%s' AND occurred_at = '%v'
			RETURNING amount)
			UPDATE deposit_accounts SET transactions_sum = (SELECT sum(amount)
				FROM financial_transactions) - (SELECT amount FROM d)`, last.FITID, deleted))
		if p := m.proof(t); p.Status != finance.ProofAgrees {
			t.Errorf("without that of %v: %s by %v", deleted, p.Status, *p.Difference)
		}
	}
}

// Once one of two moved transactions is deleted, the files still have both items: the gap is not what a missing week
// had.
func TestADeletedMovedItemIsNoPartOfAMissingPeriod(t *testing.T) {
	t.Parallel()
	for name, deleted := range map[string]int{"the former one": 0, "the later one": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMonths(t, 6, 8)
			former := movement(7, 6, 1)
			later := former
			later.Day = proofDay(59)
			moving := m.file(t, 8, append(week(7)[:19:19], week(7)[20], later))
			m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET period_start = '%v', period_end = '%v' WHERE id = %d`,
				proofDay(50), later.Day, moving))
			m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = NULL WHERE id IN (%d, %d)`,
				m.statements[6], moving))
			m.statements = append(m.statements, m.file(t, 8, append(week(8), later)))
			id := m.value(t, fmt.Sprintf(`SELECT id FROM financial_transactions WHERE guid = '%s'
				AND occurred_at = '%v'`, former.FITID, []finance.Date{former.Day, later.Day}[deleted]))
			err := m.InTx(t.Context(), func(tx *storage.Tx) error {
				held, err := tx.LockFinancialTransactionForDelete(t.Context(), m.scope(), m.into.ID, id)
				if err != nil {
					return err
				}
				return tx.DeleteFinancialTransaction(t.Context(), held)
			})
			if err != nil {
				t.Fatal(err)
			}
			p := m.proof(t)
			if string(*p.Difference) != sumOf(week(6)).String() || len(p.Explanations) != 0 {
				t.Errorf("differs by %s: %+v", *p.Difference, p.Explanations)
			}
		})
	}
}
