package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"bordero/internal/panics"

	"github.com/hibiken/asynq"
)

// Config configures how a process answers questions.
type Config struct {
	Logger      *slog.Logger
	Queue       string
	Concurrency int // questions at a time
	Answer      func(ctx context.Context, ask []byte) (string, error)
	// Observe receives how each question ended (done or failed) and how long it took; may
	// be nil.
	Observe func(queue, result string, took time.Duration)
}

// replyLife is how long Redis stores an answer that the asking process may never read.
const replyLife = 10 * time.Second

// Serve answers the questions of a queue until ctx is done. It returns broker.ErrRefused for a
// Redis that evicts or is another installation's.
func (c *Client) Serve(ctx context.Context, cfg Config) error {
	if err := c.broker.Refused(ctx); err != nil {
		return err
	}
	if cfg.Observe == nil {
		cfg.Observe = func(string, string, time.Duration) {}
	}
	server := c.broker.Server(cfg.Queue, asynq.Config{
		Concurrency:     cfg.Concurrency,
		ShutdownTimeout: 5 * time.Second, // longer than any question waits for its answer
		// A question is not tried again. After its worker has died, nobody waits for the answer.
		DelayedTaskCheckInterval: time.Hour,
	})
	err := server.Start(asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		return c.handle(ctx, t, cfg)
	}))
	if err != nil {
		return fmt.Errorf("start the worker of %s: %w", cfg.Queue, err)
	}
	cfg.Logger.Info("answering", "queue", cfg.Queue, "concurrency", cfg.Concurrency)
	<-ctx.Done()
	server.Shutdown()
	return nil
}

// handle answers the question of a task.
func (c *Client) handle(ctx context.Context, t *asynq.Task, cfg Config) error {
	began := time.Now()
	var q question
	malformed := json.Unmarshal(t.Payload(), &q)
	log := cfg.Logger.With("queue", cfg.Queue, "request_id", q.RequestID)
	if foreign, err := c.broker.Foreign(ctx, t); err != nil {
		return err
	} else if foreign {
		log.Warn("question of another installation ignored")
		return nil
	}
	err := malformed
	if err == nil {
		err = panics.Caught(log, "question panicked", func() error { return c.answer(ctx, q, cfg.Answer) })
	}
	if err != nil {
		cfg.Observe(cfg.Queue, "failed", time.Since(began))
		log.Warn("question not answered", "error", err)
		return fmt.Errorf("%w: %w", err, asynq.SkipRetry) // the question is abandoned by now
	}
	cfg.Observe(cfg.Queue, "done", time.Since(began))
	return nil
}

// answer answers a question, with the error if there is one. If the answer does not reach
// Redis, it is not sent again: the asking process has stopped waiting.
func (c *Client) answer(ctx context.Context, q question, of func(context.Context, []byte) (string, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var r reply
	var failed error
	if r.Answer, failed = of(ctx, q.Ask); failed != nil {
		r.Error = failed.Error()
	}
	sealed, err := seal(q, r)
	if err != nil {
		return errors.Join(failed, err)
	}
	text, err := json.Marshal(sealed)
	if err != nil {
		return err
	}
	pipe := c.redis.TxPipeline()
	pipe.RPush(ctx, q.Reply, text)
	pipe.Expire(ctx, q.Reply, replyLife)
	_, err = pipe.Exec(ctx)
	return errors.Join(failed, err)
}
