package workers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"bordero/jobs"

	"github.com/hibiken/asynq"
)

// AnswerConfig configures how a process answers questions (jobs.Client.Call).
type AnswerConfig struct {
	Client      *jobs.Client
	Logger      *slog.Logger
	Queue       string
	Concurrency int // questions at a time; 8 when 0
	Answer      func(ctx context.Context, ask []byte) (string, error)
	// Observe receives how each question ended (done or failed) and how long it took; may
	// be nil.
	Observe func(queue, result string, took time.Duration)
}

// ServeQuestions answers the questions of a queue until ctx is done. It returns jobs.ErrRefused for
// a Redis that evicts or is another installation's.
func ServeQuestions(ctx context.Context, cfg AnswerConfig) error {
	if err := cfg.Client.Ready(ctx); errors.Is(err, jobs.ErrRefused) {
		return err
	}
	cfg.Concurrency = cmp.Or(cfg.Concurrency, 8)
	if cfg.Observe == nil {
		cfg.Observe = func(string, string, time.Duration) {}
	}
	server := cfg.Client.Server(cfg.Queue, asynq.Config{
		Concurrency:     cfg.Concurrency,
		ShutdownTimeout: 5 * time.Second, // longer than any question waits for its answer
		Logger:          asynqLog{cfg.Logger.With("component", "asynq")},
		LogLevel:        asynq.WarnLevel,
	})
	err := server.Start(asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		began, log := time.Now(), cfg.Logger.With("queue", cfg.Queue, "request_id", jobs.CallerRequestID(t))
		if foreign, err := cfg.Client.Foreign(ctx, t); err != nil {
			return err
		} else if foreign {
			log.Warn("question of another installation ignored")
			return nil
		}
		err := recovered(log, func() error { return cfg.Client.Respond(ctx, t, cfg.Answer) })
		if err == nil {
			cfg.Observe(cfg.Queue, "done", time.Since(began))
		} else {
			cfg.Observe(cfg.Queue, "failed", time.Since(began))
			log.Warn("question not answered", "error", err)
			return fmt.Errorf("%w: %w", err, asynq.SkipRetry) // the question is abandoned by now
		}
		return nil
	}))
	if err != nil {
		return fmt.Errorf("start the worker of %s: %w", cfg.Queue, err)
	}
	cfg.Logger.Info("answering", "queue", cfg.Queue, "concurrency", cfg.Concurrency)
	<-ctx.Done()
	server.Shutdown()
	return nil
}
