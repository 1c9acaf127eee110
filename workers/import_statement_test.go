package workers

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/blobs"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// importHarness is a harness whose worker imports statements into one deposit account.
type importHarness struct {
	*harness
	into  finance.DepositAccount
	files *blobs.Store
}

func newImportHarness(t *testing.T, adjust ...func(*Config)) *importHarness {
	t.Helper()
	h := newHarness(t)
	h.queue = jobs.ImportStatementKind.Queue
	files, err := blobs.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	e := importStatement{store: h.store, files: files, zone: time.UTC, now: time.Now, imported: func(string, int64) {}}.entry()
	e.Kind.Attempts, e.Kind.Delay = 3, func(int) time.Duration { return 0 }
	h.start(func(c *Config) {
		for _, change := range adjust {
			change(c)
		}
	}, e)
	return &importHarness{h, storagetest.NewDepositAccount(t, h.store, storagetest.NewTenant(t, h.store).Scope), files}
}

// enqueue stores a statement of a deposit account and its job.
func (d *importHarness) enqueue(into finance.DepositAccount, key string) {
	d.t.Helper()
	ctx := d.t.Context()
	err := d.store.InTx(ctx, func(tx *storage.Tx) error {
		b := finance.BankStatement{AccountID: into.AccountID, DepositAccountID: into.ID, FileKey: key, FileFileName: "a.ofx", FileContentType: "a/b", FileFileSize: 1}
		if err := tx.InsertBankStatement(ctx, &b); err != nil {
			return err
		}
		return tx.Enqueue(ctx, b.AccountID, jobs.ImportStatement{AccountID: b.AccountID, BankStatementID: b.ID, DepositAccountID: b.DepositAccountID})
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// upload stores a statement and its job, and waits until the import has ended.
func (d *importHarness) upload(key string) (status, output string) {
	d.t.Helper()
	d.enqueue(d.into, key)
	d.eventually("the end of the import", func() bool {
		return d.count(`SELECT count(*) FROM bank_statements WHERE event_finished_at IS NOT NULL`) == 1
	})
	if err := d.db.QueryRowContext(d.t.Context(), `SELECT event_status, event_output FROM bank_statements`).Scan(&status, &output); err != nil {
		d.t.Fatal(err)
	}
	return status, output
}

// A permanent fault of ours ends the import, so that no client waits for ever.
func TestAnImportWhoseFileIsLostIsGivenUp(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	if status, output := d.upload("no/such"); status != finance.ImportError || !strings.Contains(output, "erro do servidor") {
		t.Errorf("%s: %s", status, output)
	}
	if n := d.count(`SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL AND attempts = 3`); n != 1 {
		t.Error("its job is not given up after its attempts")
	}
}

// A sum of items that exceeds an Amount is an error of the file: retries would not help.
func TestAFileWhoseSumIsTooLargeIsRefused(t *testing.T) {
	t.Parallel()
	for _, items := range []int{9300, 12_000} { // the sum exceeds an Amount; the second also exceeds an Amount's text
		t.Run(fmt.Sprint(items), func(t *testing.T) {
			t.Parallel()
			d := newImportHarness(t)
			key, _, err := d.files.Put(context.WithoutCancel(t.Context()), strings.NewReader("<OFX>"+
				strings.Repeat("<STMTTRN><DTPOSTED>20260102<TRNAMT>9999999999999.99</STMTTRN>", items)))
			if err != nil {
				t.Fatal(err)
			}
			if status, output := d.upload(key); status != finance.ImportError || !strings.Contains(output, "limite") {
				t.Errorf("%s: %s", status, output)
			}
			if n := d.count(`SELECT (SELECT count(*) FROM jobs) + (SELECT count(*) FROM financial_transactions)`); n != 0 {
				t.Errorf("%d jobs and transactions are left", n)
			}
		})
	}
}

// The file's balance of an account without items is stored.
func TestAnAccountWithoutMovementIsImported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ said, status, output string }{
		"its balance":                   {"<LEDGERBAL><BALAMT>43.01<DTASOF>20260131</LEDGERBAL>", finance.ImportSuccess, "Itens ignorados: 1 de outra conta."},
		"its period":                    {"<BANKTRANLIST><DTSTART>20260101<DTEND>20260131</BANKTRANLIST>", finance.ImportSuccess, "01/01/2026 a 31/01/2026"},
		"nothing, but that it is there": {"", finance.ImportError, "não tem itens da conta 12-3, e sim de: 9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newImportHarness(t)
			if _, err := d.db.ExecContext(t.Context(), `UPDATE deposit_accounts SET account_number = '12-3'`); err != nil {
				t.Fatal(err)
			}
			key, _, err := d.files.Put(context.WithoutCancel(t.Context()), strings.NewReader("<OFX><STMTRS><BANKACCTFROM><ACCTID>00123</BANKACCTFROM>"+c.said+
				"</STMTRS><STMTRS><BANKACCTFROM><ACCTID>9</BANKACCTFROM><STMTTRN><DTPOSTED>20260102<TRNAMT>1</STMTTRN></STMTRS></OFX>"))
			if err != nil {
				t.Fatal(err)
			}
			if status, output := d.upload(key); status != c.status || !strings.Contains(output, c.output) {
				t.Errorf("%s: %s", status, output)
			}
			if n := d.count(`SELECT count(*) FROM financial_transactions`); n != 0 {
				t.Errorf("%d transactions", n)
			}
		})
	}
}

// A file in another currency is imported, and its output warns of that.
func TestAStatementInAnotherCurrencyIsReported(t *testing.T) {
	t.Parallel()
	const warning = "O arquivo diz que os valores estão em USD, e a conta é em BRL: entraram sem conversão."
	for code, warned := range map[string]bool{"USD": true, "BRL": false, "XXX": false, "": false} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			d := newImportHarness(t)
			key, _, err := d.files.Put(context.WithoutCancel(t.Context()), strings.NewReader("<OFX><STMTRS><CURDEF>"+code+
				"<BANKACCTFROM><ACCTID>9</BANKACCTFROM><STMTTRN><DTPOSTED>20260102<TRNAMT>1</STMTTRN></STMTRS></OFX>"))
			if err != nil {
				t.Fatal(err)
			}
			if status, output := d.upload(key); status != finance.ImportSuccess || strings.Contains(output, warning) != warned {
				t.Errorf("%s: %s", status, output)
			}
		})
	}
}
