// Package migrations contains the schema as numbered, forward SQL, embedded in the
// binary. It is apart from storage because it runs on a connection of its own,
// as a release step, and never when a process starts.
package migrations

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed *.sql
var files embed.FS

// A migration waits lockTimeout for a table in use, and tries that many times. All later
// requests for the table queue behind a waiting migration.
const (
	lockTimeout = 3 * time.Second
	lockTries   = 60
)

// Digest names the schema that all migrations make together.
func Digest() (string, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, name := range names {
		content, err := files.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(content), content)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// Up applies the missing migrations and returns their number, also with an error. Concurrent calls are serialised;
// running it again is harmless. While a long transaction uses a table, or after a deadlock, a migration gives up after
// 3 s and is tried again a second later, for about four minutes. Migrations outside of a transaction, which build
// indexes concurrently, block no one and wait without a limit. The standard error names each migration that begins,
// except in a new database, where all are quick, and says what Up waits for.
func Up(ctx context.Context, url string) (int, error) {
	if err := checkVersion(ctx, url); err != nil {
		return 0, err
	}
	return up(ctx, url, files, lockTries, os.Stderr)
}

func up(ctx context.Context, url string, files fs.FS, tries int, log io.Writer) (n int, err error) {
	defer func() {
		if err != nil && n > 0 {
			err = fmt.Errorf("%w; %d migrations were applied, and the next run goes on from there", err, n)
		}
	}()
	unlocker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return 0, err
	}
	locker := &patientLocker{SessionLocker: unlocker, log: log}
	hasty, err := open(url, files, lockTimeout, locker)
	if err != nil {
		return 0, err
	}
	defer hasty.Close()
	patient, err := open(url, files, 0, locker)
	if err != nil {
		return 0, err
	}
	defer patient.Close()
	current, _, err := patient.GetVersions(ctx)
	if err != nil {
		return 0, fmt.Errorf("migrate: %w", err)
	}
	for _, source := range patient.ListSources() {
		if source.Version <= current {
			continue
		}
		content, err := fs.ReadFile(files, source.Path)
		if err != nil {
			return n, err
		}
		p := hasty
		if strings.Contains(string(content), "+goose NO TRANSACTION") {
			p = patient
		}
		name := strings.TrimSuffix(source.Path, ".sql")
		if current > 0 {
			fmt.Fprintf(log, "applying %s\n", name)
		}
		err = apply(ctx, p, source.Version, tries, func() {
			fmt.Fprintf(log, "%s waits for a table in use: pg_stat_activity shows long transactions\n", name)
		})
		if errors.Is(err, goose.ErrAlreadyApplied) { // by another at the same time
			continue
		}
		if err != nil {
			return n, fmt.Errorf("migrate: %w", err)
		}
		n++
	}
	return n, nil
}

