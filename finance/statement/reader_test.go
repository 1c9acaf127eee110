package statement

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"bordero/finance"
)

// one returns the file's only item.
func one(t *testing.T, file string) Item {
	t.Helper()
	items, err := readAll(newReader(strings.NewReader(whole(file))))
	if err != nil || len(items) != 1 {
		t.Fatalf("%d items, error %v in\n%.500s", len(items), err, file)
	}
	return items[0]
}

const movement = "<DTPOSTED>20260302<TRNAMT>-1.50<FITID>7<CHECKNUM>8<NAME>Padaria<MEMO>Pão"

// All variants of the format that banks write contain the same movement.
func TestOneMovementInManyShapes(t *testing.T) {
	want := Item{Day: day(2026, 3, 2), Account: "12-3", Amount: "-1.50", FITID: "7", Document: "8",
		Description: "Padaria Pão"}
	const from = "<STMTRS><BANKACCTFROM><ACCTID>12-3</BANKACCTFROM><BANKTRANLIST>"
	plain := "<OFX>" + from + "<STMTTRN>" + movement + "</STMTTRN></BANKTRANLIST></STMTRS></OFX>"
	leaves := strings.NewReplacer("<DTPOSTED>20260302", "<DTPOSTED>20260302</DTPOSTED>", "<TRNAMT>-1.50",
		"<TRNAMT>-1.50</TRNAMT>",
		"<FITID>7", "<FITID>7</FITID>", "<CHECKNUM>8", "<CHECKNUM>8</CHECKNUM>", "<NAME>Padaria",
		"<NAME>Padaria</NAME>",
		"<MEMO>Pão", "<MEMO>Pão</MEMO>", "12-3", "12-3</ACCTID>")
	for name, file := range map[string]string{
		"one line":            plain,
		"header":              "OFXHEADER:100\r\nDATA:OFXSGML\r\nCHARSET:1252\r\n\r\n" + plain,
		"header run together": "OFXHEADER:100DATA:OFXSGMLVERSION:999ENCODING: UTF - 8CHARSET:NONE" + plain,
		"XML header": `<?xml version="1.0" encoding="utf-16"?><?OFX OFXHEADER="200"?>` +
			leaves.Replace(plain),
		"closed leaves":      leaves.Replace(plain),
		"CR lines":           strings.ReplaceAll(plain, "<", "\r<"),
		"CRLF lines, blanks": strings.ReplaceAll(plain, "<", "  \r\n\t <"),
		"blanks after tags":  strings.ReplaceAll(plain, ">", "> \n\t"),
		"blanks in tags":     strings.ReplaceAll(plain, ">", " \n>"),
		"attributes":         strings.ReplaceAll(plain, "<OFX>", `<OFX xmlns:x="http://x/y" a='b'>`),
		"lower case": strings.NewReplacer("OFX", "ofx", "STMTTRN", "stmttrn", "TRNAMT", "trnAmt", "MEMO",
			"Memo").Replace(plain),
		"unknown elements": strings.ReplaceAll(plain, "<FITID>", "<INTU.BID>9<X.Y-Z_1><DTUSER>20250101<FITID>"),
		"comments":         strings.ReplaceAll(plain, "<FITID>", "<!-- <FITID>9 <STMTTRN> - -- > --><FITID>"),
		"CDATA": strings.NewReplacer("Padaria", "<![CDATA[Padaria]]>", "Pão",
			"P<![CDATA[\xC3]]><![CDATA[\xA3o]]>").Replace(plain),
		"CDATA that is not wanted": strings.ReplaceAll(plain, "<FITID>", "<SIC><![CDATA[<FITID>9</STMTTRN>]]><FITID>"),
		"next tag ends item":       strings.ReplaceAll(plain, "</STMTTRN>", "") + "",
		"end of file ends item":    "<OFX>" + from + "<STMTTRN>" + movement + "</OFX>",
		"balance ends item":        "<OFX>" + from + "<STMTTRN>" + movement + "<LEDGERBAL><BALAMT>1<DTASOF>20260302",
		"end of file in a value": "<OFX>" + from + "<STMTTRN>" + strings.ReplaceAll(movement, "<TRNAMT>-1.50", "") +
			"<TRNAMT>-1.50",
		"wrong closers": strings.NewReplacer("</BANKTRANLIST>", "</FOO>", "</BANKACCTFROM>", "</CCACCTFROM>").Replace(
			plain),
		"first leaf counts": strings.ReplaceAll(plain, "</STMTTRN>",
			"<DTPOSTED>20200101<TRNAMT>9<FITID>9<CHECKNUM>9<NAME>9<MEMO>9</STMTTRN>"),
		"blank leaf says nothing": strings.ReplaceAll(plain, "<FITID>",
			"<FITID/><CHECKNUM></CHECKNUM><NAME>\n<MEMO> <FITID>"),
		"'<' that begins no tag": strings.ReplaceAll(plain, "<FITID>", "<SIC>a <b\n<FITID>"),
		"'<' that begins no tag soon": strings.ReplaceAll(plain, "<FITID>", "<SIC>a <b "+strings.Repeat("x", 100_000)+
			"<FITID>"),
		"text after the end":      plain + "\n</BANKTRANLIST><STMTTRN><DTPOSTED>20260303<TRNAMT>9</STMTTRN><! <",
		"a comment after the end": plain + "<!-- cut",
		"two documents":           "<OFX></OFX>" + plain + "\n<ofc><DTD>2</ofc>",
		"accounts within": strings.ReplaceAll(plain, "<FITID>",
			"<BANKACCTTO><BANKID>1<ACCTID>99</BANKACCTTO><CCACCTTO><ACCTID>98</CCACCTTO><FITID>"),
		"payee": strings.ReplaceAll(plain, "<NAME>Padaria",
			"<PAYEE>\n<NAME>Padaria<ADDR1>Rua 1<CITY>São Paulo</PAYEE>"),
		"reference number":     strings.ReplaceAll(plain, "<CHECKNUM>", "<REFNUM>"),
		"both numbers":         strings.ReplaceAll(plain, "<CHECKNUM>", "<REFNUM>9<CHECKNUM>"),
		"CP1252":               strings.ReplaceAll(plain, "ã", "\xE3"),
		"entities":             strings.ReplaceAll(plain, "ã", "&#227;"),
		"UTF-8 mark":           "\uFEFF" + plain,
		"UTF-16 little-endian": string(utf16Bytes(binary.LittleEndian, plain)),
		"UTF-16 big-endian":    string(utf16Bytes(binary.BigEndian, plain)),
		"entity bomb": `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>` +
			strings.ReplaceAll(plain, "<FITID>", "<SIC>&b;<FITID>"),
		"after other messages": strings.ReplaceAll(plain, "<STMTRS>",
			"<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<MESSAGE>ok</STATUS><MEMO>x</SONRS></SIGNONMSGSRSV1><STMTRS>"),
		"tags before the body": "<FITID>x<STMTTRN><ACCTID>5</STMTTRN>" + plain,
	} {
		got := one(t, file)
		got.Line, got.AmountLine = 0, 0
		if diff := diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
		again, err := readAll(newReader(slow{strings.NewReader(whole(file))}))
		if err != nil || len(again) != 1 {
			t.Errorf("%s: %d items byte by byte, error %v", name, len(again), err)
		}
	}
}

