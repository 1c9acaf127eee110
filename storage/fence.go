package storage

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// fenced begins transactions whose first statement ends a job's claim. BEGIN and this
// statement share one round trip: of the five that a small job takes, it is the only one
// that can be saved.
type fenced struct {
	beginner
	job Job
}

type fencedKey struct{}

func (f fenced) BeginTxx(ctx context.Context, o *sql.TxOptions) (*sqlx.Tx, error) {
	return f.beginner.BeginTxx(context.WithValue(ctx, fencedKey{}, f.job), o)
}

// BeginTx begins every transaction of this package. Under fenced it also deletes the
// job's row; if the claim is lost, it returns ErrFenced and begins nothing. It does not
// call lib/pq's BeginTx, which only adds that the transaction ends with ctx: database/sql
// does that. lib/pq still commits and rolls back.
func (c *preparedConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	if o != (driver.TxOptions{}) {
		return nil, errors.New("transactions have no options")
	}
	job, ok := ctx.Value(fencedKey{}).(Job)
	if !ok {
		_, err := c.pqConn.ExecContext(ctx, `BEGIN`, nil)
		return c.pqConn, err
	}
	if !c.fence {
		prepare := `PREPARE fence (bigint, int) AS DELETE FROM jobs WHERE id = $1 AND claims = $2`
		if _, err := c.pqConn.ExecContext(ctx, prepare, nil); err != nil {
			return nil, err
		}
		c.fence = true
	}
	result, err := c.pqConn.ExecContext(ctx, fmt.Sprintf(`BEGIN; EXECUTE fence (%d, %d)`, job.ids[0], job.claims[0]), nil)
	if err != nil {
		_ = c.Rollback() // fails on a lost connection, where it is not needed
		return nil, err
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		return nil, cmp.Or(err, c.Rollback(), ErrFenced)
	}
	return c.pqConn, nil
}
