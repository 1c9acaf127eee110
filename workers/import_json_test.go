package workers

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/proof"
)

// Fields of JSON come before texts, moments have their days in the zone, and pending items are only counted.
func TestJSONIsImported(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	d.number("12345-6") // the file names no account
	const file = `{"results":[
		{"id":"a","date":"2026-03-24T02:12:12Z","type":"CREDIT","amount":100,"status":"POSTED","currencyCode":"BRL",
			"description":"PIX RECEBIDO BRUNA L 529.982.247-25","paymentData":{"payer":{"name":"BRUNA LIMA"},
			"receiverReferenceId":"pedido1"}},
		{"id":"b","date":"2026-03-25T03:00:00Z","type":"DEBIT","amount":5,"status":"PENDING","description":"BOLETO"}]}`
	preview := d.importFile(finance.BankStatement{Preview: true}, file)
	b := d.importFile(finance.BankStatement{}, file)
	for _, b := range []*finance.BankStatement{preview, b} {
		if b.ImportedItemsCount != 1 || b.PendingItemsIgnoredCount != 1 || *b.ItemsCount != 2 {
			t.Errorf("%+v", b)
		}
	}
	d.is(b, finance.ImportSuccess, nil, "Itens ignorados: 1 ainda não lançado pelo banco.")
	var got string
	err := d.DB.QueryRowContext(t.Context(), `
		SELECT concat_ws(' ', occurred_at, amount, guid, counterpart_name, counterpart_document, txid)
		FROM financial_transactions`).Scan(&got)
	if want := "2026-03-23 100.00 a BRUNA LIMA 52998224725 pedido1"; err != nil || got != want {
		t.Errorf("%s, error %v, want %s", got, err, want)
	}
	if n := d.Count(`SELECT count(*) FROM ignored_items
		WHERE outcome = 'pending' AND amount = -5 AND fitid = 'b'`); n != 1 {
		t.Error("the pending item is not listed")
	}
	posted := d.importFile(finance.BankStatement{}, `[`+pluggyRow("z", "26", "-5", "BOLETO")+`]`)
	if n := d.Count(`SELECT count(*) FROM financial_transactions`); posted.ImportedItemsCount != 1 || n != 2 {
		t.Errorf("the posted one brings %d items, %d transactions in all", posted.ImportedItemsCount, n)
	}
}

// pluggyRow is an item of Pluggy with a text of its day's number.
func pluggyRow(id, day, amount, text string) string {
	kind := "CREDIT"
	if amount[0] == '-' {
		kind = "DEBIT"
	}
	return fmt.Sprintf(`{"id":%q,"date":"2026-03-%sT15:00:00Z","type":%q,"amount":%s,"description":%q}`, id, day, kind,
		amount, text)
}

