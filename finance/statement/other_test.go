package statement

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bordero/internal/messages"
)

func TestLooksLike(t *testing.T) {
	const page = "<html><head><title>Banco</title></head><body>Sua sessão expirou</body></html>"
	const cnab = "23700000         214200312000145"
	for name, c := range map[string]struct {
		head string
		want *messages.Fault
	}{
		"nothing": {"", messages.NotStatement},
		"prose": {"Prezado cliente, o extrato, como pedido, segue.\nAtenciosamente, o banco\n",
			messages.NotStatement},
		"zeros": {strings.Repeat("\x00", 1000), messages.NotStatement},
		"a QIF without its header": {"D01/02/2026\nT-5.00\nPPadaria\n^\nD02/02/2026\nT-1,234.00\n^\n",
			messages.NotStatement},
		"the header of an OFX": {"OFXHEADER:100\r\nDATA:OFXSGML\r\n", messages.NotStatement},
		"XML of another kind": {`<?xml version="1.0"?><nfeProc versao="4.00"><NFe/></nfeProc>`,
			messages.NotStatement},
		"ODS": {"PK\x03\x04\x14\x00\x00\x08\x00\x00mimetypeapplication/" +
			"vnd.oasis.opendocument.spreadsheetPK", messages.Spreadsheet},
		"XLS": {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" + strings.Repeat("\x00", 504),
			messages.Spreadsheet},
		"a page for Excel": {`<html xmlns:x="urn:schemas-microsoft-com:office:excel"><body><table><tr>` +
			`<td>01/08/2026</td></tr></table></body></html>`, messages.Spreadsheet},
		"XML of Excel": {`<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook ` +
			`xmlns="urn:schemas-microsoft-com:office:spreadsheet"/>`, messages.Spreadsheet},
		"DOCX":                      {zipped(t, "[Content_Types].xml", "word/document.xml"), messages.Compressed},
		"an OFX in a zip":           {zipped(t, "extrato.ofx"), messages.Compressed},
		"gzip":                      {"\x1F\x8B\x08\x00", messages.Compressed},
		"RAR":                       {"Rar!\x1A\x07\x00", messages.Compressed},
		"PDF":                       {"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj", messages.PDF},
		"PDF after a line":          {"\r\n%PDF-1.4", messages.PDF},
		"PNG":                       {"\x89PNG\r\n\x1A\n", messages.Image},
		"JPEG":                      {"\xFF\xD8\xFF\xE0\x00\x10JFIF", messages.Image},
		"WebP":                      {"RIFF\x24\x00\x00\x00WEBPVP8 ", messages.Image},
		"HEIC":                      {"\x00\x00\x00\x24ftypheic", messages.Image},
		"a page":                    {page, messages.Page},
		"a page with a declaration": {"\xEF\xBB\xBF\r\n<!DOCTYPE HTML>\r\n" + page, messages.Page},
		"a page of XHTML": {`<?xml version="1.0"?><!-- login --><!DOCTYPE html><html ` +
			`xmlns="http://www.w3.org/1999/xhtml">`, messages.Page},
		"a page in UTF-16": {string(utf16Bytes(binary.LittleEndian, page)), messages.Page},
		"CAMT.053": {`<?xml version="1.0"?><Document ` +
			`xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>`, messages.CAMT},
		"CAMT with a prefix": {`<ns2:Document xmlns:ns2="urn:iso:std:iso:20022:tech:xsd:camt.052.001.08">`,
			messages.CAMT},
		"MT940": {":20:STMT1\r\n:25:237/12345\r\n:28C:1/1\r\n:60F:C260801BRL100," +
			"00\r\n:61:2608010801D5,00NMSC\r\n", messages.MT940},
		"MT940 of SWIFT": {"{1:F01BBDEBRSPAXXX0000000000}{2:I940}{4:\n:20:STMT1\n:25:12345\n",
			messages.MT940},
		"CNAB 240":                 {line(cnab, 240) + line("23700011T0100", 240), messages.CNAB240},
		"CNAB 240, CP1252":         {line(cnab+" PADARIA S\xC3O JO\xC3O", 240), messages.CNAB240},
		"CNAB 400 of a return":     {line("02RETORNO01COBRANCA", 400) + line("1", 400), messages.CNAB400},
		"CNAB 400 of a remittance": {line("01REMESSA01COBRANCA", 400), messages.CNAB400},
		"sales of Cielo": {line("010999000112026030320260302202603020000896CIELO03I                    01503N", 250),
			messages.AcquirerFile},
		"credit sales of Rede": {"00203032026REDECARDEXTRATO DE MOVIMENTO DE VENDASPADARIA MODELO LTDA   " +
			"000040099900011DIARIO         V2.01 - 09/06 - EEVC\r\n", messages.AcquirerFile},
		"credit sales of Rede, 2023": {"00203032026REDECARDEXTRATO DE MOVIMENTO DE VENDASPADARIA MODELO LTDA   " +
			"000040099900011DIARIO         V3.00 - 05/2023 EEVC\r\n", messages.AcquirerFile},
		"debit sales of Rede": {"00,099900011,03032026,02032026,Movimentacao diaria - Cartoes de Debito,Redecard," +
			"PADARIA MODELO LTDA       ,000048,DIARIO         ,V1.04 - 07/10 - EEVD\r\n", messages.AcquirerFile},
		"payments of Rede": {"03006032026RedecardExtrato de Movimentacao FinanceiraPADARIA MODELO LTDA   " +
			"000015099900011DIARIO         V3.01 - 09/06 - EEFI\r\n", messages.AcquirerFile},
		"sales of Getnet": {line("00303202607132902032026CEADM1009990011        10440482000154GETNET S.A.", 400),
			messages.AcquirerFile},
		"sales of Stone": {"<?xml version=\"1.0\"?>\n<Conciliation><Header>", messages.AcquirerFile},
		"CNAB 200":       {line("01EXTRATO DE CONTA CORRENTE", 200), messages.CNAB200},
		"CSV":            {"Data;Histórico;Valor\r\n01/08/2026;PADARIA;-5,00\r\n", messages.CSV},
		"CSV below a title": {
			"Extrato da conta 12345-6\n\nData,Descrição,Valor\n2026-08-01,PADARIA,-5.00\n", messages.CSV},
		"CSV with tabs": {"Data\tHistórico\tValor\n01/08/2026\tPADARIA\t-5,00\n", messages.CSV},
		"CSV in UTF-16": {
			string(utf16Bytes(binary.LittleEndian, "Data\tHist\tValor\n01/08/2026\tPADARIA\t-5,00\n")), messages.CSV},
		"digits in a line that is none": {"2370000011\n", messages.NotStatement},
	} {
		if Detect([]byte(c.head)) != "" {
			t.Errorf("%s is a statement", name)
		}
		if c.want == messages.AcquirerFile && MayBeMapped([]byte(c.head)) {
			t.Errorf("%s may be mapped", name)
		}
		if got := LooksLike([]byte(c.head)); got != c.want && (c.want != messages.CSV || got.Hint != c.want.Hint) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// The header of an unknown table is named.
func TestLooksLikeATable(t *testing.T) {
	got := LooksLike([]byte("Extrato\n\nDia;Texto;Pre\xE7o\r\n01/08/2026;PADARIA;-5,00\r\n"))
	if want := messages.CSV.With("Dia;Texto;Preço"); got.Text != want.Text {
		t.Error(got.Text)
	}
}

// line returns a line of n characters.
func line(text string, n int) string { return text + strings.Repeat(" ", n-len(text)-1) + "X\r\n" }

// zipped returns the beginning of a zip with files of these names.
func zipped(t *testing.T, names ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(bytes.Repeat([]byte(name), 500)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A statement of the corpus without the mark of its format is broken, and not something else.
func TestStatementsDoNotLookLikeSomethingElse(t *testing.T) {
	files, err := filepath.Glob("../../testdata/statements/*/*")
	if err != nil || len(files) < 90 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	marks := strings.NewReplacer("<OFX", "<", "<ofx", "<", "<OFC>", "<>", "<ofc>", "<>", "!Type", "", "!type", "",
		"!Account", "", "!Option", "")
	checked := 0
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if OfAcquirer(content) {
			t.Errorf("%s is taken for a file of an acquirer", name)
		}
		if Detect(content) == "" { // a table with an unknown header
			continue
		}
		checked++
		broken := []byte(marks.Replace(string(content)))
		if got := LooksLike(broken); Detect(broken) == "" && got != messages.NotStatement {
			t.Errorf("%s without its mark: %s", name, got)
		}
	}
	if checked < 100 {
		t.Errorf("%d of %d files are statements", checked, len(files))
	}
}
