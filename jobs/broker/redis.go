package broker

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"bordero/jobs"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// go-redis writes a line to standard error at every failure while Redis is down. The returned
// errors contain the same text.
func init() { redis.SetLogger(silent{}) }

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// OpenRedis returns the client for REDIS_URL:
//   - redis://, rediss:// or unix:// for one server;
//   - redis-sentinel://SENTINEL:PORT/DB?master_name=NAME&addr=SENTINEL2:PORT for Redis
//     Sentinel (parameters as in redis.ParseFailoverURL);
//   - redis-cluster://NODE:PORT?addr=NODE2:PORT for a Redis Cluster (redis.ParseClusterURL).
//
// The last two use TLS with rediss- instead of redis-. The client connects lazily. Commands
// honour the deadline of their context and try twice: while Redis is down, the second try is the
// only pause in Asynq's loops.
func OpenRedis(url string) (redis.UniversalClient, error) { return OpenPool(url, 0) }

// OpenPool is OpenRedis with a pool of the given number of connections; 0 is the pool_size of the URL, or the default.
func OpenPool(url string, pool int) (redis.UniversalClient, error) {
	scheme, rest, _ := strings.Cut(url, "://")
	scheme, kind, _ := strings.Cut(scheme, "-")
	url = scheme + "://" + rest
	var client redis.UniversalClient
	var err error
	switch kind {
	case "sentinel":
		client, err = openSentinel(url, pool)
	case "cluster":
		client, err = openCluster(url, pool)
	default:
		client, err = openOne(url, pool)
	}
	if err != nil {
		return nil, fmt.Errorf("REDIS_URL: %w", err)
	}
	return client, nil
}

// The buffers of a connection. Commands and answers have some hundred bytes, and at most 64 pushes are under
// way; by default ten connections would hold a megabyte.
const (
	smallBuffer    = 4 << 10
	pipelineBuffer = 32 << 10
)

// waiting are connections for the workers of all queues that one process may run: each blocks in Redis on one.
const waiting = 6

// poolSize is the default of go-redis, and the waiting connections.
func poolSize() int { return 10*runtime.GOMAXPROCS(0) + waiting }

func openOne(url string, pool int) (*redis.Client, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, err
	}
	o.DialTimeout, o.DialerRetries, o.MaxRetries, o.ContextTimeoutEnabled = time.Second, 1, 2, true
	o.ReadBufferSize, o.WriteBufferSize = smallBuffer, smallBuffer
	o.PipelineReadBufferSize, o.PipelineWriteBufferSize = pipelineBuffer, pipelineBuffer
	o.PoolSize = cmp.Or(pool, o.PoolSize, poolSize())
	return redis.NewClient(o), nil
}

func openSentinel(url string, pool int) (*redis.Client, error) {
	o, err := redis.ParseFailoverURL(url)
	if err != nil {
		return nil, err
	}
	if o.MasterName == "" {
		return nil, errors.New("with Sentinel it must name the master: ?master_name=NAME")
	}
	o.DialTimeout, o.DialerRetries, o.MaxRetries, o.ContextTimeoutEnabled = time.Second, 1, 2, true
	o.ReadBufferSize, o.WriteBufferSize = smallBuffer, smallBuffer
	o.PipelineReadBufferSize, o.PipelineWriteBufferSize = pipelineBuffer, pipelineBuffer
	o.PoolSize = cmp.Or(pool, o.PoolSize, poolSize())
	return redis.NewFailoverClient(o), nil
}

func openCluster(url string, pool int) (*redis.ClusterClient, error) {
	o, err := redis.ParseClusterURL(url)
	if err != nil {
		return nil, err
	}
	o.DialTimeout, o.DialerRetries, o.MaxRetries, o.ContextTimeoutEnabled = time.Second, 1, 2, true
	o.ReadBufferSize, o.WriteBufferSize = smallBuffer, smallBuffer
	o.PipelineReadBufferSize, o.PipelineWriteBufferSize = pipelineBuffer, pipelineBuffer
	o.PoolSize = cmp.Or(pool, o.PoolSize, poolSize())
	return redis.NewClusterClient(o), nil
}

var errEvicts = fmt.Errorf("%w: it evicts keys; set maxmemory-policy to noeviction", ErrRefused)

// installationWithin is how long Ready waits for PostgreSQL, less than a probe of health does.
const installationWithin = 500 * time.Millisecond

// Ready returns nil if Redis can carry tasks: Redis answers, is not full, never evicts and is not
// another installation's (otherwise ErrRefused). In a cluster, every master must pass, and every
// slot must have a master. Without Redis nothing is lost, but no job runs: workers and the
// scheduler are not ready, and the API is degraded.
func (c *Client) Ready(ctx context.Context) error {
	m, err := c.Memory(ctx)
	if err != nil {
		return err
	}
	// If the database does not answer with the installation's id, another check reports the database.
	asking, cancel := context.WithTimeout(ctx, installationWithin)
	defer cancel()
	if err := c.ours(asking); errors.Is(err, ErrRefused) {
		return err
	}
	cluster, ok := c.redis.(*redis.ClusterClient)
	if !ok {
		return m.ready()
	}
	state, err := cluster.ClusterInfo(ctx).Result()
	if err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	if !strings.Contains(state, "cluster_state:ok") {
		return errors.New("redis: the cluster has slots that no node serves")
	}
	return m.ready()
}

// startWithin is how long Refused waits for Redis and PostgreSQL.
const startWithin = 5 * time.Second