// A row that an aggregator restates stays one transaction, and the other one is a suspect that replaces it.
func TestARestatedRowIsASuspect(t *testing.T) {
	t.Parallel()
	all := newImportHarness(t)
	first := []string{pluggyRow("a", "02", "10", "SALDO DO MES?"), pluggyRow("b", "10", "-50", "PIX ANA"),
		pluggyRow("c", "20", "7", "FIM")}
	for name, c := range map[string]struct {
		row                     string // in place of b
		fresh, known, suspected int64
	}{
		"as it was":                    {first[1], 0, 3, 0},
		"another amount":               {pluggyRow("b", "10", "-55", "PIX ANA"), 0, 3, 1},
		"another day":                  {pluggyRow("b", "12", "-50", "PIX ANA"), 0, 3, 1},
		"another day, amount and text": {pluggyRow("b", "12", "-55", "PIX ANA LIMA"), 0, 3, 1},
		"another id and day":           {pluggyRow("x", "12", "-50", "PIX ANA"), 0, 3, 1},
		"another id and amount":        {pluggyRow("x", "10", "-55", "PIX ANA"), 0, 3, 1},
		"another id alone":             {pluggyRow("x", "10", "-50", "PIX ANA"), 0, 3, 0},
		"another id, amount and day":   {pluggyRow("x", "12", "-55", "PIX ANA"), 1, 2, 0},
		"another id, and much later":   {pluggyRow("x", "19", "-50", "PIX ANA"), 1, 2, 0},
		"another id, day and text":     {pluggyRow("x", "12", "-50", "PIX BIA"), 1, 2, 0},
		"another one beside it":        {first[1] + "," + pluggyRow("x", "10", "-55", "PIX ANA"), 1, 3, 0},
		"two that may be in its place": {pluggyRow("x", "10", "-55", "PIX ANA") + "," +
			pluggyRow("y", "10", "-60", "PIX ANA"), 2, 2, 0},
		"its own id twice": {pluggyRow("b", "11", "-50", "PIX ANA") + "," +
			pluggyRow("b", "12", "-60", "PIX ANA"), 2, 2, 0},
		"it is gone": {"", 0, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := all.another(t)
			d.importFile(finance.BankStatement{}, "["+strings.Join(first, ",")+"]")
			rows := []string{first[0], c.row, first[2]}
			if c.row == "" {
				rows = []string{first[0], first[2]}
			}
			file := "[" + strings.Join(rows, ",") + "]"
			for _, preview := range []bool{true, false, false} { // and again
				b := d.importFile(finance.BankStatement{Preview: preview}, file)
				restated := int64(0)
				for _, w := range b.EventWarnings {
					if w.Code == finance.WarnRestated {
						restated = w.Count
					}
				}
				if b.ImportedItemsCount != c.fresh || b.DuplicateItemsIgnoredCount != c.known ||
					restated != c.suspected {
					t.Errorf("preview %t: %d new, %d known, %d restated", preview, b.ImportedItemsCount,
						b.DuplicateItemsIgnoredCount, restated)
				}
				if !preview {
					c.known, c.fresh = c.known+c.fresh, 0
				}
			}
			if n := d.Count(`SELECT count(*) FROM ignored_items i JOIN financial_transactions t
				ON t.account_id = i.account_id AND t.id = i.replaces
					AND t.original_description = 'PIX ANA' AND t.amount = -50
				WHERE i.account_id = $1 AND i.suspect`, d.into.AccountID); int64(n) != 2*c.suspected {
				t.Errorf("%d items replace the transaction", n)
			}
			if made := d.importSuspects(t); len(made) > 0 {
				t.Errorf("%d suspects are imported at once", len(made))
			}
			d.Exec(`DELETE FROM financial_transactions WHERE account_id = $1 AND amount = -50`, d.into.AccountID)
			if made := d.importSuspects(t); int64(len(made)) != c.suspected {
				t.Errorf("%d suspects are imported without the transaction", len(made))
			}
		})
	}
}

