package broker

import (
	"context"
	"time"
)

// WaitAtMost sets the longest wait of a server that has not been started. With a long wait,
// only a wake-up ends it.
func (s *Server) WaitAtMost(d time.Duration) { s.redis.longest = d }

// DequeueAfterStop dequeues as Asynq does between Shutdown and the end of its parts. The
// server has not been started, and its queue is empty.
func (s *Server) DequeueAfterStop(ctx context.Context, times int) {
	s.redis.empty = true
	close(s.redis.stopping)
	for range times {
		s.redis.EvalSha(ctx, "", []string{s.redis.pending, s.redis.paused, "active", "lease"})
	}
}
