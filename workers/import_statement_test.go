package workers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
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
	dir   string // of the files
}

func newImportHarness(t *testing.T, adjust ...func(*runtime.Config)) *importHarness {
	t.Helper()
	h := runtimetest.New(t, jobs.ImportStatementKind.Queue)
	dir := t.TempDir()
	files, err := blobs.Open(t.Context(), "file://"+dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	files.BelongTo(h.Client.Installation)
	if err := os.CopyFS(dir, fstest.MapFS{markOf(t, h): {}}); err != nil {
		t.Fatal(err)
	}
	zone := time.FixedZone("BRT", -3*60*60)
	e := importStatement{store: h.Store, files: files, zone: zone, now: time.Now, imported: func(string, int64) {},
		changes: func(_, _ *finance.BankStatement) string { return "" }}.handler()
	e.Kind.Attempts, e.Kind.Delay = 3, func(int) time.Duration { return 0 }
	h.Start(func(c *runtime.Config) {
		for _, change := range adjust {
			change(c)
		}
	}, e, proveBalance{h.Store}.handler(), readPayments{h.Store, 3}.handler())
	return &importHarness{h, storagetest.NewDepositAccount(t, h.Store, storagetest.NewTenant(t, h.Store).Scope), files,
		dir}
}

// another returns the harness with the deposit account of another tenant: cases of one table share the database
// and the worker.
func (d *importHarness) another(t *testing.T) *importHarness {
	t.Helper()
	h, other := *d.Harness, *d
	h.T, other.Harness = t, &h
	other.into = storagetest.NewDepositAccount(t, h.Store, storagetest.NewTenant(t, h.Store).Scope)
	return &other
}

// markOf returns the name of the file that marks the files as the installation's.
func markOf(t *testing.T, h *runtimetest.Harness) string {
	t.Helper()
	id, err := h.Client.Installation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return "installation/" + id
}

// A worker on another machine, with a directory of its own, must not use up the attempts of imports.
func TestAnImportWaitsForTheFilesOfTheInstallation(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	if err := os.Remove(filepath.Join(d.dir, markOf(t, d.Harness))); err != nil {
		t.Fatal(err)
	}
	d.enqueue(d.into, finance.BankStatement{FileKey: "ab/cd"})
	d.Eventually("it waits", func() bool {
		return d.Count(`SELECT count(*) FROM jobs WHERE attempts = 0 AND claims > 0 AND leased_until IS NULL
			AND due_at > now()`) == 1
	})
	if n := d.Count(`SELECT count(*) FROM bank_statements WHERE event_status = 'queued'`); n != 1 {
		t.Errorf("%d statements are queued", n)
	}
	if said := d.Log.String(); !strings.Contains(said, "import waits for its file") ||
		!strings.Contains(said, "share the directory") {
		t.Error(said)
	}
}

// enqueue stores a statement of a deposit account as b is, and its job, and returns its id.
func (d *importHarness) enqueue(into finance.DepositAccount, b finance.BankStatement) (id int64) {
	d.T.Helper()
	ctx := d.T.Context()
	b.AccountID, b.DepositAccountID, b.FileFileName, b.FileContentType, b.FileFileSize = into.AccountID, into.ID,
		"a.ofx", "a/b", 1
	err := d.Store.InTx(ctx, func(tx *storage.Tx) error {
		if err := tx.InsertBankStatement(ctx, &b); err != nil {
			return err
		}
		return tx.Enqueue(ctx, b.AccountID, jobs.ImportStatement{AccountID: b.AccountID, BankStatementID: b.ID,
			DepositAccountID: b.DepositAccountID})
	})
	if err != nil {
		d.T.Fatal(err)
	}
	return b.ID
}

// upload stores a statement and its job, and waits until the import has ended.
func (d *importHarness) upload(key string) (status, output string) {
	d.T.Helper()
	d.enqueue(d.into, finance.BankStatement{FileKey: key})
	d.Eventually("the end of the import", func() bool {
		return d.Count(`SELECT count(*) FROM bank_statements WHERE event_finished_at IS NOT NULL`) == 1
	})
	if err := d.DB.QueryRowContext(d.T.Context(), `SELECT event_status, event_output FROM bank_statements`).Scan(
		&status, &output); err != nil {
		d.T.Fatal(err)
	}
	return status, output
}

// A permanent fault of ours ends the import, so that no client waits for ever.
func TestAnImportWhoseFileIsLostIsGivenUp(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	if status, output := d.upload("no/such"); status != finance.ImportError ||
		!strings.Contains(output, "erro do servidor") {
		t.Errorf("%s: %s", status, output)
	}
	if n := d.Count(`SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL AND attempts = 3`); n != 1 {
		t.Error("its job is not given up after its attempts")
	}
	// Its job was due for the last time when the attempt before failed.
	if n := d.Count(`SELECT count(*) FROM bank_statements, jobs
		WHERE event_started_at BETWEEN due_at AND event_finished_at`); n != 1 {
		t.Error("its start is not that of its last attempt")
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
			if status, output := d.upload(key); status != finance.ImportError ||
				output != "O arquivo levaria o saldo da conta além do limite. Nenhuma transação foi importada." {
				t.Errorf("%s: %s", status, output)
			}
			if n := d.Count(
				`SELECT (SELECT count(*) FROM jobs) + (SELECT count(*) FROM financial_transactions)`); n != 0 {
				t.Errorf("%d jobs and transactions are left", n)
			}
		})
	}
}

