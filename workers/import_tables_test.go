package workers

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bordero/finance"
)

const (
	tableOfADay = "Data Lançamento;Descrição;Valor;Saldo\n" +
		"01/08/2026;Boleto recebido: \"112/1\";60,00;60,00\n01/08/2026;Boleto recebido: \"112/2\";60,00;120,00\n" +
		"01/08/2026;Tarifa;-2,49;117,51\n01/08/2026;Tarifa;-2,49;115,02\n"
	ofxOfADay = "<OFX><BANKTRANLIST>" +
		"<STMTTRN><DTPOSTED>20260801<TRNAMT>-2.49<FITID>4<MEMO>Tarifa</STMTTRN>" +
		"<STMTTRN><DTPOSTED>20260801<TRNAMT>-2.49<FITID>3<MEMO>Tarifa</STMTTRN>" +
		"<STMTTRN><DTPOSTED>20260801<TRNAMT>60<FITID>2<NAME>ANA LIMA<MEMO>Boleto recebido: \"112/2\"</STMTTRN>" +
		"<STMTTRN><DTPOSTED>20260801<TRNAMT>60<FITID>1<NAME>RUI REIS<MEMO>Boleto recebido: \"112/1\"</STMTTRN>" +
		"</BANKTRANLIST></OFX>"
	tableOfAPair = "Data,Valor,Identificador,Descrição\n01/08/2026,8.00,x,Pix da Ana\n01/08/2026,-8.00,x,Pix par" +
		"a o Rui\n"
	ofxOfAPair = "<OFX><BANKTRANLIST>" +
		"<STMTTRN><DTPOSTED>20260801<TRNAMT>8<FITID>x<MEMO>Pix da Ana</STMTTRN>" +
		"<STMTTRN><DTPOSTED>20260801<TRNAMT>-8<FITID>x:reversal<MEMO>Pix para o Rui</STMTTRN>" +
		"</BANKTRANLIST></OFX>"
)

// Two formats of one account bring the same rows once, whichever comes first, without a doubt: one has the payee before
// the text of the other, and the ids of a table repeat. Neither an id nor a text says anything beside rows of another
// format (decision 0045); a text does beside rows of its own.
func TestTwoFormatsBringRowsOnce(t *testing.T) {
	t.Parallel()
	other := "Data Lançamento;Descrição;Valor;Saldo\n01/08/2026;Boleto recebido: \"112/9\";60,00;60,00\n"
	for name, c := range map[string]struct {
		first, second string
		known         int64
		warnings      []string
	}{
		"a table, then an OFX":          {tableOfADay, ofxOfADay, 4, nil},
		"an OFX, then a table":          {ofxOfADay, tableOfADay, 4, nil},
		"a table twice":                 {tableOfADay, tableOfADay, 4, nil},
		"ids that repeat, in a table":   {tableOfAPair, ofxOfAPair, 2, nil},
		"ids that repeat, then a table": {ofxOfAPair, tableOfAPair, 2, nil},
		"a table with another text":     {ofxOfADay, other, 1, nil},
		"an OFX after one of other text" +
			"s": {other, ofxOfADay, 1, nil},
		"a table after one of other text" +
			"s": {other, tableOfADay, 1, []string{finance.WarnOtherDescription}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newImportHarness(t)
			d.file(c.first)
			b := d.file(c.second)
			var codes []string
			for _, w := range b.EventWarnings {
				codes = append(codes, w.Code)
			}
			if b.DuplicateItemsIgnoredCount != c.known || !slices.Equal(codes, c.warnings) {
				t.Errorf("%d items are known: %+v", b.DuplicateItemsIgnoredCount, b.EventWarnings)
			}
		})
	}
}

// The CSV and the OFX of one account bring the same rows, whichever comes first, and the second one brings nothing. An
// OFX of Inter has the payee's name before the text of the CSV, and Nubank's CSV repeats ids: neither makes a row
// doubtful.
func TestTheSecondDoorBringsNothing(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string]int64{"aviladevs__inter-2025-03": 264, "aviladevs__nubank-2025-01": 236} {
		for _, doors := range [][2]string{{".csv", ".ofx"}, {".ofx", ".csv"}} {
			d := newImportHarness(t)
			for i, door := range doors {
				content, err := os.ReadFile(filepath.Join("../../shared/doors/files", name+door))
				if errors.Is(err, os.ErrNotExist) {
					t.Skip("the files are not here")
				}
				if err != nil {
					t.Fatal(err)
				}
				want := rows * int64(1-i)
				b := d.file(string(content))
				if b.ImportedItemsCount != want || b.DuplicateItemsIgnoredCount != rows-want ||
					len(b.EventWarnings) > 0 {
					t.Errorf("%s%s brought %d, and %d are known: %+v", name, door, b.ImportedItemsCount,
						b.DuplicateItemsIgnoredCount, b.EventWarnings)
				}
			}
		}
	}
}
