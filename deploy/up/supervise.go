package up

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// child is a process of the Procfile or a private server.
type child interface {
	Start(ctx context.Context) error
	Done() <-chan struct{}
	Err() error // how it ended
	PID() int
	Stop(ctx context.Context) error
}

var errClean = errors.New("exit status 0")

// supervised is a child that is restarted when it dies.
type supervised struct {
	child
	name    string
	pidFile string
	release context.CancelFunc
	free    chan struct{} // closed when the child is not restarted any more
}

// supervise watches a running child and restarts it.
func (u *up) supervise(name string, c child) {
	ctx, release := context.WithCancel(context.Background())
	s := &supervised{c, name, runPath(u.Data, name+".pid"), release, make(chan struct{})}
	u.running = append(u.running, s)
	s.writePID(u.out)
	go func() {
		defer close(s.free)
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.Done():
				u.out.say(fmt.Sprintf("%s exited (%v); restarting in 1s", name, cmp.Or(s.Err(), errClean)))
			}
			if !s.startAgain(ctx, u.out) {
				return
			}
		}
	}()
}

// startAgain tries every second to start the child, until it runs or ctx ends. It reports
// whether the child runs.
func (s *supervised) startAgain(ctx context.Context, out *output) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(time.Second):
		}
		err := s.Start(ctx)
		if err == nil {
			s.writePID(out)
			return true
		}
		if ctx.Err() == nil {
			out.say(fmt.Sprintf("%s: %v; retrying in 1s", s.name, err))
		}
	}
}

func (s *supervised) writePID(out *output) {
	if err := os.WriteFile(s.pidFile, []byte(strconv.Itoa(s.PID())+"\n"), 0o644); err != nil {
		out.say(fmt.Sprintf("%s: cannot write its pid: %v", s.name, err))
	}
}

// stopAll stops the children of a group at the same time and waits for their end. After in, it
// kills the remaining ones.
func stopAll(group []*supervised, in time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), in)
	defer cancel()
	failed := make([]error, len(group))
	var wait sync.WaitGroup
	for i, s := range group {
		wait.Go(func() {
			s.release()
			<-s.free
			failed[i] = s.Stop(ctx)
			_ = os.Remove(s.pidFile) // the next start removes the file if this fails
		})
	}
	wait.Wait()
	return errors.Join(failed...)
}

// awaitReady waits until every process's /readyz responds with 200.
func (u *up) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyIn, fmt.Errorf("not ready within %v", readyIn))
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for name, url := range u.demo.Ops {
		for {
			ready, said := askReady(ctx, url+"/readyz")
			if ready {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("%s: %w; its last answer: %s", name, context.Cause(ctx), said)
			case <-tick.C:
			}
		}
	}
	return nil
}

func askReady(ctx context.Context, url string) (ready bool, said string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, err.Error()
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, err.Error()
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	if err != nil {
		return false, err.Error()
	}
	return answer.StatusCode == http.StatusOK, string(body)
}
