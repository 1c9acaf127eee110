package db

import (
	"cmp"
	"context"
	"errors"

	"github.com/jmoiron/sqlx"
)

// ErrPooled is the error of a database behind a pooler of transactions or statements. Such a pooler runs
// the statements of one connection in the sessions of others: their prepared statements have the same
// names, so that a process could run the statement of another one.
var ErrPooled = errors.New("a pooler gives each transaction another session, but prepared statements and locks need " +
	"the same one: " +
	"connect to PostgreSQL itself, or pool sessions (PgBouncer: pool_mode=session)")

// poolerRounds is how often OwnSessions asks. One round finds every pooler that nobody else uses.
const poolerRounds = 3

// OwnSessions returns ErrPooled if the connections to url are not sessions of their own, nil if they are,
// and another error if that is not known. It opens two connections: they must never be the same session,
// and one must remain the same session while the other is in a transaction and after it.
func OwnSessions(ctx context.Context, url string) error {
	pool, err := Open(url, Options{Application: "bordero sessions", Connections: 2})
	if err != nil {
		return err
	}
	defer pool.Close()
	a, err := pool.Connx(ctx)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := pool.Connx(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	known := ""
	ask := func() error {
		now, err := session(ctx, Conn{a})
		if err == nil && known != "" && now != known {
			err = ErrPooled
		}
		known = now
		return err
	}
	apart := func(b Queryer) error {
		theirs, err := session(ctx, b)
		if err == nil && theirs == known {
			err = ErrPooled
		}
		return err
	}
	for range poolerRounds {
		// a twice: a pooler that takes turns between two sessions would show it the same one in each round.
		if err := cmp.Or(ask(), ask(), apart(Conn{b})); err != nil {
			return err
		}
		err := Try(ctx, b, func(tx *sqlx.Tx) error {
			if err := apart(tx); err != nil { // a statement of a would wait for a pooler's only session
				return err
			}
			return ask()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// session identifies a session of a server. Process ids alone repeat on other hosts of a URL.
func session(ctx context.Context, q Queryer) (string, error) {
	return One[string](ctx, q, `SELECT concat(pg_backend_pid(), '/', extract(epoch FROM pg_postmaster_start_time()))`)
}