// Refused returns ErrRefused if no process may use this Redis, which ends a process that starts. It returns nil if
// Redis or PostgreSQL does not answer: the process starts, and Ready tells when it can work.
func (c *Client) Refused(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	m, err := c.Memory(ctx)
	if err == nil {
		err = c.oursAtStart(ctx)
	}
	if err == nil {
		err = m.ready()
	}
	if errors.Is(err, ErrRefused) {
		return err
	}
	return nil
}

// Memory describes the memory of a Redis.
type Memory struct {
	Used, Max int64  // bytes; Max 0 means no limit
	Policy    string // maxmemory-policy: noeviction, …
}

func (m Memory) ready() error {
	switch {
	case m.Policy != "noeviction":
		return errEvicts
	case m.Max > 0 && m.Used >= m.Max:
		return fmt.Errorf("redis is full: %d of %d bytes are used", m.Used, m.Max)
	}
	return nil
}

// Memory reads the memory of Redis; in a cluster, the memory of the master in the worst state.
func (c *Client) Memory(ctx context.Context) (worst Memory, err error) {
	cluster, ok := c.redis.(*redis.ClusterClient)
	if !ok {
		return memory(ctx, c.redis)
	}
	var mu sync.Mutex
	err = cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
		m, err := memory(ctx, node)
		mu.Lock()
		defer mu.Unlock()
		if worst.Policy == "" || worst.ready() == nil && (m.ready() != nil || m.Used > worst.Used) {
			worst = m
		}
		return err
	})
	return worst, err
}

func memory(ctx context.Context, node redis.Cmdable) (Memory, error) {
	info, err := node.Info(ctx, "memory").Result()
	if err != nil {
		return Memory{}, fmt.Errorf("redis: %w", err)
	}
	said := map[string]string{}
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		said[name] = value
	}
	m := Memory{Policy: said["maxmemory_policy"]}
	m.Used, _ = strconv.ParseInt(said["used_memory"], 10, 64)
	m.Max, _ = strconv.ParseInt(said["maxmemory"], 10, 64)
	return m, nil
}

// PoolStats returns statistics of the connections to Redis.
func (c *Client) PoolStats() *redis.PoolStats { return c.redis.PoolStats() }

// Inspector returns Asynq's view of the queues, on the client's connections.
func (c *Client) Inspector() *asynq.Inspector { return asynq.NewInspectorFromRedisClient(c.redis) }

// Asynq's keys for a queue and for one of its tasks. Asynq has no call that reads the states of
// many tasks at once, or only some numbers of a queue.
func pendingKey(queue string) string    { return "asynq:{" + queue + "}:pending" }
func pausedKey(queue string) string     { return "asynq:{" + queue + "}:paused" }
func retryKey(queue string) string      { return "asynq:{" + queue + "}:retry" }
func doneKey(queue string) string       { return "asynq:{" + queue + "}:processed" }
func failedKey(queue string) string     { return "asynq:{" + queue + "}:failed" }
func taskKey(queue, name string) string { return "asynq:{" + queue + "}:t:" + name }

// QueueWindow is the state of a queue in Redis that the relay needs.
type QueueWindow struct {
	Free  int    // number of tasks that the window still takes
	Epoch string // changes after each loss of all keys
}

// Look reads the states of queues, in their order. It also adds the queues to Asynq's set of queues: a
// running Asynq client adds a queue only once, and a flush empties the set.
func (c *Client) Look(ctx context.Context, queues ...string) ([]QueueWindow, error) {
	if err := c.ours(ctx); err != nil {
		return nil, err
	}
	pipe := c.redis.Pipeline()
	epochs, pending := make([]*redis.StringCmd, len(queues)), make([]*redis.IntCmd, len(queues))
	for i, queue := range queues {
		// The epoch is on the same cluster node as the queue's keys, so it is lost with them.
		epoch, err := c.Key(ctx, "epoch", "{"+queue+"}")
		if err != nil {
			return nil, err
		}
		pipe.SAdd(ctx, "asynq:queues", queue)
		pipe.SetNX(ctx, epoch, rand.Text(), 0)
		epochs[i], pending[i] = pipe.Get(ctx, epoch), pipe.LLen(ctx, pendingKey(queue))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	windows := make([]QueueWindow, len(queues))
	for i := range queues {
		windows[i] = QueueWindow{Free: max(0, Window-int(pending[i].Val())), Epoch: epochs[i].Val()}
	}
	return windows, nil
}

// Relay offers tickets of one queue, whose jobs are free, until it has made room new tasks.
// It returns the number of tickets processed and the number of tasks made. It skips a ticket with
// a task that waits in Redis.
//
// A name may be taken by a task that does not wait: the worker died between taking the task
// and claiming the job, or the task's retries ran out. If second is set, the task of such a job gets
// a second name, which is the same for 5 s in every relay.
func (c *Client) Relay(ctx context.Context, tickets []jobs.Ticket, room int, second bool) (through, made int,
	err error) {
	if len(tickets) == 0 {
		return 0, 0, nil
	}
	pipe := c.redis.Pipeline()
	names, states := make([]string, len(tickets)), make([]*redis.StringCmd, len(tickets))
	for i, t := range tickets {
		if names[i], err = c.name(ctx, t); err != nil {
			return 0, 0, err
		}
		states[i] = pipe.HGet(ctx, taskKey(t.Queue, names[i]), "state")
	}
	if _, err := pipe.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return 0, 0, fmt.Errorf("redis: %w", err)
	}
	suffix := "." + strconv.FormatInt(time.Now().Unix()/5, 10)
	var named []task
	for i, t := range tickets {
		if len(named) == room {
			break
		}
		through++
		switch state := states[i].Val(); {
		case state == "":
			named = append(named, task{names[i], t})
		case state != "pending" && second:
			named = append(named, task{names[i] + suffix, t})
		}
	}
	return through, len(named), c.enqueueAll(ctx, named)
}
