package workers

import (
	"context"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/proof"
)

// A person enters what the bank says is missing: within the scheduler's next look a job compares the
// balances, and an event reports that the proof has turned. A change that turns nothing is no event.
func TestAnEditThatMakesAProofAgreeIsAnEvent(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	key, _, err := d.files.Put(context.WithoutCancel(t.Context()), 1, strings.NewReader(
		"<OFX><STMTTRN><DTPOSTED>20260105<TRNAMT>100.00<FITID>1</STMTTRN><LEDGERBAL><BALAMT>130.00<DTASOF>20260131</"+
			"LEDGERBAL></OFX>"))
	if err != nil {
		t.Fatal(err)
	}
	if status, output := d.upload(key); status != finance.ImportSuccess ||
		!strings.Contains(output, "diferença de 30,00") {
		t.Fatalf("%s: %s", status, output)
	}
	proven := func() bool { return d.Count(`SELECT count(*) FROM jobs`) == 0 }
	d.Eventually("the balance of the import is compared", proven)
	id := int64(d.Count(`SELECT id FROM financial_transactions`))
	edit := func(amount finance.Amount) {
		t.Helper()
		scope := storage.Scope{AccountID: d.into.AccountID, EntityID: d.into.EntityID}
		err := d.Store.InTx(t.Context(), func(tx *storage.Tx) error {
			held, err := tx.LockFinancialTransactionForDelete(t.Context(), scope, d.into.ID, id)
			if err != nil {
				return err
			}
			held.Amount = amount
			return tx.UpdateFinancialTransaction(t.Context(), held)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	// told counts the events of the statement: one of its import, and one whenever its proof turns.
	told := func() int {
		return d.Count(`SELECT count(*) FROM unsealed_changes WHERE family = 'bank_statements' AND action = 'updated'
			AND record_ids = ARRAY[(SELECT id FROM bank_statements)]`)
	}
	for _, c := range []struct {
		amount finance.Amount
		status string
		told   int
	}{{120_00, finance.ProofDiffers, 1}, {130_00, finance.ProofAgrees, 2}, {130_01, finance.ProofDiffers, 3}} {
		edit(c.amount)
		if n, err := proof.Enqueue(t.Context(), d.Store); err != nil || n != 1 {
			t.Fatalf("%d jobs after the edit to %s: %v", n, c.amount, err)
		}
		d.Eventually("the balances are compared", proven)
		counts, err := proof.Counts(t.Context(), d.Store.Queries)
		if err != nil || len(counts) != 1 || counts[0].Status != c.status || told() != c.told {
			t.Errorf("after the edit to %s: %v, %v, %d events", c.amount, counts, err, told())
		}
	}
	// A job that failed is not enqueued again for a day.
	failed := jobs.ProveBalance{AccountID: d.into.AccountID, DepositAccountID: d.into.ID}
	d.Exec(`INSERT INTO jobs (kind, queue, key, failed_at) VALUES ('prove_balance', 'statements', $1,
		now() - interval '23 hours')`, failed.Key())
	for _, want := range []int{0, 1} {
		if n, err := proof.Enqueue(t.Context(), d.Store); err != nil || n != want {
			t.Errorf("%d jobs beside a failed one, not %d: %v", n, want, err)
		}
		d.Exec(`UPDATE jobs SET failed_at = failed_at - interval '2 hours'`)
	}
	// A file without a balance turns it, too, however long ago its transaction began.
	d.importFile(finance.BankStatement{}, "<OFX><STMTTRN><DTPOSTED>20260106<TRNAMT>-0.01<FITID>2</STMTTRN></OFX>")
	d.Eventually("the proof agrees", func() bool {
		return d.Count(`SELECT count(*) FROM balance_proofs WHERE status = 'agrees'`) == 1
	})
}

// A file of January and March does not show what moved in February: the initial balance is not all that may
// be wrong.
func TestAFileWithAMonthBetweenItsPeriodsIsNotExplained(t *testing.T) {
	t.Parallel()
	for last, explained := range map[string]bool{"0228": true, "0131": false} {
		d := newImportHarness(t)
		key, _, err := d.files.Put(context.WithoutCancel(t.Context()), 1, strings.NewReader("<OFX>"+
			"<STMTRS><DTSTART>20260101<DTEND>2026"+last+"<STMTTRN><DTPOSTED>20260105<TRNAMT>100.00</STMTTRN></STMTRS>"+
			"<STMTRS><DTSTART>20260301<DTEND>20260331<STMTTRN><DTPOSTED>20260305<TRNAMT>10.00</STMTTRN>"+
			"<LEDGERBAL><BALAMT>130.00<DTASOF>20260331</LEDGERBAL></STMTRS></OFX>"))
		if err != nil {
			t.Fatal(err)
		}
		status, output := d.upload(key)
		if status != finance.ImportSuccess || !strings.Contains(output, "01/01/2026 a 31/03/2026") ||
			!strings.Contains(output, "diferença de 20,00") ||
			strings.Contains(output, "saldo inicial") != explained {
			t.Errorf("to %s, %s: %s", last, status, output)
		}
	}
}
