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
	"bordero/workers/runtime"
	"bordero/workers/runtime/runtimetest"

	"github.com/hibiken/asynq"
)

// importHarness is a harness whose worker imports statements into one deposit account, and proves its
// balance.
type importHarness struct {
	*runtimetest.Harness
	into  finance.DepositAccount
	files *blobs.Store
}

func newImportHarness(t *testing.T, adjust ...func(*runtime.Config)) *importHarness {
	t.Helper()
	h := runtimetest.New(t, jobs.ImportStatementKind.Queue)
	files, err := blobs.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	e := importStatement{store: h.Store, files: files, zone: time.UTC, now: time.Now, imported: func(string, int64) {}, changes: func(_, _ *finance.BankStatement) string { return "" }}.handler()
	e.Kind.Attempts, e.Kind.Delay = 3, func(int) time.Duration { return 0 }
	h.Start(func(c *runtime.Config) {
		for _, change := range adjust {
			change(c)
		}
	}, e, proveBalance{h.Store}.handler())
	return &importHarness{h, storagetest.NewDepositAccount(t, h.Store, storagetest.NewTenant(t, h.Store).Scope), files}
}

// enqueue stores a statement of a deposit account and its job.
func (d *importHarness) enqueue(into finance.DepositAccount, key string) {
	d.T.Helper()
	ctx := d.T.Context()
	err := d.Store.InTx(ctx, func(tx *storage.Tx) error {
		b := finance.BankStatement{AccountID: into.AccountID, DepositAccountID: into.ID, FileKey: key, FileFileName: "a.ofx", FileContentType: "a/b", FileFileSize: 1}
		if err := tx.InsertBankStatement(ctx, &b); err != nil {
			return err
		}
		return tx.Enqueue(ctx, b.AccountID, jobs.ImportStatement{AccountID: b.AccountID, BankStatementID: b.ID, DepositAccountID: b.DepositAccountID})
	})
	if err != nil {
		d.T.Fatal(err)
	}
}

// upload stores a statement and its job, and waits until the import has ended.
func (d *importHarness) upload(key string) (status, output string) {
	d.T.Helper()
	d.enqueue(d.into, key)
	d.Eventually("the end of the import", func() bool {
		return d.Count(`SELECT count(*) FROM bank_statements WHERE event_finished_at IS NOT NULL`) == 1
	})
	if err := d.DB.QueryRowContext(d.T.Context(), `SELECT event_status, event_output FROM bank_statements`).Scan(&status, &output); err != nil {
		d.T.Fatal(err)
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
	if n := d.Count(`SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL AND attempts = 3`); n != 1 {
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
			key, _, err := d.files.Put(context.WithoutCancel(t.Context()), 1, strings.NewReader("<OFX>"+
				strings.Repeat("<STMTTRN><DTPOSTED>20260102<TRNAMT>9999999999999.99</STMTTRN>", items)+"</OFX>"))
			if err != nil {
				t.Fatal(err)
			}
			if status, output := d.upload(key); status != finance.ImportError || !strings.Contains(output, "limite") {
				t.Errorf("%s: %s", status, output)
			}
			if n := d.Count(`SELECT (SELECT count(*) FROM jobs) + (SELECT count(*) FROM financial_transactions)`); n != 0 {
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
			if _, err := d.DB.ExecContext(t.Context(), `UPDATE deposit_accounts SET account_number = '12-3'`); err != nil {
				t.Fatal(err)
			}
			key, _, err := d.files.Put(context.WithoutCancel(t.Context()), 1, strings.NewReader("<OFX><STMTRS><BANKACCTFROM><ACCTID>00123</BANKACCTFROM>"+c.said+
				"</STMTRS><STMTRS><BANKACCTFROM><ACCTID>9</BANKACCTFROM><STMTTRN><DTPOSTED>20260102<TRNAMT>1</STMTTRN></STMTRS></OFX>"))
			if err != nil {
				t.Fatal(err)
			}
			if status, output := d.upload(key); status != c.status || !strings.Contains(output, c.output) {
				t.Errorf("%s: %s", status, output)
			}
			if n := d.Count(`SELECT count(*) FROM financial_transactions`); n != 0 {
				t.Errorf("%d transactions", n)
			}
		})
	}
}

