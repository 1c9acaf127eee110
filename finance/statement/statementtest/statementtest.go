// Package statementtest makes bank statements of any size for tests and
// benchmarks. It is apart so that every room can use it and no product code does.
package statementtest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"

	"bordero/finance"
)

// Option changes what a made statement holds.
type Option func(*file)

type file struct {
	account string
	fitid   string
	start   finance.Date
	perDay  int
	from    int
	seed    int64
}

// Account is the account number of the statement, 12345-6 when not given.
func Account(number string) Option { return func(f *file) { f.account = number } }

// FITIDPrefix begins every FITID, after which comes the movement's number; it is
// "F" when not given. The same movements under another prefix are what banks make
// of a second export.
func FITIDPrefix(prefix string) Option { return func(f *file) { f.fitid = prefix } }

// Start is the day of movement 0, 2 January 2025 when not given.
func Start(day finance.Date) Option { return func(f *file) { f.start = day } }

// PerDay is how many movements a day has, 250 when not given: 100,000 of them make
// 400 days, a million 4,000, which is more than there are before today.
func PerDay(n int) Option { return func(f *file) { f.perDay = n } }

// From is the number of the first movement, 0 when not given. Files of the same
// seed hold the same movement under the same number, so From(0) and From(500) of
// 1,000 movements each have 500 in common, and From(1000) shares none with From(0).
func From(n int) Option { return func(f *file) { f.from = n } }

// Seed chooses other amounts for all movements.
func Seed(n int64) Option { return func(f *file) { f.seed = n } }

// WriteOFX writes an OFX 1.0.2 statement of one checking account with n movements
// of about 160 bytes each: the day, an amount, FITID, CHECKNUM, NAME and MEMO, as
// banks write them, with CRLF and unclosed leaves. The same arguments write the
// same bytes. No two of the first ten million movements of a seed have the same
// amount, none is zero, a balance or above 100,000.01, and a quarter are credits.
func WriteOFX(w io.Writer, n int, options ...Option) error {
	f := newFile(options)
	b := bufio.NewWriterSize(w, 64<<10)
	if err := f.writeHead(b, n); err != nil {
		return err
	}
	var movement []byte
	for i := f.from; i < f.from+n; i++ {
		movement = f.appendMovement(movement[:0], i)
		if _, err := b.Write(movement); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(b, "</BANKTRANLIST>\r\n<LEDGERBAL><BALAMT>%v<DTASOF>%s</LEDGERBAL>\r\n"+
		"</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\r\n", Total(n, options...), stamp(f.day(f.from+n-1)))
	if err != nil {
		return err
	}
	return b.Flush()
}

// OFX is what WriteOFX writes.
func OFX(n int, options ...Option) []byte {
	var b bytes.Buffer
	if err := WriteOFX(&b, n, options...); err != nil {
		panic(err) // a Buffer takes all
	}
	return b.Bytes()
}

// Total is the sum of the amounts that WriteOFX writes.
func Total(n int, options ...Option) finance.Amount {
	f := newFile(options)
	var total finance.Amount
	for i := f.from; i < f.from+n; i++ {
		total += f.amount(i)
	}
	return total
}

func newFile(options []Option) file {
	start, _ := finance.NewDate(2025, time.January, 2)
	f := file{account: "12345-6", fitid: "F", start: start, perDay: 250}
	for _, option := range options {
		option(&f)
	}
	return f
}

func (f file) day(i int) finance.Date { return f.start.AddDays(i / f.perDay) }

// amount goes through the residues of a prime, each once.
func (f file) amount(i int) finance.Amount {
	const prime = 10_000_019
	cents := finance.Amount(1 + (int64(i)*7_919+f.seed*104_729)%prime)
	if i%4 == 0 {
		return cents
	}
	return -cents
}

func (f file) writeHead(w io.Writer, n int) error {
	_, err := fmt.Fprintf(w, "OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nSECURITY:NONE\r\nENCODING:USASCII\r\n"+
		"CHARSET:1252\r\nCOMPRESSION:NONE\r\nOLDFILEUID:NONE\r\nNEWFILEUID:NONE\r\n\r\n<OFX>\r\n"+
		"<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>%[3]s<LANGUAGE>POR</SONRS></SIGNONMSGSRSV1>\r\n"+
		"<BANKMSGSRSV1><STMTTRNRS><TRNUID>1<STATUS><CODE>0<SEVERITY>INFO</STATUS>\r\n"+
		"<STMTRS><CURDEF>BRL\r\n<BANKACCTFROM><BANKID>0341<ACCTID>%[1]s<ACCTTYPE>CHECKING</BANKACCTFROM>\r\n"+
		"<BANKTRANLIST><DTSTART>%[2]s<DTEND>%[3]s\r\n",
		f.account, stamp(f.day(f.from)), stamp(f.day(f.from+n-1)))
	return err
}

func (f file) appendMovement(b []byte, i int) []byte {
	amount := f.amount(i)
	kind, name := "DEBIT", "PIX ENVIADO"
	if amount > 0 {
		kind, name = "CREDIT", "PIX RECEBIDO"
	}
	b = append(b, "<STMTTRN>\r\n<TRNTYPE>"...)
	b = append(b, kind...)
	b = append(b, "\r\n<DTPOSTED>"...)
	b = append(b, stamp(f.day(i))...)
	b = append(b, "120000[-3:BRT]\r\n<TRNAMT>"...)
	b, _ = amount.AppendText(b)
	b = append(b, "\r\n<FITID>"...)
	b = append(b, f.fitid...)
	b = strconv.AppendInt(b, int64(i), 10)
	b = append(b, "\r\n<CHECKNUM>"...)
	b = strconv.AppendInt(b, int64(i), 10)
	b = append(b, "\r\n<NAME>"...)
	b = append(b, name...)
	b = append(b, "\r\n<MEMO>CLIENTE "...)
	b = strconv.AppendInt(b, int64(i%9_973), 10)
	return append(b, "\r\n</STMTTRN>\r\n"...)
}

// stamp is a day as OFX writes it.
func stamp(day finance.Date) string {
	text := day.String()
	return text[:4] + text[5:7] + text[8:]
}
