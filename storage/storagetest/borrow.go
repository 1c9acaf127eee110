package storagetest

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bordero/jobs"
	"bordero/storage"
)

// Database is an empty database that one test has for itself, with open connections.
type Database struct {
	URL   string // for the role of the processes
	Store *storage.Store
	Owner *sql.DB // the owner's connections, like those of DB

	offer *atomic.Pointer[func(...jobs.Ticket)]
}

// Offer sets storage.Options.Offer of the store until the end of the test.
func (d Database) Offer(offer func(...jobs.Ticket)) { d.offer.Store(&offer) }

// Borrow lends the test a database. At the end of the test its rows are deleted and its sequences reset, and another
// test gets it, together with its connections: their statements are prepared and their caches are filled, which
// saves most of the processor time of a short test. The database is dropped instead if the test failed, changed the
// schema, the statistics or the settings of the database, filled it with much, or left a session that is busy or has an
// advisory lock. A test that counts or ends sessions, changes their settings, or needs other storage.Options takes a
// DatabaseURL.
func Borrow(t testing.TB) Database {
	t.Helper()
	l := takeFree()
	if l == nil {
		var err error
		if l, err = newLent(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { l.giveBack(t) })
	return l.Database
}

// lent is a database of the pool.
type lent struct {
	Database
	name   string
	keeper *sql.DB // the session of borrow.sql
}

// free has the databases that no test has at the moment.
var free struct {
	sync.Mutex
	databases []*lent
}

// takeFree returns a database of the pool, or nil.
func takeFree() *lent {
	free.Lock()
	defer free.Unlock()
	n := len(free.databases)
	if n == 0 {
		return nil
	}
	l := free.databases[n-1]
	free.databases = free.databases[:n-1]
	return l
}

//go:embed borrow.sql
var beginPool string

func newLent(ctx context.Context) (*lent, error) {
	name, err := clone(ctx, template)
	if err != nil {
		return nil, err
	}
	l := &lent{name: name}
	l.URL, l.offer = databaseURLOf(name), new(atomic.Pointer[func(...jobs.Ticket)])
	offer := func(tickets ...jobs.Ticket) {
		if f := l.offer.Load(); f != nil {
			(*f)(tickets...)
		}
	}
	owner := local(ownerURLOf(name))
	if l.Store, err = open(local(l.URL), storage.Options{Offer: offer}); err == nil {
		l.Owner, err = sql.Open("postgres", owner)
	}
	if err == nil {
		l.keeper, err = sql.Open("postgres", owner)
	}
	if err == nil {
		l.keeper.SetMaxOpenConns(1)
		_, err = l.keeper.ExecContext(ctx, beginPool)
	}
	if err != nil {
		return nil, errors.Join(err, l.drop())
	}
	return l, nil
}

// giveBack empties the database for another test, or drops it.
func (l *lent) giveBack(t testing.TB) {
	reason := "the test failed"
	if !t.Failed() {
		reason = l.empty()
	}
	if reason != "" {
		t.Logf("the database is dropped: %s", reason)
		if err := l.drop(); err != nil {
			t.Error(err)
		}
		return
	}
	free.Lock()
	defer free.Unlock()
	free.databases = append(free.databases, l)
}

// empty empties the database. It returns an empty text, or why the database cannot be used again.
func (l *lent) empty() (reason string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	l.offer.Store(nil)
	if err := l.Store.Ping(ctx); err != nil {
		return err.Error() // the test has closed it
	}
	sessions := l.Store.PoolStats().OpenConnections + l.Owner.Stats().OpenConnections
	if err := l.keeper.QueryRowContext(ctx, `SELECT pg_temp.empty($1)`, sessions).Scan(&reason); err != nil {
		return err.Error()
	}
	return reason
}

func (l *lent) drop() error {
	if l.Store != nil {
		_ = l.Store.Close()
	}
	for _, pool := range []*sql.DB{l.Owner, l.keeper} {
		if pool != nil {
			_ = pool.Close()
		}
	}
	return drop(l.name)
}

// dropFree drops the databases of the pool and the seeds at the end of the process.
func dropFree() {
	for l := takeFree(); l != nil; l = takeFree() {
		if err := l.drop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	for _, name := range seeds {
		if err := drop(name); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}
