package process

import (
	"context"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// sh starts a script that prints when it is ready and lives until its input ends.
func sh(t *testing.T, script string) *Process {
	t.Helper()
	cmd := exec.Command("sh", "-c", script+"; echo ready; read end")
	in, out := io.Pipe()
	cmd.Stdout = out
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p, err := Start(cmd, syscall.SIGKILL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); p.Signal(syscall.SIGKILL); <-p.Done() })
	if _, err := io.ReadFull(in, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestStop(t *testing.T) {
	t.Parallel()
	p := sh(t, `trap "exit 3" TERM`)
	for range 2 {
		if err := p.Stop(t.Context(), syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	}
	if err := p.Err(); err == nil || err.Error() != "exit status 3" {
		t.Error(err)
	}
}

func TestStopByForce(t *testing.T) {
	t.Parallel()
	p := sh(t, `trap "" TERM`)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Stop(ended, syscall.SIGTERM); err == nil || !strings.Contains(err.Error(), "was killed") {
		t.Error(err)
	}
	if err := p.Err(); err == nil || err.Error() != "signal: killed" {
		t.Error(err)
	}
}

func TestGroupOfItsOwn(t *testing.T) {
	t.Parallel()
	p := sh(t, ":")
	if group, err := syscall.Getpgid(p.PID()); err != nil || group != p.PID() {
		t.Errorf("group %d of %d: %v", group, p.PID(), err)
	}
}

func TestStartSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	if _, err := Start(exec.Command("/no/such/program"), syscall.SIGKILL); err == nil ||
		!strings.Contains(err.Error(), "start /no/such/program") {
		t.Error(err)
	}
}
