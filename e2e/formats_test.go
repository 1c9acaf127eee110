package e2e

import (
	"fmt"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
)

// A movement is the same in every format.
func TestAMovementComesInOnceWhateverTheFormat(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	s.Worker()
	const n = 10
	into := s.NewDepositAccount(t, "")
	for i, write := range []statementtest.Write{statementtest.WriteQIF, statementtest.WriteOFC, statementtest.WriteOFX,
		statementtest.WriteQIF} {
		want := e2etest.Counts{Imported: n}
		if i > 0 {
			want = e2etest.Counts{Duplicate: n}
		}
		if b := s.Import(t, into, statementtest.Bytes(write, n)); b.Event.Status != finance.ImportSuccess ||
			b.Counts != want {
			t.Errorf("file %d: %+v", i, b)
		}
	}
	if balance, want := s.Balance(t, into), statementtest.Total(n); balance != want {
		t.Errorf("the balance is %s, want %s", balance, want)
	}

	// Banks date every instalment with the purchase, and two purchases may be equal.
	for name, file := range map[string]string{
		"QIF": "!Type:CCard\nD10/01/2026\nT-100.00\nPLOJA " +
			"1/3\n^\nD10/01/2026\nT-5.00\nPCAFE\n^\nD10/01/2026\nT-5.00\nPCAFE\n^\n",
		"OFC": "<OFC><ACCTSTMT><ACCTFROM><ACCTID>1<ACCTTYPE>2</ACCTFROM><STMTRS><STMTTRN><DTPOSTED>20260110<TRNAMT>" +
			"-100<FITID>0<MEMO>LOJA 1/3</STMTTRN>" +
			"<STMTTRN><DTPOSTED>20260110<TRNAMT>-5<FITID>0<MEMO>CAFE</STMTTRN><STMTTRN><DTPOSTED>20260110<TRNAMT>" +
			"-5<FITID>0<MEMO>CAFE</STMTTRN></STMTRS></ACCTSTMT></OFC>",
	} {
		card := s.NewDepositAccount(t, "")
		first := s.Import(t, card, []byte(file))
		second := s.Import(t, card, []byte(strings.ReplaceAll(file, "1/3", "2/3")))
		if first.Counts != (e2etest.Counts{Imported: 3}) ||
			second.Counts != (e2etest.Counts{Imported: 1, Duplicate: 2}) {
			t.Errorf("%s: %+v, then %+v", name, first, second)
		}
		if balance := s.Balance(t, card); balance != -210_00 {
			t.Errorf("%s: the balance is %s", name, balance)
		}
	}

	// The accounts of a file are distinguished, however many there are.
	var many strings.Builder
	for i := range 150 {
		fmt.Fprintf(&many, "!Account\nNConta %d\n^\n!Type:Bank\nD10/01/2026\nT-%d\n^\n", i, i+1)
	}
	last := s.NewDepositAccount(t, "conta 149")
	if b := s.Import(t, last, []byte(many.String())); b.Counts != (e2etest.Counts{Imported: 1, OtherAccount: 149}) ||
		s.Balance(t, last) != -150_00 {
		t.Errorf("the last account of many: %+v", b)
	}

	broken := s.Import(t, s.NewDepositAccount(t, ""), []byte("!Type:Bank\nD10/01/2026\nT-100.00\n^\nD11/01/2026\n"))
	if broken.Event.Status != finance.ImportError || !strings.Contains(broken.Event.Output, "linha 5") ||
		broken.Imported != 0 {
		t.Errorf("a file that is cut off: %+v", broken)
	}
	s.Settled()
}