func TestTexts(t *testing.T) {
	for written, want := range map[string]string{
		"<MEMO>A&B LTDA < 30 DIAS":                "A&B LTDA < 30 DIAS",
		"<MEMO>1<2, <3 e <=4":                     "1<2, <3 e <=4",
		"<MEMO>a << b <":                          "a << b <",
		"<MEMO>a <! b <? c <!- d":                 "a <! b <? c <!- d",
		"<MEMO>M&amp;M &#231;af&#xE9; &lt;x&gt;":  "M&M çafé <x>",
		"<MEMO>&amp;lt; &amp;amp;":                "&lt; &amp;",
		"<MEMO>SILVA&LTDA &copy &x; & ; &#59;":    "SILVA&LTDA &copy &x; & ; ;",
		"<MEMO>&nbsp;x&nbsp;&nbsp;y&nbsp;":        "x  y",
		"<MEMO>a&#0;b&#13;c&#x7;":                 "a\uFFFDb c",
		"<MEMO>&ccedil;&Atilde;&euro;&#150;":      "çÃ€–",
		"<MEMO><![CDATA[a &amp; <b> ]] >]]> c":    "a &amp; <b> ]] > c",
		"<MEMO><![CDATA[]]>":                      "",
		"<MEMO><!-- a -->b<!--c--> <![CDATA[d]]>": "b d",
		"<MEMO>JOSÉ CONCEI\xC3":                   "JOSÉ CONCEI", // cut in the middle of a letter
		"<MEMO>PREÇO 5 \xE2\x82 ":                 "PREÇO 5",
		"<MEMO>IRM\xC3":                           "IRMÃ",
		"<MEMO>JO\xC3O IRM\xC3":                   "JOÃO IRMÃ",
		"<MEMO>uma  \r\n\r\n  linha\rs\u00f3":     "uma linha só",
		"<MEMO>a  b\tc":                           "a  b c",
		"<MEMO>a\x00b\x07c\x1Bd\u0085e\u009Ff":    "abcd ef",
		"<MEMO>\x80 \x93x\x94 \x81":               "€ “x” \uFFFD",
		"<NAME>\xE7<MEMO>ç":                       "ç",
		"<NAME>\xE7a<MEMO>ç é":                    "ça ç é",
		"<NAME>Pix<MEMO>Pix":                      "Pix",
		"<NAME>Pix enviado<MEMO>Pix":              "Pix enviado",
		"<NAME>Pix<MEMO>Pix enviado":              "Pix enviado",
		"<MEMO>Pix<NAME>Loja":                     "Loja Pix",
		"<NAME>Loja":                              "Loja",
		"<NAME>\n<MEMO>Pix":                       "Pix",
		"<NAME>A</NAME>lixo<MEMO>B</MEMO>lixo":    "A B",
		"":                                        "",
	} {
		got := one(t, "<OFX><STMTTRN><DTPOSTED>20260302<TRNAMT>1"+written+"</STMTTRN>")
		if got.Description != want {
			t.Errorf("%q reads %q, want %q", written, got.Description, want)
		}
	}
}

