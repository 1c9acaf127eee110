package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/finance/statement/statementtest"
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
		if strings.Contains(w.Out.String(), "job failed") {
			t.Error("a job failed: the imports were to take turns")
		}
	}
}

func TestOfABrokenFileNothingIsKept(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	s.Worker()
	good := statementtest.OFX(small)
	amount := bytes.LastIndex(good, []byte("<TRNAMT>"))
	for name, c := range map[string]struct {
		file []byte
		said string
	}{
		"cut off inside a tag":              {good[:amount+3], "a marca"},
		"cut off inside an item, too early": {good[:amount], "<TRNAMT>"},
		"cut off inside an item, later":     {good[:bytes.LastIndex(good, []byte("<MEMO>"))], "</STMTTRN>"},
		"the last amount is a text":         {slices.Concat(good[:amount], []byte("<TRNAMT>abc"), good[amount+8:]), `"abc`},
	} {
		into := s.NewDepositAccount(t, "")
		b := s.Import(t, into, c.file)
		if b.Event.Status != finance.ImportError || b.Counts != (e2etest.Counts{}) {
			t.Errorf("%s: %+v", name, b)
		}
		if said := b.Event.Output; !strings.Contains(said, "linha 1") || !strings.Contains(said, c.said) {
			t.Errorf("%s: %q does not say what and where", name, said)
		}
		if balance, listed := s.Balance(t, into), s.Transactions(t, into); balance != 0 || len(listed) > 0 {
			t.Errorf("%s: %d transactions, balance %s", name, len(listed), balance)
		}
		if left := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM jobs`); left != 0 {
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
	e2etest.Await(t, "it was tried and waits to be tried again", func() bool {
		return e2etest.Value[bool](t, s.DB, `SELECT attempts > 0 AND leased_until IS NULL AND error LIKE '%not found%' FROM jobs`)
	})
	if now := s.Statement(t, b); now.Event.Status != finance.ImportQueued {
		t.Errorf("between two tries it shows %+v", now)
	}
	if listed := jobsList(t, s); len(listed) != 0 {
		t.Errorf("it counts as failed before its last attempt: %v", listed)
	}

	// The attempt after nine more would come in minutes.
	e2etest.Await(t, "its last attempt is the next", func() bool {
		_, err := s.DB.Exec(`UPDATE jobs SET attempts = 9, due_at = now() WHERE leased_until IS NULL AND failed_at IS NULL`)
		if err != nil {
			t.Fatal(err)
		}
		return e2etest.Value[bool](t, s.DB, `SELECT failed_at IS NOT NULL FROM jobs`)
	})
	b = s.Statement(t, b)
	if b.Event.Status != finance.ImportError || b.Event.FinishedAt == nil || !strings.Contains(b.Event.Output, "erro do servidor") {
		t.Errorf("after its last attempt it is %+v", b)
	}
	failed := jobsList(t, s, "--failed")
	if len(failed) != 1 || failed[0].Kind != "import_statement" || !strings.Contains(failed[0].Error, "not found") {
		t.Fatalf("jobs list --failed: %+v", failed)
	}

	if err := os.Rename(path+".lost", path); err != nil {
		t.Fatal(err)
	}
	if said := s.Run("jobs", "retry", fmt.Sprint(failed[0].ID)); !strings.Contains(said, "will be tried again") {
		t.Errorf("jobs retry said %q", said)
	}
	e2etest.Await(t, "it is imported", func() bool { return s.Statement(t, b).Event.Status == finance.ImportSuccess })
	if balance, want := s.Balance(t, into), statementtest.Total(10); balance != want {
		t.Errorf("the balance is %s, not %s", balance, want)
	}
	s.Settled()
	if _, stderr, err := e2etest.Command(t, s.Env, "jobs", "retry", fmt.Sprint(failed[0].ID)); err == nil || !strings.Contains(stderr, "no failed job") {
		t.Errorf("retrying what is done: %v, %q", err, stderr)
	}
}

// jobsList reads what `jobs list --json` prints.
func jobsList(t *testing.T, s *e2etest.Site, flags ...string) (all []listedJob) {
	t.Helper()
	for d := json.NewDecoder(strings.NewReader(s.Run(append([]string{"jobs", "list", "--json"}, flags...)...))); d.More(); {
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
