// Package migrations holds the schema as numbered, forward SQL, embedded in the
// binary. It is apart from storage because it runs on a connection of its own,
// as a release step, and never when a process starts.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"

	_ "github.com/lib/pq" // the driver
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed *.sql
var files embed.FS

// Up applies what is missing and returns how many migrations that were. Several
// at once take turns; running it again is harmless.
func Up(ctx context.Context, url string) (int, error) {
	db, err := sql.Open("postgres", url)
	if err != nil {
		return 0, fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer db.Close()
	if err := newEnough(ctx, db); err != nil {
		return 0, err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return 0, err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithSessionLocker(locker))
	if err != nil {
		return 0, err
	}
	results, err := p.Up(ctx)
	if err != nil {
		return 0, fmt.Errorf("migrate: %w", err)
	}
	return len(results), nil
}

// oldest is the oldest PostgreSQL that the schema and the statements are for.
const oldest = 15

func newEnough(ctx context.Context, db *sql.DB) error {
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
		panic(err) // a test holds all names to the form
	}
	return version
}
