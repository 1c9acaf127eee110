package storage_test

import (
	"fmt"
	"testing"

	"bordero/finance"
	"bordero/storage"
)

// A proof that turns is an event of the newest statement, once.
func TestAProofThatTurnsIsAnEvent(t *testing.T) {
	t.Parallel()
	m := newMonths(t)
	look := func() (events int64) {
		t.Helper()
		const updates = `SELECT count(*) FROM unsealed_changes WHERE family = 'bank_statements' AND action = 'updated'`
		before := m.value(t, updates)
		if err := m.InTx(t.Context(), func(tx *storage.Tx) error { return tx.ProveBalance(t.Context(), m.into.AccountID, m.into.ID) }); err != nil {
			t.Fatal(err)
		}
		return m.value(t, updates) - before
	}
	status := func(want string) {
		t.Helper()
		counts, err := m.BalanceProofCounts(t.Context())
		if err != nil || len(counts) != 1 || counts[0] != (storage.BalanceProofCount{Status: want, Count: 1}) {
			t.Errorf("%v, %v, want %s", counts, err, want)
		}
	}
	if n := look(); n != 0 {
		t.Errorf("%d events of the first look", n)
	}
	status(finance.ProofAgrees)
	m.exec(t, `UPDATE balance_proofs SET proven_at = now() + interval '2 minutes'`)
	if n, err := m.AskProofs(t.Context()); err != nil || n != 0 {
		t.Errorf("%d jobs although nothing has changed: %v", n, err)
	}
	m.exec(t, `UPDATE balance_proofs SET proven_at = now() - interval '1 minute'`)
	m.change(t, movement(4, 3, 1), func(f *finance.FinancialTransaction) { f.Amount += 99 })
	for _, want := range []int{1, 0} {
		if n, err := m.AskProofs(t.Context()); err != nil || n != want {
			t.Errorf("%d jobs after a change, want %d: %v", n, want, err)
		}
	}
	if n := look(); n != 1 {
		t.Errorf("%d events of a proof that has turned", n)
	}
	if n := look(); n != 0 {
		t.Errorf("%d events of a proof that has not", n)
	}
	status(finance.ProofDiffers)
	m.exec(t, fmt.Sprintf(`UPDATE bank_statements SET ledger_balance = NULL WHERE deposit_account_id = %d`, m.into.ID))
	look()
	if n := m.value(t, `SELECT count(*) FROM balance_proofs`); n != 0 {
		t.Errorf("%d proofs without a balance", n)
	}
}