func TestDays(t *testing.T) {
	for written, want := range map[string]finance.Date{
		"20260302":                       day(2026, 3, 2),
		" 20260302 \r\n":                 day(2026, 3, 2),
		"20260302000000[-3:GMT]":         day(2026, 3, 2),
		"20260302235959.999[-03:EST]":    day(2026, 3, 2), // in UTC the next day
		"20260302120000[-:EST]":          day(2026, 3, 2),
		"20260302120000[0:GMT]":          day(2026, 3, 2),
		"2026030212":                     day(2026, 3, 2),
		"2026-03-02":                     day(2026, 3, 2),
		"2026-03-02T23:00:00-03:00":      day(2026, 3, 2),
		"20240229":                       day(2024, 2, 29),
		"20260229":                       {},
		"20260230":                       {},
		"201120000000":                   {},
		"00000000":                       {},
		"00000000000000[-3:BRT]":         {},
		"2026030":                        {},
		"2026-3-2":                       day(2026, 3, 2),
		"2026/03/02":                     day(2026, 3, 2),
		"2026.03.02":                     {},
		"260302":                         {},
		"02/03/2026":                     day(2026, 3, 2),
		"02-03-2026 10:15:00":            day(2026, 3, 2),
		"02032026":                       day(2026, 3, 2),
		"02032026101500[-3:BRT]":         day(2026, 3, 2),
		"03/31/2026":                     day(2026, 3, 31),
		"20101130":                       day(2010, 11, 30),
		"2-mar-2026":                     day(2026, 3, 2),
		"02MAR2026":                      day(2026, 3, 2),
		"2 de março de 2026":             day(2026, 3, 2),
		"":                               {},
		"hoje":                           {},
		"<![CDATA[20260302]]>":           day(2026, 3, 2),
		"<!-- GMT -->20260302":           day(2026, 3, 2),
		"20260302<DTUSER>20260301120000": day(2026, 3, 2),
	} {
		items, err := readAll(newReader(strings.NewReader("<OFX><STMTTRN><DTPOSTED>" + written + "<TRNAMT>1</STMTTRN>" +
			"</OFX>")))
		switch {
		case written == "": // missing, not unreadable
			if err != nil || !items[0].Day.IsZero() {
				t.Errorf("a blank date reads %v, error %v", items, err)
			}
		case want.IsZero():
			if !errors.As(err, new(*Error)) {
				t.Errorf("%q reads %v, error %v", written, items, err)
			}
		case err != nil || items[0].Day != want:
			t.Errorf("%q reads %v, error %v, want %v", written, items, err, want)
		}
	}
}