// The file's balance of an account without items is stored.
func TestAnAccountWithoutMovementIsImported(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ said, status, output string }{
		"its balance": {"<LEDGERBAL><BALAMT>43.01<DTASOF>20260131</LEDGERBAL>", finance.ImportSuccess,
			"Itens ignorados: 1 de outra conta."},
		"its period": {"<BANKTRANLIST><DTSTART>20260101<DTEND>20260131</BANKTRANLIST>",
			finance.ImportSuccess, "01/01/2026 a 31/01/2026"},
		"nothing, but that it is there": {"", finance.ImportError, "não tem itens da conta 12-3, e sim de: 9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newImportHarness(t)
			if _, err := d.DB.ExecContext(t.Context(),
				`UPDATE deposit_accounts SET account_number = '12-3'`); err != nil {
				t.Fatal(err)
			}
			key, _, err := d.files.Put(context.WithoutCancel(t.Context()), 1,
				strings.NewReader("<OFX><STMTRS><BANKACCTFROM><ACCTID>00123</BANKACCTFROM>"+c.said+
					"</STMTRS><STMTRS><BANKACCTFROM><ACCTID>9</BANKACCTFROM><STMTTRN><DTPOSTED>20260102<TRNAMT>1</"+
					"STMTTRN></STMTRS></OFX>"))
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

// A file in another currency is refused, and nothing of it is kept, unless the client accepts it. Only what would be
// imported counts.
func TestAStatementInAnotherCurrencyIsRefused(t *testing.T) {
	t.Parallel()
	const sentence = "O arquivo tem valores em USD, e a conta bancária é em BRL: eles não são convertidos."
	const item, inDollars = "<STMTTRN><DTPOSTED>20260102<TRNAMT>1</STMTTRN>",
		"<STMTTRN><DTPOSTED>20260103<TRNAMT>2<CURRENCY><CURSYM>USD</CURRENCY></STMTTRN>"
	of := func(currency, number, items string) string {
		return "<STMTRS>" + currency + "<BANKACCTFROM><ACCTID>" + number + "</BANKACCTFROM>" + items + "</STMTRS>"
	}
	all := newImportHarness(t)
	for name, c := range map[string]struct {
		file   string
		number string // of the deposit account
		count  int64  // of the warning; 0 for none
	}{
		"the statement":          {of("<CURDEF>USD", "9", item+item), "", 2},
		"the statement in small": {of("<curdef>usd</curdef>", "9", item), "", 1},
		"one item":               {of("<CURDEF>BRL", "9", item+inDollars), "", 1},
		"the file of case 08":    {caseFile(t, "08-item-currency/curdef-usd.ofx"), "", 1},
		"an item of case 08":     {caseFile(t, "08-item-currency/item-currency-usd.ofx"), "", 1},
		"its own currency":       {of("<CURDEF>BRL", "9", item), "", 0},
		"an unknown code":        {of("<CURDEF>XXX", "9", item), "", 0},
		"no code":                {of("", "9", item), "", 0},
		"for information": {of("<CURDEF>BRL", "9", strings.ReplaceAll(inDollars, "CURRENCY", "ORIGCURRENCY")),
			"", 0},
		"an item without a day": {of("<CURDEF>BRL", "9", item+strings.Replace(inDollars, "20260103", "", 1)), "", 0},
		"an item of the future": {of("<CURDEF>BRL", "9", item+strings.Replace(inDollars, "20260103", "20300103", 1)),
			"", 0},
		"another account's":        {of("<CURDEF>BRL", "9", item) + of("<CURDEF>USD", "8", inDollars), "9", 0},
		"its account of several":   {of("<CURDEF>BRL", "8", item) + of("<CURDEF>USD", "9", item), "9", 1},
		"an item of one of two":    {of("<CURDEF>BRL", "8", item) + of("<CURDEF>BRL", "9", inDollars), "9", 1},
		"two statements of one":    {of("<CURDEF>BRL", "9", item) + of("<CURDEF>USD", "9", item), "9", 1},
		"both kinds of an account": {of("<CURDEF>USD", "9", inDollars+item), "9", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := all.another(t)
			d.number(c.number)
			if !strings.Contains(c.file, "OFX>") {
				c.file = "<OFX>" + c.file + "</OFX>"
			}
			var want finance.StatementWarnings
			if c.count > 0 {
				want = finance.StatementWarnings{{Code: finance.WarnOtherCurrency, Message: sentence, Count: c.count}}
				d.is(d.importFile(finance.BankStatement{}, c.file), finance.ImportError, want,
					sentence+" Nenhuma transação foi importada. "+
						"Se o arquivo é mesmo desta conta bancária, envie-o de novo com bank_statement[accept][]: "+
						"other_currency.")
				d.is(d.importFile(finance.BankStatement{Accept: finance.Texts{finance.WarnOtherAccount}}, c.file),
					finance.ImportError, want, sentence)
				if n := d.Count(`SELECT (SELECT count(*) FROM financial_transactions WHERE account_id = $1)
					+ (SELECT count(*) FROM imported_items WHERE account_id = $1)
					+ (SELECT count(*) FROM ignored_items WHERE account_id = $1)`, d.into.AccountID); n != 0 {
					t.Errorf("%d rows of refused files are kept", n)
				}
				previewed := d.importFile(finance.BankStatement{Preview: true}, c.file)
				d.is(previewed, finance.ImportPreviewed, want,
					sentence+" Para importar assim mesmo, confirme a prévia com accept: other_currency.")
			}
			b := d.importFile(finance.BankStatement{Accept: finance.Texts{finance.WarnOtherCurrency}}, c.file)
			d.is(b, finance.ImportSuccess, want, "importada")
			if n := d.Count(`SELECT count(*) FROM financial_transactions WHERE deposit_account_id = $1`,
				d.into.ID); int64(n) != b.ImportedItemsCount || n == 0 {
				t.Errorf("%d transactions of %d items", n, b.ImportedItemsCount)
			}
		})
	}
}

// caseFile returns an input of testdata/cases.
func caseFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// number sets the account number of the deposit account; "" for none.
func (d *importHarness) number(number string) {
	d.T.Helper()
	d.Exec(`UPDATE deposit_accounts SET account_number = nullif($1, '') WHERE id = $2`, number, d.into.ID)
}

// importFile stores a statement with the file as b is, waits for the end of its import or preview, and
// returns it.
func (d *importHarness) importFile(b finance.BankStatement, file string) *finance.BankStatement {
	d.T.Helper()
	key, _, err := d.files.Put(context.WithoutCancel(d.T.Context()), 1, strings.NewReader(file))
	if err != nil {
		d.T.Fatal(err)
	}
	b.FileKey = key
	id := d.enqueue(d.into, b)
	var ended *finance.BankStatement
	d.Eventually("the end of the import", func() bool {
		ended, err = d.Store.BankStatement(d.T.Context(), storage.Scope{AccountID: d.into.AccountID,
			EntityID: d.into.EntityID}, d.into.ID, id)
		return err != nil || ended.EventFinishedAt != nil
	})
	if err != nil {
		d.T.Fatal(err)
	}
	return ended
}

// is compares the result of an import with its status, its warnings and a part of its output.
func (d *importHarness) is(b *finance.BankStatement, status string, warnings finance.StatementWarnings, output string) {
	d.T.Helper()
	if b.EventStatus != status || !slices.Equal(b.EventWarnings, warnings) ||
		!strings.Contains(*b.EventOutput, output) {
		d.T.Errorf("%s: %s, with %+v", b.EventStatus, *b.EventOutput, b.EventWarnings)
	}
	if b.EventStartedAt == nil || b.EventStartedAt.After(*b.EventFinishedAt) {
		d.T.Errorf("started at %v, finished at %v", b.EventStartedAt, b.EventFinishedAt)
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
		key, _, err := d.files.Put(context.WithoutCancel(t.Context()), 1,
			strings.NewReader("<OFX><STMTTRN><DTPOSTED>20260102<TRNAMT>1</STMTTRN></OFX>"))
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
	if _, err := turn.ExecContext(t.Context(), `SELECT pg_advisory_xact_lock(hashtextextended('import:' || $1::bigint,
		0))`, d.into.ID); err != nil {
		t.Fatal(err)
	}
	waiting := func() int {
		return d.Count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
			AND wait_event = 'advisory'`)
	}
	for range 10 {
		d.enqueue(d.into, finance.BankStatement{FileKey: tiny()})
	}
	d.Eventually("the first import", func() bool { return waiting() > 0 })
	d.enqueue(other, finance.BankStatement{FileKey: tiny()})
	ended := func(into finance.DepositAccount) int {
		return d.Count(
			`SELECT count(*) FROM bank_statements WHERE deposit_account_id = $1 AND event_status = 'success'`, into.ID)
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

// A file of another account than the first one's is refused until somebody accepts its number, and again when that
// statement is gone.
func TestAFileOfAnotherAccountIsRefused(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	day := 0
	send := func(number string, b finance.BankStatement) *finance.BankStatement {
		t.Helper()
		day++
		return d.importFile(b, fmt.Sprintf("<OFX><STMTRS><BANKACCTFROM><ACCTID>%s</BANKACCTFROM><BANKTRANLIST>"+
			"<STMTTRN><DTPOSTED>202601%02d<TRNAMT>1</STMTTRN><STMTTRN><DTPOSTED>202601%02d<TRNAMT>2</STMTTRN></"+
			"BANKTRANLIST></STMTRS></OFX>", number, day, day))
	}
	const sentence = "O arquivo é da conta 99-9, e o primeiro extrato desta conta bancária é da conta 12345-6."
	warned := finance.StatementWarnings{{Code: finance.WarnOtherAccount, Message: sentence, Count: 2}}
	transactions := func(want int) {
		t.Helper()
		if n := d.Count(`SELECT count(*) FROM financial_transactions`); n != want {
			t.Errorf("%d transactions, want %d", n, want)
		}
	}
	accepts := finance.BankStatement{Accept: finance.Texts{finance.WarnOtherAccount, finance.WarnOtherCurrency}}

	// is not imported
	d.is(send("99-9", finance.BankStatement{Preview: true}), finance.ImportPreviewed, nil, "2 transações")
	d.is(send("12345-6", finance.BankStatement{}), finance.ImportSuccess, nil, "2 transações")
	d.is(send("0123456", finance.BankStatement{}), finance.ImportSuccess, nil, "2 transações")
	d.is(send("", finance.BankStatement{}), finance.ImportSuccess, nil, "2 transações")
	transactions(6)
	refused := sentence + " Nenhuma transação foi importada. Se o arquivo é mesmo desta conta bancária, envie-o de " +
		"novo com bank_statement[accept][]: other_account."
	d.is(send("99-9", finance.BankStatement{}), finance.ImportError, warned, refused)
	d.is(send("99-9", finance.BankStatement{Accept: finance.Texts{finance.WarnOtherCurrency}}), finance.ImportError,
		warned, refused)
	d.is(send("99-9", finance.BankStatement{Preview: true}), finance.ImportPreviewed, warned,
		sentence+" Para importar assim mesmo, confirme a prévia com accept: other_account.")
	previewed := send("99-9", finance.BankStatement{Preview: true, Accept: accepts.Accept})
	d.is(previewed, finance.ImportPreviewed, warned, sentence)
	if strings.Contains(*previewed.EventOutput, "confirme") {
		t.Errorf("an accepted preview: %s", *previewed.EventOutput)
	}
	transactions(6)

	first := send("99-9", accepts)
	d.is(first, finance.ImportSuccess, warned, sentence)
	d.is(send("999", finance.BankStatement{}), finance.ImportSuccess, nil, "2 transações")
	d.is(send("99-9", finance.BankStatement{Preview: true}), finance.ImportPreviewed, nil, "2 transações")
	d.is(send("7", finance.BankStatement{}), finance.ImportError, finance.StatementWarnings{{
		Code:    finance.WarnOtherAccount,
		Message: "O arquivo é da conta 7, e o primeiro extrato desta conta bancária é da conta 12345-6.", Count: 2,
	}}, "7")
	transactions(10)

	if _, err := d.DB.ExecContext(t.Context(), `UPDATE bank_statements SET deleted_at = now() WHERE id = $1`,
		first.ID); err != nil {
		t.Fatal(err)
	}
	// Of the number 999 a file was imported, as earlier releases did without anybody's consent.
	d.is(send("99-9", finance.BankStatement{}), finance.ImportSuccess, warned, sentence)
	d.number("12345-6")
	d.is(send("99-9", accepts), finance.ImportError, nil, "O arquivo não tem itens da conta 12345-6, e sim de: 99-9.")
	d.number("99-9")
	d.is(send("99-9", finance.BankStatement{}), finance.ImportSuccess, nil, "2 transações")
	transactions(14)
}

// Files of two accounts come at once into a deposit account without statements: those of one are refused.
func TestOneOfTwoAccountsIsTheFirst(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	for n := range 8 {
		key, _, err := d.files.Put(t.Context(), 1, strings.NewReader(fmt.Sprintf(
			"<OFX><STMTRS><BANKACCTFROM><ACCTID>%d</BANKACCTFROM><BANKTRANLIST><STMTTRN><DTPOSTED>20260102<TRNAMT>"+
				"%d</STMTTRN></BANKTRANLIST></STMTRS></OFX>", n%2+1, n+1)))
		if err != nil {
			t.Fatal(err)
		}
		d.enqueue(d.into, finance.BankStatement{FileKey: key})
	}
	d.Eventually("the end of the imports", func() bool {
		return d.Count(`SELECT count(*) FROM bank_statements WHERE event_finished_at IS NOT NULL`) == 8
	})
	if n := d.Count(
		`SELECT count(DISTINCT file_account_number) FROM bank_statements WHERE event_status = 'success'`); n != 1 {
		t.Errorf("%d accounts were imported", n)
	}
	if n := d.Count(`SELECT count(*) FROM financial_transactions`); n != 4 {
		t.Errorf("%d transactions", n)
	}
}

// Known items with new texts are named, and counted also where they are not named.
func TestDoubtfulDuplicatesAreWarnings(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	file := func(text string) string {
		var b strings.Builder
		for n := range 120 {
			fmt.Fprintf(&b, "<STMTTRN><DTPOSTED>20260102<TRNAMT>%d<FITID>%s%d<MEMO>%s</STMTTRN>", n+1, text, n, text)
		}
		return "<OFX><STMTRS>" + b.String() + "</STMTRS></OFX>"
	}
	d.is(d.importFile(finance.BankStatement{}, file("CAFE")), finance.ImportSuccess, nil, "120 transações")
	for _, preview := range []bool{true, false} {
		b := d.importFile(finance.BankStatement{Preview: preview}, file("OUTRO"))
		if len(b.EventWarnings) != 2 || b.EventWarnings[0].Code != finance.WarnSuspects ||
			b.EventWarnings[0].Count != 120 ||
			b.EventWarnings[1].Code != finance.WarnOtherDescription || b.EventWarnings[1].Count != 120 ||
			!strings.HasSuffix(*b.EventOutput, b.EventWarnings[0].Message+" "+b.EventWarnings[1].Message) ||
			!strings.HasSuffix(*b.EventOutput, " E mais 115.") {
			t.Errorf("%s, %+v", *b.EventOutput, b.EventWarnings)
		}
	}
}
