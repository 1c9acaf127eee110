// Package storage stores the records: it has their SQL, one file per table family. It is
// apart so that the isolation of tenants, the transactions and the guarantees of jobs are in
// one place.
package storage

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/internal/share"
	"bordero/jobs"
	"bordero/storage/queue"

	"github.com/jmoiron/sqlx"
)

// ErrNotFound is the error of every read of one record that is missing or belongs to
// another tenant: the two cases are not distinguishable.
var ErrNotFound = db.ErrNotFound

// ErrPooled is the error of OwnSessions for a pooler of transactions or statements.
var ErrPooled = db.ErrPooled

// ErrNoPrimary is the error while a host of the URL answers, and none accepts writes.
var ErrNoPrimary = db.ErrNoPrimary

// OwnSessions returns ErrPooled if the connections to url are not sessions of their own, nil if
// they are, and another error if the check fails.
func OwnSessions(ctx context.Context, url string) error { return db.OwnSessions(ctx, url) }

// Scope is the tenant of a statement and, within it, the entity. EntityID is 0
// for account-level records.
type Scope struct{ AccountID, EntityID int64 }

// Queries has the reads. They use the pool, or a transaction.
type Queries struct{ DB db.Queryer }

// Store has the reads and the queue, and begins transactions. Without a Tx it writes by statements and short
// transactions of their own: claims and ends of jobs and operations on dead jobs (package queue), rounds of deliveries
// and their retention (package deliveries), the use of tokens (package members), the seals and partitions of changes
// (sealer.go), and periodic counts and removals (use_counts.go, idempotency_keys.go).
type Store struct {
	Queries
	*queue.Queue
	pool   *sqlx.DB
	places *share.Places // of each account in the connections; nil for no limit
	waits  share.Waits   // for places in the connections
	offer  func(...jobs.Ticket)
}

// Tx is a transaction: it has the reads and, alone, the writes. The caller of a write emits the
// events of the records that it asked to change, unless the comment of the write says that it emits
// them.
type Tx struct {
	Queries
	tx             *sqlx.Tx
	tickets        []jobs.Ticket
	balanceChanges map[depositAccountKey]BalanceChange // added to balances at the end
	unsealed       bool                                // it wrote changes
}

// Try runs do, and undoes the changes of do if it returns a finance.Invalid or a fault of the
// client: the transaction goes on as if do had not run. Any other error concerns the whole
// transaction.
func (tx *Tx) Try(ctx context.Context, do func() error) error {
	before := *tx
	before.balanceChanges = maps.Clone(tx.balanceChanges)
	if _, err := db.Exec(ctx, tx.DB, `SAVEPOINT try`); err != nil {
		return err
	}
	err := do()
	if err == nil {
		_, err = db.Exec(ctx, tx.DB, `RELEASE SAVEPOINT try`)
		return err
	}
	var invalid *finance.Invalid
	var fault *messages.Fault
	if !errors.As(err, &invalid) && !errors.As(err, &fault) {
		return err
	}
	if _, failed := db.Exec(ctx, tx.DB, `ROLLBACK TO SAVEPOINT try`); failed != nil {
		return failed
	}
	*tx = before
	return err
}

// Options configure how a process uses the database.
type Options struct {
	Application string // shown in pg_stat_activity
	Connections int    // most connections; no limit when 0
	Timezone    string // of the sessions; decides today and the offsets of timestamps
	// StatementTimeout ends a statement that runs longer; 0 never. For the API.
	StatementTimeout time.Duration
	// IdleInTransaction ends a session that leaves a transaction open; 0 never.
	// Workers set it to about the lease of a job: the open transaction of a
	// stopped process locks its job's row, and nothing else releases it.
	IdleInTransaction time.Duration
	// ReadOnly makes PostgreSQL refuse writes. ChangesUntil does not wait for the transactions, and the application is
	// "bordero reads".
	ReadOnly bool
	// Offer receives the jobs of a transaction once it has committed. It must not
	// block. A process without a pusher leaves it nil: the relay offers the rows.
	Offer func(...jobs.Ticket)
}

// Open returns a Store for the database at url. It connects lazily: an unavailable
// database is an error of the first use.
func Open(url string, o Options) (*Store, error) {
	if following.event == nil {
		return nil, errors.New("storage: nothing follows from events: import bordero/storage/matching")
	}
	if o.ReadOnly {
		o.Application = readers
	}
	pool, err := db.Open(url, db.Options{
		Application: o.Application, Connections: o.Connections, Timezone: o.Timezone, ReadOnly: o.ReadOnly,
		StatementTimeout: o.StatementTimeout, IdleInTransaction: o.IdleInTransaction,
	})
	if err != nil {
		return nil, err
	}
	if o.Offer == nil {
		o.Offer = func(...jobs.Ticket) {}
	}
	s := &Store{Queries: Queries{pool}, Queue: queue.New(pool, o.Offer,
		finance.DefaultQuotas[finance.RunningImports]), pool: pool, offer: o.Offer}
	if o.Connections > 0 {
		s.places = share.NewPlaces(o.Connections - o.Connections/4)
		s.places.Waits = &s.waits
	}
	return s, nil
}

