// Package db has the mechanics of SQL on PostgreSQL: connections that prepare their statements,
// rows as records, transactions that are tried again, and the meaning of the server's errors. It is
// apart from storage, which has the statements, because it knows no table.
package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// Options configure the connections of a pool.
type Options struct {
	Application       string        // shown in pg_stat_activity
	Connections       int           // most connections; no limit when 0
	Timezone          string        // of the sessions; the server's when empty
	StatementTimeout  time.Duration // ends a statement that runs longer, and soon after the connection; 0 never
	IdleInTransaction time.Duration // ends a session that leaves a transaction open; 0 never
	ReadOnly          bool          // PostgreSQL refuses writes
}

// idleTime is how long a connection stays open without use: each costs PostgreSQL two to four megabytes. The
// pool takes the connection that was used last, so the others close even while the process is not quite idle.
const idleTime = 30 * time.Second

// KeepOne uses a connection from time to time until ctx ends, so that the first statement after a rest finds
// one. It also replaces the connection soon after the server has closed it.
func KeepOne(ctx context.Context, pool *sqlx.DB) {
	ticks := time.NewTicker(idleTime * 2 / 3)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
		pinging, cancel := context.WithTimeout(ctx, idleTime/3)
		_ = pool.PingContext(pinging) // the next statement reports the same error
		cancel()
	}
}

// Open returns a pool for the database at url. It connects lazily: an unavailable database is an
// error of the first use.
func Open(url string, o Options) (*sqlx.DB, error) {
	cfg, err := pq.NewConfig(url)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	cfg.BinaryParameters = true
	cfg.ApplicationName = o.Application
	if o.Timezone != "" {
		if cfg.Runtime == nil {
			cfg.Runtime = map[string]string{}
		}
		cfg.Runtime["timezone"] = o.Timezone
	}
	cfg.ConnectTimeout = cmp.Or(cfg.ConnectTimeout, connectTimeout)
	connector, err := pq.NewConnectorConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	connector.Dialer(newDialer())
	prepares := &preparing{Connector: connector, settings: settings(o), late: make(chan *preparedConn, 1)}
	if o.StatementTimeout > 0 {
		prepares.silence = o.StatementTimeout + answersWithin
	}
	pool := sqlx.NewDb(sql.OpenDB(prepares), "postgres")
	if o.Connections > 0 {
		pool.SetMaxOpenConns(o.Connections)
		pool.SetMaxIdleConns(o.Connections)
	}
	pool.SetConnMaxIdleTime(idleTime)
	pool.MapperFunc(column)
	return pool, nil
}

// settings returns the statements that begin a session. As parameters of the connection, PgBouncer
// would refuse them.
func settings(o Options) string {
	// JIT compilation takes a second of an import with statements that take less. A statement uses
	// one core: other statements need the rest, and starting processes for one page costs more than
	// they save.
	all := `SET jit = off; SET max_parallel_workers_per_gather = 0`
	set := func(name string, d time.Duration) {
		if d > 0 {
			all += fmt.Sprintf("; SET %s = %d", name, d.Milliseconds())
		}
	}
	set("statement_timeout", o.StatementTimeout)
	set("idle_in_transaction_session_timeout", o.IdleInTransaction)
	if o.ReadOnly {
		all += `; SET default_transaction_read_only = on`
	}
	// The server releases the locks of a session within a second after its client was killed.
	set("client_connection_check_interval", time.Second)
	return all
}

// Conn is one connection as a Queryer.
type Conn struct{ *sqlx.Conn }

// DriverName returns the driver's name, as a Queryer must.
func (Conn) DriverName() string { return "postgres" }

// BindNamed replaces the names of parameters, as a Queryer must.
func (Conn) BindNamed(query string, arg any) (string, []any, error) {
	return sqlx.BindNamed(sqlx.DOLLAR, query, arg)
}

// InTx runs fn in a transaction and commits it when fn returns nil. Serialization failures and
// deadlocks are tried five times, so fn may run more than once and must not retain anything
// from a run that failed.
func InTx(ctx context.Context, b Beginner, fn func(*sqlx.Tx) error) (err error) {
	for attempt := 1; ; attempt++ {
		err = Try(ctx, b, fn)
		if err == nil || attempt == 5 || pq.As(err, pqerror.TRSerializationFailure, pqerror.TRDeadlockDetected) == nil {
			return err
		}
		// At once, it would often meet the same rival again, between two of its locks.
		select {
		case <-time.After(rand.N(time.Duration(attempt) * 50 * time.Millisecond)):
		case <-ctx.Done():
			return err
		}
	}
}

// Try is InTx with one attempt. A panic of fn rolls back and continues.
func Try(ctx context.Context, b Beginner, fn func(*sqlx.Tx) error) error {
	tx, release, err := begin(ctx, b)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer release()
	defer tx.Rollback() // after a commit it is a no-op
	if err := fn(tx); err != nil {
		return err
	}
	defer spend(ctx, 0, "COMMIT")()
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// begin begins a transaction, and returns the function that gives its place back.
func begin(ctx context.Context, b Beginner) (tx *sqlx.Tx, release func(), err error) {
	defer spend(ctx, 0, "BEGIN")()
	if release, err = takePlace(ctx, b); err != nil {
		return nil, nil, err
	}
	if tx, err = b.BeginTxx(ctx, nil); err != nil {
		release()
	}
	return tx, release, err
}

// ErrNoPrimary is the error while a host of the URL answers, and none accepts writes: between the end of one primary
// and the next.
var ErrNoPrimary = errors.New("no host accepts writes")

// noPrimary adds ErrNoPrimary to the errors of a connection of lib/pq, which has only texts for it.
func noPrimary(err error) error {
	for _, text := range []string{"server is in hot standby mode", "session is read-only"} {
		if strings.Contains(err.Error(), text) {
			return fmt.Errorf("%w: %w", ErrNoPrimary, err)
		}
	}
	return err
}

// Locked reports whether a statement with NOWAIT failed because a row is locked.
func Locked(err error) bool { return pq.As(err, pqerror.LockNotAvailable) != nil }
