package broker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"bordero/jobs"

	"github.com/hibiken/asynq"
)

// ErrRefused is the error of a Redis that no process may use: it evicts keys, or carries
// another installation's work.
var ErrRefused = errors.New("this Redis cannot be used")

// markKey stores the id of the installation that uses a Redis.
const markKey = "bordero:installation"

// markAge is how long an answer about the mark is reused.
const markAge = 5 * time.Second

// installation identifies the installation whose work a client carries. Ids of jobs are
// small numbers: in a Redis that two installations share, a task of one would name a job of
// the other.
type installation struct {
	read func(context.Context) (string, error)
	id   atomic.Pointer[string] // nil until it has been read

	asking  chan struct{} // full while the mark is read
	askedAt time.Time
	refused atomic.Pointer[error] // as of askedAt
}

// Installation returns the id that is part of the names of tasks and keys. It reads the database
// once. It returns when ctx ends, even if the database hangs.
func (c *Client) Installation(ctx context.Context) (string, error) {
	i := &c.installation
	if id := i.id.Load(); id != nil {
		return *id, nil
	}
	read := make(chan error, 1)
	go func() {
		id, err := i.read(ctx)
		if err == nil {
			i.id.Store(&id)
		}
		read <- err
	}()
	var err error
	select {
	case err = <-read:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return "", fmt.Errorf("id of the installation: %w", err)
	}
	return *i.id.Load(), nil
}

// ours marks the Redis as this installation's. It returns ErrRefused if the mark is another
// installation's. If Redis does not answer, the last answer stands. While one goroutine reads the
// mark, the other goroutines use the last answer, so a hanging Redis blocks only one.
func (c *Client) ours(ctx context.Context) error {
	select {
	case c.installation.asking <- struct{}{}:
		return c.ask(ctx)
	default:
		return c.lastAnswer()
	}
}

// oursAtStart is ours for a process that starts. It waits for its turn to read the mark, because there may be no last
// answer yet.
func (c *Client) oursAtStart(ctx context.Context) error {
	select {
	case c.installation.asking <- struct{}{}:
		return c.ask(ctx)
	case <-ctx.Done():
		return c.lastAnswer()
	}
}

// ask reads the mark, unless the last answer is recent, and empties asking.
func (c *Client) ask(ctx context.Context) error {
	i := &c.installation
	defer func() { <-i.asking }()
	if time.Since(i.askedAt) >= markAge {
		if err := c.askMark(ctx); err != nil {
			return err
		}
	}
	return c.lastAnswer()
}

func (c *Client) lastAnswer() error {
	if refused := c.installation.refused.Load(); refused != nil {
		return *refused
	}
	return nil
}

func (c *Client) askMark(ctx context.Context) error {
	i := &c.installation
	id, err := c.Installation(ctx)
	if err != nil {
		return err
	}
	pipe := c.redis.Pipeline()
	pipe.SetNX(ctx, markKey, id, 0)
	mark := pipe.Get(ctx, markKey)
	if _, err := pipe.Exec(ctx); err != nil {
		return nil
	}
	i.askedAt = time.Now()
	if theirs := mark.Val(); theirs != id {
		err := fmt.Errorf("%w: it carries the work of installation %s, and this one is %s;"+
			" give each a Redis, or a database number, of its own, or run FLUSHDB if %[2]s no longer exists",
			ErrRefused, theirs, id)
		i.refused.Store(&err)
	} else {
		i.refused.Store(nil)
	}
	return nil
}

// name returns the name of a ticket's task in Redis.
func (c *Client) name(ctx context.Context, t jobs.Ticket) (string, error) {
	id, err := c.Installation(ctx)
	return id + "." + t.Name(), err
}

// Key returns a key of this installation in Redis, made of the parts.
func (c *Client) Key(ctx context.Context, parts ...string) (string, error) {
	id, err := c.Installation(ctx)
	return "bordero:" + id + ":" + strings.Join(parts, ":"), err
}

// Foreign reports whether a task carries the id of another installation. A task without an id,
// made by hand, is not foreign.
func (c *Client) Foreign(ctx context.Context, t *asynq.Task) (bool, error) {
	id, err := c.Installation(ctx)
	if err != nil || t.ResultWriter() == nil {
		return false, err
	}
	first, _, _ := strings.Cut(t.ResultWriter().TaskID(), ".")
	return len(first) == len(id) && first != id, nil
}
