package cli

import (
	"bytes"
	"os"
	"os/exec"
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
