// Package storage stores the records: it is the only package with SQL, one file per
// table family, and has the files in object storage. It is apart so that the isolation
// of tenants, the transactions and the guarantees of jobs are in one place.
package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"bordero/jobs"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// ErrNotFound is the error of every read of one record that is missing or belongs to
// another tenant: the two cases are not distinguishable.
var ErrNotFound = errors.New("not found")

// Scope is the tenant of a statement and, within it, the entity. EntityID is 0
// for account-level records.
type Scope struct{ AccountID, EntityID int64 }

// Queries has the reads. They use the pool, or a transaction.
type Queries struct{ q sqlx.ExtContext }

// Store has the reads, and begins transactions. It writes outside of a transaction only for the job
// runtime (jobs.go, jobs_end.go), the use of tokens (access.go) and periodic work, on which
// nothing depends.
type Store struct {
	Queries
	db    *sqlx.DB
	offer func(...jobs.Ticket)
}

// Tx is a transaction: it has the reads and, alone, the writes.
type Tx struct {
	Queries
	tx      *sqlx.Tx
	tickets []jobs.Ticket
	moved   map[depositAccountKey]movement // what its end adds to balances
}

// Options configure how a process uses the database.
type Options struct {
	Application string // shown in pg_stat_activity
	Connections int    // most connections; 20 when 0
	Timezone    string // of the sessions; decides today and the offsets of timestamps
	// StatementTimeout ends a statement that runs longer; 0 never. For the API.
	StatementTimeout time.Duration
	// IdleInTransaction ends a session that leaves a transaction open; 0 never.
	// Workers set it to about the lease of a job: the open transaction of a
	// stopped process locks its job's row, and nothing else releases it.
	IdleInTransaction time.Duration
	// Offer receives the jobs of a transaction once it has committed. It must not
	// block. A process without a pusher leaves it nil: the relay offers the rows.
	Offer func(...jobs.Ticket)
}

// Open returns a Store for the database at url. It connects lazily: an unavailable
// database is an error of the first use.
func Open(url string, o Options) (*Store, error) {
	cfg, err := pq.NewConfig(url)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	cfg.BinaryParameters = true
	cfg.ApplicationName = o.Application
	if cfg.Runtime == nil {
		cfg.Runtime = map[string]string{}
	}
	// JIT compilation takes a second of an import whose statements take less.
	cfg.Runtime["jit"] = "off"
	// A statement uses one core: other statements need the rest, and starting
	// processes for one page costs more than they save.
	cfg.Runtime["max_parallel_workers_per_gather"] = "0"
	set := func(name string, d time.Duration) {
		if d > 0 {
			cfg.Runtime[name] = strconv.FormatInt(d.Milliseconds(), 10)
		}
	}
	set("statement_timeout", o.StatementTimeout)
	set("idle_in_transaction_session_timeout", o.IdleInTransaction)
	// The server releases the locks of a session whose client was killed within a second.
	set("client_connection_check_interval", time.Second)
	if o.Timezone != "" {
		cfg.Runtime["timezone"] = o.Timezone
	}
	connector, err := pq.NewConnectorConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	db := sqlx.NewDb(sql.OpenDB(preparing{connector}), "postgres")
	if o.Connections == 0 {
		o.Connections = 20
	}
	db.SetMaxOpenConns(o.Connections)
	db.SetMaxIdleConns(o.Connections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	if o.Offer == nil {
		o.Offer = func(...jobs.Ticket) {}
	}
	db.MapperFunc(column)
	return &Store{Queries: Queries{db}, db: db, offer: o.Offer}, nil
}

// Close closes all connections.
func (s *Store) Close() error { return s.db.Close() }

// Ping returns nil if the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.PingContext(ctx) }

// Clock returns the database's current time.
func (s *Store) Clock(ctx context.Context) (time.Time, error) {
	return one[time.Time](ctx, s.q, `SELECT clock_timestamp()`)
}

// Installation returns the id of the installation, which its tasks and keys in Redis contain.
func (s *Store) Installation(ctx context.Context) (string, error) {
	return one[string](ctx, s.q, `SELECT id FROM installation`)
}

// PoolStats returns the statistics of the connection pool.
func (s *Store) PoolStats() sql.DBStats { return s.db.Stats() }

// SchemaVersion returns the number of the newest applied migration.
func (s *Store) SchemaVersion(ctx context.Context) (int64, error) {
	return one[int64](ctx, s.q, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`)
}

// InTx runs fn in a transaction, commits it when fn returns nil, and only then
// offers the jobs that fn enqueued. Serialization failures and deadlocks are
// tried three times, so fn may run more than once and must not retain anything
// from a run that failed.
func (s *Store) InTx(ctx context.Context, fn func(*Tx) error) error {
	return s.inTx(ctx, s.db, fn)
}

// beginner is a pool or one connection of it.
type beginner interface {
	BeginTxx(context.Context, *sql.TxOptions) (*sqlx.Tx, error)
}

func (s *Store) inTx(ctx context.Context, db beginner, fn func(*Tx) error) (err error) {
	for range 3 {
		var tickets []jobs.Ticket
		tickets, err = try(ctx, db, fn)
		if err == nil {
			s.offer(tickets...)
			return nil
		}
		if pq.As(err, pqerror.TRSerializationFailure, pqerror.TRDeadlockDetected) == nil {
			return err
		}
	}
	return err
}

// try runs fn in one transaction. A panic of fn rolls back and continues.
func try(ctx context.Context, db beginner, fn func(*Tx) error) ([]jobs.Ticket, error) {
	tx, err := db.BeginTxx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() // after a commit it is a no-op
	t := &Tx{Queries: Queries{tx}, tx: tx}
	if err := fn(t); err != nil {
		return nil, err
	}
	if err := t.settle(ctx); err != nil {
		return nil, err
	}
	if err := tx.Commit(); err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	return t.tickets, nil
}
