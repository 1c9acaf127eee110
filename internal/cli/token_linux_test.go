package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The only copy of a token cannot be printed. The error says what there is, and what to do.
func TestATokenThatCannotBePrintedIsAFailure(t *testing.T) {
	t.Parallel()
	database, _ := account(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for line, want := range map[string]string{
		"token create --account 1 --email ana@example.com":          `the token exists: bordero token revoke \w{6}\n$`,
		"token create --account 1 --email ana@example.com --json":   `the token exists: bordero token revoke \w{6}\n$`,
		"account create --name Filial --email ana@example.com":      `account [23] exists: give its administrator`,
		"account create --name Loja --email bia@example.com --json": `account [23] exists: give its administrator`,
		"account link --account 1 --email ana@example.com":          `no space left`,
	} {
		command := exec.CommandContext(t.Context(), os.Args[0], strings.Fields(line)...)
		command.Env = []string{"PATH=/", commandVariable + "=1", "DATABASE_URL=" + database,
			"BORDERO_PUBLIC_URL=https://api.example.com"}
		var errs bytes.Buffer
		command.Stdout, command.Stderr = full, &errs
		if _ = command.Run(); !regexp.MustCompile(want).Match(errs.Bytes()) || command.ProcessState.ExitCode() != 1 {
			t.Errorf("%s: exit status %d, %q", line, command.ProcessState.ExitCode(), errs.String())
		}
	}
}

// A demo without its truth says which entity there is, and leaves the truth of an earlier one if it is refused.
func TestATruthThatCannotBeWrittenIsAFailure(t *testing.T) {
	t.Parallel()
	database, _ := account(t)
	earlier := filepath.Join(t.TempDir(), "truth.json")
	if err := os.WriteFile(earlier, []byte("earlier"), 0o600); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"--truth /dev/full":              `: no space left on device; entity \d+ exists\n$`,
		"--truth /nowhere/t":             `^bordero: --truth: open /nowhere/`,
		"--account 9 --truth " + earlier: `^bordero: there is no account 9, or it is being deleted`,
	} {
		_, stderr, status := run(t, []string{"DATABASE_URL=" + database}, append([]string{"demo", "--month", "2026-01"},
			strings.Fields(line)...)...)
		if last := stderr[strings.LastIndex(strings.TrimSpace(stderr), "\n")+1:]; status != 1 ||
			!regexp.MustCompile(want).MatchString(last) {
			t.Errorf("%s: exit status %d, %q", line, status, stderr)
		}
	}
	if left, err := os.ReadFile(earlier); err != nil || string(left) != "earlier" {
		t.Errorf("%q, %v", left, err)
	}
}
