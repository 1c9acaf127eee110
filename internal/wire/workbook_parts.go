package wire

// The parts of a workbook beside its worksheet. Excel needs two fills, and reads the numbers of formats below 164 as
// formats of its own, which follow the language of the reader: 1 is 0, 4 is #,##0.00, 14 is a short date.

const mainNamespace = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`

const xmlStandalone = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"

const worksheetBegin = xmlStandalone + `<worksheet ` + mainNamespace + `><sheetViews>` +
	`<sheetView tabSelected="1" workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" ` +
	`state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>`

const (
	relationships   = "http://schemas.openxmlformats.org/package/2006/relationships"
	officeDocuments = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	spreadsheets    = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

var workbookParts = []struct{ name, text string }{
	{"[Content_Types].xml", xmlStandalone +
		`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + spreadsheets + `sheet.main+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="` + spreadsheets + `styles+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + spreadsheets + `worksheet+xml"/></Types>`},
	{"_rels/.rels", xmlStandalone + `<Relationships xmlns="` + relationships + `">` +
		`<Relationship Id="rId1" Type="` + officeDocuments + `/officeDocument" Target="xl/workbook.xml"/>` +
		`</Relationships>`},
	{"xl/workbook.xml", xmlStandalone + `<workbook ` + mainNamespace + ` xmlns:r="` + officeDocuments + `"><sheets>` +
		`<sheet name="{title}" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", xmlStandalone + `<Relationships xmlns="` + relationships + `">` +
		`<Relationship Id="rId1" Type="` + officeDocuments + `/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="` + officeDocuments + `/styles" Target="styles.xml"/></Relationships>`},
	{"xl/styles.xml", xmlStandalone + `<styleSheet ` + mainNamespace + `>` +
		`<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/></numFmts>` +
		`<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>` +
		`<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill>` +
		`<fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border>` +
		`<border><left/><right/><top style="thin"/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		`<cellXfs count="8">` +
		`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
		`<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>` +
		`<xf numFmtId="1" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="14" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/>` +
		`<xf numFmtId="4" fontId="1" fillId="0" borderId="1" xfId="0" applyNumberFormat="1" applyFont="1" ` +
		`applyBorder="1"/></cellXfs>` +
		`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`},
}
