package jobs

import "time"

// WaitAtMost replaces the longest wait of a server that is not started yet: with a long
// one nothing but a wake-up ends it.
func (s *Server) WaitAtMost(d time.Duration) { s.redis.longest = d }
