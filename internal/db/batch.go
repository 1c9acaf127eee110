package db

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// Call is a registered statement with its values, as a part of a batch.
type Call struct{ sql, prepare, execute string }

// Call returns the statement with its values: integers, floats and texts. It panics like Args, and at a value of
// another type.
func (s Statement) Call(values ...Args) Call {
	args := s.Args(values...)
	literals := make([]string, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case int:
			literals[i] = strconv.Itoa(a)
		case int64:
			literals[i] = strconv.FormatInt(a, 10)
		case float64:
			literals[i] = strconv.FormatFloat(a, 'g', -1, 64)
		case string:
			literals[i] = pq.QuoteLiteral(a)
		default:
			panic(fmt.Sprintf("@%s is a %T, which has no literal", s.names[i], a))
		}
	}
	name := pq.QuoteIdentifier(s.name)
	execute := `EXECUTE ` + name + ` (` + strings.Join(literals, ", ") + `)`
	return Call{s.SQL, `PREPARE ` + name + ` AS ` + s.SQL, execute}
}

type callsKey struct{}

// Batch runs statements that return rows in one round trip and one transaction, and returns the rows of the last.
// PostgreSQL takes one message as a transaction, and each statement sees what was committed when it began. Each
// connection prepares the statements once, as it does with statements that are sent alone. A connection whose batch
// failed is closed: the schema may have changed since it prepared them.
func Batch[T any](ctx context.Context, pool *sqlx.DB, calls ...Call) (all []T, err error) {
	defer name(&err, calls[len(calls)-1].prepare)
	defer spend(ctx, 1, calls[len(calls)-1].sql)()
	conn, err := pool.Connx(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if all, err = batch[T](context.WithValue(ctx, callsKey{}, calls), conn, calls); err != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	return all, err
}

func batch[T any](ctx context.Context, conn *sqlx.Conn, calls []Call) (all []T, err error) {
	texts := make([]string, len(calls))
	for i, c := range calls {
		texts[i] = c.execute
	}
	rows, err := conn.QueryxContext(ctx, strings.Join(texts, `; `))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for range calls[1:] {
		for rows.Next() { // lib/pq learns of the next result behind the last row
		}
		if !rows.NextResultSet() {
			return nil, cmp.Or(rows.Err(), errors.New("a statement of the batch has no result"))
		}
	}
	read, err := reader[T](rows)
	for err == nil && rows.Next() {
		var v T
		err = read(&v)
		all = append(all, v)
	}
	return all, cmp.Or(err, rows.Err())
}

// prepareOnce sends a PREPARE unless this connection has sent it.
func (c *preparedConn) prepareOnce(ctx context.Context, prepare string) error {
	if c.sent[prepare] {
		return nil
	}
	if _, err := c.pqConn.ExecContext(ctx, prepare, nil); err != nil {
		return err
	}
	c.sent[prepare] = true
	return nil
}
