package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
)

func TestVerifyFindsWhatDoesNotAgree(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t)
	s.Serve()
	s.Worker()
	s.Import(t, s.NewDepositAccount(t, ""), statementtest.OFX(10))
	s.Settled()
	if said := s.Run("verify", "--json"); said != "" {
		t.Errorf("all agrees, and it says %q", said)
	}
	// The sum and the day are those of the file's ten transactions.
	if _, err := s.DB.Exec(`UPDATE deposit_accounts SET transactions_count = 9; UPDATE bank_statements
		SET imported_items_count = 9, items_count = 9`); err != nil {
		t.Fatal(err)
	}
	remark := ""
	verify := func(words ...string) []string {
		t.Helper()
		stdout, stderr, err := e2etest.Command(t, s.Env, append([]string{"verify"}, words...)...)
		exit, failed := err.(*exec.ExitError)
		if !failed || exit.ExitCode() != 1 || stderr != remark+"bordero: differences found: 2\n" {
			t.Errorf("ended with %v and said %q", err, stderr)
		}
		return strings.Split(strings.TrimSpace(stdout), "\n")
	}
	lines := verify()[1:] // after the names of the columns
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "balances\t1\tdeposit account 1\t") ||
		strings.Count(lines[0], "\t") != 4 ||
		!strings.HasPrefix(lines[1], "imports\t1\tbank statement 1, success\t9 items remembered") {
		t.Errorf("verify says %q", lines)
	}
	var found struct {
		Check, Record, Expected, Found string
		AccountID                      int64 `json:"account_id"`
	}
	if err := json.Unmarshal([]byte(verify("--json")[0]), &found); err != nil || found.Check != "balances" ||
		found.AccountID != 1 ||
		!strings.Contains(found.Expected, " in 10 transactions") ||
		!strings.Contains(found.Found, " in 9 transactions") {
		t.Errorf("verify --json: %v %+v", err, found)
	}

	// Files without a row are named when they are older than any upload.
	if said := s.Run("verify", "--files"); said != "" {
		t.Errorf("each file has its row, and it says %q", said)
	}
	key := e2etest.Value[string](t, s.DB, `SELECT file_key FROM bank_statements`)
	old, young := "00/"+strings.Repeat("a", 30), "ff/"+strings.Repeat("b", 30)
	for _, f := range []string{old, young} {
		path := filepath.Join(s.Files, f)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	before := time.Now().Add(-2 * time.Hour)
	if err := errors.Join(os.Chtimes(filepath.Join(s.Files, old), before, before),
		os.Remove(filepath.Join(s.Files, key))); err != nil {
		t.Fatal(err)
	}
	remark = "files without a row that may still get one, not judged: 1\n"
	lines = verify("--files")[1:]
	if !slices.Equal(lines, []string{"files\t1\tbank statement 1\tthe file " + key + "\tnone",
		"files\t0\tthe file " + old + "\ta row\tnone"}) {
		t.Errorf("verify --files says %q", lines)
	}
	remark = ""
	if lines = verify("--files", "--json"); len(lines) != 3 || lines[2] != `{"files_not_judged":1}` {
		t.Errorf("verify --files --json says %q", lines)
	}
}
