package statement

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestDetect(t *testing.T) {
	for name, c := range map[string]struct {
		head string
		want Format
	}{
		"nothing":                     {"", ""},
		"blanks":                      {" \r\n\t\n", ""},
		"OFX 1":                       {"OFXHEADER:100\r\nDATA:OFXSGML\r\n\r\n<OFX>", OFX},
		"OFX 1 after an empty line":   {"\r\nOFXHEADER:100\r\n<OFX>", OFX},
		"OFX 2":                       {`<?xml version="1.0"?><?OFX OFXHEADER="200"?><OFX xmlns="x">`, OFX},
		"OFX in lower case":           {"<ofx><signonmsgsrsv1>", OFX},
		"OFX header only":             {"OFXHEADER:100\r\nDATA:OFXSGML\r\n", ""},
		"OFC":                         {"<OFC><DTD>2<CPAGE>1252", OFC},
		"UTF-8 with mark":             {"\xEF\xBB\xBF<OFX>", OFX},
		"UTF-16 little-endian":        {string(utf16Bytes(binary.LittleEndian, "<OFX>")), OFX},
		"UTF-16 big-endian":           {string(utf16Bytes(binary.BigEndian, "!Type:Bank\n")), QIF},
		"QIF":                         {"!Type:Bank\nD1/2/2026\n", QIF},
		"QIF with a mark and blanks":  {"\xEF\xBB\xBF\n \n!type:CCard \r\n", QIF},
		"QIF after a comment, CR":     {"# export\r!Account\rNx", QIF},
		"QIF options":                 {"!Option:AutoSwitch\n", QIF},
		"OFC in an OFX's description": {"<OFX><MEMO><OFC>", OFX},
		"OFX in an OFC's description": {"<OFC>\n<MEMO><OFX>", OFC},
		"OFX in a QIF's description":  {"!Type:Bank\nM<OFX>", QIF},
		"QIF in an OFX's description": {"<OFX>\n<MEMO>\n!Type:Bank", OFX},
		"the word within a line":      {"see !Type:Bank\n", ""},
		"a page instead of a file":    {"<!DOCTYPE html><html><body>Sua sessão expirou</body></html>", ""},
		"PDF":                         {"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj", ""},
		"zip":                         {"PK\x03\x04\x14\x00\x00\x00\x08\x00", ""},
		"XLSX":                        {zipped(t, "[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"), XLSX},
		"DOCX":                        {zipped(t, "[Content_Types].xml", "word/document.xml"), ""},
		"CSV":                         {"Banco\r\n\r\nData;Histórico;Documento;Valor (R$);Saldo (R$);\r\n", CSV},
		"CSV of nobody":               {"Data;Histórico;Valor\r\n01/08/2026;PADARIA;-5,00\r\n", ""},
		"OFX in a CSV's description":  {"date,title,amount\n2026-08-01,<OFX>,1.00\n", CSV},
		"more than the head is given": {strings.Repeat(" ", DetectSize) + "<OFX>", ""},
	} {
		if got := Detect([]byte(c.head)); got != c.want {
			t.Errorf("%s is %q, want %q", name, got, c.want)
		}
	}
}

func utf16Bytes(order binary.AppendByteOrder, text string) (b []byte) {
	for _, unit := range utf16.Encode([]rune("\uFEFF" + text)) {
		b = order.AppendUint16(b, unit)
	}
	return b
}
