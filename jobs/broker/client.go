// Package broker carries tickets of jobs through Redis, with Asynq: it offers them, wakes runs, and serves
// the queues of workers. It is apart from jobs because storage, which enqueues jobs in PostgreSQL, must
// not depend on Redis: a lost Redis delays jobs, but never loses one.
package broker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bordero/jobs"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
)

// Window is the most tasks of one queue that wait in Redis. The other jobs wait in PostgreSQL,
// so Redis needs a few megabytes whatever the backlog.
const Window = 10_000

// Client offers jobs to Redis by id, and owns the connections to Redis. A lost task loses no
// job: the row is the job, and the relay offers it again.
type Client struct {
	redis     redis.UniversalClient
	tasks     *asynq.Client
	pipelined *redis.AutoPipeliner // the commands of all goroutines share round trips
	logger    *slog.Logger

	installation installation

	tickets chan jobs.Ticket
	heldMu  sync.Mutex
	held    map[sameKey]*jobs.Ticket // keys offered a moment ago, with the newest ticket since then, or nil
	pushers sync.WaitGroup
	closing chan struct{}
	ctx     context.Context // of the pushes; ended by Close
	cancel  context.CancelFunc

	depths    sync.Map                  // *depth by queue
	restUntil atomic.Pointer[time.Time] // after a failure, no push before this time, also if the clock is set back
	loggedAt  atomic.Pointer[time.Time]
	pushed    atomic.Uint64
	dropped   atomic.Uint64
}

// Open returns the client for REDIS_URL. It calls installationID when the id is first
// needed. It connects lazily: without a Redis, the client drops the tickets that it is
// offered.
func Open(url string, installationID func(context.Context) (string, error), logger *slog.Logger) (*Client, error) {
	r, err := OpenRedis(url)
	if err != nil {
		return nil, err
	}
	// One connection carries the pushes of all goroutines as pipelines: 0.02 ms of CPU per
	// push instead of 0.13.
	pipelined, err := r.AutoPipeline()
	if err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	c := &Client{
		redis:     r,
		tasks:     asynq.NewClientFromRedisClient(pipelined),
		pipelined: pipelined,
		logger:    logger,
		tickets:   make(chan jobs.Ticket, ticketBuffer),
		held:      map[sameKey]*jobs.Ticket{},
		closing:   make(chan struct{}),
	}
	c.installation.read, c.installation.asking = installationID, make(chan struct{}, 1)
	c.ctx, c.cancel = context.WithCancel(context.Background())
	for range pushers {
		c.pushers.Go(c.push)
	}
	return c, nil
}

// Close pushes the buffered tickets, for at most two seconds, and closes the client.
// Tickets offered later are dropped.
func (c *Client) Close() error {
	c.release()
	close(c.closing)
	timer := time.AfterFunc(2*time.Second, c.cancel)
	c.pushers.Wait()
	timer.Stop()
	c.cancel()
	return c.redis.Close()
}

// task is a ticket with the name of its task.
type task struct {
	name   string
	ticket jobs.Ticket
}

// enqueue makes a task. It also succeeds if a task of the same name exists.
func (c *Client) enqueue(ctx context.Context, t task) error {
	_, err := c.tasks.EnqueueContext(ctx, asynq.NewTask(t.ticket.Kind, payload(t.ticket.ID)),
		asynq.TaskID(t.name), asynq.Queue(t.ticket.Queue),
		asynq.MaxRetry(25),              // with 0, Asynq archives the task of a dead worker, and the name stays taken
		asynq.Timeout(365*24*time.Hour)) // the job's lease limits its time, not Asynq
	if errors.Is(err, asynq.ErrTaskIDConflict) {
		return nil
	}
	return err
}

// payload is the JSON {"id":N}: ids, never records.
func payload(id int64) []byte {
	return append(strconv.AppendInt([]byte(`{"id":`), id, 10), '}')
}

// TaskJob returns the id of the job that a task of this client names.
func TaskJob(t *asynq.Task) (int64, error) {
	id, ok := strings.CutPrefix(string(t.Payload()), `{"id":`)
	if !ok {
		return 0, fmt.Errorf("payload of task %s is not ours", t.Type())
	}
	return strconv.ParseInt(strings.TrimSuffix(id, "}"), 10, 64)
}

// enqueueAll makes tasks concurrently, so that they share pipelines.
func (c *Client) enqueueAll(ctx context.Context, all []task) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(pushers)
	for _, t := range all {
		group.Go(func() error { return c.enqueue(ctx, t) })
	}
	return group.Wait()
}
