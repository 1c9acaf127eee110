package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/testkit"
)

// statementFiles writes files by name and content and returns their paths, sorted.
func statementFiles(t *testing.T, files map[string][]byte) (names []string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		names = append(names, filepath.Join(dir, name))
		if err := os.WriteFile(names[len(names)-1], content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	return names
}

// importing runs `bordero import` into a deposit account. It returns file, status and imported
// items of each line of its JSON, its error output, and its error.
func importing(t *testing.T, s *e2etest.Site, into int64, token string, files ...string) (became []string, said string,
	err error) {
	t.Helper()
	words := append([]string{"import", "--entity", fmt.Sprint(s.Entity), "--deposit-account", fmt.Sprint(into),
		"--json"}, files...)
	stdout, stderr, err := e2etest.Command(t, []string{"BORDERO_URL=" + s.URL, "BORDERO_TOKEN=" + token}, words...)
	for line := range strings.Lines(stdout) {
		var f struct {
			File, Status string
			Imported     int `json:"imported_items_count"`
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		became = append(became, fmt.Sprintf("%s %s %d", filepath.Base(f.File), f.Status, f.Imported))
	}
	return became, stdout + stderr, err
}

func TestImportReportsTheResultOfEachFile(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, e2etest.Set("BORDERO_MAX_STATEMENT_BYTES=100000"))
	api, _ := s.Serve()
	s.Worker()
	into := s.NewDepositAccount(t, "")
	good := statementtest.OFX(20)
	files := statementFiles(t, map[string][]byte{
		"a.ofx": statementtest.OFX(10), "b.ofx": good, "c-broken.ofx": good[:len(good)/2],
		"d-large.ofx": statementtest.OFX(2000),
		"e-empty.ofx": nil, "f-text.txt": []byte("no statement"),
	})
	files = append(files, files[0]+".none")
	want := []string{
		"a.ofx success 10", "b.ofx success 10", "c-broken.ofx error 0", "d-large.ofx failed 0", "e-empty.ofx failed 0",
		"f-text.txt failed 0",
		"a.ofx.none failed 0",
	}
	for range 2 { // the second run imports nothing
		became, said, err := importing(t, s, into, s.Token, files...)
		if err == nil || !slices.Equal(became, want) {
			t.Errorf("%v: %q\n%s", err, became, said)
		}
		for _, sentence := range []string{"falta </OFX>", "larger than the server allows", "não pode ser vazio",
			"não é um extrato", "no such file", "5 of 7 files"} {
			if !strings.Contains(said, sentence) {
				t.Errorf("it does not say %q:\n%s", sentence, said)
			}
		}
		if balance := s.Balance(t, into); balance != statementtest.Total(20) {
			t.Errorf("the balance is %s", balance)
		}
	}
	// Each file was uploaded once, except the broken one, which is uploaded again: the server
	// may have caused its error.
	if n := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM bank_statements`); n != 4 {
		t.Errorf("%d statements", n)
	}

	first := e2etest.Value[int64](t, s.DB, `SELECT min(id) FROM bank_statements`)
	if answer, err := s.Do(http.MethodDelete, paths.BankStatement(s.Entity, into, first), "", nil); err != nil ||
		answer.Status != 202 {
		t.Fatalf("%v %v", answer, err)
	}
	if became, said, err := importing(t, s, into, s.Token, files[0]); err != nil || became[0] != "a.ofx success 10" {
		t.Errorf("of a deleted statement: %v: %q\n%s", err, became, said)
	}

	for name, c := range map[string]struct {
		into  int64
		token string
		said  string
	}{
		"a wrong token": {into, "0000", "does not accept the token"},
		"an account that is": {into + 99, s.Token, fmt.Sprintf("there is no deposit account %d in entity %d", into+99,
			s.Entity)},
	} {
		became, said, err := importing(t, s, c.into, c.token, files[:2]...)
		if err == nil || !slices.Equal(became, []string{"a.ofx failed 0", "b.ofx not tried 0"}) ||
			!strings.Contains(said, c.said) {
			t.Errorf("%s: %v: %q\n%s", name, err, became, said)
		}
	}
	api.Terminate()
	if became, said, err := importing(t, s, into, s.Token, files[:2]...); err == nil ||
		became[1] != "b.ofx not tried 0" || !strings.Contains(said, "no bordero API answers at "+s.URL+
		": connection refused; is it running?") {
		t.Errorf("a server that is gone: %v: %q\n%s", err, became, said)
	}
}

func TestImportEndsCleanlyWhenItIsInterrupted(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	into := s.NewDepositAccount(t, "")
	files := statementFiles(t, map[string][]byte{"a.ofx": statementtest.OFX(10)})
	words := append([]string{"import", "--url", s.URL, "--token", s.Token, "--entity", fmt.Sprint(s.Entity),
		"--deposit-account", fmt.Sprint(into)}, files...)
	p := s.Start(words...)
	testkit.Eventually(t, "the upload", func() bool {
		return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM bank_statements`) == 1
	})
	p.Signal(syscall.SIGINT)
	if err := p.Wait(); err == nil ||
		!strings.Contains(p.Out.String(), "interrupted; the server continues with the uploaded files") {
		t.Errorf("%v: %s", err, p.Out)
	}
	s.Worker()
	if became, said, err := importing(t, s, into, s.Token, files...); err != nil || became[0] != "a.ofx success 10" {
		t.Errorf("%v: %q\n%s", err, became, said)
	}
	if n := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM bank_statements`); n != 1 {
		t.Errorf("%d statements of one file", n)
	}
}

// Previews in a pipe: lines of items, nothing imported unless it is confirmed in advance.
func TestImportPreviewsFiles(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	s.Worker()
	into := s.NewDepositAccount(t, "")
	good := statementtest.OFX(3)
	files := statementFiles(t, map[string][]byte{"a.ofx": good, "b-broken.ofx": good[:len(good)/2]})
	preview := func(words ...string) (stdout, stderr string, err error) {
		t.Helper()
		words = append([]string{"import", "--entity", fmt.Sprint(s.Entity), "--deposit-account", fmt.Sprint(into),
			"--preview"}, words...)
		return e2etest.Command(t, []string{"BORDERO_URL=" + s.URL, "BORDERO_TOKEN=" + s.Token}, words...)
	}
	outcomes := func(stdout string) (all []string) {
		for n, line := range slices.Collect(strings.Lines(stdout)) {
			cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(cells) != 6 {
				t.Fatalf("%q", line)
			}
			if n > 0 {
				all = append(all, cells[4])
			}
		}
		return all
	}
	transactions := func() int { return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM financial_transactions`) }

	stdout, stderr, err := preview(files...)
	if err == nil || !slices.Equal(outcomes(stdout), []string{"imported", "imported", "imported"}) {
		t.Errorf("%v: %s\n%s", err, stdout, stderr)
	}
	for _, sentence := range []string{"previewed: Prévia: seriam importadas 3", "b-broken.ofx: error", "1 of 2 files"} {
		if !strings.Contains(stderr, sentence) {
			t.Errorf("it does not say %q:\n%s", sentence, stderr)
		}
	}
	if n := transactions(); n != 0 {
		t.Errorf("%d transactions", n)
	}

	stdout, stderr, err = preview("--confirm", files[0])
	if err != nil || len(outcomes(stdout)) != 3 || !strings.Contains(stderr, "success: Foram importadas 3") ||
		transactions() != 3 {
		t.Errorf("%v: %s\n%s", err, stdout, stderr)
	}

	renamed := bytes.ReplaceAll(bytes.ReplaceAll(good, []byte("<FITID>"), []byte("<FITID>NEW")), []byte("<MEMO>"),
		[]byte("<MEMO>NEW "))
	stdout, stderr, err = preview(statementFiles(t, map[string][]byte{"renamed.ofx": renamed})...)
	if err != nil || !slices.Equal(outcomes(stdout), []string{"duplicate, suspect", "duplicate, suspect",
		"duplicate, suspect"}) {
		t.Errorf("%v: %s\n%s", err, stdout, stderr)
	}

	stdout, stderr, err = preview("--json", files[0])
	var f struct {
		Status    string
		Duplicate int `json:"duplicate_items_ignored_count"`
		Items     []struct{ Outcome string }
	}
	if err := json.Unmarshal([]byte(stdout), &f); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	if err != nil || stderr != "" || f.Status != "previewed" || f.Duplicate != 3 || f.Items[0].Outcome != "duplicate" {
		t.Errorf("%v: %+v %s", err, f, stderr)
	}
}
