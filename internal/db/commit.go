package db

import (
	"context"
	"errors"
	"regexp"

	"github.com/lib/pq"
)

// ErrUnconfirmed is the error of a change that the server has committed, but that it does not have
// on a synchronous standby: someone has cancelled its wait for one. PostgreSQL then reports success with a
// warning. Whether the change survives is unknown, as when the connection breaks during a COMMIT.
var ErrUnconfirmed = errors.New("it is not known whether a standby has the change, as its confirmation was cancelled")

// heed makes the warning of a cancelled wait known to confirmed. The text of the warning depends on the language
// of the server, the name of the function does not.
func (c *preparedConn) heed() {
	pq.SetNoticeHandler(c.pqConn, func(e *pq.Error) {
		if e.Routine == "SyncRepWaitForLSN" {
			c.unconfirmed = true
		}
	})
}

// confirmed returns ErrUnconfirmed instead of success after the warning of a cancelled wait.
func (c *preparedConn) confirmed(err error) error {
	unconfirmed := c.unconfirmed
	c.unconfirmed = false
	if err == nil && unconfirmed {
		return ErrUnconfirmed
	}
	return err
}

// transaction is a transaction whose COMMIT reports whether it is confirmed. lib/pq, which does not know its context,
// never asks the server to cancel a COMMIT, and statement_timeout does not limit the wait for a standby. stallConn
// limits the wait of this process; the server goes on waiting, and nobody sees the change until a standby has it.
type transaction struct{ *preparedConn }

func (t transaction) Commit() error {
	t.began = false
	return t.confirmed(t.pqConn.Commit())
}

func (t transaction) Rollback() error {
	t.began = false
	return t.pqConn.Rollback()
}

// uncancelled returns the context for a statement, which does not end if the statement changes rows and commits by
// itself: cancelled while it waits for a standby, it would show everybody a change that no standby has (decision
// 0053). The session is given up all the same, a while after the end of ctx.
func (c *preparedConn) uncancelled(ctx context.Context, changes bool) context.Context {
	if c.began || !changes {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// changesRows finds statements that change rows, and some that lock them. A statement that changes rows by a function
// alone has one of the words in a comment.
var changesRows = regexp.MustCompile(`\b(INSERT|UPDATE|DELETE|MERGE)\b`)
