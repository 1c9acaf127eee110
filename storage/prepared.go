package storage

import (
	"context"
	"database/sql/driver"
	"regexp"
	"strings"
	"time"
)

// preparing opens connections that prepare every statement with parameters
// once and run it by name from then on: PostgreSQL parses and plans it once per
// connection. lib/pq has no such cache; database/sql's own Stmt would need a
// second connection to prepare inside a transaction.
type preparing struct{ driver.Connector }

func (p preparing) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &preparedConn{pqConn: c.(pqConn), stmts: map[string]pqStmt{}}, nil
}

// pqConn and pqStmt are what a connection and a statement of lib/pq can do.
type pqConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.Tx
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	driver.NamedValueChecker
	driver.QueryerContext
	driver.ExecerContext
}

type pqStmt interface {
	driver.Stmt
	driver.StmtQueryContext
	driver.StmtExecContext
}

// maxStatements bounds what one connection keeps; statements are constants of
// this package and combinations of its filters, so it is rarely reached.
const maxStatements = 400

type preparedConn struct {
	pqConn
	stmts     map[string]pqStmt
	plannedAt time.Time
	fence     bool // the statement of fence.go is prepared
}

// keepPlans is how long a plan is believed. The table jobs is empty now and
// holds a million rows in a minute: a plan made for it empty, which PostgreSQL
// keeps until the next ANALYZE, goes through all of them.
const keepPlans = 10 * time.Second

// ResetSession is called before each use of a pooled connection.
func (c *preparedConn) ResetSession(ctx context.Context) error {
	if err := c.pqConn.ResetSession(ctx); err != nil || time.Since(c.plannedAt) < keepPlans {
		return err
	}
	c.plannedAt = time.Now()
	if _, err := c.pqConn.ExecContext(ctx, `DISCARD PLANS`, nil); err != nil {
		return driver.ErrBadConn
	}
	return nil
}

// planEach begins a statement that is planned each time for its tables as they are
// then, and for its parameters: one that moves many rows of tables that grow and
// shrink within seconds, or that looks for a text.
const planEach = `/* planned each time */ `

// keepPlan makes a statement of few rows one whose plan is kept. PostgreSQL sees how
// long its arrays are and plans it anew for that, which takes longer than to run it;
// behind a subquery they are of unknown length.
func keepPlan(query string) string { return arrayParameter.ReplaceAllString(query, "(SELECT $0)") }

var arrayParameter = regexp.MustCompile(`\$\d+::\w+\[\]`)

// sized is a statement that moves as many rows as its arrays have: planning it costs
// as much as eight of them do.
type sized struct{ few, many string }

func bySize(query string) sized { return sized{keepPlan(query), planEach + query} }

// of is the statement for n rows.
func (s sized) of(n int) string {
	if n >= 8 {
		return s.many
	}
	return s.few
}

// stmt returns the prepared form of query, or nil for what is better sent as it
// is: a statement without parameters (DDL, BEGIN, COPY), one of planEach, or one too
// many.
func (c *preparedConn) stmt(ctx context.Context, query string, args []driver.NamedValue) (pqStmt, error) {
	if len(args) == 0 || strings.HasPrefix(query, planEach) {
		return nil, nil
	}
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	if len(c.stmts) >= maxStatements {
		return nil, nil
	}
	s, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.stmts[query] = s.(pqStmt)
	return s.(pqStmt), nil
}

// forget drops a statement that failed: its plan may be of a schema that has
// changed since.
func (c *preparedConn) forget(query string, s pqStmt) {
	delete(c.stmts, query)
	_ = s.Close() // fails inside an aborted transaction; the name is never used again
}

func (c *preparedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.stmt(ctx, query, args)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.pqConn.QueryContext(ctx, query, args)
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		c.forget(query, s)
	}
	return rows, err
}

func (c *preparedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.stmt(ctx, query, args)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.pqConn.ExecContext(ctx, query, args)
	}
	result, err := s.ExecContext(ctx, args)
	if err != nil {
		c.forget(query, s)
	}
	return result, err
}
