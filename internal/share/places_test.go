package share

import (
	"context"
	"testing"

	"bordero/internal/testkit"
)

// TakeAgain is never refused, and does not fill the queue of Take.
func TestReturningCallersAreNotRefused(t *testing.T) {
	t.Parallel()
	p := NewQueued(1, 1)
	first, err := p.Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error)
	wait := func(take func(context.Context, int64) (func(), error)) {
		go func() {
			release, err := take(t.Context(), 1)
			if err == nil {
				release()
			}
			served <- err
		}()
	}
	waiting := func(n int) {
		t.Helper()
		testkit.Eventually(t, "all wait", func() bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.of[1].users == n
		})
	}
	for range 3 {
		wait(p.TakeAgain)
	}
	waiting(4)
	wait(p.Take)
	waiting(5)
	if _, err := p.Take(t.Context(), 1); err != ErrFull {
		t.Errorf("the second one in a queue of one: %v", err)
	}
	first()
	for range 4 {
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
	if len(p.of) != 0 {
		t.Errorf("%v is left", p.of)
	}
}
