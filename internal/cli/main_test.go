package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"bordero/storage/storagetest"
)

// commandVariable makes the test binary run as bordero.
const commandVariable = "CLI_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(commandVariable) != "" {
		Main()
	}
	os.Exit(storagetest.Run(m.Run))
}

// run runs a command line in a process with only the variables of env. It returns what the
// command printed, and its exit status.
func run(t *testing.T, env []string, words ...string) (stdout, stderr string, status int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], words...)
	// else the race detector sleeps for a second
	command.Env = append([]string{"PATH=/", commandVariable + "=1", "GORACE=atexit_sleep_ms=0"}, env...)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), command.ProcessState.ExitCode()
}

// printed runs a command line that must succeed, on a database, and returns what it printed.
func printed(t *testing.T, databaseURL string, words ...string) string {
	t.Helper()
	stdout, stderr, status := run(t, []string{"DATABASE_URL=" + databaseURL}, words...)
	if status != 0 {
		t.Fatalf("bordero %s: exit status %d, %s", strings.Join(words, " "), status, stderr)
	}
	return stdout
}
