package db

import (
	"context"
	"database/sql/driver"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// preparing opens connections that prepare each statement with parameters once and then run it by
// name: PostgreSQL parses and plans it once per connection (decision 0007). lib/pq has no such
// cache; database/sql's own Stmt would need a second connection to prepare inside a transaction.
type preparing struct {
	driver.Connector
	settings string        // statements that begin each session
	silence  time.Duration // how long a server may leave a statement unanswered; 0 for no limit
	stalls   atomic.Int64  // how often it did for longer
	late     chan *preparedConn
}

// Connect waits for a connection until ctx ends. One that comes later is given to the next caller:
// where the first host of DATABASE_URL has stalled, the second is reached only after connect_timeout,
// which may be longer than any statement would wait.
func (p *preparing) Connect(ctx context.Context) (driver.Conn, error) {
	select {
	case c := <-p.late:
		if c.stalls.Load() == c.begun {
			c.session.under(ctx)
			return c, nil
		}
		_ = c.Close()
	default:
	}
	type connected struct {
		*preparedConn
		err error
	}
	done := make(chan connected, 1)
	go func() {
		c, err := p.connect(context.WithoutCancel(ctx))
		done <- connected{c, err}
	}()
	select {
	case c := <-done:
		if c.err != nil {
			return nil, c.err
		}
		c.session.under(ctx)
		return c.preparedConn, nil
	case <-ctx.Done():
		go func() {
			if c := <-done; c.err == nil {
				p.keep(c.preparedConn)
			}
		}()
		return nil, ctx.Err()
	}
}

// keep keeps a late connection for the next caller, if there is room.
func (p *preparing) keep(c *preparedConn) {
	select {
	case p.late <- c:
	default:
		_ = c.Close()
	}
}

// Close closes the connection that nobody has taken; sql.DB.Close calls it.
func (p *preparing) Close() error {
	select {
	case c := <-p.late:
		return c.Close()
	default:
		return nil
	}
}

// connect begins a session.
func (p *preparing) connect(ctx context.Context) (*preparedConn, error) {
	session := &stallConn{silence: p.silence, stalled: func() { p.stalls.Add(1) }}
	begun := p.stalls.Load()
	c, err := p.Connector.Connect(context.WithValue(ctx, sessionKey{}, session))
	if err != nil {
		return nil, noPrimary(err)
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	session.under(ctx)
	prepared := &preparedConn{
		pqConn: c.(pqConn), session: session, stalls: &p.stalls, begun: begun,
		stmts: map[string]*statement{}, sent: map[string]bool{},
	}
	if _, err := prepared.pqConn.ExecContext(ctx, p.settings, nil); err != nil {
		_ = c.Close()
		return nil, err
	}
	prepared.heed()
	return prepared, nil
}

// pqConn and pqStmt are the interfaces that connections and statements of lib/pq implement.
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

// statement is a prepared statement.
type statement struct {
	pqStmt
	changes bool // rows
}

// maxStatements limits the prepared statements of a connection. It is rarely reached:
// statements are constants of storage and combinations of its filters.
const maxStatements = 400

type preparedConn struct {
	pqConn
	session   *stallConn
	stalls    *atomic.Int64
	begun     int64 // the stalls when the session began
	stmts     map[string]*statement
	plannedAt time.Time
	sent      map[string]bool // the PREPAREs of First and Batch

	began       bool // a transaction
	unconfirmed bool // a wait for a standby was cancelled
}

// cachePlans is how long plans are reused. The table jobs may be empty now and have a million
// rows in a minute: a plan made for the empty table, which PostgreSQL reuses until the next
// ANALYZE, would scan all of them.
const cachePlans = 10 * time.Second

// ResetSession is called before each use of a pooled connection. After a stall it gives up the
// older connections: otherwise each of them would wait for the same server.
func (c *preparedConn) ResetSession(ctx context.Context) error {
	if c.stalls.Load() != c.begun {
		return driver.ErrBadConn
	}
	c.session.under(ctx)
	c.began, c.unconfirmed = false, false // rows with a warning that no caller has read
	if err := c.pqConn.ResetSession(ctx); err != nil || time.Since(c.plannedAt) < cachePlans {
		return err
	}
	c.plannedAt = time.Now()
	if _, err := c.pqConn.ExecContext(ctx, `DISCARD PLANS`, nil); err != nil {
		return driver.ErrBadConn
	}
	return nil
}

// PlanEach is the beginning of a statement that is planned on each execution, for its
// parameters and the current size of its tables. It is for statements that move many rows of
// tables that grow and shrink within seconds, and for searches in texts.
const PlanEach = `/* planned each time */ `

// CachePlan makes PostgreSQL reuse the plan of a statement of few rows. It would plan the
// statement again for the length of its arrays, which takes longer than running it; behind a
// subquery their length is unknown.
func CachePlan(query string) string { return arrayParameter.ReplaceAllString(query, "(SELECT $0)") }

var arrayParameter = regexp.MustCompile(`\$\d+::\w+\[\]`)

// Sized is a statement, in two forms, that moves as many rows as its arrays have elements.
// Planning it costs as much as moving eight rows.
type Sized struct{ few, many string }

// BySize returns the two forms of a statement.
func BySize(query string) Sized { return Sized{CachePlan(query), PlanEach + query} }

// Of returns the form for n rows.
func (s Sized) Of(n int) string {
	if n >= 8 {
		return s.many
	}
	return s.few
}

func (c *preparedConn) Ping(ctx context.Context) error {
	c.session.under(ctx)
	return c.pqConn.Ping(ctx)
}

func (c *preparedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	c.session.under(ctx)
	return c.pqConn.PrepareContext(ctx, query)
}

// stmt returns the prepared form of query, or nil if query is to be sent unprepared: it has
// no parameters (DDL, BEGIN, COPY), begins with PlanEach, or would exceed maxStatements.
func (c *preparedConn) stmt(ctx context.Context, query string, args []driver.NamedValue) (*statement, error) {
	if len(args) == 0 || strings.HasPrefix(query, PlanEach) {
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
	c.stmts[query] = &statement{s.(pqStmt), changesRows.MatchString(query)}
	return c.stmts[query], nil
}

// forget drops a prepared statement that failed: the schema may have changed since it was
// prepared.
func (c *preparedConn) forget(query string, s *statement) {
	delete(c.stmts, query)
	_ = s.Close() // fails inside an aborted transaction; the name is never used again
}

func (c *preparedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.session.under(ctx)
	s, err := c.stmt(ctx, query, args)
	if err != nil {
		return nil, err
	}
	if s == nil {
		calls, _ := ctx.Value(callsKey{}).([]Call)
		for _, call := range calls {
			if err := c.prepareOnce(ctx, call.prepare); err != nil {
				return nil, err
			}
		}
		ctx = c.uncancelled(ctx, len(calls) > 0 || changesRows.MatchString(query))
		return c.pqConn.QueryContext(ctx, query, args)
	}
	rows, err := s.QueryContext(c.uncancelled(ctx, s.changes), args)
	if err != nil {
		c.forget(query, s)
	}
	return rows, err
}

func (c *preparedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.session.under(ctx)
	s, err := c.stmt(ctx, query, args)
	if err != nil {
		return nil, err
	}
	if s == nil {
		result, err := c.pqConn.ExecContext(c.uncancelled(ctx, changesRows.MatchString(query)), query, args)
		return result, c.confirmed(err)
	}
	result, err := s.ExecContext(c.uncancelled(ctx, s.changes), args)
	if err != nil {
		c.forget(query, s)
	}
	return result, c.confirmed(err)
}
