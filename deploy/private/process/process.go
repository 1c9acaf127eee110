// Package process runs programs as children that cannot outlive this process: the kernel ends
// the child when we die, even by SIGKILL. A Ctrl-C of the terminal reaches only us, so that we
// decide the order of stopping. The private servers and the Procfile runner both need this. Only
// Linux has the parent-death signal: elsewhere a child can outlive a process that was killed.
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
	err  error // of Wait; valid after done
}

// Start starts cmd in a process group of its own. If this process dies first, the kernel sends
// onDeath to the program. It preserves the other fields of
// cmd.SysProcAttr.
func Start(cmd *exec.Cmd, onDeath syscall.Signal) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	signalOnDeath(cmd.SysProcAttr, onDeath)

	p := &Process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel watches the thread that started the child, not the process. This goroutine
		// locks its thread until the child has ended.
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

// PID returns the process id, also after the end.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended and its output has been read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns how the program ended, nil after a clean exit. It waits for the end.
func (p *Process) Err() error {
	<-p.done
	return p.err
}

// Signal sends sig; it does nothing to a program that has ended.
func (p *Process) Signal(sig syscall.Signal) {
	_ = p.cmd.Process.Signal(sig) // fails only when the program has ended
}

// Stop sends sig and waits for the end. If ctx ends first, it kills the program and returns an
// error. It may run twice.
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
