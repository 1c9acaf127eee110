package statement

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// Both shapes of OFC found in practice, in all variants that programs write, contain the same
// item.
func TestOneMovementOfOFC(t *testing.T) {
	want := Item{Day: day(2026, 3, 2), Account: "12-3", Amount: "-1,50", FITID: "7", Document: "8",
		Description: "Padaria Pão"}
	const leaves = "<TRNTYPE>1\n<DTPOSTED>20260302\n<TRNAMT>-1,50\n<FITID>7\n<CLTID>4\n<CHKNUM>8\n<SIC>6051\n<NAME>" +
		"Padaria\n<ACCTTO><ACCTID>9</ACCTTO>\n<MEMO>Pão\n"
	imported := "<OFC>\n<DTD>2\n<CPAGE>1252\n<ACCTSTMT>\n<ACCTFROM>\n<BANKID>1\n<ACCTID>12-3\n<ACCTTYPE>0\n</" +
		"ACCTFROM>\n<STMTRS>\n" +
		"<DTSTART>20260301\n<DTEND>20260331\n<LEDGER>\n<STMTTRN>\n" + leaves +
		"</STMTTRN>\n</STMTRS>\n</ACCTSTMT>\n</OFC>"
	for name, file := range map[string]string{
		"a file import": imported,
		"one line":      strings.ReplaceAll(imported, "\n", ""),
		"generic leaves": strings.NewReplacer("<STMTTRN>\n", "<STMTTRN>\n<GENTRN>\n", "</STMTTRN>",
			"</GENTRN></STMTTRN>").Replace(imported),
		"an account of its own element": strings.NewReplacer("<BANKID>", "<ACCOUNT><BANKID>", "</ACCTFROM>",
			"</ACCOUNT></ACCTFROM>").
			Replace(imported),
		"lower case":           strings.ToLower(imported[:5]) + imported[5:],
		"no closing tags":      imported[:strings.Index(imported, "</STMTTRN>")],
		"CP1252":               strings.ReplaceAll(imported, "ã", "\xE3"),
		"UTF-16 little-endian": string(utf16Bytes(binary.LittleEndian, imported)),
		"UTF-16 big-endian":    string(utf16Bytes(binary.BigEndian, imported)),
		"after messages": strings.ReplaceAll(imported, "<ACCTSTMT>",
			"<SONRS><STATUS>0</SONRS><MAINTRS><MAILRS><MEMO>a</MAILRS></MAINTRS><ACCTSTMT>"),
	} {
		got := one(t, file)
		got.Line, got.AmountLine = 0, 0
		if diff := diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	got := one(t, "<OFC><MAINTRS><MAILRS><MEMO>a</MAILRS></MAINTRS><TRNRS><CLTID>1<STATUS>0<STMTRS><LEDGER>"+
		"1\n<STMTTRN>\n<GENTRN>\n"+leaves+
		"</GENTRN></STMTTRN></STMTRS></TRNRS></OFC>")
	want.Line, want.AmountLine, want.Account = 2, 6, ""
	if diff := diff(want, got); diff != "" {
		t.Errorf("an answer saved to disk: -want +got\n%s", diff)
	}
}

func TestAccountsAndCardsOfOFC(t *testing.T) {
	const item = "<STMTTRN><DTPOSTED>20260302<TRNAMT>1</STMTTRN>"
	account := func(number, kind string) string {
		return "<ACCTSTMT><ACCTFROM><BANKID>1<ACCTID>" + number + "<ACCTTYPE>" + kind + "</ACCTFROM>"
	}
	const period = "<STMTRS><DTSTART>20260301<DTEND>20260331<LEDGER>-1,50"
	r := newReader(strings.NewReader("<OFC>" + account("1", "0") + period + item + "</STMTRS></ACCTSTMT>" +
		account("2", "2") + "<STMTRS>" + item +
		"</STMTRS><STMTRS>" + item + account("3", "4") + "<STMTRS>" + item + "<TRNRS><STMTRS>" + item + "</OFC>"))
	items, err := readAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range items {
		got = append(got, fmt.Sprint(item.Account, " ", item.Card))
	}
	if diff := diff([]string{"1 false", "2 true", "2 true", "3 false", " false"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	want := Summary{Account: "1", Items: 1, LedgerBalance: amount(-150), PeriodStart: on(2026, 3, 1),
		PeriodEnd: on(2026, 3, 31)}
	if diff := diff(want, r.Summary("1")); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
