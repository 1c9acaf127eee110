package storage_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/list"
	"bordero/storage/proof"
)

// months are nine weeks of made-up banking, from the first Sunday of March 2026: a file for each, with
// the balance of its last day.
type months struct {
	importing
	statements []int64
	balances   []finance.Amount // of the bank, at the end of each week
}

const openingBalance finance.Amount = 250_017

// movement is one of three of a day, each of an amount that no other one has.
func movement(week, day, n int) imports.StagedItem {
	number := week*21 + day*3 + n
	i := item(1, finance.Amount(1000*number+7*n*n+13)*finance.Amount(1-2*(number%2)), fmt.Sprint("F", number),
		fmt.Sprint("PIX ", number))
	i.Day = proofDay(1 + week*7 + day)
	return i
}

// proofDay returns a day of the months, from 1.
func proofDay(n int) finance.Date { return item(1, 0, "", "").Day.AddDays(n - 1) }

func week(n int) (items []imports.StagedItem) {
	for day := range 7 {
		for i := range 3 {
			items = append(items, movement(n, day, i))
		}
	}
	return items
}

func sumOf(items []imports.StagedItem) (sum finance.Amount) {
	for _, i := range items {
		sum += i.Amount
	}
	return sum
}

// newMonths imports the weeks but those that are left out.
func newMonths(t testing.TB, without ...int) *months {
	return newImports(t).months(t, without...)
}

// months imports the weeks, but those that are left out, into the empty deposit account.
func (i importing) months(t testing.TB, without ...int) *months {
	return i.monthsOf(t, func(n int) []imports.StagedItem {
		if slices.Contains(without, n) {
			return nil
		}
		return week(n)
	})
}

// monthsOf imports the files of the weeks, nil for none.
func (i importing) monthsOf(t testing.TB, file func(week int) []imports.StagedItem) *months {
	m := &months{importing: i}
	balance := openingBalance
	for n := range 9 {
		balance += sumOf(week(n))
		m.balances = append(m.balances, balance)
		if items := file(n); items != nil {
			m.statements = append(m.statements, m.file(t, n, items))
		}
	}
	m.initial(t, openingBalance)
	return m
}

// file imports items as the file of a week.
func (m *months) file(t testing.TB, n int, items []imports.StagedItem) int64 {
	t.Helper()
	_, id, err := m.run(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	first := proofDay(1 + 7*n)
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = %v, ledger_balance_on = '%v',
		period_start = '%v', period_end = '%v' WHERE id = %d`,
		m.balances[n], first.AddDays(6), first, first.AddDays(6), id))
	return id
}

func (m *months) initial(t testing.TB, balance finance.Amount) {
	m.exec(t, fmt.Sprintf(`UPDATE deposit_accounts SET initial_balance = %v WHERE id = %d`, balance, m.into.ID))
}

// proof returns the proof of the last statement.
func (m *months) proof(t testing.TB) *finance.BalanceProof {
	t.Helper()
	return m.proofOf(t, m.statements[len(m.statements)-1])
}

// proofOf returns a proof. It removes the texts of ignored items, which changes no proof.
func (m *months) proofOf(t testing.TB, id int64) *finance.BalanceProof {
	t.Helper()
	p := m.asked(t, id)
	if _, err := imports.FoldItems(t.Context(), m.Store, 0); err != nil {
		t.Fatal(err)
	}
	if folded := m.asked(t, id); !reflect.DeepEqual(folded, p) {
		t.Errorf("without the texts of ignored items the proof is %+v, not %+v", folded, p)
	}
	return p
}

// asked returns the proof as it is now.
func (m *months) asked(t testing.TB, id int64) *finance.BalanceProof {
	t.Helper()
	b, err := proof.Statement(t.Context(), m.Store, m.scope(), m.into.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	return b.Proof
}

// transaction returns the transaction of a movement.
func (m *months) transaction(t testing.TB, moved imports.StagedItem) int64 {
	t.Helper()
	return m.value(t, fmt.Sprintf(`SELECT id FROM financial_transactions WHERE deposit_account_id = %d AND guid = '%s'`,
		m.into.ID, moved.FITID))
}

// change changes the transaction of a movement as a person would; nil deletes it.
func (m *months) change(t testing.TB, moved imports.StagedItem, change func(*finance.FinancialTransaction)) {
	t.Helper()
	id := m.transaction(t, moved)
	err := m.InTx(t.Context(), func(tx *storage.Tx) error {
		held, err := tx.LockFinancialTransactionForDelete(t.Context(), m.scope(), m.into.ID, id)
		if err != nil {
			return err
		}
		if change == nil {
			return tx.DeleteFinancialTransaction(t.Context(), held)
		}
		change(held)
		return tx.UpdateFinancialTransaction(t.Context(), held)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (m *months) typed(t testing.TB, day finance.Date, amount finance.Amount) {
	t.Helper()
	typed := finance.FinancialTransaction{AccountID: m.into.AccountID, DepositAccountID: m.into.ID, Amount: amount,
		OccurredAt: day}
	if err := m.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.InsertFinancialTransactions(t.Context(), []*finance.FinancialTransaction{&typed})
	}); err != nil {
		t.Fatal(err)
	}
}

// summary returns the kinds and amounts of the explanations.
func summary(p *finance.BalanceProof) map[finance.ExplanationKind]finance.Amount {
	found := map[finance.ExplanationKind]finance.Amount{}
	for _, e := range p.Explanations {
		found[e.Kind] += e.Amount
	}
	return found
}

func TestABalanceIsProven(t *testing.T) {
	t.Parallel()
	m := newMonths(t)
	for n, id := range m.statements {
		p := m.proofOf(t, id)
		if p.Status != finance.ProofAgrees || p.BankBalance != m.balances[n] ||
			string(*p.OurBalance) != m.balances[n].String() || *p.Difference != "0.0" {
			t.Errorf("week %d: %+v, %s, %s", n, p, *p.OurBalance, *p.Difference)
		}
	}
	listed, err := proof.List(t.Context(), m.Queries, m.scope(), m.into.ID, list.Query{Size: 4, Number: 1})
	if err != nil || listed.Total != 9 || len(listed.Items) != 4 ||
		listed.Items[0].BankStatementID != m.statements[8] || listed.Items[3].Status != finance.ProofAgrees {
		t.Errorf("%+v, %v", listed, err)
	}
	m.typed(t, proofDay(37), 55) // a day of the sixth week
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance_on = NULL WHERE id = %d`, m.statements[3]))
	// two of one day
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance_on = '%v' WHERE id = %d`, proofDay(42),
		m.statements[6]))
	for page := range 3 {
		listed, err = proof.List(t.Context(), m.Queries, m.scope(), m.into.ID, list.Query{Size: 4, Number: page + 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range listed.Items {
			one := m.proofOf(t, p.BankStatementID)
			if one.Explanations = nil; !reflect.DeepEqual(&p, one) {
				t.Errorf("%+v in the list, %+v alone", p, *one)
			}
		}
	}
	if p := m.proof(t); p.Status != finance.ProofDiffers || *p.Difference != "-0.55" {
		t.Errorf("beside a typed transaction: %+v", p)
	}
	if p := m.proofOf(t, m.statements[3]); p.Status != finance.ProofUnknown || p.OurBalance != nil {
		t.Errorf("without a day: %+v", p)
	}
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = NULL WHERE id = %d`, m.statements[4]))
	if p := m.proofOf(t, m.statements[4]); p != nil {
		t.Errorf("without a balance: %+v", p)
	}
}

