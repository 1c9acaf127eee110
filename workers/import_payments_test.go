package workers

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"bordero/finance"
	"bordero/finance/memo"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/imports"

	"github.com/google/go-cmp/cmp"
)

// An import keeps what the bank's texts say about payments, as the bank of the deposit account writes them.
func TestAnImportReadsPayments(t *testing.T) {
	t.Parallel()
	const e2e = "E60701190202604150244DY58VMRPQY1"
	d := newImportHarness(t)
	d.Exec(`UPDATE deposit_accounts SET bank_account_id = 748 WHERE id = $1`, d.into.ID)
	items := []struct {
		fields string
		want   memo.Payment
	}{
		{"<FITID>1<MEMO>PAGAMENTO PIX 52998224725 ANA LIMA", memo.Payment{
			CounterpartName: "ANA LIMA", CounterpartDocument: "52998224725"}},
		{"<FITID>" + e2e + "<MEMO>RECEBIMENTO PIX", memo.Payment{EndToEndID: e2e}},
		{"<FITID>3<CHECKNUM>52998224725<MEMO>TARIFA", memo.Payment{}},
		{"<FITID>4<NAME>Pix Cobranca<MEMO>TXID=NF12345", memo.Payment{TxID: "NF12345"}},
	}
	file := "<OFX><STMTRS>"
	for i, item := range items {
		file += fmt.Sprintf("<STMTTRN><DTPOSTED>202611%02d<TRNAMT>-10.00%s</STMTTRN>", i+1, item.fields)
	}
	if status, output := d.imports(file + "</STMTRS></OFX>"); status != finance.ImportSuccess {
		t.Fatal(output)
	}
	for i, item := range items {
		var e2eID, txid, name, document sql.NullString
		if err := d.DB.QueryRowContext(t.Context(), `SELECT end_to_end_id, txid, counterpart_name, counterpart_document
			FROM financial_transactions WHERE deposit_account_id = $1 ORDER BY occurred_at LIMIT 1 OFFSET $2`,
			d.into.ID, i).Scan(&e2eID, &txid, &name, &document); err != nil {
			t.Fatal(err)
		}
		got := memo.Payment{EndToEndID: e2eID.String, TxID: txid.String, CounterpartName: name.String,
			CounterpartDocument: document.String}
		if diff := cmp.Diff(item.want, got); diff != "" || txid.Valid != (txid.String != "") {
			t.Errorf("%s:\n%s", item.fields, diff)
		}
	}
}

// A job reads the texts that an earlier release imported, in chunks. It may run twice, and passes over a statement
// that is gone.
func TestOldPaymentsAreRead(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	d.Exec(`UPDATE deposit_accounts SET bank_account_id = 748 WHERE id = $1`, d.into.ID)
	file := "<OFX><STMTRS>"
	for i := range 7 {
		file += fmt.Sprintf("<STMTTRN><DTPOSTED>202611%02d<TRNAMT>-1<FITID>%[1]d<MEMO>PIX RECEBIDO 52998224725 ANA "+
			"LIMA</STMTTRN>", i+1)
	}
	file += "<STMTTRN><DTPOSTED>20261108<TRNAMT>-1<FITID>8<MEMO>TARIFA</STMTTRN></STMTRS></OFX>"
	if status, output := d.imports(file); status != finance.ImportSuccess {
		t.Fatal(output)
	}
	payments := func() (text string) {
		err := d.DB.QueryRowContext(t.Context(), `SELECT string_agg(concat_ws(' ', extract(day FROM occurred_at),
			counterpart_name, counterpart_document, updated_at), ',' ORDER BY id) FROM financial_transactions`).Scan(
			&text)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	want := payments()
	d.Exec(`UPDATE financial_transactions SET counterpart_name = NULL, counterpart_document = NULL`)
	d.Exec(`DELETE FROM changes`)
	for _, statement := range []int64{1, 1, 2} {
		d.InTx(func(ctx context.Context, tx *storage.Tx) error {
			return tx.Enqueue(ctx, d.into.AccountID,
				jobs.ReadPayments{AccountID: d.into.AccountID, BankStatementID: statement})
		})
	}
	d.Eventually("the end of the jobs", func() bool {
		d.Offer()
		return d.Count(`SELECT count(*) FROM jobs WHERE kind = 'read_payments'`) == 0
	})
	if got := payments(); got != want {
		t.Errorf("-want +got:\n%s", cmp.Diff(want, got))
	}
	if n := d.Count(`SELECT count(*) FROM changes`); n != 0 {
		t.Errorf("%d changes", n)
	}
}

// What the fields of a file say about a payment stays when an item is imported by hand, alone or as a suspect, and when
// its text is read again.
func TestGivenPaymentsStay(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	item := func(id, text string) string {
		return `[{"id":"` + id + `","occurred_at":"2026-11-01","amount":-10,"description":"` + text +
			`","counterpart_name":"BIA REIS","txid":"pedido1","end_to_end_id":"E60701190202604150244DY58VMRPQY1"}]`
	}
	d.importFile(finance.BankStatement{}, item("a", "ENVIO"))
	alone := d.importFile(finance.BankStatement{}, item("a", "PIX RECEBIDO 52998224725 ANA LIMA"))
	d.importFile(finance.BankStatement{}, item("c", "OUTRO"))
	if made := d.importSuspects(t); len(made) != 1 {
		t.Fatalf("%d suspects are imported", len(made))
	}
	d.importItem(alone, 1)
	d.InTx(func(ctx context.Context, tx *storage.Tx) error {
		return imports.ReadPayments(ctx, tx, d.into.AccountID, []int64{1, 2, 3})
	})
	if n := d.Count(`SELECT count(*) FROM financial_transactions WHERE counterpart_name = 'BIA REIS'
		AND txid = 'pedido1' AND end_to_end_id IS NOT NULL`); n != 3 {
		t.Errorf("%d of 3 transactions have the given payment", n)
	}
	if n := d.Count(`SELECT count(*) FROM financial_transactions WHERE counterpart_document = '52998224725'`); n != 1 {
		t.Errorf("%d transactions have the document of the text", n)
	}
}
