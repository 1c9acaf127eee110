package db

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/jmoiron/sqlx"
)

// Beginner is a pool, or one connection of it.
type Beginner interface {
	BeginTxx(context.Context, *sql.TxOptions) (*sqlx.Tx, error)
}

// First is a statement that changes or locks one row, with which transactions begin. BEGIN and the
// statement share one round trip: of the five that a small job takes, it is the only one that can
// be saved.
type First struct {
	Prepare string // PREPARE name … AS …, sent once per connection
	Execute string // EXECUTE name (…)
	Missed  error  // the error of BeginTxx if there was no such row; nothing is begun then
}

// Of returns a Beginner of transactions that begin with the statement.
func (f First) Of(b Beginner) Beginner { return beginsWith{b, f} }

type beginsWith struct {
	Beginner
	first First
}

type firstKey struct{}

func (b beginsWith) BeginTxx(ctx context.Context, o *sql.TxOptions) (*sqlx.Tx, error) {
	return b.Beginner.BeginTxx(context.WithValue(ctx, firstKey{}, b.first), o)
}

// BeginTx begins every transaction. It does not call lib/pq's BeginTx, which only adds that the
// transaction ends with ctx: database/sql does that. lib/pq still commits and rolls back.
func (c *preparedConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if o != (driver.TxOptions{}) {
		return nil, errors.New("transactions have no options")
	}
	c.session.under(ctx)
	first, ok := ctx.Value(firstKey{}).(First)
	if !ok {
		_, err := c.pqConn.ExecContext(ctx, `BEGIN`, nil)
		c.began = err == nil
		return transaction{c}, err
	}
	if err := c.prepareOnce(ctx, first.Prepare); err != nil {
		return nil, err
	}
	result, err := c.pqConn.ExecContext(ctx, `BEGIN; `+first.Execute, nil)
	if err != nil {
		_ = c.Rollback() // fails on a lost connection, where it is not needed
		return nil, err
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		return nil, cmp.Or(err, c.Rollback(), first.Missed)
	}
	c.began = true
	return transaction{c}, nil
}
