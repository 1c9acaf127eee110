package e2etest

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"bordero/internal/testkit"

	"github.com/redis/go-redis/v9"
)

// Freeze stops Redis without ending it: connections stay open and nothing responds until Thaw.
func (s *Site) Freeze() {
	s.t.Helper()
	freeze(s.t, s.Redis.PID())
}

// Thaw ends a Freeze.
func (s *Site) Thaw() { _ = syscall.Kill(s.Redis.PID(), syscall.SIGCONT) }

// Flush removes all data from Redis.
func (s *Site) Flush() { s.CommandRedis("FLUSHALL") }

// CommandRedis sends a command to Redis and returns its reply.
func (s *Site) CommandRedis(words ...any) any {
	s.t.Helper()
	o, err := redis.ParseURL(s.Redis.URL())
	if err != nil {
		s.t.Fatal(err)
	}
	client := redis.NewClient(o)
	defer client.Close()
	reply, err := client.Do(s.t.Context(), words...).Result()
	if err != nil {
		s.t.Fatal(err)
	}
	return reply
}

// Value reads one value from the database.
func Value[T any](t testing.TB, db *sql.DB, query string, args ...any) (v T) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&v); err != nil {
		t.Fatalf("%v: %s", err, query)
	}
	return v
}

// File returns the path of a statement's file.
func (s *Site) File(statement int64) string {
	s.t.Helper()
	return filepath.Join(s.Files, Value[string](s.t, s.DB, `SELECT file_key FROM bank_statements WHERE id = $1`,
		statement))
}

// LockedBalance is a deposit account with a locked balance: its writers wait.
type LockedBalance struct {
	s  *Site
	tx *sql.Tx
}

// LockBalance blocks writers of a deposit account at their last statement, which changes the
// balance, until Release.
func (s *Site) LockBalance(depositAccount int64) *LockedBalance {
	s.t.Helper()
	tx, err := s.DB.BeginTx(context.Background(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	h := &LockedBalance{s, tx}
	s.t.Cleanup(h.Release)
	// FOR UPDATE would block them earlier, at their foreign keys.
	h.take(`SELECT FROM deposit_accounts WHERE id = $1 FOR NO KEY UPDATE`, depositAccount)
	return h
}

// Release unblocks the writers.
func (h *LockedBalance) Release() { _ = h.tx.Rollback() }

// Deadlock locks a table in which the waiting writer has locked rows. PostgreSQL aborts the
// writer, the first to check for a deadlock, and gives the table to the test.
func (h *LockedBalance) Deadlock(table string) {
	h.s.t.Helper()
	h.take(`SELECT set_config('deadlock_timeout', '10min', true)`)
	h.take(`LOCK TABLE ` + table + ` IN EXCLUSIVE MODE`)
}

func (h *LockedBalance) take(query string, args ...any) {
	h.s.t.Helper()
	if _, err := h.tx.Exec(query, args...); err != nil {
		h.s.t.Fatal(err)
	}
}

// Await waits until a writer is blocked: it has written everything and committed nothing.
func (h *LockedBalance) Await() {
	h.s.t.Helper()
	h.s.AwaitBlocked("UPDATE deposit_accounts")
}

// Hold locks rows by a query until release is called, or the test ends. A query that finds no row fails the test.
func (s *Site) Hold(query string, args ...any) (release func()) {
	s.t.Helper()
	tx, err := s.DB.BeginTx(context.Background(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = tx.Rollback() })
	result, err := tx.Exec(query, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		s.t.Fatalf("%s locks %d rows, %v", query, n, err)
	}
	return func() { _ = tx.Rollback() }
}

// AwaitBlocked waits until a statement that contains the text waits for a lock.
func (s *Site) AwaitBlocked(text string) {
	s.t.Helper()
	testkit.Eventually(s.t, "a lock is waited for by "+text, func() bool {
		return Value[bool](s.t, s.DB, `
			SELECT EXISTS (SELECT FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock' AND strpos(query, $1) > 0
					AND pid <> pg_backend_pid())`, text)
	})
}

// Feed is a statement's file that arrives as the test writes it, so that a worker can be
// interrupted while it reads.
type Feed struct {
	s       *Site
	path    string
	link    string // another name of the pipe
	content []byte
	rest    []byte
	pipe    *os.File
}

// Feed replaces a file that no worker reads yet by a pipe.
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
	f.link = filepath.Join(s.dir(), "pipe") // Restore takes over the first name
	if err := os.Link(f.path, f.link); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = f.pipe.Close() })
	return f
}

// Give writes the next n bytes as soon as a worker reads. It returns when the worker has read all
// bytes but the last ones, which fit in the pipe.
func (f *Feed) Give(n int) {
	f.s.t.Helper()
	if f.pipe == nil {
		testkit.Eventually(f.s.t, "a worker opens the file", f.open)
	}
	n = min(n, len(f.rest))
	if _, err := f.pipe.Write(f.rest[:n]); err != nil {
		f.s.t.Fatal(err)
	}
	f.rest = f.rest[n:]
}

// Half returns half of the file's length.
func (f *Feed) Half() int { return len(f.content) / 2 }

// Restore puts the file back for workers that open it from now on. A worker that is reading
// continues with the pipe.
func (f *Feed) Restore() {
	f.s.t.Helper()
	if err := os.WriteFile(f.path+".new", f.content, 0o600); err != nil {
		f.s.t.Fatal(err)
	}
	if err := os.Rename(f.path+".new", f.path); err != nil {
		f.s.t.Fatal(err)
	}
}

// Finish writes the rest, after which the worker finds the end of the file. The worker reads the
// file a second time from its beginning, if the file has not been deleted.
func (f *Feed) Finish() {
	f.s.t.Helper()
	if _, err := os.Lstat(f.path); err == nil {
		f.Restore()
	}
	f.Give(len(f.rest))
	_ = f.pipe.Close()
}

// End is Finish, and waits until no process has the file open: to close it is the last action of a worker
// on a statement.
func (f *Feed) End() {
	f.s.t.Helper()
	f.Finish()
	closed := 0 // in a row: between its two readings the worker has it closed for a moment
	testkit.Eventually(f.s.t, "the worker closes the file", func() bool {
		if closed++; f.isOpen() {
			closed = 0
		}
		return closed == 10
	})
}

// isOpen reports whether a process has the file open.
func (f *Feed) isOpen() bool {
	fds, _ := filepath.Glob("/proc/[0-9]*/fd/*") // the pattern is valid
	return slices.ContainsFunc(fds, func(fd string) bool {
		to, err := os.Readlink(fd)
		return err == nil && (to == f.path || to == f.link)
	})
}

// open opens the pipe for writing and reports whether a process reads it.
func (f *Feed) open() bool {
	var err error
	f.pipe, err = os.OpenFile(f.link, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil && !errors.Is(err, syscall.ENXIO) {
		f.s.t.Fatal(err)
	}
	return err == nil
}
