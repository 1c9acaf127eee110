package broker

import (
	"context"
	"crypto/rand"
	"encoding/json"
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
	key, err := c.workersKey(ctx, queue)
	if err != nil {
		return
	}
	now, err := c.redis.Time(ctx).Result() // the same clock for the workers of all machines
	if err != nil {
		return
	}
	pipe := c.redis.Pipeline()
	pipe.ZAdd(ctx, key, redis.Z{Score: float64(now.UnixMilli()), Member: self})
	pipe.ZRemRangeByScore(ctx, key, "-inf", millis(now.Add(-announceLasts)))
	pipe.PExpire(ctx, key, announceLasts)
	_, _ = pipe.Exec(ctx)
}

// workersKey returns the key of the sorted set of a queue's workers, scored by the time of the
// last announcement in milliseconds.
func (c *Client) workersKey(ctx context.Context, queue string) (string, error) {
	return c.Key(ctx, "workers", "{"+queue+"}")
}

func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

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
