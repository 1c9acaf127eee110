package e2e

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

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
	verify := func(words ...string) []string {
		t.Helper()
		stdout, stderr, err := e2etest.Command(t, s.Env, append([]string{"verify"}, words...)...)
		exit, failed := err.(*exec.ExitError)
		if !failed || exit.ExitCode() != 1 || stderr != "bordero: differences found: 2\n" {
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
}
