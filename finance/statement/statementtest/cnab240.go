package statementtest

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"bordero/finance"
)

// WriteCNAB240 writes the movements of WriteOFX as a CNAB 240 statement, without ids, which the format lacks.
func WriteCNAB240(w io.Writer, n int, options ...Option) error {
	f := newFile(options)
	var debits, credits finance.Amount
	for i := f.from; i < f.from+n; i++ {
		if a := f.amount(i); a < 0 {
			debits -= a
		} else {
			credits += a
		}
	}
	closing, sign := credits-debits, "C"
	if closing < 0 {
		closing, sign = -closing, "D"
	}
	const company = "211222333000181                    00001 0000000123456 PADARIA EXEMPLO LTDA          "
	last := stampCNAB(f.day(f.from + n - 1))
	head := record("00100000", 18, company, 103, "BANCO DO BRASIL", 143, "2"+last) +
		record("00100011E0440033", 18, company, 143, stampCNAB(f.day(f.from))+strings.Repeat("0", 18)+"CFBRL00001")
	tail := record("00100015", 18, company[:55], 89, strings.Repeat("0", 54), 143,
		fmt.Sprintf("%s%018d%sF%06d%018d%018d", last, closing, sign, (n+2)%1e6, debits, credits)) +
		record("00199999", 18, fmt.Sprintf("000001%06d000001", (n+4)%1e6))
	f.lead = record("0010001300000E", 18, company[:55], 73, company[55:], 109, "DPV")[:134]
	return f.write(w, n, head, f.appendCNAB240, tail)
}

// record returns a record that begins with head and has each text behind its place.
func record(head string, placed ...any) string {
	for i := 0; i < len(placed); i += 2 {
		head += strings.Repeat(" ", placed[i].(int)-1-len(head)) + placed[i+1].(string)
	}
	return head + strings.Repeat(" ", 240-len(head)) + "\r\n"
}

func stampCNAB(day finance.Date) string {
	text := day.String()
	return text[8:] + text[5:7] + text[:4]
}

func (f file) appendCNAB240(b []byte, i int) []byte {
	start := len(b)
	b = append(b, f.lead...)
	day := stampCNAB(f.day(i))
	b = append(append(b, day...), day...)
	a := f.amount(i)
	sign := "C201"
	if a < 0 {
		a, sign = -a, "D112"
	}
	digits := strconv.FormatInt(int64(a), 10)
	b = append(b, "000000000000000000"[len(digits):]...)
	b = append(append(b, digits...), sign...)
	b = append(b, "0123"...)
	b = append(b, f.name(i)...)
	b = append(b, "                         "[len(f.name(i)):]...)
	b = append(b, "CLIENTE "...)
	b = strconv.AppendInt(b, int64(i%9_973), 10)
	for len(b)-start < 240 {
		b = append(b, ' ')
	}
	return append(b, "\r\n"...)
}