// WithConnections returns a context with at most n connections of the pool at once, so that the work of the context
// leaves the other connections to other work. Transactions are as in WithPlaces.
func (s *Store) WithConnections(ctx context.Context, n int) context.Context {
	places := share.NewPlaces(n)
	places.Waits = &s.waits
	return db.WithPlaces(ctx, places, 0)
}

// WithPlaces returns a context in which the account has at most three quarters of the connections at once.
// Its further statements and transactions wait, so that a busy account leaves room for others.
func (s *Store) WithPlaces(ctx context.Context, account int64) context.Context {
	if s.places == nil {
		return ctx
	}
	return db.WithPlaces(ctx, s.places, account)
}

// Spent counts the cost of the statements under a context.
type Spent = db.Spent

// WithSpent returns a context with which statements are counted in spent.
func WithSpent(ctx context.Context, spent *Spent) context.Context { return db.WithSpent(ctx, spent) }

// Close closes all connections.
func (s *Store) Close() error { return s.pool.Close() }

// Ping returns nil if the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.pool.PingContext(ctx) }

// KeepOne keeps a connection open until ctx ends, so that the first statement after a rest does not wait for one.
func (s *Store) KeepOne(ctx context.Context) { db.KeepOne(ctx, s.pool) }

// Clock returns the database's current time.
func (s *Store) Clock(ctx context.Context) (time.Time, error) {
	return db.One[time.Time](ctx, s.DB, `SELECT clock_timestamp()`)
}

// Installation returns the id of the installation, which its tasks and keys in Redis contain.
func (s *Store) Installation(ctx context.Context) (string, error) {
	return db.One[string](ctx, s.DB, `SELECT id FROM installation`)
}

// MarkFiles calls mark, which marks the file store as the installation's, unless an earlier call
// has done so: a second process with another store must not mark its store, too. If mark fails, the
// next call tries again.
func (s *Store) MarkFiles(ctx context.Context, mark func() error) error {
	return s.InTx(ctx, func(tx *Tx) error {
		n, err := db.Exec(ctx, tx.DB, `UPDATE installation SET files_marked_at = now() WHERE files_marked_at IS NULL`)
		if err != nil || n == 0 {
			return err
		}
		return mark()
	})
}

// PoolStats returns the statistics of the connection pool. Its waits include those for a place of WithPlaces and
// WithConnections, which come before the pool's own.
func (s *Store) PoolStats() sql.DBStats {
	stats := s.pool.Stats()
	count, waited := s.waits.Read()
	stats.WaitCount += count
	stats.WaitDuration += waited
	return stats
}

// SchemaVersion returns the number of the newest applied migration.
func (s *Store) SchemaVersion(ctx context.Context) (int64, error) {
	return db.One[int64](ctx, s.DB, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`)
}

// InTx runs fn in a transaction, commits it when fn returns nil, and only then
// offers the jobs that fn enqueued. Serialization failures and deadlocks are
// tried five times, so fn may run more than once and must not retain anything
// from a run that failed.
func (s *Store) InTx(ctx context.Context, fn func(*Tx) error) error {
	return s.inTx(ctx, s.pool, fn)
}

func (s *Store) inTx(ctx context.Context, b db.Beginner, fn func(*Tx) error) error {
	var tickets []jobs.Ticket
	err := db.InTx(ctx, b, func(tx *sqlx.Tx) (err error) {
		tickets, err = run(ctx, tx, fn)
		return err
	})
	if err == nil {
		s.offer(tickets...)
	}
	return err
}

// InSnapshot runs fn, which only reads, in a transaction with one snapshot of the database for all
// its statements.
func (s *Store) InSnapshot(ctx context.Context, fn func(*Tx) error) error {
	return s.InTx(ctx, func(tx *Tx) error {
		if _, err := db.Exec(ctx, tx.DB, `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`); err != nil {
			return err
		}
		return fn(tx)
	})
}

// Conn returns one connection of the pool, for temporary tables. The caller closes it.
func (s *Store) Conn(ctx context.Context) (*sqlx.Conn, error) { return s.pool.Connx(ctx) }

// NewTx returns the writes of a transaction that the caller ends. Unlike InTx, its end neither adds
// movements to balances nor offers jobs: it is for temporary tables.
func NewTx(tx *sqlx.Tx) *Tx { return &Tx{Queries: Queries{tx}, tx: tx} }

// Copy adds the rows that fill passes to add to a table (db.Copy).
func (tx *Tx) Copy(ctx context.Context, table string, columns []string, fill func(add func(...any) error) error) error {
	return db.Copy(ctx, tx.tx, table, columns, fill)
}

// run runs fn in a transaction, and returns the jobs that it enqueued.
func run(ctx context.Context, tx *sqlx.Tx, fn func(*Tx) error) ([]jobs.Ticket, error) {
	t := NewTx(tx)
	if err := fn(t); err != nil {
		return nil, err
	}
	return t.tickets, t.addMovements(ctx)
}
