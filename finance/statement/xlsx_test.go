package statement

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/messages"

	"github.com/xuri/excelize/v2"
)

// itauHeader is the header of a known table.
var itauHeader = []any{"data", "lançamento", "ag./origem", "valor (R$)", "saldos (R$)"}

// workbook returns a workbook with a sheet of the rows; nil is an empty row. change may change it.
func workbook(t testing.TB, rows [][]any, change func(*excelize.File)) []byte {
	t.Helper()
	book := excelize.NewFile()
	for i, row := range rows {
		if err := book.SetSheetRow("Sheet1", fmt.Sprint("A", i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	if change != nil {
		change(book)
	}
	var b bytes.Buffer
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// repacked returns a workbook with parts replaced or added.
func repacked(t testing.TB, content []byte, parts map[string]string) []byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	write := func(name string, r io.Reader) {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(f, r); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range archive.File {
		if _, ok := parts[f.Name]; ok {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		write(f.Name, r)
	}
	for name, text := range parts {
		write(name, strings.NewReader(text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sheetOf returns the XML of a sheet with these rows.
func sheetOf(rows string) string {
	return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` + rows +
		`</sheetData></worksheet>`
}

// inlined returns a row of inline strings.
func inlined(row int, cells ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<row r="%d">`, row)
	for i, cell := range cells {
		fmt.Fprintf(&b, `<c r="%c%d" t="inlineStr"><is><t>%s</t></is></c>`, 'A'+i, row, cell)
	}
	return b.String() + "</row>"
}

const sheetPart = "xl/worksheets/sheet1.xml"

func TestWorkbooks(t *testing.T) {
	rows := [][]any{{"Banco"}, nil, {"Conta:", "55500-1"}, {"Período:", "01/08/2026 até 31/08/2026"}, itauHeader,
		{46234, "SALDO ANTERIOR", nil, nil, 1000}, {46237, "PIX BELTRANO", "1234", 1500.1},
		{46238.75, "SISPAG", nil, -0.29}, {46238, "SISPAG", nil, -0.28999999999999998},
		{46238, "SALDO DO DIA", nil, nil, 2499.52}, {"lançamentos futuros"}, {46270, "IOF", nil, -11.96}}
	want := "balance\n2026-08-03 150010 PIX BELTRANO\n2026-08-04 -29 SISPAG\n2026-08-04 -29 SISPAG\nbalance\n"
	nubank := []string{"date", "title", "amount"}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"numbers": {workbook(t, rows, nil), want},
		"numbers of days since 1904": {workbook(t, [][]any{itauHeader, {44775, "PIX BELTRANO", "1234", 1500.1}},
			func(book *excelize.File) {
				from1904 := true
				_ = book.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &from1904})
			}), "2026-08-03 150010 PIX BELTRANO\n"},
		"hidden rows and merged titles": {workbook(t, rows, func(book *excelize.File) {
			_ = book.SetRowVisible("Sheet1", 7, false)
			_ = book.MergeCell("Sheet1", "A1", "E1")
		}), want},
		"another sheet before it": {workbook(t, rows, func(book *excelize.File) {
			_, _ = book.NewSheet("Capa")
			_ = book.MoveSheet("Capa", "Sheet1")
			_ = book.SetCellStr("Capa", "A1", "Extrato")
		}), want},
		"a hidden sheet with a table": {workbook(t, rows, func(book *excelize.File) {
			_, _ = book.NewSheet("Antigo")
			_ = book.SetSheetRow("Antigo", "A1", &itauHeader)
			_ = book.SetSheetVisible("Antigo", false)
		}), want},
		"texts": {workbook(t, [][]any{{"Data", "Histórico", "Docto.", "Crédito (R$)", "Débito (R$)", "Saldo (R$)"},
			{"01/08/2026", "Pix", "7", "1.184,57", nil, "1.184,57"}, {nil, "Rem: Ana Lima"}}, nil),
			"2026-08-01 118457 7 Pix Rem: Ana Lima\n"},
		"empty cells at the end of rows": {workbook(t, [][]any{{"Data", "Histórico", "Docto.", "Crédito (R$)",
			"Débito (R$)", "Saldo (R$)"}, {"01/08/2026", "Pix", "7", "184,57"},
			{"02/08/2026", "Tarifa", "8", nil, "-1,00"}, {"03/08/2026", "Aviso"}}, nil),
			"2026-08-01 18457 7 Pix\n2026-08-02 -100 8 Tarifa\nzero\n"},
		"a chart beside a long text": {repacked(t, workbook(t, append(slices.Clone(rows), []any{
			strings.Repeat("x", 20_000)}), nil), map[string]string{"xl/charts/chart1.xml": `<c:chart xmlns:c="c">` +
			strings.Repeat("<c:pt><c:v>1</c:v></c:pt>", 1000) + "</c:chart>"}), want},
		"inline strings": {repacked(t, workbook(t, nil, nil), map[string]string{sheetPart: sheetOf(
			inlined(2, nubank...) + inlined(4, "2026-08-03", "Bar", "24.50"))}), "2026-08-03 -2450 Bar\n"},
		"rows and cells without references": {repacked(t, workbook(t, nil, nil), map[string]string{sheetPart: sheetOf(
			`<row><c t="inlineStr"><is><t>date</t></is></c><c t="inlineStr"><is><t>title</t></is></c>` +
				`<c t="inlineStr"><is><t>amount</t></is></c></row><row><c><v>46237</v></c><c t="inlineStr"><is><t>Bar` +
				`</t></is></c><c><v>2.5E-1</v></c></row>`)}), "2026-08-03 -25 Bar\n"},
		"empty rows with a format, to the last one": {repacked(t, workbook(t, nil, nil), map[string]string{
			sheetPart: sheetOf(inlined(1, nubank...) + inlined(2, "2026-08-03", "Bar", "24.50") +
				`<row r="3" ht="15" customHeight="1"/><row r="1048576" s="1"><c r="A1048576" s="1"/></row>`)}),
			"2026-08-03 -2450 Bar\n"},
		"numbers of rows in other quotes": {repacked(t, workbook(t, nil, nil), map[string]string{
			sheetPart: sheetOf(strings.ReplaceAll(inlined(1, nubank...)+inlined(2, "2026-08-03", "Bar", "24.50")+
				inlined(4, "2026-08-04", "Bar", "1.00"), `"`, "'"))}),
			"2026-08-03 -2450 Bar\n2026-08-04 -100 Bar\n"},
		"an exponent in lower case": {repacked(t, workbook(t, nil, nil), map[string]string{sheetPart: sheetOf(
			inlined(1, "date", "title", "amount") + inlined(2, "2026-08-03", "Bar", "2.5e-1"))}),
			"2026-08-03 -25 Bar\n"},
	} {
		r := newReader(bytes.NewReader(c.file))
		items, err := readAll(r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := diff(c.want, shown(t, items)); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		if got := stateOf(r.Summary("")); c.want == want &&
			got != "55500-1 2026-08-01..2026-08-31 2026-08-04 2499.52" || len(r.Notes()) > 0 {
			t.Errorf("%s: %s, %+v", name, got, r.Notes())
		}
		if Detect(c.file) != XLSX {
			t.Errorf("%s is not detected", name)
		}
	}
}

// A workbook that is broken, altered or too large names its sheet, row and column, and brings nothing.
func TestBrokenWorkbooks(t *testing.T) {
	row := []any{46237, "BAR", nil, -5.5}
	good := workbook(t, [][]any{itauHeader, row}, nil)
	edited := func(change func(*excelize.File)) []byte { return workbook(t, [][]any{itauHeader, row}, change) }
	withSheet := func(rows string) []byte { return repacked(t, good, map[string]string{sheetPart: sheetOf(rows)}) }
	header := inlined(1, "date", "title", "amount")
	pictures := map[string]string{}
	for i := range maxParts {
		pictures[fmt.Sprintf("xl/media/%d.png", i)] = ""
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"cut off": {good[:len(good)-40], "O arquivo XLSX está danificado"},
		"no table": {edited(func(book *excelize.File) { _ = book.SetCellStr("Sheet1", "A1", "dia") }),
			"Nenhuma planilha do arquivo XLSX tem o cabeçalho de um banco conhecido, nem os nomes de " +
				`statement_mapping da conta bancária; encontrado "dia;lançamento;ag./origem;valor (R$);saldos (R$)"`},
		"two tables": {edited(func(book *excelize.File) {
			_, _ = book.NewSheet("Julho")
			_ = book.SetSheetRow("Julho", "A1", &itauHeader)
		}), `As planilhas "Sheet1" e "Julho" têm, as duas, uma tabela`},
		"a formula": {edited(func(book *excelize.File) { _ = book.SetCellFormula("Sheet1", "D2", "1+1") }),
			`linha 2: planilha "Sheet1", a célula D2 tem uma fórmula`},
		"a link": {repacked(t, good, map[string]string{"xl/externalLinks/externalLink1.xml": "<externalLink/>"}),
			"O arquivo XLSX tem vínculos com outros arquivos"},
		"a far cell": {edited(func(book *excelize.File) { _ = book.SetCellStr("Sheet1", "XFD2", "x") }),
			`linha 2: planilha "Sheet1", a linha tem mais de 200 colunas`},
		"a far row": {withSheet(header + inlined(1_048_576, "2026-08-03", "Bar", "1.00")),
			`linha 1048576: planilha "Sheet1", mais de 1000000 linhas`},
		"no number": {edited(func(book *excelize.File) { _ = book.SetCellStr("Sheet1", "D2", "cinco") }),
			`linha 2: planilha "Sheet1", coluna D ("valor (R$)"): o valor "cinco" não é um número`},
		"thousands or decimals": {edited(func(book *excelize.File) { _ = book.SetCellStr("Sheet1", "D2", "1.234") }),
			`linha 2: planilha "Sheet1", coluna D ("valor (R$)"): não se sabe se "1.234" tem`},
		"no direction": {workbook(t, [][]any{{"Conta", "Data_Mov", "Nr_Doc", "Historico", "Valor", "Deb_Cred"},
			{"12345", "20260801", "0", "SALDO DIA", "8,00"}, {"12345", "20260802", "1", "PIX", "-8,00"},
			{"12345", "20260803", "2", "PIX", "8,00"}}, nil),
			`linha 4: planilha "Sheet1", coluna F ("Deb_Cred"): "" não diz crédito`},
		"dates of two kinds": {edited(func(book *excelize.File) {
			_ = book.SetSheetRow("Sheet1", "A3", &[]any{"30/08/2026", "BAR", nil, 1})
		}), "linha 3: o arquivo tem datas como número"},
		"faulty XML": {withSheet(header + inlined(2, "2026-08-03", "Bar", "1.00") +
			`<row r="3"><c r="A3"><v>&nothing;</v></c></row>` + inlined(4, "2026-08-03", "Bar", "1.00")),
			`linha 4: planilha "Sheet1", a planilha está danificada`},
		"a bomb": {withSheet(header + strings.Repeat(" ", int(boundsOfWorker.unpacked))),
			"O arquivo XLSX é grande demais: descompactado"},
		"a bomb of texts": {repacked(t, good, map[string]string{"xl/sharedStrings.xml": "<sst>" +
			strings.Repeat("<si/>", maxPart/5)}),
			"O arquivo XLSX é grande demais: uma parte que não é planilha pode ter até 32 MiB"},
		"a bomb of parts": {repacked(t, good, pictures), "O arquivo XLSX é grande demais: tem mais de 1000 partes"},
		"a bomb of sheets": {repacked(t, good, linked(maxSheets+1, "worksheets/sheet1.xml")),
			"O arquivo XLSX é grande demais: tem mais de 200 planilhas"},
		"two sheets of one part": {repacked(t, good, linked(2, "worksheets/sheet1.xml")),
			"O arquivo XLSX está danificado"},
		"two sheets of one name": {repacked(t, good, map[string]string{workbookPart: sheetsOf("Extrato", "EXTRATO")}),
			"O arquivo XLSX está danificado"},
		"another workbook": {repacked(t, good, map[string]string{"_rels/.rels": `<Relationships><Relationship Id="rId1"
			Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
			Target="xl/other.xml"/></Relationships>`}), "O arquivo XLSX está danificado"},
		"a late header": {withSheet(inlined(headerRows+1, "date", "title", "amount")),
			"Nenhuma planilha do arquivo XLSX tem o cabeçalho"},
		"a bomb of styles": {repacked(t, good, map[string]string{"xl/styles.xml": "<styleSheet><cellXfs>" +
			strings.Repeat("<xf/>", boundsOfWorker.elements)}),
			"O arquivo XLSX é grande demais: tem mais de 500000 elementos"},
		"a bomb of short texts": {repacked(t, good, map[string]string{"xl/sharedStrings.xml": "<sst>" +
			strings.Repeat("<si></si>", boundsOfWorker.elements)}),
			"O arquivo XLSX é grande demais: tem mais de 500000"},
		"a bomb of cells": {withSheet(header + "<row>" + strings.Repeat("<c/>", maxCells+1)),
			"O arquivo XLSX é grande demais: tem mais de 50000 elementos"},
		"a bomb of cells with comments": {withSheet(header + "<row>" + strings.Repeat("<c/><!--<row-->", 9)),
			"O arquivo XLSX está danificado"},
		"a comment that looks like a row": {withSheet(header + "<row><c/><!--x:row -->"),
			"O arquivo XLSX está danificado"},
		"an instruction that looks like a row": {withSheet(header + "<row><c/><?x <row?>"),
			"O arquivo XLSX está danificado"},
		"a bomb of a text in many cells": {bombOfTexts(t, strings.Repeat("x", 60_000), 300),
			"O arquivo XLSX tem um texto longo demais"},
		"a row of a text in several cells": {bombOfTexts(t, strings.Repeat("x", 40_000), 2, header),
			`linha 2: planilha "Sheet1", a linha é longa demais`},
		"a long text": {bombOfTexts(t, strings.Repeat("x", maxRecord+1), 1),
			"O arquivo XLSX tem um texto longo demais"},
		"a long text with a comment": {bombOfTexts(t, strings.Repeat("<r><t>"+strings.Repeat("x", 2000)+
			"</t></r><!--<si>-->", 99), 1), "O arquivo XLSX está danificado"},
		"a text of escapes": {bombOfTexts(t, strings.Repeat("_x0041_", maxEscapes+1), 1),
			"O arquivo XLSX tem um texto longo demais"},
		"a long inline text": {withSheet(header + inlined(2, strings.Repeat("x", maxRowXML))),
			"O arquivo XLSX tem um texto longo demais"},
		"a text in a row": {withSheet(header + `<row r="2"><si/><c/></row>`), "O arquivo XLSX está danificado"},
		"a row in a text": {bombOfTexts(t, "<row/>x", 1), "O arquivo XLSX está danificado"},
		"a row in pieces": {withSheet(header + inlined(2, "2026-08-03", "Bar", "1.00") +
			`<row spans='1:1' x:r = "2"><c/></row>`), "O arquivo XLSX está danificado"},
		"a row with a faulty attribute": {withSheet(header + `<row r="2" s=3><c/></row>`),
			"O arquivo XLSX está danificado"},
	} {
		_, err := readAll(newReader(bytes.NewReader(c.file)))
		var broken *Error
		if !errors.As(err, &broken) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// sheetsOf returns the XML of a workbook with the sheets.
func sheetsOf(names ...string) string {
	var b strings.Builder
	b.WriteString(`<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"
		xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>`)
	for i, name := range names {
		fmt.Fprintf(&b, `<sheet name="%s" sheetId="%d" r:id="rId%[2]d"/>`, name, i+1)
	}
	return b.String() + "</sheets></workbook>"
}

// linked returns the parts of a workbook with n sheets that have one part.
func linked(n int, target string) map[string]string {
	var names []string
	var links strings.Builder
	for i := range n {
		names = append(names, fmt.Sprint("Folha ", i))
		fmt.Fprintf(&links, `<Relationship Id="rId%d" Type="x" Target="%s"/>`, i+1, target)
	}
	return map[string]string{workbookPart: sheetsOf(names...), "xl/_rels/workbook.xml.rels": "<Relationships>" +
		links.String() + "</Relationships>"}
}

// bombOfTexts returns a workbook with a row of cells that all refer to one text, behind the rows before.
func bombOfTexts(t testing.TB, text string, cells int, before ...string) []byte {
	t.Helper()
	return repacked(t, workbook(t, [][]any{itauHeader}, nil), map[string]string{
		"xl/sharedStrings.xml": `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>` +
			text + `</t></si></sst>`,
		sheetPart: sheetOf(strings.Join(before, "") + "<row>" + strings.Repeat(`<c t="s"><v>0</v></c>`, cells) +
			"</row>"),
	})
}

// A request learns the header of a workbook that nobody maps; of a large or broken one, it learns nothing.
func TestUnknownHeadersOfWorkbooks(t *testing.T) {
	table := []any{"Dia", "Texto", "Quanto (R$)"}
	unknown := workbook(t, [][]any{{"Meu banco", "Conta: 123"}, nil, table, {"01/08/2026", "BAR", -5.5}},
		func(book *excelize.File) {
			_, _ = book.NewSheet("Capa")
			_ = book.SetSheetRow("Capa", "A1", &[]any{"Extrato", "Agosto"})
		})
	mapping := func(amount string) *finance.StatementMapping {
		day, text := "Dia", "Texto"
		return &finance.StatementMapping{Date: &day, Description: &text, Amount: &amount}
	}
	refused := messages.Workbook.With("Dia;Texto;Quanto (R$)").Text
	for name, c := range map[string]struct {
		file []byte
		m    *finance.StatementMapping
		want string
	}{
		"no mapping":      {unknown, nil, refused},
		"another mapping": {unknown, mapping("Valor"), refused},
		"its mapping":     {unknown, mapping("quanto r$"), ""},
		"no header":       {workbook(t, [][]any{{1, 2}}, nil), nil, messages.Workbook.With("").Text},
		"a known header":  {workbook(t, [][]any{itauHeader}, nil), nil, ""},
		"a wide header": {workbook(t, [][]any{slices.Repeat([]any{"Ano"}, 500)}, nil), nil,
			messages.Workbook.With("").Text},
		"a broken one": {unknown[:len(unknown)-40], nil, ""},
		"a large one": {repacked(t, unknown, map[string]string{
			"xl/media/logo.png": strings.Repeat("x", int(boundsOfHeader.unpacked))}), nil, ""},
		"a bomb of a text":  {bombOfTexts(t, strings.Repeat("x", 50_000), 16_000), nil, ""},
		"one of many bytes": {append(unknown, make([]byte, BookSize)...), nil, ""},
	} {
		got := ""
		if fault := UnknownHeader(c.file, c.m); fault != nil {
			got = fault.Text
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// A request reads a workbook of an ordinary size only.
func TestAccountsOfWorkbooks(t *testing.T) {
	rows := [][]any{{"Conta:", "55500-1"}, itauHeader, {46237, "BAR", nil, -5.5}}
	a, err := ReadAccounts(bytes.NewReader(workbook(t, rows, nil)))
	if diff := diff([]string{"55500-1"}, a.Numbers); diff != "" || err != nil {
		t.Errorf("%v: -want +got\n%s", err, diff)
	}
	large := repacked(t, workbook(t, rows, nil), map[string]string{
		"xl/media/logo.png": strings.Repeat("x", int(boundsOfRequest.unpacked))})
	if _, err := ReadAccounts(bytes.NewReader(large)); !errors.As(err, new(*Error)) ||
		!strings.Contains(err.Error(), "até 16 MiB. Envie-o à conta bancária dele, onde pode ter até 200 MiB") {
		t.Error(err)
	}
}

// docs/statements.md names these bounds; the other tests have the constants, whatever their values.
func TestBoundsOfWorkbooksAreAsDocumented(t *testing.T) {
	if boundsOfWorker != (bounds{200 << 20, 500_000}) || boundsOfRequest != (bounds{16 << 20, 100_000}) ||
		maxRows != 1_000_000 {
		t.Error(boundsOfWorker, boundsOfRequest, maxRows)
	}
}

func TestWorkbooksOfTheDoors(t *testing.T) {
	r := newReader(bytes.NewReader(doorFile(t, "synthetic__itau_2026-08.xlsx")))
	items, err := readAll(r)
	if err != nil {
		t.Fatal(err)
	}
	want := "balance\n2026-08-03 150010 PIX RECEBIDO BELTRA03/08\n2026-08-03 -8990 TAR PACOTE ITAU AGO/26\n" +
		"balance\n2026-08-04 -29 SISPAG FORNECEDORES\n2026-08-04 -29 SISPAG FORNECEDORES\nbalance\n"
	if diff := diff(want, shown(t, items)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	got := stateOf(r.Summary(""))
	if got != "55500-1 2026-08-01..2026-08-31 2026-08-04 2409.62" || len(r.Notes()) > 0 {
		t.Error(got, r.Notes())
	}
}

// The input is the XML of a sheet: reading ends, without a panic, and with the same items each time.
func FuzzXLSX(f *testing.F) {
	header := inlined(1, "date", "title", "amount")
	for _, rows := range []string{
		inlined(2, "2026-08-03", "Bar", "1.00"),
		`<row r="9"><c r="ZZ9"><v>1</v></c><c r="A9" t="s"><v>99</v></c><c t="b"><v>1</v></c><c t="e"/></row>`,
		"<row><c><f>A1</f>",
	} {
		f.Add([]byte(sheetOf(header + rows)))
	}
	book := workbook(f, nil, nil)
	f.Fuzz(func(t *testing.T, xml []byte) {
		file := repacked(t, book, map[string]string{sheetPart: string(xml)})
		items, err := readAll(newReader(bytes.NewReader(file)))
		again, errAgain := readAll(newReader(bytes.NewReader(file)))
		if diff := diff(items, again); diff != "" || fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Errorf("%v and %v:\n%s", err, errAgain, diff)
		}
		for _, item := range items {
			checkItem(t, item, maxRows)
		}
	})
}
