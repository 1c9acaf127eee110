package workers

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/proof"
)

// file uploads a file, and waits until its import has ended.
func (d *importHarness) file(content string) (b finance.BankStatement) {
	d.T.Helper()
	ctx := d.T.Context()
	key, size, err := d.files.Put(ctx, d.into.AccountID, strings.NewReader(content))
	if err != nil {
		d.T.Fatal(err)
	}
	b = finance.BankStatement{
		AccountID: d.into.AccountID, DepositAccountID: d.into.ID,
		FileKey: key, FileFileName: "a.ofx", FileContentType: "a/b", FileFileSize: size,
	}
	err = d.Store.InTx(ctx, func(tx *storage.Tx) error {
		if err := tx.InsertBankStatement(ctx, &b); err != nil {
			return err
		}
		return tx.Enqueue(ctx, b.AccountID, jobs.ImportStatement{AccountID: b.AccountID, BankStatementID: b.ID,
			DepositAccountID: b.DepositAccountID})
	})
	if err != nil {
		d.T.Fatal(err)
	}
	ended := fmt.Sprintf(`SELECT count(*) FROM bank_statements WHERE event_finished_at IS NOT NULL AND id = %d`, b.ID)
	d.Eventually("the end of the import", func() bool { return d.Count(ended) == 1 })
	s, err := d.Store.StatementForImport(ctx, b.AccountID, b.ID)
	if err != nil || s.BankStatement.EventStatus != finance.ImportSuccess {
		d.T.Fatalf("%s: %s, %v", s.BankStatement.EventStatus, *s.BankStatement.EventOutput, err)
	}
	return s.BankStatement
}

func readCase(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile("../testdata/cases/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// The second invoice has the next instalment, of the same day and amount. A release that knew no such mark
// took it for the first one, so its file brings it after the upgrade.
func TestTheSecondInvoiceHasTheNextInstalment(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"n-barra-m", "parcela-01-de-06"} {
		for _, upgraded := range []bool{false, true} {
			d := newImportHarness(t)
			for n, want := range []int64{2, 2, 0, 0} {
				if n == 1 && upgraded {
					d.Exec(`UPDATE imported_items SET card = NULL, mark = ''`)
				}
				b := d.file(readCase(t, fmt.Sprintf("05-parcela-n-de-m/%s-fatura%d.ofx", shape, n%2+1)))
				if b.ImportedItemsCount != want {
					t.Errorf("%s, upgraded %v: file %d brought %d", shape, upgraded, n, b.ImportedItemsCount)
				}
			}
		}
	}
}

// The bank moved a booking from Friday to Monday: the files bring it twice, and the proof names both.
func TestABookingThatMovedIsNamedByTheProof(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	d.file(readCase(t, "07-redated-booking/friday.ofx"))
	d.Exec(`UPDATE deposit_accounts SET initial_balance = 1000`)
	monday := d.file(readCase(t, "07-redated-booking/monday.ofx"))
	if monday.ImportedItemsCount != 2 {
		t.Errorf("Monday brought %d", monday.ImportedItemsCount)
	}
	scope := storage.Scope{AccountID: d.into.AccountID, EntityID: d.into.EntityID}
	b, err := proof.Statement(t.Context(), d.Store, scope, d.into.ID, monday.ID)
	if err != nil {
		t.Fatal(err)
	}
	if e := b.Proof.Explanations; len(e) != 1 || e[0].Kind != finance.MovedItems || e[0].Amount != 120_00 ||
		len(e[0].TransactionIDs) != 2 || len(e[0].Items) != 1 {
		t.Fatalf("%s by %v: %+v", b.Proof.Status, *b.Proof.Difference, e)
	}
	for _, id := range b.Proof.Explanations[0].TransactionIDs[:1] {
		err = d.Store.InTx(t.Context(), func(tx *storage.Tx) error {
			held, err := tx.LockFinancialTransactionForDelete(t.Context(), scope, d.into.ID, id)
			if err != nil {
				return err
			}
			return tx.DeleteFinancialTransaction(t.Context(), held)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if b, err = proof.Statement(t.Context(), d.Store, scope, d.into.ID, monday.ID); err != nil ||
		b.Proof.Status != finance.ProofAgrees {
		t.Errorf("after the deletion: %+v, %v", b.Proof, err)
	}
}

// A file without identifiers is known byte by byte, on whatever days an earlier release read its items. Another file of
// the same size is not.
func TestTheFileOfAnEarlierReleaseIsKnown(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	const file = "!Type:Bank\nD12/08/2026\nT-10.00\nPPADARIA\n^\nD15/08/2026\nT-20.00\nPTARIFA\n^\n"
	d.file(file)
	d.Exec(`UPDATE imported_items SET card = NULL, day = day - 5000 + number, amount = -amount WHERE number = 1`)
	if b := d.file(file); b.ImportedItemsCount != 0 || b.DuplicateItemsIgnoredCount != 2 {
		t.Errorf("the same file brought %d, and %d were known", b.ImportedItemsCount, b.DuplicateItemsIgnoredCount)
	}
	if b := d.file(strings.Replace(file, "PADARIA", "PAOARIA", 1)); b.ImportedItemsCount != 1 ||
		b.DuplicateItemsIgnoredCount != 1 {
		t.Errorf("another file brought %d, and %d were known", b.ImportedItemsCount, b.DuplicateItemsIgnoredCount)
	}
}
