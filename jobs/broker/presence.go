package broker

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// A worker announces itself every announceEvery, and counts as gone announceLasts after its last
// announcement.
const (
	announceEvery = 5 * time.Second
	announceLasts = 3 * announceEvery
)

// Worker is a process that takes tasks of a queue.
type Worker struct {
	Host    string        `json:"host"`
	PID     int           `json:"pid"`
	Version string        `json:"version"`
	Run     string        `json:"run"` // differs from every other process's, also if a container reuses host and pid
	Beat    time.Duration `json:"-"`   // since the worker's last announcement
}

// Announce reports in Redis, until ctx is done, that this process takes tasks of the queue. The
// report is only for operators: while Redis does not answer, it is missing.
func (c *Client) Announce(ctx context.Context, queue, version string) {
	host, _ := os.Hostname() // empty if unknown
	text, _ := json.Marshal(Worker{Host: host, PID: os.Getpid(), Version: version, Run: rand.Text()})
	self := string(text)
	ticks := time.NewTicker(announceEvery)
	defer ticks.Stop()
	for {
		c.announce(ctx, queue, self)
		select {
		case <-ticks.C:
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			if key, err := c.workersKey(ctx, queue); err == nil {
				_ = c.redis.ZRem(ctx, key, self).Err() // after an error, the report lapses
			}
			return
		}
	}
}

// announce adds this process to the workers of the queue and removes the workers that are gone.
func (c *Client) announce(ctx context.Context, queue, self string) {
	ctx, cancel := context.WithTimeout(ctx, announceEvery)
	defer cancel()
	if key, err := c.workersKey(ctx, queue); err == nil {
		_ = announcement.Run(ctx, c.redis, []string{key}, self, announceLasts.Milliseconds()).Err()
	}
}

// announcement uses Redis' clock, the same for the workers of all machines.
var announcement = redis.NewScript(`
	local time = redis.call("TIME")
	local now = time[1] * 1000 + math.floor(time[2] / 1000)
	redis.call("ZADD", KEYS[1], now, ARGV[1])
	redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now - ARGV[2])
	return redis.call("PEXPIRE", KEYS[1], ARGV[2])`)

// workersKey returns the key of the sorted set of a queue's workers, scored by the time of the
// last announcement in milliseconds.
func (c *Client) workersKey(ctx context.Context, queue string) (string, error) {
	return c.Key(ctx, "workers", "{"+queue+"}")
}

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// Tally counts the tasks that the workers of a queue have taken since Asynq began to count.
type Tally struct{ Processed, Failed int64 } // Failed are some of Processed

// Tallies reads the tallies of queues, in their order.
func (c *Client) Tallies(ctx context.Context, queues []string) ([]Tally, error) {
	pipe := c.redis.Pipeline()
	processed, failed := make([]*redis.StringCmd, len(queues)), make([]*redis.StringCmd, len(queues))
	for i, queue := range queues {
		processed[i], failed[i] = pipe.Get(ctx, doneKey(queue)), pipe.Get(ctx, failedKey(queue))
	}
	done, _ := pipe.Exec(ctx) // its error is that of the first command alone
	for _, command := range done {
		if err := command.Err(); err != nil && !errors.Is(err, redis.Nil) {
			return nil, fmt.Errorf("redis: %w", err)
		}
	}
	tallies := make([]Tally, len(queues))
	for i := range queues { // a counter that does not exist yet is 0
		tallies[i].Processed, _ = processed[i].Int64()
		tallies[i].Failed, _ = failed[i].Int64()
	}
	return tallies, nil
}

// QueueState is the state of a queue that only Redis has.
type QueueState struct {
	Queue   string
	Paused  bool     // by an operator: no worker takes its tasks
	Workers []Worker // without the workers that are gone
}

// QueueStates reads the states of queues. A queue without a task or a worker is not paused
// and has no workers.
func (c *Client) QueueStates(ctx context.Context, queues []string) ([]QueueState, error) {
	now, err := c.redis.Time(ctx).Result()
	if err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	pipe := c.redis.Pipeline()
	paused, workers := make([]*redis.IntCmd, len(queues)), make([]*redis.ZSliceCmd, len(queues))
	for i, queue := range queues {
		key, err := c.workersKey(ctx, queue)
		if err != nil {
			return nil, err
		}
		paused[i] = pipe.Exists(ctx, pausedKey(queue))
		workers[i] = pipe.ZRangeByScoreWithScores(ctx, key, &redis.ZRangeBy{Min: millis(now.Add(-announceLasts)),
			Max: "+inf"})
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	states := make([]QueueState, len(queues))
	for i, queue := range queues {
		states[i] = QueueState{Queue: queue, Paused: paused[i].Val() > 0}
		for _, z := range workers[i].Val() {
			var w Worker
			text, _ := z.Member.(string)
			if json.Unmarshal([]byte(text), &w) == nil {
				w.Beat = max(0, now.Sub(time.UnixMilli(int64(z.Score))))
				states[i].Workers = append(states[i].Workers, w)
			}
		}
	}
	return states, nil
}
