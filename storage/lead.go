package storage

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"
)

// Lead runs fn while this process is the leader: of all that call Lead on a
// database, one at a time is. It waits for its turn, and returns when fn has
// returned or ctx is done. fn's ctx ends when the leadership is lost; a process
// that was stopped and goes on may still be at work then beside the next leader,
// so that what fn does must be harmless when done twice.
func (s *Store) Lead(ctx context.Context, fn func(context.Context) error) error {
	conn, err := s.db.Connx(ctx)
	if err != nil {
		return fmt.Errorf("lead: %w", err)
	}
	// The lock and the timeout go with the connection: it never returns to the pool.
	defer conn.Raw(func(any) error { return driver.ErrBadConn }) // its error is this one
	// The leader is heard from each second. A silent one, be it stopped or its host
	// gone, is cut off by PostgreSQL, which frees the lock.
	if _, err := conn.ExecContext(ctx, `SET idle_session_timeout = '4s'`); err != nil {
		return fmt.Errorf("lead: %w", err)
	}
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		var leads bool
		if err := conn.GetContext(ctx, &leads, `SELECT pg_try_advisory_lock($1, 0)`, leadership); err != nil {
			return fmt.Errorf("lead: %w", err)
		}
		if leads {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-second.C:
		}
	}

	ctx, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	done := make(chan error, 1)
	go func() { done <- fn(ctx) }()
	for {
		select {
		case err := <-done:
			return err
		case <-second.C:
			ping, cancel := context.WithTimeout(ctx, 3*time.Second)
			err := conn.PingContext(ping)
			cancel()
			if err != nil {
				lose(fmt.Errorf("leadership lost: %w", err))
				<-done
				return context.Cause(ctx)
			}
		}
	}
}
