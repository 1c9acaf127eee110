package jobs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// What go-redis writes to standard error, line after line while Redis is down, is
// in the errors that it returns as well.
func init() { redis.SetLogger(silent{}) }

type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}

// OpenRedis returns the client for REDIS_URL: redis://, rediss:// or unix://, or
// redis-sentinel://HOST:PORT/DB?master_name=NAME&addr=HOST2:PORT (parameters as
// in redis.ParseFailoverURL). It connects lazily. Commands honour the deadline
// of their context, and try twice: Asynq's loops rest only in those tries while
// Redis is down.
func OpenRedis(url string) (redis.UniversalClient, error) { return openRedis(url, 0) }

// openRedis is OpenRedis with a pool of so many connections; 0 is the default.
func openRedis(url string, pool int) (redis.UniversalClient, error) {
	if rest, ok := strings.CutPrefix(url, "redis-sentinel://"); ok {
		o, err := redis.ParseFailoverURL("redis://" + rest)
		if err != nil {
			return nil, fmt.Errorf("REDIS_URL: %w", err)
		}
		o.DialTimeout, o.DialerRetries, o.MaxRetries, o.ContextTimeoutEnabled = time.Second, 1, 2, true
		o.PoolSize = cmp.Or(pool, o.PoolSize)
		return redis.NewFailoverClient(o), nil
	}
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("REDIS_URL: %w", err)
	}
	o.DialTimeout, o.DialerRetries, o.MaxRetries, o.ContextTimeoutEnabled = time.Second, 1, 2, true
	o.PoolSize = cmp.Or(pool, o.PoolSize)
	return redis.NewClient(o), nil
}

// ErrEvicts is the error of a Redis that throws keys away when it is full.
var ErrEvicts = errors.New("this Redis evicts keys: set maxmemory-policy to noeviction")

// Ready tells whether Redis can carry names: it answers, it is not full, and it
// never evicts (else ErrEvicts). Without it nothing is lost, but workers stand
// still: workers and the scheduler are not ready, the API is degraded.
func (c *Client) Ready(ctx context.Context) error {
	m, err := c.Memory(ctx)
	switch {
	case err != nil:
		return err
	case m.Policy != "noeviction":
		return ErrEvicts
	case m.Max > 0 && m.Used >= m.Max:
		return fmt.Errorf("redis is full: %d of %d bytes are used", m.Used, m.Max)
	}
	return nil
}

// Memory is what Redis says of its memory.
type Memory struct {
	Used, Max int64  // bytes; Max 0 is no limit
	Policy    string // what it does when it is full: noeviction, …
}

// Memory asks Redis for its memory.
func (c *Client) Memory(ctx context.Context) (Memory, error) {
	info, err := c.redis.Info(ctx, "memory").Result()
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
	epoch := "bordero:epoch:" + queue
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
	states := make([]*redis.StringCmd, len(tickets))
	for i, t := range tickets {
		states[i] = pipe.HGet(ctx, taskKey(t.Queue, t.Name()), "state")
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
			named = append(named, task{t.Name(), t})
		case state != "pending" && second:
			named = append(named, task{t.Name() + suffix, t})
		}
	}
	return through, len(named), c.enqueueAll(ctx, named)
}
