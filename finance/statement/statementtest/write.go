package statementtest

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"bordero/finance"
)

// WriteOFX writes an OFX 1.0.2 statement of one checking account with n movements of about 160
// bytes each. A movement has day, amount, FITID, CHECKNUM, NAME and MEMO in the style of banks,
// with CRLF and unclosed leaves. The same arguments write the same bytes. A quarter of the
// movements are credits. The first ten million movements of a seed have distinct amounts, up to
// 100,000.01, and never zero or a balance.
func WriteOFX(w io.Writer, n int, options ...Option) error {
	f := newFile(options)
	first, last := f.day(f.from), f.day(f.from+n-1)
	head := fmt.Sprintf("OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nSECURITY:NONE\r\nENCODING:USASCII\r\n"+
		"CHARSET:1252\r\nCOMPRESSION:NONE\r\nOLDFILEUID:NONE\r\nNEWFILEUID:NONE\r\n\r\n<OFX>\r\n"+
		"<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>%[3]s<LANGUAGE>POR</SONRS></"+
		"SIGNONMSGSRSV1>\r\n"+
		"<BANKMSGSRSV1><STMTTRNRS><TRNUID>1<STATUS><CODE>0<SEVERITY>INFO</STATUS>\r\n"+
		"<STMTRS><CURDEF>BRL\r\n<BANKACCTFROM><BANKID>0341<ACCTID>%[1]s<ACCTTYPE>CHECKING</BANKACCTFROM>\r\n"+
		"<BANKTRANLIST><DTSTART>%[2]s<DTEND>%[3]s\r\n",
		Account, stamp(first), stamp(last))
	tail := fmt.Sprintf("</BANKTRANLIST>\r\n<LEDGERBAL><BALAMT>%v<DTASOF>%s</LEDGERBAL>\r\n"+
		"</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\r\n", Total(n, options...), stamp(last))
	return f.write(w, n, head, f.appendOFX, tail)
}

// WriteOFC writes the movements of WriteOFX as an OFC file.
func WriteOFC(w io.Writer, n int, options ...Option) error {
	f := newFile(options)
	head := fmt.Sprintf("<OFC>\r\n<DTD>2\r\n<CPAGE>1252\r\n<ACCTSTMT>\r\n<ACCTFROM>\r\n<BANKID>341\r\n<ACCTID>"+
		"%s\r\n<ACCTTYPE>0\r\n</ACCTFROM>\r\n"+
		"<STMTRS>\r\n<DTSTART>%s\r\n<DTEND>%s\r\n<LEDGER>%v\r\n",
		Account, stamp(f.day(f.from)), stamp(f.day(f.from+n-1)), Total(n, options...))
	return f.write(w, n, head, f.appendOFC, "</STMTRS>\r\n</ACCTSTMT>\r\n</OFC>\r\n")
}

// WriteQIF writes the movements of WriteOFX as a QIF file, without FITID, which the format lacks.
func WriteQIF(w io.Writer, n int, options ...Option) error {
	f := newFile(options)
	return f.write(w, n, "!Account\r\nN"+Account+"\r\nTBank\r\n^\r\n!Type:Bank\r\n", f.appendQIF, "")
}

// WriteCSV writes the movements of WriteOFX as the CSV of a bank with a column of balances, without FITID and
// CHECKNUM.
func WriteCSV(w io.Writer, n int, options ...Option) error {
	f := newFile(options)
	head := fmt.Sprintf("Extrato Conta Corrente \r\nConta ;%s\r\nPeríodo ;%s a %s\r\n\r\n"+
		"Data Lançamento;Descrição;Valor;Saldo\r\n", Account, brazilian(f.day(f.from)), brazilian(f.day(f.from+n-1)))
	var balance finance.Amount
	return f.write(w, n, head, func(b []byte, i int) []byte {
		balance += f.amount(i)
		b = append(append(b, brazilian(f.day(i))...), ';')
		b = append(append(b, f.name(i)...), " CLIENTE "...)
		b = strconv.AppendInt(b, int64(i%9_973), 10)
		b = appendCents(append(b, ';'), f.amount(i))
		return append(appendCents(append(b, ';'), balance), "\r\n"...)
	}, "")
}

