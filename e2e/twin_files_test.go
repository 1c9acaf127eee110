package e2e

import (
	"fmt"
	"strings"
)

// march returns a day of March 2026.
func march(n int) string { return fmt.Sprintf("2026-03-%02d", 1+n%28) }

// money returns an amount of cents.
func money(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// ofx returns a statement of items, each as "2026-03-01 -10.00 id document text", where - is no document.
func ofx(balance string, items ...string) string {
	var b strings.Builder
	b.WriteString("OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL<BANKACCTFROM><ACCTID>12345-6" +
		"</BANKACCTFROM><BANKTRANLIST>")
	for _, item := range items {
		of := strings.SplitN(item, " ", 5)
		document := ""
		if of[3] != "-" {
			document = "<CHECKNUM>" + of[3]
		}
		fmt.Fprintf(&b, "\n<STMTTRN><TRNTYPE>OTHER<DTPOSTED>%s<TRNAMT>%s<FITID>%s%s<MEMO>%s</STMTTRN>",
			strings.ReplaceAll(of[0], "-", ""), of[1], of[2], document, of[4])
	}
	return b.String() + "</BANKTRANLIST><LEDGERBAL><BALAMT>" + balance + "<DTASOF>20260331</LEDGERBAL></STMTRS>" +
		"</STMTTRNRS></BANKMSGSRSV1></OFX>\n"
}

// pluggy returns JSON of items of March 2026, each as "id day amount text".
func pluggy(items ...string) string {
	var all []string
	for _, item := range items {
		of := strings.SplitN(item, " ", 4)
		kind := "CREDIT"
		if strings.HasPrefix(of[2], "-") {
			kind = "DEBIT"
		}
		all = append(all, fmt.Sprintf(`{"id":%q,"date":"2026-03-%sT15:00:00Z","type":%q,"amount":%s,"description":%q}`,
			of[0], of[1], kind, of[2], of[3]))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// nubank returns a table of the purchases from first to the one before end.
func nubank(first, end int) string {
	var b strings.Builder
	b.WriteString("Data,Valor,Identificador,Descrição\n")
	for n := first; n < end; n++ {
		fmt.Fprintf(&b, "%02d/03/2026,-%s,id-%d,Compra %d\n", 1+n%28, money(100+n), n, n)
	}
	return b.String()
}