// A file begins after the row that an item replaced in an earlier one, or has another candidate for it: the item is
// still the later state of that row, and the other one is new. A person ends it by importing the item, or by deleting
// the transaction.
func TestASuspectStaysOneInLaterFiles(t *testing.T) {
	t.Parallel()
	all := newImportHarness(t)
	before, after := pluggyRow("a", "02", "10", "INICIO"), pluggyRow("c", "25", "7", "FIM")
	row := pluggyRow("b", "10", "-50", "PIX ANA")
	dearer, later := pluggyRow("x", "10", "-55", "PIX ANA"), pluggyRow("x", "11", "-50", "PIX ANA")
	other := pluggyRow("y", "15", "-50", "PIX ANA")
	const deleteIt = `DELETE FROM financial_transactions WHERE account_id = $1 AND amount = -50 AND guid = 'b'`
	const deleteFile = `UPDATE bank_statements SET deleted_at = now() WHERE id = (SELECT %s(id) FROM bank_statements
		WHERE account_id = $1)`
	moved, both := []string{before, later, after}, []string{before, later, other, after}
	for name, c := range map[string]struct {
		second []string // in place of row
		item   int64    // imported by hand
		then   string
		third  []string
		fresh  int64
	}{
		"the row is before the file":      {[]string{before, dearer, after}, 0, "", []string{dearer, after}, 0},
		"another amount again":            {moved, 0, "", []string{dearer, after}, 0},
		"another candidate":               {moved, 0, "", both, 1},
		"another candidate alone":         {moved, 0, "", []string{before, other, after}, 0},
		"a person has imported it":        {moved, 2, "", both, 1},
		"and deleted the former one":      {moved, 2, deleteIt, both, 1},
		"a person has deleted the former": {moved, 0, deleteIt, moved, 1},
		"a person has deleted a gone row": {[]string{before, after}, 0, deleteIt, []string{before, other, after}, 1},
		"the row is back":                 {moved, 0, "", []string{before, row, later, after}, 1},
		"its file is deleted":             {moved, 0, fmt.Sprintf(deleteFile, "max"), []string{later, after}, 1},
		"the row's file is deleted":       {moved, 0, fmt.Sprintf(deleteFile, "min"), []string{later, after}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := all.another(t)
			for n, rows := range [][]string{{before, row, after}, c.second, c.third} {
				b := d.importFile(finance.BankStatement{}, "["+strings.Join(rows, ",")+"]")
				if n == 1 && c.item > 0 {
					d.importItem(b, c.item)
				}
				if n == 1 && c.then != "" {
					d.Exec(c.then, d.into.AccountID)
				}
				if want := []int64{3, 0, c.fresh}[n]; b.ImportedItemsCount != want {
					t.Errorf("file %d: %d new, want %d", n+1, b.ImportedItemsCount, want)
				}
			}
		})
	}
}

// An item that a person imported is remembered as any other: the source may restate it.
func TestAnItemImportedByHandIsRestated(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	first := pluggyRow("a", "02", "-50", "X")
	d.importFile(finance.BankStatement{}, "["+first+"]")
	d.importFile(finance.BankStatement{}, "["+pluggyRow("b", "02", "-50", "Y")+"]")
	if made := d.importSuspects(t); len(made) != 1 {
		t.Fatalf("%d suspects are imported", len(made))
	}
	b := d.importFile(finance.BankStatement{}, "["+first+","+pluggyRow("b", "02", "50", "Y")+"]")
	if n := d.Count(`SELECT count(*) FROM ignored_items WHERE bank_statement_id = $1 AND fitid = 'b' AND suspect
		AND replaces IS NOT NULL`, b.ID); n != 1 {
		t.Errorf("%+v", b.EventWarnings)
	}
}

// A person imported the item and left the transaction that it replaces: the books have its amount too many.
func TestAProofNamesTheTransactionBesideAnImportedItem(t *testing.T) {
	t.Parallel()
	d := newImportHarness(t)
	before, after := pluggyRow("a", "02", "10", "INICIO"), pluggyRow("c", "20", "7", "FIM")
	balance := func(day, item, balance string) *finance.BankStatement {
		return d.importFile(finance.BankStatement{}, fmt.Sprintf("<OFX><STMTTRN><DTPOSTED>%[1]s<TRNAMT>%[2]s<MEMO>FIM"+
			"</STMTTRN><LEDGERBAL><BALAMT>%[3]s<DTASOF>%[1]s</LEDGERBAL></OFX>", day, item, balance))
	}
	balance("20260301", "1", "1")
	d.importFile(finance.BankStatement{}, "["+before+","+pluggyRow("b", "10", "-50", "PIX ANA")+","+after+"]")
	b := d.importFile(finance.BankStatement{}, "["+before+","+pluggyRow("b", "10", "-55", "PIX ANA")+","+after+"]")
	d.importItem(b, 2)
	b = balance("20260320", "7", "-37")
	is := func(want string) {
		t.Helper()
		d.InTx(func(ctx context.Context, tx *storage.Tx) error {
			p, err := proof.OfTx(ctx, tx, b)
			if err != nil {
				return err
			}
			var got []string
			for _, e := range p.Explanations {
				got = append(got, fmt.Sprint(e.Kind, " ", e.Amount))
			}
			if strings.Join(got, ", ") != want {
				t.Errorf("%s: %v, want %s", p.Status, got, want)
			}
			return nil
		})
	}
	is("moved_items 50.0")
	d.InTx(func(ctx context.Context, tx *storage.Tx) error { // what the file said of it counts
		held, err := tx.LockFinancialTransactionForDelete(ctx, storage.Scope{AccountID: d.into.AccountID,
			EntityID: d.into.EntityID}, d.into.ID, int64(d.Count(`SELECT id FROM financial_transactions
				WHERE amount = -50`)))
		if err != nil {
			return err
		}
		held.Amount = -40_00
		return tx.UpdateFinancialTransaction(ctx, held)
	})
	is("moved_items 50.0, edited_items -10.0")
}

