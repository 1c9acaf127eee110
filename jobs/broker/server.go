package broker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

const (
	// longestWait is how long an idle server blocks in Redis at a time, in whole seconds. With answerTime,
	// it bounds the delay that a lost answer causes; the relay needs 5 s, too.
	longestWait = 3 * time.Second
	// answerTime is how long Redis may take to end a wait of longestWait. It must exceed a tick of
	// Redis' clock, a second with the lowest hz.
	answerTime = 1500 * time.Millisecond
	// pausedWait is the time between two looks at a paused queue.
	pausedWait = time.Second
	// outagePause is the time between two tries while Redis does not answer.
	outagePause = 100 * time.Millisecond
)

// Server is an Asynq server of one queue that does not poll (decision 0003). While the queue is
// empty, the server blocks in Redis, which answers as soon as there is a task. An idle server sends
// some requests every few seconds.
type Server struct {
	asynq *asynq.Server
	redis *dequeueClient
}

// Server returns a server of the queue on the client's connections. Shut the server down before the
// client is closed. Server sets Queues, TaskCheckInterval, JanitorInterval,
// Logger and LogLevel of cfg.
func (c *Client) Server(queue string, cfg asynq.Config) *Server {
	r := &dequeueClient{
		UniversalClient: c.redis,
		pending:         pendingKey(queue),
		paused:          pausedKey(queue),
		longest:         longestWait,
		stopping:        make(chan struct{}),
	}
	cfg.Queues = map[string]int{queue: 1}
	cfg.TaskCheckInterval = time.Microsecond // Asynq's sleep after an empty dequeue; the wait in Redis replaces it
	cfg.JanitorInterval = time.Hour          // Asynq deletes completed tasks with a retention; ours have none
	cfg.Logger, cfg.LogLevel = asynqLog{c.logger.With("component", "asynq")}, asynq.WarnLevel
	return &Server{asynq.NewServerFromRedisClient(r, cfg), r}
}

// asynqLog writes Asynq's log lines to our log.
type asynqLog struct{ *slog.Logger }

func (l asynqLog) Debug(args ...any) { l.Logger.Debug(fmt.Sprint(args...)) }
func (l asynqLog) Info(args ...any)  { l.Logger.Info(fmt.Sprint(args...)) }
func (l asynqLog) Warn(args ...any)  { l.Logger.Warn(fmt.Sprint(args...)) }
func (l asynqLog) Error(args ...any) { l.Logger.Error(fmt.Sprint(args...)) }

// Fatal does not end the process: only main does.
func (l asynqLog) Fatal(args ...any) { l.Logger.Error(fmt.Sprint(args...)) }

// Start begins to take tasks, and returns at once.
func (s *Server) Start(h asynq.Handler) error { return s.asynq.Start(h) }

// Shutdown stops taking tasks and waits for the running tasks, at most for the ShutdownTimeout. It
// must be called only once.
func (s *Server) Shutdown() {
	close(s.redis.stopping) // Asynq waits for its dequeue to return
	s.asynq.Shutdown()
}

// dequeueClient is the Redis client of an Asynq server. It delays a dequeue until there may
// be a task.
//
// Asynq dequeues by a script, and sleeps if the queue is empty. After an empty dequeue, the next
// dequeue first blocks in BLMOVE, which moves the oldest pending task from the end of its list to
// the same end. The move changes nothing, but Redis answers as soon as the list has a task,
// whichever component enqueued the task. No separate wake-up message exists that could be lost. If
// the list stays empty, the client blocks again without a dequeue.
type dequeueClient struct {
	redis.UniversalClient
	pending, paused string // keys of the queue
	longest         time.Duration
	stopping        chan struct{}

	// Results of the last dequeue. Only Asynq's one dequeuing goroutine uses them.
	empty bool // no task, though Redis answered
	down  bool // Redis did not answer
	woken bool // a task had ended the wait before the dequeue
}

// EvalSha runs a script of Asynq. Before the dequeue script it waits for a task.
func (c *dequeueClient) EvalSha(ctx context.Context, sha1 string, keys []string, args ...any) *redis.Cmd {
	if !c.isDequeue(keys) {
		return c.UniversalClient.EvalSha(ctx, sha1, keys, args...)
	}
	if !c.stops() && c.wait(ctx) && !c.stops() {
		return c.found(c.UniversalClient.EvalSha(ctx, sha1, keys, args...))
	}
	if c.stops() { // another wait would occupy another connection
		time.Sleep(time.Millisecond) // Asynq dequeues until the rest of the server has stopped
	}
	none := redis.NewCmd(ctx)
	none.SetErr(redis.Nil)
	return none
}

// stops reports whether Shutdown has been called.
func (c *dequeueClient) stops() bool {
	select {
	case <-c.stopping:
		return true
	default:
		return false
	}
}

// Eval runs a script right after EvalSha failed because Redis has not loaded the script.
func (c *dequeueClient) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	cmd := c.UniversalClient.Eval(ctx, script, keys, args...)
	if !c.isDequeue(keys) {
		return cmd
	}
	return c.found(cmd)
}

// isDequeue reports whether a script with these keys is Asynq's dequeue, the only one that
// checks whether the queue is paused.
func (c *dequeueClient) isDequeue(keys []string) bool { return len(keys) == 4 && keys[1] == c.paused }

// found stores the result of a dequeue.
func (c *dequeueClient) found(cmd *redis.Cmd) *redis.Cmd {
	err := cmd.Err()
	c.empty = errors.Is(err, redis.Nil)
	c.down = err != nil && !c.empty && !redis.HasErrorPrefix(err, "NOSCRIPT")
	return cmd
}

// wait waits for a task, at most for longestWait, and reports whether a dequeue may find one.
func (c *dequeueClient) wait(ctx context.Context) bool {
	switch {
	case c.down:
		c.pause(outagePause)
	case c.empty && c.woken && c.isPaused(ctx):
		c.pause(pausedWait) // the tasks of a paused queue would end each block at once
	case c.empty:
		return c.block(ctx)
	}
	return true
}

// isPaused reports whether an operator has paused the queue.
func (c *dequeueClient) isPaused(ctx context.Context) bool {
	n, err := c.UniversalClient.Exists(ctx, c.paused).Result()
	return err == nil && n > 0
}

// block waits in Redis for a task. It returns false if Redis answered that the queue is empty.
func (c *dequeueClient) block(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, c.longest+answerTime)
	ended := make(chan error, 1)
	go func() { // go-redis does not notice a cancelled context while it reads
		defer cancel()
		ended <- c.UniversalClient.BLMove(ctx, c.pending, c.pending, "RIGHT", "RIGHT", c.longest).Err()
	}()
	select {
	case err := <-ended:
		c.woken = err == nil
		none := errors.Is(err, redis.Nil)
		if err != nil && !none {
			c.pause(outagePause)
		}
		return !none
	case <-c.stopping:
		return true
	}
}

func (c *dequeueClient) pause(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.stopping:
	}
}
