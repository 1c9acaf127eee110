package jobs

import (
	"context"
	"time"
)

// WaitAtMost replaces the longest wait of a server that is not started yet: with a long
// one nothing but a wake-up ends it.
func (s *Server) WaitAtMost(d time.Duration) { s.redis.longest = d }

// DequeueAfterStop dequeues as Asynq does after Shutdown was called, until all its parts
// have ended. The server was not started, and its queue is empty.
func (s *Server) DequeueAfterStop(ctx context.Context, times int) {
	s.redis.empty = true
	close(s.redis.stopping)
	for range times {
		s.redis.EvalSha(ctx, "", []string{s.redis.pending, s.redis.paused, "active", "lease"})
	}
}
