package e2etest

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Freeze stops Redis without ending it: connections stay open and nothing
// answers. Thaw lets it go on.
func (s *Site) Freeze() {
	s.t.Helper()
	freeze(s.t, s.Redis.PID())
}

// Thaw ends a Freeze.
func (s *Site) Thaw() { _ = syscall.Kill(s.Redis.PID(), syscall.SIGCONT) }

// Flush takes everything from Redis.
func (s *Site) Flush() { s.TellRedis("FLUSHALL") }

// TellRedis sends Redis a command.
func (s *Site) TellRedis(words ...any) {
	s.t.Helper()
	o, err := redis.ParseURL(s.Redis.URL())
	if err != nil {
		s.t.Fatal(err)
	}
	client := redis.NewClient(o)
	defer client.Close()
	if err := client.Do(s.t.Context(), words...).Err(); err != nil {
		s.t.Fatal(err)
	}
}

// Value reads one value from the database.
func Value[T any](t testing.TB, db *sql.DB, query string, args ...any) (v T) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&v); err != nil {
		t.Fatalf("%v: %s", err, query)
	}
	return v
}

// File is the path of a statement's file.
func (s *Site) File(statement int64) string {
	s.t.Helper()
	return filepath.Join(s.Files, Value[string](s.t, s.DB, `SELECT file_key FROM bank_statements WHERE id = $1`, statement))
}

// Held is a deposit account whose writers wait.
type Held struct {
	s  *Site
	tx *sql.Tx
}

// HoldBalance keeps writers of a deposit account waiting at their last statement,
// the one that changes the balance, until Release.
func (s *Site) HoldBalance(depositAccount int64) *Held {
	s.t.Helper()
	tx, err := s.DB.BeginTx(context.Background(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	h := &Held{s, tx}
	s.t.Cleanup(h.Release)
	// FOR UPDATE would stop them sooner, at their foreign keys.
	h.take(`SELECT FROM deposit_accounts WHERE id = $1 FOR NO KEY UPDATE`, depositAccount)
	return h
}

// Release lets the writers go on.
func (h *Held) Release() { _ = h.tx.Rollback() }

// Deadlock wants a table in which the waiting writer has locked rows. PostgreSQL
// ends the writer, whose turn it is to notice, and gives the table to the test.
func (h *Held) Deadlock(table string) {
	h.s.t.Helper()
	h.take(`SELECT set_config('deadlock_timeout', '10min', true)`)
	h.take(`LOCK TABLE ` + table + ` IN EXCLUSIVE MODE`)
}

func (h *Held) take(query string, args ...any) {
	h.s.t.Helper()
	if _, err := h.tx.Exec(query, args...); err != nil {
		h.s.t.Fatal(err)
	}
}

// Await waits until a writer is held: all that it does is written, and nothing is
// committed.
func (h *Held) Await() {
	h.s.t.Helper()
	Await(h.s.t, "a writer waits for the balance", func() bool {
		return Value[bool](h.s.t, h.s.DB, `
			SELECT EXISTS (SELECT FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%UPDATE deposit_accounts%')`)
	})
}

// Feed is a statement's file that comes in as the test writes it, so that a
// worker can be met in the middle of reading.
type Feed struct {
	s       *Site
	path    string
	link    string // another name of the pipe
	content []byte
	rest    []byte
	pipe    *os.File
}

// Feed puts a pipe in the place of a file that no worker reads yet.
func (s *Site) Feed(statement int64) *Feed {
	s.t.Helper()
	f := &Feed{s: s, path: s.File(statement)}
	var err error
	if f.content, err = os.ReadFile(f.path); err != nil {
		s.t.Fatal(err)
	}
	f.rest = f.content
	if err := os.Remove(f.path); err != nil {
		s.t.Fatal(err)
	}
	if err := syscall.Mkfifo(f.path, 0o600); err != nil {
		s.t.Fatal(err)
	}
	f.link = filepath.Join(s.dir(), "pipe") // Restore takes the first name away
	if err := os.Link(f.path, f.link); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = f.pipe.Close() })
	return f
}

// Give writes the next n bytes to the worker that reads, once one does, and
// returns when it has taken all but what fits a pipe.
func (f *Feed) Give(n int) {
	f.s.t.Helper()
	if f.pipe == nil {
		Await(f.s.t, "a worker opens the file", f.open)
	}
	n = min(n, len(f.rest))
	if _, err := f.pipe.Write(f.rest[:n]); err != nil {
		f.s.t.Fatal(err)
	}
	f.rest = f.rest[n:]
}

// Half is half of the file.
func (f *Feed) Half() int { return len(f.content) / 2 }

// Restore puts the file back for workers that open it from now on; one that
// reads keeps the pipe.
func (f *Feed) Restore() {
	f.s.t.Helper()
	if err := os.WriteFile(f.path+".new", f.content, 0o600); err != nil {
		f.s.t.Fatal(err)
	}
	if err := os.Rename(f.path+".new", f.path); err != nil {
		f.s.t.Fatal(err)
	}
}

// End gives the rest and waits until the worker that reads has closed the file,
// which is the last that it does with a statement.
func (f *Feed) End() {
	f.s.t.Helper()
	f.Give(len(f.rest))
	_ = f.pipe.Close()
	Await(f.s.t, "the worker closes the file", func() bool {
		if !f.open() {
			return true
		}
		_ = f.pipe.Close() // it waits for our end, too
		return false
	})
}

// open opens the pipe to write, if somebody reads it.
func (f *Feed) open() bool {
	var err error
	f.pipe, err = os.OpenFile(f.link, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil && !errors.Is(err, syscall.ENXIO) {
		f.s.t.Fatal(err)
	}
	return err == nil
}
