package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/testkit"
)

func TestTheSameFileUploadedAtOnceComesInOnce(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	workers := []*e2etest.Process{s.Worker(), s.Worker()}
	file := statementtest.OFX(small)
	for _, times := range []int{2, 5} {
		into := s.NewDepositAccount(t, "")
		uploaded := make([]e2etest.Statement, times)
		var all sync.WaitGroup
		for i := range uploaded {
			all.Go(func() {
				var err error
				if uploaded[i], err = s.Upload(into, file); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		winners := 0
		for _, b := range uploaded {
			switch b = s.AwaitEnd(t, b); b.Counts {
			case e2etest.Counts{Imported: small}:
				winners++
			case e2etest.Counts{Duplicate: small}:
			default:
				t.Errorf("%+v", b)
			}
		}
		if winners != 1 {
			t.Errorf("%d of %d imports say that they brought the items", winners, times)
		}
		if balance, want := s.Balance(t, into), statementtest.Total(small); balance != want {
			t.Errorf("the balance is %s, not %s", balance, want)
		}
	}
	s.Settled()
	for _, w := range workers {
		if strings.Contains(w.Out.String(), "result=failed") {
			t.Error("a job failed: the imports were to take turns")
		}
	}
}

func TestNothingOfABrokenFileIsStored(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	s.Worker()
	good := statementtest.OFX(small)
	amount := bytes.LastIndex(good, []byte("<TRNAMT>"))
	cut := fmt.Sprintf("falta </OFX>, depois de %d lançamentos", small-1)
	for name, c := range map[string]struct {
		file []byte
		said string
	}{
		"cut off inside a tag":              {good[:amount+3], cut},
		"cut off inside an item, too early": {good[:amount], cut},
		"cut off inside an item, later":     {good[:bytes.LastIndex(good, []byte("<MEMO>"))], cut},
		"the last amount is a text": {slices.Concat(good[:amount], []byte("<TRNAMT>abc"), good[amount+8:]),
			`: o valor "abc`},
	} {
		into := s.NewDepositAccount(t, "")
		b := s.Import(t, into, c.file)
		if b.Event.Status != finance.ImportError || b.Counts != (e2etest.Counts{}) {
			t.Errorf("%s: %+v", name, b)
		}
		if said := b.Event.Output; !strings.Contains(said, c.said) {
			t.Errorf("%s: %q does not say what and where", name, said)
		}
		if balance, listed := s.Balance(t, into), s.Transactions(t, into); balance != 0 || len(listed) > 0 {
			t.Errorf("%s: %d transactions, balance %s", name, len(listed), balance)
		}
		if left := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM jobs WHERE kind = 'import_statement'`); left != 0 {
			t.Errorf("%s: its job is tried again", name)
		}
		if b = s.Import(t, into, good); b.Imported != small {
			t.Errorf("%s: afterwards the whole file is %+v", name, b)
		}
	}
	s.Settled()
}

func TestALostFileFailsItsJobUntilItIsBack(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	into := s.NewDepositAccount(t, "")
	b := s.MustUpload(t, into, statementtest.OFX(10))
	path := s.File(b.ID)
	if err := os.Rename(path, path+".lost"); err != nil {
		t.Fatal(err)
	}
	s.Worker()
	testkit.Eventually(t, "it was tried and waits to be tried again", func() bool {
		return e2etest.Value[bool](t, s.DB, `SELECT attempts > 0 AND leased_until IS NULL AND error LIKE '%not found%'
			FROM jobs`)
	})
	if now := s.Statement(t, b); now.Event.Status != finance.ImportQueued {
		t.Errorf("between two tries it shows %+v", now)
	}
	if listed := jobsList(t, s); len(listed) != 0 {
		t.Errorf("it counts as failed before its last attempt: %v", listed)
	}

	// Skip to the tenth and last attempt, which would take minutes.
	testkit.Eventually(t, "its last attempt is the next", func() bool {
		_, err := s.DB.Exec(`UPDATE jobs SET attempts = 9, due_at = now() WHERE leased_until IS NULL
			AND failed_at IS NULL`)
		if err != nil {
			t.Fatal(err)
		}
		return e2etest.Value[bool](t, s.DB, `SELECT failed_at IS NOT NULL FROM jobs`)
	})
	b = s.Statement(t, b)
	if b.Event.Status != finance.ImportError || b.Event.FinishedAt == nil ||
		!strings.Contains(b.Event.Output, "erro do servidor") {
		t.Errorf("after its last attempt it is %+v", b)
	}
	failed := jobsList(t, s, "--failed")
	if len(failed) != 1 || failed[0].Kind != "import_statement" || !strings.Contains(failed[0].Error, "not found") {
		t.Fatalf("jobs list --failed: %+v", failed)
	}

	if err := os.Rename(path+".lost", path); err != nil {
		t.Fatal(err)
	}
	if said := s.Run("jobs", "retry", fmt.Sprint(failed[0].ID)); !strings.Contains(said, "will be retried") {
		t.Errorf("jobs retry said %q", said)
	}
	testkit.Eventually(t, "it is imported", func() bool {
		return s.Statement(t, b).Event.Status == finance.ImportSuccess
	})
	if balance, want := s.Balance(t, into), statementtest.Total(10); balance != want {
		t.Errorf("the balance is %s, not %s", balance, want)
	}
	s.Settled()
	if _, stderr, err := e2etest.Command(t, s.Env, "jobs", "retry", fmt.Sprint(failed[0].ID)); err == nil ||
		!strings.Contains(stderr, "no failed job") {
		t.Errorf("retrying what is done: %v, %q", err, stderr)
	}
}

// jobsList returns the output of `jobs list --json`.
func jobsList(t *testing.T, s *e2etest.Site, flags ...string) (all []listedJob) {
	t.Helper()
	for d := json.NewDecoder(
		strings.NewReader(s.Run(append([]string{"jobs", "list", "--json"}, flags...)...))); d.More(); {
		var j listedJob
		if err := d.Decode(&j); err != nil {
			t.Fatal(err)
		}
		if j.FailedAt != "" {
			all = append(all, j)
		}
	}
	return all
}

type listedJob struct {
	ID       int64
	Kind     string
	Error    string
	FailedAt string `json:"failed_at"`
}

// outcomes is a file of two accounts. Each item has a different outcome.
const outcomes = `OFXHEADER:100

<OFX><BANKMSGSRSV1>
<STMTTRNRS><STMTRS><BANKACCTFROM><ACCTID>123</BANKACCTFROM><BANKTRANLIST><DTSTART>20260101<DTEND>20260131
<STMTTRN><DTPOSTED>20260105<TRNAMT>-5.00<FITID>A<CHECKNUM>7<MEMO>CAFE</STMTTRN>
<STMTTRN><DTPOSTED>20260105<TRNAMT>-5.00<FITID>B<MEMO>CAFE</STMTTRN><STMTTRN><DTPOSTED>20261340<TRNAMT>1.00<MEMO>` +
	`X</STMTTRN>
<STMTTRN><DTPOSTED>20260105<TRNAMT>0.00<MEMO>ZERO</STMTTRN>
<STMTTRN><DTPOSTED>20260105<TRNAMT>9.00<MEMO>Saldo do dia</STMTTRN>
<STMTTRN><DTPOSTED>20990105<TRNAMT>9.00<MEMO>LONGE</STMTTRN>
</BANKTRANLIST></STMTRS></STMTTRNRS>
<STMTTRNRS><STMTRS><BANKACCTFROM><ACCTID>456</BANKACCTFROM><BANKTRANLIST>
<STMTTRN><DTPOSTED>20260105<TRNAMT>-7.00<MEMO>OUTRA</STMTTRN>
</BANKTRANLIST></STMTRS></STMTTRNRS>
</BANKMSGSRSV1></OFX>`

func TestEachItemHasItsOutcome(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	s.Worker()
	into := s.NewDepositAccount(t, "123")
	one := strings.Replace(outcomes, "<STMTTRN><DTPOSTED>20260105<TRNAMT>-5.00<FITID>B<MEMO>CAFE</STMTTRN>", "", 1)
	s.Import(t, into, []byte(one))
	b := s.Import(t, into, []byte(outcomes)) // the second coffee is new, the first is known
	want := e2etest.Counts{Imported: 1, Future: 1, Zero: 1, InvalidDate: 1, BalanceRows: 1, Duplicate: 1,
		OtherAccount: 1}
	if b.Counts != want || !strings.HasPrefix(b.Event.Output, "Foi importada 1 transação. Período: 01/01/2026 a "+
		"31/01/2026. Itens ignorados: 1 já conhecido, ") {
		t.Errorf("%+v", b)
	}
	items := func() (all []string) {
		t.Helper()
		var listed []struct {
			Item struct {
				ID, Line               int
				OccurredAt             *string `json:"occurred_at"`
				Amount, Description    *string
				Document, FITID        *string
				Outcome                string
				FinancialTransactionID *int64 `json:"financial_transaction_id"`
			} `json:"bank_statement_item"`
		}
		s.Get(t, paths.BankStatement(s.Entity, into, b.ID)+"/items", &listed)
		text := func(p *string) string {
			if p == nil {
				return "-"
			}
			return *p
		}
		for _, l := range listed {
			i := l.Item
			all = append(all, fmt.Sprintln(i.ID, i.Line, text(i.OccurredAt), text(i.Amount), text(i.Description),
				text(i.Document), text(i.FITID),
				i.Outcome, i.FinancialTransactionID != nil))
		}
		return all
	}
	got := strings.Join(items(), "")
	if expected := `1 5 2026-01-05 -5.0 CAFE 7 A duplicate false
2 6 2026-01-05 -5.0 CAFE - B imported true
3 6 - - X - - invalid_date false
4 7 2026-01-05 0.0 ZERO - - zero false
5 8 2026-01-05 9.0 Saldo do dia - - balance false
6 9 2099-01-05 9.0 LONGE - - future false
7 12 2026-01-05 - OUTRA - - other_account false
`; got != expected {
		t.Errorf("items:\n%swant:\n%s", got, expected)
	}
	answer, err := s.Do(http.MethodPost, paths.BankStatement(s.Entity, into, b.ID)+"/items/1/import", "", nil)
	if err != nil || answer.Status != http.StatusCreated {
		t.Errorf("import by hand: %v %v", answer, err)
	}
	if after := items()[0]; !strings.HasSuffix(after, "imported true\n") || s.Balance(t, into) != -1500 {
		t.Errorf("%s, balance %s", after, s.Balance(t, into))
	}
	s.Settled()
}
