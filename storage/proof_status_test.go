package storage_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/proof"
	"bordero/storage/storagetest"

	"github.com/lib/pq"
)

// A proof that turns is an event of its statement, once.
func TestAProofThatTurnsIsAnEvent(t *testing.T) {
	t.Parallel()
	m := newMonths(t)
	look := func() (events []int64) {
		t.Helper()
		m.exec(t, `DELETE FROM unsealed_changes`)
		if err := m.InTx(t.Context(), func(tx *storage.Tx) error {
			return proof.Prove(t.Context(), tx, m.into.AccountID, m.into.ID)
		}); err != nil {
			t.Fatal(err)
		}
		if err := m.owner.QueryRowContext(t.Context(), `SELECT array_agg(record_ids[1] ORDER BY id)
			FROM unsealed_changes WHERE family = 'bank_statements' AND action = 'updated' AND entity_id = $1
				AND parent_id = $2 AND cardinality(record_ids) = 1`, m.into.EntityID, m.into.ID).Scan(
			pq.Array(&events)); err != nil {
			t.Fatal(err)
		}
		return events
	}
	status := func(want string) {
		t.Helper()
		counts, err := proof.Counts(t.Context(), m.Queries)
		if err != nil || len(counts) != 1 || counts[0] != (proof.Count{Status: want, Count: 1}) {
			t.Errorf("%v, %v, want %s", counts, err, want)
		}
	}
	if turned := look(); len(turned) != 0 {
		t.Errorf("the first look has the events %v", turned)
	}
	status(finance.ProofAgrees)
	m.exec(t, `UPDATE balance_proofs SET proven_at = now() + interval '2 minutes'`)
	if n, err := proof.Enqueue(t.Context(), m.Store); err != nil || n != 0 {
		t.Errorf("%d jobs although nothing has changed: %v", n, err)
	}
	m.exec(t, `UPDATE balance_proofs SET proven_at = now() - interval '1 minute'`)
	// A movement to a later week turns the weeks between, and not the newest.
	m.change(t, movement(2, 3, 1), func(f *finance.FinancialTransaction) { f.OccurredAt = movement(4, 3, 1).Day })
	if n, err := proof.Enqueue(t.Context(), m.Store); err != nil || n != 1 {
		t.Errorf("%d jobs after a movement to a later week: %v", n, err)
	}
	for _, want := range [][]int64{m.statements[2:4], nil} {
		if turned := look(); !slices.Equal(turned, want) {
			t.Errorf("the movement turned %v, want %v", turned, want)
		}
	}
	status(finance.ProofAgrees)
	m.change(t, movement(2, 3, 1), func(f *finance.FinancialTransaction) { f.OccurredAt = movement(2, 3, 1).Day })
	if turned := look(); !slices.Equal(turned, m.statements[2:4]) {
		t.Errorf("the movement back turned %v", turned)
	}
	m.exec(t, `DELETE FROM jobs; UPDATE balance_proofs SET proven_at = now() - interval '1 minute'`)
	m.change(t, movement(4, 3, 1), func(f *finance.FinancialTransaction) { f.Amount += 99 })
	for _, want := range []int{1, 0} {
		if n, err := proof.Enqueue(t.Context(), m.Store); err != nil || n != want {
			t.Errorf("%d jobs after a change, want %d: %v", n, want, err)
		}
	}
	for _, want := range [][]int64{m.statements[4:], nil} {
		if turned := look(); !slices.Equal(turned, want) {
			t.Errorf("the amount turned %v, want %v", turned, want)
		}
	}
	status(finance.ProofDiffers)
	// A process of the release before has stored the newest alone, and emitted its event.
	m.change(t, movement(4, 3, 1), func(f *finance.FinancialTransaction) { f.Amount -= 99 })
	m.exec(t, `UPDATE balance_proofs SET status = 'agrees'`)
	if turned := look(); !slices.Equal(turned, m.statements[4:8]) {
		t.Errorf("beside the release before, the amount turned %v", turned)
	}
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = NULL WHERE id = %d`, m.statements[0]))
	look()
	if n := m.value(t, `SELECT count(*) FROM statement_proofs`); n != 8 {
		t.Errorf("%d proofs of 8 statements with a balance", n)
	}
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance_on = (SELECT max(ledger_balance_on) - 401
		FROM bank_statements) WHERE id = %d`, m.statements[1]))
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance_on = (SELECT max(ledger_balance_on) - 400
		FROM bank_statements) WHERE id = %d`, m.statements[2]))
	look()
	if n := m.value(t, `SELECT count(*) FROM statement_proofs`); n != 7 {
		t.Errorf("%d proofs of 7 statements of 400 days", n)
	}
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements
		SET ledger_balance_on = CASE id WHEN %[1]d THEN date '2099-12-31' ELSE current_date END
		WHERE id IN (%[1]d, %[2]d)`, m.statements[3], m.statements[4]))
	look()
	if n := m.value(t, `SELECT count(*) FROM statement_proofs`); n < 2 {
		t.Error("a statement of a day to come hides all others")
	}
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = NULL WHERE deposit_account_id = %d`, m.into.ID))
	look()
	n := m.value(t, `SELECT (SELECT count(*) FROM balance_proofs) + (SELECT count(*) FROM statement_proofs)`)
	if n != 0 {
		t.Errorf("%d proofs without a balance", n)
	}
}

// The deletion of a statement that states a balance asks for a look at the proof, although it changes no balance.
func TestADeletedStatementProvesNothing(t *testing.T) {
	t.Parallel()
	m := newMonths(t)
	again := m.file(t, 8, week(8)) // without transactions of its own
	silent := m.file(t, 8, week(8))
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = NULL WHERE id = %d`, silent))
	preview, _, err := m.uploaded(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = 1, event_status = 'previewed' WHERE id = %d`,
		preview.BankStatement.ID))
	for _, c := range []struct{ statement, jobs int64 }{{silent, 0}, {preview.BankStatement.ID, 0}, {again, 1}} {
		if err := m.delete(t.Context(), c.statement); err != nil {
			t.Fatal(err)
		}
		n := m.value(t, fmt.Sprintf(`SELECT count(*) FROM jobs WHERE kind = 'prove_balance' AND key = '%d:%d'`,
			m.into.AccountID, m.into.ID))
		if n != c.jobs {
			t.Errorf("%d jobs after the deletion of statement %d, want %d", n, c.statement, c.jobs)
		}
	}
}

// A run of prove_balance that waits for another one sees what that transaction changed.
func TestALookAfterAnImportSeesIt(t *testing.T) {
	t.Parallel()
	m := newMonths(t)
	look := func(tx *storage.Tx) error { return proof.Prove(t.Context(), tx, m.into.AccountID, m.into.ID) }
	if err := m.InTx(t.Context(), look); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	var looking sync.WaitGroup
	err := m.InTx(t.Context(), func(tx *storage.Tx) error {
		if _, err := tx.DB.ExecContext(t.Context(), `UPDATE bank_statements SET ledger_balance = ledger_balance + 1
			WHERE account_id = $1`, m.into.AccountID); err != nil {
			return err
		}
		if err := look(tx); err != nil {
			return err
		}
		once.Do(func() {
			looking.Go(func() {
				if err := m.InTx(t.Context(), look); err != nil {
					t.Error(err)
				}
			})
			storagetest.AwaitLock(t, m.owner, 1)
		})
		return nil
	})
	looking.Wait()
	counts, err2 := proof.Counts(t.Context(), m.Queries)
	want := []proof.Count{{Status: finance.ProofDiffers, Count: 1}}
	if err != nil || err2 != nil || !slices.Equal(counts, want) {
		t.Errorf("%v, %v, %v, want %v", counts, err, err2, want)
	}
}

// says returns the output of the last import, which is explained as if it ended now.
func (m *months) says(t *testing.T) string {
	t.Helper()
	b, err := proof.Statement(t.Context(), m.Store, m.scope(), m.into.ID, m.statements[len(m.statements)-1])
	if err != nil || len(b.Proof.Explanations) != 1 {
		t.Fatalf("%v, %v", b.Proof, err)
	}
	output := "Fim."
	b.EventOutput = &output
	if err := m.InTx(t.Context(), func(tx *storage.Tx) error {
		return proof.ProveImport(t.Context(), tx, b)
	}); err != nil {
		t.Fatal(err)
	}
	return output
}

// The output of an import explains a difference unless too many transactions came after it: other
// writers wait for the balance meanwhile.
func TestAnImportExplainsWhatIsNear(t *testing.T) {
	t.Parallel()
	m := newMonths(t)
	m.change(t, movement(4, 3, 1), func(f *finance.FinancialTransaction) { f.Amount += 99 })
	const edited = "(-0,99)"
	if said := m.says(t); !strings.Contains(said, "-0,99") || !strings.Contains(said, edited) {
		t.Error(said)
	}
	m.exec(t, fmt.Sprintf(`
		INSERT INTO financial_transactions (account_id, deposit_account_id, currency_id, amount, occurred_at)
		SELECT %d, %d, 1, 1 - 2 * (n %% 2), '%v' FROM generate_series(1, 50000) n`, m.into.AccountID, m.into.ID,
		proofDay(60)))
	if said := m.says(t); !strings.Contains(said, "-0,99") || strings.Contains(said, edited) {
		t.Error(said)
	}
}

// Nor does it explain a gap if the files of its days have too many known items.
func TestAnImportReadsFewKnownItems(t *testing.T) {
	t.Parallel()
	m := newMonths(t, 4)
	before, after := m.statements[3], m.statements[4]
	for _, c := range []struct {
		statement int64
		known     int
		explains  bool
	}{{before, 250_001, true}, {after, 250_000, true}, {after, 250_001, false}} {
		m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET duplicate_items_ignored_count = %d WHERE id = %d`, c.known,
			c.statement))
		if said := m.says(t); strings.Contains(said, "dias sem extrato") != c.explains {
			t.Errorf("%+v: %s", c, said)
		}
	}
}
