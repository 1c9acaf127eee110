package statement

import (
	"strings"
	"testing"
)

func TestARefusalOfTheBankIsAnError(t *testing.T) {
	t.Parallel()
	const (
		status = "<STATUS><CODE>15500<SEVERITY>ERROR<MESSAGE>Senha inválida</STATUS>"
		item   = "<STMTTRN><DTPOSTED>20260302<TRNAMT>1</STMTTRN>"
		said   = "linha 1: o banco respondeu com o erro 15500 no lugar do extrato: Senha inválida"
	)
	for name, c := range map[string]struct{ file, want string }{
		"at sign-on":           {"<SONRS>" + status + "</SONRS>", said},
		"without closing tags": {"<SONRS>" + strings.TrimSuffix(status, "</STATUS>"), said},
		"of a statement":       {"<STMTTRNRS><TRNUID>1" + status + "</STMTTRNRS>", said},
		"of a card":            {"<CCSTMTTRNRS>" + status, said},
		"of investments":       {"<INVSTMTTRNRS>" + status, said},
		"of the second of two": {"<STMTTRNRS><STMTRS>" + item + "</STMTRS></STMTTRNRS><STMTTRNRS>" + status,
			said},
		"without a message": {"<SONRS><STATUS><CODE>2000<SEVERITY>Error</SONRS>",
			"linha 1: o banco respondeu com o erro 2000 no lugar do extrato"},
		"with closed leaves": {"<SONRS><STATUS><CODE>1</CODE><SEVERITY>ERROR</SEVERITY></STATUS>",
			"linha 1: o banco respondeu com o erro 1 no lugar do extrato"},
		"a good one": {"<SONRS><STATUS><CODE>0<SEVERITY>INFO<MESSAGE>ERROR</STATUS></SONRS>" + item,
			""},
		"a warning":                    {"<SONRS><STATUS><CODE>1<SEVERITY>WARN</STATUS></SONRS>" + item, ""},
		"of the list of accounts":      {"<SONRS></SONRS><ACCTINFOTRNRS>" + status + "</ACCTINFOTRNRS>" + item, ""},
		"of the list, after no ending": {"<SONRS><ACCTINFOTRNRS>" + status + item, ""},
		"in the statement itself":      {"<STMTTRNRS><STMTRS>" + status + item, ""},
		"nowhere":                      {status + item, ""},
	} {
		_, err := readAll(newReader(strings.NewReader(whole("<OFX>" + c.file))))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