// apply applies one migration, again and again while it cannot have a table, also because of a
// deadlock with a process that serves. One outside of a transaction begins again, too. waits is called before the
// first repetition.
func apply(ctx context.Context, p *goose.Provider, version int64, tries int, waits func()) error {
	for first := true; ; tries-- {
		_, err := p.ApplyVersion(ctx, version, true)
		if pq.As(err, pqerror.LockNotAvailable, pqerror.TRDeadlockDetected) == nil || tries == 1 {
			return err
		}
		if first {
			waits()
			first = false
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// Migration is one of this binary's migrations.
type Migration struct {
	Version   int64      `json:"version"`
	Name      string     `json:"name"`
	AppliedAt *time.Time `json:"applied_at"` // nil when it is not
}

// Status reports for every migration, in order, whether it has been applied,
// and the number of the newest one in the database, which may be of a later
// release. It changes nothing, not even in an empty database.
func Status(ctx context.Context, url string) (all []Migration, current int64, err error) {
	db, err := sql.Open("postgres", url)
	if err != nil {
		return nil, 0, fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer db.Close()
	applied := map[int64]time.Time{}
	rows, err := db.QueryContext(ctx, `SELECT version_id, tstamp AT TIME ZONE current_setting('TimeZone')
		FROM goose_db_version WHERE is_applied ORDER BY id`)
	if err != nil && pq.As(err, pqerror.UndefinedTable) == nil {
		return nil, 0, fmt.Errorf("migrate: %w", err)
	}
	if err == nil { // otherwise the database is empty
		defer rows.Close()
		for rows.Next() {
			var version int64
			var at time.Time
			if err := rows.Scan(&version, &at); err != nil {
				return nil, 0, fmt.Errorf("migrate: %w", err)
			}
			applied[version], current = at, max(current, version)
		}
		if err := rows.Err(); err != nil {
			return nil, 0, fmt.Errorf("migrate: %w", err)
		}
	}
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, 0, err
	}
	for _, e := range entries {
		version, err := goose.NumericComponent(e.Name())
		if err != nil {
			return nil, 0, err
		}
		m := Migration{Version: version, Name: strings.TrimSuffix(e.Name(), ".sql")}
		if at, ok := applied[version]; ok {
			m.AppliedAt = &at
		}
		all = append(all, m)
	}
	return all, current, nil
}

// patientLocker lets one migrate after the other change the schema. goose gives up after a number of tries, but an
// index may be built for hours, also by the session of a migrate that was killed.
type patientLocker struct {
	lock.SessionLocker // unlocks
	log                io.Writer
	logged             bool
}

// SessionLock tries to get goose's lock each second until ctx ends. A statement that waited for the lock would have a
// snapshot, and the other migrate, which builds an index concurrently, would wait for the end of that snapshot.
func (l *patientLocker) SessionLock(ctx context.Context, conn *sql.Conn) error {
	for {
		var locked bool
		err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1)`, lock.DefaultLockID).Scan(&locked)
		if err != nil || locked {
			return err
		}
		if !l.logged {
			l.logged = true
			var as string // empty if the lock is free by now
			err := conn.QueryRowContext(ctx, `
				SELECT coalesce(', as pid ' || min(pid) || ' of PostgreSQL', '') FROM pg_locks
				WHERE locktype = 'advisory' AND granted AND (classid::bigint << 32) + objid::bigint = $1
					AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
				lock.DefaultLockID).Scan(&as)
			if err != nil {
				return err
			}
			fmt.Fprintf(l.log, "another migrate is at work%s: waiting for its end\n", as)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// open returns the provider of the migrations; waiting is how long a statement waits for a lock, 0
// without a limit.
func open(url string, files fs.FS, waiting time.Duration, locker lock.SessionLocker) (*goose.Provider, error) {
	cfg, err := pq.NewConfig(url)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	if cfg.Runtime == nil {
		cfg.Runtime = map[string]string{}
	}
	cfg.Runtime["lock_timeout"] = strconv.FormatInt(waiting.Milliseconds(), 10)
	connector, err := pq.NewConnectorConfig(cfg)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	return goose.NewProvider(goose.DialectPostgres, sql.OpenDB(connector), files, goose.WithSessionLocker(locker))
}

// oldest is the oldest PostgreSQL that the schema and the statements are for.
const oldest = 15

func checkVersion(ctx context.Context, url string) error {
	db, err := sql.Open("postgres", url)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer db.Close()
	var version int
	if err := db.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int`).Scan(&version); err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	if version /= 10_000; version < oldest {
		return fmt.Errorf("this PostgreSQL is too old: it is %d, and %d or newer is needed", version, oldest)
	}
	return nil
}

// Latest is the number of the newest migration of this binary. A database is
// fine for it when its schema is at least that.
func Latest() int64 {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // an embedded folder can be read
	}
	version, err := goose.NumericComponent(entries[len(entries)-1].Name())
	if err != nil {
		panic(err) // a test checks the form of all names
	}
	return version
}
