package receivers_test

import (
	"os/exec"
	"syscall"
)

// own runs a command in a process group of its own, because `go run` has a child.
func own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// end ends the command and its children.
func end(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // they may have ended
	_ = cmd.Wait()
}
