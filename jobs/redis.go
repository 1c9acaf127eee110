package jobs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// What go-redis writes to standard error, line after line while Redis is down, is
// in the errors that it returns as well.
func init() { redis.SetLogger(silent{}) }

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// OpenRedis returns the client for REDIS_URL: redis://, rediss:// or unix://; or
// of Redis Sentinel, redis-sentinel://SENTINEL:PORT/DB?master_name=NAME&addr=SENTINEL2:PORT
// (parameters as in redis.ParseFailoverURL); or of a Redis Cluster,
// redis-cluster://NODE:PORT?addr=NODE2:PORT (redis.ParseClusterURL). With rediss-
// instead of redis- these two speak TLS. It connects lazily. Commands honour the
// deadline of their context, and try twice: Asynq's loops rest only in those tries
// while Redis is down.
func OpenRedis(url string) (redis.UniversalClient, error) { return openRedis(url, 0) }

// openRedis is OpenRedis with a pool of so many connections; 0 is the default.
func openRedis(url string, pool int) (redis.UniversalClient, error) {
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

func openOne(url string, pool int) (*redis.Client, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, err
	}
	o.DialTimeout, o.DialerRetries, o.MaxRetries, o.ContextTimeoutEnabled = time.Second, 1, 2, true
	o.PoolSize = cmp.Or(pool, o.PoolSize)
	return redis.NewClient(o), nil
}

func openSentinel(url string, pool int) (*redis.Client, error) {
	o, err := redis.ParseFailoverURL(url)
	if err != nil {
		return nil, err
	}
	if o.MasterName == "" {
		return nil, errors.New("with Sentinel it must say which: ?master_name=NAME")
	}
	o.DialTimeout, o.DialerRetries, o.MaxRetries, o.ContextTimeoutEnabled = time.Second, 1, 2, true
	o.PoolSize = cmp.Or(pool, o.PoolSize)
	return redis.NewFailoverClient(o), nil
}

func openCluster(url string, pool int) (*redis.ClusterClient, error) {
	o, err := redis.ParseClusterURL(url)
	if err != nil {
		return nil, err
	}
	o.DialTimeout, o.DialerRetries, o.MaxRetries, o.ContextTimeoutEnabled = time.Second, 1, 2, true
	o.PoolSize = cmp.Or(pool, o.PoolSize)
	return redis.NewClusterClient(o), nil
}

var errEvicts = fmt.Errorf("%w: it evicts keys; set maxmemory-policy to noeviction", ErrRefused)

// Ready reports whether Redis can carry names: it answers, it is not full, it never
// evicts and is not another installation's (else ErrRefused). Without it nothing is
// lost, but workers stand still: workers and the scheduler are not ready, the API is
// degraded. Of a cluster every master must be so, and none of the slots without one.
func (c *Client) Ready(ctx context.Context) error {
	m, err := c.Memory(ctx)
	if err != nil {
		return err
	}
	if err := c.ours(ctx); errors.Is(err, ErrRefused) { // a database that is down is another check's
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

// Memory is what Redis says of its memory.
type Memory struct {
	Used, Max int64  // bytes; Max 0 is no limit
	Policy    string // what it does when it is full: noeviction, …
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

// Memory asks Redis for its memory; of a cluster it is that of the master which
// fares worst.
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

// PoolStats tells how the connections to Redis are used.
func (c *Client) PoolStats() *redis.PoolStats { return c.redis.PoolStats() }

// Inspector looks at the queues as Asynq has them, on the client's connections.
func (c *Client) Inspector() *asynq.Inspector { return asynq.NewInspectorFromRedisClient(c.redis) }

// The keys that Asynq keeps for a queue and for one of its tasks. It has no call
// that reads many states, or the number of waiting tasks alone, at once.
func pendingKey(queue string) string    { return "asynq:{" + queue + "}:pending" }
func pausedKey(queue string) string     { return "asynq:{" + queue + "}:paused" }
func retryKey(queue string) string      { return "asynq:{" + queue + "}:retry" }
func taskKey(queue, name string) string { return "asynq:{" + queue + "}:t:" + name }

// Look is what the relay sees of a queue in Redis.
type Look struct {
	Room  int    // how many more tasks the window takes
	Epoch string // another one after each loss of all keys
}

// Look reads the queue's state. It also puts the queue into Asynq's set of
// queues: a running client does so once only, and a flush empties the set.
func (c *Client) Look(ctx context.Context, queue string) (Look, error) {
	if err := c.ours(ctx); err != nil {
		return Look{}, err
	}
	// The loss of a queue's keys shows in this one, on the same node of a cluster.
	epoch, err := c.key(ctx, "epoch", "{"+queue+"}")
	if err != nil {
		return Look{}, err
	}
	pipe := c.redis.Pipeline()
	pipe.SAdd(ctx, "asynq:queues", queue)
	pipe.SetNX(ctx, epoch, rand.Text(), 0)
	current := pipe.Get(ctx, epoch)
	pending := pipe.LLen(ctx, pendingKey(queue))
	if _, err := pipe.Exec(ctx); err != nil {
		return Look{}, fmt.Errorf("redis: %w", err)
	}
	return Look{Room: max(0, Window-int(pending.Val())), Epoch: current.Val()}, nil
}

// Relay offers tickets of one queue, whose jobs are free, until room new tasks
// have been made. It returns how many tickets it went through and how many tasks
// it made. A task that waits in Redis already is left alone. With second, a name
// that is taken though its task does not wait (the worker died between taking
// the task and claiming the job, or the task's retries ran out) is given up: the
// job gets a second name, the same one for 5 s, of whichever relay.
func (c *Client) Relay(ctx context.Context, tickets []Ticket, room int, second bool) (through, made int, err error) {
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