func TestLongValuesAreCut(t *testing.T) {
	for name, memo := range map[string]string{
		"ASCII":   strings.Repeat("a", 100_000),
		"two":     "a" + strings.Repeat("é", 100_000),
		"four":    "abc" + strings.Repeat("😀", 100_000),
		"CDATA":   "<![CDATA[a" + strings.Repeat("é", 100_000) + "]]>",
		"CDATA 2": strings.Repeat("<![CDATA[&é]]>", 100_000),
		"blanks":  strings.Repeat(" ", 100_000) + strings.Repeat("x ", 4000),
	} {
		got := one(t, "<OFX><STMTTRN><DTPOSTED>20260302<TRNAMT>1<MEMO>"+memo+"<FITID>"+memo+"<CHECKNUM>"+memo+
			"</STMTTRN>")
		if n := len(got.Description); n < maxValue/3 || n > maxValue+len("…") || !strings.HasSuffix(got.Description,
			"…") ||
			strings.ContainsAny(got.Description, "\uFFFDÃ") {
			t.Errorf("%s: a description of %d bytes: %.20q…", name, n, got.Description)
		}
		for _, number := range []string{got.FITID, got.Document} {
			if n := len(number); n < 250 || n > 255 || strings.ContainsAny(number, "\uFFFDÃ") {
				t.Errorf("%s: a number of %d bytes: %q", name, n, number)
			}
		}
	}
	item := one(t, "<OFX><STMTTRN><DTPOSTED>20260302<TRNAMT>"+strings.Repeat("0", 5000)+"1.00\n</OFX>")
	if _, _, err := Classify(item, "", day(2026, 3, 3)); err == nil {
		t.Error("an amount that was cut is taken")
	}
	item = one(t, "<OFX><STMTTRN><DTPOSTED>20260302<TRNAMT>"+strings.Repeat(" ", 5000)+"1.00\n</OFX>")
	if _, amount, err := Classify(item, "", day(2026, 3, 3)); err != nil || amount != 100 {
		t.Errorf("a padded amount is %v, error %v", amount, err)
	}
}