// A file in another currency is imported, and its output warns of that.
func TestAStatementInAnotherCurrencyIsReported(t *testing.T) {
	t.Parallel()
	const warning = "O arquivo diz que os valores estão em USD, e a conta é em BRL: entram sem conversão."
	for code, warned := range map[string]bool{"USD": true, "BRL": false, "XXX": false, "": false} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			d := newImportHarness(t)
			key, _, err := d.files.Put(context.WithoutCancel(t.Context()), 1, strings.NewReader("<OFX><STMTRS><CURDEF>"+code+
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

// Ten files wait at one deposit account whose first import does not end. They occupy one
// place in all and no further connection, and a tiny file of another tenant is imported
// meanwhile.
func TestWaitingImportsOccupyNothing(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t, func(c *runtime.Config) { c.Concurrency = 2 })
	tenant := storagetest.NewTenant(t, d.Store)
	other := storagetest.NewDepositAccount(t, d.Store, tenant.Scope)
	tiny := func() string {
		key, _, err := d.files.Put(context.WithoutCancel(t.Context()), 1, strings.NewReader("<OFX><STMTTRN><DTPOSTED>20260102<TRNAMT>1</STMTTRN></OFX>"))
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	turn, err := d.DB.BeginTx(t.Context(), nil) // locks the deposit account's turn, as UndoImport does
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = turn.Rollback() }()
	if _, err := turn.ExecContext(t.Context(), `SELECT pg_advisory_xact_lock(hashtextextended('import:' || $1::bigint, 0))`, d.into.ID); err != nil {
		t.Fatal(err)
	}
	waiting := func() int {
		return d.Count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`)
	}
	for range 10 {
		d.enqueue(d.into, tiny())
	}
	d.Eventually("the first import", func() bool { return waiting() > 0 })
	d.enqueue(other, tiny())
	ended := func(into finance.DepositAccount) int {
		return d.Count(`SELECT count(*) FROM bank_statements WHERE deposit_account_id = $1 AND event_status = 'success'`, into.ID)
	}
	d.Eventually("the tiny import", func() bool { return ended(other) == 1 })
	d.Eventually("the tasks that wait", func() bool {
		return len(d.Tasks(asynq.TaskStatePending)) == 0 && len(d.Tasks(asynq.TaskStateActive)) == 1
	})
	if n := waiting(); n != 1 {
		t.Errorf("%d connections wait for the turn", n)
	}
	if n := d.Store.PoolStats().InUse; n != 1 {
		t.Errorf("%d connections are in use", n)
	}
	if err := turn.Rollback(); err != nil {
		t.Fatal(err)
	}
	d.Eventually("the others", func() bool { return ended(d.into) == 10 }) // each begins when the one before it ends
}

// A file of another account than the first one's is imported with a warning.
func TestAFileOfAnotherAccountIsReported(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	for n, c := range []struct{ number, output string }{
		{"12345-6", ""}, {"0123456", ""}, {"99-9", "O arquivo é da conta 99-9, e o primeiro extrato desta conta bancária é da conta 12345-6"},
	} {
		key, _, err := d.files.Put(t.Context(), 1, strings.NewReader(fmt.Sprintf(
			"<OFX><STMTRS><BANKACCTFROM><ACCTID>%s</BANKACCTFROM><BANKTRANLIST><STMTTRN><DTPOSTED>2026010%d<TRNAMT>1</STMTTRN></BANKTRANLIST></STMTRS></OFX>", c.number, n+1)))
		if err != nil {
			t.Fatal(err)
		}
		d.enqueue(d.into, key)
		d.Eventually("the end of the import", func() bool {
			return d.Count(`SELECT count(*) FROM bank_statements WHERE event_status = 'success'`) == n+1
		})
		var output string
		if err := d.DB.QueryRowContext(t.Context(), `SELECT event_output FROM bank_statements ORDER BY id DESC LIMIT 1`).Scan(&output); err != nil {
			t.Fatal(err)
		}
		if c.output == "" && strings.Contains(output, "O arquivo é da conta") || !strings.Contains(output, c.output) {
			t.Errorf("the file of %s: %s", c.number, output)
		}
	}
}
