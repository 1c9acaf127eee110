package e2etest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"bordero/deploy/private/process"
	"bordero/internal/testkit"
)

// Process is a process of the service under test.
type Process struct {
	*process.Process
	Name string // its arguments: "work statements"
	Ops  string // the URL of its ops listener, if it has one
	Out  *Output
	t    testing.TB
}

// start runs the binary until the test ends. A failed test prints the end of the process's
// output.
func start(t testing.TB, env []string, words ...string) *Process {
	t.Helper()
	return run(t, exec.Command(Binary(t), words...), env, words)
}

// run runs a command that becomes the process of the words.
func run(t testing.TB, cmd *exec.Cmd, env, words []string) *Process {
	t.Helper()
	p := &Process{Name: strings.Join(words, " "), Out: &Output{}, t: t}
	cmd.Env = append(bare(), env...)
	cmd.Stdout, cmd.Stderr = p.Out, p.Out
	var err error
	if p.Process, err = process.Start(cmd, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Resume()
		ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
		defer cancel()
		if err := p.Process.Stop(ctx, syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("%s (pid %d) said at last:\n%s", p.Name, p.PID(), p.Out.tail())
		}
	})
	return p
}

// Kill is kill -9; the process is gone when it returns.
func (p *Process) Kill() {
	p.Signal(syscall.SIGKILL)
	<-p.Done()
}

// Pause stops the process until Resume, as a hanging host does. When Pause returns, all of its
// threads have stopped.
func (p *Process) Pause() {
	p.t.Helper()
	freeze(p.t, p.PID())
}

// freeze stops a process, if it exists, and waits until all of its threads have stopped: on a
// busy machine they continue for a while after the signal.
func freeze(t testing.TB, pid int) {
	t.Helper()
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	testkit.Eventually(t, "the stop of a process", func() bool {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid)) // the pattern is valid
		return !slices.ContainsFunc(threads, func(path string) bool {
			stat, err := os.ReadFile(path)
			_, state, _ := strings.Cut(string(stat), ") ")
			return err == nil && !strings.HasPrefix(state, "T") && !strings.HasPrefix(state, "Z")
		})
	})
}

// Resume continues a paused process.
func (p *Process) Resume() { p.Signal(syscall.SIGCONT) }

// Terminate asks the process to end and waits, as Ended does.
func (p *Process) Terminate() {
	p.t.Helper()
	p.Signal(syscall.SIGTERM)
	p.Ended()
}

// Ended waits for the end of a process. Its exit code must be 0.
func (p *Process) Ended() {
	p.t.Helper()
	if err := p.Wait(); err != nil {
		p.t.Fatalf("%s ended with %v", p.Name, err)
	}
}

// Wait waits for the end of a process and returns its error.
func (p *Process) Wait() error {
	p.t.Helper()
	select {
	case <-p.Done():
	case <-time.After(testkit.Patience):
		p.t.Fatalf("%s does not end", p.Name)
	}
	return p.Err()
}

// Ready waits until the process reports that it is ready.
func (p *Process) Ready() *Process {
	p.t.Helper()
	p.awaitReadiness(http.StatusOK)
	return p
}

// Unready waits until the process reports that it is not ready.
func (p *Process) Unready() {
	p.t.Helper()
	p.awaitReadiness(http.StatusServiceUnavailable)
}

func (p *Process) awaitReadiness(want int) {
	p.t.Helper()
	testkit.Eventually(p.t, fmt.Sprintf("%s answers %d to /readyz", p.Name, want), func() bool {
		select {
		case <-p.Done():
			p.t.Fatalf("%s has ended: %v", p.Name, p.Err())
		default:
		}
		status, _ := Readiness(p.t, p.Ops)
		return status == want
	})
}

// Readiness requests /readyz below url. It returns the status and the state of each dependency,
// with the overall state under "". Status 0 means no response.
func Readiness(t testing.TB, url string) (status int, states map[string]string) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer answer.Body.Close()
	var said struct {
		Status string
		Checks map[string]struct{ Status string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&said); err != nil {
		t.Errorf("/readyz: %v", err)
	}
	states = map[string]string{"": said.Status}
	for name, check := range said.Checks {
		states[name] = check.Status
	}
	return answer.StatusCode, states
}

// Output is the output of a process so far.
type Output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// tail returns the last 40 lines, without successful requests: tests poll.
func (o *Output) tail() string {
	lines := slices.DeleteFunc(strings.Split(o.String(), "\n"), func(line string) bool {
		return strings.Contains(line, " status=2")
	})
	return strings.Join(lines[max(0, len(lines)-40):], "\n")
}
