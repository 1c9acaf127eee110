package workers

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
)

// imports imports files one after the other, and returns the status and the output of the last one.
func (d *importHarness) imports(files ...string) (status, output string) {
	d.T.Helper()
	for n, file := range files {
		key, _, err := d.files.Put(context.WithoutCancel(d.T.Context()), 1, strings.NewReader(file))
		if err != nil {
			d.T.Fatal(err)
		}
		d.enqueue(d.into, finance.BankStatement{FileKey: key})
		d.Eventually("the end of the import", func() bool {
			return d.Count(`SELECT count(*) FROM bank_statements WHERE event_finished_at IS NOT NULL
				AND deposit_account_id = $1`, d.into.ID) == n+1
		})
	}
	if err := d.DB.QueryRowContext(d.T.Context(), `SELECT event_status, event_output FROM bank_statements
		WHERE deposit_account_id = $1 ORDER BY id DESC LIMIT 1`, d.into.ID).Scan(&status, &output); err != nil {
		d.T.Fatal(err)
	}
	return status, output
}

// Items without signs have those of their types, unless the stated balance says otherwise and can say so.
func TestABalanceDecidesAboutSigns(t *testing.T) {
	t.Parallel()
	unsigned := func(balance string) string {
		return strings.Replace(caseFile(t, "03-unsigned-trntype/unsigned.ofx"), "<BALAMT>20.10", "<BALAMT>"+balance, 1)
	}
	october := func(balance string) string {
		return "<OFX><STMTRS><BANKACCTFROM><ACCTID>12345-6</BANKACCTFROM><STMTTRN><DTPOSTED>20261005<TRNAMT>-7.00</" +
			"STMTTRN>" +
			"<STMTTRN><DTPOSTED>20261006<TRNAMT>57.00</STMTTRN><LEDGERBAL><BALAMT>" + balance +
			"<DTASOF>20261031</LEDGERBAL></STMTRS></OFX>"
	}
	const typed, written = 20_10, 179_90
	all := newImportHarness(t)
	for name, c := range map[string]struct {
		initial string
		files   []string
		want    int // the sum of the unsigned items, in cents
	}{
		"a first file": {"NULL", []string{unsigned("20.10")}, typed},
		"a first file, whose balance means nothing": {"NULL", []string{unsigned("179.90")}, typed},
		"a known opening balance":                   {"500", []string{unsigned("679.90")}, written},
		"a known opening balance, types agree":      {"500", []string{unsigned("520.10")}, typed},
		"a known opening balance, nothing agrees":   {"500", []string{unsigned("1.00")}, typed},
		"an earlier balance that agrees":            {"NULL", []string{october("50.00"), unsigned("229.90")}, written},
		"an earlier balance that differs":           {"NULL", []string{october("51.00"), unsigned("229.90")}, typed},
		"the same file again":                       {"500", []string{unsigned("679.90"), unsigned("679.90")}, written},
		"no balance": {
			"500", []string{strings.NewReplacer("<LEDGERBAL>", "<X>", "</LEDGERBAL>", "</X>").Replace(
				unsigned("679.90"))}, typed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := all.another(t)
			d.Exec(`UPDATE deposit_accounts SET initial_balance = `+c.initial+` WHERE id = $1`, d.into.ID)
			if status, output := d.imports(c.files...); status != finance.ImportSuccess {
				t.Fatal(output)
			}
			got := d.Count(`SELECT CAST(100 * sum(amount) AS int) FROM financial_transactions
				WHERE occurred_at >= '2026-11-01' AND deposit_account_id = $1`, d.into.ID)
			if n := d.Count(`SELECT count(*) FROM financial_transactions
				WHERE occurred_at >= '2026-11-01' AND deposit_account_id = $1`, d.into.ID); got != c.want || n != 4 {
				t.Errorf("the sum of %d items is %d, want %d", n, got, c.want)
			}
		})
	}
}

// A number with a branch, or without its check digit, is that of the deposit account, unless the file has two such.
func TestAccountNumbersAreWrittenInManyWays(t *testing.T) {
	t.Parallel()
	several := func(numbers ...string) string {
		file := "<OFX>"
		for n, number := range numbers {
			file += fmt.Sprintf("<STMTRS><BANKACCTFROM><ACCTID>%s</BANKACCTFROM><STMTTRN><DTPOSTED>20261110<TRNAMT>"+
				"%d</STMTTRN></STMTRS>", number, n+1)
		}
		return file + "</OFX>"
	}
	all := newImportHarness(t)
	for name, c := range map[string]struct {
		file string
		sum  int // of the imported items
	}{
		"plain":                 {caseFile(t, "12-acctid-forms/plain.ofx"), -10},
		"with a branch":         {caseFile(t, "12-acctid-forms/branch.ofx"), -10},
		"without a check digit": {caseFile(t, "12-acctid-forms/no-digit.ofx"), -10},
		"exact ones first":      {several("0123/12345-6", "012345-6", "12345"), 2},
		"one of two":            {several("99-9", "0123/12345-6"), 2},
		"two that match":        {several("0123/12345-6", "0456/12345-6"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := all.another(t)
			d.number("12345-6")
			status, output := d.imports(c.file)
			if c.sum == 0 {
				if status != finance.ImportError || !strings.Contains(output, "não tem itens da conta 12345-6") {
					t.Errorf("%s: %s", status, output)
				}
				return
			}
			sum := d.Count(`SELECT CAST(coalesce(sum(amount), 0) AS int) FROM financial_transactions
				WHERE deposit_account_id = $1`, d.into.ID)
			if status != finance.ImportSuccess || sum != c.sum {
				t.Errorf("%s: %s; the sum is %d, want %d", status, output, sum, c.sum)
			}
		})
	}
}

// What is wrong with a whole file is said in one sentence, and nothing of it is kept.
func TestABrokenFileSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	plain := caseFile(t, "03-unsigned-trntype/signed-as-usual.ofx")
	all := newImportHarness(t)
	for name, c := range map[string]struct{ file, want string }{
		"cut between items": {plain[:strings.LastIndex(plain, "<STMTTRN>")],
			"O arquivo termina antes do fim: falta </OFX>, depois de 3 lançamentos. Baixe-o de novo."},
		"no date can be read": {strings.ReplaceAll(plain, "<DTPOSTED>20261110", "<DTPOSTED>ontem"),
			`O arquivo não pôde ser lido: linha 19: a data "ontem" não pôde ser lida, nem outra do arquivo; esperado ` +
				`uma data como 20260302 ou 02/03/2026. Nenhuma transação foi importada.`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := all.another(t)
			if status, output := d.imports(c.file); status != finance.ImportError || output != c.want {
				t.Errorf("%s: %s, want %s", status, output, c.want)
			}
			if n := d.Count(`SELECT count(*) FROM financial_transactions`); n != 0 {
				t.Errorf("%d transactions", n)
			}
		})
	}
}

// A statement waits while others fill the quota of the account.
func TestAnImportBeyondTheQuotaIsRefused(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	d.Exec(`INSERT INTO account_quotas (account_id, statement_rows) VALUES ($1, 1)`, d.into.AccountID)
	const head = "date,title,amount\n"
	status, output := d.imports(head+"2026-08-03,Bar,10.00\n", head+"2026-08-04,Bar,11.00\n")
	if status != finance.ImportError || output != "A conta guarda 1 linhas de extratos, e o máximo é 1 "+
		"(statement_rows). Nenhuma transação foi importada." ||
		d.Count(`SELECT count(*) FROM financial_transactions`) != 1 {
		t.Errorf("%s: %s", status, output)
	}
}