// brazilian formats a day as 31/12/2026.
func brazilian(day finance.Date) string {
	text := day.String()
	return text[8:] + "/" + text[5:7] + "/" + text[:4]
}

// appendCents appends an amount with a decimal comma and points between thousands.
func appendCents(b []byte, amount finance.Amount) []byte {
	if amount < 0 {
		b, amount = append(b, '-'), -amount
	}
	whole := strconv.FormatInt(int64(amount)/100, 10)
	for i, c := range []byte(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b = append(b, '.')
		}
		b = append(b, c)
	}
	return append(b, ',', byte('0'+amount/10%10), byte('0'+amount%10))
}

// WriteJSON writes the movements of WriteOFX as JSON lines.
func WriteJSON(w io.Writer, n int, options ...Option) error {
	f := newFile(options)
	return f.write(w, n, "", f.appendJSON, "")
}

// write writes head, the movements and tail.
func (f file) write(w io.Writer, n int, head string, movement func(b []byte, i int) []byte, tail string) error {
	b := bufio.NewWriterSize(w, 64<<10)
	_, _ = b.WriteString(head) // Flush returns any error
	var text []byte
	for i := f.from; i < f.from+n; i++ {
		text = movement(text[:0], i)
		if _, err := b.Write(text); err != nil {
			return err
		}
	}
	_, _ = b.WriteString(tail)
	return b.Flush()
}

func (f file) appendOFX(b []byte, i int) []byte {
	kind := "DEBIT"
	if f.amount(i) > 0 {
		kind = "CREDIT"
	}
	return f.appendTags(b, i, kind, "120000[-3:BRT]", "CHECKNUM")
}

func (f file) appendOFC(b []byte, i int) []byte { return f.appendTags(b, i, "1", "", "CHKNUM") }

func (f file) appendTags(b []byte, i int, kind, hour, number string) []byte {
	b = append(b, "<STMTTRN>\r\n<TRNTYPE>"...)
	b = append(b, kind...)
	b = append(b, "\r\n<DTPOSTED>"...)
	b = append(b, stamp(f.day(i))...)
	b = append(b, hour...)
	b = append(b, "\r\n<TRNAMT>"...)
	b, _ = f.amount(i).AppendText(b)
	b = append(b, "\r\n<FITID>"...)
	b = append(b, 'F')
	b = strconv.AppendInt(b, int64(i), 10)
	b = append(b, "\r\n<"...)
	b = append(b, number...)
	b = append(b, '>')
	b = strconv.AppendInt(b, int64(i), 10)
	b = append(b, "\r\n<NAME>"...)
	b = append(b, f.name(i)...)
	b = append(b, "\r\n<MEMO>CLIENTE "...)
	b = strconv.AppendInt(b, int64(i%9_973), 10)
	return append(b, "\r\n</STMTTRN>\r\n"...)
}

func (f file) appendQIF(b []byte, i int) []byte {
	b = append(b, 'D')
	b = append(b, brazilian(f.day(i))...)
	b = append(b, "\r\nT"...)
	b, _ = f.amount(i).AppendText(b)
	b = append(b, "\r\nN"...)
	b = strconv.AppendInt(b, int64(i), 10)
	b = append(b, "\r\nP"...)
	b = append(b, f.name(i)...)
	b = append(b, "\r\nMCLIENTE "...)
	b = strconv.AppendInt(b, int64(i%9_973), 10)
	return append(b, "\r\n^\r\n"...)
}

func (f file) appendJSON(b []byte, i int) []byte {
	b = append(b, `{"id":"F`...)
	b = strconv.AppendInt(b, int64(i), 10)
	b = append(b, `","occurred_at":"`...)
	b, _ = f.day(i).AppendText(b)
	b = append(b, `","amount":`...)
	b, _ = f.amount(i).AppendText(b)
	b = append(b, `,"description":"`...)
	b = append(b, f.name(i)...)
	b = append(b, " CLIENTE "...)
	b = strconv.AppendInt(b, int64(i%9_973), 10)
	b = append(b, `","document":"`...)
	b = strconv.AppendInt(b, int64(i), 10)
	return append(b, `","status":"posted"}`+"\n"...)
}

// stamp formats a day for OFX and OFC.
func stamp(day finance.Date) string {
	text := day.String()
	return text[:4] + text[5:7] + text[8:]
}