func TestAccountsAndCards(t *testing.T) {
	item := "<STMTTRN><DTPOSTED>20260302<TRNAMT>1<FITID>1</STMTTRN>"
	file := "<OFX>" +
		"<ACCTINFO><BANKACCTFROM><ACCTID>1</BANKACCTFROM></ACCTINFO>" +
		"<STMTRS><BANKACCTFROM><BANKID>9<ACCTID>0012345-X <ACCTTYPE>CHECKING</BANKACCTFROM>" + item + "</STMTRS>" +
		"<CCSTMTRS><CCACCTFROM><ACCTID>4111 1111</CCACCTFROM>" + item + "</STMTRS>" + // wrong closing tag
		"<STMTRS>" + item + "</STMTRS>" +
		"<STMTRS><BANKACCTFROM><ACCTID>12345x</ACCTID></BANKACCTFROM>" +
		"<STMTTRN><DTPOSTED>20260302<TRNAMT>1" + // nothing is closed
		"<CCSTMTRS><CCACCTFROM><ACCTID>7<BANKTRANLIST>" + item
	items, err := readAll(newReader(strings.NewReader(whole(file))))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range items {
		got = append(got, fmt.Sprint(item.Account, " ", item.Card))
	}
	want := []string{"0012345-X false", "4111 1111 true", " false", "12345x false", "7 true"}
	if diff := diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestInvestmentsGiveCashOnly(t *testing.T) {
	file := "<OFX><INVSTMTRS><DTASOF>20260302<INVACCTFROM><BROKERID>x<ACCTID>55</INVACCTFROM><INVTRANLIST>" +
		"<BUYSTOCK><INVBUY><INVTRAN><FITID>1<DTTRADE>20260302<MEMO>BUY</INVTRAN><TOTAL>-10</INVBUY></BUYSTOCK>" +
		"<INVBANKTRAN><STMTTRN><DTPOSTED>20260302<TRNAMT>5<SUBACCTFUND>CASH</INVBANKTRAN>" + // </STMTTRN> is missing
		"<INCOME><INVTRAN><FITID>2<MEMO>DIVIDEND</INVTRAN><TOTAL>3</INCOME></INVTRANLIST></INVSTMTRS></OFX>"
	got := one(t, file)
	if diff := diff(Item{Line: 1, AmountLine: 1, Account: "55", Day: day(2026, 3, 2), Amount: "5"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestLines(t *testing.T) {
	file := "H:1\rH:2\r\nH:3\n\n\r\r\n<OFX>\n<STMTTRN\n><DTPOSTED>20260302\n<TRNAMT\n>1\n<MEMO>" +
		"a\r\nb\rc<![CDATA[\n\n]]></STMTTRN>\n\n" +
		"<!--\n--><STMTTRN><DTPOSTED>20260302<TRNAMT>2</STMTTRN></OFX>"
	for _, r := range []io.ReadSeeker{strings.NewReader(file), slow{strings.NewReader(file)}} {
		items, err := readAll(newReader(r))
		if err != nil || len(items) != 2 {
			t.Fatal(items, err)
		}
		got := []int{items[0].Line, items[0].AmountLine, items[1].Line, items[1].AmountLine}
		if diff := diff([]int{8, 10, 19, 19}, got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

func TestCutOff(t *testing.T) {
	const (
		whole    = "<OFX>\n<STMTTRN>\n<DTPOSTED>20260302\n<TRNAMT>1\n</STMTTRN>\n" // 6 lines
		unclosed = "<OFX>\n<STMTTRN>\n<DTPOSTED>20260302\n<TRNAMT>1\n"
		end      = "\n</OFX>\n"
		item     = "o arquivo termina dentro do lançamento que começa aqui; esperado "
		none     = "não é um extrato OFX, OFC, QIF, CSV, XLSX, JSON ou CNAB 240; esperado <OFX>, <OFC>, !Type:, { ou ["
		cut0     = "O arquivo termina antes do fim: falta </OFX>, depois de 0 lançamentos. Baixe-o de novo."
		cut1     = "O arquivo termina antes do fim: falta </OFX>, depois de 1 lançamento. Baixe-o de novo."
		cut2     = "O arquivo termina antes do fim: falta </OFX>, depois de 2 lançamentos. Baixe-o de novo."
	)
	for name, c := range map[string]struct {
		file  string
		items int
		line  int // 0 if the file is valid, or is broken as a whole
		text  string
	}{
		"empty":                         {"", 0, 1, none},
		"no body":                       {"OFXHEADER:100\n\n", 0, 1, none},
		"something else":                {"<html>\n<body>Sessão expirada</body></html>", 0, 1, none},
		"body without rows":             {"<OFX></OFX>", 0, 0, ""},
		"only closing tags are missing": {whole + end, 1, 0, ""},
		"no item is closed":             {unclosed + end, 1, 0, ""},
		"no item is closed, two":        {unclosed + "<STMTTRN><TRNAMT>2<DTPOSTED>20260302" + end, 2, 0, ""},
		"a bare '<' is not cut":         {unclosed + "<MEMO>a < b" + end, 1, 0, ""},
		"the end in lower case":         {whole + "</ofx >", 1, 0, ""},
		"only the end is missing":       {whole, 0, 0, cut1},
		"only the end of OFC is missing": {strings.ReplaceAll(whole, "OFX", "ofc"), 0, 0,
			strings.ReplaceAll(cut1, "OFX", "OFC")},
		"the end of another format":      {whole + "</OFC>", 0, 0, cut1},
		"the end in CDATA":               {whole + "<![CDATA[</OFX>]]>", 0, 0, cut1},
		"the end in a comment":           {whole + "<!--</OFX>-->", 0, 0, cut1},
		"a second document":              {whole + end + whole, 0, 0, cut2},
		"a first document":               {whole + whole + end, 0, 0, cut1},
		"body without rows, cut":         {"<OFX>", 0, 0, cut0},
		"in the first tag":               {"\n<OF", 0, 1, none},
		"in a tag before the second":     {"\n<OFX", 0, 0, cut0},
		"in a tag":                       {whole + "<STMTT", 0, 0, cut1},
		"after '<'":                      {whole + "\n<", 0, 0, cut1},
		"after '</'":                     {whole + "</", 0, 0, cut1},
		"in the end":                     {whole + "</OFX", 0, 0, cut1},
		"in a tag of an item":            {unclosed + "<FITID", 0, 0, cut0},
		"in CDATA":                       {unclosed + "<MEMO><![CDATA[a\nb\n", 0, 0, cut0},
		"in the start of CDATA":          {unclosed + "<MEMO>x<![CD", 0, 0, cut0},
		"in a comment":                   {whole + "<!-- a\n <OFX> ", 0, 0, cut1},
		"in the second item":             {whole + unclosed[6:], 0, 0, cut1},
		"in the list, after its end":     {whole + unclosed[6:] + "</BANKTRANLIST>", 0, 0, cut2},
		"at the start of an item":        {unclosed + "</STMTTRN>\n<STMTTRN>" + end, 0, 6, item + "<DTPOSTED>"},
		"only item without a date":       {"<OFX>\n<STMTTRN>\n<TRNAMT>1" + end, 0, 2, item + "<DTPOSTED>"},
		"only item without an amount":    {"<OFX>\n<STMTTRN>\n<DTPOSTED>20260302" + end, 0, 2, item + "<TRNAMT>"},
		"blank amount, file goes on":     {"<OFX>\n<STMTTRN>\n<DTPOSTED>20260302<TRNAMT>\n<MEMO>x" + end, 1, 0, ""},
		"others are closed":              {whole + whole[6:] + unclosed[6:] + "<MEMO>x" + end, 3, 0, ""},
		"others are closed, list ends":   {whole + unclosed[6:] + "</BANKTRANLIST>" + end, 2, 0, ""},
		"closed item without anything":   {whole + "<STMTTRN></STMTTRN>" + end, 2, 0, ""},
		"self-closed item before a list": {whole + "<STMTTRN/></BANKTRANLIST>" + end, 2, 0, ""},
	} {
		for _, r := range []io.ReadSeeker{strings.NewReader(c.file), slow{strings.NewReader(c.file)}} {
			reader := newReader(r)
			items, err := readAll(reader)
			if len(items) != c.items {
				t.Errorf("%s: %d items, want %d", name, len(items), c.items)
			}
			var broken *Error
			switch {
			case c.text == "" && err != nil:
				t.Errorf("%s: %v", name, err)
			case c.text != "" && !errors.As(err, &broken):
				t.Errorf("%s: error %v", name, err)
			case c.text != "" && *broken != Error{c.line, c.text}:
				t.Errorf("%s: %v, want line %d: %s", name, err, c.line, c.text)
			}
			if _, again := reader.Next(); err == nil && again != io.EOF || err != nil && again != err {
				t.Errorf("%s: asked again: %v", name, again)
			}
		}
	}
}

func TestTroubleWithReadingIsNoFaultOfTheFile(t *testing.T) {
	trouble := errors.New("the disk is gone")
	for _, file := range []string{"", "<OF", "<OFX><STMTTRN>", "<OFX><STMTTRN><MEMO><![CDATA[", "!Type:Bank",
		"!Type:Bank\nD1/2/26\nT5\n^"} {
		_, err := readAll(newReader(stream{io.MultiReader(strings.NewReader(file), iotest.ErrReader(trouble))}))
		if err != trouble {
			t.Errorf("%q: error %v", file, err)
		}
	}
}

// stream is a file that cannot be read twice.
type stream struct{ io.Reader }

func (stream) Seek(int64, int) (int64, error) { return 0, errors.ErrUnsupported }

// An error contains its line, for the person who uploaded the file.
func TestErrorText(t *testing.T) {
	err := &Error{12, "esperado </STMTTRN>"}
	if got := err.Error(); got != "linha 12: esperado </STMTTRN>" {
		t.Error(got)
	}
}

// The reader passes over hostile input once. With time quadratic in the size, the test would not
// end.
func TestHostileInputEnds(t *testing.T) {
	for _, part := range []string{
		"<", "<a", "<a ", "</", "<!", "<!-", "<!--", "<![CDATA[", "<![CDATA[]]>", "&", "&amp", "\n", "\r", " ", "\x00",
		"]",
		"<STMTTRN>", "<MEMO>x", "<MEMO><![CDATA[&", "<BANKACCTFROM><ACCTID>", "<STMTRS><STMTTRN>",
		"<LEDGERBAL><BALAMT>1", "-->", "é",
	} {
		file := "<OFX><STMTTRN><DTPOSTED>1<TRNAMT>1<MEMO>" + strings.Repeat(part, 1<<20)
		r := newReader(strings.NewReader(file))
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
	}
	for _, part := range []string{"\r", "\r\n", "\n\r", "#", "&", "é", "!", "^^", "!Type:CCard\n",
		"D1/2/26\nT1\nMx\n^\n", "T1,000\nU2\n"} {
		file := "!Type:Bank\nD1/2/26\nT1\n^\n" + strings.Repeat(part, 1<<18)
		r := newReader(strings.NewReader(file))
		for {
			if _, err := r.Next(); err != nil {
				break
			}
		}
	}
	var accounts bytes.Buffer
	accounts.WriteString("<OFX>")
	for i := range 200_000 {
		fmt.Fprintf(&accounts, "<STMTRS><BANKACCTFROM><ACCTID>%d<DTSTART>20260101", i)
	}
	accounts.WriteString("</OFX>")
	r := newReader(bytes.NewReader(accounts.Bytes()))
	if _, err := readAll(r); err != nil || len(r.Summaries()) != maxSummaries {
		t.Errorf("%d accounts are summarised, error %v", len(r.Summaries()), err)
	}
}

// -1234.56 is never imported as -1234: an amount with nothing after it may continue.
func TestAnAmountThatTheFileCutsOffIsNone(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"OFX 1": "<OFX><STMTTRN><DTPOSTED>20260302<TRNAMT>-1234",
		"OFX 2": "<OFX><STMTTRN><DTPOSTED>20260302</DTPOSTED><TRNAMT>-1234",
		"OFC":   "<OFC><ACCTSTMT><STMTRS><STMTTRN><DTPOSTED>20260302<TRNAMT>-1234.",
		"QIF":   "!Type:Bank\nD02/03/2026\nPx\nT-1234",
	} {
		items, err := readAll(newReader(strings.NewReader(file)))
		if !errors.As(err, new(*Error)) {
			t.Errorf("%s: %+v, %v", name, items, err)
		}
	}
}
