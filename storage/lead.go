package storage

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
)

// The first numbers of advisory locks, whose second number is 0; package queue has another.
const (
	leadership = 7062
	sealing    = 7063
)

// Lead waits until this process is the leader, then runs fn. Of all processes that call
// Lead on a database, at most one is the leader. Lead returns when fn has returned or ctx is
// done. fn's ctx ends when the leadership is lost. A process that was stopped and continues
// may still run fn beside the next leader, so the work of fn must be harmless when done
// twice.
func (s *Store) Lead(ctx context.Context, fn func(context.Context) error) error {
	conn, err := s.pool.Connx(ctx)
	if err != nil {
		return fmt.Errorf("lead: %w", err)
	}
	// The lock and the timeout end with the connection, which never returns to the pool.
	defer conn.Raw(func(any) error { return driver.ErrBadConn }) // returns this error itself
	// The leader pings every second. If it falls silent, because it was stopped or its host
	// failed, PostgreSQL closes the connection and frees the lock.
	if _, err := conn.ExecContext(ctx, `SET idle_session_timeout = '4s'`); err != nil {
		return fmt.Errorf("lead: %w", err)
	}
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		leads, err := tryToLead(ctx, conn)
		if err != nil {
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
			if err := answers(ctx, conn); err != nil {
				lose(fmt.Errorf("leadership lost: %w", err))
				<-done
				return context.Cause(ctx)
			}
		}
	}
}

// leaderPatience is how long the leader waits for an answer. With the second before it, it stops
// leading before its lock is free, 4 s after the last answer.
const leaderPatience = 2 * time.Second

func tryToLead(ctx context.Context, conn *sqlx.Conn) (leads bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, leaderPatience)
	defer cancel()
	err = conn.GetContext(ctx, &leads, `SELECT pg_try_advisory_lock($1, 0)`, leadership)
	return leads, err
}

// answers returns an error if the server does not answer in time. It does not wait for the
// connection, which ends some seconds later.
func answers(ctx context.Context, conn *sqlx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, leaderPatience)
	answered := make(chan error, 1)
	go func() {
		defer cancel()
		answered <- conn.PingContext(ctx)
	}()
	select {
	case err := <-answered:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