// importItem imports an item of a statement by hand.
func (d *importHarness) importItem(statement *finance.BankStatement, number int64) {
	d.T.Helper()
	d.InTx(func(ctx context.Context, tx *storage.Tx) error {
		b, err := imports.LockBankStatement(ctx, tx, storage.Scope{AccountID: d.into.AccountID,
			EntityID: d.into.EntityID}, d.into.ID, statement.ID)
		if err != nil {
			return err
		}
		i, err := imports.BankStatementItem(ctx, tx, b, number)
		if err != nil {
			return err
		}
		_, err = imports.ImportItem(ctx, tx, d.into.ID, i)
		return err
	})
}

// importSuspects imports the suspects of the newest statement.
func (d *importHarness) importSuspects(t *testing.T) (made []int64) {
	t.Helper()
	err := d.Store.InTx(t.Context(), func(tx *storage.Tx) error {
		b, err := imports.LockBankStatement(t.Context(), tx, storage.Scope{AccountID: d.into.AccountID,
			EntityID: d.into.EntityID}, d.into.ID, int64(d.Count(`SELECT max(id) FROM bank_statements
			WHERE account_id = $1 AND preview_until IS NULL`, d.into.AccountID)))
		if err != nil {
			return err
		}
		made, err = imports.ImportSuspects(t.Context(), tx, b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// The first file of an account may be of any door: the second one of the same days brings nothing, whatever its ids
// and texts are.
func TestASecondDoorBringsNothing(t *testing.T) {
	t.Parallel()
	all := newImportHarness(t)
	doors := map[string]string{
		"OFX": "<OFX><STMTTRN><DTPOSTED>20260302<TRNAMT>-9.80<FITID>1<MEMO>CAFE</STMTTRN>" +
			"<STMTTRN><DTPOSTED>20260302<TRNAMT>-9.80<FITID>2<MEMO>CAFE</STMTTRN>" +
			"<STMTTRN><DTPOSTED>20260305<TRNAMT>100<FITID>3<MEMO>PIX RECEBIDO ANA</STMTTRN></OFX>",
		"JSON": "[" + pluggyRow("3", "02", "-9.8", "Café") + "," + pluggyRow("2", "02", "-9.8", "Café") + "," +
			pluggyRow("1", "05", "100", "Transferência recebida|Ana") + "]",
		"QIF": "!Type:Bank\nD02/03/2026\nT-9.80\nPCafe\n^\nD02/03/2026\nT-9.80\nPCafe\n^\nD05/03/2026\nT100.00\n^\n",
	}
	for first := range doors {
		for second := range doors {
			t.Run(first+" and "+second, func(t *testing.T) {
				t.Parallel()
				d := all.another(t)
				b := d.importFile(finance.BankStatement{}, doors[first])
				if b.ImportedItemsCount != 3 {
					t.Fatalf("%d items of the first", b.ImportedItemsCount)
				}
				b = d.importFile(finance.BankStatement{}, doors[second])
				if b.ImportedItemsCount != 0 || b.DuplicateItemsIgnoredCount != 3 {
					t.Errorf("%d items of the second, %d known", b.ImportedItemsCount, b.DuplicateItemsIgnoredCount)
				}
				if n := d.Count(`SELECT count(*) FROM ignored_items WHERE account_id = $1 AND suspect`,
					d.into.AccountID); n != 0 && (first == "JSON") != (second == "JSON") {
					t.Errorf("%d suspects", n)
				}
			})
		}
	}
}
