// Package process runs programs as children that cannot outlive this process.
// It is apart because the private servers and the Procfile runner need the same
// care: the kernel ends the child when we die, whatever killed us, and a Ctrl-C
// of the terminal reaches us alone, so that the order of stopping stays ours.
// It needs Linux (the parent-death signal).
package process

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
)

// Process is a started program.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error // of Wait; to be read after done
}

// Start starts cmd in a process group of its own; if this process dies first,
// the kernel sends onDeath to the program. Any SysProcAttr of cmd is kept.
func Start(cmd *exec.Cmd, onDeath syscall.Signal) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	cmd.SysProcAttr.Pdeathsig = onDeath

	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel watches the thread that started the child, not the process:
		// this goroutine keeps that thread alive until the child has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

// PID is the process id, also after the end.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended and its output has been read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how the program ended: nil after a clean exit. It waits for the end.
func (p *Process) Err() error {
	<-p.done
	return p.err
}

// Signal sends sig; to a program that has ended it does nothing.
func (p *Process) Signal(sig syscall.Signal) {
	_ = p.cmd.Process.Signal(sig) // fails only when the program has ended
}

// Stop sends sig and waits for the end. When ctx ends first, the program is
// killed and Stop returns an error that says so. It may run twice.
func (p *Process) Stop(ctx context.Context, sig syscall.Signal) error {
	p.Signal(sig)
	select {
	case <-p.done:
		return nil
	case <-ctx.Done():
		p.Signal(syscall.SIGKILL)
		<-p.done
		return fmt.Errorf("%s (pid %d) did not stop in time and was killed", p.cmd.Path, p.PID())
	}
}
