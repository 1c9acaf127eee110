package statement

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"bordero/finance/statement/statementtest"
)

func FuzzOFX(f *testing.F) {
	fuzz(f, "ofx/", "<OFX><STMTTRN><MEMO><![CDATA[a&b]]>c", "\xFF\xFE<\x00O\x00", "<OFX><STMTTRN", "<OFX><!--><!-->")
}

func FuzzOFC(f *testing.F) {
	fuzz(f, "ofc/", "<OFC><ACCTSTMT><ACCTFROM><ACCOUNT><ACCTID>1<ACCTTYPE>2</ACCTFROM><STMTRS><LEDGER>1<STMTTRN>"+
		"<GENTRN><CHKNUM>9")
}

func FuzzQIF(f *testing.F) {
	fuzz(f, "qif/", "!Account\rNa\rTCCard\r^\r!Type:CCard\rD1/ 2'26\rT1,000\rU1\r^",
		"!Type:Oth L\nD31.12.99\nT1,5\nA\xe9", "!Type:Bank\n#\n^\n!Type:Cat\nD")
}

func FuzzCSV(f *testing.F) {
	var seeds []string
	for _, table := range tables {
		seeds = append(seeds, table.file)
	}
	fuzz(f, "csv/", append(seeds, inter+"\n"+inter, "\"Data\",\"Valor\",\"Identificador\",\"Descrição\"\n1\"\","+
		"\"2\n3\"")...)
}

func FuzzJSON(f *testing.F) {
	fuzz(f, "json/", `[{"id":1,"occurred_at":"2026-03-02","amount":-1.5}]`,
		`{"results":[{"date":"2026-03-02T03:00:00Z","amount":1,"type":"CREDIT","paymentData":{"payer":{"name":`+
			`"x\ud83d\ude00"}}}]}`, "{\"amount\":1}\n{\"amount\":2}",
		`{"data":[{"transactionDateTime":"2026-03-02T03:00:00Z","transactionAmount":{"amount":"1.0000"},`+
			`"creditDebitType":"DEBITO","completedAuthorisedPaymentType":"TRANSACAO_EFETIVADA"}]}`)
}

func FuzzCNAB240(f *testing.F) {
	whole := statementtest.Bytes(statementtest.WriteCNAB240, 2)
	fuzz(f, "cnab240/", string(whole), string(whole[:700]), strings.ReplaceAll(string(whole), "PIX", "P\xc3O"),
		strings.ReplaceAll(string(whole), "\r\n", "\r"))
}

// fuzz checks what holds for any input: reading ends without a panic, finds no more items than
// begin, and finds the same ones however the input is split into reads; every text can be stored.
func fuzz(f *testing.F, folder string, seeds ...string) {
	for _, row := range manifest(f) {
		if strings.HasPrefix(row["file"], folder) {
			f.Add(corpusFile(f, row))
		}
	}
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		r := newReader(bytes.NewReader(file))
		items, err := readAll(r)
		again, errAgain := readAll(newReader(slow{bytes.NewReader(file)}))
		if diff := diff(items, again); diff != "" || (err == nil) != (errAgain == nil) ||
			err != nil && err.Error() != errAgain.Error() {
			t.Errorf("read byte by byte it differs, errors %v and %v:\n%s", err, errAgain, diff)
		}
		text, err := io.ReadAll(decoded(bytes.NewReader(file)))
		if err != nil {
			t.Fatal(err)
		}
		lines := 1 + bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte("\r"))
		most := max(lines, bytes.Count(bytes.ToUpper(text), []byte("<STMTTRN")), bytes.Count(text, []byte("{")))
		if len(items) > most {
			t.Errorf("%d items, but %d begin", len(items), most)
		}
		for _, item := range items {
			checkItem(t, item, lines)
		}
		_ = r.Summaries()
		_ = Detect(file)
	})
}

func checkItem(t *testing.T, item Item, lines int) {
	if item.Line < 1 || item.AmountLine < item.Line || item.AmountLine > lines {
		t.Errorf("an item at line %d, its amount at %d, of %d", item.Line, item.AmountLine, lines)
	}
	if max(len(item.FITID), len(item.Document)) > maxNumber {
		t.Errorf("a FITID of %d bytes", len(item.FITID))
	}
	for _, text := range []string{item.Account, item.Amount, item.FITID, item.Document, item.Description} {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) ||
			strings.TrimSpace(text) != text || len(text) > 4*maxValue {
			t.Errorf("%q is not clean", text)
		}
	}
	_, _, _ = Classify(item, "1", day(2026, 3, 2))
	_, _, _ = Classify(item, "", day(2026, 3, 2))
	_ = Instalment(item.Description)
}