// A proof is of one moment: while a transaction is edited again and again, each proof agrees, or
// explains its whole difference.
func TestAProofIsOfOneMoment(t *testing.T) {
	t.Parallel()
	m := newMonths(t)
	end, edited := make(chan struct{}), make(chan error, 1)
	id, moved := m.transaction(t, movement(4, 3, 1)), movement(4, 3, 1)
	go func() {
		var err error
		for by := finance.Amount(99); err == nil; by = 99 - by {
			select {
			case <-end:
				edited <- nil
				return
			default:
			}
			err = m.InTx(t.Context(), func(tx *storage.Tx) error {
				held, err := tx.LockFinancialTransactionForDelete(t.Context(), m.scope(), m.into.ID, id)
				if err != nil {
					return err
				}
				held.Amount = moved.Amount + by
				return tx.UpdateFinancialTransaction(t.Context(), held)
			})
		}
		edited <- err
	}()
	seen := map[string]int{}
	deadline := time.Now().Add(time.Minute) // on a busy machine the edits may begin late
	for n := 0; n < 30 || len(seen) < 2 && time.Now().Before(deadline); n++ {
		p := m.asked(t, m.statements[len(m.statements)-1])
		seen[p.Status]++
		switch found := summary(p); {
		case p.Status == finance.ProofAgrees && *p.Difference == "0.0" && len(found) == 0:
		case p.Status == finance.ProofDiffers && *p.Difference == "-0.99" && len(found) == 1 &&
			found[finance.EditedItems] == -99:
		default:
			t.Errorf("%s by %s: %v", p.Status, *p.Difference, found)
		}
	}
	close(end)
	if err := <-edited; err != nil || len(seen) < 2 {
		t.Errorf("%v, %v", seen, err)
	}
}

// What an import brought is missing once it is undone, and agrees when its file comes in again.
func TestAnImportIsUndoneUnderAProof(t *testing.T) {
	t.Parallel()
	m := newMonths(t)
	if err := m.delete(t.Context(), m.statements[4]); err != nil {
		t.Fatal(err)
	}
	for done := false; !done; {
		var err error
		if done, err = m.work(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		m.proof(t) // it may be asked for at any time
	}
	p := m.proof(t)
	if found := summary(p); len(found) != 1 || found[finance.MissingPeriod] != sumOf(week(4)) ||
		*p.Explanations[0].Days != (finance.Period{First: proofDay(29), Last: proofDay(35)}) {
		t.Errorf("it differs by %s: %+v", *p.Difference, p.Explanations)
	}
	m.file(t, 4, week(4))
	if p := m.proof(t); p.Status != finance.ProofAgrees {
		t.Errorf("it differs by %s: %+v", *p.Difference, p.Explanations)
	}
}
